"""Draws the side list of a letter: headings with counts, and entries with the line that their marks have."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop import theme
from desktop.models.letter_items import CLAIMS, DOUBT, NAMING, RANGE, LetterItem, section_title
from desktop.models.letter_list import ROW, ListRow
from desktop.widgets.mark_lines import draw_mark, look_of
from desktop.widgets.safe_text import safe_line
from desktop.widgets.words import number

Index = QModelIndex | QPersistentModelIndex
SWATCH, MOST_LINES = 20, 3
SAID_BY_HEADING = {RANGE, NAMING, DOUBT}
WRAP = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)


class LetterDelegate(QStyledItemDelegate):
    """Heights follow the width that the view has."""

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
        self._draw_ground(painter, box, state)
        if row.item is None:
            self._draw_heading(painter, box, row)
        else:
            self._draw_item(painter, box, row, row.item)
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

    def _draw_heading(self, painter: QPainter, box: QRect, row: ListRow) -> None:
        tokens = theme.current()
        inner = box.adjusted(tokens.px(8), tokens.px(6), -tokens.px(8), 0)
        painter.setPen(QPen(QColor(tokens.line), 1))
        if row.section and box.top() > 2:
            painter.drawLine(box.left(), box.top(), box.right(), box.top())
        side = tokens.px(14)
        arrow = theme.pixmap("chevron-right" if row.folded else "chevron-down", tokens.soft, side, 2.0)
        painter.drawPixmap(QRect(inner.right() - side, inner.center().y() - side // 2, side, side), arrow)
        painter.setFont(_font(tokens.control, bold=True))
        painter.setPen(QColor(tokens.ink))
        words = f"{section_title(row.section)}  {number(row.count)}"
        room = inner.adjusted(0, 0, -side - 6, 0)
        shown = painter.fontMetrics().elidedText(words, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), shown)

    def _draw_item(self, painter: QPainter, box: QRect, row: ListRow, item: LetterItem) -> None:
        tokens = theme.current()
        left = box.left() + tokens.px(8)
        room = box.adjusted(tokens.px(8) + tokens.px(SWATCH) + 8, tokens.px(6), -tokens.px(8), 0)
        if item.section not in (RANGE, NAMING):
            middle = room.top() + QFontMetrics(_font(tokens.note)).height() / 2 + 2
            draw_mark(painter, look_of(item.kind), left, left + tokens.px(SWATCH), middle)
        else:
            painter.setBrush(QColor(tokens.warn))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.drawEllipse(left + tokens.px(6), room.top() + tokens.px(5), tokens.px(8), tokens.px(8))
        if _titled(row):
            painter.setFont(_font(tokens.note))
            painter.setPen(QColor(tokens.soft))
            height = painter.fontMetrics().height()
            title = f"{item.title} · {item.note}" if item.note and item.section != CLAIMS else item.title
            shown = painter.fontMetrics().elidedText(safe_line(title), Qt.TextElideMode.ElideRight, room.width())
            painter.drawText(QRect(room.left(), room.top(), room.width(), height), 0, shown)
            room.setTop(room.top() + height + 2)
        painter.setFont(_font(tokens.control))
        painter.setPen(QColor(tokens.ink))
        painter.setClipRect(room)
        painter.drawText(room, WRAP, safe_line(item.words))

    def _words_box(self, box: QRect, item: LetterItem) -> QRect:
        tokens = theme.current()
        metrics = QFontMetrics(_font(tokens.control))
        width = box.width() - tokens.px(8) - tokens.px(SWATCH) - 8 - tokens.px(8)
        needed = metrics.boundingRect(QRect(0, 0, max(40, width), 10_000), WRAP, safe_line(item.words))
        return QRect(0, 0, width, min(needed.height(), MOST_LINES * metrics.lineSpacing()))

    def _width(self, option: QStyleOptionViewItem) -> int:
        view = option.widget  # type: ignore[attr-defined]
        return int(view.viewport().width()) if view is not None else 200


def _titled(row: ListRow) -> bool:
    """Whether the entry says more of its kind than the heading above it does."""
    item = row.item
    return item is not None and row.section not in SAID_BY_HEADING and item.kind != "unsupported"


def _font(pixels: int, *, bold: bool = False) -> QFont:
    font = QFont(theme.current().family)
    font.setPixelSize(pixels)
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    return font
