"""A canvas of a PDF page: the same layout that the window paints and the page's SVG has."""

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from biasprint.core.draw.canvas import BOLD, SIZES, Anchor, Canvas, Point, TextStyle
from biasprint.core.draw.figure import Figure
from biasprint.core.draw.frame import draw_figure
from biasprint.core.draw.svg import MARGIN, WIDTH, colors
from biasprint.core.report.pdf_text import POINTS, Look, one_line

PIXELS = WIDTH - 2 * MARGIN  # of the layout, across


class PdfCanvas(Canvas):
    """`left`, `top`: of the drawing on the page; `scale`: millimetres in a pixel. Without `drawn` it only measures."""

    def __init__(self, document: Any, left: float = 0, top: float = 0, scale: float = 1, *, drawn: bool = True) -> None:
        super().__init__(PIXELS)
        self._page, self._left, self._top, self._scale, self._drawn = document, left, top, scale, drawn
        self._colors = colors("light")

    @staticmethod
    def height(blank: Any, figure: Figure, width: float) -> float:
        """How high it is, in millimetres, where it is `width` wide. `blank`: a document to measure texts with."""
        return draw_figure(PdfCanvas(blank, drawn=False), figure) * width / PIXELS

    @staticmethod
    def draw(document: Any, figure: Figure, left: float, top: float, width: float) -> None:
        with document.local_context():
            draw_figure(PdfCanvas(document, left, top, width / PIXELS), figure)

    def measure(self, text: str, style: TextStyle) -> float:
        piece = one_line(text, self._look(style, 1 / POINTS))
        return float(self._page.words.width(piece.text, piece.look)) * POINTS

    def text(
        self, x: float, y: float, text: str, style: TextStyle = "note", color: str = "soft", anchor: Anchor = "start"
    ) -> None:
        if not self._drawn or not text:
            return
        shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * self.measure(text, style)
        piece = one_line(text, self._look(style, self._scale, self._colors[color]))
        self._page.words.draw([piece], self._left + (x - shift) * self._scale, self._top + y * self._scale)

    def _look(self, style: TextStyle, scale: float, color: str = "#000000") -> Look:
        """`scale`: millimetres in a pixel."""
        return Look(SIZES[style] * scale * POINTS, style in BOLD, color=_rgb(color))

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str = "", edge: str = "", opacity: float = 1,
        radius: float = 0,
    ) -> None:  # fmt: skip
        style = self._pens(fill, edge, 1)
        if not self._drawn or not style:
            return
        round_off = {"round_corners": True, "corner_radius": radius * self._scale} if radius else {}
        with self._see_through(opacity):
            self._page.rect(
                self._left + x * self._scale, self._top + y * self._scale, width * self._scale, height * self._scale,
                style=style, **round_off,
            )  # fmt: skip

    def path(
        self, points: Sequence[Point], *, color: str = "", fill: str = "", width: float = 1,
        dash: Sequence[float] = (), closed: bool = False, opacity: float = 1, hole: Sequence[Point] = (),
    ) -> None:  # fmt: skip
        if not self._drawn or len(points) < 2:
            return
        if hole:
            self._with_hole(points, hole, fill, opacity)
            return
        # Far quicker than a path of fpdf2, of which a long report has thousands.
        style = self._pens(fill, color, width)
        if not style:
            return
        lengths = [length * self._scale for length in dash]
        if lengths:
            self._page.set_dash_pattern(lengths[0], lengths[1] if len(lengths) > 1 else lengths[0])
        with self._see_through(opacity):
            self._page.polyline(self._placed(points), polygon=closed, style=style)
        if lengths:
            self._page.set_dash_pattern()

    def _with_hole(self, points: Sequence[Point], hole: Sequence[Point], fill: str, opacity: float) -> None:
        from fpdf.enums import IntersectionRule

        with self._page.new_path() as path:
            path.style.auto_close = False
            path.style.stroke_color = None
            path.style.fill_color = self._colors[fill] if fill else None
            path.style.fill_opacity = opacity
            path.style.intersection_rule = IntersectionRule.EVENODD
            for outline in (points, hole):
                for place, (x, y) in enumerate(self._placed(outline)):
                    move = path.line_to if place else path.move_to
                    move(x, y)
                path.close()

    def _placed(self, points: Sequence[Point]) -> list[Point]:
        return [(self._left + x * self._scale, self._top + y * self._scale) for x, y in points]

    def _see_through(self, opacity: float) -> AbstractContextManager[Any]:
        return self._page.local_context(fill_opacity=opacity) if opacity < 1 else nullcontext()

    def _pens(self, fill: str, edge: str, width: float) -> str:
        if fill:
            self._page.set_fill_color(*_rgb(self._colors[fill]))
        if edge:
            self._page.set_draw_color(*_rgb(self._colors[edge]))
            self._page.set_line_width(width * self._scale)
        return ("D" if edge else "") + ("F" if fill else "")


def _rgb(color: str) -> tuple[int, int, int]:
    digits = color.lstrip("#")
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
