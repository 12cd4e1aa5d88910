"""Opens a project in the real window and shows its map of texts: tells how long it took from opening Explore to the
picture of all texts, the pans that follow, and how long the window's thread was held at a time.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

from charts_live import Held
from children import peak_megabytes, tell
from PySide6.QtCore import QObject, QTimer
from whole_program import run

LOOK_MILLISECONDS = 5
SETTLE_MILLISECONDS = 5_000
PANS = 120


class Watch(QObject):
    def __init__(self, window: Any) -> None:
        super().__init__()
        self.window = window
        self.answer: dict[str, Any] = {}
        self.when(lambda: window.project is not None and not window.jobs.active(), self.settle)

    def settle(self) -> None:
        """Until the window has imported what it imports after it was painted: nobody opens Explore before."""
        QTimer.singleShot(SETTLE_MILLISECONDS, self, self.open_panel)

    def when(self, ready: Callable[[], bool], then: Callable[[], object]) -> None:
        """Go on as soon as something is so."""
        QTimer.singleShot(LOOK_MILLISECONDS, self, lambda: then() if ready() else self.when(ready, then))

    def open_panel(self) -> None:
        self.held = Held(self)
        self.began = time.perf_counter()
        self.window.show_panel("explore")
        self.map = self.window.panels["explore"].views[0]
        self.when(lambda: bool(self.held.own), self.panel_made)

    def panel_made(self) -> None:
        self.answer["panel made"] = max(self.held.take()["own"])
        self.when(lambda: self.map.texts.complete and len(self.map.texts) > 0, self.read)

    def read(self) -> None:
        self.answer["texts"], self.answer["read"] = len(self.map.texts), time.perf_counter() - self.began
        self.when(lambda: self.map._mapped is not None and self.map.cloud.drawings > 0, self.painted)

    def painted(self) -> None:
        self.answer["first"] = time.perf_counter() - self.began
        self.answer["points"] = len(self.map._mapped.points)
        self.answer["opening"] = self.held.take()
        self.pans, self.moved = PANS, time.perf_counter()
        self.pan()

    def pan(self) -> None:
        self.map.plot.pan(0.02 if self.pans % 2 else -0.02, 0.0)
        self.map.plot.viewport().repaint()
        self.pans -= 1
        QTimer.singleShot(0, self, self.pan if self.pans else self.end)

    def end(self) -> None:
        self.answer["pans a second"] = PANS / (time.perf_counter() - self.moved)
        self.answer["peak"] = peak_megabytes()
        tell(self.answer)
        self.window.leaving.begin()


if __name__ == "__main__":
    sys.exit(run(["gui", sys.argv[1]], Watch))
