"""A report as a Word file."""

import io
from collections.abc import Iterable
from typing import Any

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
    from docx.shared import Cm, Pt

    made = document.add_table(rows=1, cols=len(table.header))
    made.style, made.alignment, made.autofit = "Table Grid", WD_TABLE_ALIGNMENT.LEFT, False
    for column, width in zip(made.columns, table.widths, strict=True):
        column.width = Cm(17 * width)
    for row in (table.header, *table.rows):
        cells = made.rows[0].cells if row is table.header else made.add_row().cells
        for cell, text, width in zip(cells, row, table.widths, strict=True):
            cell.width = Cm(17 * width)
            for piece in runs_of(text):
                run = cell.paragraphs[0].add_run(printable(piece.text))
                run.font.size = Pt(9)
                run.bold = piece.bold or row is table.header
    document.add_paragraph().paragraph_format.space_after = Pt(2)
