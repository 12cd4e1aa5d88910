"""Lines, bars, dots and cells of a figure, drawn on a canvas, with the scales of its axes.

A scale says which values an axis spans, where they lie, and the ticks between, as many as have room."""

import math
import string
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from biasprint.core.draw import digits, words
from biasprint.core.draw.canvas import BAND_DASH, DASHES, LABEL_LINE, NOTE_LINE, NULL_DASH, SIZES, Canvas, series_color
from biasprint.core.draw.figure import Figure, FigureMark

CONSTANT = 1e-9  # values that differ by less of their size are one value
FAR_FROM_ZERO = 3  # a scale starts at 0 unless the values would then lie in less than a third of it
FARTHEST = 50.0  # of ratios: an interval's end this many times beyond every estimate does not stretch the scale

RATIO_TICKS: dict[float, tuple[float, ...]] = {
    1.5: (1.1, 1.25, 1.5),
    2: (1.25, 1.5, 2),
    3: (1.5, 2, 3),
    5: (1.5, 2, 3, 5),
    10: (2, 5, 10),
    20: (2, 5, 10, 20),
    50: (2, 5, 20, 50),
    100: (3, 10, 30, 100),
}


@dataclass(frozen=True)
class AxisScale:
    """Positions of values between begin (0) and end (1), and the ticks with their texts."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """Position of `value`; outside 0 to 1 where it lies beyond the scale."""
        if not self.logarithmic:
            return (value - self.low) / (self.high - self.low)
        if value <= 0:
            return -math.inf
        return math.log(value / self.low) / math.log(self.high / self.low)

    def holds(self, value: float) -> bool:
        return -CONSTANT <= self.at(value) <= 1 + CONSTANT


@dataclass(frozen=True)
class PlacedAxis:
    """A scale on pixels from `start` to `end`; for an upright one `start` lies below `end`."""

    scale: AxisScale
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a value; a value beyond the scale lies on its end."""
        return self.start + min(max(self.scale.at(value), 0.0), 1.0) * (self.end - self.start)

    def fitting_ticks(self, canvas: Canvas) -> Sequence[tuple[float, str]]:
        """Return every tick, or every second, third … where texts would touch; keeps 0, or 1 of ratios, if present."""
        ticks = self.scale.ticks
        wanted = 1.0 if self.scale.logarithmic else 0.0
        origin = next((index for index, (value, _) in enumerate(ticks) if value == wanted), 0)
        for stride in range(1, len(ticks)):
            fitting = ticks[origin % stride :: stride]
            spans = [(self.at(value), canvas.measure(text, "note") / 2) for value, text in fitting]
            if all(b - a >= half_a + half_b + 6 for (a, half_a), (b, half_b) in pairwise(spans)):
                return fitting
        return ticks[origin : origin + 1]


def scale_of(figure: Figure, marks: Iterable[FigureMark]) -> AxisScale:
    """A scale that holds the estimates, what papers print, the null, floors, and intervals unless far out."""
    drawn = [mark for mark in marks if mark.value is not None]
    values = [mark.value for mark in drawn if mark.value is not None]
    values += [reference.value for mark in drawn for reference in mark.references]
    values += [] if figure.null is None else [figure.null]
    bounds = [end for mark in drawn for end in (mark.low, mark.high) if end is not None]
    if figure.scale == "log":
        return ratio_scale(values, bounds)
    # Floors are read from 0, and so are bars.
    floors = [end for mark in drawn if mark.floor for end in (0.0, mark.floor.p95)]
    begin = [0.0] if figure.kind == "bars" else []
    return scale_over([*values, *bounds, *floors, *begin], sign=digits.sign(figure.unit))


def linear_scale(high: float, *, low: float = 0.0, sign: str = "") -> AxisScale:
    """Return a scale between round numbers around `low` and `high`, with even ticks; from 0 to 1 where all is 0.

    `sign`: the text after a number that is written as a percentage; empty otherwise.
    """
    if high - low <= CONSTANT * max(abs(low), abs(high)):
        low, high = (low - 1.0, high) if high < 0 else (low, high + 1.0)
    step = _round_step((high - low) / 4)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    unit = step * (100 if sign else 1)
    decimals = next(places for places in range(30) if math.isclose(round(unit, places), unit, rel_tol=1e-6))
    ticks = tuple((at * step, digits.fixed(at * unit, decimals) + sign) for at in range(first, last + 1))
    return AxisScale(first * step, last * step, ticks)


def scale_over(values: Iterable[float], *, sign: str = "") -> AxisScale:
    """A linear scale that holds all of these; it begins at 0 unless they lie far from it."""
    finite = [value for value in values if math.isfinite(value)] or [0.0]
    low, high = min(finite), max(finite)
    if low > 0 and (low == high or FAR_FROM_ZERO * (high - low) >= high):
        low = 0.0
    if high < 0 and (low == high or FAR_FROM_ZERO * (high - low) >= -low):
        high = 0.0
    return linear_scale(high, low=low, sign=sign)


def places_scale(values: Iterable[float]) -> AxisScale:
    """A tick at each place that was measured, and none between them."""
    places = sorted(set(values)) or [0.0]
    low, high = places[0], places[-1]
    if low == high:
        low, high = low - 0.5, high + 0.5
    return AxisScale(low, high, tuple((place, _short(place)) for place in places))


def ratio_scale(values: Iterable[float], bounds: Iterable[float] = ()) -> AxisScale:
    """A log scale around 1, as far to the left as to the right, so that equal odds ratios look equally large.

    It ends at 100 and 1/100 at most: what lies beyond is drawn as an arrow at the edge.
    """
    reach = _reach(values, default=1.5)
    reach = max(reach, min(_reach(bounds, default=1.0), FARTHEST * reach))
    limit = next((limit for limit in RATIO_TICKS if limit >= reach), max(RATIO_TICKS))
    upper = RATIO_TICKS[limit]
    below = [(1 / tick, _short(1 / tick, 2)) for tick in reversed(upper)]
    ticks = [*below, (1.0, "1"), *((tick, _short(tick)) for tick in upper)]
    return AxisScale(1 / limit, float(limit), tuple(ticks), logarithmic=True)


def _reach(values: Iterable[float], default: float) -> float:
    return max((max(value, 1 / value) for value in values if 0 < value < math.inf), default=default)


def _short(value: float, significant: int = 6) -> str:
    text = f"{value:.{significant}g}"
    return digits.fixed(value, len(text.partition(".")[2])) if "e" not in text else text


def _round_step(rough: float) -> float:
    """1, 2, 2.5 or 5 times a power of ten, at or above `rough`."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * (1 - 1e-9))


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
    n = max(canvas.measure(text, "note") for text in [*counts, figure.n_title])
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
    return f"({interval})" if interval else "(no interval)"


def _headings(canvas: Canvas, figure: Figure, columns: _Columns, top: float) -> float:
    canvas.text(columns.estimate, top + SIZES["note"], words.value_title(figure))
    canvas.text(columns.n, top + SIZES["note"], figure.n_title, anchor="end")
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
        if mark.value is not None:  # no line runs through words, be they below a mark or in place of a number
            _grid(canvas, figure, columns, *((lane, lane + LANE) if columns.stacked else (begin, end)))
        begin = end
        _lane(canvas, figure, columns, mark, places[mark.series], lane, tall)
        lane += tall
    return top + height


def _lane_height(canvas: Canvas, columns: _Columns, mark: FigureMark) -> float:
    if mark.value is None:
        return max(LANE, NOTE_LINE * len(_reason(canvas, columns, mark)) + 4)
    return LANE + NOTE_LINE if columns.stacked else LANE


def _reason(canvas: Canvas, columns: _Columns, mark: FigureMark) -> list[str]:
    text = f"not defined: {words.reason_of(mark)}"
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
    if not bar or len(figure.series) > 1:  # the second cue beside the colour
        canvas.marker(place, x, middle)
    _numbers(canvas, figure, columns, mark, top, n)


def _numbers(canvas: Canvas, figure: Figure, columns: _Columns, mark: FigureMark, top: float, n: str) -> None:
    estimate, interval = words.written(figure, mark)[0], _interval(figure, mark)
    if columns.stacked:
        baseline, title = top + LANE + SIZES["note"] - 2, columns.n - canvas.measure(n, "note") - GAP / 2
        room = title - canvas.measure(figure.n_title, "note") - GAP - 6
        canvas.text(6, baseline, canvas.cut(f"{estimate} {interval}", "note", room), color="ink")
        canvas.text(title, baseline, figure.n_title, anchor="end")
        canvas.text(columns.n, baseline, n, anchor="end")
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
        bottom = canvas.paragraph(0, bottom, canvas.width, f"not defined: {text}") + 3
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
    n = "n = {n} at every point" if least == most else "n = {n} to {most} at a point"
    return " · ".join(
        text for text in (figure.x_axis, n.format(n=digits.count(least), most=digits.count(most))) if text
    )
