"""One finding drawn small: estimate and interval on a scale, the noise floor shaded, and where no bias lies."""

import math

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.findings import Finding
from desktop import theme
from desktop.charts import numbers
from desktop.charts.canvas import Canvas
from desktop.charts.legend import CHANCE_DASH
from desktop.models.finding_words import figures, is_ratio, null_value
from desktop.widgets.words import tr

MARK_HEIGHT = 28
MARGIN = 0.08  # of the scale, at both ends


class IntervalBar(QWidget):
    """Empty without an estimate. Ratios stand on a log scale."""

    def __init__(self) -> None:
        super().__init__()
        self._finding: Finding | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.signals.changed.connect(self._restyle)

    def show_finding(self, finding: Finding) -> None:
        self._finding = finding if finding.estimate is not None else None
        self.setVisible(self._finding is not None)
        figure, interval = figures(finding)
        said = tr("{figure}, interval {interval}") if interval else tr("{figure}, without an interval")
        self.setAccessibleName(said.format(figure=figure, interval=interval))
        self.setAccessibleDescription(legend(finding))
        self.update()

    def sizeHint(self) -> QSize:
        tokens = theme.current()
        return QSize(tokens.px(200), tokens.px(MARK_HEIGHT + 20))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.current().px(120), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._finding is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw(Canvas(painter, theme.current()), self._finding, self.width())
        painter.end()

    def _restyle(self, _tokens: object = None) -> None:
        self.updateGeometry()
        self.update()


class Places:
    """Where values stand on a scale that has room for all of them."""

    def __init__(self, values: list[float], width: float, *, logarithmic: bool) -> None:
        self._of = math.log if logarithmic else float
        ends = [self._of(value) for value in values if math.isfinite(value) and (value > 0 or not logarithmic)]
        self._low, high = min(ends), max(ends)
        self._span = (high - self._low) or abs(high) or 1.0
        self._width = width
        self._logarithmic = logarithmic

    def x(self, value: float) -> float:
        """In pixels from the left; at the edge for what no scale holds (0 or infinity of a ratio)."""
        if (self._logarithmic and value <= 0) or value == -math.inf:
            return 0.0
        if value == math.inf:
            return self._width
        share = (self._of(value) - self._low) / self._span
        return self._width * (MARGIN + (1 - 2 * MARGIN) * share)


def draw(canvas: Canvas, finding: Finding, width: float) -> None:
    """Floor, null line, interval, estimate, and under them what the null line stands at."""
    assert finding.estimate is not None
    tokens = canvas.tokens
    null, floor = null_value(finding), finding.floor
    low, high = numbers.bounds(finding.interval)
    from_zero = [0.0] if floor is not None else []
    values = [finding.estimate, low, high, null, floor.p95 if floor else None, *from_zero]
    places = Places([value for value in values if value is not None], width, logarithmic=is_ratio(finding))
    bottom, middle = float(tokens.px(MARK_HEIGHT)), tokens.px(MARK_HEIGHT) / 2
    if floor is not None:
        start = places.x(0.0)
        canvas.floor(QRectF(start, 0, places.x(floor.p95) - start, bottom))
    canvas.line(0, bottom, width, bottom, tokens.edge)
    if null is not None:
        x = places.x(null)
        canvas.line(x, 0, x, bottom, tokens.ink, 1.0, CHANCE_DASH)
        _tick(canvas, x, bottom, numbers.score(null)[0] if null not in (0, 1) else f"{null:g}", width)
    color = tokens.series[0].color
    if low is not None and high is not None:
        canvas.line(places.x(low), middle, places.x(high), middle, color, 2.0)
        for x in (places.x(low), places.x(high)):
            canvas.line(x, middle - tokens.px(5), x, middle + tokens.px(5), color, 1.5)
    canvas.marker(QPointF(places.x(finding.estimate), middle), 0, hollow=finding.variant == "as_published")


def _tick(canvas: Canvas, x: float, bottom: float, text: str, width: float) -> None:
    half = canvas.width_of(text, "note") / 2
    middle = bottom + canvas.height_of("note") / 2 + canvas.tokens.px(2)
    canvas.text(min(max(x, half), width - half), middle, text, role="note", color=canvas.tokens.soft, align="center")


def legend(finding: Finding) -> str:
    """What the shade and the dashed line mean; empty where neither is drawn."""
    if finding.estimate is None:
        return ""
    if finding.floor is not None:
        return tr("Shaded: noise floor, what comes up without any bias in 95 of 100 cases; dashed: its average.")
    if is_ratio(finding):
        return tr("Dashed: 1, no difference.")
    if finding.id == "creativity.share":
        return tr("Dashed: chance, every group chosen alike.")
    return tr("Dashed: 0, no difference.") if null_value(finding) is not None else ""
