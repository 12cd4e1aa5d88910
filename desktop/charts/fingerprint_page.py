"""A fingerprint as a picture: what it says and cannot say, then the bars and the scores, on one page.

The statement is part of it, because a picture is seen without the window. Some words of the paragraphs are bold. They
are drawn as plain text, not rich text, because the bold words come from files.
"""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QPagedPaintDevice, QPainter, QTextCharFormat, QTextLayout, QTextOption

from biasprint import core
from biasprint.core.draw.canvas import TextStyle
from biasprint.core.draw.frame import draw_figure
from biasprint.core.errors import AppError
from biasprint.core.judging.fingerprint import Fingerprint
from biasprint.core.judging.fingerprint_words import Paragraph, limits, paragraphs
from biasprint.core.machine.files import write_whole
from biasprint.desktop.charts import export
from biasprint.desktop.charts.canvas import below
from biasprint.desktop.charts.fingerprint import scores_figure, shares_figure, summary
from biasprint.desktop.theme.tokens import Tokens
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.words import number, tr

WIDTH = 880
FORMATS = ("png", "svg", "pdf")
GAP = 20
BETWEEN = 10  # pixels between two paragraphs


def save_page(found: Fingerprint, tokens: Tokens, path: Path) -> Path:
    """Write the picture in the format of the path's ending, whole or not at all; AppError gives the reason if not."""
    ending = path.suffix.lower().lstrip(".")
    if ending not in FORMATS:
        raise AppError(
            tr("A picture cannot be saved as “{name}”.").format(name=path.name),
            hint=tr("Choose a name that ends in .png, .svg or .pdf."),
        )
    write_whole(path, page_bytes(found, tokens, ending))
    return path


def page_bytes(found: Fingerprint, tokens: Tokens, ending: str) -> bytes:
    """Return the picture as a file's content; `ending` is one of `FORMATS`."""

    def page(painter: QPainter | None, width: float) -> float:
        return draw_page(painter, tokens, found, width)

    if ending == "pdf":
        return export.page_pdf(page, WIDTH - 2 * export.MARGIN, title(found))
    return (
        export.page_svg(page, tokens, WIDTH, title(found)) if ending == "svg" else export.page_png(page, tokens, WIDTH)
    )


def print_page(found: Fingerprint, tokens: Tokens, printer: QPagedPaintDevice) -> None:
    """Print the picture."""
    width = WIDTH - 2 * export.MARGIN
    export.paint_sheet(printer, lambda painter, wide: draw_page(painter, tokens, found, wide), width)


def title(found: Fingerprint) -> str:
    return tr("Fingerprint of a model") if found.kind == "model" else tr("Fingerprint")


def draw_page(painter: QPainter | None, tokens: Tokens, found: Fingerprint, width: float) -> float:
    """Draw all parts below each other, `width` pixels wide; return the height."""
    gap = tokens.px(GAP)

    def line(text: str, y: float, style: TextStyle = "note", color: str = "soft") -> float:
        return below(
            painter, tokens, y, width, lambda canvas: canvas.paragraph(0, 0, canvas.width, text, style, color)
        )[0]

    y = line(summary(found), line(title(found), 0, "title", "ink")) + gap
    y += draw_prose(painter, tokens, (*paragraphs(found, tr, number), limits(found, tr)), 0, y, width) + gap
    for figure in (shares_figure(found), scores_figure(found)):
        y, _ = below(painter, tokens, y, width, lambda canvas, figure=figure: draw_figure(canvas, figure))
        y += gap
    return line(tr("Made with Biasprint {version}").format(version=core.__version__), y)


def draw_prose(
    painter: QPainter | None, tokens: Tokens, paragraphs: Sequence[Paragraph], x: float, top: float, width: float
) -> float:
    """Draw what comes first in the largest type, statements in reading size, quiet ones smaller; return the height."""
    y = top
    for place, paragraph in enumerate(paragraphs):
        y += tokens.px(BETWEEN) if place else 0
        size = tokens.control if paragraph.quiet else tokens.display if paragraph.large else tokens.reading
        color = tokens.soft if paragraph.quiet else tokens.ink
        y += _paragraph(painter, tokens, paragraph, QPointF(x, y), width, size, color)
    return y - top


def _paragraph(
    painter: QPainter | None,
    tokens: Tokens,
    paragraph: Paragraph,
    at: QPointF,
    width: float,
    size: int,
    color: str,
) -> float:
    font = QFont(tokens.family)
    font.setPixelSize(size)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if paragraph.large:
        font.setWeight(QFont.Weight.DemiBold)
    pieces = [(_safe(span.text), span.strong) for span in paragraph.spans]
    layout = QTextLayout("".join(text for text, _ in pieces), font)
    layout.setFormats(_bold(pieces))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    step = size * (1.3 if paragraph.large else tokens.line_height - 0.15)
    y = 0.0
    layout.beginLayout()
    while (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        line.setPosition(QPointF(0, y + (step - line.height()) / 2))
        y += step
    layout.endLayout()
    if painter is not None:
        painter.setPen(QColor(color))
        layout.draw(painter, at)
    return y


def _bold(pieces: Sequence[tuple[str, bool]]) -> list[QTextLayout.FormatRange]:
    """Return the ranges of the bold pieces, in UTF-16 units as Qt counts."""
    strong = QTextCharFormat()
    strong.setFontWeight(QFont.Weight.DemiBold)
    ranges, start = [], 0
    for text, is_strong in pieces:
        length = len(text.encode("utf-16-le")) // 2
        if is_strong and length:
            piece = QTextLayout.FormatRange()
            piece.start, piece.length, piece.format = start, length, strong
            ranges.append(piece)
        start += length
    return ranges


def _safe(text: str) -> str:
    """Make the text safe, but keep the blanks at its ends: they separate two pieces."""
    return " " * text.startswith(" ") + safe_line(text) + " " * (len(text) > 1 and text.endswith(" "))
