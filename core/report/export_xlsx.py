"""Rows to an xlsx workbook: every text a string cell, never a formula; what a cell cannot hold is cut and reported."""

import contextlib
import re
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile

from core.errors import AppError
from core.report.export_cells import Cell, CutCell, Tally, is_formula, without_surrogates

MOST_ROWS = 1_048_576  # of a sheet, its header included
MOST_UNITS = 32_767  # of a cell, in UTF-16 code units
EXACT_DIGITS = 15  # a spreadsheet rounds longer whole numbers, such as seeds
# XML cannot hold these; the format writes them as _xHHHH_, and so the underscore of a text that looks like that.
_TO_ESCAPE = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def write_xlsx(file: BinaryIO, columns: Sequence[str], rows: Iterable[list[Cell]], tally: Tally) -> None:
    """Write one sheet, row by row. Raises `AppError` where there are more rows than a sheet holds."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.writer.excel import ExcelWriter

    book = Workbook(write_only=True)
    sheet = book.create_sheet("Biasprint")

    def cell(value: Cell, column: str) -> Any:
        if isinstance(value, int) and not isinstance(value, bool) and len(str(abs(value))) > EXACT_DIGITS:
            value = str(value)
        if not isinstance(value, str):
            return value
        made = WriteOnlyCell(sheet, value=_fit(without_surrogates(value, tally), column, tally))
        made.data_type = "s"
        if is_formula(value):
            made.quotePrefix = True  # so that it stays text even when someone edits the cell
            tally.guarded += 1
        return made

    header: list[Cell] = list(columns)
    archive = ZipFile(file, "w", ZIP_DEFLATED)
    try:
        for number, row in enumerate(chain([header], rows)):
            if number == MOST_ROWS:
                raise _too_many_rows()
            sheet.append([cell(value, column) for value, column in zip(row, columns, strict=True)])
        ExcelWriter(book, archive).save()
    except BaseException:
        # Left open, both would try to finish their files when they are collected, and complain aloud.
        for unfinished in (sheet, archive):
            with contextlib.suppress(Exception):
                unfinished.close()
        raise


def _too_many_rows() -> AppError:
    message = f"An xlsx sheet holds {MOST_ROWS - 1:,} rows, and there are more."
    return AppError(message, hint="Export as csv or parquet instead.")


def _fit(text: str, column: str, tally: Tally) -> str:
    """The text as the format writes it, cut to what a cell holds."""
    units = text.encode("utf-16-le")
    kept = text if len(units) <= 2 * MOST_UNITS else units[: 2 * MOST_UNITS].decode("utf-16-le", "ignore")
    escaped = _escape(kept)
    while len(escaped) > MOST_UNITS:
        kept = kept[: -max(1, (len(escaped) - MOST_UNITS) // len("_x0000_"))]
        escaped = _escape(kept)
    if len(kept) < len(text):
        tally.cut.append(CutCell(tally.rows, column, len(text), len(kept)))
    return escaped


def _escape(text: str) -> str:
    return _TO_ESCAPE.sub(lambda hit: f"_x{ord(hit[0]):04X}_", text)
