"""The letter itself: the legend of its marks, the text with the marks, and the note on the chosen mark."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from biasprint.core.language import joined
from biasprint.core.letters import PART_KINDS, Part, PartKind
from biasprint.core.letters.kinds import said_of_kind
from biasprint.core.swap import Person
from biasprint.desktop import theme
from biasprint.desktop.panels.letters.compared import part_title
from biasprint.desktop.panels.letters.entries import BALANCE, CLAIM_KINDS, LetterItem
from biasprint.desktop.widgets import Card, FlowLayout, IconButton, Label, LinkButton, Notice, hairline, tr
from biasprint.desktop.widgets.layout import (
    STRETCH,
    Sheet,
    add_to,
    clear_row,
    clear_widget,
    empty,
    in_column,
    in_row,
    scaled,
)
from biasprint.desktop.widgets.letter_text import LetterMark, LetterText
from biasprint.desktop.widgets.marks import LOOKS, MarkChip, draw_mark, look_of
from biasprint.desktop.widgets.safe_text import as_given, safe_line

if TYPE_CHECKING:
    from biasprint.core.letters import Suggestion
    from biasprint.desktop.operations.letters import Checked

# ---- The note under the letter

HEIGHT, LOW_HEIGHT = 128, 88
MOST_OFFERS = 4
UNDRAWN = ("balance", "balanced", "range", "naming")  # kinds that are about the letter as a whole


class MarkSwatch(QWidget):
    """A sample of the line that marks of a kind are drawn with."""

    def __init__(self) -> None:
        super().__init__()
        self.kind = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(theme.current().px(24), theme.current().px(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.kind:
            painter = QPainter(self)
            draw_mark(painter, look_of(self.kind), 1, self.width() - 1, self.height() / 2 + 1)


class _Offers(QWidget):
    """Suggested words, each with its reason and a button."""

    used = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self._box = in_column(inside=self, spacing=4, margins=(0, 4, 0, 0))

    def show_offers(self, offers: "Sequence[Suggestion]") -> None:
        empty(self._box)
        for offer in offers[:MOST_OFFERS]:
            self._box.addWidget(self._row(offer))
        self.setVisible(bool(offers))

    def _row(self, offer: "Suggestion") -> QWidget:
        column = in_column(spacing=0)
        row, line = clear_row((column, 1))
        if offer.new is None:
            column.addWidget(Label(safe_line(offer.reason), "", wrap=True))
            return row
        template = tr("Instead of “{old}”: “{new}”") if offer.new else tr("Leave out “{old}”")
        words = safe_line(template.format(old=as_given(offer.old.strip()), new=as_given(offer.new)))
        add_to(column, Label(words, "", wrap=True), Label(safe_line(offer.reason), "note", wrap=True))
        use = LinkButton(tr("Use this"), act=lambda: self.used.emit(offer))
        use.setAccessibleName(tr("{action}: {words}").format(action=use.text(), words=words))
        line.addWidget(use, 0, Qt.AlignmentFlag.AlignTop)
        return row


class LetterNote(QWidget):
    """The note on the chosen mark, set by `show_item`; with None it explains how to reach marks."""

    stepped = Signal(int)  # 1 to the next mark, -1 to the one before
    dismissed = Signal(str)
    context_wanted = Signal(int, int)
    offer_used = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.item: LetterItem | None = None
        self._shown: object = ()
        self._low = False
        self.swatch = MarkSwatch()
        self.title = Label("", "strong", wrap=True)
        self.title.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.title.setContentsMargins(0, 4, 0, 0)
        self.back = IconButton("chevron-up", tr("Previous mark (Alt+Up)"), size=16, act=lambda: self.stepped.emit(-1))
        self.next = IconButton("chevron-down", tr("Next mark (Alt+Down)"), size=16, act=lambda: self.stepped.emit(1))
        self.dismiss = LinkButton(tr("Dismiss"), act=lambda: self.dismissed.emit(self.item.key) if self.item else None)
        self.dismiss.setToolTip(tr("Put this aside; it can be brought back (Alt+D)"))
        self.reason = Label("", "", wrap=True)
        self.passage = Label("", "", wrap=True)
        self.see = LinkButton(tr("See it in the CV"), act=self._see)
        self.source = Label("", "note", wrap=True)
        self.offers = _Offers()
        self.offers.used.connect(self.offer_used)
        self.setAccessibleName(tr("About the chosen mark"))
        self._lay_out()
        self.show_item(None)
        theme.follow(self._dress)

    def show_item(self, item: LetterItem | None, offers: "Sequence[Suggestion]" = ()) -> None:
        """Show an entry with its suggestions. The same ones are not rebuilt: a button may be pressed just now."""
        if self._shown == (item, tuple(offers)):
            return
        self.item, self._shown = item, (item, tuple(offers))
        self.swatch.kind = item.kind if item is not None else ""
        self.swatch.update()
        self.swatch.setVisible(item is not None and item.kind not in UNDRAWN)
        self.dismiss.setVisible(item is not None)
        if item is None:
            self.title.setText(tr("Choose a mark to see why it is there"))
            hint = tr("Alt+Down and Alt+Up go from mark to mark. The text can be edited; it is read again as you type.")
            self.reason.setText(hint)
        else:
            turned = f" {item.note}" if item.note and not item.passage else ""
            in_full = item.section == BALANCE  # too long for a title
            self.title.setText(safe_line(item.title if in_full else joined(": ", item.title, as_given(item.words))))
            self.reason.setText(safe_line(f"{item.words} {item.reason}" if in_full else item.reason) + turned)
        passage = item.passage if item is not None else ""
        self.passage.setText(tr("Nearest in the CV: “{words}”").format(words=as_given(passage)))
        source = item.source if item is not None else ""
        if item is not None and item.passage:
            source = item.note
        if item is not None and item.uncounted:
            source = f"{source}. {item.uncounted}" if source else item.uncounted
        self.source.setText(safe_line(source))
        for widget, wanted in ((self.passage, bool(passage)), (self.see, bool(passage)), (self.source, bool(source))):
            widget.setVisible(wanted)
        self.offers.show_offers(offers)
        self.sheet.verticalScrollBar().setValue(0)

    def _see(self) -> None:
        if self.item is not None:
            self.context_wanted.emit(self.item.passage_start, self.item.passage_end)

    def _lay_out(self) -> None:
        head = in_row((self.swatch, Qt.AlignmentFlag.AlignTop), (self.title, 1), spacing=8)
        for widget in (self.dismiss, self.back, self.next):
            head.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        self.sheet = Sheet(self.reason, self.passage, self.see, self.source, self.offers, STRETCH, spacing=4)
        in_column(head, (self.sheet, 1), inside=self, spacing=4, margins=0)

    def set_low(self, low: bool) -> None:
        """Take less room in a low window."""
        self._low = low
        self._dress()

    def _dress(self, _tokens: object = None) -> None:
        self.setFixedHeight(theme.current().px(LOW_HEIGHT if self._low else HEIGHT))
        self.swatch.updateGeometry()


LEAST_TEXT = 110


class LetterView(Card):
    """The text, set once with `open_text` and then edited by the person; `show_reading` sets its marks."""

    part_set = Signal(int, int, str)  # a paragraph's characters, and what it is
    filtered = Signal()
    is_context = Signal()  # the letter is a CV, and is to be used as one
    read_for = Signal(object)  # another candidate of the letter, whom it is to be read for

    def __init__(self) -> None:
        super().__init__()
        self.chips: dict[str, MarkChip] = {}
        self._items: tuple[LetterItem, ...] = ()
        self._parts: tuple[Part, ...] = ()
        self._hidden: set[str] = set()
        self.text = LetterText(name=tr("The letter"))
        self.text.menu_wanted.connect(self._offer_parts)
        self.note = LetterNote()
        self.every = LinkButton(tr("Hide all"), act=self._toggle_every)
        self.setAccessibleName(tr("The letter with its marks"))
        self._lay_out()

    def open_text(self, text: str) -> None:
        self._items, self._parts = (), ()
        self._hidden.clear()
        self._show_legend(None)
        self._show_notices(())
        self.text.open_text(text)
        self.note.show_item(None)

    def show_reading(self, checked: "Checked", items: Sequence[LetterItem]) -> None:
        """Mark the entries that are not dismissed."""
        reading = checked.reading
        self._items, self._parts = tuple(item for item in items if item.sentence is not None), reading.parts
        self._show_legend(checked)
        cv = next((suspicion.said for suspicion in reading.suspicions if suspicion.what == "cv"), "")
        notices = [suspicion.said for suspicion in reading.suspicions] + list(reading.document.notes)
        if reading.read_as.guessed and (said := said_of_kind(reading.read_as)):
            notices.insert(0, tr("{said} Set it on the page “Candidate”.").format(said=said))
        if self.text.isReadOnly():
            notices.append(tr("This text is too long to be edited here; it is only shown and read."))
        several = next((suspicion.said for suspicion in reading.suspicions if suspicion.what == "candidates"), "")
        self._show_notices(notices, cv, several, reading.beside)
        self.text.set_apart([(part.start, part.end) for part in reading.parts if part.kind != "body"])
        self._show_marks()

    def show_dismissals(self, items: Sequence[LetterItem], checked: "Checked") -> None:
        self._items = tuple(item for item in items if item.sentence is not None)
        self._show_legend(checked)
        self._show_marks()

    def shows(self, item: LetterItem) -> bool:
        """Return whether the filter lets this entry through."""
        return item.kind not in self._hidden

    def unhide(self, kind: str) -> None:
        if kind in self.chips:
            self.chips[kind].setChecked(True)

    # the legend

    def _show_legend(self, checked: "Checked | None") -> None:
        counts = {kind: sum(item.kind == kind for item in self._items) for kind in LOOKS}
        for kind, count in counts.items():
            if count and checked is not None and kind not in self.chips:
                self.chips[kind] = self._chip(kind, checked)
            if kind in self.chips:
                self.chips[kind].set_count(count)
                self.chips[kind].setVisible(count > 0)
        self.every.setVisible(any(counts.values()))
        self.every.set_text(tr("Show all") if self._all_hidden() else tr("Hide all"))
        self.legend.setVisible(any(counts.values()))
        self._flow.invalidate()
        self.legend.updateGeometry()

    def _chip(self, kind: str, checked: "Checked") -> MarkChip:
        names = {"unsupported": tr("Not in the CV"), "contradicted": tr("Against the CV")}
        about = checked.abouts.get(kind)
        chip = MarkChip(kind, names.get(kind) or (about.title if about else kind), checked.uncounted(kind))
        chip.setChecked(kind not in self._hidden)
        chip.toggled.connect(lambda shown, kind=kind: self._filter(kind, shown))
        self._flow.removeWidget(self.every)
        self._flow.addWidget(chip)
        self._flow.addWidget(self.every)
        return chip

    def _filter(self, kind: str, shown: bool) -> None:
        (self._hidden.discard if shown else self._hidden.add)(kind)
        self.every.set_text(tr("Show all") if self._all_hidden() else tr("Hide all"))
        self._show_marks()
        self.filtered.emit()

    def _all_hidden(self) -> bool:
        kinds = {item.kind for item in self._items}
        return bool(kinds) and kinds <= self._hidden

    def _toggle_every(self) -> None:
        shown = self._all_hidden()
        for chip in self.chips.values():
            chip.setChecked(shown)

    # the text

    def _show_marks(self) -> None:
        # Claims first: the shorter marks of words are drawn, and found under the pointer, above them.
        order = sorted(
            (item for item in self._items if self.shows(item)), key=lambda entry: entry.kind not in CLAIM_KINDS
        )
        self.text.show_marks(
            [LetterMark(entry.key, entry.kind, entry.start, entry.end, _tip(entry)) for entry in order]
        )

    def _offer_parts(self, place: int, where: QPoint) -> None:
        """Add the kinds of part for the paragraph under the pointer to the text field's usual menu."""
        start, end = self._paragraph(place)
        menu = self.text.createStandardContextMenu() if hasattr(self.text, "createStandardContextMenu") else QMenu(self)
        menu.addSeparator()
        parts = menu.addMenu(tr("This paragraph is"))
        now = next((part.kind for part in self._parts if part.start <= start < max(part.end, part.start + 1)), "")
        for kind in PART_KINDS:
            parts.addAction(self._part_action(menu, kind, now, start, end))
        parts.setEnabled(end > start)
        menu.popup(where)
        self.menu, self.parts_menu = menu, parts

    def _part_action(self, menu: QMenu, kind: PartKind, now: str, start: int, end: int) -> QAction:
        action = QAction(part_title(kind), menu, checkable=True, checked=kind == now)
        action.triggered.connect(lambda: self.part_set.emit(start, end, kind))
        return action

    def _paragraph(self, place: int) -> tuple[int, int]:
        """Return the start and end of the line around a position."""
        text = self.text.text()
        start = text.rfind("\n", 0, place) + 1
        end = text.find("\n", place)
        return start, len(text) if end < 0 else end

    def _show_notices(
        self, said: Sequence[str], cv: str = "", several: str = "", beside: Sequence[Person] = ()
    ) -> None:
        """Show suspicions about the letter. `cv` has a button, `several` one for each of the other candidates."""
        if list(said) == self._said:
            return
        self._said = list(said)
        empty(self._notices)
        for words in said:
            notice = Notice(safe_line(words), tone="warn", closable=False)
            if words == cv:
                notice.add_action(tr("Use it as the CV"), self.is_context.emit)
            for person in beside if words == several else ():
                name = as_given(person.full_name)
                notice.add_action(tr("Read it for {name}").format(name=name), partial(self.read_for.emit, person))
            self._notices.addWidget(notice)

    def _lay_out(self) -> None:
        tokens = theme.current()
        self.set_padding(tokens.margin, 20)
        self.box.setSpacing(12)
        self.legend = clear_widget()
        self._flow = FlowLayout(self.every, inside=self.legend, spacing=6, centred=True)
        self._said: list[str] = []
        self._notices = in_column(spacing=8)
        add_to(self.box, in_row((self.legend, 1)), self._notices, (self.text, 1), hairline(), self.note)
        scaled(self.text, self.text.setMinimumHeight, LEAST_TEXT)


def _tip(item: LetterItem) -> tuple[str, ...]:
    passage = tr("Nearest in the CV: “{words}”").format(words=item.passage) if item.passage else ""
    return (f"{item.title}. {item.note}".strip() if not item.passage else item.title, item.reason, passage, item.source)
