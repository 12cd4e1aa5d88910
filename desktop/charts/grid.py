"""Draws a `GridView`: rows and columns of numbers, each with interval and n, coloured or not."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from desktop.charts.canvas import Canvas
from desktop.charts.legend import draw_legend, draw_notes
from desktop.charts.view import Cell, GridRow, GridView

LABEL_SHARE = 0.34  # of the width, at most
PADDING = 6
WORDS_WIDTH = 200  # what a column of words is given at least, where it has so many
WIDEST = 150  # of a column of numbers


@dataclass(frozen=True)
class _Column:
    index: int
    left: float
    width: float


def draw_grid(canvas: Canvas, view: GridView, width: float) -> float:
    """Draw the grid `width` wide; returns its height. Columns that do not fit stand below, in bands."""
    t = canvas.tokens
    y = draw_legend(canvas, view.legend, 0, 0, width) + (t.px(8) if view.legend else 0)
    for number, columns in enumerate(_bands(canvas, view, width)):
        y = _band(canvas, view, columns, y + (t.px(16) if number else 0), width)
    y += t.px(8) if view.notes else 0
    return y + draw_notes(canvas, view.notes, 0, y, width)


def _rows(view: GridView) -> Iterator[GridRow]:
    return (row for block in view.blocks for row in block.rows)


def _label_width(canvas: Canvas, view: GridView, width: float) -> float:
    texts = [canvas.width_of(row.label) for row in _rows(view)] + [
        canvas.width_of(row.n, "note") for row in _rows(view)
    ]
    return min(max([*texts, canvas.width_of(view.rows_heading, "note")]), LABEL_SHARE * width)


def _bands(canvas: Canvas, view: GridView, width: float) -> Iterator[list[_Column]]:
    """The columns, as many beside each other as there is room for, in the width that they may take."""
    left = _label_width(canvas, view, width) + canvas.tokens.px(12)
    room = width - left
    natural = [min(_natural(canvas, view, index), room) for index in range(len(view.columns))]
    words = [any(cell and cell.wraps for cell in _cells(view, index)) for index in range(len(view.columns))]
    least = [
        min(size, canvas.tokens.px(WORDS_WIDTH)) if wraps else size for size, wraps in zip(natural, words, strict=True)
    ]
    band: list[int] = []
    for index, needed in enumerate(least):
        if band and sum(least[one] for one in band) + needed > room:
            yield list(_placed(canvas, band, left, room, natural, least, words))
            band = []
        band.append(index)
    if band:
        yield list(_placed(canvas, band, left, room, natural, least, words))


def _placed(
    canvas: Canvas,
    band: Sequence[int],
    left: float,
    room: float,
    natural: Sequence[float],
    least: Sequence[float],
    words: Sequence[bool],
) -> Iterator[_Column]:
    """What is left of the room goes to the words; where there are none, to all alike, up to a limit."""
    spare = room - sum(least[index] for index in band)
    wrapping = [index for index in band if words[index]]
    for index in band:
        width = least[index]
        if words[index]:
            width = min(natural[index], width + spare / len(wrapping))
        elif not wrapping:
            width = max(width, min(width + spare / len(band), canvas.tokens.px(WIDEST)))
        yield _Column(index, left, width)
        left += width


def _cells(view: GridView, index: int) -> Iterator[Cell | None]:
    return (row.cells[index] for row in _rows(view))


def _natural(canvas: Canvas, view: GridView, index: int) -> float:
    """What a column would take: its cells in one line each, its heading in as many as it has words."""
    sizes = [canvas.width_of(word, "note") for word in view.columns[index].split()]
    for cell in _cells(view, index):
        if cell is not None:
            sizes.append(canvas.width_of(cell.figure, "control" if cell.wraps else "strong"))
            sizes += [canvas.width_of(text, "note") for text in (cell.interval, cell.n)]
    return max(sizes, default=0.0) + canvas.tokens.px(2 * PADDING) + 2


def _band(canvas: Canvas, view: GridView, columns: Sequence[_Column], top: float, width: float) -> float:
    t = canvas.tokens
    y = top + _headings(canvas, view, columns, top) + t.px(4)
    for block in view.blocks:
        if block.heading:
            height = canvas.height_of("strong") + t.px(12)
            canvas.text(0, y + height / 2, block.heading, role="strong", room=width)
            y += height
        for row in block.rows:
            y = _row(canvas, row, columns, y)
    return y


def _headings(canvas: Canvas, view: GridView, columns: Sequence[_Column], top: float) -> float:
    t = canvas.tokens
    inner = [column.width - t.px(2 * PADDING) for column in columns]
    words = [_is_words(view, column.index) for column in columns]
    heights = [
        Canvas(None, t).paragraph(0, 0, size, view.columns[column.index])
        for column, size in zip(columns, inner, strict=True)
    ]
    height = max([*heights, canvas.height_of("note")])
    canvas.text(0, top + height - canvas.height_of("note") / 2, view.rows_heading, role="note", color=t.soft)
    for column, size, own, wraps in zip(columns, inner, heights, words, strict=True):
        left = column.left + t.px(PADDING)
        canvas.paragraph(left, top + height - own, size, view.columns[column.index], centred=not wraps)
    return height


def _is_words(view: GridView, index: int) -> bool:
    return any(cell and cell.wraps for cell in _cells(view, index))


def _row(canvas: Canvas, row: GridRow, columns: Sequence[_Column], top: float) -> float:
    t = canvas.tokens
    heights = [_height(canvas, cell, column) for column in columns if (cell := row.cells[column.index])]
    label = canvas.height_of() + (canvas.height_of("note") if row.n else 0)
    height = max([*heights, label]) + t.px(8)
    middle = top + height / 2
    room = columns[0].left - t.px(12)
    first = middle - (canvas.height_of("note") / 2 if row.n else 0)
    canvas.text(0, first, row.label, room=room)
    if row.n:
        canvas.text(
            0, first + (canvas.height_of() + canvas.height_of("note")) / 2, row.n, role="note", color=t.soft, room=room
        )
    tinted = False
    for column in columns:
        cell = row.cells[column.index]
        if cell is not None:
            tinted = tinted or cell.tint is not None
            _cell(canvas, cell, QRectF(column.left, top, column.width, height))
    if not tinted:
        right = columns[-1].left + columns[-1].width
        canvas.line(0, top + height, right, top + height, t.grid_line)
    return top + height


def _lines(cell: Cell) -> list[str]:
    return [text for text in (cell.interval, cell.n) if text]


def _height(canvas: Canvas, cell: Cell, column: _Column) -> float:
    if cell.wraps:
        return _words_height(canvas, cell, column.width - canvas.tokens.px(2 * PADDING))
    return canvas.height_of("strong") + len(_lines(cell)) * canvas.height_of("note")


def _words_height(canvas: Canvas, cell: Cell, width: float) -> float:
    return Canvas(None, canvas.tokens).paragraph(0, 0, width, cell.figure, role="control")


def _cell(canvas: Canvas, cell: Cell, area: QRectF) -> None:
    t = canvas.tokens
    # The edge stays free: there the ring of what is pointed at can be seen.
    if cell.tint is not None:
        canvas.tint(area.adjusted(2, 2, -2, -2), cell.tint)
    canvas.spot(area, cell.tip, cell.finding)
    if cell.wraps:
        left, width = area.left() + t.px(PADDING), area.width() - t.px(2 * PADDING)
        height = _words_height(canvas, cell, width)
        canvas.paragraph(left, area.center().y() - height / 2, width, cell.figure, role="control", color=t.ink)
        return
    lines = _lines(cell)
    x, y, room = area.center().x(), area.center().y() - len(lines) * canvas.height_of("note") / 2, area.width()
    canvas.text(x, y, cell.figure, role="strong" if cell.strong else "control", align="center", room=room)
    y += (canvas.height_of() + canvas.height_of("note")) / 2
    for line in lines:
        color = t.soft if cell.tint is None else t.ink  # soft would be too faint on a deep tint
        canvas.text(x, y, line, role="note", color=color, align="center", room=room)
        y += canvas.height_of("note")
