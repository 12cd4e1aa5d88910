"""The page of endpoints: a card for each, and the ways to add one."""

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout

from core.errors import AppError
from desktop import theme
from desktop.dialogs.question import Question
from desktop.operations import endpoints as operations
from desktop.operations.connections import why_offline
from desktop.operations.endpoints import EndpointSeen, EndpointsSeen
from desktop.panels.base import Shell
from desktop.panels.models.endpoints_card import EndpointCard
from desktop.panels.models.endpoints_editor import Editor
from desktop.widgets import EmptyState, Label, Notice, QuietButton, tr
from desktop.widgets.labels import show_if
from desktop.widgets.safe_text import safe_line
from desktop.widgets.sheet import Sheet


class EndpointsPage(Sheet):
    """Keys are typed in the editor and never shown again, here or anywhere."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self._where = ""  # where keys are kept here; not known before the first reading
        self._add_wanted = False
        self.cards: dict[str, EndpointCard] = {}
        words = tr(
            "Servers that are spoken to as OpenAI's: Ollama, vLLM, llama.cpp's server, LM Studio, and hosted services. "
            "Prompts leave this computer unless the server runs on it."
        )
        self.about = Label(words, "soft", wrap=True)
        self.new = QuietButton(tr("Add an endpoint…"), icon="plus")
        self.new.clicked.connect(self.add)
        self.nothing = EmptyState(
            tr("No endpoint yet"),
            tr("Add one to write with a model that a server has, on this computer or elsewhere."),
            tr("Add an endpoint…"),
            self.add,
            icon="models",
        )
        self.nothing.hide()
        self.trouble = Notice("", tone="danger", closable=False)
        self.trouble.hide()
        self._list = QVBoxLayout()
        self._list.setSpacing(theme.current().gap)
        row = QHBoxLayout()
        row.setSpacing(theme.current().gap)
        row.addWidget(self.about, 1)
        row.addWidget(self.new)
        self.box.addLayout(row)
        for widget in (self.trouble, self.nothing):
            self.box.addWidget(widget)
        self.box.addLayout(self._list)
        self.box.addStretch(1)
        shell.connections.changed.connect(self._allow)

    def read(self) -> None:
        """See anew which endpoints there are."""
        self._shell.jobs.start(
            tr("Endpoints"), operations.read_endpoints, on_done=self._show, on_error=self._cannot_read, quiet=True
        )

    def add(self) -> None:
        """Ask for a new endpoint, as soon as it is known where its key would be kept and which names are taken."""
        self._add_wanted = not self._where
        if self._where:
            self._edit(None)

    def _edit(self, seen: EndpointSeen | None) -> None:
        editor = Editor(self.window(), self._shell, seen, self._where, frozenset(self.cards))
        editor.kept.connect(self.read)
        editor.open()

    def _ask_remove(self, seen: EndpointSeen) -> None:
        name = seen.endpoint.name
        Question(
            self.window(),
            title=tr("Forget “{name}”?").format(name=safe_line(name)),
            text=tr("The endpoint and its key are forgotten here. Texts that it wrote stay in their projects."),
            safe=tr("Keep it"),
            risky=tr("Forget it"),
            on_risky=lambda: self._remove(name),
        ).open()

    def _remove(self, name: str) -> None:
        operations.remove_endpoint(name=name).start(self._shell.jobs, on_done=lambda _: self.read())

    def _show(self, seen: EndpointsSeen) -> None:
        self._where = seen.where
        self.trouble.hide()
        names = [one.endpoint.name for one in seen.endpoints]
        if names != list(self.cards):
            self._make_cards(seen.endpoints)
        for one in seen.endpoints:
            self.cards[one.endpoint.name].show_endpoint(one)
        self.nothing.setVisible(not names)
        self.new.setVisible(bool(names))
        self._allow()
        if self._add_wanted:
            self.add()

    def _make_cards(self, seen: tuple[EndpointSeen, ...]) -> None:
        for gone in self.cards.keys() - {one.endpoint.name for one in seen}:
            card = self.cards.pop(gone)
            card.hide()
            card.deleteLater()
        made = {one.endpoint.name: self.cards.get(one.endpoint.name) or self._card(one) for one in seen}
        for place, (_, card) in enumerate(made.items()):
            self._list.removeWidget(card)
            self._list.insertWidget(place, card)
        self.cards = made

    def _card(self, seen: EndpointSeen) -> EndpointCard:
        card = EndpointCard(self._shell, seen)
        card.edit_wanted.connect(self._edit)
        card.remove_wanted.connect(self._ask_remove)
        return card

    def _cannot_read(self, error: AppError) -> None:
        self.trouble.text.setText(safe_line(error.message))
        self.trouble.more.setText(safe_line(" ".join(part for part in (error.kept, error.hint) if part)))
        show_if(self.trouble.more, True)
        self.trouble.show()

    def _allow(self) -> None:
        why = why_offline(self._shell.connections)
        for card in self.cards.values():
            card.allow(why)
