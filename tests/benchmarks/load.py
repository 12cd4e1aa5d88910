"""What goes on in a project while somebody judges: a job that writes, and charts that read."""

import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future

from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import OutputRow, Pending
from biasprint.core.project.specs import OutputSpec
from biasprint.desktop.read.charts import StoredCharts

ROWS_PER_SECOND = 1_000
AT_ONCE = 20
MOST_WAITING = 200
REFRESHES_PER_SECOND = 10
PAGE = 250
TEXT = "some text that a model might have written, of a middling length " * 5


class Writing:
    """A job that records outputs at a steady rate, and how many of them are on disk."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._run = project.runs.all()[0].id
        self.rows = 0
        self.seconds = 0.0

    def run(self, ctx: JobContext) -> None:
        """Until the job is cancelled. Each row is its own order to the writer, as a streaming backend's would be."""
        started = next_turn = time.perf_counter()
        waiting: deque[Future[Changes]] = deque()
        pending = self._pending()
        try:
            while True:
                ctx.check()
                for item in (next(pending) for _ in range(AT_ONCE)):
                    spec = OutputSpec(run_id=self._run, prompt_id=item.prompt.id, sample=item.sample, seed=1, text=TEXT)
                    waiting.append(self._project.outputs.record(spec))
                # A job waits for what it wrote: where the machine cannot keep up, it writes less, and says so.
                while waiting and (len(waiting) > MOST_WAITING or waiting[0].done()):
                    self.rows += len(waiting.popleft().result().of("output"))
                self.seconds = time.perf_counter() - started
                ctx.report(self.rows)
                next_turn += AT_ONCE / ROWS_PER_SECOND
                time.sleep(max(0.0, next_turn - time.perf_counter()))
        finally:
            for future in waiting:
                future.result()

    @property
    def per_second(self) -> float:
        return self.rows / self.seconds if self.seconds else 0.0

    def _pending(self) -> Iterator[Pending]:
        after = (0, -1)
        while page := self._project.runs.pending(self._run, after, PAGE):
            yield from page
            after = (page[-1].prompt.id, page[-1].sample)


class Charts:
    """What the charts panel reads, as often as it may, and with it the next page of outputs and of judgments."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self.refreshes = 0
        self.seconds = 0.0

    def run(self, ctx: JobContext) -> None:
        source = StoredCharts(self._project)
        outputs = endless(self._project.outputs.each)
        began = next_turn = time.perf_counter()
        while True:
            source.load(ctx)
            for _ in range(PAGE):
                next(outputs)
            self._project.judging.judgments()
            self.refreshes += 1
            self.seconds = time.perf_counter() - began
            next_turn = max(next_turn + 1 / REFRESHES_PER_SECOND, time.perf_counter())
            time.sleep(max(0.0, next_turn - time.perf_counter()))
            ctx.check()

    @property
    def per_second(self) -> float:
        return self.refreshes / self.seconds if self.seconds else 0.0


class Everything:
    """A thread that reads every output again and again without pause: more than any part of the program does."""

    def __init__(self, project: Project) -> None:
        self._project = project

    def run(self, ctx: JobContext) -> None:
        for _ in endless(self._project.outputs.each):
            ctx.check()


def endless(rows: Callable[[], Iterator[OutputRow]]) -> Iterator[OutputRow]:
    while True:
        yield from rows()
