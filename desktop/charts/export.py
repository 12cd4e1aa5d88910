"""Charts and pages as files: PNG, SVG, PDF, and the findings of a chart as CSV.

Pictures carry title, legend, notes and stand-in scorers, because they are seen without the window. No widget is needed:
this can run off the window's thread.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QRectF, QSize
from PySide6.QtGui import QColor, QImage, QImageWriter, QPagedPaintDevice, QPageLayout, QPageSize, QPainter, QPdfWriter
from PySide6.QtSvg import QSvgGenerator

from biasprint.core.draw.figure import Figure
from biasprint.core.draw.frame import WIDTH as SVG_WIDTH
from biasprint.core.draw.frame import draw_figure, svg
from biasprint.core.errors import AppError
from biasprint.core.findings import Finding
from biasprint.core.machine.files import write_whole
from biasprint.core.report.export import export_rows
from biasprint.desktop.charts.chart import below
from biasprint.desktop.theme.tokens import Tokens
from biasprint.desktop.widgets.words import tr

WIDTH = round(SVG_WIDTH)
MARGIN = 32
FORMATS = ("png", "svg", "pdf", "csv")
PIXELS = 2  # device pixels per pixel of a PNG: sharp in print and on fine screens
PDF_MARGIN = 12  # millimetres
PDF_DOTS = 300  # an inch

Page = Callable[[QPainter | None, float], float]
"""Paints what fits `width` from the top left corner, without a painter only measures; returns the height."""


def export_chart(figure: Figure, tokens: Tokens, path: Path) -> Path:
    """Write the chart to `path`, whole or not at all, in the format of its ending; AppError gives the reason if not."""
    ending = path.suffix.lower().lstrip(".")
    if ending not in FORMATS:
        raise AppError(
            tr("A chart cannot be saved as “{name}”.").format(name=path.name),
            hint=tr("Choose a name that ends in .png, .svg, .pdf or .csv."),
        )
    if ending == "csv":
        records = finding_records(figure)
        columns = list(dict.fromkeys(key for record in records for key in record))
        return export_rows(records, path, columns).path
    write_whole(path, svg(figure).encode("utf-8", "replace") if ending == "svg" else _painted(figure, tokens, ending))
    return path


def _painted(figure: Figure, tokens: Tokens, ending: str) -> bytes:
    def page(painter: QPainter | None, width: float) -> float:
        return below(painter, tokens, 0, width, lambda canvas: draw_figure(canvas, figure))[0]

    return page_pdf(page, WIDTH, figure.title) if ending == "pdf" else page_png(page, tokens, WIDTH)


def finding_records(figure: Figure) -> list[dict[str, object]]:
    """Return one flat record per finding on the chart: "interval.low", "dims.axis"; lists joined.

    Before the planned n, tests are omitted: an export must not bypass "no verdict by peeking".
    """
    records = [_flat(finding) for finding in figure.findings]
    if figure.complete:
        return records
    return [{key: value for key, value in record.items() if key not in _TESTS} for record in records]


_TESTS = ("p", "p_adjusted", "adjust", "adjust.method", "adjust.family", "floor.p", "note")  # notes tell of tests


def _flat(found: Finding) -> dict[str, object]:
    flat: dict[str, object] = {}
    for key, value in found.to_json().items():
        if key == "scorers":
            flat[key] = "; ".join(_scorer(use) for use in value)
        elif isinstance(value, Mapping):
            flat.update({f"{key}.{inner}": part for inner, part in value.items()})
        elif isinstance(value, list | tuple):
            flat[key] = "; ".join(map(str, value))
        else:
            flat[key] = value
    return flat


def _scorer(use: Mapping[str, object]) -> str:
    stand_in = " (stand-in)" if use["stand_in"] else ""
    return f"{use['role']}: {use['name']} {use['version']}{stand_in}"


# pages


def page_png(page: Page, tokens: Tokens, width: int) -> bytes:
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


def page_svg(page: Page, tokens: Tokens, width: int, title: str) -> bytes:
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


def page_pdf(page: Page, width: int, title: str) -> bytes:
    """Return one A4 page as a PDF, with the drawing as wide as the page, or as high where it needs that."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setTitle(title)
    writer.setCreator("Biasprint")
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    margins = QMarginsF(PDF_MARGIN, PDF_MARGIN, PDF_MARGIN, PDF_MARGIN)
    writer.setPageMargins(margins, QPageLayout.Unit.Millimeter)
    writer.setResolution(PDF_DOTS)
    paint_sheet(writer, page, width)
    return bytes(buffer.data().data())


def paint_sheet(sheet: QPagedPaintDevice, page: Page, width: int) -> None:
    """Paint one sheet of paper, with the drawing as wide as the sheet, or as high where it needs that.

    Raises AppError where nothing can be drawn on it: a printer that is gone, a file that cannot be written.
    """
    painter = QPainter()
    if not painter.begin(sheet):
        raise AppError(
            tr("Nothing was printed: the printer cannot be reached, or its file cannot be written."),
            hint=tr("Choose another printer, or save the picture instead."),
        )
    scale = min(sheet.width() / width, sheet.height() / page(None, width))
    painter.translate((sheet.width() - scale * width) / 2, 0)
    painter.scale(scale, scale)
    page(painter, width)
    painter.end()


def _size(page: Page, width: int) -> QSize:
    return QSize(width, round(page(None, width - 2 * MARGIN)) + 2 * MARGIN)


def _paint(painter: QPainter, page: Page, tokens: Tokens, size: QSize) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillRect(0, 0, size.width(), size.height(), QColor(tokens.surface))
    painter.translate(MARGIN, MARGIN)
    page(painter, size.width() - 2 * MARGIN)
