"""A letter and, beside it, what was found, the CV and whom it is about; in a narrow window, one of them at a time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from core.documents.values import Document
from desktop import theme
from desktop.models.letter_items import LetterItem
from desktop.panels.home_sheet import Sheet
from desktop.panels.letters_compared import ComparedCard
from desktop.panels.letters_context import ContextPage
from desktop.panels.letters_found import FoundCard
from desktop.panels.letters_person import PersonPage
from desktop.panels.letters_view import LetterView
from desktop.widgets import tr

if TYPE_CHECKING:
    from desktop.operations.letters import Checked, Offer

SIDE_WIDTH = 352
FOUND, CV, PERSON = range(3)


class LetterBoard(QWidget):
    """Shows; the panel decides."""

    BESIDE_FROM: ClassVar[int] = 820  # text pixels

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.letter = LetterView()
        self._letter_sheet = Sheet()
        self.compared, self.found = ComparedCard(), FoundCard()
        self.context, self.person = ContextPage(), PersonPage()
        self.tabs = QTabBar()
        self.side = QStackedWidget()
        self._narrow = False
        self._lay_out()
        self._dress()
        theme.signals.changed.connect(self._dress)

    # a letter

    def open_letter(self, document: Document, context: Document | None) -> None:
        self.letter.open_text(document.text)
        self.context.show_context(context)
        self.compared.show_reading(None)
        self.found.model.start_anew()
        self.found.show_items((), 0, tr("The letter is being read…"))
        self.tabs.setCurrentIndex(0)

    def forget(self) -> None:
        """Nothing of a letter stays in a widget."""
        self.letter.open_text("")
        self.context.show_context(None)
        self.compared.show_reading(None)
        self.found.model.start_anew()
        self.found.show_items((), 0)
        self.person.forget()

    def show_reading(self, checked: "Checked", items: Sequence[LetterItem], dismissed: int) -> None:
        self.letter.show_reading(checked, items)
        self.compared.show_reading(checked)
        self.found.show_items(items, dismissed, _nothing(checked, items, dismissed))
        self.person.show_reading(checked)

    def show_dismissals(self, checked: "Checked", items: Sequence[LetterItem], dismissed: int) -> None:
        self.letter.show_dismissals(items, checked.abouts)
        self.found.show_items(items, dismissed, _nothing(checked, items, dismissed))

    def show_chosen(self, item: LetterItem | None, checked: "Checked | None", *, follow: bool, current: bool) -> None:
        """The chosen entry everywhere: in the text, under it, in the list, and its passage in the CV."""
        offers: tuple[Offer, ...] = ()
        if item is not None and item.sentence is not None and checked is not None and current:
            offers = tuple(one for one in checked.offers.get(item.sentence, ()) if one.mark_key == item.key)
        self.letter.note.show_item(item, offers)
        span = None
        if item is not None and item.sentence is not None:
            self.letter.unhide(item.kind)
            now = next((mark for mark in self.letter.text.marks() if mark.key == item.key), None)
            span = (now.start, now.end) if now is not None else None
            self._letter_sheet.ensureWidgetVisible(self.letter.note, 0, 0)
        self.letter.text.emphasise(span, follow=follow)
        self.found.choose(item.key if item is not None else "")
        passage = (item.passage_start, item.passage_end) if item is not None and item.passage else None
        self.context.show_passage(self._passage_of(item, checked) if passage is None else passage)

    def _passage_of(self, item: LetterItem | None, checked: "Checked | None") -> tuple[int, int] | None:
        """The passage that supports the sentence of a mark."""
        if item is None or checked is None:
            return None
        own = next((one for one in checked.reading.support if one.sentence == item.sentence), None)
        return (own.start, own.end) if own is not None and own.passage else None

    def show_passage(self, start: int, end: int) -> None:
        """Go to the CV, where a passage stands."""
        self.tabs.setCurrentIndex(CV + self._narrow)
        self.context.show_passage((start, end))

    def show_letter(self) -> None:
        if self._narrow:
            self.tabs.setCurrentIndex(0)

    # the room

    def set_narrow(self, narrow: bool) -> None:
        if narrow == self._narrow:
            return
        page = self.side.currentIndex()
        self._narrow = narrow
        if narrow:
            self.tabs.insertTab(0, tr("The letter"))
            self._column.insertWidget(0, self.tabs)
            self.tabs.setCurrentIndex(0)
        else:
            self.tabs.removeTab(0)
            self._beside.insertWidget(0, self.tabs)
            self.tabs.setCurrentIndex(page)
        self.letter.note.set_low(narrow)
        self._dress()
        self._show_tab(self.tabs.currentIndex())

    def _show_tab(self, tab: int) -> None:
        on_letter = self._narrow and tab == 0
        self._letter_sheet.setVisible(on_letter or not self._narrow)
        self._side_box.setVisible(not on_letter)
        if not on_letter and tab >= 0:
            self.side.setCurrentIndex(tab - self._narrow)

    def _lay_out(self) -> None:
        tokens = theme.current()
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(tr("Beside the letter"))
        for words in (tr("To look at"), tr("CV"), tr("Candidate")):
            self.tabs.addTab(words)
        found = Sheet()
        found.box.setContentsMargins(0, 0, 0, 0)
        found.box.addWidget(self.compared)
        found.box.addWidget(self.found, 1)
        person = Sheet()
        person.box.setContentsMargins(0, 0, 0, 0)
        person.box.addWidget(self.person)
        person.box.addStretch(1)
        for page in (found, self.context, person):
            self.side.addWidget(page)
        self._side_box = QWidget()
        self._side_box.setProperty("role", "clear")
        self._beside = QVBoxLayout(self._side_box)
        self._beside.setContentsMargins(0, 0, 0, 0)
        self._beside.setSpacing(8)
        self._beside.addWidget(self.tabs)
        self._beside.addWidget(self.side, 1)
        row = QHBoxLayout()
        row.setSpacing(tokens.gap)
        self._letter_sheet.box.setContentsMargins(0, 0, 0, 0)
        self._letter_sheet.box.addWidget(self.letter, 1)
        row.addWidget(self._letter_sheet, 1)
        row.addWidget(self._side_box)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(8)
        self._column.addLayout(row, 1)
        self.tabs.currentChanged.connect(self._show_tab)

    def _dress(self, _tokens: object = None) -> None:
        wide = 16_777_215
        self._side_box.setMinimumWidth(0 if self._narrow else theme.current().px(SIDE_WIDTH))
        self._side_box.setMaximumWidth(wide if self._narrow else theme.current().px(SIDE_WIDTH))


def _nothing(checked: "Checked", items: Sequence[LetterItem], dismissed: int) -> str:
    """What stands in the list where there is nothing to look at."""
    if checked.reading.stopped:
        return checked.reading.stopped
    if any(item.listed for item in items):
        return ""
    if dismissed:
        return tr("Nothing else is left to look at.")
    if not checked.reading.context_name:
        return tr("Nothing stands out. Add the CV to see which claims it does not mention.")
    return tr("Nothing stands out, and no claim is missing from the CV.")
