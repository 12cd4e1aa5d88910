"""The legend below a figure: series, floor, null line, what the papers print; only what there is to see."""

import string
from collections.abc import Callable

from core.report.figures.axis import tick_text
from core.report.figures.canvas import Canvas
from core.report.figures.lines import width, wrap
from core.report.figures.palette import MARKERS
from core.report.figures.spec import Figure

PAD = 24.0
LINE = 20.0
SIGN = 26.0  # the room of a sign before its words

Draw = Callable[[float, float], None]


def series_color(place: int) -> str:
    return f"series-{place % 8 + 1}"


def series_marker(place: int) -> str:
    return MARKERS[place % len(MARKERS)]


def printed_by(figure: Figure) -> dict[str, str]:
    """Who printed the references, and the letter of each; without letters where there is only one."""
    names = list(dict.fromkeys(one.who for mark in figure.marks for one in mark.references))
    if len(names) == 1:
        return {names[0]: ""}
    return dict(zip(names, string.ascii_lowercase, strict=False))  # beyond 26 they stand unnamed


def draw_legend(canvas: Canvas, figure: Figure, y: float) -> float:
    """From `y` on; gives where the next begins."""
    items = [*_series(canvas, figure), *_signs(canvas, figure)]
    if not items:
        return y
    x, room = PAD, canvas.width - PAD
    y += 12
    for text, draw in items:
        lines = wrap(text, 12, room - PAD - SIGN)
        wide = SIGN + max(width(line, 12) for line in lines) + 18
        if x > PAD and x + wide > room:
            x, y = PAD, y + LINE
        draw(x, y)
        for place, line in enumerate(lines):
            canvas.text(x + SIGN, y + 4 + place * 15, line, color="soft")
        y += 15 * (len(lines) - 1)
        x += wide
    return y + LINE


def _series(canvas: Canvas, figure: Figure) -> list[tuple[str, Draw]]:
    names = figure.series
    if figure.kind not in ("grouped", "line") or names in ((), ("",)):
        return []

    def sign(place: int) -> Draw:
        return lambda x, y: canvas.marker(series_marker(place), x + 10, y, series_color(place))

    return [(name or "All", sign(place)) for place, name in enumerate(names)]


def _signs(canvas: Canvas, figure: Figure) -> list[tuple[str, Draw]]:
    found: list[tuple[str, Draw]] = []
    if figure.kind not in ("intervals", "grouped", "line"):
        return found
    if any(mark.low is not None for mark in figure.marks):
        found.append(("95 % interval", lambda x, y: canvas.line(x, y, x + 20, y, color="soft", width=1.6)))
    if figure.null is not None:
        text = f"{tick_text(figure.null, [round(figure.null, 3)], figure.sign)}: {figure.null_words}"
        found.append((text, lambda x, y: canvas.line(x, y, x + 20, y, color="edge", width=1.2, dash="5 3")))
    if any(mark.floor for mark in figure.marks):
        text = "noise floor: 95 % of what no bias at all gives; the tick is its mean"
        found.append((text, lambda x, y: _floor_sign(canvas, x, y)))
    if any(mark.references for mark in figure.marks) and figure.kind != "line":
        letters = printed_by(figure)
        named = ", ".join(f"{letter} {name}" if letter else name for name, letter in letters.items())
        found.append((f"printed in the paper: {named}", lambda x, y: canvas.reference(x + 10, y, "")))
    return found


def _floor_sign(canvas: Canvas, x: float, y: float) -> None:
    canvas.rect(x, y - 6, 20, 12, color="floor")
    canvas.line(x + 12, y - 6, x + 12, y + 6, color="edge")
