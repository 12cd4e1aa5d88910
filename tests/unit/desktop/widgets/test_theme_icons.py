"""Icons are drawn in the theme's colours, for every screen."""

from importlib.resources import files

import pytest
from PySide6.QtGui import QColor, QIcon
from PySide6.QtWidgets import QApplication

from biasprint.desktop import theme
from biasprint.desktop.panels import PANELS

NAMES = sorted(
    file.name.removesuffix(".svg") for file in (files("resources") / "icons").iterdir() if file.name.endswith(".svg")
)
LINE_ICONS = [name for name in NAMES if name != "biasprint"]


def colors_of(name: str, color: str, ratio: float = 1.0) -> set[str]:
    image = theme.pixmap(name, color, 24, ratio).toImage()
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return {pixel.name() for pixel in pixels if pixel.alpha() == 255}


@pytest.mark.parametrize("name", LINE_ICONS)
def test_icon_is_drawn_in_the_colour_asked_for(qapp: QApplication, name: str):
    # Twice and thrice the size, so that even a thin line covers whole pixels.
    assert colors_of(name, "#2f5da8", ratio=3.0) == {"#2f5da8"}


def test_icon_has_as_many_pixels_as_the_screen(qapp: QApplication):
    drawn = theme.pixmap("home", "#000000", 20, 2.0)
    assert (drawn.width(), drawn.devicePixelRatio()) == (40, 2.0)


def test_every_panel_of_the_rail_has_its_icon():
    assert {entry.icon for entry in PANELS} <= set(LINE_ICONS)


def test_disabled_icon_is_faint(qapp: QApplication):
    image = theme.icon("home", "#ff0000", size=48).pixmap(48, mode=QIcon.Mode.Disabled).toImage()
    pixels = [image.pixelColor(x, y) for x in range(48) for y in range(48)]
    drawn = [pixel for pixel in pixels if pixel.alpha() == 255]
    faint = QColor(theme.current().faint)
    assert drawn
    assert all(abs(pixel.red() - faint.red()) < 4 and abs(pixel.blue() - faint.blue()) < 4 for pixel in drawn)
