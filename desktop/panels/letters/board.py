"""A letter and the pages beside it: the findings, its figures among other letters, the CV, the candidate."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QColor, QResizeEvent, QTextCharFormat
from PySide6.QtWidgets import QLineEdit, QTextEdit, QWidget

from biasprint.core.letters import Document, verdict_of
from biasprint.core.letters.kinds import KINDS, said_of_kind
from biasprint.core.swap import PRONOUNS, Person, Pronoun
from biasprint.desktop import theme
from biasprint.desktop.panels.letters.compared import ComparedCard, naming_said
from biasprint.desktop.panels.letters.entries import NAMING, LetterItem, items_of
from biasprint.desktop.panels.letters.found import FoundCard
from biasprint.desktop.panels.letters.start import PasteBox
from biasprint.desktop.panels.letters.view import LetterView
from biasprint.desktop.widgets import Card, ElidedLabel, Label, LinkButton, PlainText, QuietButton, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import label_of
from biasprint.desktop.widgets.layout import (
    STRETCH,
    Beside,
    Gap,
    Sheet,
    add_to,
    clear_column,
    column_of,
    in_row,
    stack_of,
)
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip

if TYPE_CHECKING:
    from biasprint.core.letters import Suggestion
    from biasprint.desktop.operations.letters import Checked


class _ContextPasteBox(PasteBox):
    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), theme.current().px(140))


class ContextPage(Card):
    """The page of the CV; `show_context` with None asks for one."""

    file_wanted = Signal()
    pasted = Signal(str)
    removed = Signal()

    def __init__(self) -> None:
        super().__init__(padding=16)
        self._passage: tuple[int, int] | None = None
        self.choose = QuietButton(tr("Choose a file…"), act=self.file_wanted)
        self.paste = _ContextPasteBox(tr("… or paste the CV here"), tr("Paste the CV"))
        self.use = QuietButton(tr("Use this text"), act=lambda: self.pasted.emit(self.paste.toPlainText()))
        self.name = ElidedLabel("", "heading")
        self.remove = LinkButton(tr("Remove"), act=self.removed)
        self.hint = Label("", "note", wrap=True)
        self.text = PlainText(name=tr("The CV"))
        self.paste.taken.connect(self.pasted)
        self.paste.textChanged.connect(self._enable)
        self.pages = stack_of(self._asking(), self._showing())
        self.box.addWidget(self.pages, 1)
        self._enable()
        self.setAccessibleName(tr("The CV"))
        theme.signals.changed.connect(self._dress)

    def show_context(self, document: Document | None) -> None:
        self.paste.forget()
        self._passage = None
        self.text.setExtraSelections([])
        self.name.set_text(document.name if document is not None else "")
        self.text.set_text(document.text if document is not None else "")
        self.pages.setCurrentIndex(0 if document is None else 1)
        self.show_passage(None)

    def show_passage(self, passage: tuple[int, int] | None) -> None:
        """Tint the passage that belongs to the chosen sentence, and scroll to it."""
        self._passage = passage if passage is not None and passage[0] < passage[1] else None
        hint = tr("Choose a sentence of the letter to see the passage that is nearest to it.")
        self.hint.setText(tr("Tinted: the passage nearest to the chosen sentence.") if self._passage else hint)
        self._dress()
        if self._passage is not None:
            cursor = self.text.cursor_for(*self._passage)
            cursor.setPosition(cursor.selectionStart())
            self.text.setTextCursor(cursor)
            self.text.ensureCursorVisible()

    def _dress(self, _tokens: object = None) -> None:
        if self._passage is None:
            self.text.setExtraSelections([])
            return
        mark = QTextEdit.ExtraSelection()
        mark.cursor = self.text.cursor_for(*self._passage)
        look = QTextCharFormat()
        look.setBackground(QColor(theme.current().accent_soft))
        look.setFontUnderline(True)
        look.setUnderlineColor(QColor(theme.current().accent))
        mark.format = look
        self.text.setExtraSelections([mark])

    def _enable(self) -> None:
        self.use.setEnabled(bool(self.paste.toPlainText().strip()))

    def _asking(self) -> QWidget:
        explanation = tr(
            "With the CV, biography or application beside it, every claim of the letter is looked up there."
        )
        page, box = clear_column(Label(tr("Add the CV"), "heading"), Label(explanation, "soft", wrap=True), spacing=8)
        add_to(
            box, (self.choose, Qt.AlignmentFlag.AlignLeft), self.paste, (self.use, Qt.AlignmentFlag.AlignLeft), STRETCH
        )
        return page

    def _showing(self) -> QWidget:
        return column_of(in_row((self.name, 1), self.remove), self.hint, (self.text, 1), spacing=8)


class PersonPage(Card):
    """The page of the candidate and of the kind of document. Its signals carry what a person chose.

    `kind_set`: a `DocumentKind`, None for a guess.
    """

    person_set = Signal(object)
    occupation_set = Signal(str)
    kind_set = Signal(object)

    def __init__(self) -> None:
        super().__init__(padding=16)
        self._person = Person()
        self._by_hand = False
        self.first, self.last, self.title = QLineEdit(), QLineEdit(), QLineEdit()
        self.pronoun, self.occupation = ComboBox(), ComboBox()
        self.guess = Label("", "note", wrap=True)
        self.reason = Label("", "note", wrap=True)
        self.named = Label("", "", wrap=True)
        self.advice = Label("", "soft", wrap=True)
        for pronoun, words in zip(PRONOUNS, (tr("he"), tr("she"), tr("they"), tr("not known")), strict=True):
            self.pronoun.addItem(words, pronoun)
        self.occupation.setEditable(True)
        self.occupation.setInsertPolicy(ComboBox.InsertPolicy.NoInsert)
        for field in (self.pronoun, self.occupation):
            guard_wheel(field)
        self.kind = ComboBox()
        guard_wheel(self.kind)
        self.kind.addItem("", "")
        for key, words in KINDS.items():
            self.kind.addItem(tr(words.title), key)
        self.kind.activated.connect(lambda: self.kind_set.emit(self.kind.currentData() or None))
        self._add(tr("Read as"), self.kind)
        self.box.addSpacing(8)
        first_of_person = self.box.count()
        add_to(self.box, Label(tr("Whom the letter is about"), "heading"), self.guess)
        for caption, field in (
            (tr("First name"), self.first),
            (tr("Family name"), self.last),
            (tr("Title"), self.title),
            (tr("Pronoun"), self.pronoun),
            (tr("Occupation"), self.occupation),
        ):
            self._add(caption, field)
        add_to(
            self.box, self.reason, Gap(8), Label(tr("How the candidate is named"), "heading"), self.named, self.advice
        )
        every = (self.box.itemAt(place) for place in range(first_of_person, self.box.count()))
        self._of_person = [item.widget() for item in every if item is not None and item.widget() is not None]
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
        """Clear the fields."""
        self._by_hand = False
        self._show(Person(), "")
        for label in (self.named, self.advice, self.reason, self.guess):
            label.clear()

    def show_reading(self, checked: "Checked") -> None:
        reading = checked.reading
        person = reading.person
        self._show_kind(checked)
        occupations = checked.reference.occupations if checked.reference is not None else ()
        if [self.occupation.itemText(place) for place in range(self.occupation.count())] != list(occupations):
            with QSignalBlocker(self.occupation):
                self.occupation.clear()
                self.occupation.addItems(list(occupations))
        if not any(field.hasFocus() for field in (self.first, self.last, self.title, self.occupation)):
            self._show(person, checked.occupation)
        by_hand = checked.request.given.person is not None
        source = tr("Guessed from the letter. Set right what is wrong.")
        if not person.full_name:
            source = tr("No name was found in the letter. Set it here: until then a twin keeps every name.")
        self.guess.setText(tr("As you set it.") if by_hand else source)
        self.reason.setText(safe_line(checked.guess_reason) if checked.guessed else "")
        of_person = KINDS[reading.read_as.kind].of_person
        self.reason.setVisible(of_person and bool(self.reason.text()))
        self.named.setText(safe_line(naming_said(reading.naming, person.first_name, person.last_name, person.title)))
        advice = next((item.reason for item in items_of(checked) if item.section == NAMING), "")
        self.advice.setText(safe_line(advice))
        self.advice.setVisible(of_person and bool(advice))

    def _show_kind(self, checked: "Checked") -> None:
        read_as, chosen = checked.reading.read_as, checked.request.given.kind
        guess = tr("{kind} (guessed)").format(kind=tr(KINDS[read_as.kind].title))
        with QSignalBlocker(self.kind):
            self.kind.setItemText(0, tr("As it is guessed") if chosen else guess)
            self.kind.setCurrentIndex(self.kind.findData(chosen or ""))
        self.kind.setToolTip(safe_tip(tr(said_of_kind(read_as))))
        for widget in self._of_person:
            widget.setVisible(KINDS[read_as.kind].of_person)

    def _show(self, person: Person, occupation: str) -> None:
        self._person, self._occupation = person, occupation
        for line, words in ((self.first, person.first_name), (self.last, person.last_name), (self.title, person.title)):
            with QSignalBlocker(line):
                line.setText(safe_line(words, to_edit=True))
        with QSignalBlocker(self.pronoun), QSignalBlocker(self.occupation):
            self.pronoun.setCurrentIndex(self.pronoun.findData(person.pronoun))
            self.occupation.setEditText(safe_line(occupation, to_edit=True))

    def _set_person(self) -> None:
        pronoun: Pronoun = self.pronoun.currentData() or ""
        first, last, title = (line.text().strip() for line in (self.first, self.last, self.title))
        person = Person(first, last, title, pronoun)
        if person != self._person:
            self._person = person
            self.person_set.emit(person)

    def _set_occupation(self) -> None:
        occupation = self.occupation.currentText().strip()
        if occupation != self._occupation:
            self._occupation = occupation
            self.occupation_set.emit(occupation)

    def _add(self, caption: str, field: QWidget) -> None:
        add_to(self.box, label_of(field, caption, "note"), field)


SIDE_WIDTH = 352
LOW = 640  # text pixels of height, with less of which the letter's note is low
FOUND, CV, PERSON = range(3)


class LetterBoard(Beside):
    """The view of a letter. It only shows; the panel decides."""

    BESIDE_FROM: ClassVar[int] = 820  # text pixels

    def __init__(self) -> None:
        sheet = Sheet()
        super().__init__(sheet, title=tr("The letter"), name=tr("Beside the letter"), side_width=SIDE_WIDTH)
        self._letter_sheet, self.letter = sheet, LetterView()
        self.compared, self.found = ComparedCard(), FoundCard()
        self.context, self.person = ContextPage(), PersonPage()
        self._lay_out()
        self.narrow_changed.connect(self._place_verdict)
        theme.follow(self._dress)

    def _place_verdict(self, narrow: bool) -> None:
        """Show the verdict above the list, or in a narrow window above the letter, which is what is seen first."""
        (self._letter_sheet.box if narrow else self.found.box).insertWidget(0, self.found.said)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.letter.note.set_low(self.height() < theme.current().px(LOW))

    # a letter

    def open_letter(self, document: Document, context: Document | None) -> None:
        self._show_unread(document.text, context, tr("The letter is being read…"))
        self.tabs.setCurrentIndex(0)

    def forget(self) -> None:
        """Clear the letter from every widget."""
        self._show_unread("", None, "")
        self.person.forget()

    def _show_unread(self, text: str, context: Document | None, why: str) -> None:
        self.letter.open_text(text)
        self.context.show_context(context)
        self.compared.show_reading(None)
        self.found.model.clear()
        self.found.show_items((), 0, why)
        self.found.show_verdict(None)

    def show_reading(self, checked: "Checked", items: Sequence[LetterItem], dismissed: Collection[str]) -> None:
        self.letter.show_reading(checked, items)
        self.compared.show_reading(checked)
        self._show_found(checked, items, dismissed)
        self.person.show_reading(checked)

    def show_dismissals(self, checked: "Checked", items: Sequence[LetterItem], dismissed: Collection[str]) -> None:
        self.letter.show_dismissals(items, checked)
        self._show_found(checked, items, dismissed)

    def _show_found(self, checked: "Checked", items: Sequence[LetterItem], dismissed: Collection[str]) -> None:
        count = len(dismissed)
        self.found.show_items(items, count, _nothing(checked, items, count), so_far=checked.first)
        kind = KINDS[checked.reading.read_as.kind]
        self.found.show_verdict(verdict_of(checked.reading, dismissed), of_letter=kind.compared)

    def show_chosen(
        self, item: LetterItem | None, checked: "Checked | None", *, follow: bool, current: bool, again: bool = False
    ) -> None:
        """Show the chosen entry in the text, under it and in the list, and its passage in the CV.

        `again`: it was chosen before, and the letter was read once more: nothing scrolls.
        """
        self.letter.note.show_item(item, _offers(item, checked) if current else ())
        if item is not None and item.sentence is not None and not again:
            self.letter.unhide(item.kind)
            self._letter_sheet.ensureWidgetVisible(self.letter.note, 0, 0)
        self.letter.text.emphasise(*self._spans_of(item, current=current), follow=follow)
        self.found.choose(item.key if item is not None else "", follow=not again)
        self.context.show_passage(self._passage_of(item, checked))

    def _spans_of(self, item: LetterItem | None, *, current: bool) -> tuple[tuple[int, int], ...]:
        """Return the current spans of an entry's words, or the sentences of an entry on the whole letter."""
        if item is None:
            return ()
        if item.sentence is None:
            return item.places if current else ()
        return tuple((mark.start, mark.end) for mark in self.letter.text.marks() if mark.key == item.key)[:1]

    def _passage_of(self, item: LetterItem | None, checked: "Checked | None") -> tuple[int, int] | None:
        """Return the passage of an entry; for a mark, the one that supports its sentence."""
        if item is None or checked is None:
            return None
        if item.passage:
            return item.passage_start, item.passage_end
        own = next((support for support in checked.reading.support if support.sentence == item.sentence), None)
        return (own.start, own.end) if own is not None and own.passage else None

    def show_passage(self, start: int, end: int) -> None:
        """Go to a passage of the CV."""
        self.tabs.setCurrentIndex(CV + self._narrow)
        self.context.show_passage((start, end))

    def show_letter(self) -> None:
        if self._narrow:
            self.tabs.setCurrentIndex(0)

    def _lay_out(self) -> None:
        sheet = Sheet((self.found, 1), self.compared, margins=0)
        person = Sheet(self.person, STRETCH, margins=0)
        self.add_page(tr("To look at"), sheet)
        self.add_page(tr("CV"), self.context)
        self.add_page(tr("Candidate"), person)
        add_to(self._letter_sheet.box, (self.letter, 1), margins=0)


def _offers(item: LetterItem | None, checked: "Checked | None") -> "tuple[Suggestion, ...]":
    """Return the suggestions for the words of an entry."""
    if item is None or item.sentence is None or checked is None:
        return ()
    return tuple(offer for offer in checked.offers.get(item.sentence, ()) if offer.mark_key == item.key)


def _nothing(checked: "Checked", items: Sequence[LetterItem], dismissed: int) -> str:
    """Return the words shown in place of an empty list."""
    if checked.reading.stopped:
        return checked.reading.stopped
    if any(item.listed for item in items):
        return ""
    if checked.first:
        return tr("Nothing so far. What the scorers find follows.")
    if dismissed:
        return tr("Nothing else is left to look at.")
    balance = checked.reading.balance
    even = balance is not None and balance.leaning == "balanced"
    result = tr("Nothing stands out.") if even else tr("No place is marked to look at.")
    if not checked.reading.context_name:
        return f"{result} {tr('Add the CV to see which claims it does not mention.')}"
    return f"{result} {tr('No claim is missing from the CV.')}"
