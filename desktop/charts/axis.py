"""Which ticks of a scale have room for their texts."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from desktop.charts.canvas import Canvas
from desktop.charts.scales import Scale


def fitting_ticks(canvas: Canvas, scale: Scale, x: Callable[[float], float]) -> Sequence[tuple[float, str]]:
    """Every tick, or every second, third … where their texts would touch; 0 or 1 among them where the scale has it.

    `x`: where a value stands, in pixels.
    """
    wanted = 1.0 if scale.logarithmic else 0.0
    origin = next((index for index, (value, _) in enumerate(scale.ticks) if value == wanted), 0)
    for stride in range(1, len(scale.ticks)):
        kept = scale.ticks[origin % stride :: stride]
        spans = [(x(value), canvas.width_of(text, "note") / 2) for value, text in kept]
        if all(b - a >= half_a + half_b + canvas.tokens.px(6) for (a, half_a), (b, half_b) in pairwise(spans)):
            return kept
    return scale.ticks[origin : origin + 1]
