"""Images that a stylesheet can only name by file: the icons of indicators, coloured and kept in a temporary folder."""

import atexit
import functools

from PySide6.QtCore import QDir, QTemporaryDir

from desktop.theme.icons import colored
from desktop.theme.tokens import Tokens


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
    ):
        with open(folder.filePath(f"{name}.svg"), "w", encoding="utf-8") as file:
            file.write(colored(name, color))
    return folder.path()
