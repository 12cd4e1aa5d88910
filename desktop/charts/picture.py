"""A page that paints itself, as PNG, SVG or PDF. Needs no widget, so that it can run off the window's thread."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSaveFile, QSize
from PySide6.QtGui import QColor, QImage, QImageWriter, QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from core.errors import AppError
from desktop.theme.tokens import Tokens
from desktop.widgets.words import tr

MARGIN = 32
PIXELS = 2  # device pixels per pixel of a PNG: sharp in print and on fine screens
PDF_MARGIN = 12  # millimetres
PDF_DOTS = 300  # an inch

Page = Callable[[QPainter | None, float], float]
"""Paints what fits `width` from the top left corner, without a painter only measures; returns the height."""


def png(page: Page, tokens: Tokens, width: int) -> bytes:
    size = _size(page, width)
    image = QImage(size * PIXELS, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(PIXELS)
    painter = QPainter(image)
    _paint(painter, page, tokens, size)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())


def svg(page: Page, tokens: Tokens, width: int, title: str) -> bytes:
    size = _size(page, width)
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(size)
    generator.setViewBox(QRectF(0, 0, size.width(), size.height()))
    generator.setResolution(96)
    generator.setTitle(title)
    painter = QPainter(generator)
    _paint(painter, page, tokens, size)
    painter.end()
    return bytes(buffer.data().data())


def pdf(page: Page, width: int, title: str) -> bytes:
    """One page of A4, the drawing as wide as it, or as high where that is what it needs."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(title)
    writer.setCreator("Biasprint")
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    margins = QMarginsF(PDF_MARGIN, PDF_MARGIN, PDF_MARGIN, PDF_MARGIN)
    writer.setPageMargins(margins, QPageLayout.Unit.Millimeter)
    writer.setResolution(PDF_DOTS)
    painter = QPainter(writer)
    scale = min(writer.width() / width, writer.height() / page(None, width))
    painter.translate((writer.width() - scale * width) / 2, 0)
    painter.scale(scale, scale)
    page(painter, width)
    painter.end()
    return bytes(buffer.data().data())


def save(path: Path, content: bytes) -> Path:
    """Whole or not at all; AppError says why not."""
    file = QSaveFile(str(path))
    written = file.open(QIODevice.OpenModeFlag.WriteOnly) and file.write(QByteArray(content)) == len(content)
    if not (written and file.commit()):
        raise AppError(
            tr("The picture was not saved: {why}").format(why=file.errorString()),
            kept=tr("What was in that place before is unchanged."),
            hint=tr("Choose another folder, or free some space, and save again."),
        )
    return path


def _size(page: Page, width: int) -> QSize:
    return QSize(width, round(page(None, width - 2 * MARGIN)) + 2 * MARGIN)


def _paint(painter: QPainter, page: Page, tokens: Tokens, size: QSize) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(0, 0, size.width(), size.height(), QColor(tokens.surface))
    painter.translate(MARGIN, MARGIN)
    page(painter, size.width() - 2 * MARGIN)
