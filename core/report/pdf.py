"""A report as PDF."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import count
from typing import Any

from biasprint.core.draw.figure import Figure
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.report.blocks import (
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
from biasprint.core.report.pdf_canvas import POINTS, Line, Look, PageWords, Piece

SIZES = {0: 18.0, 1: 13.0, 2: 10.5}
TEXT, SMALL, LINE = 10.0, 7.0, 5.2  # points, points, millimetres
MARGIN = 20.0
FIGURE_WIDTH, FIGURE_EDGE = 170.0, 6.0  # millimetres
PAGES = "\ue003" * 3  # of no script: stands for the number of pages
BULLET, PADDING = 4.0, 1.0  # millimetres: before a bullet's text, around a cell's
MOST_UNKNOWN = 20  # signs that are named
FOOT = "One letter cannot show bias. It can show language worth a second look."  # of a letter's report
MOST_OF_PAGE = 0.92  # a figure is made smaller rather than higher than this
LEAST_SIZE = 0.7  # and as small as this rather than put on the next page


def pdf_bytes(blocks: Iterable[Block], title: str, foot: str = FOOT, ctx: JobContext | None = None) -> bytes:
    """The PDF, with `foot` below each page. Signs that no typeface has are boxes, and named at the end.

    `ctx` is told how many rows of tables and other blocks have been laid out.
    """
    return bytes(_laid_out(blocks, title, foot, ctx).output())


def figure_pdf(figure: Figure) -> bytes:
    """The figure alone, on a page of its own size."""
    from biasprint.core.report.pdf_canvas import PdfCanvas

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


def _laid_out(blocks: Iterable[Block], title: str, foot: str, ctx: JobContext | None = None) -> Any:
    document = _document(title, foot)
    every = list(blocks)
    told = _told(ctx or JobContext(), every)
    for block in every:
        if isinstance(block, Heading):
            _pdf_heading(document, block)
        elif isinstance(block, ReportParagraph):
            _pdf_paragraph(document, block)
        elif isinstance(block, ReportTable):
            _pdf_table(document, block, told)
        elif isinstance(block, ReportFigure):
            _pdf_figure(document, block)
        elif isinstance(block, NewPage):
            document.add_page()
        if not isinstance(block, ReportTable):
            told()
    _name_unknown(document)
    return document


def _told(ctx: JobContext, blocks: Sequence[Block]) -> Callable[[], None]:
    """What is called after each block, and each row of a table."""
    total = sum(len(block.rows) if isinstance(block, ReportTable) else 1 for block in blocks)
    done = count(1)

    def told() -> None:
        ctx.step(next(done), total, note="rows and figures laid out")

    return told


def _document(title: str, foot: str, size: tuple[float, float] | None = None) -> Any:
    try:
        from fpdf import FPDF
    except ImportError as error:
        raise AppError(
            "The package fpdf2 is missing: no PDF was written.", hint="Install it: pip install fpdf2"
        ) from error

    class Report(FPDF):
        words: PageWords

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
    document.set_auto_page_break(size is None, 18)
    fonts = files("biasprint.resources").joinpath("fonts")
    document.add_font("Inter", "", str(fonts.joinpath("Inter-Regular.ttf")))
    document.add_font("Inter", "B", str(fonts.joinpath("Inter-SemiBold.ttf")))
    document.set_title(title)
    document.set_creator("Biasprint")
    document.words = PageWords(document)
    document.add_page()
    return document


def _pdf_heading(document: Any, heading: Heading) -> None:
    size = SIZES[heading.level]
    document.ln(0 if heading.level == 0 else 4 if heading.level == 1 else 2)
    if document.will_page_break(18):  # a heading alone at the foot of a page helps nobody
        document.add_page()
    if heading.level <= 1:
        document.start_section(printable(heading.text), heading.level, strict=False)  # in the reader's list of pages
    _write_lines(document, document.words.lines([Piece(heading.text, Look(size, bold=True))], document.epw), size * 0.5)
    document.ln(1.2)


def _pdf_paragraph(document: Any, paragraph: ReportParagraph) -> None:
    size = TEXT - (1 if paragraph.soft or paragraph.small else 0)
    inset = BULLET if paragraph.bullet else 0.0
    pieces = [piece for run in paragraph.runs for piece in _pieces(run, size, soft=paragraph.soft)]
    lines = document.words.lines(pieces, document.epw - inset)
    bullet = Piece("•", Look(TEXT, color=SOFT)) if paragraph.bullet else None
    _write_lines(document, lines, LINE * size / TEXT, inset, bullet)
    document.ln(0.8 if paragraph.bullet else 2.2)


def _pieces(run: Run, size: float, *, soft: bool = False) -> Iterator[Piece]:
    color = colour_of(run.category) if run.category else SOFT if soft else INK
    yield Piece(run.text, Look(size, run.bold or bool(run.category), bool(run.category), color))
    if run.tag:
        yield Piece(f" [{run.tag}]", Look(SMALL, color=color))


def _write_lines(
    document: Any, lines: Sequence[Line], height: float, inset: float = 0, bullet: Piece | None = None
) -> None:
    """Lines below each other, over as many pages as they need; `height` of one, in millimetres."""
    for number, line in enumerate(lines):
        if document.will_page_break(height):
            document.add_page()
        top = document.get_y()
        if bullet and not number:
            document.words.draw([bullet], MARGIN, _baseline(top, height, bullet.look.size))
        if line:
            document.words.draw(line, MARGIN + inset, _baseline(top, height, line[0].look.size))
        document.set_xy(MARGIN, top + height)


def _baseline(top: float, height: float, size: float) -> float:
    return top + height / 2 + 0.3 * size / POINTS


def _pdf_figure(document: Any, block: ReportFigure) -> None:
    from biasprint.core.report.pdf_canvas import PdfCanvas

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


def _pdf_table(document: Any, table: ReportTable, told: Callable[[], None]) -> None:
    widths = [document.epw * share / sum(table.widths) for share in table.widths]

    def laid(cells: Sequence[Cell], look: Look) -> list[list[Line]]:
        return [
            document.words.lines([_cell_piece(run, look) for run in runs_of(cell)], width - 2 * PADDING)
            for cell, width in zip(cells, widths, strict=True)
        ]

    head = laid(table.header, Look(TEXT - 1, bold=True, color=SOFT))
    document.set_draw_color(*LINES)
    document.set_line_width(0.2)
    _table_row(document, widths, head, None)
    for row in table.rows:
        _table_row(document, widths, laid(row, Look(TEXT - 1)), head)
        told()
    document.ln(2)


def _cell_piece(run: Run, look: Look) -> Piece:
    return Piece(run.text, replace(look, bold=look.bold or run.bold))


def _table_row(document: Any, widths: Sequence[float], cells: list[list[Line]], head: list[list[Line]] | None) -> None:
    """One row, with a line above it where it is not the head. What a page has no room for goes on under a new head."""
    height, most = LINE - 0.4, max(map(len, cells))
    room = _lines_left(document, height)
    if room < most and (head is None or most <= _lines_of_page(document, head, height) or not room):
        _new_page(document, widths, head)
        room = _lines_left(document, height)
    if head is not None:
        document.line(MARGIN, document.get_y(), MARGIN + document.epw, document.get_y())
    top, left = document.get_y() + PADDING, MARGIN + PADDING
    for cell, width in zip(cells, widths, strict=True):
        for number, line in enumerate(cell[:room]):
            if line:
                baseline = _baseline(top + number * height, height, line[0].look.size)
                document.words.draw(line, left, baseline)
        left += width
    document.set_xy(MARGIN, top + min(most, room) * height + PADDING)
    if most > room:
        _table_row(document, widths, [cell[room:] for cell in cells], head)


def _new_page(document: Any, widths: Sequence[float], head: list[list[Line]] | None) -> None:
    document.add_page()
    if head is not None:
        _table_row(document, widths, head, None)


def _lines_left(document: Any, height: float) -> int:
    """How many lines of a row fit on this page."""
    return max(0, int((document.page_break_trigger - document.get_y() - 2 * PADDING) / height))


def _lines_of_page(document: Any, head: list[list[Line]], height: float) -> int:
    """How many lines of a row fit on a page of its own, below the head."""
    page = document.page_break_trigger - document.t_margin - 4 * PADDING
    return int(page / height) - max(map(len, head))


def _name_unknown(document: Any) -> None:
    """Which signs are boxes, for none of the typefaces has them."""
    unknown = list(document.words.unknown)
    if not unknown:
        return
    told = [f"U+{ord(sign):04X} {unicodedata.name(sign, 'without a name')}" for sign in unknown[:MOST_UNKNOWN]]
    more = f"; and {len(unknown) - MOST_UNKNOWN} more" if len(unknown) > MOST_UNKNOWN else ""
    text = f"Signs that no typeface here has, and that are drawn as boxes: {'; '.join(told)}{more}."
    _pdf_paragraph(document, ReportParagraph((Run(text),), soft=True))
