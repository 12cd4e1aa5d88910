"""Opens a project in the real window with its live board, lets 10,000 letters and their scores arrive, and tells how
long the window's thread was held at a time, how often the board was brought up to date, the memory, and how fast a job
writes with the board shown and without it.
"""

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import psutil
from charts_live import Held
from children import tell
from PySide6.QtCore import QObject, QTimer
from whole_program import run

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import Pending
from biasprint.core.project.specs import OutputSpec, ScoreSpec
from biasprint.desktop.main_window import MainWindow

PER_SECOND = 200  # letters: ten times what is asked for, so that 10,000 come in 50 s
ARRIVING = 10_000
SCORED_AT_ONCE = 10  # letters, as the compute process hands them back
QUARTERS = 4
FEWEST_CARDS = 8
LOOK_MILLISECONDS = 20
SETTLE_MILLISECONDS = 3_000
BLOCK_SECONDS = 10.0  # with the board shown, then without it
BLOCKS = 4  # of either
# A process that computes 50 ms for each text, as the model process does on a core of its own, whoever stores them.
MODEL = """
import time
while True:
    end = time.process_time() + 0.05
    while time.process_time() < end:
        pass
    print(flush=True)
"""


class Writer:
    """Writes letters that were there, in another order, with the scores that they have."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._run = project.runs.all()[-1].id
        self._pending = self._each_pending()
        self._chance = random.Random(1)
        self._texts: dict[str, list[tuple[str, list[ScoreSpec]]]] = {}
        scores: dict[int, list[ScoreSpec]] = {}
        known = {name: version for name, version, _ in project.scores.known()}
        for _, name, row in project.scores.between(0, project.columns.last_ids().score, known):
            assert row.output_id is not None
            values = np.asarray(row.values, dtype=np.float32)
            spec = ScoreSpec(
                output_id=0, scorer=name, version=known[name], values=values, summary=row.summary
            )  # fmt: skip
            scores.setdefault(row.output_id, []).append(spec)
        for output in project.outputs.each():
            self._texts.setdefault(output.identity, []).append((output.text, scores[output.id]))
        self.written = 0

    def _each_pending(self) -> Iterator[Pending]:
        after = (0, -1)
        while page := self._project.runs.pending(self._run, after, 250):
            yield from page
            after = (page[-1].prompt.id, page[-1].sample)

    def write(self, count: int) -> None:
        """So many letters, each on disk before the next; then their scores."""
        scores: list[ScoreSpec] = []
        for _ in range(count):
            one = next(self._pending)
            text, found = self._chance.choice(self._texts[one.prompt.identity])
            spec = OutputSpec(run_id=self._run, prompt_id=one.prompt.id, sample=one.sample, seed=1, text=text)
            (output,) = self._project.outputs.record(spec).result().of("output")
            scores += [score.model_copy(update={"output_id": output}) for score in found]
            self.written += 1
        self._project.scores.record_many(scores)

    def steadily(self, ctx: JobContext, texts: int, per_second: float) -> None:
        """At a rate, until so many are written in all."""
        turn = time.perf_counter()
        while self.written < texts:
            ctx.check()
            self.write(SCORED_AT_ONCE)
            ctx.report(self.written, texts)
            turn += SCORED_AT_ONCE / per_second
            time.sleep(max(0.0, turn - time.perf_counter()))

    def of_a_model(self, seconds: float) -> float:
        """Texts a second that a model's process gives and that are on disk, with their scores."""
        with subprocess.Popen(
            [sys.executable, "-c", MODEL], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        ) as model:
            assert model.stdout is not None
            model.stdout.readline()  # it has started
            started, before = time.perf_counter(), self.written
            while time.perf_counter() - started < seconds:
                model.stdout.readline()
                self.write(1)
            took = time.perf_counter() - started
            model.kill()
        return (self.written - before) / took


class Watch(QObject):
    def __init__(self, window: MainWindow) -> None:
        super().__init__()
        self.window = window
        self.answer: dict[str, Any] = {"memory": []}
        self.when(lambda: window.project is not None and not window.jobs.active(), self.open_panel)

    def when(self, ready: Callable[[], bool], then: Callable[[], object]) -> None:
        """Go on as soon as something is so."""
        QTimer.singleShot(LOOK_MILLISECONDS, self, lambda: then() if ready() else self.when(ready, then))

    def open_panel(self) -> None:
        self.held = Held(self)
        assert self.window.project is not None
        self.writer = Writer(self.window.project)
        self.window.show_panel("charts", section="live")
        self.panel = self.window.panels["charts"]
        self.when(lambda: len(self.panel.live.dashboard.cards) >= FEWEST_CARDS, self.settled)

    def settled(self) -> None:
        self.held.time(self.panel.live, "show_data", "reading shown")
        self.held.time(self.panel.live, "_next", "card brought up to date")
        self.answer["opening"] = self.held.take()
        QTimer.singleShot(SETTLE_MILLISECONDS, self, self.arrive)

    def arrive(self) -> None:
        self.answer["quiet"] = self.held.take()
        self.started = time.perf_counter()
        self.remember()
        job = self.window.jobs.start("Writing", lambda ctx: self.writer.steadily(ctx, ARRIVING, PER_SECOND))
        self.look = QTimer(self, interval=LOOK_MILLISECONDS)
        self.look.timeout.connect(self.look_at_memory)
        self.look.start()
        self.when(lambda: not job.active, self.arrived)

    def look_at_memory(self) -> None:
        if self.writer.written * QUARTERS >= ARRIVING * len(self.answer["memory"]):
            self.remember()

    def remember(self) -> None:
        self.answer["memory"].append(psutil.Process().memory_info().rss / 1024**2)

    def arrived(self) -> None:
        self.look.stop()
        self.remember()
        self.answer["seconds"] = time.perf_counter() - self.started
        self.answer["texts"] = self.writer.written
        self.answer["arriving"] = self.held.take()
        self.answer["rates"] = {"with": [], "without": []}
        self.blocks = ["with", "without"] * BLOCKS
        self.next_block()

    def next_block(self) -> None:
        """The board shown, then another panel, in turn, so that both meet the same machine."""
        if not self.blocks:
            self.end()
            return
        shown = self.blocks.pop(0)
        self.window.show_panel("charts" if shown == "with" else "settings")
        found = self.answer["rates"][shown]
        job = self.window.jobs.start("Writing", lambda ctx: found.append(self.writer.of_a_model(BLOCK_SECONDS)))
        self.when(lambda: not job.active, self.next_block)

    def end(self) -> None:
        tell(self.answer)
        self.window.leaving.begin()


if __name__ == "__main__":
    sys.exit(run(["gui", sys.argv[1]], Watch))
