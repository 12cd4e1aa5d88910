"""The models panel: what fills each role, the catalogue to get more, endpoints, and the offline switch."""

from functools import cached_property
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QTabBar

from biasprint.core.errors import AppError
from biasprint.core.machine.endpoints import Endpoint, is_loopback, origin
from biasprint.desktop import theme
from biasprint.desktop.dialogs.parts import EngineNotice
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.jobs import JobHandle
from biasprint.desktop.operations import writers as operations
from biasprint.desktop.operations.writers import EndpointSeen, EndpointsSeen, test_endpoint, why_offline
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.models.catalogue import CataloguePage
from biasprint.desktop.panels.models.endpoint_form import Editor
from biasprint.desktop.panels.settings import OfflineSwitch
from biasprint.desktop.shell import Command, Shell
from biasprint.desktop.widgets import (
    Card,
    Chip,
    EmptyState,
    FlowLayout,
    Label,
    LinkButton,
    Notice,
    QuietButton,
    number,
    plural,
    tr,
)
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import hidden, show_if
from biasprint.desktop.widgets.layout import SCROLL_BAR, STRETCH, Gap, Sheet, add_to, in_column, in_row
from biasprint.desktop.widgets.safe_text import as_given, safe_line, safe_tip

if TYPE_CHECKING:
    from biasprint.core.backends.openai_compatible.probe import EndpointTest


# ---- Endpoints

MOST_NAMED = 12  # models in the sentence; the box has all of them
MODEL_WIDTH = 320


class EndpointCard(Card):
    """A card on an endpoint. `edit_wanted` and `remove_wanted` carry the `EndpointSeen`."""

    edit_wanted = Signal(object)
    remove_wanted = Signal(object)

    def __init__(self, shell: Shell, seen: EndpointSeen) -> None:
        super().__init__(padding=(20, 16))
        self.seen = seen
        self._shell = shell
        self._job: JobHandle | None = None
        self._why_offline = ""
        self.name = Label("", "heading")
        self.key, self.plain = Chip(""), Chip(tr("plain http"), "warn")
        self.local = Chip(tr("this computer"), "ok")
        self.address = Label("", "soft", wrap=True)
        self.facts, self.prices = Label("", "note", wrap=True), Label("", "note", wrap=True)
        self.model = _ModelBox()
        self.test = QuietButton("", act=self._test)
        self.edit, self.remove = LinkButton(""), LinkButton("")
        self.result = hidden(Notice("", closable=False))
        self.models = hidden(Label("", "note", wrap=True))
        self.edit.clicked.connect(lambda: self.edit_wanted.emit(self.seen))
        self.remove.clicked.connect(lambda: self.remove_wanted.emit(self.seen))
        self._lay_out()
        self.show_endpoint(seen)

    def show_endpoint(self, seen: EndpointSeen) -> None:
        """Update the card; the test result of another address or key is removed."""
        if seen != self.seen:
            self._forget_test()
        self.seen = seen
        endpoint = seen.endpoint
        name = as_given(endpoint.name)
        self.setAccessibleName(tr(name))
        self.name.setText(name)
        self.address.setText(safe_line(", ".join(address.base_url for address in endpoint.addresses)))
        keys = {"kept": (tr("key kept"), "ok"), "environment": (tr("key from BIASPRINT_API_KEY"), "plain")}
        words, tone = keys.get(seen.key, (tr("no key"), "plain"))
        self.key.setText(tr("key cannot be used") if seen.trouble else words)
        self.key.set_tone("danger" if seen.trouble else tone)
        self.key.setToolTip(safe_tip(tr(seen.trouble)))
        here = is_here(endpoint)
        show_if(self.local, here)
        show_if(self.plain, endpoint.origin[0] == "http" and not here)
        self.facts.setText(facts(endpoint))
        self.prices.setText(safe_line(price_words(endpoint)))
        named = {
            self.test: (tr("Testing…") if self._busy else tr("Test"), tr("Test: {name}")),
            self.edit: (tr("Change…"), tr("Change: {name}")),
            self.remove: (tr("Forget…"), tr("Forget: {name}")),
        }
        for button, (shown, spoken) in named.items():
            button.set_text(shown)
            button.setAccessibleName(tr(spoken.format(name=name)))
        self.model.setAccessibleName(tr("Model to ask at {name}").format(name=name))
        self._allow()

    def allow(self, why_offline: str) -> None:
        """Set whether it can be asked now; `why_offline` says why not."""
        self._why_offline = why_offline
        self._allow()

    # testing

    def _test(self) -> None:
        self._forget_test()
        operation = test_endpoint(endpoint=self.seen.endpoint, model=self.model.currentText().strip())
        self._job = operation.start(self._shell.jobs, on_done=self._tested, on_error=self._failed)
        self._job.changed.connect(self._job_changed)
        self.show_endpoint(self.seen)

    def _tested(self, tested: "EndpointTest") -> None:
        self._say("ok" if tested.ok else "danger", tested.sentence)
        chosen = self.model.currentText()
        self.model.clear()
        self.model.addItems([as_given(model) for model in tested.models])
        self.model.setCurrentText(chosen)
        named = ", ".join(tested.models[:MOST_NAMED])
        more = len(tested.models) - MOST_NAMED
        if more > 0:
            named = tr("{names} and {n} more").format(names=named, n=number(more))
        self.models.setText(safe_line(tr("Models: {names}").format(names=named)))
        self.models.setVisible(bool(tested.models))

    def _failed(self, error: AppError) -> None:
        self._say("danger", str(error))

    def _say(self, tone: str, sentence: str) -> None:
        old, self.result = self.result, Notice(safe_line(sentence), tone=tone, closable=False)
        self.box.replaceWidget(old, self.result)
        old.hide()
        old.deleteLater()

    def _forget_test(self) -> None:
        for part in (self.result, self.models):
            part.hide()

    def _job_changed(self) -> None:
        self.show_endpoint(self.seen)

    @property
    def _busy(self) -> bool:
        return self._job is not None and self._job.active

    def _allow(self) -> None:
        self.test.setEnabled(not self._busy and not self._why_offline)
        self.test.setToolTip(safe_tip(tr(self._why_offline)))
        self.test.setAccessibleDescription(tr(self._why_offline))
        for button in (self.edit, self.remove):
            button.setEnabled(not self._busy)

    def _lay_out(self) -> None:
        tokens = theme.current()
        head, asking = FlowLayout(spacing=tokens.grid, centred=True), FlowLayout(spacing=tokens.gap, centred=True)
        for widget in (self.name, self.local, self.key, self.plain):
            head.addWidget(widget)
        for control in (self.model, self.test, self.edit, self.remove):
            asking.addWidget(control)
        add_to(
            self.box, head, self.address, self.facts, self.prices, Gap(4), asking, self.result, self.models, spacing=4
        )


class _ModelBox(ComboBox):
    """The model that a test asks: typed, or one of those that the last test found."""

    def __init__(self) -> None:
        super().__init__()
        guard_wheel(self)
        self.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        typed = QLineEdit(placeholderText=tr("model to ask; empty: its first"))
        self.setLineEdit(typed)

    def sizeHint(self) -> QSize:
        return QSize(theme.current().px(MODEL_WIDTH), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


def is_here(endpoint: "Endpoint") -> bool:
    """Return whether all its servers run on this computer."""
    return all(is_loopback(origin(address.base_url)[1]) for address in endpoint.addresses)


def facts(endpoint: "Endpoint") -> str:
    """Return the settings of its requests, in one line."""
    seconds = number(endpoint.deadline_seconds, 0 if endpoint.deadline_seconds >= 1 else 2)
    return " · ".join(
        (
            plural(endpoint.at_once, "1 request at once", "%n requests at once"),
            tr("{n} s for a text").format(n=seconds),
            plural(endpoint.retries, "1 retry", "%n retries"),
        )
    )


def price_words(endpoint: "Endpoint") -> str:
    """Return the prices that were typed in, or that there are none."""
    if not endpoint.prices:
        return tr("No prices: what a run costs is not estimated.")
    template = tr("{model}: {given} in, {written} out")
    parts = [
        template.format(
            model=model,
            given=f"{price.input_per_million:g}",
            written=f"{price.output_per_million:g} {price.currency}",
        )
        for model, price in sorted(endpoint.prices.items())
    ]
    return tr("For a million tokens: {prices}.").format(prices="; ".join(parts))


class EndpointsPage(Sheet):
    """Keys are typed in the editor and never shown again, here or anywhere."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self._where = ""  # where keys are kept here; not known before the first reading
        self._add_wanted = False
        self.cards: dict[str, EndpointCard] = {}
        words = tr(
            "Servers that are spoken to as OpenAI's, Anthropic's or Gemini's: Ollama, vLLM, llama.cpp's server, LM "
            "Studio, and hosted services. Prompts leave this computer unless the server runs on it."
        )
        self.about = Label(words, "soft", wrap=True)
        self.new = QuietButton(tr("Add an endpoint…"), icon="plus", act=self.add)
        self.nothing = EmptyState(
            tr("No endpoint yet"),
            tr("Add one to write with a model that a server has, on this computer or elsewhere."),
            tr("Add an endpoint…"),
            self.add,
            icon="models",
        )
        self.nothing.hide()
        self.trouble = hidden(Notice("", tone="danger", closable=False))
        self._list = in_column(spacing=theme.current().gap)
        row = in_row((self.about, 1), self.new, spacing=theme.current().gap)
        add_to(self.box, row, self.trouble, self.nothing, self._list, STRETCH)
        shell.connections.changed.connect(self._allow)

    def read(self) -> None:
        """Read the endpoints again."""
        self._shell.jobs.start(
            tr("Endpoints"), operations.read_endpoints, on_done=self._show, on_error=self._cannot_read, quiet=True
        )

    def add(self) -> None:
        """Ask for a new endpoint, once the place of its key and the taken names are known."""
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
        names = [listed.endpoint.name for listed in seen.endpoints]
        if names != list(self.cards):
            self._make_cards(seen.endpoints)
        for listed in seen.endpoints:
            self.cards[listed.endpoint.name].show_endpoint(listed)
        self.nothing.setVisible(not names)
        self.new.setVisible(bool(names))
        self._allow()
        if self._add_wanted:
            self.add()

    def _make_cards(self, seen: tuple[EndpointSeen, ...]) -> None:
        for gone in self.cards.keys() - {listed.endpoint.name for listed in seen}:
            card = self.cards.pop(gone)
            card.hide()
            card.deleteLater()
        made = {listed.endpoint.name: self.cards.get(listed.endpoint.name) or self._card(listed) for listed in seen}
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


CATALOGUE, ENDPOINTS = range(2)


class ModelsPanel(Panel):
    """Two pages as tabs; neither belongs to a project."""

    key = "models"
    title = "Models"
    scrolls = True

    def build(self) -> None:
        self.switch = OfflineSwitch(self.shell.connections, tr("Offline switch"))
        self.verify_all = QuietButton(tr("Verify all"), act=lambda: self.catalogue.verify_all())
        self.verify_all.setToolTip(tr("Read every file of the models here and compare its hash with the recorded one."))
        for widget in (self.switch, self.verify_all):
            self.header.add_action(widget)
        self.offline = Notice("", closable=False)
        self.switch_off = self.offline.add_action(tr("Switch off"), lambda: self.shell.connections.switch(False))
        self.tabs, self.pages = QTabBar(drawBase=False, expanding=False), QStackedWidget()
        self.tabs.setAccessibleName(tr("Where models are"))
        for title in (tr("On this computer"), tr("Endpoints")):
            self.tabs.addTab(title)
        self.engine = EngineNotice(self.shell)
        self.body.addLayout(in_column(self.offline, self.engine, margins=(0, 0, SCROLL_BAR, 0)))
        self.body.addWidget(self.tabs)
        self.body.addWidget(self.pages, 1)
        self.tabs.currentChanged.connect(self._show_tab)
        self.shell.connections.changed.connect(self._show_switch)
        self._show_switch()
        self._show_page()

    @cached_property
    def catalogue(self) -> CataloguePage:
        return CataloguePage(self.shell)

    @cached_property
    def endpoints(self) -> EndpointsPage:
        return EndpointsPage(self.shell)

    def showEvent(self, event: QShowEvent) -> None:
        self._stale = True  # another window, or a command, may have got or switched something meanwhile
        super().showEvent(event)

    def refresh(self) -> None:
        self.shell.connections.look()
        self.engine.read()
        self._page().read()

    def opened_with(self, *, role: str = "", page: str = "", **what: object) -> None:
        """Open a role, or the endpoints."""
        self.tabs.setCurrentIndex(ENDPOINTS if page == "endpoints" else CATALOGUE)
        if role:
            self.catalogue.choose(role)

    def commands(self) -> list[Command]:
        on = self.shell.connections.offline

        def free() -> bool:
            return self.shell.connections.by is not None and not self.shell.connections.fixed

        words = tr("Switch the offline switch off") if on else tr("Switch the offline switch on")
        return [
            Command(words, lambda: self.shell.connections.switch(not on), enabled=free),
            Command(tr("Add a model of your own…"), self._add_model, enabled=lambda: self.catalogue.ready),
            Command(tr("Add an endpoint…"), self._add_endpoint),
        ]

    def _add_model(self) -> None:
        self.tabs.setCurrentIndex(CATALOGUE)
        self.catalogue.add()

    def _add_endpoint(self) -> None:
        self.tabs.setCurrentIndex(ENDPOINTS)
        self.endpoints.add()

    def _page(self) -> CataloguePage | EndpointsPage:
        return self.endpoints if self.tabs.currentIndex() == ENDPOINTS else self.catalogue

    def _show_tab(self, _tab: int) -> None:
        self._show_page()
        self.refresh()

    def _show_page(self) -> None:
        page = self._page()
        if self.pages.indexOf(page) < 0:
            self.pages.addWidget(page)
        self.pages.setCurrentWidget(page)
        self.verify_all.setVisible(self.tabs.currentIndex() == CATALOGUE)

    def _show_switch(self) -> None:
        connections = self.shell.connections
        self.offline.text.setText(why_offline(connections))
        self.offline.more.setText(tr("Nothing is got and no endpoint is asked; what is on this computer works on."))
        show_if(self.offline.more, True)
        self.offline.setAccessibleName(tr(f"{self.offline.text.text()} {self.offline.more.text()}"))
        show_if(self.offline, connections.offline)
        self.switch_off.setVisible(not connections.fixed)
