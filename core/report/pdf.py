"""A report as PDF. Typst lays it out by `resources/report/paper.typ`: it shapes every script that its fonts have."""

import json
import os
import re
import struct
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import count
from typing import Any

from biasprint.core.draw.canvas import BOLD, SIZES, Anchor, TextStyle
from biasprint.core.draw.figure import Figure
from biasprint.core.draw.frame import MARGIN, NAMESPACE, WIDTH, SvgCanvas, draw_figure
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.language import InLanguage, tr, unbroken
from biasprint.core.report.blocks import (
    INK,
    LINES,
    SOFT,
    Block,
    Cell,
    Heading,
    ReportFigure,
    ReportParagraph,
    ReportTable,
    Rgb,
    Run,
    colour_of,
    in_language,
    printable,
    runs_of,
)

# In the order in which they are asked for a sign; the weights of Inter are files of their own.
FONTS = {
    "Inter": "Inter-Regular.ttf",
    "DejaVu Sans": "DejaVuSans.ttf",
    "Lohit Devanagari": "Lohit-Devanagari.ttf",
    "Droid Sans Fallback": "DroidSansFallback.ttf",
}
PAGE_WIDTH, PAGE_HEIGHT = 170.0, 259.0  # millimetres between the margins
MOST_OF_PAGE = 0.92  # a figure is made smaller rather than higher than this
TEXT_EM, CELL_EM = 10 * 25.4 / 72, 9 * 25.4 / 72  # millimetres of an em: of a paragraph, and in a table
INSET = 2.0  # millimetres beside the words of a cell
MOST_OF_WORD = 0.34  # of the page's width: a column is not made wider for a word than this
SIGNS_IN_LINE = 90  # about so many have room between the margins
MOST_WHOLE_LINES = 20  # a row of a table with more may go on on the next page
MOST_UNKNOWN = 20  # signs that are named
FOOT = "One text cannot show bias. It can show language worth a second look."  # of a letter's report
BOX = "□"  # in place of a sign that no font has
JOINERS = re.compile("([\u200c\u200d])")  # say which forms letters take; Persian and Hindi need them
UNDRAWN = re.compile("[\ufe00-\ufe0f]")  # choose a variant of the sign before them
BREAK = "\u200b"  # where a word may end
UNJOINED = re.compile("[^\\s\u0300-\u036f\u0590-\u1cff]+")  # signs that look the same without their neighbours
WORD = re.compile(r"\S+")
PART_END = re.compile(r"(?<=[_./\\@-])")  # where a file's name or an address is broken first


def pdf_bytes(blocks: Iterable[Block], title: str, foot: str = FOOT, ctx: JobContext | None = None) -> bytes:
    """The PDF, with `foot` below each page. Signs that no font has are boxes, and named at the end.

    `ctx` hears of each block and each row of a table before they are laid out together.
    """
    return _written(_json(blocks, title, foot, ctx))


def page_count(blocks: Iterable[Block]) -> int:
    """Return the number of pages of the blocks' PDF."""
    return int(json.loads(_compiler(_json(blocks, "", FOOT)).query("<pages>", field="value", one=True)))


def figure_pdf(figure: Figure) -> bytes:
    """The figure alone, on a page of its own size."""
    return _written(_json([ReportFigure(figure)], figure.title, "", alone=True))


# ---- Typst

_ROOT = os.sep  # without one typst takes the current folder, which may be gone; the template reads no file


def _written(report: str) -> bytes:
    written = bytes(_compiler(report).compile(format="pdf", pdf_tags=False))
    _forget()
    return written


def _compiler(report: str) -> Any:
    """A compiler of the template with this report. It reads our fonts alone, and no other file."""
    Compiler, fonts = _typst()
    template = files("biasprint.resources").joinpath("report", "paper.typ").read_bytes()
    return Compiler(template, root=_ROOT, font_paths=fonts, sys_inputs={"report": report})


def _forget() -> None:
    """Free what typst remembers of a report, 160 MB of 3,000 rows: it drops what ten compilations have not used."""
    Compiler, fonts = _typst()
    empty = Compiler(b"", root=_ROOT, font_paths=fonts)
    for _ in range(11):
        empty.compile(b" ", format="pdf")


@cache
def _typst() -> tuple[Any, Any]:
    try:
        from typst import Compiler, Fonts
    except ImportError as error:
        raise AppError(
            "The package typst is missing: no PDF was written.", hint="Install it: pip install typst"
        ) from error
    folder = str(files("biasprint.resources").joinpath("fonts"))
    return Compiler, Fonts(include_system_fonts=False, include_embedded_fonts=False, font_paths=[folder])


# ---- Blocks as data


def _json(blocks: Iterable[Block], title: str, foot: str, ctx: JobContext | None = None, *, alone: bool = False) -> str:
    """The report as the template reads it. `alone`: on one page that is as large as what is on it."""
    listed = list(in_language(blocks))
    total = sum(len(block.rows) if isinstance(block, ReportTable) else 1 for block in listed)
    writer = _Writer(ctx or JobContext(), total)
    written = [writer.block(block) for block in listed]
    if not alone and (note := writer.signs.note()):
        written.append(writer.block(ReportParagraph((Run(note),), soft=True)))
    colours = [_hex(colour) for colour in (INK, SOFT, LINES)]
    report = {"title": printable(tr(title)), "foot": tr(foot), "alone": alone, "fonts": list(FONTS), "colours": colours}
    return json.dumps(report | {"blocks": written}, ensure_ascii=False)


class _Writer:
    """Writes the blocks of one report as the template reads them."""

    def __init__(self, ctx: JobContext, total: int) -> None:
        self.signs = _Signs()
        self._ctx, self._total, self._done = ctx, total, count(1)

    def block(self, block: Block) -> dict[str, Any]:
        if isinstance(block, ReportTable):
            return {"kind": "table", **self._table(block)}
        self._step()
        if isinstance(block, Heading):
            return {"kind": "heading", "text": self.signs.shown(block.text), "level": block.level}
        if isinstance(block, ReportParagraph):
            runs = [self._run(run, PAGE_WIDTH / TEXT_EM) for run in block.runs]
            return {"kind": "paragraph", "runs": runs, "soft": block.soft, "small": block.small, "bullet": block.bullet}
        if isinstance(block, ReportFigure):
            return {"kind": "figure", **self._figure(block)}
        return {"kind": "page"}

    def _step(self) -> None:
        self._ctx.step(min(next(self._done), self._total), self._total, note="rows and figures laid out")

    def _run(self, run: Run, room: float) -> dict[str, Any]:
        """`room`: the width of a line, in em; a longer word may be broken."""
        text = WORD.sub(lambda word: _with_breaks(word[0], room), self.signs.shown(run.text))
        marked = {"colour": _hex(colour_of(run.category)), "tag": run.tag} if run.category else {"tag": run.tag}
        return {"text": text, "bold": run.bold, **marked}

    def _table(self, table: ReportTable) -> dict[str, Any]:
        widths = column_widths(table)

        def row_of(cells: Sequence[Cell]) -> dict[str, Any]:
            self._step()
            lines = max(
                sum(len(run.text) for run in runs_of(cell)) / (SIGNS_IN_LINE * width)
                for cell, width in zip(cells, widths, strict=True)
            )
            runs = [
                [self._run(Run(run.text, bold=run.bold), _room(width)) for run in runs_of(cell)]
                for cell, width in zip(cells, widths, strict=True)
            ]
            return {"cells": runs, "breakable": lines > MOST_WHOLE_LINES}

        header = [self.signs.shown(text) for text in table.header]
        return {"header": header, "rows": [row_of(row) for row in table.rows], "widths": widths}

    def _figure(self, block: ReportFigure) -> dict[str, Any]:
        canvas = _PaperCanvas(self.signs)
        height = draw_figure(canvas, block.figure)
        most = MOST_OF_PAGE * PAGE_HEIGHT * canvas.width / height
        return {
            "svg": canvas.svg(height),
            "texts": canvas.texts,
            "width": min(PAGE_WIDTH * block.share, most),  # a high one is smaller as a whole, its letters too
            "pixels": canvas.width,
            "title": printable(block.figure.title),
        }


# ---- Words that are wider than their line


def column_widths(table: ReportTable) -> tuple[float, ...]:
    """Return the columns' shares of the page, so that no word is broken where there is room for it.

    A column that is narrower than its longest word gets what it lacks from the others, in proportion to their room.
    """
    given = [width / sum(table.widths) for width in table.widths]
    least = [_least(cells) for cells in zip(table.header, *table.rows, strict=True)]
    lacking = sum(max(0.0, need - width) for need, width in zip(least, given, strict=True))
    spare = sum(max(0.0, width - need) for need, width in zip(least, given, strict=True))
    if not lacking or not spare:
        return tuple(given)
    moved = min(lacking, spare)
    return tuple(
        width + (need - width) * moved / (lacking if need > width else spare)
        for need, width in zip(least, given, strict=True)
    )


def _least(cells: Iterable[Cell]) -> float:
    """The share of the page that the longest word of a column needs; words in other scripts need none."""
    widths = _widths("Inter-SemiBold.ttf")
    parts = {
        part for cell in cells for run in runs_of(cell) for word in run.text.split() for part in PART_END.split(word)
    }
    longest = max((sum(widths.get(sign, 0.0) for sign in part) for part in parts), default=0.0)
    return min(MOST_OF_WORD, (longest * CELL_EM + INSET) / PAGE_WIDTH)


def _room(share: float) -> float:
    """The width of a cell's line in em."""
    return (PAGE_WIDTH * share - INSET) / CELL_EM


def _em(word: str) -> float:
    widths = _widths("Inter-Regular.ttf")
    return sum(widths.get(sign, 1.0) for sign in word)


def _with_breaks(word: str, room: float) -> str:
    """A word that may end in the middle if it is wider than its line: at the ends of its parts, else anywhere."""
    if _em(word) <= room:
        return word
    parts = (
        part if _em(part) <= room else UNJOINED.sub(lambda signs: BREAK.join(signs[0]), part)
        for part in PART_END.split(word)
    )
    return BREAK.join(parts)


class _PaperCanvas(SvgCanvas):
    """A drawing whose texts are set by the template: in an SVG typst places the letters of Hindi wrongly."""

    def __init__(self, signs: "_Signs") -> None:
        super().__init__(WIDTH - 2 * MARGIN)
        self.texts: list[dict[str, Any]] = []
        self._signs = signs

    def measure(self, text: str, style: TextStyle) -> float:
        text = tr(text)
        widths = _widths("Inter-SemiBold.ttf" if style in BOLD else "Inter-Regular.ttf")
        known = sum(widths[sign] for sign in text if sign in widths) * SIZES[style]
        return known + super().measure(InLanguage("".join(sign for sign in text if sign not in widths)), style)

    def text(
        self, x: float, y: float, text: str, style: TextStyle = "note", color: str = "soft", anchor: Anchor = "start"
    ) -> None:
        look = {"size": SIZES[style], "bold": style in BOLD, "colour": self.color(color), "anchor": anchor}
        self.texts.append({"x": x, "y": y, "text": self._signs.shown(tr(text)), **look})

    def svg(self, height: float) -> str:
        """The lines and areas, without texts."""
        size = f'width="{self.width:.0f}" height="{height:.0f}" viewBox="0 0 {self.width:.0f} {height:.0f}"'
        return f"<svg{NAMESPACE} {size}>{''.join(self.elements)}</svg>"


def _hex(colour: Rgb) -> str:
    return f"#{bytes(colour).hex()}"


# ---- The signs that our fonts have


class _Signs:
    """Replaces what no font has by boxes, and remembers what that was."""

    def __init__(self) -> None:
        self._unknown: dict[str, None] = {}

    def shown(self, text: str) -> str:
        """The text without controls, as it can be drawn."""
        if text.isascii():
            return unbroken(printable(text))
        plain = "".join(
            part if JOINERS.match(part) else printable(part) for part in JOINERS.split(UNDRAWN.sub("", text))
        )
        missing = {sign for sign in plain if ord(sign) not in _drawn() and not sign.isspace()} - {*"\u200c\u200d"}
        self._unknown.update(dict.fromkeys(sign for sign in plain if sign in missing))
        return unbroken(plain.translate(dict.fromkeys(map(ord, missing), BOX)))

    def note(self) -> str:
        """A sentence that names the signs that are boxes; empty where there are none."""
        unknown = list(self._unknown)
        if not unknown:
            return ""
        named = [f"U+{ord(sign):04X} {unicodedata.name(sign, 'without a name')}" for sign in unknown[:MOST_UNKNOWN]]
        more = f"; and {len(unknown) - MOST_UNKNOWN} more" if len(unknown) > MOST_UNKNOWN else ""
        return f"Signs that no typeface here has, and that are drawn as boxes: {'; '.join(named)}{more}."


@cache
def _drawn() -> frozenset[int]:
    """The code points that one of our fonts has."""
    return frozenset(code for file in FONTS.values() for code in glyphs(_font(file)))


@cache
def _widths(file: str) -> dict[str, float]:
    """Sign → how wide it is, in em."""
    font = _font(file)
    tables = _tables(font)
    em, metrics = _shorts(font, tables[b"head"] + 18)[0], _shorts(font, tables[b"hhea"] + 34)[0]
    wide = _shorts(font, tables[b"hmtx"], 2 * metrics)[::2]
    return {chr(code): wide[min(glyph, metrics - 1)] / em for code, glyph in glyphs(font).items()}


def _font(file: str) -> bytes:
    return files("biasprint.resources").joinpath("fonts", file).read_bytes()


def glyphs(font: bytes) -> dict[int, int]:
    """Code point → glyph of a TrueType font: the tables of formats 4 and 12 in its `cmap` (OpenType 1.9)."""
    cmap = _tables(font)[b"cmap"]
    glyph_of: dict[int, int] = {}
    for place in range(_shorts(font, cmap + 2)[0]):
        (offset,) = struct.unpack_from(">I", font, cmap + 8 + 8 * place)
        (kind,) = _shorts(font, cmap + offset)
        if kind == 4:
            glyph_of |= dict(_of_segments(font, cmap + offset))
        elif kind == 12:
            (groups,) = struct.unpack_from(">I", font, cmap + offset + 12)
            for group in range(groups):
                first, last, glyph = struct.unpack_from(">III", font, cmap + offset + 16 + 12 * group)
                glyph_of |= {code: glyph + code - first for code in range(first, last + 1) if glyph + code - first}
    return glyph_of


def _of_segments(font: bytes, table: int) -> Iterator[tuple[int, int]]:
    segments = _shorts(font, table + 6)[0] // 2
    ends, starts, deltas, offsets = (
        _shorts(font, table + 14 + 2 * segments * number + (2 if number else 0), segments) for number in range(4)
    )
    for place, (first, last) in enumerate(zip(starts, ends, strict=True)):
        array = table + 16 + 6 * segments + 2 * place + offsets[place]  # of the segment's glyphs, where it has one
        for code in range(first, last + 1):
            listed = _shorts(font, array + 2 * (code - first))[0] if offsets[place] else code
            glyph = (listed + deltas[place]) % 0x10000
            if glyph and (listed or not offsets[place]):
                yield code, glyph


def _tables(font: bytes) -> dict[bytes, int]:
    """Return the offset of each table of a font, by its tag."""
    records = range(12, 12 + 16 * _shorts(font, 4)[0], 16)
    return {font[at : at + 4]: struct.unpack_from(">I", font, at + 8)[0] for at in records}


def _shorts(font: bytes, at: int, how_many: int = 1) -> tuple[int, ...]:
    return struct.unpack_from(f">{how_many}H", font, at)
