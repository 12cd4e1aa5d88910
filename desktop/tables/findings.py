"""The item model of the findings table: all rows in memory, narrowed by the filter, in the order asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from biasprint.core.language import unbroken
from biasprint.desktop import theme
from biasprint.desktop.widgets.safe_text import safe_tip
from biasprint.desktop.widgets.small_table import LEFT, RIGHT
from biasprint.desktop.widgets.words import plural, tr
from biasprint.desktop.wording.findings import COLUMNS, NUMERIC, FindingFilter, FindingLine, QuestionHead

Index = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
CUT = ("finding", "groups", "variant", "study")  # columns whose texts can be longer than their room
UNSORTED = -1  # the order of the measurement: pooled findings first


MANY = 20  # findings: with more of them the questions stand first, and each opens by itself


class FindingsTable(QAbstractTableModel):
    """The model. `show` narrows, `sort` orders; both visit every row at once, fast enough for thousands of rows.

    In the measurement's own order the findings are grouped under their questions; sorted by a column they are not
    grouped. Where there are MANY, without a filter, only opened questions show their findings.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.lines: Sequence[FindingLine] = ()  # every finding, shown or not
        self.without: frozenset[str] = frozenset()  # the columns that are empty for every finding
        self.heads: Sequence[QuestionHead] = ()
        self.shown: list[FindingLine] = []  # the findings that are shown, from above
        self._rows: list[FindingLine | QuestionHead] = []
        self._open: set[tuple[str, str]] = set()  # the questions whose findings are shown, where they fold
        self.where = FindingFilter()
        self._sorted_by = (UNSORTED, Qt.SortOrder.AscendingOrder)

    # the rows

    def at(self, row: int) -> FindingLine | QuestionHead:
        return self._rows[row]

    @property
    def folds(self) -> bool:
        """True if questions can be folded: not where few findings are left, or they are sorted otherwise."""
        unsorted, all_of_them = self._sorted_by[0] == UNSORTED, self.where == FindingFilter()
        return bool(self.heads) and unsorted and all_of_them and len(self.lines) > MANY

    def is_open(self, head: QuestionHead) -> bool:
        return not self.folds or head.key in self._open

    @property
    def all_open(self) -> bool:
        return {head.key for head in self.heads} <= self._open

    def set_open(self, heads: Sequence[QuestionHead], opened: bool) -> None:
        """Show or hide the findings of these questions."""
        keys = {head.key for head in heads}
        self._open = self._open | keys if opened else self._open - keys
        self._arrange()

    def open_question_of(self, same: tuple[Any, ...]) -> None:
        """Unfold the question of a finding."""
        key = next(((line.study, line.question) for line in self.lines if line.same == same), None)
        self.set_open([head for head in self.heads if head.key == key], True)

    def heads_at(self) -> dict[int, QuestionHead]:
        """Return the rows that are questions."""
        return {row: head for row, head in enumerate(self._rows) if isinstance(head, QuestionHead)}

    def set_lines(self, lines: Sequence[FindingLine], heads: Sequence[QuestionHead] = ()) -> None:
        """Set other findings, under the same filter and in the same order."""
        self.lines, self.heads = lines, heads
        self.without = frozenset(name for name in COLUMNS if not any(getattr(line.shown, name) for line in lines))
        self._arrange()

    def show(self, where: FindingFilter) -> None:
        """Show other findings among the same ones."""
        self.where = where
        self._arrange()

    def row_of(self, same: tuple[Any, ...]) -> int | None:
        """Return the present row of a finding (`FindingLine.same`); None if it is not shown."""
        lines = ((row, shown) for row, shown in enumerate(self._rows) if isinstance(shown, FindingLine))
        return next((row for row, line in lines if line.same == same), None)

    def _arrange(self) -> None:
        self.beginResetModel()
        self.shown = _sorted(self.where.matching(self.lines), *self._sorted_by)
        self._rows = list(self.shown)
        if self.heads and self._sorted_by[0] == UNSORTED:
            rows = _under_questions(self.shown, self.heads)
            self.shown = [row for row in rows if isinstance(row, FindingLine)]
            self._rows = self._folded(rows) if self.folds else rows
        self.endResetModel()

    def _folded(self, rows: Sequence[FindingLine | QuestionHead]) -> list[FindingLine | QuestionHead]:
        known = {head.key for head in self.heads}
        return [
            row
            for row in rows
            if isinstance(row, QuestionHead) or (key := (row.study, row.question)) in self._open or key not in known
        ]

    # what Qt asks

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._sorted_by = (column, order)
        self._arrange()

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        head = index.isValid() and isinstance(self._rows[index.row()], QuestionHead)
        return Qt.ItemFlag.NoItemFlags if head and not self.folds else super().flags(index)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line, column = self._rows[index.row()], index.column()
        if isinstance(line, QuestionHead):
            is_title = role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole) and column == 0
            return head_told(line, self.is_open(line), self.folds) if is_title else None
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(line.shown[column])
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return tr(accessible_text(line, column))
        if role == Qt.ItemDataRole.ToolTipRole and COLUMNS[column] in CUT:
            parts = (line.shown[column], line.about if column == 0 else "")
            return safe_tip(" · ".join(part for part in parts if part))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return section + 1 if role == Qt.ItemDataRole.DisplayRole else None
        name = COLUMNS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return tr(column_title(name))
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr(column_help(name))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(name)
        return None


def head_told(head: QuestionHead, is_open: bool, folds: bool) -> str:
    """Return a question for a screen reader."""
    state = (counted(head), tr("open") if is_open else tr("closed")) if folds else ()
    parts = (head.study_title, head.question, head.answer, head.figures, ", ".join(state))
    return " ".join(tr(part) for part in parts if part)


def counted(head: QuestionHead) -> str:
    return plural(head.count, "1 finding", "%n findings")


def _under_questions(lines: Sequence[FindingLine], heads: Sequence[QuestionHead]) -> list[FindingLine | QuestionHead]:
    """Return each question that has a finding among these, with its findings below it; the rest at the end."""
    groups: dict[tuple[str, str], list[FindingLine]] = {}
    for line in lines:
        groups.setdefault((line.study, line.question), []).append(line)
    rows: list[FindingLine | QuestionHead] = []
    for head in heads:
        if findings := groups.pop((head.study, head.question), None):
            rows += [replace(head, count=len(findings)), *findings]
    return [*rows, *(line for rest in groups.values() for line in rest)]


def _sorted(lines: list[FindingLine], column: int, order: Qt.SortOrder) -> list[FindingLine]:
    """Sort by a column, missing values last in both directions; equal ones stay in the measurement's order."""
    if column == UNSORTED:
        return lines
    with_key = [line for line in lines if line.keys[column] is not None]
    without = [line for line in lines if line.keys[column] is None]
    with_key.sort(key=lambda line: line.keys[column], reverse=order == Qt.SortOrder.DescendingOrder)
    return with_key + without


def alignment(column: str) -> Qt.AlignmentFlag:
    """Return the alignment of a column: figures at the right, below each other; texts at the left."""
    return RIGHT if column in NUMERIC - {"estimate"} else LEFT


def accessible_text(line: FindingLine, column: int) -> str:
    """Return a cell for a screen reader: with the column's name, and what otherwise only the eye would see."""
    if column > 0:
        unit = f" {line.unit}" if COLUMNS[column] == "estimate" and line.unit else ""
        return f"{column_title(COLUMNS[column])}: {line.shown[column]}{unit}" if line.shown[column] else ""
    marked = tr("stand-in scorer") if line.stand_in else ""
    return ", ".join(part for part in (line.shown.finding, line.about, marked, line.apart) if part)


def column_title(column: str) -> str:
    return {
        "finding": tr("Finding"),
        "groups": tr("Groups"),
        "estimate": tr("Estimate (interval)"),
        "n": tr("n"),
        "p": tr("p"),
        "p_adjusted": tr("Adjusted p"),
        "floor": tr("Floor"),
        "variant": tr("Variant"),
        "study": tr("Study"),
    }[column]


def column_help(column: str) -> str:
    return {
        "finding": tr("What was measured, and on which part of the data"),
        "groups": tr("The first is the numerator of a ratio, or the first term of a difference"),
        "estimate": tr("With its 95 % interval, or at the level that stands below; — where the number is not defined"),
        "n": tr("How many items the number rests on"),
        "p": tr("How often chance alone would give this much"),
        "p_adjusted": tr("p after allowing for the other tests of its family; bold at 0.05 and below"),
        "floor": tr("Noise floor: what comes up without any bias stays below it in 95 of 100 cases"),
        "variant": tr("“default” is for decisions, “as published” to compare with the paper"),
        "study": tr("The study it belongs to"),
    }[column]


class FindingDelegate(QStyledItemDelegate):
    """Paints a whole row at once: the ordinary delegate asks the model nine things for every cell."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        table = index.model()
        assert isinstance(table, FindingsTable)
        line, tokens = table.at(index.row()), theme.current()
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)  # each text in the order of its letters
        cell = _Cell(painter, option.rect, option.direction)
        if isinstance(line, QuestionHead):
            state = table.is_open(line) if table.folds else None
            _paint_head(cell, line, option.font, state, option.state)
            return
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if chosen:
            painter.fillRect(option.rect, QColor(tokens.accent_soft))
        else:
            painter.fillRect(option.rect.adjusted(0, option.rect.height() - 1, 0, 0), QColor(tokens.sunk))
        inside = option.rect.adjusted(tokens.px(8), 0, -tokens.px(8), 0)
        if index.column() == 0:
            _paint_title(cell, inside, line, option.font)
        else:
            _paint_figures(cell, inside, line, COLUMNS[index.column()], option.font)


@dataclass(frozen=True)
class _Cell:
    """Paints in a cell; places are given as in a layout from left to right, and mirrored in one from right to left."""

    painter: QPainter
    rect: QRect
    direction: Qt.LayoutDirection

    def place(self, room: QRect) -> QRect:
        return QStyle.visualRect(self.direction, self.rect, room)

    def flags(self, align: Qt.AlignmentFlag) -> int:
        return int(QStyle.visualAlignment(self.direction, align) | Qt.AlignmentFlag.AlignAbsolute)

    def text(
        self,
        room: QRect,
        text: str,
        font: QFont,
        color: str,
        align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignLeft,
    ) -> int:
        """Paint one line, cut where it does not fit; return its width."""
        metrics = QFontMetrics(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, room.width()))
        flags = self.flags(align | Qt.AlignmentFlag.AlignVCenter) | Qt.TextFlag.TextSingleLine
        self.painter.setFont(font)
        self.painter.setPen(QColor(color))
        self.painter.drawText(self.place(room), int(flags), shown)
        return metrics.horizontalAdvance(shown)


HEAD_MARGIN = 12  # text pixels above and below a question and its answer
WORDS = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)


FOLD_WIDTH = 20  # text pixels, of the sign that says whether a question is open
COUNT_WIDTH = 96  # text pixels, of how many findings it has


def _head_room(width: int, folds: bool) -> QRect:
    tokens = theme.current()
    left, right = (tokens.px(8 + FOLD_WIDTH), tokens.px(8 + COUNT_WIDTH)) if folds else (tokens.px(8), tokens.px(8))
    return QRect(left, tokens.px(HEAD_MARGIN), max(1, width - left - right), 10_000)


def _asked(head: QuestionHead) -> str:
    return " · ".join(tr(part) for part in (head.study_title, head.question) if part)


def head_height(head: QuestionHead, font: QFont, width: int, folds: bool = False) -> int:
    """Return the height of a question with its answer at this width."""
    room = _head_room(width, folds)
    asked = QFontMetrics(_strong(font)).boundingRect(room, WORDS, _asked(head)).height()
    answer = QFontMetrics(font).boundingRect(room, WORDS, unbroken(tr(head.answer))).height()
    below = QFontMetrics(_small(font)).boundingRect(room, WORDS, unbroken(tr(head.figures))).height() + 2
    return asked + answer + (below if head.figures else 0) + theme.current().px(2 * HEAD_MARGIN + 2)


def _paint_head(cell: _Cell, head: QuestionHead, font: QFont, is_open: bool | None, state: QStyle.StateFlag) -> None:
    """Paint a question and its answer.

    Where questions fold (`is_open` is not None), also paint the fold sign and the number of findings.
    """
    tokens, painter, room = theme.current(), cell.painter, cell.rect
    chosen = bool(state & QStyle.StateFlag.State_Selected)
    painter.fillRect(room, QColor(tokens.accent_soft if chosen else tokens.sunk))
    painter.fillRect(room.adjusted(0, room.height() - 1, 0, 0), QColor(tokens.surface))
    inside = cell.place(_head_room(room.width(), is_open is not None).translated(room.topLeft()))
    words = cell.flags(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop) | int(Qt.TextFlag.TextWordWrap)
    for text, its_font, ink, below in (
        (_asked(head), _strong(font), tokens.ink, tokens.px(2)),
        (tr(head.answer), font, tokens.ink, 2),
        (tr(head.figures), _small(font), tokens.soft, 0),
    ):
        painter.setFont(its_font)
        painter.setPen(QColor(ink))
        painter.drawText(inside, words, unbroken(text))
        inside.translate(0, painter.boundingRect(inside, words, unbroken(text)).height() + below)
    if is_open is None:
        return
    line = QRect(
        room.left(), room.top() + tokens.px(HEAD_MARGIN), room.width() - tokens.px(8), QFontMetrics(font).height()
    )
    cell.text(line, counted(head), _small(font), tokens.soft, Qt.AlignmentFlag.AlignRight)
    _paint_fold(cell, QRect(room.left() + tokens.px(8), line.top(), tokens.px(FOLD_WIDTH), line.height()), is_open)


def _paint_fold(cell: _Cell, room: QRect, is_open: bool) -> None:
    """Paint a sign that points down where a question is open, else onwards."""
    half, x, y = theme.current().px(4), cell.place(room).center().x(), room.center().y()
    onwards = half // 2 if cell.direction is Qt.LayoutDirection.LeftToRight else -(half // 2)
    down = [QPoint(x - half, y - half // 2), QPoint(x, y + half // 2 + 1), QPoint(x + half, y - half // 2)]
    ahead = [QPoint(x - onwards, y - half), QPoint(x + onwards, y), QPoint(x - onwards, y + half)]
    painter = cell.painter
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(theme.current().ink), 1.6))
    painter.drawPolyline(down if is_open else ahead)
    painter.restore()


def _paint_title(cell: _Cell, room: QRect, line: FindingLine, font: QFont) -> None:
    """Paint the title, on a second line too where needed; behind it the subject, and the stand-in badge."""
    tokens, small = theme.current(), _small(font)
    published = line.shown.variant if line.finding.variant == "as_published" else ""
    alone = tr("interval and adjusted p differ") if line.apart else ""
    under = " · ".join(part for part in (line.about, published, alone) if part)
    first, rest = two_lines(line.shown.finding, QFontMetrics(font), room.width())
    if not (under or rest or line.stand_in):
        cell.text(room, first, font, tokens.ink)
        return
    upper, lower = _halves(room)
    cell.text(upper, first, font, tokens.ink)
    # What tells findings of one title apart keeps its room: the title's rest is cut before it.
    needed = QFontMetrics(small).horizontalAdvance(under) + (_badge_width(small) if line.stand_in else 0)
    gaps = tokens.px(8) * (bool(under) + line.stand_in)
    if rest:
        title_room = lower.adjusted(0, 0, -min(needed + gaps, lower.width() * 2 // 3), 0)
        lower.setLeft(lower.left() + cell.text(title_room, rest, font, tokens.ink) + tokens.px(8))
    if line.stand_in:
        lower.setLeft(lower.left() + _paint_badge(cell, lower, small) + tokens.px(8))
    cell.text(lower, under, small, tokens.soft)


def two_lines(text: str, metrics: QFontMetrics, width: int) -> tuple[str, str]:
    """Return as many words as fit on the first line, and the rest."""
    words = text.split(" ")
    fitting = len(words)
    while fitting > 1 and metrics.horizontalAdvance(" ".join(words[:fitting])) > width:
        fitting -= 1
    return " ".join(words[:fitting]), " ".join(words[fitting:])


def _halves(room: QRect) -> tuple[QRect, QRect]:
    """Return a cell's two lines."""
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


def _paint_badge(cell: _Cell, room: QRect, font: QFont) -> int:
    """Paint the stand-in badge at the beginning; return its width."""
    painter, tokens, width, height = cell.painter, theme.current(), _badge_width(font), QFontMetrics(font).height()
    area = cell.place(QRect(room.left(), room.center().y() - height // 2, width, height))
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


def _paint_figures(cell: _Cell, room: QRect, line: FindingLine, column: str, font: QFont) -> None:
    tokens = theme.current()
    strong = QFont(font)
    if column == "estimate" and line.finding.estimate is not None:
        upper, lower = _halves(room)
        strong.setWeight(QFont.Weight.DemiBold)
        figure, _, interval = line.shown.estimate.partition(" (")
        used = cell.text(upper, figure, strong, tokens.ink)
        if interval:
            cell.text(upper.adjusted(used + tokens.px(6), 0, 0, 0), f"({interval}", font, tokens.soft)
        cell.text(lower, line.unit, _small(font), tokens.soft)
        return
    if column == "p_adjusted" and line.significance == "significant":
        strong.setWeight(QFont.Weight.Bold)
        cell.text(room, line.shown.p_adjusted, strong, tokens.ink, alignment(column))
        return
    cell.text(room, getattr(line.shown, column), font, tokens.soft, alignment(column))
