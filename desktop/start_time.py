"""The measurement `biasprint --self-test start`: seconds until the window is painted and until it answers a key.

Counted from the moment that the environment names, on the clock that all processes of a computer share: that is when
the caller began to start the program.
"""

import os
import sys
import time

from PySide6.QtCore import QEvent, QObject, Qt, QTimer

from biasprint.desktop import app
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.settings import Settings

STARTED = "BIASPRINT_STARTED"


def run() -> int:
    """Start the program as usual, press Ctrl+K once it is painted, print both times in seconds, and exit."""
    make = app.create_window

    def make_and_watch(settings: Settings) -> MainWindow:
        window = make(settings)
        FirstPaintWatch(window)
        return window

    app.create_window = make_and_watch
    return app.run(None)


class FirstPaintWatch(QObject):
    """A watch that notes when the rail and the command palette are painted."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._painted = 0.0
        for widget in (window.rail, window.palette_box):
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            # The painting itself counts: look when it is over.
            QTimer.singleShot(0, self, self._press if watched is self._window.rail else self._end)
        return False

    def _press(self) -> None:
        from PySide6.QtTest import QTest

        self._painted = _seconds()
        QTest.keyClick(self._window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)

    def _end(self) -> None:
        sys.stdout.write(f"{self._painted:.3f} {_seconds():.3f}\n")
        sys.stdout.flush()
        self._window.leaving.begin()


def _seconds() -> float:
    return time.monotonic() - float(os.environ[STARTED])
