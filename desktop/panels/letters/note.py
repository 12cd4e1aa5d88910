"""Under the letter: why the chosen mark is there, what it rests on, other words for it, and putting it aside."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from desktop import theme
from desktop.models.letter_items import LetterItem
from desktop.widgets import IconButton, Label, LinkButton, tr
from desktop.widgets.mark_lines import draw_mark, look_of
from desktop.widgets.safe_text import safe_line
from desktop.widgets.sheet import Sheet

if TYPE_CHECKING:
    from desktop.operations.letters import Offer

HEIGHT, LOW_HEIGHT = 128, 88
MOST_OFFERS = 4
UNDRAWN = ("range", "naming")  # kinds that are about the letter as a whole


class Swatch(QWidget):
    """The line that a kind of mark is drawn with."""

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
    """Other words, each with its reason and a button."""

    used = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 4, 0, 0)
        self._box.setSpacing(4)

    def show_offers(self, offers: "Sequence[Offer]") -> None:
        while (taken := self._box.takeAt(0)) is not None:
            taken.widget().hide()
            taken.widget().deleteLater()
        for offer in offers[:MOST_OFFERS]:
            self._box.addWidget(self._row(offer))
        self.setVisible(bool(offers))

    def _row(self, offer: "Offer") -> QWidget:
        row = QWidget()
        row.setProperty("role", "clear")
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        told = QVBoxLayout()
        told.setSpacing(0)
        line.addLayout(told, 1)
        if offer.new is None:
            told.addWidget(Label(safe_line(offer.reason), "", wrap=True))
            return row
        said = tr("Instead of “{old}”: “{new}”") if offer.new else tr("Leave out “{old}”")
        words = safe_line(said.format(old=offer.old, new=offer.new))
        told.addWidget(Label(words, "", wrap=True))
        told.addWidget(Label(safe_line(offer.reason), "note", wrap=True))
        use = LinkButton(tr("Use this"))
        use.setAccessibleName(tr("{action}: {words}").format(action=use.text(), words=words))
        use.clicked.connect(lambda: self.used.emit(offer))
        line.addWidget(use, 0, Qt.AlignmentFlag.AlignTop)
        return row


class LetterNote(QWidget):
    """`show_item` fills it; with None it says how marks are reached."""

    stepped = Signal(int)  # 1 to the next mark, -1 to the one before
    dismissed = Signal(str)
    context_wanted = Signal(int, int)
    offer_used = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.item: LetterItem | None = None
        self._low = False
        self.swatch = Swatch()
        self.title = Label("", "strong", wrap=True)
        self.title.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.title.setContentsMargins(0, 4, 0, 0)
        self.back = IconButton("chevron-up", tr("Previous mark (Alt+Up)"), size=16)
        self.next = IconButton("chevron-down", tr("Next mark (Alt+Down)"), size=16)
        self.dismiss = LinkButton(tr("Dismiss"))
        self.dismiss.setToolTip(tr("Put this aside; it can be brought back (Alt+D)"))
        self.reason = Label("", "", wrap=True)
        self.passage = Label("", "", wrap=True)
        self.see = LinkButton(tr("See it in the CV"))
        self.source = Label("", "note", wrap=True)
        self.offers = _Offers()
        self.back.clicked.connect(lambda: self.stepped.emit(-1))
        self.next.clicked.connect(lambda: self.stepped.emit(1))
        self.dismiss.clicked.connect(lambda: self.dismissed.emit(self.item.key) if self.item else None)
        self.see.clicked.connect(self._see)
        self.offers.used.connect(self.offer_used)
        self.setAccessibleName(tr("About the chosen mark"))
        self._lay_out()
        self.show_item(None)
        theme.signals.changed.connect(self._dress)
        self._dress()

    def show_item(self, item: LetterItem | None, offers: "Sequence[Offer]" = ()) -> None:
        """One entry with its suggestions."""
        self.item = item
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
            self.title.setText(safe_line(f"{item.title}: {item.words}"))
            self.reason.setText(safe_line(item.reason) + turned)
        passage = item.passage if item is not None else ""
        self.passage.setText(tr("Nearest in the CV: “{words}”").format(words=safe_line(passage)))
        source = item.source if item is not None else ""
        if item is not None and item.passage:
            source = item.note
        self.source.setText(safe_line(source))
        for widget, wanted in ((self.passage, bool(passage)), (self.see, bool(passage)), (self.source, bool(source))):
            widget.setVisible(wanted)
        self.offers.show_offers(offers)
        self.sheet.verticalScrollBar().setValue(0)

    def _see(self) -> None:
        if self.item is not None:
            self.context_wanted.emit(self.item.passage_start, self.item.passage_end)

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.swatch, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self.title, 1)
        for widget in (self.dismiss, self.back, self.next):
            head.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        self.sheet = Sheet()
        self.sheet.box.setSpacing(4)
        for widget in (self.reason, self.passage, self.see, self.source, self.offers):
            self.sheet.box.addWidget(widget)
        self.sheet.box.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(4)
        box.addLayout(head)
        box.addWidget(self.sheet, 1)

    def set_low(self, low: bool) -> None:
        """Take less room, where there is little."""
        self._low = low
        self._dress()

    def _dress(self, _tokens: object = None) -> None:
        self.setFixedHeight(theme.current().px(LOW_HEIGHT if self._low else HEIGHT))
        self.swatch.updateGeometry()
