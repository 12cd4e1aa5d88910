"""The person of a twin: chosen by kind, or typed; and the letter under one name of every group."""

import textwrap
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from biasprint.core.letters import NameTwins
from biasprint.core.swap import Person
from biasprint.desktop import theme
from biasprint.desktop.operations.letters import NamesToChoose
from biasprint.desktop.panels.letters.compared import shown
from biasprint.desktop.widgets import Card, FlowLayout, Label, PrimaryButton, plural, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.layout import row_of
from biasprint.desktop.widgets.safe_text import as_given, safe_line, safe_tip
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTable

LONGEST, TIP_WIDTH = 80, 72  # characters
GENDER, ALL_GROUPS, TYPED = "gender", "all", "typed"  # kinds beside the groups' keys
BY_SET = "set:"  # before the key of a set of names


@dataclass(frozen=True)
class Whom:
    """The person that a twin is made for: of the other gender, a name of one or each group, or `person` as typed."""

    kind: str = GENDER
    person: Person | None = None

    @property
    def group(self) -> str:
        """The key of the group that the name belongs to; "" if it belongs to none."""
        return "" if self.kind in (GENDER, TYPED) or self.several else self.kind

    @property
    def several(self) -> bool:
        """True if a name of each group is wanted."""
        return self.kind == ALL_GROUPS or self.kind.startswith(BY_SET)

    @property
    def names(self) -> str:
        """The key of the set of names whose groups are used; "" for those of the program."""
        return self.kind.removeprefix(BY_SET) if self.kind.startswith(BY_SET) else ""


class TwinPersonBar(QWidget):
    """The choice of the person: `wanted` carries it when a kind is chosen, and on the button or Enter."""

    wanted = Signal(object)  # Whom

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self._shown, self._kind = Person(), GENDER
        self.kind = ComboBox()
        self.first, self.last, self.title = QLineEdit(), QLineEdit(), QLineEdit()
        self.pronoun = ComboBox()
        self.make = PrimaryButton(tr("Make this twin"), act=self._ask)
        for key, words in (("he", tr("he")), ("she", tr("she")), ("they", tr("they"))):
            self.pronoun.addItem(words, key)
        for box in (self.kind, self.pronoun):
            guard_wheel(box)
        self.flow = FlowLayout(inside=self, spacing=8, centred=True)
        for caption, field in (
            (tr("Twin"), self.kind),
            (tr("Title"), self.title),
            (tr("First name"), self.first),
            (tr("Family name"), self.last),
            (tr("Pronoun"), self.pronoun),
        ):
            self.flow.addWidget(_captioned(caption, field))
        self.flow.addWidget(self.make)
        self.kind.setAccessibleName(tr("What kind of twin"))
        self.offer(NamesToChoose())
        self.title.setPlaceholderText(tr("same"))
        for line in (self.title, self.first, self.last):
            line.setMaxLength(LONGEST)
            line.textEdited.connect(lambda _: self._enable())
        self.pronoun.activated.connect(lambda _: self._enable())
        self.kind.activated.connect(lambda _: self._choose_kind())
        self._dress()
        self._enable()
        theme.signals.changed.connect(self._dress)

    def offer(self, names: NamesToChoose) -> None:
        """Offer the groups of names, each with its source as a tip, and the sets."""
        with QSignalBlocker(self.kind):
            self.kind.clear()
            self.kind.addItem(tr("of the other gender"), GENDER)
            for group in names.groups:
                self.kind.addItem(tr("name: {label}").format(label=tr(safe_line(group.label))), group.key)
                tip = textwrap.fill(f"{group.source}. {tr(group.claim)}", TIP_WIDTH)
                self.kind.setItemData(self.kind.count() - 1, safe_tip(tip), Qt.ItemDataRole.ToolTipRole)
            if names.groups:
                self.kind.addItem(tr("names of all groups"), ALL_GROUPS)
            for key, title in names.sets.items():
                self.kind.addItem(tr("each group of: {title}").format(title=safe_line(title)), f"{BY_SET}{key}")
            self.kind.addItem(tr("as typed here"), TYPED)
        self._show_kind()

    def show_person(self, person: Person, kind: str = GENDER) -> None:
        """Show the person of the current twin, and how they were chosen."""
        self._shown, self._kind = person, kind
        self._show_kind()
        with QSignalBlocker(self.pronoun):
            self.pronoun.setCurrentIndex(max(0, self.pronoun.findData(person.pronoun)))
        words = (person.title, person.first_name, person.last_name)
        for line, word in zip((self.title, self.first, self.last), words, strict=True):
            line.setText(safe_line(word, to_edit=True))
        self._enable()

    def person(self) -> Person:
        """Return the person in the fields."""
        first, last, title = (" ".join(line.text().split()) for line in (self.first, self.last, self.title))
        return Person(first, last, title, self.pronoun.currentData() or "")

    def forget(self) -> None:
        self.show_person(Person())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and self.make.isEnabled():
            self._ask()
        else:
            super().keyPressEvent(event)

    def _ask(self) -> None:
        self.wanted.emit(Whom(TYPED, self.person()))

    def _choose_kind(self) -> None:
        """Request the twin of a chosen kind at once, unless its name is still to be typed."""
        kind = self.kind.currentData()
        if kind == TYPED:
            self.first.setFocus()
            self.first.selectAll()
        elif kind != self._kind:
            self._kind = kind
            self.wanted.emit(Whom(kind))

    def _show_kind(self) -> None:
        with QSignalBlocker(self.kind):
            self.kind.setCurrentIndex(max(0, self.kind.findData(self._kind)))

    def _enable(self) -> None:
        """Enable the button, unless this twin is shown already."""
        person = self.person()
        self.make.setEnabled(bool(person.full_name) and person != self._shown)

    def _dress(self, _tokens: object = None) -> None:
        tokens = theme.current()
        widths = ((self.kind, 206), (self.title, 84), (self.first, 104), (self.last, 104), (self.pronoun, 76))
        for field, width in widths:
            field.setFixedWidth(tokens.px(width))


def _captioned(caption: str, field: QWidget) -> QWidget:
    label = Label(caption, "note")
    label.setBuddy(field)
    field.setAccessibleName(tr("The twin's {field}").format(field=caption.lower()))
    return row_of(label, field, spacing=6)


class TwinNames(Card):
    """The letter under one name of every group, with the differences; `name_chosen` opens the twin of one."""

    name_chosen = Signal(str)  # the group's key

    def __init__(self) -> None:
        super().__init__(padding=16)
        heading = Label(tr("Under a name of each group"), "heading", wrap=True)
        self.said = Label("", "", wrap=True)
        self.list = TextTable(heading.text(), (TableColumn(heading.text()),), wrap=True, tall=True)
        self.list.horizontalHeader().hide()
        self.list.chosen.connect(self.name_chosen)
        for widget in (heading, self.list, self.said):
            self.box.addWidget(widget)
        self.setAccessibleName(heading.text())
        self.hide()

    def show_names(self, names: NameTwins | None, chosen: str = "") -> None:
        """Show all names with the figures that differ between them; None if there is only one twin."""
        twins = names.twins if names is not None else ()
        self.said.setText("\n\n".join(map(safe_line, names.findings)) if names is not None else "")
        self.list.show_rows(
            [
                TableRow(twin.group, (_name_words(names, place),))
                for place, twin in enumerate(twins)
                if names is not None
            ]
        )
        if chosen:
            with QSignalBlocker(self.list):
                self.list.select(chosen)
        show_if(self, names is not None)


def _name_words(names: NameTwins, place: int) -> str:
    """Return a group, its name, and below them the figures that differ between the names."""
    named = names.twins[place]
    figures = []
    for figure in names.figures:
        value = figure.values[place]
        figures.append(f"{tr(figure.title)} {shown(figure.unit, value) if value is not None else tr('none')}")
    differ = len(named.twin.sentences)
    scores = plural(differ, "1 score differs from the letter's", "%n scores differ from the letter's")
    scores = scores if differ else tr("no score differs from the letter's")
    details = " · ".join([*figures, scores])
    return f"{tr(safe_line(named.label))}: {as_given(named.twin.other.full_name)}\n{safe_line(details)}"
