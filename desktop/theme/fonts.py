"""The bundled Inter typeface (SIL Open Font License), in four weights."""

import functools
from importlib.resources import files

from PySide6.QtCore import QByteArray
from PySide6.QtGui import QFontDatabase

WEIGHTS = ("Regular", "Medium", "SemiBold", "Bold")


@functools.cache
def load_fonts() -> bool:
    """Register the bundled fonts once; False if one could not be read, and the system's font is used then."""
    folder = files("resources") / "fonts"
    loaded = []
    for weight in WEIGHTS:
        data = QByteArray((folder / f"Inter-{weight}.ttf").read_bytes())
        loaded.append(QFontDatabase.addApplicationFontFromData(data) != -1)
    return all(loaded)
