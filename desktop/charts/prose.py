"""Paragraphs with some words in bold, drawn as plain text: on a widget, into a picture, or nowhere, to be measured.

Rich text is no way to do that: the bold words come from files.
"""

from collections.abc import Sequence

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QPainter, QTextCharFormat, QTextLayout, QTextOption

from core.judging.fingerprint_words import Paragraph
from desktop.theme.tokens import Tokens
from desktop.widgets.safe_text import safe_line

BETWEEN = 10  # pixels between two paragraphs


def draw_prose(
    painter: QPainter | None, tokens: Tokens, paragraphs: Sequence[Paragraph], x: float, top: float, width: float
) -> float:
    """Statements in reading size, what is quiet in the size of controls; returns the height."""
    y = top
    for place, paragraph in enumerate(paragraphs):
        y += tokens.px(BETWEEN) if place else 0
        size = tokens.control if paragraph.quiet else tokens.reading
        color = tokens.soft if paragraph.quiet else tokens.ink
        y += _draw(painter, tokens, paragraph, QPointF(x, y), width, size, color)
    return y - top


def _draw(
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
    pieces = [(_safe(span.text), span.strong) for span in paragraph.spans]
    layout = QTextLayout("".join(text for text, _ in pieces), font)
    layout.setFormats(_bold(pieces))
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    step = size * (tokens.line_height - 0.15)
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
    """Where the strong pieces lie, in UTF-16 units as Qt counts."""
    strong = QTextCharFormat()
    strong.setFontWeight(QFont.Weight.DemiBold)
    found, start = [], 0
    for text, is_strong in pieces:
        length = len(text.encode("utf-16-le")) // 2
        if is_strong and length:
            piece = QTextLayout.FormatRange()
            piece.start, piece.length, piece.format = start, length, strong
            found.append(piece)
        start += length
    return found


def _safe(text: str) -> str:
    """The blanks at the ends stay: they stand between two pieces."""
    return " " * text.startswith(" ") + safe_line(text) + " " * (len(text) > 1 and text.endswith(" "))
