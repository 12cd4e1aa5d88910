"""Whom the letter is about: guessed from its text, set right by hand."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from core.swap import PRONOUNS, Person, Pronoun
from desktop.models.letter_items import NAMING, items_of
from desktop.models.letter_words import naming_said
from desktop.widgets import Card, Label, tr
from desktop.widgets.safe_text import safe_line
from desktop.widgets.wheel import guard_wheel

if TYPE_CHECKING:
    from desktop.operations.letters import Checked


class PersonPage(Card):
    """`person_set` and `occupation_set` bring what a person chose."""

    person_set = Signal(object)
    occupation_set = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(16)
        self._person = Person()
        self._by_hand = False
        self.first, self.last, self.title = QLineEdit(), QLineEdit(), QLineEdit()
        self.pronoun, self.occupation = QComboBox(), QComboBox()
        self.guess = Label("", "note", wrap=True)
        self.reason = Label("", "note", wrap=True)
        self.named = Label("", "", wrap=True)
        self.advice = Label("", "soft", wrap=True)
        for pronoun, words in zip(PRONOUNS, (tr("he"), tr("she"), tr("they"), tr("not known")), strict=True):
            self.pronoun.addItem(words, pronoun)
        self.occupation.setEditable(True)
        self.occupation.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        for field in (self.pronoun, self.occupation):
            guard_wheel(field)
        self.box.addWidget(Label(tr("Whom the letter is about"), "heading"))
        self.box.addWidget(self.guess)
        for caption, field in (
            (tr("First name"), self.first),
            (tr("Family name"), self.last),
            (tr("Title"), self.title),
            (tr("Pronoun"), self.pronoun),
            (tr("Occupation"), self.occupation),
        ):
            self._add(caption, field)
        self.box.addWidget(self.reason)
        self.box.addSpacing(8)
        self.box.addWidget(Label(tr("How the candidate is named"), "heading"))
        self.box.addWidget(self.named)
        self.box.addWidget(self.advice)
        for line in (self.first, self.last, self.title):
            line.editingFinished.connect(self._set_person)
            line.setMaxLength(80)
        self.pronoun.activated.connect(self._set_person)
        line_edit = self.occupation.lineEdit()
        assert line_edit is not None
        line_edit.setMaxLength(80)
        line_edit.editingFinished.connect(self._set_occupation)
        self.occupation.activated.connect(self._set_occupation)
        self.setAccessibleName(tr("Whom the letter is about"))
        self._occupation = ""

    def forget(self) -> None:
        """Nothing of a letter stays in the fields."""
        self._by_hand = False
        self._show(Person(), "")
        for label in (self.named, self.advice, self.reason, self.guess):
            label.clear()

    def show_reading(self, checked: "Checked") -> None:
        reading = checked.reading
        person = reading.person
        occupations = checked.reference.occupations if checked.reference is not None else ()
        if [self.occupation.itemText(place) for place in range(self.occupation.count())] != list(occupations):
            with QSignalBlocker(self.occupation):
                self.occupation.clear()
                self.occupation.addItems(list(occupations))
        if not any(field.hasFocus() for field in (self.first, self.last, self.title, self.occupation)):
            self._show(person, checked.occupation)
        by_hand = checked.request.person is not None
        self.guess.setText(tr("As you set it.") if by_hand else tr("Guessed from the letter. Set right what is wrong."))
        self.reason.setText(safe_line(checked.guess_reason) if checked.guessed else "")
        self.reason.setVisible(bool(self.reason.text()))
        self.named.setText(safe_line(naming_said(reading.naming, person.first_name, person.last_name, person.title)))
        advice = next((item.reason for item in items_of(checked) if item.section == NAMING), "")
        self.advice.setText(safe_line(advice))
        self.advice.setVisible(bool(advice))

    def _show(self, person: Person, occupation: str) -> None:
        self._person, self._occupation = person, occupation
        for line, words in ((self.first, person.first_name), (self.last, person.last_name), (self.title, person.title)):
            with QSignalBlocker(line):
                line.setText(safe_line(words))
        with QSignalBlocker(self.pronoun), QSignalBlocker(self.occupation):
            self.pronoun.setCurrentIndex(self.pronoun.findData(person.pronoun))
            self.occupation.setEditText(safe_line(occupation))

    def _set_person(self) -> None:
        pronoun: Pronoun = self.pronoun.currentData() or ""
        words = (line.text().strip() for line in (self.first, self.last, self.title))
        person = Person(*words, pronoun)
        if person != self._person:
            self._person = person
            self.person_set.emit(person)

    def _set_occupation(self) -> None:
        occupation = self.occupation.currentText().strip()
        if occupation != self._occupation:
            self._occupation = occupation
            self.occupation_set.emit(occupation)

    def _add(self, caption: str, field: QWidget) -> None:
        label = Label(caption, "note")
        label.setBuddy(field)
        field.setAccessibleName(caption)
        self.box.addWidget(label)
        self.box.addWidget(field)
