"""A whole figure: heading, legend and notes around what its kind draws; the same on every canvas.

A canvas of SVG elements: static, self-contained, readable by a screen reader; no style sheet, script or link.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal
from xml.sax.saxutils import escape, quoteattr

from biasprint.core.draw import digits, words
from biasprint.core.draw.canvas import (
    BAND_DASH,
    BOLD,
    DASHES,
    LABEL_LINE,
    NOTE_LINE,
    NULL_DASH,
    SIZES,
    Anchor,
    Canvas,
    Point,
    TextStyle,
    series_color,
)
from biasprint.core.draw.figure import Figure, FigureKind, FigureMark
from biasprint.core.draw.plots import draw_line, draw_rows, printed_by
from biasprint.core.given import packaged_toml
from biasprint.core.language import tr

SvgTheme = Literal["light", "dark", "page"]
WIDTH, MARGIN = 880.0, 24.0
MOST_TOLD = 40  # marks that the description lists one by one
FAMILY = "Inter, system-ui, sans-serif"
NAMESPACE = ' xmlns="http://www.w3.org/2000/svg"'
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

# Widths in em, rounded up to those of DejaVu Sans: wider than Inter and the other fonts that may replace it.
_NARROW, _USUAL, _WIDE, _FULL = 0.4, 0.63, 1.0, 1.05
_FULL_FROM = "\u1100"  # from here on letters are as wide as they are high


def svg(figure: Figure, *, theme: SvgTheme = "light", alone: bool = True) -> str:
    """Return the figure with its title, a description of what it shows, its legend and its source.

    `theme` "page": colours are CSS variables that the page around it declares. `alone`: as a file of its own, with XML
    namespace and ground; otherwise for use inside an HTML page.
    """
    canvas = SvgCanvas(WIDTH - 2 * MARGIN, theme)
    height = draw_figure(canvas, figure) + 2 * MARGIN
    place = f'x="{-MARGIN:g}" y="{-MARGIN:g}" width="{WIDTH:.0f}" height="{height:.0f}"'
    ground = f'<rect {place} fill="{canvas.color("surface")}"/>'
    description = " ".join(map(tr, words.describe(figure, MOST_TOLD)[1:]))
    about = f"<title>{_safe(tr(figure.title))}</title><desc>{_safe(description)}</desc>"
    body = "\n".join([about, *([ground] if alone else []), *canvas.elements, *canvas.hovering()])
    box = f"{-MARGIN:g} {-MARGIN:g} {WIDTH:.0f} {height:.0f}"
    size = f'width="{WIDTH:.0f}" height="{height:.0f}" viewBox="{box}"'
    named = f"aria-label={_attribute(tr(figure.title))} data-figure={_attribute(figure.name)}"
    start = f'<svg{NAMESPACE if alone else ""} {size} role="img" {named} font-family="{FAMILY}">'
    return f"{start}\n{body}\n</svg>\n"


class SvgCanvas(Canvas):
    def __init__(self, width: float, theme: SvgTheme = "light") -> None:
        super().__init__(width)
        self._colors = colors(theme)
        self.elements: list[str] = []

    def color(self, name: str) -> str:
        return self._colors[name] if name else "none"

    def measure(self, text: str, style: TextStyle) -> float:
        return sum(map(_em, tr(text))) * SIZES[style] * (1.06 if style in BOLD else 1.0)

    def text(
        self, x: float, y: float, text: str, style: TextStyle = "note", color: str = "soft", anchor: Anchor = "start"
    ) -> None:
        weight = ' font-weight="600"' if style in BOLD else ""
        self.elements.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{SIZES[style]:g}" text-anchor="{anchor}"'
            f' fill="{self.color(color)}"{weight}>{_safe(tr(text))}</text>'
        )

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str = "", edge: str = "", opacity: float = 1,
        radius: float = 0,
    ) -> None:  # fmt: skip
        faint = f' fill-opacity="{opacity:.3g}"' if opacity < 1 else ""
        line = f' stroke="{self.color(edge)}"' if edge else ""
        line += f' rx="{radius:g}"' if radius else ""
        self.elements.append(f'<rect {_box(x, y, width, height)} fill="{self.color(fill)}"{line}{faint}/>')

    def path(
        self, points: Sequence[Point], *, color: str = "", fill: str = "", width: float = 1,
        dash: Sequence[float] = (), closed: bool = False, opacity: float = 1,
    ) -> None:  # fmt: skip
        drawn = _drawn(points, closed)
        line = f' stroke="{self.color(color)}" stroke-width="{width:g}"' if color else ""
        line += f' stroke-dasharray="{" ".join(f"{length:g}" for length in dash)}"' if dash else ""
        line += f' fill-opacity="{opacity:.3g}"' if fill and opacity < 1 else ""
        self.elements.append(f'<path d="{drawn}" fill="{self.color(fill)}"{line}/>')

    def hovering(self) -> list[str]:
        """A place to hover over for each spot, above everything else."""
        return [
            f'<rect {_box(spot.x, spot.y, spot.width, spot.height)} fill="none" pointer-events="all">'
            f"<title>{_safe(chr(10).join(map(tr, spot.told)))}</title></rect>"
            for spot in self.spots
        ]


def _tokens() -> Mapping[str, Any]:
    return packaged_toml("report", "palette.toml")


def colors(theme: SvgTheme) -> dict[str, str]:
    """Return colours by name (“ink”, “series-1” …). In the theme `page` they are CSS variables: see `page_style`."""
    tokens = _tokens()["light" if theme == "page" else theme]
    flat = {name: value for name, value in tokens.items() if isinstance(value, str)}
    flat |= {f"series-{place}": color for place, color in enumerate(tokens["series"], 1)}
    return {name: f"var(--{name})" for name in flat} if theme == "page" else flat


def page_style() -> str:
    """The colours as CSS variables, dark where the reader's system is."""

    def declared(theme: SvgTheme) -> str:
        return " ".join(f"--{name}: {color};" for name, color in colors(theme).items())

    return f":root {{ {declared('light')} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {declared('dark')} }} }}"


def _safe(text: str) -> str:
    """A text as XML holds it: escaped, and without what XML cannot hold."""
    return escape(_NOT_XML.sub("\ufffd", text))


def _attribute(text: str) -> str:
    return quoteattr(_NOT_XML.sub(" ", text))


def _box(x: float, y: float, width: float, height: float) -> str:
    return f'x="{x:.1f}" y="{y:.1f}" width="{max(0.0, width):.1f}" height="{max(0.0, height):.1f}"'


def _drawn(points: Sequence[Point], closed: bool) -> str:
    drawn = " ".join(f"{'L' if place else 'M'}{x:.1f} {y:.1f}" for place, (x, y) in enumerate(points))
    return f"{drawn} Z" if closed else drawn


def _em(letter: str) -> float:
    if letter in "iljtfrI.,:;'|!()[]· ’“”":
        return _NARROW
    if letter in "mwMW%@—…→×":
        return _WIDE
    if letter >= _FULL_FROM and letter not in "–—‘’“”…→−Δτκα":
        return _FULL
    return 0.73 if letter.isupper() else _USUAL


# ---- Rows × series as cells: the kinds `matrix`, coloured, and `table`, for what mixes units or is made of words
# Every cell of a matrix holds its number, so that no one depends on colour.

MOST_LABEL = 0.34  # of the width
PADDING, GAP = 6.0, 12.0
WORDS_WIDTH = 200.0  # what a column of words is given at least, where it has so many
WIDEST = 150.0  # of a column of numbers
DEEPEST = 0.5  # of a colour, so that ink stays readable on it
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class _Column:
    series: str
    left: float
    width: float


@dataclass(frozen=True)
class _Cell:
    """A mark as shown in its cell: a number over its interval and n, or words in as many lines as they need."""

    mark: FigureMark
    shown: str
    below: tuple[str, ...]
    wraps: bool
    strong: bool
    tint: float | None


def draw_grid(canvas: Canvas, figure: Figure, top: float) -> float:
    """Draw from `top` on; return where the next begins. Columns that do not fit follow below, in bands."""
    grid = _Grid(canvas, figure)
    y = top + 6
    for number, columns in enumerate(grid.bands()):
        y = grid.band(columns, y + (GAP if number else 0))
    y += 6
    for remark in grid.remarks():
        y = canvas.paragraph(0, y, canvas.width, remark) + 3
    return y


class _Grid:
    def __init__(self, canvas: Canvas, figure: Figure) -> None:
        self.canvas, self.figure = canvas, figure
        self._tints = _grid_tints(figure) if figure.kind == "matrix" else {}
        self._rows = {row: figure.at(*row) for row in figure.rows}
        # Where every cell of a row has the same n, it stands once, below the label.
        self._alike = all(len({mark.n for mark in marks}) == 1 for marks in self._rows.values())
        self._cells = {(row, mark.series): self._cell(mark) for row, marks in self._rows.items() for mark in marks}
        names = [canvas.measure(label, "label") for _, label in self._rows]
        self._label = min(max([*names, canvas.measure(figure.rows_title, "note"), 60.0]), MOST_LABEL * canvas.width)

    def _cell(self, mark: FigureMark) -> _Cell:
        shown, interval = words.written(self.figure, mark)
        n = "" if self._alike else f"n = {digits.count(mark.n)}"
        return _Cell(
            mark,
            shown,
            tuple(text for text in (f"({interval})" if interval else "", n) if text),
            wraps=bool(mark.text) and not mark.text[:1].isdigit(),
            strong=_significant(mark) and self.figure.complete,
            tint=None if mark.value is None else self._tints.get(mark.value),
        )

    # columns

    def bands(self) -> Iterator[list[_Column]]:
        """The columns, as many beside each other as there is room for."""
        room = self.canvas.width - self._label - GAP
        natural = {name: min(self._natural(name), room) for name in self.figure.series}
        least = {name: min(size, WORDS_WIDTH) if self._is_words(name) else size for name, size in natural.items()}
        band: list[str] = []
        for name in self.figure.series:
            if band and sum(least[column] for column in band) + least[name] > room:
                yield list(self._placed(band, room, natural, least))
                band = []
            band.append(name)
        yield list(self._placed(band, room, natural, least))

    def _placed(
        self, band: Sequence[str], room: float, natural: dict[str, float], least: dict[str, float]
    ) -> Iterator[_Column]:
        """Yield the columns of a band. Columns of words share the room left; without any, all do, up to a limit."""
        left, spare = self._label + GAP, room - sum(least[name] for name in band)
        wrapping = [name for name in band if self._is_words(name)]
        for name in band:
            width = least[name]
            if name in wrapping:
                width = min(natural[name], width + spare / len(wrapping))
            elif not wrapping:
                width = max(width, min(width + spare / len(band), WIDEST))
            yield _Column(name, left, width)
            left += width

    def _column(self, series: str) -> Iterator[_Cell]:
        return (cell for (_, name), cell in self._cells.items() if name == series)

    def _is_words(self, series: str) -> bool:
        return any(cell.wraps for cell in self._column(series))

    def _natural(self, series: str) -> float:
        """Return a column's natural width: its cells in one line each, its heading in as many as it has words."""
        measure = self.canvas.measure
        sizes = [measure(word, "note") for word in self._title(series).split()]
        for cell in self._column(series):
            sizes.append(measure(cell.shown, "label" if cell.wraps else "strong"))
            sizes += [measure(text, "note") for text in cell.below]
        return max(sizes, default=0.0) + 2 * PADDING + 2

    def _title(self, series: str) -> str:
        if not series and len(self.figure.series) == 1 and self.figure.kind == "matrix":
            return self.figure.axis or self.figure.unit
        return words.series_title(self.figure, series)

    # drawing

    def band(self, columns: Sequence[_Column], top: float) -> float:
        y = self._headings(columns, top) + 4
        for section, rows in groupby(self._rows, key=lambda row: row[0]):
            if section:
                y = self.canvas.paragraph(0, y + 8, self.canvas.width, section, "strong", "ink") + 4
            for row in rows:
                y = self._row(row, columns, y)
        return y

    def _headings(self, columns: Sequence[_Column], top: float) -> float:
        canvas = self.canvas
        heads = [
            canvas.wrap(self._title(heading_column.series), "note", heading_column.width - 2 * PADDING)
            for heading_column in columns
        ]
        title = canvas.wrap(self.figure.rows_title, "note", self._label) if self.figure.rows_title else []
        bottom = top + NOTE_LINE * max([len(title), *map(len, heads)])
        for number, line in enumerate(reversed(title)):
            canvas.text(0, bottom - NOTE_LINE * number - 4, line)
        for column, lines in zip(columns, heads, strict=True):
            for number, line in enumerate(reversed(lines)):
                self._line(column, bottom - NOTE_LINE * number - 4, line, middle=not self._is_words(column.series))
        return bottom

    def _line(
        self, column: _Column, y: float, text: str, *, middle: bool, strong: bool = False, color: str = "soft",
        large: bool = False,
    ) -> None:  # fmt: skip
        x = column.left + (column.width / 2 if middle else PADDING)
        style = "strong" if strong else "label" if large else "note"
        self.canvas.text(x, y, text, style, color, "middle" if middle else "start")  # type: ignore[arg-type]

    def _row(self, row: tuple[str, str], columns: Sequence[_Column], top: float) -> float:
        canvas = self.canvas
        here = [(column, self._cells[row, column.series]) for column in columns if (row, column.series) in self._cells]
        label = canvas.wrap(row[1], "label", self._label, most=4)
        n = f"n = {digits.count(self._rows[row][0].n)}" if self._alike else ""
        tall = LABEL_LINE * len(label) + (NOTE_LINE if n else 0)
        height = max([tall, *(self._height(cell, column) for column, cell in here)]) + 8
        y = top + (height - tall) / 2
        for line in label:
            canvas.text(0, y + SIZES["label"], line, "label", "ink")
            y += LABEL_LINE
        if n:
            canvas.text(0, y + SIZES["note"] - 1, n)
        for column, cell in here:
            self._draw(cell, column, top, height)
        if all(cell.tint is None for _, cell in here):
            canvas.line(0, top + height, columns[-1].left + columns[-1].width, top + height)
        return top + height

    def _words(self, cell: _Cell, column: _Column) -> list[str]:
        return self.canvas.wrap(cell.shown, "label", column.width - 2 * PADDING)

    def _height(self, cell: _Cell, column: _Column) -> float:
        return LABEL_LINE * len(self._words(cell, column)) if cell.wraps else LABEL_LINE + NOTE_LINE * len(cell.below)

    def _draw(self, cell: _Cell, column: _Column, top: float, height: float) -> None:
        canvas, middle = self.canvas, top + height / 2
        if cell.tint is not None:
            color = "above" if cell.tint >= 0 else "below"
            # The edge stays free: there the ring of what is pointed at can be seen.
            box = column.left + 2, top + 2, column.width - 4, height - 4
            canvas.rect(*box, color, opacity=max(0.02, DEEPEST * min(1.0, abs(cell.tint))))
        canvas.spot(column.left, top, column.width, height, self.figure, cell.mark)
        y = middle - self._height(cell, column) / 2
        if cell.wraps:
            for line in self._words(cell, column):
                self._line(column, y + SIZES["label"], line, middle=False, large=True, color="ink")
                y += LABEL_LINE
            return
        own = self._is_words(column.series)
        self._line(column, y + SIZES["label"], cell.shown, middle=not own, strong=cell.strong, large=True, color="ink")
        y += LABEL_LINE
        for line in cell.below:
            # Soft would be too faint on a deep tint.
            self._line(
                column, y + SIZES["note"] - 1, line, middle=not own, color="soft" if cell.tint is None else "ink"
            )
            y += NOTE_LINE

    def remarks(self) -> Iterator[str]:
        """Explain what brackets and bold mean, and why there is a dash in place of some numbers."""
        cells = [cell for cell in self._cells.values() if not cell.mark.text]
        if any(cell.mark.low is not None for cell in cells):
            yield "In brackets: the interval."
        if any(cell.strong for cell in cells):
            yield "Bold: p at most 0.05 after adjustment for the other tests."
        reasons = [words.reason_of(cell.mark) for cell in cells if cell.mark.value is None]
        for reason in dict.fromkeys(reasons):
            times = reasons.count(reason)
            text = "— not defined, 1 number: {reason}" if times == 1 else "— not defined, {n} numbers: {reason}"
            yield text.format(n=digits.count(times), reason=reason)


def _significant(mark: FigureMark) -> bool:
    """Return whether the number itself was tested: a part of a finding, such as one group's, was not."""
    adjusted = mark.finding.p_adjusted
    return mark.whole and adjusted is not None and adjusted <= SIGNIFICANT


def _grid_tints(figure: Figure) -> dict[float, float]:
    """Return tints from −1 to 1 around `null`; without it from 0 to 1, the lowest value (or 0) without colour."""
    values = [mark.value for mark in figure.marks if mark.value is not None]
    if not values:
        return {}
    middle = min(0.0, *values) if figure.null is None else figure.null
    reach = max(abs(value - middle) for value in values) or 1.0
    return {value: (value - middle) / reach for value in values}


LAYOUTS: Mapping[FigureKind, Callable[[Canvas, Figure, float], float]] = {
    "intervals": draw_rows,
    "grouped": draw_rows,
    "bars": draw_rows,
    "matrix": draw_grid,
    "table": draw_grid,
    "line": draw_line,
}
WIDE, NARROW, APART, LINE = 24.0, 10.0, 16.0, 19.0  # signs of the legend, what lies between two of its words, its lines

# Words, the room of the sign before them, and how the sign is drawn with its left end at x and its middle at y.
LegendKey = tuple[str, float, Callable[[float, float], None]]


def draw_figure(canvas: Canvas, figure: Figure, *, titled: bool = True) -> float:
    """Draw it from the top left corner of the canvas; gives its height. `titled`: with its title above."""
    y = _heading(canvas, figure, titled)
    if not figure.marks:
        return canvas.paragraph(0, y, canvas.width, figure.empty, "label")
    y = _legend(canvas, figure, y)
    return _foot(canvas, figure, LAYOUTS[figure.kind](canvas, figure, y))


def _heading(canvas: Canvas, figure: Figure, titled: bool) -> float:
    y = canvas.paragraph(0, 0, canvas.width, figure.title, "title", "ink") + 4 if titled else 0.0
    if figure.subtitle:
        y = canvas.paragraph(0, y, canvas.width, figure.subtitle, "label") + 6
    return _badges(canvas, figure, y)


def _badges(canvas: Canvas, figure: Figure, y: float) -> float:
    """A stand-in scorer is named wherever its number appears."""
    x, tall = 0.0, 20.0
    for text in figure.stand_ins:
        shown = canvas.cut(text, "note", canvas.width - 16)
        wide = canvas.measure(shown, "note") + 16
        if x and x + wide > canvas.width:
            x, y = 0.0, y + tall + 4
        canvas.rect(x, y, wide, tall, "warn-soft", radius=6)
        canvas.text(x + 8, y + 14, shown, color="warn")
        x += wide + 8
    return y + tall + 8 if figure.stand_ins else y


def _foot(canvas: Canvas, figure: Figure, y: float) -> float:
    notes = words.notes(figure)
    y += 10 if notes else 0
    for note in notes:
        y = canvas.paragraph(0, y, canvas.width, note) + 3
    return y + 2


def _legend(canvas: Canvas, figure: Figure, top: float) -> float:
    keys = [*_series(canvas, figure), *_signs(canvas, figure)]
    x, y = 0.0, top + 4
    for text, wide, sign in keys:
        lines = canvas.wrap(text, "note", canvas.width - wide - 6)
        needed = wide + 6 + max(canvas.measure(line, "note") for line in lines)
        if x and x + needed > canvas.width:
            x, y = 0.0, y + LINE
        sign(x, y + LINE / 2)
        for number, line in enumerate(lines):
            canvas.text(x + wide + 6, y + LINE / 2 + 4 + 15 * number, line)
        x, y = x + needed + APART, y + 15 * (len(lines) - 1)
    return y + LINE + 4 if keys else top


def _series(canvas: Canvas, figure: Figure) -> list[LegendKey]:
    if figure.kind in ("matrix", "table") or len(figure.series) < 2:
        return []
    joined = figure.kind == "line"

    def key(place: int, name: str) -> LegendKey:
        def sign(x: float, y: float) -> None:
            if joined:
                canvas.line(x, y, x + WIDE, y, series_color(place), 2, DASHES[place % len(DASHES)])
            canvas.marker(place, x + (WIDE if joined else NARROW) / 2, y)

        return words.series_title(figure, name), WIDE if joined else NARROW, sign

    return [key(place, name) for place, name in enumerate(figure.series)]


def _signs(canvas: Canvas, figure: Figure) -> list[LegendKey]:
    """A sign for whatever else is drawn, and nothing more."""
    if figure.kind == "table":
        return []
    if figure.kind == "matrix":
        return _tints(canvas, figure)
    marks = [mark for mark in figure.marks if mark.value is not None]
    keys: list[LegendKey] = []
    intervals = [mark.finding.interval for mark in marks if mark.low is not None and not mark.band
                 and mark.finding.interval]  # fmt: skip
    if intervals:  # one sign for all of them: the line is the same
        levels = [each.level for each in intervals]
        levels_text = "–".join(dict.fromkeys(digits.level_text(each) for each in (min(levels), max(levels))))
        at_every_look = all(each.holds_at_every_look for each in intervals)
        text = f"{levels_text} % band, valid whenever one looks" if at_every_look else f"{levels_text} % interval"
        keys.append((text, WIDE, lambda x, y: canvas.line(x, y, x + WIDE, y, "ink", 2)))
    if any(mark.band for mark in marks):
        keys.append((figure.band_words, WIDE, lambda x, y: canvas.line(x, y, x + WIDE, y, "ink", 2, BAND_DASH)))
    if any(mark.floor for mark in marks):
        text = "noise floor (95 of 100 cases without any bias) and its mean"
        keys.append((text, WIDE, lambda x, y: canvas.floor(x, y - 6, WIDE, 12, x + WIDE / 2)))
    if figure.null is not None:
        keys.append((_null(figure), NARROW, lambda x, y: canvas.line(x + 5, y - 7, x + 5, y + 7, "ink", 1, NULL_DASH)))
    if printed := printed_by(figure):
        named = ", ".join(f"{letter} {name}" if letter else name for name, letter in printed.items())
        text = f"printed in the paper: {named}"
        keys.append((text, NARROW + 4, lambda x, y: canvas.printed(x + 7, y)))
    return keys


def _null(figure: Figure) -> str:
    assert figure.null is not None
    null = f"{figure.null:g}" if figure.null in (0, 1) else digits.number(figure.null, figure.unit)
    return f"{null}: {figure.null_words}"


def _tints(canvas: Canvas, figure: Figure) -> list[LegendKey]:
    def key(text: str, color: str, opacity: float) -> LegendKey:
        return text, WIDE, lambda x, y: canvas.rect(x, y - 6, WIDE, 12, color, "edge", opacity)

    if figure.null is None:
        return [key("the deeper, the higher", "above", 0.5)]
    return [
        key("below", "below", 0.5),
        key(_null(figure), "surface", 1),
        key("above", "above", 0.5),
    ]
