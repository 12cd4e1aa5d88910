"""A letter and, beside it, what was found, the CV and whom it is about; in a narrow window, one of them at a time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from core.documents.values import Document
from desktop import theme
from desktop.models.letter_items import LetterItem
from desktop.panels.letters.compared import ComparedCard
from desktop.panels.letters.context import ContextPage
from desktop.panels.letters.found import FoundCard
from desktop.panels.letters.person import PersonPage
from desktop.panels.letters.view import LetterView
from desktop.widgets import tr
from desktop.widgets.beside import Beside
from desktop.widgets.sheet import Sheet

if TYPE_CHECKING:
    from desktop.operations.letters import Checked, Offer

SIDE_WIDTH = 352
FOUND, CV, PERSON = range(3)


class LetterBoard(Beside):
    """Shows; the panel decides."""

    BESIDE_FROM: ClassVar[int] = 820  # text pixels

    def __init__(self) -> None:
        sheet = Sheet()
        super().__init__(sheet, title=tr("The letter"), name=tr("Beside the letter"), side_width=SIDE_WIDTH)
        self._letter_sheet, self.letter = sheet, LetterView()
        self.compared, self.found = ComparedCard(), FoundCard()
        self.context, self.person = ContextPage(), PersonPage()
        self._lay_out()
        self.narrow_changed.connect(self.letter.note.set_low)
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

    def _lay_out(self) -> None:
        found = Sheet()
        found.box.setContentsMargins(0, 0, 0, 0)
        found.box.addWidget(self.compared)
        found.box.addWidget(self.found, 1)
        person = Sheet()
        person.box.setContentsMargins(0, 0, 0, 0)
        person.box.addWidget(self.person)
        person.box.addStretch(1)
        self.add_page(tr("To look at"), found)
        self.add_page(tr("CV"), self.context)
        self.add_page(tr("Candidate"), person)
        self._letter_sheet.box.setContentsMargins(0, 0, 0, 0)
        self._letter_sheet.box.addWidget(self.letter, 1)


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
