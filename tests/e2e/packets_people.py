"""The program's window for the packet tests, and packets that fall on it."""

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from raters_bench import Bench
from rating_window import PATIENCE

from biasprint.desktop import theme
from biasprint.desktop.app import create_window
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.settings import Settings


@contextmanager
def a_window(qtbot: QtBot, folder: Path) -> Iterator[MainWindow]:
    """The program's window with settings of its own."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    theme.apply(application, "light", 1.0)
    window = create_window(Settings(folder / "settings.json"))
    window.resize(1280, 720)
    window.show()
    try:
        yield window
    finally:
        freed: list[bool] = []
        window.session.close(lambda: freed.append(True))
        qtbot.waitUntil(lambda: bool(freed) and not window.jobs.active(), timeout=PATIENCE)
        assert window.jobs.close()
        window.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        gc.unfreeze()


def drop(bench: Bench, paths: Sequence[Path]) -> list[tuple[str, ...]]:
    """Let files fall on the window; the rows of the report."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    there, keys = QPoint(400, 300), Qt.KeyboardModifier.NoModifier
    entering = QDragEnterEvent(there, Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, keys)
    QApplication.sendEvent(bench.window, entering)
    assert entering.isAccepted()
    falling = QDropEvent(QPointF(there), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, keys)
    QApplication.sendEvent(bench.window, falling)
    bench.settle()
    return [tuple(row.cells) for row in bench.panel.packets.report.view.table.rows]
