"""A letter beside its twin: both texts, the list of changes, what differs in the scores, and what that says."""

from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from desktop import theme
from desktop.models.letter_twin_rows import ScoreLine, TwinPlace, person_said, places_of, places_said
from desktop.models.rater_rows import Row
from desktop.panels.letters_twin_scores import TwinFigures, TwinFindings, TwinSentences, in_sheet, one_column
from desktop.panels.letters_twin_texts import TwinTexts
from desktop.widgets import Card, Label, number, tr
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.documents.twin_values import TwinDifference

SIDE_WIDTH = 320


class TwinView(QWidget):
    """`show_difference` takes a letter and its twin. Of the program around it, it knows nothing."""

    place_chosen = Signal(str)  # the key of a change
    narrow_changed = Signal(bool)
    BESIDE_FROM: ClassVar[int] = 860  # text pixels

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.difference: TwinDifference | None = None
        self.places: tuple[TwinPlace, ...] = ()
        self.texts, self.findings = TwinTexts(), TwinFindings()
        self.figures, self.sentences = TwinFigures(), TwinSentences()
        self.changes = one_column(tr("Changes"))
        self.changes_said = Label("", "note", wrap=True)
        self.tabs, self.side = QTabBar(), QStackedWidget()
        self._narrow = False
        self._lay_out()
        self._dress()
        self.texts.change_chosen.connect(self._choose_in_list)
        self.changes.chosen.connect(self.texts.choose)
        self.changes.chosen.connect(self.place_chosen)
        self.changes.opened.connect(self._go_to_text)
        self.sentences.sentence_chosen.connect(self._show_sentence)
        self.tabs.currentChanged.connect(self._show_tab)
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
        self.changes.show_rows([Row(one.key, (f"{one.said}\n{one.why}",)) for one in self.places])
        self.changes_said.setText(_said(difference, self.places))
        self.findings.show_difference(difference)
        self.figures.show_difference(difference)
        self.sentences.show_difference(difference)
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

    # the room

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.set_narrow(self.width() < theme.current().px(self.BESIDE_FROM))

    def set_narrow(self, narrow: bool) -> None:
        """Without room beside the texts, they are a page among the others."""
        if narrow == self._narrow:
            return
        page = self.side.currentIndex()
        self._narrow = narrow
        if narrow:
            self.tabs.insertTab(0, tr("Texts"))
            self._column.insertWidget(0, self.tabs)
            self.tabs.setCurrentIndex(0)
        else:
            self.tabs.removeTab(0)
            self._beside.insertWidget(0, self.tabs)
            self.tabs.setCurrentIndex(page)
        self._dress()
        self._show_tab(self.tabs.currentIndex())
        self.narrow_changed.emit(narrow)

    def _name_tabs(self) -> None:
        """With how many there are of each."""
        count = len(self.difference.sentences) if self.difference is not None else 0
        for page, (words, many) in enumerate(((tr("Changes"), len(self.places)), (tr("Sentences"), count)), 1):
            self.tabs.setTabText(page + self._narrow, f"{words} {number(many)}" if many else words)

    def _show_tab(self, tab: int) -> None:
        on_texts = self._narrow and tab == 0
        self.texts.setVisible(on_texts or not self._narrow)
        self._side_box.setVisible(not on_texts)
        if not on_texts and tab >= 0:
            self.side.setCurrentIndex(tab - self._narrow)

    def _lay_out(self) -> None:
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(tr("Beside the texts"))
        for words in (tr("Findings"), tr("Changes"), tr("Sentences")):
            self.tabs.addTab(words)
        changes = Card()
        changes.set_padding(16)
        changes.box.addWidget(self.changes_said)
        changes.box.addWidget(self.changes, 1)
        for page in (in_sheet(self.findings, self.figures), changes, self.sentences):
            self.side.addWidget(page)
        self._side_box = QWidget()
        self._side_box.setProperty("role", "clear")
        self._beside = QVBoxLayout(self._side_box)
        self._beside.setContentsMargins(0, 0, 0, 0)
        self._beside.setSpacing(8)
        self._beside.addWidget(self.tabs)
        self._beside.addWidget(self.side, 1)
        row = QHBoxLayout()
        row.setSpacing(theme.current().gap)
        row.addWidget(self.texts, 1)
        row.addWidget(self._side_box)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addLayout(row, 1)

    def _dress(self, _tokens: object = None) -> None:
        width, wide = theme.current().px(SIDE_WIDTH), 16_777_215
        self._side_box.setMinimumWidth(0 if self._narrow else width)
        self._side_box.setMaximumWidth(wide if self._narrow else width)
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
