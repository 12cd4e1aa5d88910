"""The theme: `apply` dresses the program, `current()` gives the tokens, `signals.changed` tells of new ones."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QApplication

from desktop.theme.active import current, reduced_motion, set_current, set_reduced_motion, signals
from desktop.theme.fonts import load_fonts
from desktop.theme.icons import icon, pixmap
from desktop.theme.indicators import draw_indicators
from desktop.theme.palette import palette
from desktop.theme.stylesheet import stylesheet
from desktop.theme.tokens import SERIES, THEMES, Series, Tokens, tokens_for

__all__ = [
    "SERIES",
    "THEMES",
    "Series",
    "Tokens",
    "apply",
    "current",
    "icon",
    "named_theme",
    "pixmap",
    "reduced_motion",
    "set_reduced_motion",
    "signals",
    "tokens_for",
]


def named_theme(app: QApplication, name: str) -> str:
    """The theme that `name` means here: "system" follows the desktop's light or dark."""
    if name != "system":
        return name
    return "dark" if app.styleHints().colorScheme() == Qt.ColorScheme.Dark else "light"


def apply(app: QApplication, name: str = "system", scale: float = 1.0) -> Tokens:
    """Dress the whole program. `name` is a theme or "system"; `scale` the font scale from 0.8 to 2.0."""
    tokens = tokens_for(named_theme(app, name), scale)
    dressed = bool(app.styleSheet())
    if dressed and tokens == current():
        return tokens
    if not dressed:
        load_fonts()
        app.setStyle("Fusion")
    font = QFont(tokens.family)
    font.setPixelSize(tokens.control)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    set_current(tokens)
    app.setPalette(palette(tokens))
    app.setFont(font)
    app.setStyleSheet(stylesheet(tokens, draw_indicators(tokens)))
    signals.changed.emit(tokens)
    return tokens
