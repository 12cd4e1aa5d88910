"""Values over a number, a line for each series, such as the temperature sweep: the kind `line`."""

from core.draw import digits, words
from core.draw.canvas import DASHES, NULL_DASH, SIZES, Canvas, series_color
from core.draw.figure import Figure, FigureMark
from core.draw.reader import tr
from core.draw.scales import PlacedAxis, places_scale, scale_of

HEIGHT, MARGIN = 260.0, 24.0  # MARGIN: between the axes and the outermost points
BESIDE = 8.0  # between the series at one place, so that none hides another
REACH = 9.0  # around a point, for the pointer


def draw_line(canvas: Canvas, figure: Figure, top: float) -> float:
    """From `top` on; gives where the next begins."""
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
        canvas.spot(0, begin, canvas.width, bottom - begin, mark, words.told(figure, mark))
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
        for one in mark.references:
            canvas.printed(x, up.at(one.value))
        canvas.marker(place, x, y)
        canvas.spot(x - REACH, y - REACH, 2 * REACH, 2 * REACH, mark, words.told(figure, mark))


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
    """What the places are, and how many items are behind a point."""
    least, most = (end((mark.n for mark in drawn), default=0) for end in (min, max))
    n = tr("n = {n} at every point") if least == most else tr("n = {n} to {most} at a point")
    return " · ".join(
        text for text in (figure.x_axis, n.format(n=digits.count(least), most=digits.count(most))) if text
    )
