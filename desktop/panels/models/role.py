"""One role: what it is for, what fills it now and why, and its models."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop import theme
from desktop.operations.models import RoleSeen
from desktop.panels.models.row import ModelRow
from desktop.widgets import Card, Chip, FlowLayout, Label, LinkButton, QuietButton, StandInBadge, hairline, tr
from desktop.widgets.labels import show_if
from desktop.widgets.safe_text import safe_line
from desktop.widgets.sheet import Sheet


class InUseCard(Card):
    """`preferred` asks for something to fill the role: a scorer's name, or None for the program's own choice."""

    preferred = Signal(object)  # str | None
    generate_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self._stand_in = ""  # the scorer that stands in for the role shown
        self.caption = Label(tr("In use now"), "note")
        self.name = Label("", "heading")
        self.badge, self.own = StandInBadge(tr("stand-in")), Chip(tr("the paper's own"), "ok")
        self.because = Label("", "soft", wrap=True)
        self.stand_in = LinkButton(tr("Use the stand-in"))
        self.automatic = LinkButton(tr("Leave the choice to the program"))
        self.generate = LinkButton(tr("Go to Generate"))
        self.stand_in.clicked.connect(lambda: self.preferred.emit(self._stand_in))
        self.automatic.clicked.connect(lambda: self.preferred.emit(None))
        self.generate.clicked.connect(self.generate_wanted)
        tokens = theme.current()
        head, ways = FlowLayout(spacing=tokens.grid, centred=True), FlowLayout(spacing=tokens.gap, centred=True)
        for widget in (self.name, self.badge, self.own):
            head.addWidget(widget)
        for button in (self.stand_in, self.automatic, self.generate):
            ways.addWidget(button)
        self.box.setSpacing(4)
        self.box.addWidget(self.caption)
        self.box.addLayout(head)
        self.box.addWidget(self.because)
        self.box.addLayout(ways)

    def show_role(self, seen: RoleSeen, *, has_project: bool) -> None:
        choice, self._stand_in = seen.choice, seen.role.stand_in
        writers = choice is None
        show_if(self.caption, not writers)
        show_if(self.badge, choice is not None and choice.stand_in)
        show_if(self.own, choice is not None and not choice.stand_in)
        show_if(self.generate, writers and has_project)
        show_if(self.automatic, bool(seen.preferred))
        others = choice is not None and choice.scorer != seen.role.stand_in and bool(seen.role.stand_in)
        show_if(self.stand_in, others)
        if choice is None:
            self.name.setText(tr("Chosen for each run"))
            self.because.setText(tr("Which of them writes is chosen in Generate. Endpoints have a page of their own."))
            return
        model = seen.in_use
        self.name.setText(safe_line(f"{choice.scorer} · {model.title}" if model is not None else choice.scorer))
        said = [choice.because]
        if choice.stand_in:
            said.append(tr("A stand-in says so wherever its number appears."))
        self.because.setText(safe_line(" ".join(said)))


class RoleView(Sheet):
    """`asked` carries what is wanted and of which model; `preferred` and `generate_wanted` as the card's."""

    asked = Signal(str, object)
    preferred = Signal(object)
    generate_wanted = Signal()
    add_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        tokens = theme.current()
        self.rows: dict[str, ModelRow] = {}
        self.key = ""
        self.title, self.about = Label("", "title", wrap=True), Label("", "soft", wrap=True)
        self.in_use = InUseCard()
        self.in_use.preferred.connect(self.preferred)
        self.in_use.generate_wanted.connect(self.generate_wanted)
        self.models = Card()
        self.models.set_padding(20, 12)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        self.no_models = Label("", "soft", wrap=True)
        self.add = QuietButton(tr("Add a model of your own…"), icon="plus")
        self.add.clicked.connect(self.add_wanted)
        foot = FlowLayout(spacing=tokens.gap, centred=True)
        foot.addWidget(self.add)
        self.models.box.addLayout(self._list)
        self.models.box.addWidget(self.no_models)
        self.models.box.addLayout(foot)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.about)
        self.box.addLayout(words)
        for card in (self.in_use, self.models):
            self.box.addWidget(card)
        self.box.addStretch(1)

    def show_role(self, seen: RoleSeen, *, renewable: frozenset[str], has_project: bool) -> None:
        """Show a role; the rows that are there stay, so that the keyboard stays where it is."""
        self.title.setText(safe_line(seen.role.title))
        self.about.setText(safe_line(seen.role.description))
        self.in_use.show_role(seen, has_project=has_project)
        names = [row.name for row in seen.rows]
        if self.key != seen.role.key or names != list(self.rows):
            self._make_rows(seen)
            self.key = seen.role.key
        for row in seen.rows:
            self.rows[row.name].show_row(row, seen, renewable=row.name in renewable)
        show_if(self.no_models, not seen.rows)
        self.no_models.setText(_no_models(seen))
        show_if(self.add, seen.role.takes_models)

    def _make_rows(self, seen: RoleSeen) -> None:
        self.rows = {}
        while (item := self._list.takeAt(0)) is not None:
            widget = item.widget()
            if isinstance(widget, QWidget):
                widget.hide()
                widget.deleteLater()
        for number, row in enumerate(seen.rows):
            if number:
                self._list.addWidget(hairline())
            self.rows[row.name] = made = ModelRow(row)
            made.asked.connect(self.asked)
            self._list.addWidget(made)
        self.verticalScrollBar().setValue(0)


def _no_models(seen: RoleSeen) -> str:
    """Why a role has no models, or what to do about it."""
    if not seen.role.takes_models:
        return tr("Its scorers come as Python packages: no model is got or added here.")
    return tr("There is none in the catalogue. Add one that you have.")
