"""Draws a `RowsView`: label, mark on a common scale, figure with interval, n. Bars, forests and score rows alike."""

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF

from desktop.charts.axis import fitting_ticks
from desktop.charts.canvas import Canvas
from desktop.charts.legend import BAND_DASH, CHANCE_DASH, draw_legend, draw_notes, draw_undefined
from desktop.charts.scales import Scale
from desktop.charts.view import Block, Row, RowsView
from desktop.widgets.words import tr

MIN_PLOT = 120


@dataclass(frozen=True)
class _Columns:
    """Where the columns stand: the plot from `left` to `right`, the texts at their left edges, n at its right edge."""

    label: float
    left: float
    right: float
    figure: float
    interval: float
    n: float

    def x(self, scale: Scale, value: float) -> float:
        """Where a value stands; at the edge where it lies beyond the scale."""
        return self.left + min(max(scale.at(value), 0.0), 1.0) * (self.right - self.left)


def draw_rows(canvas: Canvas, view: RowsView, width: float) -> float:
    """Draw the chart `width` wide; returns its height."""
    t = canvas.tokens
    y = draw_legend(canvas, view.legend, 0, 0, width) + t.px(8)
    if view.blocks:
        columns = _columns(canvas, view, width)
        y = _headings(canvas, view, columns, y)
        for block in view.blocks:
            y = _block(canvas, view, block, columns, y, width)
        y = _axis(canvas, view, columns, y)
    y += draw_undefined(canvas, tr("Not defined"), view.undefined, 0, y, width)
    y += t.px(8) if view.notes else 0
    y += draw_notes(canvas, view.notes, 0, y, width)
    return y


def _columns(canvas: Canvas, view: RowsView, width: float) -> _Columns:
    """Texts take what they need, the plot the rest; labels give way first (cut, with the whole name on hover)."""
    rows = [row for block in view.blocks for row in block.rows]
    gap = canvas.tokens.px(12)
    figure = max(canvas.width_of(row.figure, "strong") for row in rows)
    interval = max(canvas.width_of(_interval(row), "note") for row in rows)
    heading = canvas.width_of(view.figure_heading, "note")
    interval = max(interval, heading - figure - gap / 2)
    n = max([canvas.width_of(row.n, "note") for row in rows] + [canvas.width_of(view.n_heading, "note")])
    texts = figure + gap / 2 + interval + gap + n
    label = min(max(canvas.width_of(row.label) for row in rows), max(width - texts - MIN_PLOT - 2 * gap, MIN_PLOT / 2))
    right = width - texts - gap
    return _Columns(label, label + gap, right, right + gap, right + gap + figure + gap / 2, width)


def _interval(row: Row) -> str:
    """In brackets, or that there is none; nothing beside a number that does not exist."""
    if row.estimate is None:
        return ""
    return f"({row.interval})" if row.interval else tr("(no interval)")


def _headings(canvas: Canvas, view: RowsView, columns: _Columns, top: float) -> float:
    t = canvas.tokens
    height = canvas.height_of("note") + t.px(6)
    canvas.text(columns.figure, top + height / 2, view.figure_heading, role="note", color=t.soft)
    canvas.text(columns.n, top + height / 2, view.n_heading, role="note", color=t.soft, align="right")
    return top + height


def _block(canvas: Canvas, view: RowsView, block: Block, columns: _Columns, top: float, width: float) -> float:
    t = canvas.tokens
    y = top
    if block.heading:
        y += t.px(6)
        height = canvas.height_of("strong") + t.px(6)
        used = canvas.text(0, y + height / 2, block.heading, role="strong", room=width)
        canvas.text(
            used + t.px(10), y + height / 2, block.note, role="note", color=t.soft, room=width - used - t.px(10)
        )
        y += height
    # A second mark of the same label stands close under the first.
    heights = [float(t.px(28 if row.label else 20)) for row in block.rows]
    for row, height in zip(block.rows, heights, strict=True):
        if row.estimate is not None:  # no line runs through the words that stand in place of a number
            _grid(canvas, view, columns, y, y + height)
        _row(canvas, view, row, columns, QRectF(0, y, width, height))
        if block.reference is not None and row.estimate is not None:
            x = columns.x(view.scale, block.reference)
            canvas.line(x, y, x, y + height, t.ink, 1.0, CHANCE_DASH)
        y += height
    return y + t.px(4)


def _grid(canvas: Canvas, view: RowsView, columns: _Columns, top: float, bottom: float) -> None:
    for value, _ in view.scale.ticks:
        x = columns.x(view.scale, value)
        canvas.line(x, top, x, bottom, canvas.tokens.grid_line)


def _row(canvas: Canvas, view: RowsView, row: Row, columns: _Columns, area: QRectF) -> None:
    t = canvas.tokens
    middle = area.center().y()
    canvas.spot(area, row.tip, row.finding)
    canvas.text(0, middle, row.label, room=columns.label, color="" if row.estimate is not None else t.soft)
    if row.estimate is None:
        _undefined(canvas, row, columns, middle)
        return
    zero, at = columns.x(view.scale, 0), columns.x(view.scale, row.estimate)
    if row.floor is not None:
        canvas.floor(QRectF(zero, middle - t.px(8), columns.x(view.scale, row.floor) - zero, t.px(16)))
    if row.bar:
        canvas.bar(QRectF(zero, middle - t.px(7), at - zero, t.px(14)), row.series)
    _span(canvas, view, row, columns, middle)
    if not row.bar:
        canvas.marker(QPointF(at, middle), row.series, hollow=row.hollow)
    for value in row.references:
        canvas.reference(QPointF(columns.x(view.scale, value), middle))
    canvas.text(columns.figure, middle, row.figure, role="strong")
    canvas.text(columns.interval, middle, _interval(row), role="note", color=t.soft)
    canvas.text(columns.n, middle, row.n, role="note", color=t.soft, align="right")


def _undefined(canvas: Canvas, row: Row, columns: _Columns, middle: float) -> None:
    """Why there is no number, in its place; the whole reason is in the tip."""
    t = canvas.tokens
    n = canvas.text(columns.n, middle, row.n, role="note", color=t.soft, align="right")
    text = tr("not defined: {reason}").format(reason=row.reason)
    canvas.text(columns.left, middle, text, role="note", color=t.soft, room=columns.n - n - t.px(12) - columns.left)


def _span(canvas: Canvas, view: RowsView, row: Row, columns: _Columns, middle: float) -> None:
    """The interval (solid) or band (dashed), with an arrow where it runs past the scale."""
    if row.low is None or row.high is None:
        return
    t = canvas.tokens
    color = t.ink if row.bar else t.series[row.series % len(t.series)].color
    ends = []
    for value, sign in ((row.low, -1), (row.high, 1)):
        place = view.scale.at(value)
        x = columns.x(view.scale, value)
        reach = t.px(5)
        if -1e-9 <= place <= 1 + 1e-9:
            canvas.line(x, middle - reach, x, middle + reach, color, 1.5)
        else:
            canvas.line(x, middle, x - sign * reach, middle - reach, color, 1.5)
            canvas.line(x, middle, x - sign * reach, middle + reach, color, 1.5)
        ends.append(x)
    canvas.line(ends[0], middle, ends[1], middle, color, 2.0, BAND_DASH if row.band else ())


def _axis(canvas: Canvas, view: RowsView, columns: _Columns, top: float) -> float:
    t = canvas.tokens
    height = canvas.height_of("note") + t.px(4)
    canvas.line(columns.left, top, columns.right, top, t.edge)
    for value, text in fitting_ticks(canvas, view.scale, lambda value: columns.x(view.scale, value)):
        x = columns.x(view.scale, value)
        canvas.text(x, top + height / 2 + t.px(2), text, role="note", color=t.soft, align="center")
    return _captions(canvas, view.captions, columns, top + height) + t.px(4)


def _captions(canvas: Canvas, captions: tuple[str, str], columns: _Columns, top: float) -> float:
    """What left and right mean: side by side under the scale where they fit, else under each other."""
    t = canvas.tokens
    left, right = captions
    height = canvas.height_of("note") + t.px(4)
    room = columns.n - columns.left
    y = top + height / 2
    if left:
        canvas.text(columns.left, y, left, role="note", color=t.soft, room=room)
    if (
        left
        and right
        and sum(canvas.width_of(text, "note") for text in captions) + t.px(16) > columns.right - columns.left
    ):
        canvas.text(columns.left, y + height, right, role="note", color=t.soft, room=room)
        return top + 2 * height
    if right:
        canvas.text(columns.right, y, right, role="note", color=t.soft, align="right")
    return top + (height if left or right else 0)
