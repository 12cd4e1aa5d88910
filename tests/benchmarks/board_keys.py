"""Judges by key presses while a run writes 20 texts a second, after the live board was watched or not."""

import sys
from collections.abc import Callable

import load
from children import tell
from choices_in_window import Rater
from PySide6.QtCore import QTimer
from whole_program import run

from biasprint.desktop.main_window import MainWindow

WATCHED_MILLISECONDS = 4_000


class BoardRater(Rater):
    def __init__(self, window: MainWindow, *, watch: bool) -> None:
        self.watch = watch
        super().__init__(window)

    def open_panel(self) -> None:
        load.AT_ONCE, load.ROWS_PER_SECOND = 1, 20
        self.writing = load.Writing(self.window.project)
        self.window.jobs.start("Writing", self.writing.run)
        if self.watch:
            self.window.show_panel("charts", section="live")
        self.settle(super().open_panel)

    def settle(self, then: Callable[[], object]) -> None:
        QTimer.singleShot(WATCHED_MILLISECONDS, self, then)

    def add_load(self) -> None:
        tell(self.answer)
        self.window.leaving.begin()


if __name__ == "__main__":
    sys.exit(run(["gui", sys.argv[1]], lambda window: BoardRater(window, watch=sys.argv[2] == "board")))
