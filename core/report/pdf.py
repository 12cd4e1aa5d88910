"""A report as PDF."""

import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

from core.draw.figure import Figure
from core.errors import AppError
from core.own import own_files
from core.report.blocks import (
    INK,
    LINES,
    SOFT,
    Block,
    Cell,
    Heading,
    NewPage,
    ReportFigure,
    ReportParagraph,
    ReportTable,
    Run,
    colour_of,
    printable,
    runs_of,
)

SIZES = {0: 18.0, 1: 13.0, 2: 10.5}
TEXT, SMALL, LINE = 10.0, 7.0, 5.2  # points, points, millimetres
MARGIN = 20.0
FIGURE_WIDTH, FIGURE_EDGE = 170.0, 6.0  # millimetres
BOLD, ESCAPE, PAGES = "\ue001\ue001", "\ue002", "\ue003" * 3  # of no script: private to this file
FOOT = "One letter cannot show bias. It can show language worth a second look."  # of a letter's report
MOST_OF_PAGE = 0.92  # a figure is made smaller rather than higher than this
LEAST_SIZE = 0.7  # and as small as this rather than put on the next page


def pdf_bytes(blocks: Iterable[Block], title: str, foot: str = FOOT) -> bytes:
    """The PDF, with `foot` below each page. Signs that the typeface lacks are shown as boxes."""
    return bytes(_laid_out(blocks, title, foot).output())


def figure_pdf(figure: Figure) -> bytes:
    """The figure alone, on a page of its own size."""
    from core.report.pdf_canvas import PdfCanvas

    high = PdfCanvas.height(_blank(), figure, FIGURE_WIDTH)
    document = _document(figure.title, "", (FIGURE_WIDTH + 2 * FIGURE_EDGE, high + 2 * FIGURE_EDGE))
    PdfCanvas.draw(document, figure, FIGURE_EDGE, FIGURE_EDGE, FIGURE_WIDTH)
    return bytes(document.output())


def page_count(blocks: Iterable[Block]) -> int:
    """How many pages the PDF of the blocks has."""
    return int(_laid_out(blocks, "", FOOT).page_no())


@cache
def _blank() -> Any:
    """A document to measure texts with."""
    return _document("", "")


def _laid_out(blocks: Iterable[Block], title: str, foot: str) -> Any:
    document = _document(title, foot)
    for block in blocks:
        if isinstance(block, Heading):
            _pdf_heading(document, block)
        elif isinstance(block, ReportParagraph):
            _pdf_paragraph(document, block)
        elif isinstance(block, ReportTable):
            _pdf_table(document, block)
        elif isinstance(block, ReportFigure):
            _pdf_figure(document, block)
        elif isinstance(block, NewPage):
            document.add_page()
    return document


def _document(title: str, foot: str, size: tuple[float, float] | None = None) -> Any:
    try:
        from fpdf import FPDF
    except ImportError as error:
        raise AppError(
            "The package fpdf2 is missing: no PDF was written.", hint="Install it: pip install fpdf2"
        ) from error

    class Report(FPDF):
        # The only mark-up is what `_marked_up` writes: signs that `printable` lets through of no letter.
        MARKDOWN_BOLD_MARKER = BOLD
        MARKDOWN_MARKERS = (BOLD,) * 4
        MARKDOWN_ESCAPE_CHARACTER = ESCAPE
        MARKDOWN_LINK_REGEX = re.compile("(?!)")

        def footer(self) -> None:
            if not foot:
                return
            self.set_y(-14)
            self.set_font("Inter", size=SMALL + 0.5)
            self.set_text_color(*SOFT)
            self.cell(0, 5, foot)
            self.set_x(MARGIN)
            self.cell(0, 5, f"{self.page_no()} / {PAGES}", align="R")

    document = Report(format=size or "A4")
    document.alias_nb_pages(PAGES)
    document.set_margins(MARGIN, MARGIN, MARGIN)
    document.set_auto_page_break(size is None, 22)
    fonts = own_files("resources").joinpath("fonts")
    document.add_font("Inter", "", str(fonts.joinpath("Inter-Regular.ttf")))
    document.add_font("Inter", "B", str(fonts.joinpath("Inter-SemiBold.ttf")))
    document.set_title(title)
    document.set_creator("Biasprint")
    document.add_page()
    return document


def _marked_up(run: Run) -> str:
    text = printable(run.text)
    return f"{BOLD}{text}{BOLD}" if run.bold and text else text


def _pdf_heading(document: Any, heading: Heading) -> None:
    document.ln(0 if heading.level == 0 else 4 if heading.level == 1 else 2)
    if document.will_page_break(18):  # a heading alone at the foot of a page helps nobody
        document.add_page()
    document.set_font("Inter", "B", SIZES[heading.level])
    document.set_text_color(*INK)
    if heading.level <= 1:
        document.start_section(printable(heading.text), heading.level, strict=False)  # in the reader's list of pages
    document.multi_cell(
        0, SIZES[heading.level] * 0.5, printable(heading.text), new_x="LMARGIN", new_y="NEXT", align="L"
    )
    document.ln(1.2)


def _pdf_paragraph(document: Any, paragraph: ReportParagraph) -> None:
    # All runs are laid out as one text: written one after the other, a word at a line's end would be broken.
    left, top = MARGIN + (4 if paragraph.bullet else 0), document.get_y()
    if paragraph.bullet:
        if document.will_page_break(LINE):
            document.add_page()
            top = document.get_y()
        document.set_font("Inter", "", TEXT)
        document.set_text_color(*SOFT)
        document.cell(4, LINE, "•")
        document.set_xy(MARGIN, top)
    size = TEXT - (1 if paragraph.soft else 0)
    height = LINE * document.k / size  # of a line, in sizes of its letters
    with document.text_columns(text_align="L", l_margin=left, line_height=height) as column:
        for run in paragraph.runs:
            colour = colour_of(run.category) if run.category else SOFT if paragraph.soft else INK
            document.set_font("Inter", ("B" if run.bold or run.category else "") + ("U" if run.category else ""), size)
            document.set_text_color(*colour)
            column.write(printable(run.text))
            if run.tag:
                document.set_font("Inter", "", SMALL)
                column.write(f" [{printable(run.tag)}]")
    document.set_x(MARGIN)
    document.ln(0.8 if paragraph.bullet else 2.2)


def _pdf_figure(document: Any, block: ReportFigure) -> None:
    from core.report.pdf_canvas import PdfCanvas

    whole = document.eph - 2
    wide = float(document.epw) * block.share
    high = PdfCanvas.height(_blank(), block.figure, wide)
    if high > MOST_OF_PAGE * whole:  # as a whole it is smaller, and its letters with it
        wide, high = wide * MOST_OF_PAGE * whole / high, MOST_OF_PAGE * whole
    document.ln(2)
    room = document.page_break_trigger - document.get_y() - 2
    if high > room >= LEAST_SIZE * high:  # a little smaller it stands where it belongs, and no page is half empty
        wide, high = wide * room / high, room
    if document.will_page_break(high):
        document.add_page()
    top = document.get_y()
    PdfCanvas.draw(document, block.figure, MARGIN, top, wide)
    document.set_xy(MARGIN, top + high)
    document.ln(2)


def _pdf_table(document: Any, table: ReportTable) -> None:
    from fpdf.fonts import FontFace

    document.set_font("Inter", "", TEXT - 1)
    document.set_text_color(*INK)
    document.set_draw_color(*LINES)
    document.set_line_width(0.2)
    head = FontFace(emphasis="BOLD", color=SOFT)
    widths = tuple(round(1000 * width) for width in table.widths)
    rows: Sequence[Sequence[Cell]] = (table.header, *table.rows)
    with document.table(
        col_widths=widths, text_align="LEFT", v_align="TOP", borders_layout="HORIZONTAL_LINES",
        line_height=LINE - 0.4, padding=1, headings_style=head, markdown=True,
    ) as made:  # fmt: skip
        for row in rows:
            line = made.row()
            for cell in row:
                line.cell("".join(_marked_up(run) for run in runs_of(cell)))
    document.ln(2)
