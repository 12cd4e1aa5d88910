"""Paints the cells of a long table: one line of plain text, cut where it does not fit, and nothing else.

The ordinary delegate asks the model nine things for every cell; while a thread works, each of them waits for it.
"""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop import theme
from desktop.tables.outputs import OutputsTable

TEXT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine


class LineDelegate(QStyledItemDelegate):
    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        table = index.model()
        assert isinstance(table, OutputsTable)
        tokens = theme.current()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            painter.fillRect(option.rect, QColor(tokens.accent_soft))
        else:
            painter.fillRect(option.rect.adjusted(0, option.rect.height() - 1, 0, 0), QColor(tokens.sunk))
        inside = option.rect.adjusted(tokens.px(8), 0, -tokens.px(8), 0)
        text = option.fontMetrics.elidedText(
            table.text_at(index.row(), index.column()), Qt.TextElideMode.ElideRight, inside.width()
        )
        painter.setPen(QColor(tokens.ink if index.column() == 0 or chosen else tokens.soft))
        painter.drawText(inside, int(TEXT), text)
