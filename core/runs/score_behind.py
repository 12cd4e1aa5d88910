"""Scoring as texts arrive: a second thread scores what a run has stored, and leaves the writing its rate.

Scorers that are quick read each text as soon as it is stored; slow ones read several together, a little later. What is
missing when a run is cancelled or crashes is scored by the next start: the store knows which texts have no score.
When a run is written another may write while the first one's texts are still being scored: a page at a time is scored
in the whole program, and it is the run that writes whose rate is kept.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from types import TracebackType

from biasprint.core.compute import ComputeProcess, Turns
from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.jobs import JobContext, in_halves
from biasprint.core.project.project import Project
from biasprint.core.project.rows import TextRow
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.texts.score import KINDS, Kind, ScoreResult, next_page, score_page

FIRST_PAGE = 2  # texts: what a page costs the writing is not known before the first one
ROUND_SECONDS = 0.25  # between two looks for new texts
SLOW_SECONDS = 0.05  # a text, from which on a scorer waits for several
FIRST_SECONDS = 0.2  # of a scorer's first page, that are its texts' and not its model's
TOGETHER = 32  # texts that a slow scorer waits for
KEPT_RATE = 0.97  # of the writing, a little more than the 0.95 that is promised
PAUSE_SECONDS = 10.0  # without a text, from which on a wait may be a pause
DOUBT_SECONDS = 0.5
FAR_LONGER = 10  # times the usual wait
HOPELESS_AFTER = 16  # texts in a row that failed


@dataclass
class _ScorerProgress:
    """A scorer's progress with one kind of texts. `size`: of its next page; `slow`: whether it waits for several
    texts.
    """

    scorer: ScorerInfo
    kind: Kind
    after: int = 0
    size: int = FIRST_PAGE
    slow: bool = False


@dataclass
class _Outcomes:
    """The outcomes of a scorer's texts. `in_a_row`: failures since the last success."""

    result: ScoreResult
    in_a_row: int = 0

    @property
    def given_up(self) -> bool:
        return self.in_a_row >= HOPELESS_AFTER

    def count(self, *, added: int = 0, unscored: int = 0, failed: int = 0, error: str = "") -> None:
        before = self.result
        self.result = replace(
            before, added=before.added + added, unscored=before.unscored + unscored, failed=before.failed + failed,
            error=before.error or error,
        )  # fmt: skip


class ScoreBehind:
    """A context: texts are scored while its block writes; `finish` scores the rest."""

    def __init__(
        self, ctx: JobContext, project: Project, study_id: int, scorers: Sequence[ScorerInfo], compute: ComputeProcess
    ) -> None:
        self._ctx, self._project, self._study, self._compute = ctx, project, study_id, compute
        usable = [info for info in scorers if not info.unavailable]
        self._tried = {info.name: _Outcomes(ScoreResult(info, 0, 0)) for info in usable}
        self._states = [_ScorerProgress(info, kind) for info in usable for kind in KINDS]
        self._new = threading.Event()
        self._hurry = threading.Event()  # everything is written, or nothing more is to be scored
        # Its own: with the writer's, a pause would hold up this thread, and with it the end of a run that failed then.
        self._scoring, self._over = JobContext(), threading.Event()
        self._last: int | None = None  # output that is scored here; later ones are another run's
        self._at = ""  # the scorer that is at work
        self._failure: Exception | None = None
        self._thread = threading.Thread(target=self._run, name="score-behind", daemon=True)

    def __enter__(self) -> "ScoreBehind":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scoring.cancel()
        self._over.set()
        self._hurry.set()
        self._new.set()
        self._thread.join()

    def stored(self) -> None:
        """Note that texts were stored just now."""
        self._new.set()

    def all_written(self) -> None:
        """Note that the last text of the run is stored: texts that come later are another run's, which scores them."""
        self._last = self._project.columns.last_output()
        self._hurry.set()
        self._new.set()

    def finish(self, written: int) -> tuple[ScoreResult, ...]:
        """Wait, after `all_written`, until the rest is scored, and return a result for each scorer.

        Raises `JobCancelled`, and what stopped the scoring.
        """
        while self._thread.is_alive():
            self._ctx.check()
            self._ctx.report(written, written, note=self._at or "scoring")
            self._thread.join(ROUND_SECONDS)
        if self._failure is not None:
            raise self._failure
        return tuple(replace(tried.result, given_up=tried.given_up) for tried in self._tried.values())

    def _run(self) -> None:
        try:
            while not self._over.is_set():
                last = self._hurry.is_set()
                if not self._round(last) and last:
                    return
                if not last:
                    self._new.wait()
                    self._new.clear()
                    self._hurry.wait(ROUND_SECONDS)
        except JobCancelled:
            return
        except Exception as error:  # raised by `finish`: the writing itself goes on
            self._failure = error

    def _round(self, last: bool) -> bool:
        """Return a page of each scorer that has enough to read; False where none has."""
        any_read = False
        for state in self._states:
            while self._ctx.paused and not self._over.is_set():
                self._over.wait(ROUND_SECONDS)
            if self._over.is_set():
                return False
            if not self._tried[state.scorer.name].given_up:
                with _beside.turns.take(self._scoring):
                    any_read |= self._read(state, last)
        return any_read

    def _read(self, state: _ScorerProgress, last: bool) -> bool:
        """Return the next page of a scorer, if it has enough to read, and the rest that the writing asks for."""
        page = self._page(state)
        if not page or (state.slow and not last and len(page) < min(TOGETHER, state.size)):
            return False
        started = time.monotonic()
        with _beside.scoring():
            self._score(state.scorer, page)
        seconds = time.monotonic() - started
        # A scorer's first page pays for its model, once: nothing rests for that.
        paced = seconds if state.after else min(seconds, FIRST_SECONDS)
        state.after = page[-1].key
        state.slow = seconds / len(page) > SLOW_SECONDS
        state.size = next_page(state.size, seconds, FIRST_PAGE)
        _beside.rest(paced, self._over)
        return True

    def _page(self, state: _ScorerProgress) -> tuple[TextRow, ...]:
        info = state.scorer
        rows = self._project.scores.unscored(
            state.kind, info.name, info.version, study_id=self._study, after_id=state.after, limit=state.size,
            embeddings=info.role == "embedding",
        )  # fmt: skip
        if self._last is None or state.kind == "source":
            return rows
        return tuple(row for row in rows if row.key <= self._last)

    def _score(self, scorer: ScorerInfo, page: Sequence[TextRow]) -> None:
        tried, self._at = self._tried[scorer.name], scorer.name

        def together(rows: Sequence[TextRow]) -> None:
            self._scoring.check()
            if tried.given_up:
                return
            usable = score_page(self._scoring, self._project, scorer, rows, self._compute)
            tried.in_a_row = 0
            tried.count(added=usable, unscored=len(rows) - usable)

        def alone(_: TextRow, why: Exception) -> None:
            tried.in_a_row += 1
            tried.count(failed=1, error=str(why))

        in_halves(page, together, alone, breaks=AppError)


class Pace:
    """Compares how fast texts come while a page is scored and while none is, and rests as long as that asks for.

    With a rate of w while nothing is scored and of b while something is, a share d of the time spent scoring leaves
    d b + (1 − d) w of it: d is chosen so that this is `KEPT_RATE` of w. b begins with `DOUBT_SECONDS` in which nothing
    was written, so that little is scored until it is known. A text counts where it was finished; time that a far longer
    wait took than usual counts nowhere: somebody paused, or an endpoint was away.
    """

    def __init__(self, *, busy: bool = False) -> None:
        """`busy`: whether a page is being scored at this moment."""
        self.over = threading.Event()  # the run is written
        self._lock = threading.Lock()
        self._busy = busy
        self._since: float | None = None  # from the first text on: loading a model is no pace
        self._waited = {True: 0.0, False: 0.0}  # since the last text
        self._seconds, self._texts = {True: 0.0, False: 0.0}, {True: 0, False: 0}
        self._waits = 0

    def wrote(self, texts: int) -> None:
        with self._lock:
            if self._since is None:
                self._since = time.monotonic()
                return
            self._pass()
            wait, whole = sum(self._waited.values()), sum(self._seconds.values())
            if not self._waits or wait <= max(PAUSE_SECONDS, FAR_LONGER * whole / self._waits):
                self._waits += 1
                self._texts[self._busy] += texts
                for kind, seconds in self._waited.items():
                    self._seconds[kind] += seconds
            self._waited = {True: 0.0, False: 0.0}

    def turn(self, *, busy: bool) -> None:
        """Note that a page is being scored from now on, or none."""
        with self._lock:
            self._pass()
            self._busy = busy

    def _pass(self) -> None:
        if self._since is not None:
            now = time.monotonic()
            self._waited[self._busy] += now - self._since
            self._since = now

    def rest(self, seconds: float) -> float:
        """Return how long to rest after so many seconds of scoring."""
        with self._lock:
            idle = self._texts[False] / self._seconds[False] if self._seconds[False] else 0.0
            busy = self._texts[True] / (self._seconds[True] + DOUBT_SECONDS)
        if idle and busy >= KEPT_RATE * idle:
            return 0.0
        share = (1 - KEPT_RATE) * (idle / (idle - busy) if idle else 1.0)
        return seconds * (1 - share) / share


class _RunningTogether:
    """The run that writes and the page that is scored at one time in this program: one of each."""

    def __init__(self) -> None:
        self.turns = Turns()  # each for a page and the rest after it; what is read in one, no other reads too
        self._pace: Pace | None = None
        self._busy = False

    @contextmanager
    def writing(self) -> Iterator[Pace]:
        pace = self._pace = Pace(busy=self._busy)
        try:
            yield pace
        finally:
            pace.over.set()
            if self._pace is pace:
                self._pace = None

    @contextmanager
    def scoring(self) -> Iterator[None]:
        self._tell(busy=True)
        try:
            yield
        finally:
            self._tell(busy=False)

    def _tell(self, *, busy: bool) -> None:
        self._busy, pace = busy, self._pace
        if pace is not None:
            pace.turn(busy=busy)

    def rest(self, seconds: float, over: threading.Event) -> None:
        """Rest after so many seconds of scoring, as long as the writing asks for, while it goes on and until `over`."""
        pace = self._pace
        if pace is None:
            return
        end = time.monotonic() + pace.rest(seconds)
        while not over.is_set() and (left := end - time.monotonic()) > 0:
            if pace.over.wait(min(left, ROUND_SECONDS)):
                return


_beside = _RunningTogether()


def writing() -> AbstractContextManager[Pace]:
    """Keep the rate of a run that writes in the block, whatever is scored meanwhile, its own texts or others'."""
    return _beside.writing()
