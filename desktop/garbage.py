"""Python's garbage is collected on the window's thread only.

A collection runs in whatever thread happens to allocate; one in a job would delete widgets there, which crashes Qt.
It is also kept short: what was imported is set apart, because a full collection over it held the window for 80 ms; and
one looks often, because what busy jobs leave behind in a second held it for 90 ms at a time.
"""

import gc

from PySide6.QtCore import QObject, QTimer

LOOK_EVERY_MILLISECONDS = 50
MIDDLE_EVERY = 60  # collections of the young: not sooner, or what is in use for a moment counts as old
FULL_EVERY_LOOKS = 1_200  # a minute


class GarbageCollector(QObject):
    """Takes the place of Python's own timing from `start` to `stop`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._looks = 0
        self._timer = QTimer(self, interval=LOOK_EVERY_MILLISECONDS)
        self._timer.timeout.connect(self.look)

    def start(self) -> None:
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        gc.enable()

    def look(self) -> None:
        """Collect the young if there are many; everything once a minute."""
        self._looks += 1
        young, middle, _ = gc.get_count()
        if self._looks % FULL_EVERY_LOOKS == 0:
            gc.collect(2)
        elif young > gc.get_threshold()[0]:
            gc.collect(1 if middle > MIDDLE_EVERY else 0)
