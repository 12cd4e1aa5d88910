"""A letter and its twin side by side; beside the two texts what differs."""

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtGui import (
    QGuiApplication,
    QResizeEvent,
)

from biasprint.desktop import theme
from biasprint.desktop.panels.letters.twin_asked import AskedLine, TwinAsked
from biasprint.desktop.panels.letters.twin_parts import (
    ScoreLine,
    TwinFigures,
    TwinFindings,
    TwinPlace,
    TwinSentences,
    in_sheet,
    one_column,
    person_said,
    places_of,
    places_said,
)
from biasprint.desktop.panels.letters.twin_texts import TwinTexts
from biasprint.desktop.panels.letters.twin_whom import TwinNames
from biasprint.desktop.tables.rows import TableRow
from biasprint.desktop.widgets import Card, Label, number, tr
from biasprint.desktop.widgets.layout import Beside
from biasprint.desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from biasprint.core.letters.values import TwinDifference

SIDE_WIDTH = 344
ASKED = 1  # the page of the sentences to ask about


class TwinView(Beside):
    """`show_difference` takes a letter and its twin. Of the program around it, it knows nothing."""

    place_chosen = Signal(str)  # the key of a change
    letter_wanted = Signal(object)  # AskedLine
    BESIDE_FROM: ClassVar[int] = 860  # text pixels

    def __init__(self) -> None:
        texts = TwinTexts()
        super().__init__(texts, title=tr("Texts"), name=tr("Beside the texts"), side_width=SIDE_WIDTH)
        self.difference: TwinDifference | None = None
        self.places: tuple[TwinPlace, ...] = ()
        self.texts, self.findings = texts, TwinFindings()
        self.figures, self.sentences, self.asked = TwinFigures(), TwinSentences(), TwinAsked()
        self.names = TwinNames()
        self.changes = one_column(tr("Changes"))
        self.changes_said = Label("", "note", wrap=True)
        self._lay_out()
        self._dress()
        self.texts.change_chosen.connect(self._choose_in_list)
        self.changes.chosen.connect(self.texts.choose)
        self.changes.chosen.connect(self.place_chosen)
        self.changes.opened.connect(self._go_to_text)
        self.sentences.sentence_chosen.connect(self._show_sentence)
        self.findings.asked_wanted.connect(self.show_asked)
        self.asked.sentence_chosen.connect(self._show_asked_sentence)
        self.asked.list.clicked.connect(lambda _: self.tabs.setCurrentIndex(0) if self._narrow else None)
        self.asked.letter_wanted.connect(self.letter_wanted)
        theme.signals.changed.connect(self._dress)

    def show_difference(self, difference: "TwinDifference") -> None:
        """Show a letter and its twin, whoever made that."""
        self.difference, self.places = difference, places_of(difference)
        letter, twin = difference.reading.document.text, difference.twin_reading.document.text
        heads = (person_said(difference.person), person_said(difference.other))
        if difference.made_by:
            written = tr("{who}, written anew")
            heads = (written.format(who=heads[0]), written.format(who=heads[1]))
        self.texts.show_texts(heads, (letter, twin), self.places)
        self.changes.show_rows([TableRow(one.key, (f"{one.said}\n{one.why}",)) for one in self.places])
        self.changes_said.setText(_said(difference, self.places))
        self.findings.show_difference(difference)
        self.figures.show_difference(difference)
        self.sentences.show_difference(difference)
        self.asked.show_difference(difference)
        self._name_tabs()

    def forget(self) -> None:
        """Nothing of a letter stays in a widget."""
        self.difference, self.places = None, ()
        self.texts.forget()
        self.changes.show_rows([])
        self.changes_said.clear()
        self.findings.show_difference(None)
        self.figures.show_difference(None)
        self.sentences.show_difference(None)
        self.asked.show_difference(None)
        self.names.show_names(None)
        self._name_tabs()

    def copy_twin(self) -> bool:
        """Put the twin's text into the clipboard; False without one."""
        if self.difference is None:
            return False
        QGuiApplication.clipboard().setText(self.difference.twin_reading.document.text)
        return True

    # choosing

    def _choose_in_list(self, key: str) -> None:
        self.changes.select(key)
        self.place_chosen.emit(key)

    def _go_to_text(self, key: str) -> None:
        """Enter in the list: the keyboard goes to the words."""
        if self._narrow:
            self.tabs.setCurrentIndex(0)
        place = next(one for one in self.places if one.key == key)
        self.texts.right.setTextCursor(self.texts.right.cursor_for(place.twin_start, place.twin_start))
        self.texts.right.setFocus()
        self.texts.choose(key)

    def _show_sentence(self, line: ScoreLine) -> None:
        said = tr("{title}: letter {letter}, twin {twin} ({difference})").format(
            title=line.title, letter=line.letter, twin=line.twin, difference=line.difference
        )
        self.texts.choose_sentence(line.place, line.twin_place, said)

    def show_asked(self) -> None:
        """The list of sentences to ask about, and the first of them in both texts."""
        self.tabs.setCurrentIndex(ASKED + self._narrow)
        self.asked.choose_one()

    def _show_asked_sentence(self, line: AskedLine) -> None:
        self.texts.choose_sentence(line.place, line.twin_place, line.why)

    # the room

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.set_narrow(self.width() < theme.current().px(self.BESIDE_FROM))

    def _name_tabs(self) -> None:
        """With how many there are of each."""
        count = len(self.difference.sentences) if self.difference is not None else 0
        asked = len(self.difference.asked) if self.difference is not None else 0
        named = ((tr("To ask"), asked), (tr("Changes"), len(self.places)), (tr("Scores"), count))
        for page, (words, many) in enumerate(named, ASKED):
            self.tabs.setTabText(page + self._narrow, f"{words} {number(many)}" if many else words)

    def _lay_out(self) -> None:
        changes = Card()
        changes.set_padding(16)
        changes.box.addWidget(self.changes_said)
        changes.box.addWidget(self.changes, 1)
        self.add_page(tr("Findings"), in_sheet(self.names, self.findings, self.figures))
        self.add_page(tr("To ask"), self.asked)
        self.add_page(tr("Changes"), changes)
        self.add_page(tr("Scores"), self.sentences)

    def _dress(self, tokens: object = None) -> None:
        super()._dress(tokens)
        if self.width():
            self.set_narrow(self.width() < theme.current().px(self.BESIDE_FROM))


def _said(difference: "TwinDifference", places: tuple[TwinPlace, ...]) -> str:
    if difference.made_by:
        return safe_line(tr("Two letters by {author}: no sentence of one is a sentence of the other.")).format(
            author=safe_line(difference.made_by)
        )
    if not places:
        return tr("Nothing changed: the letter has no name, pronoun or word that tells the gender.")
    return places_said(places)
