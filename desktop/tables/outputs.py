"""The item model of the outputs table: it knows every id, and holds the rows of a few pages around the view."""

from array import array
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle, JobRunner
from biasprint.desktop.read.outputs import SORTED, Line, OutputOrder, RowSource, line_of
from biasprint.desktop.widgets.safe_text import isolated
from biasprint.desktop.widgets.words import tr

PAGE_ROWS = 64
PAGES_KEPT = 96
PAGES_ASKED = 3  # what a screen can show at once; older wishes are of places already scrolled past

Index = QModelIndex | QPersistentModelIndex
STATUS = Line._fields.index("status")
_NOWHERE = QModelIndex()
GONE = Line("", "", "", "", "", "")  # an output that was removed since its id was read


class OutputsTable(QAbstractTableModel):
    """The model. Rows are addressed by place in the list of ids (8 bytes each), so that any can be jumped to.

    A missing row shows "…" and is requested: `pages_wanted` reports that `take_wanted` has pages. `sorted_by` reports
    that a person wants another order: the loader of the table sorts.
    """

    pages_wanted = Signal()
    sorted_by = Signal(object)  # OutputOrder, or None: as they were written

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._ids = array("q")
        self._last_id = 0
        self._pages: OrderedDict[int, Sequence[Line]] = OrderedDict()
        self._wanted: OrderedDict[int, None] = OrderedDict()
        self._ask = QTimer(self, singleShot=True, interval=0)
        self._ask.timeout.connect(self.pages_wanted)

    # the ids

    def clear(self) -> None:
        """Forget everything: another filter, another project."""
        self.beginResetModel()
        self._ids = array("q")
        self._last_id = 0
        self._pages.clear()
        self._wanted.clear()
        self.endResetModel()

    def append_ids(self, ids: "array[int]") -> None:
        """Append ids of further outputs, none of them known already."""
        if not ids:
            return
        self._last_id = max(self._last_id, int(np.frombuffer(ids, np.int64).max()))
        first = len(self._ids)
        self.beginInsertRows(QModelIndex(), first, first + len(ids) - 1)
        self._ids.extend(ids)
        self._pages.pop(first // PAGE_ROWS, None)  # the last page was not full
        self.endInsertRows()

    def id_at(self, row: int) -> int:
        return self._ids[row]

    def last_id(self) -> int:
        """Return the highest id known; 0 without any."""
        return self._last_id

    # the pages

    def take_wanted(self) -> list[tuple[int, Sequence[int]]]:
        """Return the pages that are in view and missing, with their ids, the latest request first."""
        latest = [page for page in reversed(self._wanted) if page * PAGE_ROWS < len(self._ids)][:PAGES_ASKED]
        self._wanted.clear()
        return [(page, self._ids[page * PAGE_ROWS : (page + 1) * PAGE_ROWS]) for page in latest]

    def put_page(self, page: int, ids: Sequence[int], lines: Mapping[int, Line]) -> None:
        """Store the rows of a page, by id; pages not seen for longest are dropped."""
        first = page * PAGE_ROWS
        if not ids or self._ids[first : first + PAGE_ROWS] != ids:
            return  # the list became another one, or longer, meanwhile: it is asked for again
        self._pages[page] = [lines.get(id, GONE) for id in ids]
        self._pages.move_to_end(page)
        while len(self._pages) > PAGES_KEPT:
            self._pages.popitem(last=False)
        self.dataChanged.emit(self.index(first, 0), self.index(first + len(ids) - 1, len(Line._fields) - 1))

    def _line(self, row: int) -> Line | None:
        page = row // PAGE_ROWS
        lines = self._pages.get(page)
        if lines is not None:
            self._pages.move_to_end(page)
            return lines[row % PAGE_ROWS] if row % PAGE_ROWS < len(lines) else None
        self._wanted[page] = None
        self._wanted.move_to_end(page)
        if not self._ask.isActive():
            self._ask.start()
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Ask for the order of a column; the column of texts has none."""
        field = Line._fields[column] if column >= 0 else ""
        wanted = OutputOrder(field, order == Qt.SortOrder.DescendingOrder) if field in SORTED else None
        self.sorted_by.emit(wanted)

    # what Qt asks

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._ids)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(Line._fields)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        return self.text_at(index.row(), index.column())

    def text_at(self, row: int, column: int) -> str:
        """Return the text of a cell; a missing row is requested."""
        line = self._line(row)
        if line is None:
            return "…" if column == 0 else ""
        return status_word(line.status) if column == STATUS else tr(line[column]) if column else line[column]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if orientation == Qt.Orientation.Vertical:
            return section + 1
        return headings()[section]


def headings() -> tuple[str, ...]:
    """Return the headings of the columns, in the order of a line's fields."""
    return tr("Text"), tr("Task"), tr("Theme"), tr("Identity"), tr("Generator"), tr("Status")


def status_word(status: str) -> str:
    """Return a stored status in the reader's words."""
    return {"done": tr("done"), "error": tr("failed")}.get(status, status)


TEXT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextSingleLine


class LineDelegate(QStyledItemDelegate):
    """Paints the cells of a long table: one line of plain text, cut where it does not fit, and nothing else.

    The ordinary delegate asks the model nine things for every cell; while a thread works, each of them waits for it.
    """

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
            isolated(table.text_at(index.row(), index.column())), Qt.TextElideMode.ElideRight, inside.width()
        )
        painter.setPen(QColor(tokens.ink if index.column() == 0 or chosen else tokens.soft))
        painter.drawText(inside, int(TEXT), text)


Page = tuple[int, Sequence[int]]


class OutputLoader(QObject):
    """Fills `table` from a source and a filter. `counted` reports how many were found, and if that is all."""

    counted = Signal(int, bool)
    failed = Signal(object)  # AppError

    def __init__(self, runner: JobRunner, table: OutputsTable, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner, self._table = runner, table
        self._source: RowSource | None = None
        self._where: OutputFilter | None = None
        self._order: OutputOrder | None = None
        self._scan: JobHandle | None = None
        self._fetch: JobHandle | None = None
        table.pages_wanted.connect(self._fetch_wanted)

    def show(self, source: RowSource | None, where: OutputFilter | None, order: OutputOrder | None = None) -> None:
        """Start over with this source, filter and order; None: nothing to show."""
        self.stop()
        self._source, self._where, self._order = source, where, order
        self._table.clear()
        self.counted.emit(0, source is None)
        self.read_on()

    def stop(self) -> None:
        """Cancel the reading; drop later results."""
        for handle in (self._scan, self._fetch):
            if handle is not None:
                handle.cancel()
        self._scan = self._fetch = None

    def read_on(self) -> None:
        """Look for added outputs: they go to the end, also in a sorted table, so that no row moves."""
        source, where, after = self._source, self._where, self._table.last_id()
        order = self._order if not self._table.rowCount() else None
        if source is None or where is None or self._scan is not None:
            return

        def scan(ctx: JobContext) -> None:
            for ids in source.id_pages(where, after, order):
                ctx.check()
                if ids:
                    ctx.report(0, partial=ids)

        handle: JobHandle | None = None

        def take(pages: "Sequence[array[int]]") -> None:
            if self._scan is handle:
                self._table.append_ids(sum(pages, array("q")))
                self.counted.emit(self._table.rowCount(), False)

        def end(error: AppError | None) -> None:
            if self._scan is handle:
                self._scan = None
                self.counted.emit(self._table.rowCount(), True)
                if error is not None:
                    self.failed.emit(error)

        handle = self._runner.start(
            tr("Outputs"), scan, quiet=True, on_partial=take, on_done=lambda _: end(None), on_error=end
        )
        self._scan = handle

    def _fetch_wanted(self) -> None:
        """Fetch the pages in view; requests made during a fetch wait for the next one."""
        source = self._source
        if source is None or self._fetch is not None:
            return
        pages = self._table.take_wanted()
        if not pages:
            return

        def read(ctx: JobContext) -> list[tuple[Page, dict[int, Line]]]:
            fetched, titles = [], source.titles()
            for page, ids in pages:
                ctx.check()
                fetched.append(((page, ids), {row.id: line_of(row, titles) for row in source.rows(ids)}))
            return fetched

        handle: JobHandle | None = None

        def end(found: list[tuple[Page, dict[int, Line]]], error: AppError | None) -> None:
            if self._fetch is not handle:
                return
            self._fetch = None
            for (page, ids), lines in found:
                self._table.put_page(page, ids, lines)
            if error is None:
                self._fetch_wanted()
            else:
                self.failed.emit(error)

        handle = self._runner.start(
            tr("Outputs"),
            read,
            quiet=True,
            on_done=lambda found: end(found, None),
            on_error=lambda error: end([], error),
        )
        self._fetch = handle
