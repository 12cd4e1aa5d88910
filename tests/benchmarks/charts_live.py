"""Opens a project in the real window with its charts, lets texts, vectors and judgments arrive, and tells how long the
window's thread was held at a time: by its own work, and by the clock, which counts what the machine did meanwhile too.
"""

import gc
import sys
import threading
import time
from array import array
from collections.abc import Callable
from typing import Any

from charts_project import FIRST_RATERS, add_vectors, judge
from children import tell
from load import Writing
from PySide6.QtCore import QObject, Qt, QTimer
from whole_program import run

from biasprint.core.jobs import JobContext
from biasprint.desktop.main_window import MainWindow

STAGE_MILLISECONDS = 8_000
SETTLE_MILLISECONDS = 3_000
LOOK_MILLISECONDS = 20
SECTION_MILLISECONDS = 1_000
VECTORS_AT_ONCE = 50
BETWEEN_SECONDS = 0.25
MOST_RATERS = 10  # each is a voice in the charts


class Held:
    """Milliseconds between two turns of the event loop, a beat of one millisecond apart: of its thread, and by the
    clock; and those of single functions, by name."""

    def __init__(self, owner: QObject) -> None:
        self.own, self.clock = array("d"), array("d")  # as little memory as they can take: it is measured too
        self.parts: dict[str, array[float]] = {}
        self._last = (time.thread_time(), time.perf_counter())
        gc.callbacks.append(self._collecting)
        self._beat = QTimer(owner, interval=1, timerType=Qt.TimerType.PreciseTimer)
        self._beat.timeout.connect(self._count)
        self._beat.start()

    def _count(self) -> None:
        now = (time.thread_time(), time.perf_counter())
        self.own.append(1000 * (now[0] - self._last[0]))
        self.clock.append(1000 * (now[1] - self._last[1]))
        self._last = now

    def time(self, owner: Any, name: str, called: str) -> None:
        """From now on, how long `owner.name` takes of the thread that calls it."""
        work = getattr(owner, name)
        found = self.parts.setdefault(called, array("d"))

        def timed(*arguments: Any, **more: Any) -> Any:
            before = time.thread_time()
            try:
                return work(*arguments, **more)
            finally:
                found.append(1000 * (time.thread_time() - before))

        setattr(owner, name, timed)

    def _collecting(self, phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            self._collected_at = time.thread_time()
        else:
            part = self.parts.setdefault(f"garbage of generation {info['generation']} collected", array("d"))
            part.append(1000 * (time.thread_time() - self._collected_at))

    def take(self) -> dict[str, Any]:
        """What was found since the last time."""
        parts = {key: part.tolist() for key, part in self.parts.items()}
        found = {"own": self.own.tolist(), "clock": self.clock.tolist(), "parts": parts}
        for times in (self.own, self.clock, *self.parts.values()):
            del times[:]
        return found


class Watch(QObject):
    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self.window = window
        self.answer: dict[str, Any] = {}
        self.when(lambda: window.project is not None and not window.jobs.active(), self.open_panel)

    def when(self, ready: Callable[[], bool], then: Callable[[], object]) -> None:
        """Go on as soon as something is so."""
        QTimer.singleShot(LOOK_MILLISECONDS, self, lambda: then() if ready() else self.when(ready, then))

    def open_panel(self) -> None:
        from biasprint.desktop.charts.chart import Chart

        self.held = Held(self)
        self.held.time(Chart, "paintEvent", "a chart painted")  # before the first is made
        self.window.show_panel("charts")
        self.panel = self.window.panels["charts"]
        self.held.time(self.panel._refresher, "_on_done", "new data shown")
        self.when(lambda: len(self.panel.data.voices) > 1 and bool(self.panel.data.distance), self.settled)

    def settled(self) -> None:
        """Every section has been seen once before anything is measured: to fill it is the work of opening it."""
        for _ in range(self.panel.tabs.count()):
            self.next_section()
        self.held.time(self.panel.tabs, "setCurrentIndex", "another section shown")
        QTimer.singleShot(SETTLE_MILLISECONDS, self, self.begin)

    def begin(self) -> None:
        project = self.window.project
        assert project is not None
        self.project, self.outputs = project, list(project.outputs.ids())
        self.writing = Writing(project)
        self.stage("nothing else going on", None, self.texts)

    def stage(self, name: str, work: Callable[[JobContext], object] | None, then: Callable[[], object]) -> None:
        """Look for a while, with the sections of the panel shown in turn, while a job does something."""
        handle = self.window.jobs.start(name, work) if work is not None else None
        self.held.take()

        def over() -> None:
            turning.stop()
            self.answer[name] = self.held.take()
            if handle is not None:
                handle.cancel()
            self.when(lambda: handle is None or not handle.active, then)

        turning = QTimer(self, interval=SECTION_MILLISECONDS)
        turning.timeout.connect(self.next_section)
        turning.start()
        QTimer.singleShot(STAGE_MILLISECONDS, self, over)

    def next_section(self) -> None:
        tabs = self.panel.tabs
        shown = [index for index in range(tabs.count()) if tabs.isTabVisible(index)]
        tabs.setCurrentIndex(shown[(shown.index(tabs.currentIndex()) + 1) % len(shown)])

    def texts(self) -> None:
        self.stage("texts arriving", self.writing.run, self.vectors)

    def vectors(self) -> None:
        self.answer["rows"] = self.writing.rows
        self.stage("texts and vectors arriving", self.both, self.judgments)

    def judgments(self) -> None:
        self.answer["rows"] += self.writing.rows
        self.stage("raters finishing", self.rate, self.end)

    def both(self, ctx: JobContext) -> None:
        vectors = threading.Thread(target=self.embed, args=(ctx,))
        vectors.start()
        try:
            self.writing.run(ctx)
        finally:
            vectors.join()

    def embed(self, ctx: JobContext) -> None:
        after = self.outputs[-1]
        while not ctx.cancelled:
            time.sleep(BETWEEN_SECONDS)
            new = [key for key in self.project.outputs.ids() if key > after][:VECTORS_AT_ONCE]
            if new:
                add_vectors(self.project, new)
                after = new[-1]

    def rate(self, ctx: JobContext) -> None:
        for number in range(FIRST_RATERS + 1, MOST_RATERS + 1):
            ctx.check()
            judge(self.project, (f"R{number:02d}",))

    def end(self) -> None:
        before = time.thread_time()
        gc.collect()
        self.answer["everything collected"] = 1000 * (time.thread_time() - before)
        tell(self.answer)
        self.window.leaving.begin()


if __name__ == "__main__":
    sys.exit(run(["gui", sys.argv[1]], Watch))
