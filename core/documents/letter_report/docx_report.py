"""A report as docx, for people who want to go on writing in it."""

import io
from collections.abc import Iterator
from typing import Any

from core.documents.letter_report.blocks import Block, Heading, NewPage, Paragraph, Table
from core.documents.letter_report.colours import SOFT, colour_of


def docx_bytes(blocks: Iterator[Block]) -> bytes:
    """The docx."""
    from docx import Document
    from docx.enum.text import WD_BREAK
    from docx.shared import Pt

    document = Document()
    document.styles["Normal"].font.size = Pt(10.5)
    document.core_properties.author = ""
    document.core_properties.title = "Letter check"
    for block in blocks:
        if isinstance(block, Heading):
            document.add_heading(_plain(block.text), block.level)
        elif isinstance(block, Paragraph):
            _paragraph(document, block)
        elif isinstance(block, Table):
            _table(document, block)
        elif isinstance(block, NewPage):
            document.add_paragraph().add_run().add_break(WD_BREAK.PAGE)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _paragraph(document: Any, paragraph: Paragraph) -> None:
    from docx.shared import Pt, RGBColor

    made = document.add_paragraph(style="List Bullet" if paragraph.bullet else None)
    for run in paragraph.runs:
        piece = made.add_run(_plain(run.text))
        piece.bold = bool(run.bold or run.category)
        piece.underline = run.category is not None
        if run.category:
            piece.font.color.rgb = RGBColor(*colour_of(run.category))
        elif paragraph.soft:
            piece.font.color.rgb = RGBColor(*SOFT)
        if run.tag:
            tag = made.add_run(f" [{_plain(run.tag)}]")
            tag.font.size = Pt(7)


def _table(document: Any, table: Table) -> None:
    made = document.add_table(rows=1, cols=len(table.header))
    made.style = "Light List"
    for cell, text in zip(made.rows[0].cells, table.header, strict=True):
        cell.text = _plain(text)
    for row in table.rows:
        for cell, text in zip(made.add_row().cells, row, strict=True):
            cell.text = _plain(text)
    document.add_paragraph()


def _plain(text: str) -> str:
    """XML has no place for controls and lone surrogates."""
    return "".join(sign if sign == "\n" or sign.isprintable() else " " for sign in text)
