"""Opens a project in the real window, judges by key presses, and tells how long each took from the key until the next
comparison was painted: alone, beside a writing job and reading charts, and with a thread that reads without pause. Of
each also how long the window's thread itself worked, which does not depend on what else the machine does.
"""

import random
import sys
import time
from collections.abc import Callable

from children import tell
from load import Charts, Everything, Writing
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from whole_program import run

from biasprint.desktop.main_window import MainWindow

CHOICES = 500
LONGEST_PAUSE_MILLISECONDS = 30
SETTLE_MILLISECONDS = 1_500
WINDOW_SIZE = 1280, 800
LOOK_MILLISECONDS = 20


class Rater(QObject):
    """Presses "1" again and again. Waiting is done in the window's own event loop."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self.window = window
        self.pauses = random.Random(1)
        self.answer: dict[str, object] = {}
        self.when(lambda: window.project is not None, self.open_panel)

    def when(self, ready: Callable[[], bool], then: Callable[[], object]) -> None:
        """Go on as soon as something is so."""
        QTimer.singleShot(LOOK_MILLISECONDS, self, lambda: then() if ready() else self.when(ready, then))

    def settle(self, then: Callable[[], object]) -> None:
        QTimer.singleShot(SETTLE_MILLISECONDS, self, then)

    # to the first comparison

    def open_panel(self) -> None:
        self.window.resize(*WINDOW_SIZE)  # the screen of tests is smaller than a person's
        self.project = self.window.project  # the window lets go of it while somebody rates
        self.window.show_panel("judge")
        self.panel = self.window.panels["judge"]
        self.when(lambda: bool(self.panel.start.offers), self.open_session)

    def open_session(self) -> None:
        self.panel.start.code.setText("R1")
        self.begun = time.perf_counter()
        self.panel.start.start.click()
        self.when(lambda: self.panel.work.comparison is not None, self.opened)

    def opened(self) -> None:
        self.answer["open_session"] = time.perf_counter() - self.begun
        self.token = self.panel.work.comparison.token  # it may be painted again before the first key
        self.sheet = self.panel.work.cards.cards[0].reading.viewport()
        self.sheet.installEventFilter(self)
        self.settle(lambda: self.judge("alone", self.add_load))

    def add_load(self) -> None:
        self.writing, self.charts = Writing(self.project), Charts(self.project)
        self.window.jobs.start("Writing", self.writing.run)
        self.window.jobs.start("Charts", self.charts.run, quiet=True)
        self.settle(lambda: self.judge("busy", self.add_more))

    def add_more(self) -> None:
        self.answer["rows_per_second_busy"] = self.writing.per_second
        self.answer["refreshes_per_second_busy"] = self.charts.per_second
        self.window.jobs.start("Reading", Everything(self.project).run, quiet=True)
        self.settle(lambda: self.judge("busier", self.end))

    def end(self) -> None:
        self.answer["rows_per_second_busier"] = self.writing.per_second
        tell(self.answer)
        self.window.leaving.begin()

    # one choice after another

    def judge(self, name: str, then: Callable[[], object]) -> None:
        self.found: list[float] = []
        self.own: list[float] = []
        self.answer[name], self.answer[f"own_{name}"] = self.found, self.own
        self.after = then
        self.press()

    def press(self) -> None:
        self.token = self.panel.work.comparison.token
        self.waiting = True
        self.pressed, self.worked = time.perf_counter(), time.thread_time()
        QTest.keyClick(QApplication.focusWidget() or self.panel.work, "1")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        following = self.panel.work.comparison
        if event.type() == QEvent.Type.Paint and following is not None and following.token != self.token:
            self.token = following.token
            QTimer.singleShot(0, self, self.shown)  # when it has been painted
        return False

    token = ""

    def shown(self) -> None:
        self.found.append(1000 * (time.perf_counter() - self.pressed))
        self.own.append(1000 * (time.thread_time() - self.worked))
        if len(self.found) == CHOICES:
            self.after()
        else:
            QTimer.singleShot(self.pauses.randrange(LONGEST_PAUSE_MILLISECONDS), self, self.press)


if __name__ == "__main__":
    sys.exit(run(["gui", sys.argv[1]], Rater))
