"""The chart widget: a figure drawn by QPainter, with the number under the pointer or the focus; and its card."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QPolygonF,
)
from PySide6.QtWidgets import QLabel, QMenu, QSizePolicy, QToolTip

from biasprint.core.draw.canvas import BOLD, SIZES, Anchor, Canvas, Point, Spot, TextStyle
from biasprint.core.draw.figure import Figure
from biasprint.core.draw.frame import draw_figure
from biasprint.core.draw.words import describe
from biasprint.core.findings import Finding
from biasprint.core.language import InLanguage, tr
from biasprint.desktop import theme
from biasprint.desktop.theme import equal_digits
from biasprint.desktop.theme.tokens import Tokens
from biasprint.desktop.widgets import Card, Label, QuietButton, announce
from biasprint.desktop.widgets.keys import FocusRing, is_fresh
from biasprint.desktop.widgets.layout import STRETCH, add_to, in_row
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip


class PaintCanvas(Canvas):
    """A canvas that only measures when it has no painter. Colours and typeface are the theme's."""

    def __init__(self, painter: QPainter | None, tokens: Tokens, width: float) -> None:
        super().__init__(width)
        self._painter = painter
        if painter is not None:
            painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # figures and intervals are never mirrored
        self._family = tokens.family
        self._colors = roles(tokens)
        self._widths: dict[tuple[str, TextStyle], float] = {}

    def measure(self, text: str, style: TextStyle) -> float:
        if (text, style) not in self._widths:
            self._widths[text, style] = _metrics(self._family, style).horizontalAdvance(safe_line(tr(text)))
        return self._widths[text, style]

    def text(
        self, x: float, y: float, text: str, style: TextStyle = "note", color: str = "soft", anchor: Anchor = "start"
    ) -> None:
        if self._painter is not None:
            text = InLanguage(safe_line(tr(text)))
            width = 0.0 if anchor == "start" else self.measure(text, style)
            self._painter.setFont(_font(self._family, style))
            self._painter.setPen(self._colors[color])
            self._painter.drawText(QPointF(x - (width / 2 if anchor == "middle" else width), y), text)

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str = "", edge: str = "", opacity: float = 1,
        radius: float = 0,
    ) -> None:  # fmt: skip
        if self._painter is not None:
            self._painter.setPen(self._pen(edge, 1, ()))
            self._painter.setBrush(self._brush(fill, opacity))
            self._painter.drawRoundedRect(QRectF(x, y, width, height), radius, radius)

    def path(
        self,
        points: Sequence[Point],
        *,
        color: str = "",
        fill: str = "",
        width: float = 1,
        dash: Sequence[float] = (),
        closed: bool = False,
        opacity: float = 1,
    ) -> None:
        if self._painter is None:
            return
        path = QPainterPath()
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in points]))
        if closed and points:
            path.closeSubpath()
        self._painter.setPen(self._pen(color, width, dash))
        self._painter.setBrush(self._brush(fill, opacity))
        self._painter.drawPath(path)

    def _pen(self, color: str, width: float, dash: Sequence[float]) -> QPen:
        if not color:
            return QPen(Qt.PenStyle.NoPen)
        pen = QPen(self._colors[color], width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if dash:
            pen.setDashPattern([length / width for length in dash])  # Qt counts dashes in pen widths
        return pen

    def _brush(self, fill: str, opacity: float) -> QColor:
        if not fill:
            return QColor(Qt.GlobalColor.transparent)
        color = QColor(self._colors[fill])
        color.setAlphaF(opacity)
        return color


def below(
    painter: QPainter | None, tokens: Tokens, top: float, width: float, drawing: Callable[[PaintCanvas], float]
) -> tuple[float, PaintCanvas]:
    """Draw something from `top` on at the reader's size of type; return where it ends, and its canvas."""
    canvas = PaintCanvas(painter, tokens, width / tokens.scale)
    if painter is None:
        return top + drawing(canvas) * tokens.scale, canvas
    painter.save()
    painter.translate(0, top)
    painter.scale(tokens.scale, tokens.scale)
    height = drawing(canvas)
    painter.restore()
    return top + height * tokens.scale, canvas


def roles(tokens: Tokens) -> dict[str, QColor]:
    """Return the theme's colours by the names that figures use."""
    named = {
        "ink": tokens.ink,
        "soft": tokens.soft,
        "line": tokens.grid_line,
        "edge": tokens.edge,
        "surface": tokens.surface,
        "floor": tokens.floor,
        "warn": tokens.warn,
        "warn-soft": tokens.warn_soft,
        "above": tokens.series[0].color,
        "below": tokens.series[1].color,
        **{f"series-{place}": series.color for place, series in enumerate(tokens.series, 1)},
    }
    return {name: QColor(color) for name, color in named.items()}


@lru_cache(maxsize=32)
def _font(family: str, style: TextStyle) -> QFont:
    font = QFont(family)
    font.setPixelSize(round(SIZES[style]))
    font.setWeight(QFont.Weight.DemiBold if style in BOLD else QFont.Weight.Normal)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    equal_digits(font)
    return font


@lru_cache(maxsize=32)
def _metrics(family: str, style: TextStyle) -> QFontMetricsF:
    return QFontMetricsF(_font(family, style))


# ---- The widget and its card

MIN_WIDTH = 320
RING = 4  # pixels around a chart that has the keyboard
NEXT_KEYS = (Qt.Key.Key_Down, Qt.Key.Key_Right)
PREVIOUS_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Left)
OPEN_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)
MOST_WIDTHS = 8


@dataclass(frozen=True)
class ChartSpot:
    """A place on the chart that represents a number, in the chart's own pixels."""

    area: QRectF
    spot: Spot

    @property
    def tip(self) -> str:
        return "\n".join(self.spot.told)

    @property
    def finding(self) -> Finding:
        return self.spot.mark.finding


def lay_out(painter: QPainter | None, figure: Figure, width: float) -> tuple[float, list[ChartSpot]]:
    """Lay out the figure in the current theme, without its title; return its height and its spots."""
    tokens = theme.current()
    height, canvas = below(painter, tokens, 0, width, lambda canvas: draw_figure(canvas, figure, titled=False))
    return height, [_placed(spot, tokens.scale) for spot in canvas.spots]


def _placed(spot: Spot, scale: float) -> ChartSpot:
    area = QRectF(scale * spot.x, scale * spot.y, scale * spot.width, scale * spot.height)
    return ChartSpot(area, spot)


class Chart(QLabel):
    """A widget with one figure. Arrow keys go from number to number, Enter opens one, like a click.

    A label with a picture is what a screen reader calls an image; the picture is never shown.
    """

    opened = Signal(object, str, bool)  # the Finding to open, the chart's words, and whether tests may be shown

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self.figure = figure
        picture = QPixmap(1, 1)
        picture.fill(Qt.GlobalColor.transparent)
        self.setPixmap(picture)
        self._spots: list[ChartSpot] = []
        self._pointed: int | None = None
        self._heights: dict[int, int] = {}  # by width: a layout asks for several in turn, and each has to be drawn
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # axes and figures are never mirrored
        self._ring = FocusRing(self, RING)
        theme.signals.changed.connect(self._restyle)
        self._describe()

    @property
    def spots(self) -> tuple[ChartSpot, ...]:
        """Return the places that represent a number, in reading order, as last drawn."""
        return tuple(self._spots)

    def set_figure(self, figure: Figure) -> None:
        """Show another figure; do nothing if it is the same."""
        if figure == self.figure:
            return
        self.figure = figure
        self._restyle()
        self._describe()

    def _restyle(self, _tokens: object = None) -> None:
        self._heights.clear()
        self.updateGeometry()
        self.update()

    def _describe(self) -> None:
        self.setAccessibleName(tr(self.figure.title))
        self.setAccessibleDescription(tr("\n".join(safe_line(line) for line in describe(self.figure))))

    # size: as wide as there is room, as high as that needs

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        if width not in self._heights:
            if len(self._heights) >= MOST_WIDTHS:
                self._heights.clear()  # the window is being resized
            self._heights[width] = round(lay_out(None, self.figure, width)[0]) + 1
        return self._heights[width]

    def sizeHint(self) -> QSize:
        width = max(self.width(), theme.current().px(MIN_WIDTH))
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(MIN_WIDTH, 0)

    # drawing

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._highlight(painter)
        _, self._spots = lay_out(painter, self.figure, self.width())
        painter.end()
        if self._pointed is not None and self._pointed >= len(self._spots):
            self._pointed = None  # there are fewer figures now

    def _highlight(self, painter: QPainter) -> None:
        """Tint the figure under the pointer; with the keyboard also draw the focus ring."""
        if self._pointed is None or self._pointed >= len(self._spots):
            return
        tokens = theme.current()
        area = self._spots[self._pointed].area.adjusted(-4, 0, 4, 0).intersected(QRectF(self.rect()))
        painter.setBrush(QColor(tokens.hover))
        painter.setPen(QPen(QColor(tokens.focus), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(area.adjusted(1, 1, -1, -1), 4, 4)

    # pointing and opening

    def _spot_at(self, x: float, y: float) -> int | None:
        # What was drawn last lies on top.
        return next((i for i in reversed(range(len(self._spots))) if self._spots[i].area.contains(x, y)), None)

    def _open(self, index: int) -> None:
        self.opened.emit(self._spots[index].finding, self._spots[index].tip, self.figure.complete)

    def _point_at(self, index: int | None) -> None:
        if index != self._pointed:
            self._pointed = index
            self.setCursor(Qt.CursorShape.ArrowCursor if index is None else Qt.CursorShape.PointingHandCursor)
            self.update()

    def _tip(self, index: int) -> str:
        return f"{self._spots[index].tip}\n{tr('Click for what is behind it')}"

    def tooltip_at(self, index: int) -> str:
        """Return the tooltip of a figure as plain text. Labels come from files and are never rendered."""
        return safe_tip(self._tip(index))

    def _show_tip(self, index: int, at: QPoint) -> None:
        QToolTip.showText(self.mapToGlobal(at), self.tooltip_at(index), self, self._spots[index].area.toRect())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        index = self._spot_at(event.position().x(), event.position().y())
        if index is not None and index != self._pointed:
            self._show_tip(index, event.position().toPoint())
        self._point_at(index)

    def leaveEvent(self, event: QEvent) -> None:
        if not self.hasFocus():  # the tip of a figure chosen by the keyboard may open under a pointer that rests here
            self._point_at(None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = self._spot_at(event.position().x(), event.position().y())
        if event.button() == Qt.MouseButton.LeftButton and index is not None:
            self._open(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if self._spots and key in (*NEXT_KEYS, *PREVIOUS_KEYS):
            self._step(1 if key in NEXT_KEYS else -1)
        elif self._pointed is not None and key in OPEN_KEYS:
            if is_fresh(event):
                self._open(self._pointed)
        else:
            super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        before = self._pointed if self._pointed is not None else (-1 if by > 0 else 0)
        self._point_at((before + by) % len(self._spots))
        assert self._pointed is not None
        self._show_tip(self._pointed, self._spots[self._pointed].area.bottomLeft().toPoint())
        announce(self, self._tip(self._pointed))

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._ring.focus_changed(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._point_at(None)
        super().focusOutEvent(event)
        self._ring.focus_changed(event)


class ChartCard(Card):
    """A chart under its title, with its export, or what to do next. `opened` is the chart's."""

    opened = Signal(object, str, bool)
    export_asked = Signal(object, str)  # the figure, and an ending ("png")

    def __init__(self, figure: Figure) -> None:
        super().__init__()
        self.heading = Label(figure.title, "heading", wrap=True)
        self.save = QuietButton(tr("Save…"), icon="export")
        self.save.setMenu(self._formats())
        row = in_row((self.heading, 1), self.save, spacing=theme.current().grid)
        self.chart = Chart(figure)
        self.chart.opened.connect(self.opened)
        self.nothing = Label("", "soft", wrap=True)
        add_to(self.box, row, self.nothing, self.chart, STRETCH)
        self._dress(figure)

    @property
    def figure(self) -> Figure:
        return self.chart.figure

    def set_figure(self, figure: Figure) -> None:
        self.chart.set_figure(figure)
        self._dress(figure)

    def _dress(self, figure: Figure) -> None:
        self.heading.setText(figure.title)
        self.setAccessibleName(tr(figure.title))
        self.nothing.setText(figure.empty)
        self.nothing.setVisible(not figure.marks)
        self.chart.setVisible(bool(figure.marks))
        self.save.setVisible(bool(figure.marks))
        self.save.setAccessibleName(tr("Save the chart “{title}”").format(title=figure.title))

    def _formats(self) -> QMenu:
        menu = QMenu(self)
        for ending, text in (
            ("png", tr("Picture (PNG)…")),
            ("svg", tr("Drawing (SVG)…")),
            ("pdf", tr("Page (PDF)…")),
            ("csv", tr("Figures as a table (CSV)…")),
        ):
            menu.addAction(text).triggered.connect(partial(self._ask_export, ending))
        return menu

    def _ask_export(self, ending: str, _checked: bool = False) -> None:
        self.export_asked.emit(self.figure, ending)
