"""The real program, and a letter opened in it so many seconds after its first paint: prints the seconds from then until
the text is shown, its words are marked on the screen, and the scorers have read it.

`letter_opened.py LETTER SECONDS [PROJECT]`, as `test_letter_opened.py` runs it. Nothing of Qt is imported here: the
child processes import this module again, as they do the program's own.
"""

import sys
import time
from pathlib import Path
from typing import Any

from children import tell
from whole_program import run

LOOK_MILLISECONDS = 2


class Reader:
    """Opens the letter and watches the panel."""

    def __init__(self, window: Any) -> None:
        from PySide6.QtCore import QTimer

        from biasprint.desktop.app import FirstPaint

        self._window, self._seconds, self._began = window, dict[str, float](), 0.0
        self._timer = QTimer(window, interval=LOOK_MILLISECONDS)
        self._timer.timeout.connect(self._look)
        wait = QTimer(window, singleShot=True, interval=round(float(sys.argv[2]) * 1000))
        wait.timeout.connect(self._open)
        FirstPaint(window.ground, wait.start)

    def _open(self) -> None:
        self._began = time.perf_counter()
        self._window.show_panel("letters", path=Path(sys.argv[1]))
        self._timer.start()

    def _look(self) -> None:
        check = self._window.panels["letters"].review.check
        there = {
            "shown": check.document is not None,
            "marked": check.latest is not None,
            "read": check.checked is not None,
        }
        for name, is_there in there.items():
            if is_there and name not in self._seconds:
                self._window.repaint()  # on the screen, and not only known
                self._seconds[name] = time.perf_counter() - self._began
        if there["read"]:
            self._timer.stop()
            tell(self._seconds)
            self._window.leaving.begin()


if __name__ == "__main__":
    sys.exit(run(["gui", sys.argv[3]] if len(sys.argv) > 3 else [], Reader))
