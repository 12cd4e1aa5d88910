"""Values over a number, a line for each series, such as the temperature sweep: the kind `line`."""

from core.report.figures import value_text
from core.report.figures.axis import ValueAxis, tick_text, value_axis
from core.report.figures.canvas import Canvas
from core.report.figures.legend import PAD, draw_legend, series_color, series_marker
from core.report.figures.lines import wrap
from core.report.figures.palette import DASHES
from core.report.figures.spec import Figure, Mark

HEIGHT, LEFT, BESIDE = 260.0, 76.0, 11.0  # BESIDE: pixels between the series at one place, so that none hides another


def draw(canvas: Canvas, figure: Figure, top: float) -> float:
    """From `top` on; gives where the next begins."""
    placed = [mark for mark in figure.marks if mark.x is not None]
    drawn = [mark for mark in placed if mark.value is not None]
    top, bottom = top + 22, top + 22 + HEIGHT
    up = _values(figure, drawn, bottom, top)
    along = value_axis(
        [mark.x for mark in placed if mark.x is not None], [], "linear", LEFT + 30, canvas.width - PAD - 40
    )
    after = _axes(canvas, figure, placed, along, up)
    series = figure.series
    asides = [(place - (len(series) - 1) / 2) * BESIDE for place in range(len(series))]
    for name, aside in zip(series, asides, strict=True):
        _floors(canvas, [mark for mark in drawn if mark.series == name], along, up, aside)
    for place, (name, aside) in enumerate(zip(series, asides, strict=True)):
        own = sorted((mark for mark in drawn if mark.series == name), key=lambda mark: mark.x or 0.0)
        points = [(along.at(mark.x or 0.0) + aside, up.at(mark.value or 0.0)) for mark in own]
        if len(points) > 1:
            canvas.path(points, color=series_color(place), closed=False, width=1.6, dash=DASHES[place % len(DASHES)])
        for mark, (x, y) in zip(own, points, strict=True):
            if mark.low is not None and mark.high is not None:
                canvas.line(x, up.at(mark.low), x, up.at(mark.high), color=series_color(place), width=1.2)
            canvas.marker(series_marker(place), x, y, series_color(place), value_text.told(figure, mark))
    return draw_legend(canvas, figure, after)


def _values(figure: Figure, drawn: list[Mark], bottom: float, top: float) -> ValueAxis:
    estimates = [mark.value for mark in drawn if mark.value is not None]
    bounds = [end for mark in drawn for end in (mark.low, mark.high) if end is not None]
    bounds += [mark.floor.p95 for mark in drawn if mark.floor] + ([] if figure.scale == "log" else [0.0])
    return value_axis(estimates, bounds, figure.scale, bottom, top)


def _floors(canvas: Canvas, own: list[Mark], along: ValueAxis, up: ValueAxis, aside: float) -> None:
    for mark in own:
        if mark.floor is not None and mark.x is not None:
            x, y = along.at(mark.x) + aside - BESIDE / 2 + 0.5, up.at(mark.floor.p95)
            canvas.rect(x, y, BESIDE - 1, up.start - y, color="floor")
            mean = up.at(mark.floor.mean)
            canvas.line(x, mean, x + BESIDE - 1, mean, color="edge")


def _axes(canvas: Canvas, figure: Figure, placed: list[Mark], along: ValueAxis, up: ValueAxis) -> float:
    right = canvas.width - PAD
    ticks = up.ticks()
    for tick in ticks:
        text = tick_text(tick, ticks, figure.sign, figure.scale)
        canvas.line(LEFT, up.at(tick), right, up.at(tick))
        canvas.text(LEFT - 8, up.at(tick) + 4, text, size=11, color="soft", anchor="end")
    canvas.line(LEFT, up.start, right, up.start, color="edge")
    for place in sorted({mark.x for mark in placed if mark.x is not None}):
        counts = sorted({mark.n for mark in placed if mark.x == place})
        n = f"n {counts[0]:,}" + (f"–{counts[-1]:,}" if len(counts) > 1 else "")
        canvas.text(along.at(place), up.start + 16, f"{place:g}", size=11, color="soft", anchor="middle")
        canvas.text(along.at(place), up.start + 30, n, size=10, color="soft", anchor="middle")
    (words,) = wrap(figure.axis or figure.unit, 11, right - PAD, most=1)
    canvas.text(PAD, up.end - 10, words, size=11, color="soft")
    lines = wrap(figure.x_axis, 11, right - LEFT)
    canvas.text((LEFT + right) / 2, up.start + 47, lines[0], size=11, color="soft", anchor="middle")
    return up.start + 52
