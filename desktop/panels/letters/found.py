"""The list of a letter's entries: its item model, how it is drawn, and the card that holds it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, cast

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QScrollArea,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from biasprint.core.letters import MAY_BE
from biasprint.core.letters.verdict import LetterVerdict
from biasprint.desktop import theme
from biasprint.desktop.panels.letters.entries import (
    BALANCE,
    CLAIMS,
    CRITICISM,
    DOUBT,
    NAMING,
    RANGE,
    STRENGTH,
    WARMTH,
    WHOLE,
    LetterItem,
    section_title,
)
from biasprint.desktop.widgets import Card, Label, LinkButton, number, plural, tr
from biasprint.desktop.widgets.keys import is_fresh
from biasprint.desktop.widgets.labels import show_words, tipped
from biasprint.desktop.widgets.layout import STRETCH, add_to, column_of, in_row, scaled
from biasprint.desktop.widgets.marks import draw_mark, look_of
from biasprint.desktop.widgets.safe_text import safe_line

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
FOLDED_AT_FIRST = frozenset({WARMTH, STRENGTH})


@dataclass(frozen=True)
class ListRow:
    """A heading (without an item) or an entry."""

    section: int
    item: LetterItem | None = None
    count: int = 0
    folded: bool = False
    more: bool = False  # entries that are not counted, because too many such marks are wrong

    @property
    def counted(self) -> str:
        """The number of its entries, in words: “3”, “3, maybe more”, “may be worth a look”."""
        if not self.count:
            return tr(MAY_BE)
        return tr("{n}, maybe more").format(n=number(self.count)) if self.more else number(self.count)

    @property
    def spoken(self) -> str:
        if self.item is not None:
            return safe_line(self.item.spoken)
        state = tr("folded") if self.folded else tr("unfolded")
        return f"{section_title(self.section)}: {self.counted}, {state}"


class LetterList(QAbstractListModel):
    """The model of the entries that are not dismissed, passed to `show`; a section can be folded."""

    def __init__(self) -> None:
        super().__init__()
        self._items: tuple[LetterItem, ...] = ()
        self._folded = set(FOLDED_AT_FIRST)
        self.rows: tuple[ListRow, ...] = ()
        self.changing = False  # rows come and go, which is nobody's choice

    @property
    def items(self) -> tuple[LetterItem, ...]:
        return self._items

    def show(self, items: Sequence[LetterItem]) -> None:
        self._items = tuple(items)
        self._lay_out()

    def clear(self) -> None:
        """Clear the list for another letter, and fold the sections as at first."""
        self._folded = set(FOLDED_AT_FIRST)
        self.show(())

    def toggle(self, section: int) -> None:
        self._folded ^= {section}
        self._lay_out()

    def place_of(self, key: str) -> QModelIndex:
        """Return the row of the entry with this key, after unfolding its section."""
        item = next((item for item in self._items if item.key == key), None)
        if item is None:
            return QModelIndex()
        if item.section in self._folded:
            self.toggle(item.section)
        return self.index(next(place for place, row in enumerate(self.rows) if row.item is item))

    def row_at(self, index: Index) -> ListRow | None:
        return self.rows[index.row()] if index.isValid() and index.row() < len(self.rows) else None

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row_at(index)
        if row is None:
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return tr(row.spoken)
        return row if role == ROW else None

    def _lay_out(self) -> None:
        """Update the rows, keeping the unchanged ones, so that selection, pressed buttons and scrolling survive."""
        rows = self._laid_out()
        before, after = [_identity(row) for row in self.rows], [_identity(row) for row in rows]
        self.changing = True
        steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        for step, start, end, first, last in reversed(steps):  # from the foot, so that earlier places stay right
            if step in ("delete", "replace"):
                self.beginRemoveRows(QModelIndex(), start, end - 1)
                self.rows = self.rows[:start] + self.rows[end:]
                self.endRemoveRows()
            if step in ("insert", "replace"):
                self.beginInsertRows(QModelIndex(), start, start + last - first - 1)
                self.rows = self.rows[:start] + rows[first:last] + self.rows[start:]
                self.endInsertRows()
        self.rows, self.changing = rows, False
        if rows:
            self.dataChanged.emit(self.index(0), self.index(len(rows) - 1))

    def _laid_out(self) -> tuple[ListRow, ...]:
        rows: list[ListRow] = []
        for section in sorted({item.section for item in self._items}):
            own = [item for item in self._items if item.section == section]
            unsure = sum(bool(item.uncounted) for item in own)
            rows.append(ListRow(section, None, len(own) - unsure, section in self._folded, bool(unsure)))
            if section not in self._folded:
                rows += [ListRow(section, item) for item in own]
        return tuple(rows)


def _identity(row: ListRow) -> tuple[int, str]:
    return row.section, row.item.key if row.item is not None else ""


# ---- How an entry is drawn

SWATCH, MOST_LINES = 20, 3
LINES_OF_BALANCE = 6
SAID_BY_HEADING = {CRITICISM, RANGE, NAMING, DOUBT}
LEFT, TOP, MIDDLE = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignTop, Qt.AlignmentFlag.AlignVCenter
WORDS = Qt.TextFlag.TextWordWrap | TOP


class LetterDelegate(QStyledItemDelegate):
    """The drawing of a row; its height follows the width of the view."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        row, width = index.data(ROW), self._width(option)
        if not isinstance(row, ListRow):
            return QSize(0, 0)
        tokens = theme.current()
        if row.item is None:
            return QSize(width, QFontMetrics(_font(tokens.control, bold=True)).height() + tokens.px(16))
        body = self._words_box(QRect(0, 0, width, 10_000), row.item)
        title = QFontMetrics(_font(tokens.note)).height() + 2 if _titled(row) else 0
        return QSize(width, title + body.height() + tokens.px(12))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row = index.data(ROW)
        if not isinstance(row, ListRow):
            return
        box: QRect = option.rect  # type: ignore[attr-defined]
        state: QStyle.StateFlag = option.state  # type: ignore[attr-defined]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)  # each text in the order of its letters
        direction: Qt.LayoutDirection = option.direction  # type: ignore[attr-defined]
        self._draw_ground(painter, box, state)
        if row.item is None:
            self._draw_heading(painter, direction, box, row)
        else:
            self._draw_item(painter, direction, box, row, row.item)
        painter.restore()

    def _draw_ground(self, painter: QPainter, box: QRect, state: QStyle.StateFlag) -> None:
        tokens = theme.current()
        selected = bool(state & QStyle.StateFlag.State_Selected)
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        if not (selected or focused or hovered):
            return
        painter.setBrush(QColor(tokens.accent_soft if selected else tokens.hover if hovered else tokens.surface))
        painter.setPen(QPen(QColor(tokens.focus), 2) if focused else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 6, 6)

    def _draw_heading(self, painter: QPainter, direction: Qt.LayoutDirection, box: QRect, row: ListRow) -> None:
        tokens = theme.current()
        inner = box.adjusted(tokens.px(8), tokens.px(6), -tokens.px(8), 0)
        painter.setPen(QPen(QColor(tokens.line), 1))
        if row.section and box.top() > 2:
            painter.drawLine(box.left(), box.top(), box.right(), box.top())
        side = tokens.px(14)
        arrow = theme.pixmap("chevron-right" if row.folded else "chevron-down", tokens.soft, side, 2.0)
        end = QRect(inner.right() - side, inner.center().y() - side // 2, side, side)
        painter.drawPixmap(QStyle.visualRect(direction, inner, end), arrow)
        painter.setFont(_font(tokens.control, bold=True))
        painter.setPen(QColor(tokens.ink))
        words = f"{section_title(row.section)}  {row.counted}"
        room = QStyle.visualRect(direction, inner, inner.adjusted(0, 0, -side - 6, 0))
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(MIDDLE | QStyle.visualAlignment(direction, LEFT)), shown)

    def _draw_item(
        self, painter: QPainter, direction: Qt.LayoutDirection, box: QRect, row: ListRow, item: LetterItem
    ) -> None:
        tokens, begin = theme.current(), QStyle.visualAlignment(direction, LEFT)
        across, swatch = tokens.px(8), tokens.px(SWATCH)
        room = QStyle.visualRect(direction, box, box.adjusted(across + swatch + 8, tokens.px(6), -across, 0))
        mark = QStyle.visualRect(direction, box, QRect(box.left() + across, room.top(), swatch, swatch))
        if item.section not in WHOLE:
            middle = room.top() + QFontMetrics(_font(tokens.note)).height() / 2 + 2
            draw_mark(painter, look_of(item.kind), mark.left(), mark.left() + swatch, middle)
        else:
            painter.setBrush(QColor(tokens.warn if item.listed else tokens.edge))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawEllipse(mark.left() + tokens.px(6), room.top() + tokens.px(5), tokens.px(8), tokens.px(8))
        if _titled(row):
            painter.setFont(_font(tokens.note))
            painter.setPen(QColor(tokens.soft))
            height = painter.fontMetrics().height()
            title = f"{item.title} · {item.note}" if item.note and item.section != CLAIMS else item.title
            shown = painter.fontMetrics().elidedText(safe_line(title), Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(QRect(room.left(), room.top(), room.width(), height), int(begin), shown)
            room.setTop(room.top() + height + 2)
        painter.setFont(_font(tokens.control))
        painter.setPen(QColor(tokens.ink))
        painter.setClipRect(room)
        painter.drawText(room, int(WORDS | begin), safe_line(item.words))

    def _words_box(self, box: QRect, item: LetterItem) -> QRect:
        tokens = theme.current()
        metrics = QFontMetrics(_font(tokens.control))
        width = box.width() - tokens.px(8) - tokens.px(SWATCH) - 8 - tokens.px(8)
        needed = metrics.boundingRect(QRect(0, 0, max(40, width), 10_000), int(WORDS | LEFT), safe_line(item.words))
        lines = LINES_OF_BALANCE if item.section == BALANCE else MOST_LINES
        return QRect(0, 0, width, min(needed.height(), lines * metrics.lineSpacing()))

    def _width(self, option: QStyleOptionViewItem) -> int:
        view = cast("QListView | None", option.widget)  # type: ignore[attr-defined]
        return int(view.viewport().width()) if view is not None else 200


def _titled(row: ListRow) -> bool:
    """Return whether the entry needs a title of its own besides the heading above it."""
    item = row.item
    return item is not None and row.section not in SAID_BY_HEADING and item.kind != "unsupported"


def _font(pixels: int, *, bold: bool = False) -> QFont:
    font = QFont(theme.current().family)
    font.setPixelSize(pixels)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return font


# How many: docs/explanation/letter-marks.md.
LIMITS = "About four in ten such passages are missed."
MARGIN_IN_PAGE = 8
LIST_HEIGHT = 168  # at least: four entries, also with all figures unfolded above; then the page scrolls


class FoundView(QListView):
    """The list view. Enter goes to the text, Delete dismisses, Ctrl+Z brings back."""

    entered_item = Signal(str)
    chosen_item = Signal(str)
    dismissed_item = Signal(str)
    undone = Signal()

    def __init__(self, model: LetterList) -> None:
        super().__init__()
        self.found = model
        self._led = False  # to an entry, by what shows the letter: it need not be told
        self.setModel(model)
        self.setItemDelegate(LetterDelegate(self))
        self.setProperty("role", "clear")
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setResizeMode(QListView.ResizeMode.Adjust)
        self.setAccessibleName(tr("What to look at"))
        self.clicked.connect(self._clicked)
        self.activated.connect(self._activated)

    @contextmanager
    def held_in_place(self) -> Iterator[None]:
        """Keep the row at the top of the view in place while rows change, unless the list is scrolled to its top."""
        bar = self.verticalScrollBar()
        top = QPersistentModelIndex(self.indexAt(QPoint(1, 1)))
        before = self.visualRect(QModelIndex(top)).top()
        yield
        if bar.value() and top.isValid():
            self.executeDelayedItemsLayout()
            bar.setValue(bar.value() + self.visualRect(QModelIndex(top)).top() - before)

    def sizeHint(self) -> QSize:
        """Ignore the preferred height: the list takes the room left, at least a few entries."""
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def currentChanged(self, current: QModelIndex, previous: QModelIndex) -> None:
        super().currentChanged(current, previous)
        row = self.found.row_at(current)
        if row is not None and row.item is not None and not self.found.changing and not self._led:
            self.chosen_item.emit(row.item.key)
        if self.hasFocus():
            self._show_in_page(current)

    def lead_to(self, index: QModelIndex) -> None:
        """Make an entry the current one, without signalling a choice."""
        self._led = True
        self.setCurrentIndex(index)
        self._led = False

    def _show_in_page(self, index: QModelIndex) -> None:
        """Scroll the page of a low window, so that the current row is visible."""
        page = self.parentWidget()
        while page is not None and not isinstance(page, QScrollArea):
            page = page.parentWidget()
        if page is None or not index.isValid():
            return
        row = self.visualRect(index)
        for place in (row.bottomLeft(), row.topLeft()):  # the head last: a row higher than the page shows its beginning
            page.ensureVisible(0, self.viewport().mapTo(page.widget(), place).y(), 0, MARGIN_IN_PAGE)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.found.row_at(self.currentIndex())
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and row is not None and row.item is not None:
            if is_fresh(event):
                self.dismissed_item.emit(row.item.key)
        elif event.key() == Qt.Key.Key_Z and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.undone.emit()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            if is_fresh(event):
                self._activated(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Lay out before painting: while a key is held, Qt delays the layout, and rows overlap."""
        self.executeDelayedItemsLayout()
        super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.scheduleDelayedItemsLayout()

    def _clicked(self, index: QModelIndex) -> None:
        row = self.found.row_at(index)
        if row is None:
            return
        if row.item is None:
            self.found.toggle(row.section)
        else:
            self.chosen_item.emit(row.item.key)

    def _activated(self, index: QModelIndex) -> None:
        row = self.found.row_at(index)
        if row is None:
            return
        if row.item is not None:
            self.entered_item.emit(row.item.key)
            return
        self.found.toggle(row.section)
        self.setCurrentIndex(self.found.index(index.row()))


class FoundCard(Card):
    """The card of the list: `show_items` takes the entries; the foot counts dismissals and names the limits."""

    undone = Signal()
    all_restored = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.model = LetterList()
        self.list = FoundView(self.model)
        self.heading = Label(tr("What to look at"), "heading")
        self.verdict, self.cannot = Label("", "", wrap=True), Label("", "note", wrap=True)
        self.nothing = Label("", "soft", wrap=True)
        self.dismissed = Label("", "note")
        self.undo = tipped(LinkButton(tr("Undo"), act=self.undone), tr("Bring back what was dismissed last (Alt+Z)"))
        self.restore = LinkButton(tr("Show all again"), act=self.all_restored)
        self.set_padding(16)
        self.box.setContentsMargins(8, 16, 8, 12)
        foot = in_row(self.dismissed, self.undo, self.restore, STRETCH, spacing=10, margins=(8, 0, 8, 0))
        self.box.setSpacing(6)
        self.said = column_of(self.verdict, self.cannot, spacing=6, margins=(8, 0, 8, 8))
        for label in (self.heading, self.nothing):
            label.setContentsMargins(8, 0, 8, 0)
        add_to(self.box, self.said, self.heading, self.nothing, (self.list, 1), foot)
        scaled(self.list, self.list.setMinimumHeight, LIST_HEIGHT)
        self.show_items((), 0)
        self.show_verdict(None)

    def show_items(
        self, items: Sequence[LetterItem], dismissed: int, nothing: str = "", *, so_far: bool = False
    ) -> None:
        """Show the entries. `nothing`: the text without entries. `so_far`: more may come."""
        if tuple(items) != self.model.items:
            with self.list.held_in_place():
                self.model.show(items)
        listed = sum(item.listed and not item.uncounted for item in items)
        more = any(item.listed and item.uncounted for item in items)
        title = plural(listed, "What to look at: 1 place", "What to look at: %n places") if listed else ""
        if more:
            title = tr("{places}, maybe more").format(places=title) if listed else tr("What may be worth a look")
        if title and so_far:
            title = tr("{title} so far").format(title=title)
        self.heading.setText(title or tr("What to look at"))
        show_words(self.nothing, nothing)
        self.dismissed.setText(plural(dismissed, "1 dismissed", "%n dismissed"))
        for widget in (self.dismissed, self.undo, self.restore):
            widget.setVisible(dismissed > 0)
        self.restore.setVisible(dismissed > 1)

    def show_verdict(self, verdict: LetterVerdict | None, *, of_letter: bool = True) -> None:
        """Show what the letter comes to; None for a letter that was not read."""
        self.verdict.setText(safe_line(f"{verdict.leans} {verdict.first}".rstrip()) if verdict is not None else "")
        missed = f" {tr(LIMITS)}" if of_letter else ""  # how many was measured in letters
        self.cannot.setText(f"{tr(verdict.cannot)}{missed}" if verdict is not None else "")
        self.said.setVisible(verdict is not None)

    def choose(self, key: str, *, follow: bool = True) -> None:
        """Select an entry without a signal. `follow`: the list scrolls to it."""
        place = self.model.place_of(key)
        self.list.lead_to(place)
        if follow and place.isValid():
            self.list.scrollTo(place)
