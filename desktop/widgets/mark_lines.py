"""How marked words are drawn: for every kind of mark a colour of the theme's series and a line of its own.

Colour is never the only cue: each line has its own form, and what is private stands between two brackets as well.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QLineF, QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from desktop import theme

Form = Literal["solid", "double", "dots", "dashes", "dash dot", "wave", "thin", "ticks", "long dashes"]
LANE = 5.0  # pixels from one line to the next, where words carry two
WAVE, TICKS = 4.0, 5.0  # pixels from one crest or tick to the next
SECOND_LANE = frozenset({"unsupported", "contradicted"})


@dataclass(frozen=True)
class MarkLook:
    """`series` is a place in the theme's series; `bracketed` marks have an upright stroke at both ends."""

    series: int
    form: Form
    bracketed: bool = False

    @property
    def color(self) -> QColor:
        return QColor(theme.current().series[self.series].color)


# What is said of sentences as a whole is drawn one lane lower, so that both can be seen.
LOOKS: dict[str, MarkLook] = {
    "agentic": MarkLook(0, "solid"),
    "communal": MarkLook(3, "double"),
    "standout": MarkLook(2, "dash dot"),
    "ability": MarkLook(5, "thin"),
    "grindstone": MarkLook(4, "ticks"),
    "doubt": MarkLook(1, "wave"),
    "personal_life": MarkLook(2, "solid", bracketed=True),
    "gender": MarkLook(3, "dots", bracketed=True),
    "age": MarkLook(0, "double", bracketed=True),
    "family": MarkLook(1, "dash dot", bracketed=True),
    "appearance": MarkLook(4, "wave", bracketed=True),
    "health": MarkLook(5, "ticks", bracketed=True),
    "origin": MarkLook(0, "thin", bracketed=True),
    "unsupported": MarkLook(4, "dashes"),
    "contradicted": MarkLook(1, "long dashes"),
}
PLAIN = MarkLook(5, "dots")


def look_of(kind: str) -> MarkLook:
    """The look of a kind of mark; one that is not known here is dotted."""
    return LOOKS.get(kind, PLAIN)


def lane_of(kind: str) -> int:
    """How many lanes below the words a mark is drawn."""
    return 1 if kind in SECOND_LANE else 0


def draw_mark(
    painter: QPainter, look: MarkLook, left: float, right: float, y: float, *, begins: bool = True, ends: bool = True
) -> None:
    """Draw a mark's line from `left` to `right` under words whose foot is at `y`. Brackets where it begins and ends."""
    if right - left < 1:
        return
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _FORMS[look.form](painter, look.color, left, right, y)
    if look.bracketed:
        painter.setPen(_pen(look.color, 1.6))
        painter.drawLines([QLineF(x, y - 5, x, y + 1.5) for x, wanted in ((left, begins), (right, ends)) if wanted])
    painter.restore()


def _pen(color: QColor, width: float, dashes: Iterable[float] = ()) -> QPen:
    pen = QPen(color, width)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if pattern := list(dashes):
        pen.setDashPattern(pattern)
    return pen


def _straight(width: float, dashes: tuple[float, ...] = (), *, round_ends: bool = False) -> "Draw":
    def draw(painter: QPainter, color: QColor, left: float, right: float, y: float) -> None:
        pen = _pen(color, width, dashes)
        if round_ends:
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.drawLine(QLineF(left, y, right, y))

    return draw


def _double(painter: QPainter, color: QColor, left: float, right: float, y: float) -> None:
    painter.setPen(_pen(color, 1.4))
    painter.drawLines([QLineF(left, y - 1.5, right, y - 1.5), QLineF(left, y + 1.5, right, y + 1.5)])


def _wave(painter: QPainter, color: QColor, left: float, right: float, y: float) -> None:
    painter.setPen(_pen(color, 1.6))
    crests = int((right - left) / WAVE) + 1
    points = [QPointF(min(left + WAVE * place, right), y + (1.6 if place % 2 else -1.6)) for place in range(crests + 1)]
    painter.drawPolyline(QPolygonF(points))


def _ticks(painter: QPainter, color: QColor, left: float, right: float, y: float) -> None:
    painter.setPen(_pen(color, 1.4))
    painter.drawLine(QLineF(left, y + 1.5, right, y + 1.5))
    ticks = range(int((right - left) / TICKS) + 1)
    painter.drawLines([QLineF(left + TICKS * place, y - 2, left + TICKS * place, y + 1.5) for place in ticks])


Draw = Callable[[QPainter, QColor, float, float, float], None]
_FORMS: dict[Form, Draw] = {
    "solid": _straight(3),
    "double": _double,
    "dots": _straight(2.6, (0.1, 1.8), round_ends=True),
    "dashes": _straight(2.4, (2.2, 1.5)),
    "long dashes": _straight(2.2, (6, 1.8)),
    "dash dot": _straight(2.4, (4, 1.3, 1, 1.3)),
    "wave": _wave,
    "thin": _straight(1.4),
    "ticks": _ticks,
}
