"""Points by the hundred thousand, each with its group's colour and sign, drawn into a picture by numpy.

A picture somewhat larger than the view is kept: panning moves it, and only a view that leaves it is drawn again. The
order of the points is the order of drawing, so that callers with many points shuffle them, and no group lies on top of
all others.

A heat map: a value per row and column as a colour, and as a number wherever it has room.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QImage, QPaintEngine, QPainter, QTransform
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from biasprint.core.draw import digits
from biasprint.desktop import theme
from biasprint.desktop.plots.band import Columns, PlotBounds, PlotItem, font, marker, marker_path, pen, series_color
from biasprint.desktop.theme import Tokens
from biasprint.desktop.widgets import number, tr

GAP = 1.0  # pixels between cells
MOST_FOR_DECIMAL = 100.0  # how wide a scale around a middle is at most
STRONGEST = 0.85  # how much of the colour an extreme value has
SIZES = ((500, 11), (5_000, 9), (30_000, 7), (250_000, 5))  # up to so many points, so many pixels wide
SMALLEST = 3
VECTORS = 5_000  # points that are drawn as outlines into a file of outlines; more are a picture there too
MARGIN = 0.25  # of the view, kept on each side of it
PIECES, FEWER_PIECES = 8, 2  # in which the groups take turns; of very many fewer, for the sake of time
KIND_BITS = 16
MANY_KINDS = 16  # of colour and sign
MOST_PIXELS = 12_000_000  # of the picture that is kept
COVERED = 110  # of 255: from this on a pixel belongs to a sign
OUTLINES = (QPaintEngine.Type.SVG, QPaintEngine.Type.Pdf, QPaintEngine.Type.Picture)


class HeatCells(PlotItem):
    """The cells. `set_values`: a row per name, upwards from 0. Not a number: a hatched cell.

    With a `middle` each side has its own colour, equally strong at equal distance; without it, one colour grows with
    the value.
    """

    def __init__(self, name: str = "", unit: str = "") -> None:
        super().__init__(name)
        self.unit = unit
        self.row_names: tuple[str, ...] = ()
        self.column_names: tuple[str, ...] = ()
        self.words: Callable[[int, int], str] = lambda row, column: ""
        """Return the tip of a cell."""
        self._values = np.empty((0, 0))
        self._counts = np.empty((0, 0), dtype=int)
        self._middle: float | None = None
        self.dress(theme.current())

    def set_values(
        self,
        values: np.ndarray,
        counts: np.ndarray,
        rows: Sequence[str],
        columns: Sequence[str],
        *,
        middle: float | None = None,
    ) -> None:
        """Show these values; `counts`: the number of texts behind each, shape as `values`."""
        self._values, self._counts, self._middle = np.asarray(values, dtype=float), np.asarray(counts), middle
        self.row_names, self.column_names = tuple(rows), tuple(columns)
        empty = not self._values.size
        self.set_bounds(None if empty else PlotBounds(-0.5, len(columns) - 0.5, -0.5, len(rows) - 0.5))
        self.update()

    def dress(self, tokens: Tokens) -> None:
        self._tokens = tokens
        super().dress(tokens)

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return row and column of a place; None outside the cells."""
        row, column = round(y), round(x)
        rows, columns = self._values.shape
        return (row, column) if 0 <= row < rows and 0 <= column < columns else None

    def scale(self) -> tuple[float, float]:
        """Return the values of the strongest colours, the lower first."""
        known = self._values[np.isfinite(self._values)]
        if not len(known):
            return 0.0, 1.0
        if self._middle is None:
            low, high = float(known.min()), float(known.max())
            return (low, high) if high > low else (low - 1.0, high)
        reach = float(np.abs(known - self._middle).max()) or 1.0
        return self._middle - reach, self._middle + reach

    def color_of(self, value: float) -> QColor:
        low, high = self.scale()
        if self._middle is None:
            return self._mixed(self._tokens.series[0].color, (value - low) / (high - low))
        strength = (value - self._middle) / (high - self._middle)
        return self._mixed(self._tokens.series[1 if strength > 0 else 0].color, abs(strength))

    def _mixed(self, color: str, strength: float) -> QColor:
        own, ground, part = QColor(color), QColor(self._tokens.surface), 0.05 + STRONGEST * strength
        pairs = zip(own.getRgb()[:3], ground.getRgb()[:3], strict=True)
        return QColor(*(round(part * a + (1 - part) * b) for a, b in pairs))

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        to_pixels, view = painter.worldTransform(), self.viewRect()
        rows, columns = self._values.shape
        painter.save()
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # the sign stands before the number
        painter.setWorldTransform(QTransform())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setFont(font(self._tokens))
        shown = QFontMetricsF(font(self._tokens))
        for row in range(max(0, round(view.top())), min(rows, round(view.bottom()) + 1)):
            for column in range(max(0, round(view.left())), min(columns, round(view.right()) + 1)):
                area = to_pixels.mapRect(QRectF(column - 0.5, row - 0.5, 1, 1)).adjusted(GAP, GAP, -GAP, -GAP)
                self._paint_cell(painter, area, float(self._values[row, column]), shown)
        painter.restore()

    def _paint_cell(self, painter: QPainter, area: QRectF, value: float, metrics: QFontMetricsF) -> None:
        tokens = self._tokens
        if not np.isfinite(value):
            painter.fillRect(area, QBrush(QColor(tokens.edge), Qt.BrushStyle.BDiagPattern))
            return
        color = self.color_of(value)
        painter.fillRect(area, color)
        text = self._written(value)
        width = metrics.horizontalAdvance(text)
        if width + 6 > area.width() or metrics.height() > area.height():
            return
        # Black or white, whichever stands out more from the cell.
        painter.setPen(pen("#000000" if _lightness(color) > 0.18 else "#FFFFFF"))
        baseline = area.center().y() + (metrics.ascent() - metrics.descent()) / 2
        painter.drawText(QPointF(area.center().x() - width / 2, baseline), text)

    def _written(self, value: float) -> str:
        """Format with as many decimals as the cells' differences deserve."""
        factor = 100 if digits.is_proportion(self.unit) else 1
        low, high = self.scale()
        places = digits.places(value, low * factor, high * factor)
        if self._middle is not None and high - low < MOST_FOR_DECIMAL:
            places = max(1, places)  # which side of a mark such as 2 it lies on
        return number(value * factor, places) + tr(digits.sign(self.unit))

    def columns(self) -> Columns:
        rows, columns = self._values.shape
        return {
            "row": [name for name in self.row_names for _ in range(columns)],
            "column": list(self.column_names) * rows,
            "value": self._values.ravel(),
            "n": self._counts.ravel(),
        }

    def told(self, x: float, y: float, near: tuple[float, float]) -> str:
        cell = self.cell_at(x, y)
        return "" if cell is None else self.words(*cell)


def _lightness(color: QColor) -> float:
    """Return the relative luminance of WCAG, from 0 to 1; at 0.18 black and white contrast equally."""
    parts = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color.getRgbF()[:3])
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


class Cloud(PlotItem):
    """The points. `set_points` gives place and group of each; `chosen` ones have full colour, the others are pale."""

    def __init__(self, name: str = "", *, x_name: str = "x", y_name: str = "y") -> None:
        super().__init__(name)
        self.x_name, self.y_name = x_name, y_name
        self.group_names: tuple[str, ...] = ()
        self.words: Callable[[int], str] = lambda index: ""
        """Return the tip of a point, by its index."""
        self._x = self._y = np.empty(0)
        self._group = self._sign_of = np.empty(0, dtype=np.int16)
        self._signs: tuple[str, tuple[str, ...]] | None = None
        self._chosen: np.ndarray | None = None
        self._colors: list[QColor] = []
        self._image: QImage | None = None
        self._drawn_for: tuple[float, float, float] | None = None
        self._corner = (0.0, 0.0)  # of the picture, in pixels where the origin of the values is at 0
        self.drawings = 0  # how often the picture was made
        self.dress(theme.current())

    def set_points(self, x: np.ndarray, y: np.ndarray, group: np.ndarray, names: tuple[str, ...]) -> None:
        """Show these points; `group`: the place of each in `names`, −1 (the last name) for the others.

        Points that are not finite are not drawn.
        """
        self._signs, self._sign_of = None, np.asarray(group)
        self._x, self._y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
        self._group, self.group_names, self._chosen = np.asarray(group), names, None
        self.set_bounds(PlotBounds.around(self._x, self._y))
        self._redraw()

    def set_signs(self, title: str, sign_of: np.ndarray, names: tuple[str, ...]) -> None:
        """Let the signs show another grouping than the colours: for each point its place in `names`."""
        self._signs, self._sign_of = (title, names), np.asarray(sign_of)
        self._redraw()

    def choose(self, chosen: np.ndarray | None) -> None:
        """Draw all but these pale; None: all in full colour again."""
        self._chosen = chosen
        self._redraw()

    @property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        return self._x, self._y

    def dress(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._redraw()

    def _redraw(self) -> None:
        self._image = None
        self.update()

    @property
    def size(self) -> int:
        """The width of a point, in pixels."""
        count = len(self._x)
        width = next((size for most, size in SIZES if count <= most), SMALLEST)
        return self._tokens.px(width)

    # painting

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        to_pixels = painter.worldTransform()
        painter.save()
        painter.setWorldTransform(QTransform())
        engine = painter.paintEngine()
        if engine is not None and engine.type() in OUTLINES and len(self._x) <= VECTORS:
            self._paint_outlines(painter, to_pixels)
        else:
            self._paint_picture(painter, to_pixels)
        painter.restore()

    def _paint_picture(self, painter: QPainter, to_pixels: QTransform) -> None:
        device = painter.device()
        ratio = device.devicePixelRatioF() if device is not None else 1.0
        view = to_pixels.mapRect(self.viewRect())
        scale = (to_pixels.m11(), to_pixels.m22(), ratio)
        origin = (to_pixels.dx(), to_pixels.dy())
        wanted = view.translated(-origin[0], -origin[1])
        if self._image is None or self._drawn_for != scale or not self._kept().contains(wanted):
            self._draw(wanted, scale)
        assert self._image is not None
        painter.drawImage(QPointF(self._corner[0] + origin[0], self._corner[1] + origin[1]), self._image)

    def _kept(self) -> QRectF:
        assert self._image is not None
        size = self._image.deviceIndependentSize()
        return QRectF(*self._corner, size.width(), size.height())

    def _draw(self, wanted: QRectF, scale: tuple[float, float, float]) -> None:
        """Make the picture of the values around `wanted`, at so many pixels a value."""
        across, up, ratio = scale
        room = wanted.width() * wanted.height() * ratio * ratio
        margin = MARGIN if room * (1 + 2 * MARGIN) ** 2 <= MOST_PIXELS else 0.0
        area = wanted.adjusted(
            -margin * wanted.width(), -margin * wanted.height(), margin * wanted.width(), margin * wanted.height()
        )
        left, top = float(np.floor(area.left())), float(np.floor(area.top()))
        width, height = (int(np.ceil(side * ratio)) + 2 for side in (area.width(), area.height()))
        with np.errstate(invalid="ignore"):
            column = np.rint((self._x * across - left) * ratio)
            row = np.rint((self._y * up - top) * ratio)
            inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)  # NaN is in no place
        pixels = self._stamp(column[inside], row[inside], inside, (width, height), round(self.size * ratio))
        self._image = QImage(pixels.tobytes(), width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied)
        self._image = self._image.copy()  # numpy's bytes go
        self._image.setDevicePixelRatio(ratio)
        self._drawn_for, self._corner = scale, (left, top)
        self.drawings += 1

    def _stamp(
        self, column: np.ndarray, row: np.ndarray, inside: np.ndarray, shape: tuple[int, int], size: int
    ) -> np.ndarray:
        """Return the pixels, with a sign at each place. The picture's rim, as wide as a sign, is cut off again."""
        width, height = shape
        rim = size // 2 + 1
        across = width + 2 * rim
        pixels = np.zeros((height + 2 * rim) * across, dtype=np.uint32)
        base = ((row.astype(np.int64) + rim) * across + column.astype(np.int64) + rim).astype(np.int64)
        kind = (self._group[inside].astype(np.int64) << KIND_BITS) + self._sign_of[inside] + 1
        if self._chosen is not None:
            pale = ~self._chosen[inside]
            self._stamp_kinds(pixels, across, base[pale], kind[pale], size, self._pale)
            base, kind = base[~pale], kind[~pale]
        self._stamp_kinds(pixels, across, base, kind, size, self._full)
        return np.ascontiguousarray(pixels.reshape(-1, across)[rim : rim + height, rim : rim + width])

    def _stamp_kinds(
        self, pixels: np.ndarray, across: int, base: np.ndarray, kind: np.ndarray, size: int,
        color: Callable[[int], QColor],
    ) -> None:  # fmt: skip
        """Stamp the sign of each kind. `kind`: the group of each point and its sign, as one number."""
        signs = {}
        for each in np.unique(kind).tolist():
            group, sign_of = each >> KIND_BITS, (each & ((1 << KIND_BITS) - 1)) - 1
            signs[each] = _sign(marker(sign_of), size, color(group).rgba())
        pieces = 1 if len(signs) <= 1 else PIECES if len(signs) <= MANY_KINDS else FEWER_PIECES
        for piece in np.array_split(np.arange(len(base)), pieces):
            here, of = base[piece], kind[piece]
            for each, sign in signs.items():
                points = here[of == each]
                for down, right, value in sign:
                    pixels[points + (down * across + right)] = value

    def _full(self, place: int) -> QColor:
        return series_color(self._tokens, place)

    def _pale(self, place: int) -> QColor:
        """Return a colour between the group's and the ground: opaque, so that many pale points make no dark one."""
        color, ground = series_color(self._tokens, place), QColor(self._tokens.surface)
        mixed = [0.25 * a + 0.75 * b for a, b in zip(color.getRgb()[:3], ground.getRgb()[:3], strict=True)]
        return QColor(*(round(each) for each in mixed))

    def _paint_outlines(self, painter: QPainter, to_pixels: QTransform) -> None:
        painter.setPen(pen(self._tokens.surface, 0.5))
        for index in np.flatnonzero(np.isfinite(self._x) & np.isfinite(self._y)):
            place = int(self._group[index])
            pale = self._chosen is not None and not self._chosen[index]
            at = to_pixels.map(QPointF(self._x[index], self._y[index]))
            painter.setBrush((self._pale if pale else self._full)(place))
            painter.drawPath(marker_path(marker(int(self._sign_of[index])), self.size).translated(at))

    # telling

    def columns(self) -> Columns:
        names = np.array(self.group_names, dtype=object)
        columns = {"group": names[self._group], self.x_name: self._x, self.y_name: self._y}
        if self._signs is not None:
            title, of_signs = self._signs
            columns[tr("sign: {title}").format(title=title)] = np.array(of_signs, dtype=object)[self._sign_of]
        return columns

    def nearest(self, x: float, y: float, near: tuple[float, float]) -> int | None:
        """Return the index of the point nearest to a place, within `near`; None without one."""
        if not len(self._x):
            return None
        with np.errstate(invalid="ignore"):
            away = ((self._x - x) / near[0]) ** 2 + ((self._y - y) / near[1]) ** 2
        away[~np.isfinite(away)] = np.inf
        closest = int(away.argmin())
        return closest if away[closest] <= 1 else None

    def told(self, x: float, y: float, near: tuple[float, float]) -> str:
        point = self.nearest(x, y, near)
        return "" if point is None else self.words(point)


@lru_cache(maxsize=256)
def _sign(kind: str, size: int, color: int) -> tuple[tuple[int, int, int], ...]:
    """Return the pixels of a sign, as (down, right, colour) from its middle."""
    room = size + 2
    image = QImage(room, room, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.translate(room / 2, room / 2)
    painter.fillPath(marker_path(kind, size), QColor(0, 0, 0))
    painter.end()
    alpha = np.frombuffer(image.constBits(), dtype=np.uint32).reshape(room, room) >> 24
    covered = np.argwhere(alpha >= COVERED) - room // 2
    return tuple((int(down), int(right), color) for down, right in covered)
