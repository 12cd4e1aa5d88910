"""Saving a picture at a workshop's end: where the person says, and without a trace of where the last one saved."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QDir, QObject, QSettings, QStandardPaths, QUrl
from PySide6.QtGui import QClipboard, QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from desktop.charts.fingerprint_page import FORMATS
from desktop.widgets import tr

REMEMBERED = ("lastVisited", "history", "shortcuts")  # what Qt's own dialog would show the next person


class SaveDialog(QFileDialog):
    """Asks for a place. It is Qt's own dialog: the system's remembers folders, and nobody could empty it."""

    def __init__(self, parent: QWidget, on_chosen: Callable[[Path], object]) -> None:
        super().__init__(parent, tr("Save my picture"))
        self._kept = _remembered()
        self._on_chosen = on_chosen
        kinds = {"png": tr("Picture (*.png)"), "svg": tr("Drawing (*.svg)"), "pdf": tr("Document (*.pdf)")}
        self._endings = {words: ending for ending, words in kinds.items()}
        self.setOption(QFileDialog.Option.DontUseNativeDialog)
        self.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        self.setFileMode(QFileDialog.FileMode.AnyFile)
        self.setNameFilters([kinds[ending] for ending in FORMATS])
        self.setDefaultSuffix("png")
        self.setDirectory(_home())
        self.setHistory([])
        self.setSidebarUrls([QUrl.fromLocalFile(path) for path in (QDir.rootPath(), _home())])
        self.selectFile(f"{tr('my picture')}.png")
        self.filterSelected.connect(self._follow)
        self.finished.connect(self._end)

    def _follow(self, words: str) -> None:
        """Another kind of picture: the name gets its ending."""
        self.setDefaultSuffix(self._endings.get(words, "png"))
        for typed in self.selectedFiles()[:1]:
            self.selectFile(f"{Path(typed).stem}.{self.defaultSuffix()}")

    def _end(self, result: int) -> None:
        chosen = self.selectedFiles() if result else []
        on_chosen, kept = self._on_chosen, self._kept
        self.setDirectory(_home())
        self.setHistory([])
        # Qt writes what it remembers when the dialog is destroyed.
        self.destroyed.connect(lambda: _remember(kept))
        self.deleteLater()
        if chosen:
            path = Path(chosen[0])
            known = path.suffix.lower().lstrip(".") in FORMATS
            on_chosen(path if known else path.with_name(f"{path.name}.{self.defaultSuffix() or 'png'}"))


class Copied(QObject):
    """What was copied since this was made: the program fills the screen meanwhile, so it was copied in it."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._modes: set[QClipboard.Mode] = set()
        QGuiApplication.clipboard().changed.connect(self._modes.add)

    def clear(self) -> None:
        """Take it back; what was there before stays."""
        QGuiApplication.clipboard().changed.disconnect(self._modes.add)
        for mode in self._modes:
            QGuiApplication.clipboard().clear(mode)


def _home() -> str:
    return QStandardPaths.writableLocation(QStandardPaths.StandardLocation.HomeLocation)


def _remembered() -> dict[str, object]:
    settings = _settings()
    return {key: settings.value(key) for key in REMEMBERED if settings.contains(key)}


def _remember(kept: dict[str, object]) -> None:
    settings = _settings()
    for key in REMEMBERED:
        if key in kept:
            settings.setValue(key, kept[key])
        else:
            settings.remove(key)


def _settings() -> QSettings:
    """Where Qt keeps what its file dialog remembers, for every program that uses it."""
    settings = QSettings(QSettings.Scope.UserScope, "QtProject")
    settings.beginGroup("FileDialog")
    return settings
