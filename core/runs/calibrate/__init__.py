"""Calibration: whether each finding detects what is planted, and has no false alarms.

`calibrate` simulates whole studies in compute processes of its own, one for each core that it may use. `trials` writes
and measures one study, `tally` counts over many of them, `told` writes the result as table, page and figure.
"""

import threading
import zlib
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial

import numpy as np

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.processor import cores
from biasprint.core.runs.calibrate.tally import Calibrated, Seen, calibrated, seen
from biasprint.core.scorers.registry import remembered_scores
from biasprint.core.studies.kit.planting import SETTINGS, STUDIES, planting_of, required
from biasprint.core.studies.registry import studies

# ---- Simulated studies of one planted size


def simulated_studies(
    study: str, planted: str, n: int, seed: int, repeats: int, ctx: JobContext | None = None
) -> list[list[Seen]]:
    """Return the default findings of each of `repeats` simulated studies. A study depends on its number and the
    seed.
    """
    ctx = ctx or JobContext()
    known, asked, results = studies()[study], planting_of(study), []
    setting = zlib.crc32(f"{study} {planted}".encode())
    with remembered_scores():
        for repeat in range(repeats):
            ctx.check()
            rng = np.random.default_rng([seed, setting, n, repeat])
            results.append(seen(known.work().simulated(planted, n, asked, seed + setting, rng)))
            ctx.report(repeat + 1, repeats)
    return results


@dataclass(frozen=True)
class Asked:
    """The simulation that is asked for: of each study `repeats` studies for each planted size and n (empty: those of
    the study).
    """

    studies: tuple[str, ...]
    planted: tuple[str, ...] = SETTINGS
    n: tuple[int, ...] = ()
    repeats: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        for study in self.studies:
            planting_of(study)
        if unknown := [each for each in self.planted if each not in SETTINGS]:
            raise UsageError(f"Nothing is planted as “{unknown[0]}”.", hint=f"Choose from: {', '.join(SETTINGS)}.")
        if self.repeats < 1 or any(n < 4 for n in self.n):
            raise UsageError("Too little to simulate.", hint="At least 1 repeat, and an n of at least 4.")

    def sizes(self, study: str) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self.n or planting_of(study).n))


@dataclass(frozen=True)
class _Task:
    study: str
    planted: str
    n: int

    @property
    def drawn_from(self) -> tuple[str, str]:
        """The key of the texts that it draws from: one process does all studies of the same texts, and writes those
        once.
        """
        return self.study, self.planted


def calibrate(ctx: JobContext, asked: Asked) -> list[Calibrated]:
    """Return a row for each finding by default, planted size and n. Depends on what is asked alone, not on the
    cores.
    """
    tasks = [
        _Task(study, planted, n) for study in asked.studies for planted in asked.planted for n in asked.sizes(study)
    ]
    results = _results_by_task(ctx, tasks, asked)
    rows: list[Calibrated] = []
    for study in asked.studies:
        by_size = {(task.planted, task.n): results[task] for task in tasks if task.study == study}
        rows += calibrated(study, planting_of(study), by_size, required())
    return rows


def _results_by_task(ctx: JobContext, tasks: Sequence[_Task], asked: Asked) -> Mapping[_Task, list[list[Seen]]]:
    shared = list(dict.fromkeys(task.drawn_from for task in tasks))
    processes = [ComputeProcess() for _ in range(min(cores(), len(shared)))]
    queues = [ThreadPoolExecutor(1) for _ in processes]
    progress = _Progress(ctx, len(tasks) * asked.repeats)

    def do(task: _Task, process: ComputeProcess) -> list[list[Seen]]:
        on_report = partial(progress.heard, task)
        return process.call(
            simulated_studies, task.study, task.planted, task.n, asked.seed, asked.repeats,
            ctx=ctx, on_report=on_report,
        )  # fmt: skip

    doing: dict[Future[list[list[Seen]]], _Task] = {}
    try:
        for task in tasks:
            place = shared.index(task.drawn_from) % len(processes)
            doing[queues[place].submit(do, task, processes[place])] = task
        return {doing[future]: future.result() for future in as_completed(doing)}
    finally:
        for queue in queues:
            queue.shutdown(wait=False, cancel_futures=True)
        for process in processes:
            process.close()


class _Progress:
    """Sums what several processes report."""

    def __init__(self, ctx: JobContext, total: int) -> None:
        self._ctx, self._total = ctx, total
        self._done: dict[_Task, int] = {}
        self._lock = threading.Lock()

    def heard(self, task: _Task, done: int, total: int | None, note: str) -> None:
        with self._lock:
            self._done[task] = max(done, self._done.get(task, 0))
            self._ctx.report(sum(self._done.values()), self._total, note=task.study)
