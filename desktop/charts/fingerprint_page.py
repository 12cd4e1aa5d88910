"""A fingerprint as a picture: radar or bars, the paragraph, the scores, and the statement of limits, on one page.

The statement is part of it: a picture travels without the window.
"""

from pathlib import Path

from PySide6.QtGui import QPainter

import core
from core.errors import AppError
from core.judging.fingerprint import Fingerprint
from core.judging.fingerprint_words import limits, paragraphs
from desktop.charts import picture
from desktop.charts.canvas import Canvas
from desktop.charts.draw import draw
from desktop.charts.fingerprint import shares_view, summary
from desktop.charts.fingerprint_rows import scores_view
from desktop.charts.prose import draw_prose
from desktop.theme.tokens import Tokens
from desktop.widgets.words import number, tr

WIDTH = 880
FORMATS = ("png", "svg", "pdf")
GAP = 20


def save_page(found: Fingerprint, tokens: Tokens, path: Path) -> Path:
    """Write the picture in the format of the path's ending. Whole or not at all; AppError says why not."""
    ending = path.suffix.lower().lstrip(".")
    if ending not in FORMATS:
        raise AppError(
            tr("A picture cannot be saved as “{name}”.").format(name=path.name),
            hint=tr("Choose a name that ends in .png, .svg or .pdf."),
        )
    return picture.save(path, page_bytes(found, tokens, ending))


def page_bytes(found: Fingerprint, tokens: Tokens, ending: str) -> bytes:
    """The picture as a file's content; `ending` is one of `FORMATS`."""

    def page(painter: QPainter | None, width: float) -> float:
        return draw_page(painter, tokens, found, width)

    if ending == "pdf":
        return picture.pdf(page, WIDTH - 2 * picture.MARGIN, title(found))
    return picture.svg(page, tokens, WIDTH, title(found)) if ending == "svg" else picture.png(page, tokens, WIDTH)


def title(found: Fingerprint) -> str:
    return tr("Fingerprint of a model") if found.kind == "model" else tr("Fingerprint")


def draw_page(painter: QPainter | None, tokens: Tokens, found: Fingerprint, width: float) -> float:
    """Everything under each other, `width` pixels wide; returns the height."""
    canvas = Canvas(painter, tokens)
    gap = tokens.px(GAP)
    said = paragraphs(found, tr, number)
    y = canvas.paragraph(0, 0, width, title(found), role="strong", color=tokens.ink) + tokens.px(2)
    y += canvas.paragraph(0, y, width, summary(found)) + gap
    shares, scores = shares_view(found), scores_view(found)
    y += canvas.paragraph(0, y, width, shares.title, role="strong", color=tokens.ink) + tokens.px(4)
    y += canvas.within(y, lambda inner: draw(inner, shares, width)) + gap
    y += draw_prose(painter, tokens, said, 0, y, width) + gap
    y += canvas.paragraph(0, y, width, scores.title, role="strong", color=tokens.ink) + tokens.px(4)
    y += canvas.within(y, lambda inner: draw(inner, scores, width)) + gap
    y += draw_prose(painter, tokens, [limits(found, tr)], 0, y, width) + tokens.px(8)
    made = tr("Made with Biasprint {version}").format(version=core.__version__)
    return y + canvas.paragraph(0, y, width, made)
