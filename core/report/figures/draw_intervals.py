"""Rows of estimates with their intervals on a common axis: the kinds `intervals` and `grouped`."""

from dataclasses import dataclass
from itertools import groupby

from core.report.figures import value_text
from core.report.figures.axis import ValueAxis, tick_text, value_axis
from core.report.figures.canvas import Canvas
from core.report.figures.heading import draw_heading, heading_height
from core.report.figures.legend import PAD, draw_legend, printed_by, series_color, series_marker
from core.report.figures.lines import width, wrap
from core.report.figures.spec import Figure, Mark

MOST_LABEL = 220.0
LANE, TEXT_LINE, ROW_GAP = 19.0, 15.0, 7.0
ESTIMATE = "estimate (95 % interval)"

# Section, row (None for a section's heading), marks, height.
_Row = tuple[str, str | None, tuple[Mark, ...], float]


@dataclass(frozen=True)
class _Layout:
    """The columns: labels, the plot, values with intervals, n."""

    label: float
    axis: ValueAxis
    values: float
    n: float


def draw(canvas: Canvas, figure: Figure, top: float) -> float:
    """From `top` on; gives where the next begins."""
    layout = _layout(canvas, figure)
    pen = _Pen(canvas, figure, layout)
    rows = _rows_with_heights(figure, layout)
    y = top + 18
    pen.columns(y - 6)
    bottom = y + sum(height for *_, height in rows)
    pen.floors(rows, y)
    after = pen.axis(y, bottom)
    for section, row, marks, height in rows:
        if row is None:
            draw_heading(canvas, section, y)
        else:
            pen.row(row, marks, y, height)
        y += height
    return draw_legend(canvas, figure, after)


def _layout(canvas: Canvas, figure: Figure) -> _Layout:
    texts = [value_text.whole(figure, mark) for mark in figure.marks]
    counts = [f"{mark.n:,}" for mark in figure.marks]
    labels = max(width(row, 13) for _, row in figure.rows)
    label = min(MOST_LABEL, labels + 4)
    n = max(width(text, 12) for text in [*counts, "n"])
    values = max(width(ESTIMATE, 11), *(width(text, 12) for text in texts))
    end = canvas.width - PAD - n - 14 - values - 18
    defined = [mark for mark in figure.marks if mark.value is not None]
    estimates = [mark.value for mark in defined if mark.value is not None]
    estimates += [one.value for mark in defined for one in mark.references]
    estimates += [] if figure.null is None else [figure.null]
    bounds = [end for mark in defined for end in (mark.low, mark.high) if end is not None]
    bounds += [mark.floor.p95 for mark in defined if mark.floor]
    # Spreads and shares are read from 0; so are floors.
    bounds += [0.0] if figure.null is None and figure.scale == "linear" else []
    axis = value_axis(estimates, bounds, figure.scale, PAD + label + 16, end)
    return _Layout(label, axis, end + 18, canvas.width - PAD)


def _rows_with_heights(figure: Figure, layout: _Layout) -> list[_Row]:
    """Every row with its marks and height; a row of None is a section's heading."""
    found: list[_Row] = []
    for section, rows in groupby(figure.rows, key=lambda row: row[0]):
        if section:
            found.append((section, None, (), heading_height(section, layout.n + PAD)))
        for _, row in rows:
            marks = figure.at(section, row)
            lanes = sum(_lane_height(mark, layout) for mark in marks)
            label = TEXT_LINE * len(wrap(row, 13, layout.label))
            found.append((section, row, marks, max(lanes, label) + ROW_GAP))
    return found


def _lane_height(mark: Mark, layout: _Layout) -> float:
    return LANE if mark.value is not None else max(LANE, TEXT_LINE * len(_reason(mark, layout)))


def _reason(mark: Mark, layout: _Layout) -> list[str]:
    return wrap(mark.reason, 11, layout.axis.end - layout.axis.start - 8, most=3)


@dataclass(frozen=True)
class _Pen:
    canvas: Canvas
    figure: Figure
    layout: _Layout

    def columns(self, y: float) -> None:
        self.canvas.text(self.layout.values, y, ESTIMATE, size=11, color="soft")
        self.canvas.text(self.layout.n, y, "n", size=11, color="soft", anchor="end")

    def axis(self, top: float, bottom: float) -> float:
        """Hairlines, ticks, the null line and the words below; gives where the next begins."""
        axis, canvas = self.layout.axis, self.canvas
        ticks = axis.ticks()
        for tick in ticks:
            text = tick_text(tick, ticks, self.figure.sign, self.figure.scale)
            canvas.line(axis.at(tick), top, axis.at(tick), bottom)
            canvas.text(axis.at(tick), bottom + 16, text, size=11, color="soft", anchor="middle")
        if self.figure.null is not None:
            x = axis.at(self.figure.null)
            canvas.line(x, top, x, bottom, color="edge", width=1.2, dash="5 3")
        canvas.line(axis.start, bottom, axis.end, bottom, color="edge")
        lines = wrap(self.figure.axis or self.figure.unit, 11, axis.end - axis.start)
        for place, line in enumerate(lines):
            y = bottom + 32 + 13 * place
            canvas.text((axis.start + axis.end) / 2, y, line, size=11, color="soft", anchor="middle")
        return bottom + 26 + 13 * len(lines)

    def floors(self, rows: list[_Row], y: float) -> None:
        """Below everything, so that hairlines stay visible."""
        axis = self.layout.axis
        for _, _, marks, height in rows:
            lanes = [_lane_height(mark, self.layout) for mark in marks]
            lane = y + (height - sum(lanes)) / 2
            for mark, tall in zip(marks, lanes, strict=True):
                if mark.floor is not None and mark.value is not None:
                    end, mean = axis.at(mark.floor.p95), axis.at(mark.floor.mean)
                    self.canvas.rect(axis.start, lane + 1, end - axis.start, tall - 2, color="floor")
                    self.canvas.line(mean, lane + 1, mean, lane + tall - 1, color="edge")
                lane += tall
            y += height

    def row(self, row: str, marks: tuple[Mark, ...], y: float, height: float) -> None:
        lines = wrap(row, 13, self.layout.label)
        lanes = [_lane_height(mark, self.layout) for mark in marks]
        undefined = all(mark.value is None for mark in marks)
        first = y + height / 2 - TEXT_LINE * len(lines) / 2 + 11.5
        for place, line in enumerate(lines):
            self.canvas.text(PAD, first + TEXT_LINE * place, line, size=13, color="soft" if undefined else "ink")
        # Few lanes beside a long label stand in its middle.
        lane = y + (height - sum(lanes)) / 2
        series = self.figure.series
        for mark, tall in zip(marks, lanes, strict=True):
            self._lane(mark, series.index(mark.series), lane, tall)
            lane += tall

    def _lane(self, mark: Mark, place: int, top: float, tall: float) -> None:
        canvas, layout, axis = self.canvas, self.layout, self.layout.axis
        middle = top + tall / 2
        color = "ink" if mark.value is not None else "soft"
        canvas.text(layout.values, middle + 4, value_text.whole(self.figure, mark), color=color)
        canvas.text(layout.n, middle + 4, f"{mark.n:,}", color=color, anchor="end")
        if mark.value is None:
            for number, line in enumerate(_reason(mark, layout)):
                # Hairlines would run through the words.
                canvas.rect(axis.start + 2, top + 2 + TEXT_LINE * number, width(line, 11), 14, color="surface")
                canvas.text(axis.start + 4, top + 13 + TEXT_LINE * number, line, size=11, color="soft", italic=True)
            return
        if mark.low is not None and mark.high is not None:
            self._interval(mark.low, mark.high, middle, place)
        letters = printed_by(self.figure)
        for one in mark.references:
            told = f"{one.who}, {one.where}: {value_text.number(self.figure, one.value)}"
            canvas.reference(axis.at(one.value), middle, letters.get(one.who, ""), told)
        told = value_text.told(self.figure, mark)
        canvas.marker(series_marker(place), axis.at(mark.value), middle, series_color(place), told)

    def _interval(self, low: float, high: float, y: float, place: int) -> None:
        """The line, with an arrow where the axis ends before the interval does."""
        axis, color = self.layout.axis, series_color(place)
        left, right = axis.at(low), axis.at(high)
        self.canvas.line(left, y, right, y, color=color, width=1.6)
        for end, x, inwards in ((low, left, 6), (high, right, -6)):
            if axis.holds(end):
                self.canvas.line(x, y - 3.5, x, y + 3.5, color=color, width=1.2)
            else:
                self.canvas.path([(x + inwards, y - 4), (x, y), (x + inwards, y + 4)], color=color, closed=False)
