"""Python's garbage in the window's process, collected on the window's thread only."""

import ctypes
import gc
import time
from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QTimer

from biasprint.core.jobs import precedence

LOOK_EVERY_MILLISECONDS = 50
MIDDLE_EVERY = 60  # collections of the young: not sooner, or what is in use for a moment counts as old
SETTLING_LOOKS = 100  # five seconds
FULL_EVERY_LOOKS = 200  # ten seconds
LATEST_FULL_LOOKS = 1_200  # a minute, where a rater presses key after key
IDLE_SECONDS = 0.5  # since the last key
LONG_SECONDS = 0.01  # of a full collection: twice as much is to be expected before the next but one


class GarbageCollector(QObject):
    """Collects Python's garbage on the window's thread only, in place of Python's own timing, from `start` to `stop`.

    A collection runs in whatever thread happens to allocate; one in a job would delete widgets there, which crashes Qt.
    It is also kept short: what was imported is set apart, because a full collection over it held the window for 80 ms;
    so is what a live board has read of 10,000 texts, which held it for 77 ms; and one looks often, because what busy
    jobs leave behind in a second held it for 90 ms at a time. And none comes while a rater's key is answered: a
    full one over a session of 100,000 comparisons held it for 54 ms, by its own clock.
    What was freed is given back to the system then: readings of many threads leave gaps that would stay for good.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._looks = 0  # since everything was collected
        self._settling = 0  # looks
        self._set_apart = False
        self._give_back = _giving_back()
        self._timer = QTimer(self, interval=LOOK_EVERY_MILLISECONDS)
        self._timer.timeout.connect(self.look)

    def start(self, settling: int = 0) -> None:
        """For so many looks what is new is set apart unseen: it is mostly what was imported, and stays.

        Looking through it took a tenth of the window's time while a project was opened with it.
        """
        self._settling = settling
        gc.disable()
        self._timer.start()

    def stop(self) -> None:
        self._timer.stop()
        gc.enable()

    def look(self) -> None:
        """Collect the young if there are many; now and then everything that is not set apart."""
        self._looks += 1
        if precedence.taken:
            return
        if self._settling > 0:
            self._settling -= 1
            self._set_apart = True
            gc.freeze()
            return
        young, middle, _ = gc.get_count()
        idle = precedence.idle_seconds > IDLE_SECONDS or self._looks >= LATEST_FULL_LOOKS
        if self._looks >= FULL_EVERY_LOOKS and idle:
            self._looks = 0
            self._collect_all()
        elif young > gc.get_threshold()[0]:
            gc.collect(1 if middle > MIDDLE_EVERY else 0)

    def _collect_all(self) -> None:
        """What is in use after a collection that took long is set apart, until the project is closed."""
        before = time.thread_time()
        gc.collect(2)
        if time.thread_time() - before > LONG_SECONDS:
            gc.freeze()
            self._set_apart = True
        self._give_back()

    def everything(self) -> None:
        """Collect also what was set apart: a project was closed, and what of it is in cycles can go."""
        if self._set_apart:
            self._set_apart = False
            gc.unfreeze()
            gc.collect(2)
            gc.freeze()


def _giving_back() -> Callable[[], object]:
    """How freed memory goes back to the system where the C library keeps it until it is told: glibc. Half a ms."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # Windows, macOS and musl give it back by themselves
        return lambda: None
    trim.argtypes = [ctypes.c_size_t]
    return partial(trim, 0)
