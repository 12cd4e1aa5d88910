"""A canvas of SVG elements: plain shapes and texts, no style sheet, no script, nothing that loads anything."""

import math
import re
from xml.sax.saxutils import escape, quoteattr

from core.report.figures.lines import width as text_width
from core.report.figures.palette import Theme, colors

FAMILY = "Inter, system-ui, sans-serif"
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def safe(text: str) -> str:
    """A text as XML holds it: escaped, and without what XML cannot hold."""
    return escape(_NOT_XML.sub("\ufffd", text))


class Canvas:
    """Elements in the order in which they are drawn. Lengths in pixels, y downwards; colours by the palette's names."""

    def __init__(self, width: float, theme: Theme) -> None:
        self.width = width
        self._colors = colors(theme)
        self._elements: list[str] = []

    def color(self, name: str) -> str:
        return self._colors[name]

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 12,
        color: str = "ink",
        anchor: str = "start",
        bold: bool = False,
        italic: bool = False,
    ) -> None:
        """One line; `y` is its baseline."""
        weight = ' font-weight="600"' if bold else ""
        style = ' font-style="italic"' if italic else ""
        self._elements.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" text-anchor="{anchor}" fill="{self.color(color)}"'
            f"{weight}{style}>{safe(text)}</text>"
        )

    def line(
        self, x1: float, y1: float, x2: float, y2: float, *, color: str = "line", width: float = 1, dash: str = ""
    ) -> None:
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self._elements.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{self.color(color)}"'
            f' stroke-width="{width:g}"{dashed}/>'
        )

    def rect(
        self, x: float, y: float, width: float, height: float, *, color: str, opacity: float = 1, told: str = ""
    ) -> None:
        """`told`: what hovering tells."""
        faint = f' fill-opacity="{opacity:.3f}"' if opacity < 1 else ""
        self._elements.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{max(0.0, height):.1f}"'
            f' fill="{self.color(color)}"{faint}{_told(told, "rect")}'
        )

    def path(
        self, points: list[tuple[float, float]], *, color: str, fill: str = "", width: float = 1, closed: bool = True,
        dash: str = "", told: str = "",
    ) -> None:  # fmt: skip
        drawn = " ".join(f"{'M' if not place else 'L'}{x:.1f} {y:.1f}" for place, (x, y) in enumerate(points))
        inside = self.color(fill) if fill else "none"
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self._elements.append(
            f'<path d="{drawn}{" Z" if closed else ""}" fill="{inside}" stroke="{self.color(color)}"'
            f' stroke-width="{width:g}"{dashed}{_told(told, "path")}'
        )

    def marker(self, kind: str, x: float, y: float, color: str, told: str = "") -> None:
        """A filled sign of about ten pixels: the second cue of a series beside its colour."""
        self.path(_outline(kind, x, y), color="surface", fill=color, told=told)

    def reference(self, x: float, y: float, letter: str, told: str = "") -> None:
        """A hollow diamond: a value that a paper prints, by the letter that the legend explains."""
        size = 7.0
        corners = [(x, y - size), (x + size, y), (x, y + size), (x - size, y)]
        self.path(corners, color="ink", fill="surface", width=0.9, told=told)
        if letter:
            self.text(x, y + 2.9, letter, size=8, anchor="middle")

    def finish(self, height: float, title: str, description: str, name: str, *, alone: bool) -> str:
        """The whole picture. `alone`: as a file of its own, with its namespace and ground."""
        size = f'width="{self.width:.0f}" height="{height:.0f}" viewBox="0 0 {self.width:.0f} {height:.0f}"'
        ground = f'<rect x="0" y="0" width="{self.width:.0f}" height="{height:.0f}" fill="{self.color("surface")}"/>'
        about = f"<title>{safe(title)}</title><desc>{safe(description)}</desc>"
        body = "\n".join([about, *([ground] if alone else []), *self._elements])
        return (
            f'<svg{NAMESPACE if alone else ""} {size} role="img" aria-label={quoteattr(_NOT_XML.sub(" ", title))}'
            f' data-figure={quoteattr(_NOT_XML.sub(" ", name))} font-family="{FAMILY}">\n{body}\n</svg>\n'
        )

    def legend(self, x: float, y: float, text: str) -> float:
        """A word of the legend; where the next begins."""
        self.text(x, y, text, color="soft")
        return x + text_width(text, 12) + 20


def _told(text: str, element: str) -> str:
    return f"><title>{safe(text)}</title></{element}>" if text else "/>"


def _outline(kind: str, x: float, y: float) -> list[tuple[float, float]]:
    r = 4.6
    if kind == "square":
        return [(x - 4, y - 4), (x + 4, y - 4), (x + 4, y + 4), (x - 4, y + 4)]
    if kind == "triangle":
        return [(x, y - 5), (x + 5, y + 4), (x - 5, y + 4)]
    if kind == "diamond":
        return [(x, y - 5.6), (x + 5.6, y), (x, y + 5.6), (x - 5.6, y)]
    if kind == "bar":
        return [(x - 2, y - 6), (x + 2, y - 6), (x + 2, y + 6), (x - 2, y + 6)]
    if kind in ("plus", "cross"):
        turn = math.pi / 4 if kind == "cross" else 0.0
        arm, half = 5.8, 1.9
        corners = [(arm, -half), (arm, half), (half, half), (half, arm), (-half, arm), (-half, half), (-arm, half),
                   (-arm, -half), (-half, -half), (-half, -arm), (half, -arm), (half, -half)]  # fmt: skip
        sin, cos = math.sin(turn), math.cos(turn)
        return [(x + a * cos - b * sin, y + a * sin + b * cos) for a, b in corners]
    if kind == "star":
        sides = [(6.2 if not place % 2 else 2.6, -math.pi / 2 + place * math.pi / 5) for place in range(10)]
        return [(x + length * math.cos(angle), y + length * math.sin(angle)) for length, angle in sides]
    turns = [place * math.pi / 12 for place in range(24)]
    return [(x + r * math.cos(turn), y + r * math.sin(turn)) for turn in turns]
