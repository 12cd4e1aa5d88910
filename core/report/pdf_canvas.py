"""A canvas of a PDF page: the same layout that the window paints and the page's SVG has."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any

from biasprint.core.draw.canvas import BOLD, SIZES, Anchor, Canvas, Point, TextStyle
from biasprint.core.draw.figure import Figure
from biasprint.core.draw.frame import draw_figure
from biasprint.core.draw.svg import MARGIN, WIDTH, colors
from biasprint.core.report.blocks import INK, Rgb, printable

# ---- Text on a page

# ---- Right-to-left text

FORMS = {"<isolated>": 0, "<final>": 1, "<initial>": 2, "<medial>": 3}
PRESENTATION = ((0xFB50, 0xFC00), (0xFE80, 0xFEFD))  # where Unicode has a letter's forms as signs of their own
NO_FORMS = ("", "", "", "")
RIGHT_TO_LEFT = ("R", "AL")


def has_right_to_left(text: str) -> bool:
    return not text.isascii() and any(unicodedata.bidirectional(sign) in RIGHT_TO_LEFT for sign in text)


def joined(text: str) -> str:
    """Arabic letters in the form that their neighbours ask for; lam and alef as one sign. Other text stays."""
    if text.isascii() or not any("\u0600" <= sign <= "\u06ff" for sign in text):
        return text
    return "".join(_joined(text))


def _joined(text: str) -> Iterator[str]:
    forms, signs = _forms(), _letters(text)
    for place, letter in enumerate(signs):
        own = forms.get(letter)
        if own is None:
            yield letter
            continue
        before = forms.get(_neighbour(signs, place, -1), NO_FORMS)
        after = forms.get(_neighbour(signs, place, 1), NO_FORMS)
        to_right, to_left = before[2] and own[1], own[2] and after[1]
        yield own[bool(to_right) + 2 * bool(to_left)] or letter


def _letters(text: str) -> list[str]:
    """The signs of a text, lam with the alef that follows as one."""
    known = _forms()
    made: list[str] = []
    for sign in text:
        if made and made[-1] + sign in known:
            made[-1] += sign
        else:
            made.append(sign)
    return made


def _neighbour(signs: list[str], place: int, step: int) -> str:
    """The next letter in this direction, over marks that stand above or below."""
    place += step
    while 0 <= place < len(signs) and unicodedata.category(signs[place][0]) == "Mn":
        place += step
    return signs[place] if 0 <= place < len(signs) else ""


@cache
def _forms() -> dict[str, tuple[str, ...]]:
    """A letter, or lam with an alef → its forms: alone, last, first, between; those that it has not are empty."""
    found: dict[str, list[str]] = {}
    for start, end in PRESENTATION:
        for code in range(start, end):
            form, _, letters = unicodedata.decomposition(chr(code)).partition(" ")
            if form in FORMS and letters:
                own = found.setdefault("".join(chr(int(each, 16)) for each in letters.split()), [""] * len(FORMS))
                own[FORMS[form]] = own[FORMS[form]] or chr(code)
    return {letters: tuple(own) for letters, own in found.items()}


def reordered(text: str) -> Iterator[tuple[str, int]]:
    """The signs of a line in the order in which they are seen from left to right, each with its place in the text."""
    from fpdf.bidi import BidiParagraph
    from fpdf.enums import TextDirection

    for one in BidiParagraph(text, base_direction=TextDirection.LTR).get_reordered_characters():
        yield one.character, one.character_index


POINTS = 72 / 25.4  # in a millimetre
SPARE = {"dejavu": "DejaVuSans.ttf", "droid": "DroidSansFallback.ttf"}  # in the order they are asked
# A line may end at spaces, and beside every sign of a script that writes none.
WORD = re.compile(
    r"\n|[^\S\n]+|[\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]|[^\s\u2e80-\ud7ff\uf900-\ufaff\uff00-\uffef]+"
)
BOX = "□"  # in place of a sign that no typeface has
UNDRAWN = re.compile("[\ufe00-\ufe0f]")  # choose a variant of the sign before them


@dataclass(frozen=True)
class Look:
    """How a piece of text is drawn; `size` in points."""

    size: float
    bold: bool = False
    underlined: bool = False
    color: Rgb = INK


@dataclass(frozen=True)
class Piece:
    text: str
    look: Look


Line = list[Piece]


def one_line(text: str, look: Look) -> Piece:
    """A text that is drawn on one line."""
    return Piece(joined(" ".join(printable(text).split("\n"))), look)


class PageWords:
    """The words of one document."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._widths: dict[tuple[str, bool], float] = {}
        self._faces: dict[str, str] = {}
        self.unknown: dict[str, None] = {}  # signs that were drawn as boxes, in the order they came

    def width(self, text: str, look: Look) -> float:
        """In millimetres."""
        key = (text, look.bold)
        if key not in self._widths:
            self._widths[key] = sum(
                self._font(face, look.bold).get_text_width(part, 1, None)[1]
                for face, part in self._parts(_drawn(text), look.bold)
            )
        return self._widths[key] * look.size / POINTS

    def lines(self, pieces: Iterable[Piece], width: float) -> list[Line]:
        """The pieces as lines that are no wider than this, broken at words; a word that is wider is broken too."""
        made: list[Line] = [[]]
        room = width
        for word in _words(pieces):
            if word[0].text == "\n":
                made.append([])
                room = width
                continue
            wide = sum(self.width(one.text, one.look) for one in word)
            if wide > room and made[-1]:
                made.append([])
                room = width
                if word[0].text.isspace():
                    continue
            for one in word if wide <= width else self._signs(word):
                wide_one = self.width(one.text, one.look)
                if wide_one > room and made[-1] and wide > width:
                    made.append([])
                    room = width
                made[-1].append(one)
                room -= wide_one
        return made

    def draw(self, line: Line, left: float, baseline: float) -> None:
        """A line of pieces, from left to right on the page."""
        at = left
        for piece in _in_order(line):
            look = piece.look
            self._document.set_text_color(*look.color)
            for face, text in self._parts(_drawn(piece.text), look.bold):
                style = ("B" if look.bold and not face else "") + ("U" if look.underlined else "")
                self._document.set_font(face or "Inter", style, look.size)
                self._document.text(at, baseline, text)
                at += self._font(face, look.bold).get_text_width(text, look.size, None)[1] / POINTS

    def _signs(self, word: Sequence[Piece]) -> Iterator[Piece]:
        for piece in word:
            for sign in piece.text:
                yield Piece(sign, piece.look)

    def _parts(self, text: str, bold: bool) -> Iterator[tuple[str, str]]:
        """Pieces of a text, each with the spare typeface that draws it; empty for the usual one."""
        if text.isascii():
            yield "", text
            return
        for face, signs in groupby(text, key=lambda sign: self._face(sign, bold)):
            yield face, "".join(BOX if sign in self.unknown else sign for sign in signs)

    def _face(self, sign: str, bold: bool) -> str:
        if sign.isspace() or ord(sign) in self._font("", bold).cmap:
            return ""
        if sign not in self._faces:
            self._faces[sign] = next((face for face in SPARE if ord(sign) in self._font(face, False).cmap), "")
        if not self._faces[sign]:
            self.unknown.setdefault(sign)
            return self._face(BOX, bold)
        return self._faces[sign]

    def _font(self, face: str, bold: bool) -> Any:
        if not face:
            return self._document.fonts["interB" if bold else "inter"]
        if face not in self._document.fonts:  # read where a text needs it, as it takes a while
            self._document.add_font(face, "", str(files("biasprint.resources").joinpath("fonts", SPARE[face])))
        return self._document.fonts[face]


def _drawn(text: str) -> str:
    return text if text.isascii() else UNDRAWN.sub("", text)


def _words(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Words, spaces and line ends; a word over a border of pieces is one word in several pieces."""
    known = [Piece(joined(printable(one.text)), one.look) for one in pieces]
    starts, at = [], 0
    for one in known:
        starts.append(at)
        at += len(one.text)
    place = 0
    for match in WORD.finditer("".join(one.text for one in known)):
        first, end = match.span()
        word = []
        while first < end:
            while first >= starts[place] + len(known[place].text):
                place += 1
            last = min(end, starts[place] + len(known[place].text))
            word.append(Piece(match.string[first:last], known[place].look))
            first = last
        yield word


def _in_order(line: Line) -> Iterator[Piece]:
    """What follows each other in one look as one piece, in the order in which it is seen."""
    looks = [(sign, piece.look) for piece in line for sign in piece.text]
    text = "".join(sign for sign, _ in looks)
    if has_right_to_left(text):
        looks = [(sign, looks[place][1]) for sign, place in reordered(text)]
    for look, signs in groupby(looks, key=lambda one: one[1]):
        yield Piece("".join(sign for sign, _ in signs), look)


PIXELS = WIDTH - 2 * MARGIN  # of the layout, across


class PdfCanvas(Canvas):
    """`left`, `top`: of the drawing on the page; `scale`: millimetres in a pixel. Without `drawn` it only measures."""

    def __init__(self, document: Any, left: float = 0, top: float = 0, scale: float = 1, *, drawn: bool = True) -> None:
        super().__init__(PIXELS)
        self._page, self._left, self._top, self._scale, self._drawn = document, left, top, scale, drawn
        self._colors = colors("light")

    @staticmethod
    def height(blank: Any, figure: Figure, width: float) -> float:
        """How high it is, in millimetres, where it is `width` wide. `blank`: a document to measure texts with."""
        return draw_figure(PdfCanvas(blank, drawn=False), figure) * width / PIXELS

    @staticmethod
    def draw(document: Any, figure: Figure, left: float, top: float, width: float) -> None:
        with document.local_context():
            draw_figure(PdfCanvas(document, left, top, width / PIXELS), figure)

    def measure(self, text: str, style: TextStyle) -> float:
        piece = one_line(text, self._look(style, 1 / POINTS))
        return float(self._page.words.width(piece.text, piece.look)) * POINTS

    def text(
        self, x: float, y: float, text: str, style: TextStyle = "note", color: str = "soft", anchor: Anchor = "start"
    ) -> None:
        if not self._drawn or not text:
            return
        shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * self.measure(text, style)
        piece = one_line(text, self._look(style, self._scale, self._colors[color]))
        self._page.words.draw([piece], self._left + (x - shift) * self._scale, self._top + y * self._scale)

    def _look(self, style: TextStyle, scale: float, color: str = "#000000") -> Look:
        """`scale`: millimetres in a pixel."""
        return Look(SIZES[style] * scale * POINTS, style in BOLD, color=_rgb(color))

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str = "", edge: str = "", opacity: float = 1,
        radius: float = 0,
    ) -> None:  # fmt: skip
        style = self._pens(fill, edge, 1)
        if not self._drawn or not style:
            return
        round_off = {"round_corners": True, "corner_radius": radius * self._scale} if radius else {}
        with self._see_through(opacity):
            self._page.rect(
                self._left + x * self._scale, self._top + y * self._scale, width * self._scale, height * self._scale,
                style=style, **round_off,
            )  # fmt: skip

    def path(
        self, points: Sequence[Point], *, color: str = "", fill: str = "", width: float = 1,
        dash: Sequence[float] = (), closed: bool = False, opacity: float = 1, hole: Sequence[Point] = (),
    ) -> None:  # fmt: skip
        if not self._drawn or len(points) < 2:
            return
        if hole:
            self._with_hole(points, hole, fill, opacity)
            return
        # Far quicker than a path of fpdf2, of which a long report has thousands.
        style = self._pens(fill, color, width)
        if not style:
            return
        lengths = [length * self._scale for length in dash]
        if lengths:
            self._page.set_dash_pattern(lengths[0], lengths[1] if len(lengths) > 1 else lengths[0])
        with self._see_through(opacity):
            self._page.polyline(self._placed(points), polygon=closed, style=style)
        if lengths:
            self._page.set_dash_pattern()

    def _with_hole(self, points: Sequence[Point], hole: Sequence[Point], fill: str, opacity: float) -> None:
        from fpdf.enums import IntersectionRule

        with self._page.new_path() as path:
            path.style.auto_close = False
            path.style.stroke_color = None
            path.style.fill_color = self._colors[fill] if fill else None
            path.style.fill_opacity = opacity
            path.style.intersection_rule = IntersectionRule.EVENODD
            for outline in (points, hole):
                for place, (x, y) in enumerate(self._placed(outline)):
                    move = path.line_to if place else path.move_to
                    move(x, y)
                path.close()

    def _placed(self, points: Sequence[Point]) -> list[Point]:
        return [(self._left + x * self._scale, self._top + y * self._scale) for x, y in points]

    def _see_through(self, opacity: float) -> AbstractContextManager[Any]:
        return self._page.local_context(fill_opacity=opacity) if opacity < 1 else nullcontext()

    def _pens(self, fill: str, edge: str, width: float) -> str:
        if fill:
            self._page.set_fill_color(*_rgb(self._colors[fill]))
        if edge:
            self._page.set_draw_color(*_rgb(self._colors[edge]))
            self._page.set_line_width(width * self._scale)
        return ("D" if edge else "") + ("F" if fill else "")


def _rgb(color: str) -> tuple[int, int, int]:
    digits = color.lstrip("#")
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
