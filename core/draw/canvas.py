"""The surfaces that figures are drawn on: texts of known width, lines, rectangles, paths, and spots of marks.

A canvas of SVG elements is in core/draw/frame.py, one for the window's painter in desktop/charts/chart.py. Lengths are
pixels at the usual size of type, y downwards, from the top left corner; colours are names (“ink”, “floor”, “series-1”).
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from biasprint.core.draw.figure import Figure, FigureMark
from biasprint.core.draw.words import told
from biasprint.core.language import InLanguage, tr, unbroken

TextStyle = Literal["title", "label", "strong", "note", "strong-note", "small"]
Anchor = Literal["start", "middle", "end"]
SIZES: dict[TextStyle, float] = {
    "title": 17, "label": 14, "strong": 14, "note": 12, "strong-note": 12, "small": 10,
}  # fmt: skip
BOLD: tuple[TextStyle, ...] = ("title", "strong", "strong-note")
LEADING = 1.25  # of a line, in sizes of its type
LABEL_LINE, NOTE_LINE = SIZES["label"] * LEADING, SIZES["note"] * LEADING

# The second cue of a series, so that no one depends on colour: a marker, and a dash for lines.
MARKERS = ("circle", "square", "triangle", "diamond", "cross", "star", "bar", "plus")
DASHES: tuple[tuple[float, ...], ...] = (
    (), (6, 3), (2, 2), (8, 3, 2, 3), (10, 4), (4, 2, 1, 2, 1, 2), (1, 3), (12, 3, 3, 3),
)  # fmt: skip
NULL_DASH, BAND_DASH = (4.0, 3.0), (3.0, 2.0)

_BLANKS = re.compile(r"[^\S\u00a0]+")  # where a line may end
Point = tuple[float, float]


@dataclass(frozen=True)
class Spot:
    """The area of a mark of a figure: left, top, width and height."""

    x: float
    y: float
    width: float
    height: float
    figure: Figure
    mark: FigureMark

    @property
    def told(self) -> list[str]:
        """The description of the mark, line by line."""
        return told(self.figure, self.mark)


class Canvas(ABC):
    """Draws in the order of the calls, `width` wide; how high is known when everything is drawn."""

    def __init__(self, width: float) -> None:
        self.width = width
        self.spots: list[Spot] = []

    @abstractmethod
    def measure(self, text: str, style: TextStyle) -> float:
        """Return the greatest width that a text can take."""

    @abstractmethod
    def text(
        self, x: float, y: float, text: str, style: TextStyle = "note", color: str = "soft", anchor: Anchor = "start"
    ) -> None:
        """Draw one line; `y` is its baseline."""

    @abstractmethod
    def rect(
        self, x: float, y: float, width: float, height: float, fill: str = "", edge: str = "", opacity: float = 1,
        radius: float = 0,
    ) -> None:  # fmt: skip
        """`opacity`: of the filling; `radius`: of the corners."""

    @abstractmethod
    def path(
        self, points: Sequence[Point], *, color: str = "", fill: str = "", width: float = 1,
        dash: Sequence[float] = (), closed: bool = False, opacity: float = 1,
    ) -> None:  # fmt: skip
        """Straight lines from point to point; `opacity` of the filling."""

    def line(
        self, x1: float, y1: float, x2: float, y2: float, color: str = "line", width: float = 1,
        dash: Sequence[float] = (),
    ) -> None:  # fmt: skip
        self.path([(x1, y1), (x2, y2)], color=color, width=width, dash=dash)

    def spot(self, x: float, y: float, width: float, height: float, figure: Figure, mark: FigureMark) -> None:
        """Record the area of a mark."""
        self.spots.append(Spot(x, y, width, height, figure, mark))

    # texts

    def wrap(self, text: str, style: TextStyle, room: float, most: int = 100) -> list[str]:
        """The text in lines of at most `room`; after `most` it ends in “…”. A word that is too long is cut."""
        lines: list[str] = []
        text = tr(text)
        line = ""
        for word in self._pieces(text, style, room):
            longer = InLanguage(f"{line} {word}".strip())
            if line and self.measure(longer, style) > room:
                lines.append(line)
                line = word
            else:
                line = longer
        lines.append(line)
        if len(lines) > most:
            lines = [*lines[: most - 1], self.cut(InLanguage(f"{lines[most - 1]}…"), style, room)]
        return [InLanguage(line) for line in lines]

    def cut(self, text: str, style: TextStyle, room: float) -> str:
        """Cut a text to fit, with “…” in place of what has no room."""
        text = tr(text)
        if self.measure(text, style) <= room:
            return text
        text = text.removesuffix("…")
        while text and self.measure(InLanguage(f"{text}…"), style) > room:
            text = text[:-1]
        return InLanguage(f"{text.rstrip()}…")

    def paragraph(
        self, x: float, top: float, room: float, text: str, style: TextStyle = "note", color: str = "soft",
        anchor: Anchor = "start", most: int = 100,
    ) -> float:  # fmt: skip
        """Lines below each other, beginning at `top`; where the next thing begins."""
        for line in self.wrap(text, style, room, most) if text else ():
            self.text(x, top + SIZES[style], line, style, color, anchor)
            top += SIZES[style] * LEADING
        return top

    def _pieces(self, text: str, style: TextStyle, room: float) -> Iterator[str]:
        """The words, those that do not fit a line in pieces."""
        for joined in _BLANKS.split(unbroken(text).strip()):
            word = joined.replace("\u00a0", " ").replace("\u2011", "-")
            while len(word) > 1 and self.measure(InLanguage(word), style) > room:
                shorter = ((end, self.measure(InLanguage(word[:end]), style)) for end in range(len(word), 1, -1))
                fit = next((end for end, wide in shorter if wide <= room), 1)
                yield word[:fit]
                word = word[fit:]
            yield word

    # signs

    def marker(self, place: int, x: float, y: float, hollow: bool = False) -> None:
        """The sign of a series, by its place: the second cue beside its colour."""
        color, points = series_color(place), outline(MARKERS[place % len(MARKERS)])
        fill, edge = ("surface", color) if hollow else (color, "surface")
        self.path(
            [(x + dx, y + dy) for dx, dy in points], color=edge, fill=fill, width=1.6 if hollow else 1, closed=True
        )

    def printed(self, x: float, y: float, letter: str = "") -> None:
        """A hollow diamond: a value that a paper prints, by the letter that the legend explains."""
        size = 6.5
        corners = [(x, y - size), (x + size, y), (x, y + size), (x - size, y)]
        self.path(corners, color="ink", fill="surface", width=1, closed=True)
        if letter:
            self.text(x, y + 3.1, letter, "small", "ink", "middle")

    def span(self, start: Point, end: Point, color: str, *, dash: Sequence[float] = (), cut: tuple[bool, bool]) -> None:
        """An interval, across or upright: caps at its ends, or arrows where the axis ends before it does (`cut`)."""
        self.line(*start, *end, color=color, width=2, dash=dash)
        length = math.dist(start, end) or 1
        ax, ay = (end[0] - start[0]) / length, (end[1] - start[1]) / length
        for (x, y), way, beyond in ((start, 1, cut[0]), (end, -1, cut[1])):
            back = 5 * way if beyond else 0
            side = [(x + back * ax - turn * 4.5 * ay, y + back * ay + turn * 4.5 * ax) for turn in (1, -1)]
            self.path([side[0], (x, y), side[1]] if beyond else side, color=color, width=1.5)

    def floor(self, x: float, y: float, width: float, height: float, mean: float, *, upright: bool = False) -> None:
        """The noise floor, with a line at its 95th percentile that shows in every theme, and a tick at its mean."""
        self.rect(x, y, width, height, "floor")
        if upright:
            self.line(x, y, x + width, y, "edge")
            self.line(x, mean, x + width, mean, "edge", 1, (2, 2))
        else:
            self.line(x + width, y, x + width, y + height, "edge")
            self.line(mean, y, mean, y + height, "edge", 1, (2, 2))


def series_color(place: int) -> str:
    return f"series-{place % len(MARKERS) + 1}"


@cache
def outline(kind: str) -> tuple[Point, ...]:
    """The corners of a filled sign of about ten pixels around the origin."""
    if kind == "square":
        return ((-4.2, -4.2), (4.2, -4.2), (4.2, 4.2), (-4.2, 4.2))
    if kind == "triangle":
        return ((0, -5), (5, 4), (-5, 4))
    if kind == "diamond":
        return ((0, -5.8), (5.8, 0), (0, 5.8), (-5.8, 0))
    if kind == "bar":
        return ((-2, -6), (2, -6), (2, 6), (-2, 6))
    if kind in ("plus", "cross"):
        turn = math.pi / 4 if kind == "cross" else 0.0
        arm, half = 5.8, 1.9
        corners = ((arm, -half), (arm, half), (half, half), (half, arm), (-half, arm), (-half, half), (-arm, half),
                   (-arm, -half), (-half, -half), (-half, -arm), (half, -arm), (half, -half))  # fmt: skip
        sin, cos = math.sin(turn), math.cos(turn)
        return tuple((a * cos - b * sin, a * sin + b * cos) for a, b in corners)
    if kind == "star":
        sides = [(6.2 if not place % 2 else 2.6, -math.pi / 2 + place * math.pi / 5) for place in range(10)]
        return tuple((length * math.cos(angle), length * math.sin(angle)) for length, angle in sides)
    turns = [place * math.pi / 12 for place in range(24)]
    return tuple((4.8 * math.cos(turn), 4.8 * math.sin(turn)) for turn in turns)
