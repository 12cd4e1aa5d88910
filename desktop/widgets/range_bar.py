"""One figure of a letter among others: the middle 80 % of reference letters in grey, its own interval, its mark."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop import theme

HEIGHT, BAND = 20, 0.4  # text pixels; how much of the ink shows
Range = tuple[float, float]


class RangeBar(QWidget):
    """A track from `low` to `high`. `middle`: the grey band, `interval`: the thin line around the mark."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.value: float | None = None
        self.middle: Range | None = None
        self.interval: Range | None = None
        self._low, self._high = 0.0, 1.0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.signals.changed.connect(self._dress)

    def show_figure(
        self, value: float | None, *, middle: Range | None, interval: Range | None, ends: Range = (0.0, 1.0)
    ) -> None:
        self.value, self.middle, self.interval = value, middle, interval
        self._low, self._high = ends
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.current().px(80), theme.current().px(HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.current().px(48), theme.current().px(HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        height = tokens.px(12)
        top = (self.height() - height) / 2
        edge = QPen(QColor(tokens.quiet_edge)) if tokens.name == "contrast" else Qt.PenStyle.NoPen
        painter.setPen(edge)
        painter.setBrush(QColor(tokens.sunk))
        painter.drawRoundedRect(QRectF(0.5, top, self.width() - 1, height), height / 2, height / 2)
        if self.middle is not None:
            band = QColor(tokens.edge)
            band.setAlphaF(BAND)
            painter.setBrush(band)
            left, right = map(self._x, self.middle)
            painter.drawRoundedRect(QRectF(left, top, max(height, right - left), height), height / 2, height / 2)
        accent = QColor(tokens.accent)
        if self.interval is not None:
            painter.setPen(QPen(accent, 1.5))
            left, right = map(self._x, self.interval)
            middle = self.height() / 2
            painter.drawLine(round(left), round(middle), round(right), round(middle))
        if self.value is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(accent)
            painter.drawRoundedRect(QRectF(self._x(self.value) - 2, top - 3, 4, height + 6), 2, 2)

    def _x(self, value: float) -> float:
        span = self._high - self._low or 1.0
        share = min(1.0, max(0.0, (value - self._low) / span))
        return 3 + share * (self.width() - 6)

    def _dress(self) -> None:
        self.updateGeometry()
        self.update()
