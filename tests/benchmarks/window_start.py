"""Starts the program with the words given, presses Ctrl+K as soon as the window is painted, and tells when the command
palette was there, and what was imported by then. `bare` starts an empty window, which answers a key by painting.
"""

import sys

from children import seconds_since_start, tell
from whole_program import run

SETTLE_MILLISECONDS = 2_500
BEAT_MILLISECONDS = 5


def watch(window):
    from PySide6.QtCore import QEvent, QObject, Qt, QTimer
    from PySide6.QtTest import QTest

    class Watch(QObject):
        def __init__(self):
            super().__init__()
            self.times = {"made": seconds_since_start()}
            self.last, self.longest = 0.0, 0.0
            window.session.opened.connect(lambda _: self.times.setdefault("opened", seconds_since_start()))
            for widget in (window.rail, window.palette_box):
                widget.installEventFilter(self)

        def eventFilter(self, watched, event):
            if event.type() == QEvent.Type.Paint:
                first = "painted" if watched is window.rail else "answered"
                if first not in self.times:
                    self.times[first] = 0.0  # the painting itself counts: look when it is over
                    QTimer.singleShot(0, self, lambda: self.over(first))
            return False

        def over(self, what):
            self.times[what] = seconds_since_start()
            if what == "painted":
                QTest.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
            else:
                self.modules = sorted(sys.modules)
                self.last = seconds_since_start()
                self.beat = QTimer(self, interval=BEAT_MILLISECONDS, timerType=Qt.TimerType.PreciseTimer)
                self.beat.timeout.connect(self.count)
                self.beat.start()
                QTimer.singleShot(SETTLE_MILLISECONDS, self, self.end)

        def count(self):
            now = seconds_since_start()
            self.longest = max(self.longest, now - self.last)
            self.last = now

        def end(self):
            # Once it has settled, with its project open: what was imported afterwards.
            tell({**self.times, "longest_stall": self.longest, "modules": self.modules, "later": sorted(sys.modules)})
            window.leaving.begin()

    return Watch()


def bare() -> None:
    from PySide6.QtCore import Qt, QTimer
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication, QWidget

    class Window(QWidget):
        pressed = painted = False

        def keyPressEvent(self, event):
            self.pressed = True
            self.update()

        def paintEvent(self, event):
            if not self.painted:
                self.painted = True
                QTimer.singleShot(0, lambda: QTest.keyClick(self, Qt.Key.Key_A))
            elif self.pressed:
                QTimer.singleShot(0, self.end)

        def end(self):
            tell({"answered": seconds_since_start(), "modules": sorted(sys.modules)})
            app.quit()

    app = QApplication(sys.argv)
    window = Window()
    window.resize(1280, 800)
    window.show()
    app.exec()


if __name__ == "__main__":
    if sys.argv[1:] == ["bare"]:
        bare()
    else:
        sys.exit(run(sys.argv[1:], watch))
