"""The theme's colours, lines and signs as a plot uses them."""

from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QPainterPath, QPen, QPolygonF

from biasprint.core.draw.canvas import DASHES, MARKERS, outline
from biasprint.desktop.theme import Tokens, equal_digits

LINE_WIDTH = 1.75
BAND_OPACITY = 0.22
OTHERS_SIGN, OTHERS_DASH = MARKERS[-1], DASHES[-1]  # of what has no series of its own


def series_color(tokens: Tokens, place: int) -> QColor:
    """The colour of a series by its place; of the others, the soft ink."""
    return QColor(tokens.soft if place < 0 else tokens.series[place % len(tokens.series)].color)


def marker(place: int) -> str:
    """The name of a series' sign, its second cue."""
    return OTHERS_SIGN if place < 0 else MARKERS[place % len(MARKERS)]


def dashes(place: int) -> Sequence[float]:
    """The dashes of a series' line, its second cue."""
    return OTHERS_DASH if place < 0 else DASHES[place % len(DASHES)]


def pen(color: QColor | str, width: float = 1, dash: Sequence[float] = ()) -> QPen:
    """A pen whose width and dashes are pixels at every zoom."""
    made = QPen(QColor(color), width)
    made.setCosmetic(True)
    made.setCapStyle(Qt.PenCapStyle.FlatCap)
    made.setJoinStyle(Qt.PenJoinStyle.BevelJoin)  # others take several times as long where points are many
    if dash:
        made.setDashPattern([length / width for length in dash])  # Qt counts dashes in pen widths
    return made


def series_pen(tokens: Tokens, place: int, width: float = LINE_WIDTH) -> QPen:
    """For items that paint in the window's pixels: as wide on a screen with more of them to an inch."""
    made = pen(series_color(tokens, place), tokens.scale * width, dashes(place))
    made.setCosmetic(False)
    return made


def faded(color: QColor | str, opacity: float) -> QColor:
    made = QColor(color)
    made.setAlphaF(opacity)
    return made


def font(tokens: Tokens) -> QFont:
    """Of the texts on an axis."""
    made = QFont(tokens.family)
    made.setPixelSize(tokens.note)
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    equal_digits(made)
    return made


@lru_cache(maxsize=64)
def marker_path(kind: str, size: float) -> QPainterPath:
    """A sign about `size` pixels wide around the origin."""
    path = QPainterPath()
    path.addPolygon(QPolygonF([QPointF(x * size / 11, y * size / 11) for x, y in outline(kind)]))
    path.closeSubpath()
    return path
