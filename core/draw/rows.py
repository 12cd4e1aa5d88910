"""Rows of estimates with their intervals on a common axis: the kinds `intervals`, `grouped` and `bars`."""

import string
from dataclasses import dataclass
from itertools import groupby

from core.draw import digits, words
from core.draw.canvas import BAND_DASH, LABEL_LINE, NOTE_LINE, NULL_DASH, SIZES, Canvas, series_color
from core.draw.figure import Figure, FigureMark
from core.draw.reader import tr
from core.draw.scales import PlacedAxis, scale_of

LEAST_PLOT, MOST_LABEL, GAP = 120.0, 0.34, 12.0  # MOST_LABEL: of the width
LANE, ROW_GAP, SECTION = 22.0, 8.0, 28.0


@dataclass(frozen=True)
class _Columns:
    """Labels from 0 to `label`, the plot on `axis`, estimates from `estimate`, intervals from `interval`, n up to `n`.

    `stacked`: there is no room beside each other; the label stands above its marks, and the numbers below each.
    """

    label: float
    axis: PlacedAxis
    estimate: float
    interval: float
    n: float
    stacked: bool


def draw_rows(canvas: Canvas, figure: Figure, top: float) -> float:
    """From `top` on; gives where the next begins."""
    columns = _columns(canvas, figure)
    y = top if columns.stacked else _headings(canvas, figure, columns, top)
    for section, rows in groupby(figure.rows, key=lambda row: row[0]):
        if section:
            y = canvas.paragraph(0, y + SECTION - LABEL_LINE - 4, canvas.width, section, "strong", "ink") + 3
        for _, row in rows:
            y = _row(canvas, figure, columns, row, figure.at(section, row), y)
    return _axis(canvas, figure, columns, y + 2)


def printed_by(figure: Figure) -> dict[str, str]:
    """Who printed the references, and the letter of each; without letters where there is only one."""
    names = list(dict.fromkeys(one.who for mark in figure.marks for one in mark.references))
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
    """In brackets, or that there is none; nothing beside a number that does not exist."""
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
    """A label, and a lane for each mark; few lanes beside a long label stand in its middle."""
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
    canvas.spot(0, top, canvas.width, tall, mark, words.told(figure, mark))
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
    for one in mark.references:
        canvas.printed(axis.at(one.value), middle, letters.get(one.who, ""))
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
