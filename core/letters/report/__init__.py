"""A checked letter on paper: a note to its writer that fits on a page, and the full report; as PDF or docx.

Whoever calls has the reading. Heavy: the writers are loaded at the first call, so the window asks the compute process.
"""

import io
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from biasprint.core.errors import UsageError
from biasprint.core.letters.house import HouseList
from biasprint.core.letters.report.full import full_report
from biasprint.core.letters.report.note import appendix_of, changes_made, note, suggestions_left
from biasprint.core.letters.report.pile import PileReport, pile_report
from biasprint.core.letters.twins import without_dismissed
from biasprint.core.letters.values import Document, Reading, TwinDifference
from biasprint.core.letters.verdict import verdict_of
from biasprint.core.report.blocks import (
    SOFT,
    Block,
    Heading,
    NewPage,
    ReportParagraph,
    ReportTable,
    colour_of,
    printable,
    runs_of,
)
from biasprint.core.report.pdf import column_widths, page_count, pdf_bytes
from biasprint.core.report.whole_file import write_whole

# ---- A report as docx


def docx_bytes(blocks: Iterable[Block], title: str) -> bytes:
    """The docx. A new page begins with the block after it, so that no empty paragraph can take a page of its own."""
    from docx import Document
    from docx.shared import Cm, Pt

    document = Document()
    document.styles["Normal"].font.size = Pt(10.5)
    document.styles["Title"].font.size = Pt(20)
    document.core_properties.author = ""
    document.core_properties.title = title
    page = document.sections[0]
    page.page_width, page.page_height = Cm(21), Cm(29.7)
    page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = Cm(2)
    new_page = False
    for block in blocks:
        if isinstance(block, Heading):
            heading = document.add_heading(printable(block.text), block.level)
            heading.paragraph_format.page_break_before = new_page
            new_page = False
        elif isinstance(block, ReportParagraph):
            _docx_paragraph(document, block)
        elif isinstance(block, ReportTable):
            _docx_table(document, block)
        elif isinstance(block, NewPage):
            new_page = True
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _docx_paragraph(document: Any, paragraph: ReportParagraph) -> None:
    from docx.shared import Pt, RGBColor

    made = document.add_paragraph(style="List Bullet" if paragraph.bullet else None)
    for run in paragraph.runs:
        piece = made.add_run(printable(run.text))
        piece.bold = bool(run.bold or run.category)
        piece.underline = run.category is not None
        if run.category:
            piece.font.color.rgb = RGBColor(*colour_of(run.category))
        elif paragraph.soft:
            piece.font.color.rgb = RGBColor(*SOFT)
        if run.tag:
            tag = made.add_run(f" [{printable(run.tag)}]")
            tag.font.size = Pt(7)


def _docx_table(document: Any, table: ReportTable) -> None:
    from docx.enum.table import WD_TABLE_ALIGNMENT
    from docx.oxml import OxmlElement
    from docx.shared import Cm, Pt

    made = document.add_table(rows=1, cols=len(table.header))
    made.style, made.alignment, made.autofit = "Table Grid", WD_TABLE_ALIGNMENT.LEFT, False
    widths = column_widths(table)
    for column, width in zip(made.columns, widths, strict=True):
        column.width = Cm(17 * width)
    for row in (table.header, *table.rows):
        made_row = made.rows[0] if row is table.header else made.add_row()
        # A header stands on each page, and above a row; a row stays whole.
        made_row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader" if row is table.header else "w:cantSplit"))
        for cell, text, width in zip(made_row.cells, row, widths, strict=True):
            cell.width = Cm(17 * width)
            cell.paragraphs[0].paragraph_format.keep_with_next = row is table.header or None
            for piece in runs_of(text):
                run = cell.paragraphs[0].add_run(printable(piece.text))
                run.font.size = Pt(9)
                run.bold = piece.bold or row is table.header
    document.add_paragraph().paragraph_format.space_after = Pt(2)


REPORT_SUFFIXES = (".pdf", ".docx")
MOST_ROWS = 40  # of a note: a page has no room for more, however short they are


def write_report(
    path: Path,
    reading: Reading,
    twin: TwinDifference | None = None,
    dismissed: Collection[str] = (),
    original: Document | None = None,
) -> None:
    """Write the full report, as PDF or docx by its ending. Raises `UsageError` for another one.

    `dismissed`: the keys of marks (`Mark.key`), and of the balance, that a person put aside: they are not listed.
    `original`: the letter as it was opened, where it may have been edited since.
    """
    left = reading.without(dismissed)
    asking = without_dismissed(twin, dismissed) if twin is not None else None
    blocks = full_report(
        left,
        verdict_of(reading, dismissed),
        asking,
        f"{_now():%d %B %Y, %H:%M}",
        len(reading.marks) - len(left.marks),
        edited=_edited(reading, original),
    )
    _write(path, blocks, "Letter check")


def write_note(
    path: Path,
    reading: Reading,
    dismissed: Collection[str] = (),
    original: Document | None = None,
    house: HouseList | None = None,
    appendix: bool = False,
) -> None:
    """Write the note to the writer, one page, as PDF or docx by its ending. Raises `UsageError` for another one.

    `dismissed`, `original`: as for `write_report`; `house`: the list that the reading respected. `appendix`: versions
    and hashes on a page of their own.
    """
    edited = original if original is not None and _edited(reading, original) else None
    made = changes_made(edited, reading, house) if edited is not None else ()
    left = suggestions_left(reading, dismissed)
    day = f"{_now():%d %B %Y}"
    verdict = verdict_of(replace(reading, support=()), dismissed)  # claims are for whoever has the CV
    page = partial(note, reading.without(dismissed), verdict, made, left, day, edited=edited is not None)
    blocks = list(page(_most_on_a_page(page, min(len(made) + len(left), MOST_ROWS))))
    if appendix:
        blocks += appendix_of(reading, edited, house, len(reading.marks) - len(reading.without(dismissed).marks))
    _write(path, blocks, "A note on your letter")


def write_pile_report(path: Path, report: PileReport) -> None:
    """Write the report of a pile, as PDF or docx by its ending. Raises `UsageError` for another one."""
    _write(path, pile_report(report), "Letter check")


def _most_on_a_page(page: Callable[[int], Iterable[Block]], every: int) -> int:
    """Return how many of its rows fit a page: most often all of them, else found by halves."""
    fits, asked, too_many = 0, every, every + 1
    while too_many - fits > 1:
        if page_count(page(asked)) == 1:
            fits = asked
        else:
            too_many = asked
        asked = (fits + too_many) // 2
    return fits


def _write(path: Path, blocks: Iterable[Block], title: str) -> None:
    check_report_path(path)
    write_whole(path, pdf_bytes(blocks, title) if path.suffix.lower() == ".pdf" else docx_bytes(blocks, title))


def check_report_path(path: Path) -> None:
    """Raise `UsageError` for a file that no report is written to."""
    if path.suffix.lower() not in REPORT_SUFFIXES:
        raise UsageError(f"A report is a {' or a '.join(REPORT_SUFFIXES)} file, not “{path.name}”.")


def _edited(reading: Reading, original: Document | None) -> bool:
    return original is not None and original.text != reading.document.text


def _now() -> datetime:
    return datetime.now().astimezone()


__all__ = ["REPORT_SUFFIXES", "PileReport", "check_report_path", "write_note", "write_pile_report", "write_report"]
