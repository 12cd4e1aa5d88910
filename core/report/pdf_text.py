"""Text on a page of a PDF: words measured once, broken into lines, in the typeface that has their signs.

fpdf2 lays text out sign by sign, which takes a minute for a long report, and knows right-to-left order only with a
library for shaping. Here a word's width is asked once; what Inter lacks is drawn from DejaVu Sans (Arabic, Hebrew,
Armenian, Georgian, symbols, faces) or Droid Sans Fallback (Chinese, Japanese, Korean), and what none has is remembered.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import groupby
from typing import Any

from biasprint.core.report.arabic import has_right_to_left, joined, reordered
from biasprint.core.report.blocks import INK, Rgb, printable

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
