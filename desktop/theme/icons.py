"""Line icons: SVG with `currentColor`, coloured from a token when drawn."""

import functools
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop.theme.active import current

RATIOS = (1, 2, 3)  # device pixels per pixel that screens have


@functools.cache
def _source(name: str) -> str:
    return (files("resources") / "icons" / f"{name}.svg").read_text("utf-8")


def colored(name: str, color: str) -> str:
    """The icon's SVG in a colour."""
    return _source(name).replace("currentColor", color)


@functools.cache
def pixmap(name: str, color: str, size: int, ratio: float = 1.0) -> QPixmap:
    """One icon, `size` pixels square, in a colour, for a screen of `ratio` device pixels per pixel."""
    renderer = QSvgRenderer(QByteArray(colored(name, color).encode()))
    drawn = QPixmap(round(size * ratio), round(size * ratio))
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    renderer.render(painter, QRectF(0, 0, drawn.width(), drawn.height()))
    painter.end()
    drawn.setDevicePixelRatio(ratio)
    return drawn


def icon(name: str, color: str = "", *, size: int = 0) -> QIcon:
    """An icon that is sharp on every screen; without a colour and size, the theme's ink and icon size."""
    tokens = current()
    made = QIcon()
    for ratio in RATIOS:
        made.addPixmap(pixmap(name, color or tokens.ink, size or tokens.icon, ratio))
        made.addPixmap(pixmap(name, tokens.faint, size or tokens.icon, ratio), QIcon.Mode.Disabled)
    return made
