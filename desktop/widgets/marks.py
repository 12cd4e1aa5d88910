"""The drawing of marked words: every kind of mark has a colour of the theme's series and a line of its own.

Colour is never the only cue: each line has its own form, and private marks also have a bracket at each end.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QLineF, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QAbstractButton, QSizePolicy

from biasprint.desktop import theme
from biasprint.desktop.widgets.layout import mirrored
from biasprint.desktop.widgets.safe_text import safe_tip
from biasprint.desktop.widgets.words import plural, tr

Form = Literal["solid", "double", "dots", "dashes", "dash dot", "wave", "thin", "ticks", "long dashes"]
LANE = 5.0  # pixels from one line to the next, where words carry two
WAVE, TICKS = 4.0, 5.0  # pixels from one crest or tick to the next
SECOND_LANE = frozenset({"unsupported", "contradicted"})


@dataclass(frozen=True)
class MarkLook:
    """The look of a mark. `series` is a place in the theme's series; `bracketed`: an upright stroke at both ends."""

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
    "personality": MarkLook(1, "dots"),
    "masculine": MarkLook(0, "dashes", bracketed=True),
    "feminine": MarkLook(3, "long dashes", bracketed=True),
    "unsupported": MarkLook(4, "dashes"),
    "contradicted": MarkLook(1, "long dashes"),
}
PLAIN = MarkLook(5, "dots")


def look_of(kind: str) -> MarkLook:
    """Return the look of a kind of mark; an unknown one is dotted."""
    return LOOKS.get(kind, PLAIN)


def lane_of(kind: str) -> int:
    """Return the number of lanes below the words at which a mark is drawn."""
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


SWATCH = 20


class MarkChip(QAbstractButton):
    """A chip, checked while its marks are shown. `kind` names the look; the name is plain text.

    `uncounted`: why no count is shown; "" where one is.
    """

    def __init__(self, kind: str, name: str, uncounted: str = "") -> None:
        super().__init__()
        self.kind, self.name, self.count, self.uncounted = kind, name, 0, uncounted
        self.setCheckable(True)
        self.setChecked(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.toggled.connect(self._say)
        theme.follow(self._dress)

    def set_count(self, count: int) -> None:
        self.count = count
        self._say()
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        tokens = theme.current()
        metrics = QFontMetrics(self.font())
        width = tokens.px(SWATCH) + 6 + metrics.horizontalAdvance(self._words()) + tokens.px(20)
        return QSize(width, metrics.height() + tokens.px(8))

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        edge = tokens.focus if self.hasFocus() else tokens.quiet_edge if self.isChecked() else tokens.edge
        painter.setPen(QPen(QColor(edge), 2 if self.hasFocus() else 1))
        fill = tokens.hover if self.underMouse() else tokens.sunk if self.isChecked() else "transparent"
        painter.setBrush(QColor(fill))
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        left, side = tokens.px(10), tokens.px(SWATCH)
        painter.setOpacity(1.0 if self.isChecked() else 0.35)
        swatch = mirrored(self, QRect(left, 0, side, self.height()))
        draw_mark(painter, look_of(self.kind), swatch.left(), swatch.left() + side, box.center().y() + 2)
        painter.setOpacity(1.0)
        font = QFont(self.font())
        font.setStrikeOut(not self.isChecked())  # hidden marks are told by more than a paler chip
        painter.setFont(font)
        painter.setPen(QColor(tokens.ink if self.isChecked() else tokens.soft))
        words = mirrored(self, QRect(left + side + 6, 0, self.width() - left - side - 6, self.height()))
        painter.drawText(words, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft), self._words())

    def _words(self) -> str:
        return tr("{name}: maybe").format(name=self.name) if self.uncounted else f"{self.name} {self.count}"

    def _say(self) -> None:
        state = tr("shown") if self.isChecked() else tr("hidden")
        counted = tr("may be worth a look") if self.uncounted else plural(self.count, "1 mark", "%n marks")
        self.setAccessibleName(f"{self.name}: {counted}, {state}")
        press = tr("Press to hide these marks") if self.isChecked() else tr("Press to show these marks")
        why = tr("May be worth a look. {figure}").format(figure=self.uncounted) if self.uncounted else ""
        self.setToolTip(safe_tip("\n".join(filter(None, (press, why)))))

    def _dress(self) -> None:
        font = self.font()
        font.setPixelSize(theme.current().note)
        font.setWeight(QFont.Weight.DemiBold)
        self.setFont(font)
        self.updateGeometry()
        self.update()
