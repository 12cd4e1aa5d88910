"""The legend, notes and the list of numbers that do not exist: what stands above and below every chart."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF

from desktop.charts.canvas import Canvas, stroke
from desktop.charts.view import LegendKey, Undefined

SAMPLE, SAMPLE_NARROW = 24, 10
NARROW = ("chance", "point", "reference")
CHANCE_DASH = (4, 3)
BAND_DASH = (3, 2)


def draw_legend(canvas: Canvas, keys: Sequence[LegendKey], x: float, top: float, width: float) -> float:
    """The entries in as many lines as they need; returns the height."""
    t = canvas.tokens
    gap, height = t.px(6), canvas.height_of("note") + t.px(6)
    left, middle = x, top + height / 2
    for key in keys:
        sample = t.px(SAMPLE_NARROW if key.kind in NARROW else SAMPLE)
        text_room = width - sample - gap
        needed = sample + gap + min(canvas.width_of(key.text, "note"), text_room)
        if left > x and left + needed > x + width:
            left, middle = x, middle + height
        _sample(canvas, key, left, middle, sample)
        canvas.text(left + sample + gap, middle, key.text, role="note", color=t.soft, room=text_room)
        left += needed + t.px(16)
    return middle + height / 2 - top if keys else 0.0


def _sample(canvas: Canvas, key: LegendKey, left: float, middle: float, width: float) -> None:
    t = canvas.tokens
    look = t.series[key.series % len(t.series)] if key.series is not None else None
    color = look.color if look else t.ink
    center = QPointF(left + width / 2, middle)
    if key.kind == "floor":
        canvas.floor(QRectF(left, middle - t.px(6), width, t.px(12)))
    elif key.kind == "bar":
        canvas.bar(QRectF(left, middle - t.px(5), width, t.px(10)), key.series or 0)
    elif key.kind == "chance":
        canvas.line(center.x(), middle - t.px(7), center.x(), middle + t.px(7), t.ink, 1.0, CHANCE_DASH)
    elif key.kind == "reference":
        canvas.reference(center)
    elif key.kind == "tint":
        area = QRectF(left, middle - t.px(6), width, t.px(12))
        canvas.tint(area, key.tint)
        corners = (area.topLeft(), area.topRight(), area.bottomRight(), area.bottomLeft())
        canvas.polygon(corners, outline=stroke(t.edge, 1.0))
    elif key.kind == "point":
        canvas.marker(center, key.series or 0, hollow=key.hollow)
    else:
        dash = BAND_DASH if key.kind == "band" else (look.dash if look else ())
        canvas.line(left, middle, left + width, middle, color, 2.0, dash)
        if look is not None:
            canvas.marker(center, key.series or 0, hollow=key.hollow)


def draw_notes(canvas: Canvas, notes: Sequence[str], x: float, top: float, width: float) -> float:
    """Wrapped notes under a chart; returns the height."""
    y = top
    for note in notes:
        y += canvas.paragraph(x, y, width, note) + canvas.tokens.px(4)
    return y - top


def draw_undefined(
    canvas: Canvas, heading: str, missing: Sequence[Undefined], x: float, top: float, width: float
) -> float:
    """Numbers that do not exist, each with its reason; returns the height."""
    if not missing:
        return 0.0
    t = canvas.tokens
    y = top + t.px(8)
    y += canvas.paragraph(x, y, width, heading, role="strong", color=t.ink) + t.px(4)
    for one in missing:
        text = f"{one.label}: {one.reason}"
        height = canvas.paragraph(x, y, width, text)
        canvas.spot(QRectF(x, y, width, height), text, one.finding)
        y += height + t.px(4)
    return y - top
