"""A spoke for each row, a ring for each series: the kind `radar`. What no bias gives is a circle of its own."""

import math
from collections.abc import Sequence

from core.draw import words
from core.draw.canvas import (
    BAND_DASH,
    DASHES,
    LABEL_LINE,
    NOTE_LINE,
    NULL_DASH,
    SIZES,
    Anchor,
    Canvas,
    Point,
    series_color,
)
from core.draw.figure import Figure
from core.draw.line import REACH
from core.draw.reader import tr

FILL = 0.14
MOST_RADIUS, LEAST_RADIUS = 210.0, 60.0
LABEL_GAP = 10.0
MOST_SPOKE_LABEL = 0.3  # of the width
LONG_LABEL = 90.0  # wider ones take two lines where they have a blank: the radar itself needs the room
ASIDE = 0.2  # labels of spokes that point more sideways than this stand beside them, the others above or below


def draw_radar(canvas: Canvas, figure: Figure, top: float) -> float:
    """From `top` on; gives where the next begins."""
    return _Radar(canvas, figure, top + 8).draw()


class _Radar:
    """One drawing: where the centre is, and how far a value lies from it."""

    def __init__(self, canvas: Canvas, figure: Figure, top: float) -> None:
        self.canvas, self.figure = canvas, figure
        self.spokes = figure.rows
        self.null = figure.null or 1.0
        self.limit = _limit(figure, self.null)
        room = MOST_SPOKE_LABEL * canvas.width
        self.labels = [[canvas.cut(line, "label", room) for line in in_lines(canvas, row)] for _, row in self.spokes]
        several = len(figure.sections) > 1
        self.sections = [canvas.cut(name, "note", room) if several else "" for name, _ in self.spokes]
        most = max(map(len, self.labels))
        self.lines = most * LABEL_LINE + (NOTE_LINE if several else 0) + 6
        self.radius = min(max(self._room(), LEAST_RADIUS), MOST_RADIUS)
        self.x, self.y = canvas.width / 2, top + self.lines + self.radius

    def _room(self) -> float:
        """The largest radius at which every label fits beside its spoke."""
        room = math.inf
        for index, section in enumerate(self.sections):
            across = abs(math.sin(2 * math.pi * index / len(self.spokes)))
            label = max(self.canvas.measure(line, "label") for line in self.labels[index])
            label = max(label, self.canvas.measure(section, "note"))
            if across >= ASIDE:
                room = min(room, (self.canvas.width / 2 - label) / across - LABEL_GAP)
        return room

    def draw(self) -> float:
        for ring in self._rings():
            self.canvas.path(self._circle(ring), color="line", closed=True)
        self._chance()
        for index in range(len(self.spokes)):
            self.canvas.line(self.x, self.y, *self._at(index, self.limit))
        self.canvas.path(self._circle(self.null), color="ink", width=1.25, dash=NULL_DASH, closed=True)
        for place in reversed(range(len(self.figure.series))):  # the first series lies on top
            self._series(place)
        self._labels()
        rings, bottom = self._rings(), max(y for _, y in self._circle(self.limit)) + self.lines + 4
        told = tr("{axis}: rings {step} apart, the outermost is {limit}").format(
            axis=self.figure.axis or self.figure.unit, step=f"{rings[0]:g}", limit=f"{self.limit:g}"
        )
        return self.canvas.paragraph(self.x, bottom, self.canvas.width, told, anchor="middle")

    def _rings(self) -> list[float]:
        step = self.null * (0.5 if self.limit <= 3 * self.null else 1.0)
        return [step * number for number in range(1, math.floor(self.limit / step + 1e-9) + 1)]

    def _at(self, spoke: int, value: float) -> Point:
        angle = 2 * math.pi * spoke / len(self.spokes) - math.pi / 2
        distance = self.radius * min(max(value / self.limit, 0.0), 1.0)
        return self.x + math.cos(angle) * distance, self.y + math.sin(angle) * distance

    def _circle(self, value: float) -> list[Point]:
        return [self._at(spoke, value) for spoke in range(len(self.spokes))]

    def _chance(self) -> None:
        """Where values lie when every choice is made at random: of the first series that has the spoke."""
        known = [next((mark.chance for mark in self.figure.at(*row) if mark.chance), None) for row in self.spokes]
        if any(known):
            ends = [chance or (self.null, self.null) for chance in known]
            inner = [self._at(spoke, low) for spoke, (low, _) in enumerate(ends)]
            outer = [self._at(spoke, high) for spoke, (_, high) in enumerate(ends)]
            self.canvas.path(outer, color="edge", fill="floor", dash=(1, 2), closed=True, hole=inner)

    def _series(self, place: int) -> None:
        name, color, first = self.figure.series[place], series_color(place), place == 0
        marks = {index: mark for index, row in enumerate(self.spokes) for mark in self.figure.at(*row)
                 if mark.series == name and mark.value is not None}  # fmt: skip
        at = {index: self._at(index, mark.value or 0.0) for index, mark in marks.items()}
        if len(at) == len(self.spokes):
            dash, fill = DASHES[place % len(DASHES)], color if first else ""
            points = list(at.values())
            self.canvas.path(
                points, color=color, fill=fill, width=2 - place % 2 / 2, dash=dash, closed=True, opacity=FILL
            )
        for index, mark in marks.items():
            if first and mark.low is not None and mark.high is not None:
                ends, dash = [self._at(index, mark.low), self._at(index, mark.high)], BAND_DASH if mark.band else ()
                self.canvas.path(ends, color=color, width=1.5, dash=dash)
            x, y = at[index]
            self.canvas.marker(place, x, y, hollow=not first)
            told = words.told(self.figure, mark)
            self.canvas.spot(x - REACH, y - REACH, 2 * REACH, 2 * REACH, mark, told)

    def _labels(self) -> None:
        for index, section in enumerate(self.sections):
            x, y = self._at(index, self.limit)
            across, down = (x - self.x) / self.radius, (y - self.y) / self.radius
            anchor: Anchor = "middle" if abs(across) < ASIDE else "start" if across > 0 else "end"
            lines = self.labels[index]
            tall = len(lines) * LABEL_LINE + (NOTE_LINE if section else 0)
            x, top = x + across * LABEL_GAP, y + down * self.lines / 2 - tall / 2
            for place, line in enumerate(lines):
                self.canvas.text(x, top + place * LABEL_LINE + SIZES["label"], line, "label", "ink", anchor)
            if section:
                self.canvas.text(x, top + len(lines) * LABEL_LINE + SIZES["note"], section, anchor=anchor)


def _limit(figure: Figure, null: float) -> float:
    """Where the radar ends: half of the null above everything drawn, at least twice the null."""
    drawn = [mark for mark in figure.marks if mark.value is not None]
    first = figure.series[0] if figure.series else ""
    ends = [mark.value for mark in drawn if mark.value is not None]
    ends += [mark.high for mark in drawn if mark.high is not None and mark.series == first]
    ends += [mark.chance[1] for mark in drawn if mark.chance]
    return null * max(2.0, math.ceil(2 * max(ends, default=0.0) / null - 1e-9) / 2)


def in_lines(canvas: Canvas, label: str) -> Sequence[str]:
    """The label, in two lines of about the same width where one would be long."""
    blanks = [place for place, letter in enumerate(label) if letter == " "]
    if not blanks or canvas.measure(label, "label") <= LONG_LABEL:
        return [label]
    halves = ([label[:place], label[place + 1 :]] for place in blanks)
    return min(halves, key=lambda pair: max(canvas.measure(half, "label") for half in pair))
