"""Marks on scales: rows of estimates with intervals, lines over a number, and radars."""

import math
import string
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from biasprint.core.draw import digits, words
from biasprint.core.draw.canvas import (
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
from biasprint.core.draw.digits import tr
from biasprint.core.draw.figure import Figure, FigureMark
from biasprint.core.draw.scales import PlacedAxis, places_scale, scale_of

# rows

LEAST_PLOT, MOST_LABEL, GAP = 120.0, 0.34, 12.0  # MOST_LABEL: of the width
LANE, ROW_GAP, SECTION = 22.0, 8.0, 28.0


@dataclass(frozen=True)
class _Columns:
    """Labels from 0 to `label`, the plot on `axis`, estimates from `estimate`, intervals from `interval`, n up to `n`.

    `stacked`: there is no room beside each other; the label is above its marks, and the numbers below each.
    """

    label: float
    axis: PlacedAxis
    estimate: float
    interval: float
    n: float
    stacked: bool


def draw_rows(canvas: Canvas, figure: Figure, top: float) -> float:
    """Draw from `top` on; return where the next begins."""
    columns = _columns(canvas, figure)
    y = top if columns.stacked else _headings(canvas, figure, columns, top)
    for section, rows in groupby(figure.rows, key=lambda row: row[0]):
        if section:
            y = canvas.paragraph(0, y + SECTION - LABEL_LINE - 4, canvas.width, section, "strong", "ink") + 3
        for _, row in rows:
            y = _row(canvas, figure, columns, row, figure.at(section, row), y)
    return _axis(canvas, figure, columns, y + 2)


def printed_by(figure: Figure) -> dict[str, str]:
    """Return who printed the references, and the letter of each; without letters where there is only one."""
    names = list(dict.fromkeys(reference.who for mark in figure.marks for reference in mark.references))
    if len(names) == 1:
        return {names[0]: ""}
    return dict(zip(names, string.ascii_lowercase, strict=False))  # beyond 26 they stand unnamed


def _columns(canvas: Canvas, figure: Figure) -> _Columns:
    """Texts take what they need, the plot the rest."""
    width, scale = canvas.width, scale_of(figure, figure.marks)
    shown = [words.written(figure, mark)[0] for mark in figure.marks if mark.value is not None]
    estimate = max((canvas.measure(text, "strong") for text in shown), default=0.0)
    interval = max(canvas.measure(_interval(figure, mark), "note") for mark in figure.marks)
    interval = max(interval, canvas.measure(words.value_title(figure), "note") - estimate - GAP / 2)
    counts = [digits.count(mark.n) for mark in figure.marks]
    n = max(canvas.measure(text, "note") for text in [*counts, tr(figure.n_title)])
    texts = estimate + GAP / 2 + interval + GAP + n
    label = min(max(canvas.measure(row, "label") for _, row in figure.rows) + 1, MOST_LABEL * width)
    room = width - label - texts - 2 * GAP
    if room < LEAST_PLOT:
        return _Columns(width, PlacedAxis(scale, 6, width - 6), 0, 0, width, stacked=True)
    end = width - texts - GAP
    axis = PlacedAxis(scale, label + GAP, end)
    return _Columns(label, axis, end + GAP, end + GAP + estimate + GAP / 2, width, stacked=False)


def _interval(figure: Figure, mark: FigureMark) -> str:
    """Return the interval in brackets, or that there is none; nothing for a number that does not exist."""
    if mark.value is None:
        return ""
    interval = words.written(figure, mark)[1]
    return f"({interval})" if interval else tr("(no interval)")


def _headings(canvas: Canvas, figure: Figure, columns: _Columns, top: float) -> float:
    canvas.text(columns.estimate, top + SIZES["note"], words.value_title(figure))
    canvas.text(columns.n, top + SIZES["note"], tr(figure.n_title), anchor="end")
    return top + NOTE_LINE + 3


def _row(
    canvas: Canvas, figure: Figure, columns: _Columns, row: str, marks: tuple[FigureMark, ...], top: float
) -> float:
    """Draw a label, and a lane for each mark; few lanes beside a long label are centred on it."""
    lines = canvas.wrap(row, "label", columns.label, most=4)
    color = "ink" if any(mark.value is not None for mark in marks) else "soft"
    lanes = [_lane_height(canvas, columns, mark) for mark in marks]
    if columns.stacked:
        lane = first = top + 4
        lane += LABEL_LINE * len(lines)
        height = LABEL_LINE * len(lines) + 4 + sum(lanes) + ROW_GAP
    else:
        height = max(sum(lanes), LABEL_LINE * len(lines)) + ROW_GAP
        lane = top + (height - sum(lanes)) / 2
        # The label stands beside its first mark, and in the middle where it is longer than all of them.
        first = lane + (lanes[0] - LABEL_LINE) / 2 if LABEL_LINE * len(lines) <= sum(lanes) else top + ROW_GAP / 2
    for place, line in enumerate(lines):
        canvas.text(0, first + LABEL_LINE * place + SIZES["label"], line, "label", color)
    places = {name: place for place, name in enumerate(figure.series)}
    begin = lane if columns.stacked else top
    for number, (mark, tall) in enumerate(zip(marks, lanes, strict=True)):
        end = top + height if number == len(marks) - 1 else lane + tall
        if mark.value is not None:  # no line runs through the words that stand in place of a number
            _grid(canvas, figure, columns, begin, end)
        begin = end
        _lane(canvas, figure, columns, mark, places[mark.series], lane, tall)
        lane += tall
    return top + height


def _lane_height(canvas: Canvas, columns: _Columns, mark: FigureMark) -> float:
    if mark.value is None:
        return max(LANE, NOTE_LINE * len(_reason(canvas, columns, mark)) + 4)
    return LANE + NOTE_LINE if columns.stacked else LANE


def _reason(canvas: Canvas, columns: _Columns, mark: FigureMark) -> list[str]:
    text = tr("not defined: {reason}").format(reason=words.reason_of(mark))
    n = canvas.measure(digits.count(mark.n), "note")
    return canvas.wrap(text, "note", columns.n - n - GAP - columns.axis.start, most=3)


def _grid(canvas: Canvas, figure: Figure, columns: _Columns, top: float, bottom: float) -> None:
    axis = columns.axis
    for value, _ in axis.scale.ticks:
        canvas.line(axis.at(value), top, axis.at(value), bottom)
    if figure.null is not None:
        canvas.line(axis.at(figure.null), top, axis.at(figure.null), bottom, "ink", 1, NULL_DASH)


def _lane(
    canvas: Canvas, figure: Figure, columns: _Columns, mark: FigureMark, place: int, top: float, tall: float
) -> None:
    axis = columns.axis
    canvas.spot(0, top, canvas.width, tall, figure, mark)
    n = digits.count(mark.n)
    if mark.value is None:
        for number, line in enumerate(_reason(canvas, columns, mark)):
            canvas.text(axis.start, top + SIZES["note"] + 3 + NOTE_LINE * number, line)
        canvas.text(columns.n, top + SIZES["note"] + 3, n, anchor="end")
        return
    middle, x = top + LANE / 2, axis.at(mark.value)
    if mark.floor is not None:
        zero = axis.at(0.0)
        canvas.floor(zero, middle - 8, axis.at(mark.floor.p95) - zero, 16, axis.at(mark.floor.mean))
    bar = figure.kind == "bars"
    if bar:
        zero = axis.at(0.0)
        canvas.rect(min(zero, x), middle - 7, abs(x - zero), 14, series_color(place), series_color(place), 0.5)
    if mark.low is not None and mark.high is not None:
        cut = not axis.scale.holds(mark.low), not axis.scale.holds(mark.high)
        ends = (axis.at(mark.low), middle), (axis.at(mark.high), middle)
        canvas.span(*ends, "ink" if bar else series_color(place), dash=BAND_DASH if mark.band else (), cut=cut)
    letters = printed_by(figure) if mark.references else {}
    for reference in mark.references:
        canvas.printed(axis.at(reference.value), middle, letters.get(reference.who, ""))
    if not bar:
        canvas.marker(place, x, middle)
    _numbers(canvas, figure, columns, mark, top, n)


def _numbers(canvas: Canvas, figure: Figure, columns: _Columns, mark: FigureMark, top: float, n: str) -> None:
    estimate, interval = words.written(figure, mark)[0], _interval(figure, mark)
    if columns.stacked:
        title = tr(figure.n_title)
        text = f"{estimate} {interval}"
        canvas.text(6, top + LANE + SIZES["note"] - 2, canvas.cut(text, "note", canvas.width * 0.7), color="ink")
        canvas.text(columns.n, top + LANE + SIZES["note"] - 2, f"{title} {n}" if title == "n" else n, anchor="end")
        return
    baseline = top + LANE / 2 + 4.5
    canvas.text(columns.estimate, baseline, estimate, "strong", "ink")
    canvas.text(columns.interval, baseline, interval)
    canvas.text(columns.n, baseline, n, anchor="end")


def _axis(canvas: Canvas, figure: Figure, columns: _Columns, top: float) -> float:
    axis = columns.axis
    canvas.line(axis.start, top, axis.end, top, "edge")
    baseline = top + SIZES["note"] + 5
    for value, text in axis.fitting_ticks(canvas):
        half = canvas.measure(text, "note") / 2
        canvas.text(min(max(axis.at(value), half), canvas.width - half), baseline, text, anchor="middle")
    title = figure.axis or figure.unit
    middle = (axis.start + axis.end) / 2
    lines = canvas.wrap(title, "note", 2 * min(middle, canvas.width - middle)) if title else []
    for place, line in enumerate(lines):
        canvas.text(middle, baseline + NOTE_LINE * (place + 1) + 2, line, anchor="middle")
    return baseline + NOTE_LINE * len(lines) + 8


# lines

HEIGHT, MARGIN = 260.0, 24.0  # MARGIN: between the axes and the outermost points
BESIDE = 8.0  # between the series at one place, so that none hides another
REACH = 9.0  # around a point, for the pointer


def draw_line(canvas: Canvas, figure: Figure, top: float) -> float:
    """Draw from `top` on; return where the next begins."""
    placed = [mark for mark in figure.marks if mark.x is not None]
    drawn = [mark for mark in placed if mark.value is not None]
    missing = [mark for mark in figure.marks if mark.value is None or mark.x is None]
    top = canvas.paragraph(0, top, canvas.width, figure.axis or figure.unit, most=2) + 8
    scale = scale_of(figure, drawn)
    left = max(canvas.measure(text, "note") for _, text in scale.ticks) + 8
    up = PlacedAxis(scale, top + HEIGHT, top)
    places = places_scale(mark.x for mark in placed if mark.x is not None)
    along = PlacedAxis(places, left + MARGIN, canvas.width - MARGIN)
    bottom = _axes(canvas, figure, drawn, along, up)
    series = figure.series
    asides = {name: (place - (len(series) - 1) / 2) * BESIDE for place, name in enumerate(series)}
    for mark in drawn:
        if mark.floor is not None:
            x, end = along.at(mark.x or 0.0) + asides[mark.series], up.at(mark.floor.p95)
            zero = up.at(0.0)
            canvas.floor(x - 3, end, 6, zero - end, up.at(mark.floor.mean), upright=True)
    for place, name in enumerate(series):
        own = sorted((mark for mark in drawn if mark.series == name), key=lambda mark: mark.x or 0.0)
        _series(canvas, figure, own, [along.at(mark.x or 0.0) + asides[name] for mark in own], up, place)
    for mark in missing:
        text = ": ".join((words.name_of(figure, mark), words.reason_of(mark)))
        begin = bottom
        bottom = canvas.paragraph(0, bottom, canvas.width, tr("not defined: {reason}").format(reason=text)) + 3
        canvas.spot(0, begin, canvas.width, bottom - begin, figure, mark)
    return bottom


def _series(canvas: Canvas, figure: Figure, own: list[FigureMark], xs: list[float], up: PlacedAxis, place: int) -> None:
    color = series_color(place)
    points = [(x, up.at(mark.value or 0.0)) for x, mark in zip(xs, own, strict=True)]
    if len(points) > 1:
        canvas.path(points, color=color, width=1.6, dash=DASHES[place % len(DASHES)])
    for mark, (x, y) in zip(own, points, strict=True):
        if mark.low is not None and mark.high is not None:
            cut = not up.scale.holds(mark.low), not up.scale.holds(mark.high)
            canvas.span((x, up.at(mark.low)), (x, up.at(mark.high)), color, cut=cut)
        for reference in mark.references:
            canvas.printed(x, up.at(reference.value))
        canvas.marker(place, x, y)
        canvas.spot(x - REACH, y - REACH, 2 * REACH, 2 * REACH, figure, mark)


def _axes(canvas: Canvas, figure: Figure, drawn: list[FigureMark], along: PlacedAxis, up: PlacedAxis) -> float:
    """Gives where the next begins."""
    left, right = along.start - MARGIN, along.end + MARGIN
    for value, text in up.scale.ticks:
        canvas.line(left, up.at(value), right, up.at(value))
        canvas.text(left - 6, up.at(value) + 4, text, anchor="end")
    canvas.line(left, up.start, right, up.start, "edge")
    if figure.null is not None:
        canvas.line(left, up.at(figure.null), right, up.at(figure.null), "ink", 1, NULL_DASH)
    baseline = up.start + SIZES["note"] + 7
    for value, text in along.fitting_ticks(canvas):
        canvas.line(along.at(value), up.start, along.at(value), up.start + 4, "edge")
        canvas.text(along.at(value), baseline, text, anchor="middle")
    return canvas.paragraph((left + right) / 2, baseline + 4, right - left, _below(figure, drawn), anchor="middle") + 6


def _below(figure: Figure, drawn: list[FigureMark]) -> str:
    """Say what the places are, and how many items are behind a point."""
    least, most = (end((mark.n for mark in drawn), default=0) for end in (min, max))
    n = tr("n = {n} at every point") if least == most else tr("n = {n} to {most} at a point")
    return " · ".join(
        text for text in (figure.x_axis, n.format(n=digits.count(least), most=digits.count(most))) if text
    )


# radars

FILL = 0.14
MOST_WITH_INTERVALS = 4  # series of a radar; of more, the first alone has them: nobody could tell them apart
BESIDE = 4.0  # how far the intervals of two series on one spoke lie apart
DOT, DOT_STEP, DOT_FILL = 3.0, 7.0, 0.6
DOT_TURNS = [2 * math.pi * part / 12 for part in range(12)]
MOST_RADIUS, LEAST_RADIUS = 210.0, 60.0
LABEL_GAP = 10.0
MOST_LINEAR = 3.0  # times the null, up to which a fixed end leaves room for what lies around the null
RING_STEPS, MOST_RINGS = (0.5, 1.0, 2.0, 5.0, 10.0, 50.0), 6
MOST_SPOKE_LABEL = 0.3  # of the width
LONG_LABEL = 90.0  # wider ones take two lines where they have a blank: the radar itself needs the room
ASIDE = 0.2  # labels of spokes that point more sideways than this stand beside them, the others above or below


def draw_radar(canvas: Canvas, figure: Figure, top: float) -> float:
    """Draw from `top` on; return where the next begins."""
    return _Radar(canvas, figure, top + 8).draw()


class _Radar:
    """One drawing: where the centre is, and how far a value lies from it."""

    def __init__(self, canvas: Canvas, figure: Figure, top: float) -> None:
        self.canvas, self.figure = canvas, figure
        self.spokes = figure.rows
        self.null = figure.null or 1.0
        self.limit = figure.outermost or _limit(figure, self.null)
        # An end far above chance, which is not drawn to the values, would leave them all in the middle.
        self.by_root = figure.outermost is not None and self.limit > MOST_LINEAR * self.null
        self.with_intervals = with_intervals(figure)
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
        self._dots()
        for place in reversed(range(len(self.figure.series))):  # the first series lies on top
            self._series(place)
        self._labels()
        rings, bottom = self._rings(), max(y for _, y in self._circle(self.limit)) + self.lines + 4
        note = tr("{axis}: rings {step} apart, the outermost is {limit}").format(
            axis=self.figure.axis or self.figure.unit, step=f"{rings[0]:g}", limit=f"{self.limit:g}"
        )
        if self.by_root:
            note += tr("; four times the value lies twice as far from the middle")
        return self.canvas.paragraph(self.x, bottom, self.canvas.width, note, anchor="middle")

    def _rings(self) -> list[float]:
        step = (
            next((step for step in RING_STEPS if self.limit <= MOST_RINGS * step * self.null), RING_STEPS[-1])
            * self.null
        )
        return [step * number for number in range(1, math.floor(self.limit / step + 1e-9) + 1)]

    def _at(self, spoke: int, value: float) -> Point:
        angle = 2 * math.pi * spoke / len(self.spokes) - math.pi / 2
        share = min(max(value / self.limit, 0.0), 1.0)
        distance = self.radius * (math.sqrt(share) if self.by_root else share)
        return self.x + math.cos(angle) * distance, self.y + math.sin(angle) * distance

    def _beside(self, spoke: int, place: int, at: Point) -> Point:
        """Across the spoke, so that the intervals of several series lie next to each other."""
        angle = 2 * math.pi * spoke / len(self.spokes)
        aside = BESIDE * ((place + 1) // 2) * (-1 if place % 2 else 1)
        return at[0] + math.cos(angle) * aside, at[1] + math.sin(angle) * aside

    def _circle(self, value: float) -> list[Point]:
        return [self._at(spoke, value) for spoke in range(len(self.spokes))]

    def _chance(self) -> None:
        """Draw the range of values when every choice is made at random: of the first series that has the spoke."""
        known = [next((mark.chance for mark in self.figure.at(*row) if mark.chance), None) for row in self.spokes]
        if any(known):
            ends = [chance or (self.null, self.null) for chance in known]
            inner = [self._at(spoke, low) for spoke, (low, _) in enumerate(ends)]
            outer = [self._at(spoke, high) for spoke, (_, high) in enumerate(ends)]
            self.canvas.path(outer, color="edge", fill="floor", dash=(1, 2), closed=True, hole=inner)

    def _dots(self) -> None:
        """Beside each other where several are at one value: a heap of people should look like one."""
        for index, row in enumerate(self.spokes):
            times: dict[float, int] = {}
            for value in (value for mark in self.figure.at(*row) for value in mark.dots):
                times[value] = times.get(value, -1) + 1
                x, y = self._at(index, value)
                angle = 2 * math.pi * index / len(self.spokes)
                aside = DOT_STEP * ((times[value] + 1) // 2) * (-1 if times[value] % 2 else 1)
                x, y = x + math.cos(angle) * aside, y + math.sin(angle) * aside
                points = [(x + DOT * math.cos(turn), y + DOT * math.sin(turn)) for turn in DOT_TURNS]
                self.canvas.path(points, color="ink", fill="soft", closed=True, opacity=DOT_FILL)

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
            if name in self.with_intervals and mark.low is not None and mark.high is not None:
                ends = [self._beside(index, place, self._at(index, end)) for end in (mark.low, mark.high)]
                self.canvas.path(ends, color=color, width=1.5 if first else 1.0, dash=BAND_DASH if mark.band else ())
            x, y = at[index]
            self.canvas.marker(place, x, y, hollow=not first)
            self.canvas.spot(x - REACH, y - REACH, 2 * REACH, 2 * REACH, self.figure, mark)

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


def with_intervals(figure: Figure) -> tuple[str, ...]:
    """The series of a radar whose intervals are drawn."""
    return figure.series if len(figure.series) <= MOST_WITH_INTERVALS else figure.series[:1]


def _limit(figure: Figure, null: float) -> float:
    """Return the value at the radar's rim: half of the null above everything drawn, at least twice the null."""
    drawn, bounded = [mark for mark in figure.marks if mark.value is not None], with_intervals(figure)
    ends = [mark.value for mark in drawn if mark.value is not None]
    ends += [mark.high for mark in drawn if mark.high is not None and mark.series in bounded]
    ends += [mark.chance[1] for mark in drawn if mark.chance]
    ends += [value for mark in drawn for value in mark.dots]
    return null * max(2.0, math.ceil(2 * max(ends, default=0.0) / null - 1e-9) / 2)


def in_lines(canvas: Canvas, label: str) -> Sequence[str]:
    """The label, in two lines of about the same width where one would be long."""
    blanks = [place for place, letter in enumerate(label) if letter == " "]
    if not blanks or canvas.measure(label, "label") <= LONG_LABEL:
        return [label]
    halves = ([label[:place], label[place + 1 :]] for place in blanks)
    return min(halves, key=lambda pair: max(canvas.measure(half, "label") for half in pair))
