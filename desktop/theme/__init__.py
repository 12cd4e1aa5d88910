"""The theme: `apply` sets it, `dress` gives a window its stylesheet, `current()` returns the tokens.

The stylesheet belongs to the top-level windows and applies to everything with a parent in one: dialogs, menus, lists
that open, tool tips. One for the whole application would be applied to a part again each time that it, or anything
around it, is put into something larger.
"""

import atexit
import dataclasses
import functools
from collections.abc import Callable
from importlib.resources import files
from string import Template

from PySide6.QtCore import QByteArray, QDir, QObject, QRectF, Qt, QTemporaryDir, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QLayout, QWidget

from biasprint.desktop.theme.motion import follow_system, reduced_motion, set_reduced_motion
from biasprint.desktop.theme.tokens import SERIES, THEMES, Series, Tokens, tokens_for


class Signals(QObject):
    """The signals of the theme.

    Connect a method of the widget, never a lambda: Qt disconnects a method with its widget, but never a lambda.
    """

    changed = Signal(object)  # the new Tokens
    sheet_changed = Signal(str)  # the new stylesheet, before `changed`: what is measured then is dressed already


signals = Signals()
_tokens = tokens_for("light")
_fonts: dict[tuple[int, QFont.Weight], QFont] = {}
_sheet = ""


def current() -> Tokens:
    """Return the tokens in force."""
    return _tokens


def set_current(tokens: Tokens) -> None:
    """Set other tokens; `theme.apply` does so once the program is dressed in them."""
    global _tokens
    _tokens = tokens
    _fonts.clear()


def follow(dress: Callable[..., object]) -> None:
    """Dress a widget now, and whenever the theme changes. `dress`: a method of it, never a lambda."""
    signals.changed.connect(dress)
    dress()


WEIGHTS = ("Regular", "Medium", "SemiBold", "Bold")


@functools.cache
def load_fonts() -> bool:
    """Register the bundled fonts once; return False if one could not be read, and the system's font is used."""
    folder = files("biasprint.resources") / "fonts"
    loaded = []
    for weight in WEIGHTS:
        data = QByteArray((folder / f"Inter-{weight}.ttf").read_bytes())
        loaded.append(QFontDatabase.addApplicationFontFromData(data) != -1)
    return all(loaded)


RATIOS = (1, 2, 3)  # device pixels per pixel that screens have


@functools.cache
def _source(name: str) -> str:
    return (files("biasprint.resources") / "icons" / f"{name}.svg").read_text("utf-8")


def colored(name: str, color: str) -> str:
    """Return the icon's SVG in a colour."""
    return _source(name).replace("currentColor", color)


POINTING = frozenset({"back", "chevron-left", "chevron-right"})  # icons that show which way one goes


def pixmap(name: str, color: str, size: int, ratio: float = 1.0) -> QPixmap:
    """Return one icon, `size` pixels square, in a colour, for a screen of `ratio` device pixels per pixel.

    One that points is mirrored where the layout runs from right to left.
    """
    turned = name in POINTING and QApplication.layoutDirection() is Qt.LayoutDirection.RightToLeft
    return _drawn(name, color, size, ratio, turned)


@functools.cache
def _drawn(name: str, color: str, size: int, ratio: float, turned: bool) -> QPixmap:
    renderer = QSvgRenderer(QByteArray(colored(name, color).encode()))
    drawn = QPixmap(round(size * ratio), round(size * ratio))
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    if turned:
        painter.translate(drawn.width(), 0)
        painter.scale(-1, 1)
    renderer.render(painter, QRectF(0, 0, drawn.width(), drawn.height()))
    painter.end()
    drawn.setDevicePixelRatio(ratio)
    return drawn


def icon(name: str, color: str = "", *, size: int = 0) -> QIcon:
    """Return an icon that is sharp on every screen; by default in the theme's ink and icon size."""
    tokens = current()
    made = QIcon()
    for ratio in RATIOS:
        made.addPixmap(pixmap(name, color or tokens.ink, size or tokens.icon, ratio))
        made.addPixmap(pixmap(name, tokens.faint, size or tokens.icon, ratio), QIcon.Mode.Disabled)
    return made


@functools.cache
def _folder() -> QTemporaryDir:
    folder = QTemporaryDir()
    atexit.register(folder.remove)
    return folder


def draw_indicators(tokens: Tokens) -> str:
    """Write the theme's indicator images and return the folder, with slashes as a stylesheet wants them.

    Where nothing can be written the indicators lack their marks, and everything else works.
    """
    # A folder per theme: Qt caches images by their path.
    folder = QDir(_folder().filePath(tokens.name))
    if folder.exists() or not folder.mkpath("."):
        return folder.path()
    for name, color in (
        ("check", tokens.accent_ink),
        ("dot", tokens.accent_ink),
        ("chevron-down", tokens.soft),
        ("chevron-up", tokens.soft),
        ("chevron-left", tokens.soft),
        ("chevron-right", tokens.soft),
    ):
        with open(folder.filePath(f"{name}.svg"), "w", encoding="utf-8") as file:
            file.write(colored(name, color))
    return folder.path()


def palette(tokens: Tokens) -> QPalette:
    """Return every colour role that Qt draws with, taken from the tokens."""
    role = QPalette.ColorRole
    colors = {
        role.Window: tokens.ground,
        role.WindowText: tokens.ink,
        role.Base: tokens.surface,
        role.AlternateBase: tokens.sunk,
        role.Text: tokens.ink,
        role.Button: tokens.surface,
        role.ButtonText: tokens.ink,
        role.BrightText: tokens.accent_ink,
        role.ToolTipBase: tokens.surface,
        role.ToolTipText: tokens.ink,
        role.PlaceholderText: tokens.soft,
        role.Highlight: tokens.accent,
        role.HighlightedText: tokens.accent_ink,
        role.Link: tokens.accent,
        role.LinkVisited: tokens.accent,
        role.Accent: tokens.accent,
        role.Light: tokens.surface,
        role.Midlight: tokens.hover,
        role.Mid: tokens.line,
        role.Dark: tokens.edge,
        role.Shadow: tokens.line,
    }
    made = QPalette()
    for color_role, value in colors.items():
        made.setColor(color_role, QColor(value))
    for color_role in (role.WindowText, role.Text, role.ButtonText):
        made.setColor(QPalette.ColorGroup.Disabled, color_role, QColor(tokens.faint))
    return made


LENGTHS = (2, 4, 6, 8, 10, 12, 16, 20, 24)


@functools.cache
def _template() -> Template:
    return Template((files("biasprint.resources") / "styles" / "app.qss").read_text("utf-8"))


def stylesheet(tokens: Tokens, images: str) -> str:
    """Return the stylesheet of a theme; `images` is the folder of its coloured indicator images.

    An unknown placeholder in the template raises KeyError.
    """
    values: dict[str, object] = {
        field.name: getattr(tokens, field.name) for field in dataclasses.fields(tokens) if field.name != "series"
    }
    for size in ("reading", "control", "note", "heading", "title", "display"):
        values[f"{size}_px"] = f"{getattr(tokens, size)}px"
    for length in LENGTHS:
        values[f"s{length}"] = f"{tokens.px(length)}px"
    # A focus ring is one pixel wider than the hairline: the padding gives that pixel, so that nothing moves.
    for length in (6, 8, 12):
        values[f"s{length}_less"] = f"{tokens.px(length) - 1}px"
    # Qt draws square corners where a radius exceeds half the height: the note's line is the lower bound.
    values["chip_radius"] = f"{tokens.note * 3 // 4}px"
    reverse = QApplication.layoutDirection() is Qt.LayoutDirection.RightToLeft
    values["towards_work"] = "left" if reverse else "right"  # from the rail; Qt mirrors no borders
    values["slid"] = "add" if reverse else "sub"  # the part of a slider's line up to its handle
    values["radio_radius"] = f"{tokens.px(16) // 2 + 1}px"
    return _template().substitute(values, images=images)


def named_theme(app: QApplication, name: str) -> str:
    """Return the theme that `name` means here: "system" follows the desktop's light or dark."""
    if name != "system":
        return name
    return "dark" if app.styleHints().colorScheme() == Qt.ColorScheme.Dark else "light"


def equal_digits(font: QFont) -> None:
    """Give every digit the same width, so that columns of numbers align (Inter's 1 is narrow)."""
    font.setFeature(QFont.Tag("tnum"), 1)


def font(size: int, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """Return the typeface for painted text, `size` pixels high. Cached: looking one up takes Qt a while."""
    if (size, weight) not in _fonts:
        made = QFont(QApplication.font())
        made.setPixelSize(size)
        made.setWeight(weight)
        _fonts[size, weight] = made
    return _fonts[size, weight]


def apply(app: QApplication, name: str = "system", scale: float = 1.0, reading: float = 1.0) -> Tokens:
    """Apply a theme to the whole program. `name` is a theme or "system"; `scale` the font scale, 0.8 to 2.0.

    `reading`: a further factor for texts to be read.
    """
    global _sheet
    tokens = tokens_for(named_theme(app, name), scale, reading)
    if _sheet and tokens == current():
        return tokens
    if not _sheet:
        load_fonts()
        app.setStyle("Fusion")
    usual = QFont(tokens.family)
    usual.setPixelSize(tokens.control)
    usual.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    equal_digits(usual)
    app.setFont(usual)
    set_current(tokens)
    app.setPalette(palette(tokens))
    _sheet = stylesheet(tokens, draw_indicators(tokens))
    signals.sheet_changed.emit(_sheet)
    for window in app.topLevelWidgets():
        measure_again(window)
    signals.changed.emit(tokens)
    return tokens


def measure_again(part: QWidget) -> None:
    """Make every layout in a dressed part ask for its size again.

    On hidden pages Qt leaves layouts that are within layouts at the size of what they held before.
    """
    for layout in part.findChildren(QLayout):
        layout.invalidate()


def dress(window: QWidget) -> None:
    """Give a top-level window the stylesheet in force, and each later one.

    Do it before anything is put into the window.
    """
    window.setStyleSheet(_sheet)
    signals.sheet_changed.connect(window.setStyleSheet)  # a slot of the widget: Qt lets go of it with the widget
