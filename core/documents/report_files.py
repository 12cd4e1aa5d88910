"""A reading as a document for people: PDF or docx, in plain words, with methods and versions on the last page."""

import io
from collections.abc import Iterator, Sequence
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from core.documents.report_content import (
    INK,
    LINES,
    SOFT,
    Block,
    Heading,
    NewPage,
    ReportParagraph,
    ReportTable,
    blocks_of,
    colour_of,
)
from core.documents.values import Reading, TwinDifference
from core.errors import AppError, UsageError
from core.report.whole_file import write_whole


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
        elif isinstance(block, ReportParagraph):
            _docx_paragraph(document, block)
        elif isinstance(block, ReportTable):
            _docx_table(document, block)
        elif isinstance(block, NewPage):
            document.add_paragraph().add_run().add_break(WD_BREAK.PAGE)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _docx_paragraph(document: Any, paragraph: ReportParagraph) -> None:
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


def _docx_table(document: Any, table: ReportTable) -> None:
    made = document.add_table(rows=1, cols=len(table.header))
    made.style = "Light List"
    for cell, text in zip(made.rows[0].cells, table.header, strict=True):
        cell.text = _plain(text)
    for row in table.rows:
        for cell, text in zip(made.add_row().cells, row, strict=True):
            cell.text = _plain(text)
    document.add_paragraph()


def _plain(text: str) -> str:
    """Text without controls and lone surrogates, for which XML has no place; a line end stays one."""
    return "".join(sign if sign == "\n" or sign.isprintable() else " " for sign in text)


SIZES = {0: 18.0, 1: 13.0, 2: 10.5}
TEXT, SMALL, LINE = 10.0, 7.0, 5.2  # points, points, millimetres
MARGIN = 20.0
FOOT = "One letter cannot show bias. It can show language that is known to matter."


def pdf_bytes(blocks: Iterator[Block]) -> bytes:
    """The PDF. Signs that the typeface lacks are shown as boxes."""
    document = _document()
    for block in blocks:
        if isinstance(block, Heading):
            _pdf_heading(document, block)
        elif isinstance(block, ReportParagraph):
            _pdf_paragraph(document, block)
        elif isinstance(block, ReportTable):
            _pdf_table(document, block)
        elif isinstance(block, NewPage):
            document.add_page()
    return bytes(document.output())


def _document() -> Any:
    try:
        from fpdf import FPDF
    except ImportError as error:
        raise AppError(
            "The package fpdf2 is missing: no PDF was written.", hint="Install it: pip install fpdf2"
        ) from error

    class Report(FPDF):
        def footer(self) -> None:
            self.set_y(-14)
            self.set_font("Inter", size=SMALL + 0.5)
            self.set_text_color(*SOFT)
            self.cell(0, 5, FOOT)
            self.set_x(MARGIN)
            self.cell(0, 5, f"{self.page_no()} / {{nb}}", align="R")

    document = Report(format="A4")
    document.set_margins(MARGIN, MARGIN, MARGIN)
    document.set_auto_page_break(True, 22)
    fonts = files("resources").joinpath("fonts")
    document.add_font("Inter", "", str(fonts.joinpath("Inter-Regular.ttf")))
    document.add_font("Inter", "B", str(fonts.joinpath("Inter-SemiBold.ttf")))
    document.set_title("Letter check")
    document.set_creator("Biasprint")
    document.add_page()
    return document


def _pdf_heading(document: Any, heading: Heading) -> None:
    document.ln(0 if heading.level == 0 else 4 if heading.level == 1 else 2)
    if document.will_page_break(18):  # a heading alone at the foot of a page helps nobody
        document.add_page()
    document.set_font("Inter", "B", SIZES[heading.level])
    document.set_text_color(*INK)
    document.multi_cell(0, SIZES[heading.level] * 0.5, _plain(heading.text), new_x="LMARGIN", new_y="NEXT", align="L")
    document.ln(1.2)


def _pdf_paragraph(document: Any, paragraph: ReportParagraph) -> None:
    left = MARGIN + (4 if paragraph.bullet else 0)
    document.set_left_margin(left)
    if paragraph.bullet:
        document.set_x(MARGIN)
        document.set_font("Inter", "", TEXT)
        document.set_text_color(*SOFT)
        document.write(LINE, "•")
    document.set_x(left)
    for run in paragraph.runs:
        size = TEXT - (1 if paragraph.soft else 0)
        colour = colour_of(run.category) if run.category else SOFT if paragraph.soft else INK
        document.set_font("Inter", ("B" if run.bold or run.category else "") + ("U" if run.category else ""), size)
        document.set_text_color(*colour)
        document.write(LINE, _plain(run.text))
        if run.tag:
            document.set_font("Inter", "", SMALL)
            document.set_text_color(*colour)
            document.write(LINE, f" [{_plain(run.tag)}]")
    document.set_left_margin(MARGIN)
    document.ln(LINE + (0.8 if paragraph.bullet else 2.2))


def _pdf_table(document: Any, table: ReportTable) -> None:
    from fpdf.fonts import FontFace

    document.set_font("Inter", "", TEXT - 1)
    document.set_text_color(*INK)
    document.set_draw_color(*LINES)
    document.set_line_width(0.2)
    head = FontFace(emphasis="BOLD", color=SOFT)
    widths = tuple(round(1000 * width) for width in table.widths)
    rows: Sequence[Sequence[str]] = (table.header, *table.rows)
    with document.table(
        col_widths=widths, text_align="LEFT", borders_layout="HORIZONTAL_LINES", line_height=LINE - 0.4, padding=1,
        headings_style=head,
    ) as made:  # fmt: skip
        for row in rows:
            line = made.row()
            for cell in row:
                line.cell(_plain(cell))
    document.ln(2)


REPORT_SUFFIXES = (".pdf", ".docx")


def write_report(path: Path, reading: Reading, *, twin: TwinDifference | None = None) -> None:
    """Write the report to `path`, as PDF or docx by its ending. Raises `UsageError` for another one.

    Heavy: the writers are loaded at the first call, so the window asks the compute process.
    """
    suffix = path.suffix.lower()
    if suffix not in REPORT_SUFFIXES:
        raise UsageError(f"A report is a {' or a '.join(REPORT_SUFFIXES)} file, not “{path.name}”.")
    made = f"{datetime.now().astimezone():%d %B %Y, %H:%M}"
    blocks = blocks_of(reading, twin, made)
    write_whole(path, pdf_bytes(blocks) if suffix == ".pdf" else docx_bytes(blocks))
