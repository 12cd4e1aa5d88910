"""Paints the cells of the findings table: plain text, what a finding is about behind its title, and the badge."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop import theme
from desktop.tables.findings import FindingsTable, alignment
from desktop.widgets.words import tr
from desktop.wording.finding_lines import COLUMNS, FindingLine

Index = QModelIndex | QPersistentModelIndex


class FindingDelegate(QStyledItemDelegate):
    """The ordinary delegate asks the model nine things for every cell; this one takes the row as a whole."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        table = index.model()
        assert isinstance(table, FindingsTable)
        line, tokens = table.shown[index.row()], theme.current()
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            painter.fillRect(option.rect, QColor(tokens.accent_soft))
        else:
            painter.fillRect(option.rect.adjusted(0, option.rect.height() - 1, 0, 0), QColor(tokens.sunk))
        inside = option.rect.adjusted(tokens.px(8), 0, -tokens.px(8), 0)
        if index.column() == 0:
            _paint_title(painter, inside, line, option.font)
        else:
            _paint_cell(painter, inside, line, COLUMNS[index.column()], option.font)


def _paint_title(painter: QPainter, room: QRect, line: FindingLine, font: QFont) -> None:
    """The title, on a second line too where it needs one; behind it what it is about, and the badge of a stand-in."""
    tokens, small = theme.current(), _small(font)
    published = line.shown.variant if line.finding.variant == "as_published" else ""
    under = " · ".join(part for part in (line.about, published) if part)
    first, rest = two_lines(line.shown.finding, QFontMetrics(font), room.width())
    if not (under or rest or line.stand_in):
        _text(painter, room, first, font, tokens.ink)
        return
    upper, lower = _halves(room)
    _text(painter, upper, first, font, tokens.ink)
    # What tells findings of one title apart keeps its room: the title's rest is cut before it.
    kept = QFontMetrics(small).horizontalAdvance(under) + (_badge_width(small) if line.stand_in else 0)
    gaps = tokens.px(8) * (bool(under) + line.stand_in)
    if rest:
        title_room = lower.adjusted(0, 0, -min(kept + gaps, lower.width() * 2 // 3), 0)
        lower.setLeft(lower.left() + _text(painter, title_room, rest, font, tokens.ink) + tokens.px(8))
    if line.stand_in:
        lower.setLeft(lower.left() + _paint_badge(painter, lower, small) + tokens.px(8))
    _text(painter, lower, under, small, tokens.soft)


def two_lines(text: str, metrics: QFontMetrics, width: int) -> tuple[str, str]:
    """As many words as fit on the first line, and the rest."""
    words = text.split(" ")
    fitting = len(words)
    while fitting > 1 and metrics.horizontalAdvance(" ".join(words[:fitting])) > width:
        fitting -= 1
    return " ".join(words[:fitting]), " ".join(words[fitting:])


def _halves(room: QRect) -> tuple[QRect, QRect]:
    """A cell's two lines."""
    margin = theme.current().px(4)
    upper = QRect(room.left(), room.top() + margin, room.width(), room.height() // 2 - margin)
    return upper, QRect(room.left(), upper.bottom(), room.width(), room.bottom() - upper.bottom() - margin)


def _small(font: QFont) -> QFont:
    small = QFont(font)
    small.setPixelSize(theme.current().note)
    return small


def _strong(font: QFont) -> QFont:
    strong = QFont(font)
    strong.setWeight(QFont.Weight.DemiBold)
    return strong


def _badge_width(font: QFont) -> int:
    return QFontMetrics(_strong(font)).horizontalAdvance(tr("stand-in")) + theme.current().px(12)


def _paint_badge(painter: QPainter, room: QRect, font: QFont) -> int:
    """The stand-in badge at the left; its width."""
    tokens, width, height = theme.current(), _badge_width(font), QFontMetrics(font).height()
    area = QRect(room.left(), room.center().y() - height // 2, width, height)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen if tokens.quiet_edge == "transparent" else QColor(tokens.quiet_edge))
    painter.setBrush(QColor(tokens.warn_soft))
    painter.drawRoundedRect(area, height / 2, height / 2)
    painter.restore()
    painter.setFont(_strong(font))
    painter.setPen(QColor(tokens.warn))
    painter.drawText(area, int(Qt.AlignmentFlag.AlignCenter), tr("stand-in"))
    return width


def _paint_cell(painter: QPainter, room: QRect, line: FindingLine, column: str, font: QFont) -> None:
    tokens = theme.current()
    strong = QFont(font)
    if column == "estimate" and line.finding.estimate is not None:
        upper, lower = _halves(room)
        strong.setWeight(QFont.Weight.DemiBold)
        figure, _, interval = line.shown.estimate.partition(" (")
        used = _text(painter, upper, figure, strong, tokens.ink)
        if interval:
            _text(painter, upper.adjusted(used + tokens.px(6), 0, 0, 0), f"({interval}", font, tokens.soft)
        _text(painter, lower, line.unit, _small(font), tokens.soft)
        return
    if column == "p_adjusted" and line.significance == "significant":
        strong.setWeight(QFont.Weight.Bold)
        _text(painter, room, line.shown.p_adjusted, strong, tokens.ink, alignment(column))
        return
    _text(painter, room, getattr(line.shown, column), font, tokens.soft, alignment(column))


def _text(
    painter: QPainter,
    room: QRect,
    text: str,
    font: QFont,
    color: str,
    align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
) -> int:
    """One line, cut where it does not fit; its width."""
    metrics = QFontMetrics(font)
    shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, room.width()))
    painter.setFont(font)
    painter.setPen(QColor(color))
    painter.drawText(room, int(align | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine), shown)
    return metrics.horizontalAdvance(shown)
