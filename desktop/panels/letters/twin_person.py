"""Whom the twin is about: a name of the other group is suggested, and a person may choose another."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QWidget

from core.swap import Person
from desktop import theme
from desktop.widgets import FlowLayout, Label, PrimaryButton, tr
from desktop.widgets.safe_text import safe_line
from desktop.widgets.wheel import guard_wheel

LONGEST = 80


class TwinPersonBar(QWidget):
    """`wanted` brings the person that was typed, when the button or Enter is pressed."""

    wanted = Signal(object)  # Person

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self._shown = Person()
        self.first, self.last, self.title = QLineEdit(), QLineEdit(), QLineEdit()
        self.pronoun = QComboBox()
        self.make = PrimaryButton(tr("Make this twin"))
        for key, words in (("he", tr("he")), ("she", tr("she")), ("they", tr("they"))):
            self.pronoun.addItem(words, key)
        guard_wheel(self.pronoun)
        self.flow = FlowLayout(self, spacing=8, centred=True)
        for caption, field in (
            (tr("Title"), self.title),
            (tr("First name"), self.first),
            (tr("Family name"), self.last),
            (tr("Pronoun"), self.pronoun),
        ):
            self.flow.addWidget(_captioned(caption, field))
        self.flow.addWidget(self.make)
        self.title.setPlaceholderText(tr("as before"))
        for line in (self.title, self.first, self.last):
            line.setMaxLength(LONGEST)
            line.textEdited.connect(lambda _: self._enable())
        self.pronoun.activated.connect(lambda _: self._enable())
        self.make.clicked.connect(self._ask)
        self._dress()
        self._enable()
        theme.signals.changed.connect(self._dress)

    def show_person(self, person: Person) -> None:
        """The person that the twin is made for now."""
        self._shown = person
        with QSignalBlocker(self.pronoun):
            self.pronoun.setCurrentIndex(max(0, self.pronoun.findData(person.pronoun)))
        words = (person.title, person.first_name, person.last_name)
        for line, word in zip((self.title, self.first, self.last), words, strict=True):
            line.setText(safe_line(word))
        self._enable()

    def person(self) -> Person:
        """What stands in the fields."""
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
        self.wanted.emit(self.person())

    def _enable(self) -> None:
        """A twin that stands here already need not be made again."""
        person = self.person()
        self.make.setEnabled(bool(person.full_name) and person != self._shown)

    def _dress(self, _tokens: object = None) -> None:
        tokens = theme.current()
        for field, width in ((self.title, 92), (self.first, 120), (self.last, 120), (self.pronoun, 88)):
            field.setFixedWidth(tokens.px(width))


def _captioned(caption: str, field: QWidget) -> QWidget:
    pair = QWidget()
    pair.setProperty("role", "clear")
    row = QHBoxLayout(pair)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(6)
    label = Label(caption, "note")
    label.setBuddy(field)
    field.setAccessibleName(tr("The twin's {field}").format(field=caption.lower()))
    row.addWidget(label)
    row.addWidget(field)
    return pair
