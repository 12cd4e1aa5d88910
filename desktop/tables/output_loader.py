"""Fills the outputs table from threads: first the ids, as they are found, then the rows of what is seen."""

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.errors import AppError
from core.jobs import JobContext
from desktop.jobs import JobHandle, JobRunner
from desktop.read.output_rows import Line, RowSource, line_of
from desktop.tables.outputs import OutputsTable
from desktop.widgets.words import tr

if TYPE_CHECKING:
    from core.project.stores.runs import OutputFilter

Page = tuple[int, Sequence[int]]


class OutputLoader(QObject):
    """Keeps `table` filled from a source and a filter. `counted` tells how many were found, and if that is all."""

    counted = Signal(int, bool)
    failed = Signal(object)  # AppError

    def __init__(self, runner: JobRunner, table: OutputsTable, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._runner, self._table = runner, table
        self._source: RowSource | None = None
        self._where: OutputFilter | None = None
        self._scan: JobHandle | None = None
        self._fetch: JobHandle | None = None
        table.pages_wanted.connect(self._fetch_wanted)

    def show(self, source: RowSource | None, where: "OutputFilter | None") -> None:
        """Begin anew with this source and filter; None: nothing to show."""
        self.stop()
        self._source, self._where = source, where
        self._table.clear()
        self.counted.emit(0, source is None)
        self.read_on()

    def stop(self) -> None:
        """Cancel what is being read; what it still brings is dropped."""
        for handle in (self._scan, self._fetch):
            if handle is not None:
                handle.cancel()
        self._scan = self._fetch = None

    def read_on(self) -> None:
        """Look for outputs that were added at the end."""
        source, where, after = self._source, self._where, self._table.last_id()
        if source is None or where is None or self._scan is not None:
            return

        def scan(ctx: JobContext) -> None:
            for ids in source.id_pages(where, after):
                ctx.check()
                if ids:
                    # An array is built here and joined there in no time: a million numbers are not handled one by one.
                    ctx.report(0, partial=array("q", ids))

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
        """Fetch what is seen; while one fetch is under way the next wishes gather."""
        source = self._source
        if source is None or self._fetch is not None:
            return
        pages = self._table.take_wanted()
        if not pages:
            return

        def read(ctx: JobContext) -> list[tuple[Page, dict[int, Line]]]:
            found, titles = [], source.titles()
            for page, ids in pages:
                ctx.check()
                found.append(((page, ids), {row.id: line_of(row, titles) for row in source.rows(ids)}))
            return found

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
