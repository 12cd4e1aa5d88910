"""Live figures of a study while texts are written, scored and judged: every row is read once, sums do the rest.

`LiveTally(project, study)`, then `catch_up(ctx)` and, for each commit, `take(ctx, changes)`, in a job; `values()`,
`rates()`, `traces()` and `judging()` at any time. A study names its figures by the class in its declaration's `live`.
With texts of several generators each has sums of its own, as if it were alone in the project.
"""

import threading
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from math import isfinite
from typing import Any, cast

import numpy as np

from biasprint.core.compute import ComputeProcess, shared
from biasprint.core.jobs import JobContext
from biasprint.core.judging.assignment import asked_number
from biasprint.core.judging.workshop import participants
from biasprint.core.metrics.result import Floats
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import JudgmentRow, OutputRow, ScoreRow, SessionRow, SourceRow, StudyRow, TextKey
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.refusal import REFUSAL
from biasprint.core.studies.kit.live import (
    AT_THE_END,
    IdSet,
    LiveJudging,
    LiveKey,
    LiveRates,
    LiveValue,
    NotKept,
    PlainTally,
    Restart,
    StudyTally,
)
from biasprint.core.studies.registry import studies
from biasprint.core.texts.generators import LETTER, imported_name, runs_by_name
from biasprint.core.texts.replies import CUT_OFF, reply_kind
from biasprint.core.texts.values import KIND

# ---- The course of a live figure

FIRST_POINTS, MOST_POINTS = 16, 400  # room at first, and at most: a curve is seldom wider than that many pixels
N, VALUE, LOW, HIGH = range(4)


@dataclass(frozen=True, eq=False)
class Trace:
    """A figure's value at each n, in ascending order. A missing band is NaN."""

    n: Floats
    value: Floats
    low: Floats
    high: Floats


class Course:
    """The growing curve of a figure: a point whenever something changed. Beyond `MOST_POINTS` it keeps the last of each
    step of n, and the first of all; the step doubles as often as it must, so that a watched figure takes no more memory
    the longer it is.
    """

    def __init__(self) -> None:
        self._columns = np.empty((4, FIRST_POINTS))
        self._count = 0
        self._step = 1
        self._point: tuple[int, float, float | None, float | None] | None = None  # that was added last
        self._made: Trace | None = None

    @property
    def last(self) -> int:
        """The n of the last point; 0 where there is none."""
        return int(self._columns[N, self._count - 1]) if self._count else 0

    def add(self, n: int, value: float, low: float | None, high: float | None) -> None:
        """Add a point. A value that is no number is ignored; so is a band whose ends are none."""
        if not isfinite(value):
            return
        point = (n, value, low, high)
        if point == self._point:
            return
        self._point = point
        while self.last > n:  # judgments were taken back
            self._count -= 1
        if self._count == MOST_POINTS and not self._in_last_step(n):
            self._thin()
        if self._count and self._in_last_step(n):
            self._count -= 1
        elif self._count == self._columns.shape[1]:
            self._columns = np.concatenate([self._columns, np.empty_like(self._columns)], axis=1)[:, :MOST_POINTS]
        banded = low is not None and high is not None and isfinite(high - low)
        self._columns[:, self._count] = (n, value, *((low, high) if banded else (np.nan, np.nan)))
        self._count += 1
        self._made = None

    def _in_last_step(self, n: int) -> bool:
        """Return whether a point takes the place of the last one; that of the first only where it is of the same n."""
        return self.last == n or (self._count > 1 and self.last // self._step == n // self._step)

    def _thin(self) -> None:
        while self._count > MOST_POINTS // 2:
            self._step *= 2
            steps = self._columns[N, : self._count] // self._step
            chosen = np.append(np.diff(steps) > 0, True)
            chosen[0] = True
            points = self._columns[:, : self._count][:, chosen]
            self._count = points.shape[1]
            self._columns[:, : self._count] = points

    @property
    def trace(self) -> Trace:
        """The curve as it is now; the same object until a point comes."""
        if self._made is None:
            self._made = Trace(*self._columns[:, : self._count].copy())
        return self._made


# ---- How writing and judging go: rates and counts, never what was chosen

# ---- Writing

WINDOW = 10.0  # seconds over which the present rates are taken
PAUSE = 60.0  # seconds without a text, from which on nobody was writing
EDGES = (0, 1, 25, 50, 100, 200, 400, 800, 1600)  # words


class Rates:
    """Texts, failures, refusals and lengths, from the rows of outputs in the order in which they were stored."""

    def __init__(self) -> None:
        self._texts = self._refusals = self._cut = self._timed = self._timed_tokens = 0
        self._failed: Counter[str] = Counter()
        self._lengths: Counter[int] = Counter()
        self._recent: deque[tuple[float, int]] = deque()
        self._last: float | None = None
        self._seconds = 0.0

    def add(self, row: OutputRow) -> None:
        kind = reply_kind(row)
        self._refusals += kind == REFUSAL
        if row.status != "done":
            self._failed.update([row.failure or "other"] if kind != REFUSAL else [])
        else:
            self._texts += 1
            if kind == CUT_OFF:
                self._cut += 1
            else:
                self._lengths[EDGES[bisect_right(EDGES, len(row.text.split())) - 1]] += 1
        tokens = row.usage.get("completion", 0)
        self._time(datetime.fromisoformat(row.created_at).timestamp(), tokens, written=row.status == "done")

    def _time(self, at: float, tokens: int, *, written: bool) -> None:
        """Count the time of a text or failure; a failure is no text."""
        if self._last is not None and at - self._last <= PAUSE:
            self._seconds += max(0.0, at - self._last)
            self._timed += written
            self._timed_tokens += tokens if written else 0
        self._last = at if self._last is None else max(at, self._last)
        if written:
            self._recent.append((at, tokens))
        while self._recent and at - self._recent[0][0] > WINDOW:
            self._recent.popleft()

    def now(self, at: datetime | None = None) -> LiveRates:
        """Return the rates at a moment, now where none is given."""
        moment = (at or datetime.now(UTC)).timestamp()
        recent = [tokens for when, tokens in self._recent if moment - when <= WINDOW]
        seconds, texts = self._seconds, self._timed
        limits = (*EDGES[1:], None)
        return LiveRates(
            texts=self._texts,
            failed=dict(self._failed),
            refusals=self._refusals,
            cut=self._cut,
            seconds=seconds,
            texts_per_second=len(recent) / WINDOW,
            tokens_per_second=sum(recent) / WINDOW,
            texts_per_second_in_all=texts / seconds if seconds else None,
            tokens_per_second_in_all=self._timed_tokens / seconds if seconds else None,
            lengths=tuple((low, high, self._lengths[low]) for low, high in zip(EDGES, limits, strict=True)),
        )


# ---- Judging

LATEST = 20  # judgments over which the present rate is taken


def judging_now(project: Project) -> tuple[LiveJudging, ...]:
    """Return every session, the latest last. Participants of workshops are one row: how far each of them is stays
    private.
    """
    raters = {rater.id: rater for rater in project.judging.raters()}
    plans = {plan.id: plan for plan in project.judging.plans()}
    unnamed = participants(project)
    result = []
    together: list[SessionRow] = []
    for session in project.judging.sessions():
        rater = raters[session.rater_id]
        if rater.code in unnamed:
            together.append(session)
        else:
            asked = asked_number(project, plans[session.plan_id], rater)
            result.append(_row(project, rater.code, rater.kind, [session], asked))
    if together:
        planned = sum(project.judging.count(session.plan_id) for session in together)
        result.append(_row(project, f"{len(together)} participants", "person", together, planned))
    return tuple(result)


def _row(project: Project, code: str, kind: str, sessions: list[SessionRow], planned: int) -> LiveJudging:
    judged = sum(project.judging.done_count(session.id) for session in sessions)
    rate = _per_minute(project.judging.latest(sessions[0].id, LATEST)) if len(sessions) == 1 else None
    return LiveJudging(code, kind, judged, planned, rate, all(session.revealed_at is not None for session in sessions))


def _per_minute(rows: tuple[JudgmentRow, ...]) -> float | None:
    """Return the rate of comparisons that were judged for the first time, from the first of the latest rows to the last
    of them.

    A revision takes time and is no further comparison; a model's answers in several orders are one. None for fewer than
    two rows.
    """
    if len(rows) < 2:
        return None
    first, *later = sorted(rows, key=lambda row: datetime.fromisoformat(row.created_at))
    took = datetime.fromisoformat(later[-1].created_at) - datetime.fromisoformat(first.created_at)
    new = {row.comparison_id for row in later if row.supersedes is None} - {first.comparison_id}
    return 60 * len(new) / took.total_seconds() if took.total_seconds() > 0 else None


PAGE = 250  # rows at once, as short readers take
GENERATOR = "generator"  # the dim


class _ReadAgain(Exception):
    """Raised where everything is to be read again."""


class _Joined(_ReadAgain):
    """Raised at another generator's first text: the generators are separated from then on."""


class LiveTally:
    """The figures of a study's texts and revealed judgments so far. Safe to use from any thread.

    `runs`: only these; imported texts and judgments belong to no run, and are omitted then. Reading the figures never
    waits for a reading, which may in turn wait for the compute process.
    """

    def __init__(
        self,
        project: Project,
        study: StudyRow,
        runs: Iterable[int] | None = None,
        compute: ComputeProcess | None = None,
    ) -> None:
        self._project, self._study = project, study
        self._runs = None if runs is None else frozenset(runs)
        self._compute = compute or shared()
        self._reading = threading.Lock()
        self._showing = threading.Lock()  # held for moments, around what `values`, `rates` and `traces` hand out
        self._learned: dict[str, object] = {}  # by generator
        self._names: tuple[str, ...] = ()  # of the generators whose texts were met
        self._wrote: Mapping[int, str] = {}  # run → generator
        self._told = ""  # whose sums are being updated
        self._begin()

    def _begin(self) -> None:
        """Read everything again from the first row, with what was learned."""
        self._tally = self._made("")  # of one generator; where there are several, it follows judgments alone
        apart = self._names if len(self._names) > 1 else ()
        self._apart = {name: self._made(name) for name in apart}
        names = apart or ("",)
        self._known = {
            name: {"output": IdSet(), "source": IdSet()} for name in names
        }  # the texts that each tally has counted
        self._failures: dict[tuple[int, str], tuple[int, str]] = {}  # by run and kind, one: id and time
        self._unsettled = False
        self._after = {"output": 0, "source": 0, "score": 0, "embedding": 0}
        first = self._now()
        with self._showing:
            self._rates = Rates()
            self._scored: dict[str, Counter[str]] = {"output": Counter(), "source": Counter()}
            self._values = first
            self._courses: dict[LiveKey, Course] = {}

    def _made(self, name: str) -> StudyTally:
        known = studies().get(self._study.kind)
        tally: StudyTally = (
            known.work().live(self._project, self._study.id, self._compute)
            if known is not None
            else PlainTally(self._study.kind, ())
        )
        if name in self._learned:
            cast(Any, tally).learn(self._learned[name])  # whoever raises Restart has it
        return tally

    def _now(self) -> tuple[LiveValue, ...]:
        """Return the figures of each generator; of judgments, which may be of texts of several, those of all."""
        if not self._apart:
            return tuple(self._tally.values())
        values_now = [_of(name, value) for name, tally in self._apart.items() for value in tally.values()]
        return (*values_now, *(self._tally.values() if hasattr(self._tally, "judged") else ()))

    # reading

    def catch_up(self, ctx: JobContext) -> bool:
        """Read what was stored since the last time, once, in pages; True if there was anything.

        Cancelled, or stopped by an `AppError` such as that the project was closed, it goes on from there the next time.
        """
        return self._catch_up(ctx, judged=True)

    def _catch_up(self, ctx: JobContext, *, judged: bool) -> bool:
        with self._reading:
            try:
                return self._read(ctx, judged)
            except Restart as why:
                self._learned[self._told] = why.args[0]
                self._begin()
            except _Joined:
                self._separate()
            except _ReadAgain:
                self._begin()
            except NotKept:
                self._begin()
                raise
        return self._catch_up(ctx, judged=True)

    def take(self, ctx: JobContext, changes: Changes) -> bool:
        """Update the figures by what a commit changed; reads nothing where it does not concern this study's figures."""
        judged = changes.touches("judgment", "session", "annotation")
        if not (judged or changes.touches("output", "source", "score", "embedding")):
            return False
        return self._catch_up(ctx, judged=judged)

    def _read(self, ctx: JobContext, judgments: bool) -> bool:
        self._look_for_forgotten()
        # First how far all goes: every text that has one of the scores is then among the texts that are read.
        last = self._project.columns.last_ids()
        changed = self._after["source"] < last.source and self._read_sources(ctx)
        changed |= self._after["output"] < last.output and self._read_outputs(ctx)
        changed |= self._read_scores(ctx, "score", last.score)
        changed |= self._read_scores(ctx, "embedding", last.embedding)
        judged = getattr(self._tally, "judged", None)
        self._told = ""
        if judgments and judged is not None and self._runs is None:
            changed |= judged(ctx)
        if changed or self._unsettled:  # what was cut short the last time
            self._settle(ctx)
        return changed

    def _look_for_forgotten(self) -> None:
        """Begin again where failures were removed to be asked for again: their ids may be given to other texts.

        All failures of a run, or all of a kind, are removed together: one of each tells.
        """
        for number, made in self._failures.values():
            row = self._project.outputs.get(number)
            if row is None or row.created_at != made:
                raise _ReadAgain

    def _read_sources(self, ctx: JobContext) -> bool:
        changed = False
        while page := self._project.sources.page(self._study.id, self._after["source"], PAGE):
            ctx.check()
            for row in page:
                self._after["source"] = row.id
                if self._runs is None or row.kind == KIND:  # what a run's articles are beside is read in any case
                    for tally in self._tell("source", row.id, self._name_of(row)):
                        tally.source(row)
                    changed = True
        return changed

    def _read_outputs(self, ctx: JobContext) -> bool:
        changed = False
        where = OutputFilter(study_id=self._study.id)
        while page := self._project.outputs.page(self._after["output"], PAGE, where):
            ctx.check()
            for row in page:
                self._after["output"] = row.id
                changed |= self._text(row)
            if len(page) < PAGE:
                break
            if changed:
                self._settle(ctx)
        return changed

    def _text(self, row: OutputRow) -> bool:
        if self._runs is not None and row.run_id not in self._runs:
            return False
        with self._showing:
            self._rates.add(row)
        if row.status != "done":
            self._failures.setdefault((row.run_id, row.failure), (row.id, row.created_at))
        else:
            for tally in self._tell("output", row.id, self._met(self._writer(row.run_id))):
                tally.text(row)
        return True

    def _writer(self, run: int) -> str:
        if run not in self._wrote:
            self._wrote = runs_by_name(self._project)
        return self._wrote[run]

    def _name_of(self, row: SourceRow) -> str | None:
        """Return the writer of a source; None for one that others are compared with, such as an original."""
        return self._met(imported_name(row.fields.get("model", ""))) if row.kind == LETTER else None

    def _met(self, name: str) -> str:
        if name not in self._names:
            self._names = (*self._names, name)
            if len(self._names) > 1:
                raise _Joined
        return name

    def _tell(self, kind: str, number: int, name: str | None) -> Iterator[StudyTally]:
        """Yield the tallies that count a text: its generator's, or the pooled one."""
        for key, known in self._known.items():
            if name is None or not key or key == name:
                known[kind].add(number)
                self._told = key
                yield self._apart.get(key, self._tally)

    def _read_scores(self, ctx: JobContext, table: str, last: int) -> bool:
        vectors = table == "embedding"
        infos = {info.name: info for info in self._tally.scorers if (info.role == "embedding") == vectors}
        versions = {name: info.version for name, info in infos.items()}
        changed = False
        while infos and self._after[table] < last:
            ctx.check()
            end = min(last, self._after[table] + PAGE)
            rows = self._project.scores.between(self._after[table], end, versions, embeddings=vectors)
            for number, scorer, row in rows:
                self._after[table] = number
                changed |= self._score(infos[scorer], row)
            self._after[table] = end
            if rows and changed and end < last:
                self._settle(ctx)
        return changed

    def _score(self, info: ScorerInfo, row: ScoreRow) -> bool:
        key: TextKey = ("output", row.output_id) if row.output_id is not None else ("source", row.source_id or 0)
        whose = [name for name, known in self._known.items() if key[1] in known[key[0]]]
        if not whose:
            return False  # of another study or run
        with self._showing:
            self._scored[key[0]][info.name] += 1
        for name in whose:
            self._told = name
            self._apart.get(name, self._tally).scored(info, key, row.values, row.summary)
        return True

    def _settle(self, ctx: JobContext) -> None:
        """Update the figures after a page, and add a point of each to its curve."""
        self._unsettled = True
        for name, tally in (self._apart or {"": self._tally}).items():
            self._told = name
            tally.settle(ctx)
        self._unsettled = False
        values = self._now()
        with self._showing:
            if len(values) != len(self._values):
                self._carry_over(values)
            self._values = values
            for value in values:
                self._note(value)

    def _separate(self) -> None:
        """Begin again with sums for each generator; the curves that were drawn until now were the first one's."""
        courses, alone = self._courses, len(self._names) == 2
        self._begin()
        with self._showing:
            self._courses = {_key_of(self._names[0], key) if alone else key: course for key, course in courses.items()}

    def _carry_over(self, values: Sequence[LiveValue]) -> None:
        """Carry over to the first part what was counted before the parts were separated, as by model when a second one
        writes.
        """
        keys = {value.key for value in values}
        for value in values:
            dims = value.key.dims if value.key not in self._courses else ()
            for place in range(len(dims)):
                whole = replace(value.key, dims=dims[:place] + dims[place + 1 :])
                course = self._courses.get(whole)
                if course is not None and whole not in keys and course.last <= value.n:
                    self._courses[value.key] = self._courses.pop(whole)
                    break

    def _note(self, value: LiveValue) -> None:
        if value.estimate is None:
            return
        if value.key not in self._courses:
            self._courses[value.key] = Course()
        elif value.n < self._courses[value.key].last:
            return  # read again, up to where the curve is
        self._courses[value.key].add(value.n, value.estimate, value.low, value.high)

    # what is there

    @property
    def scorers(self) -> tuple[ScorerInfo, ...]:
        """The scorers whose scores are followed."""
        return self._tally.scorers

    def values(self) -> tuple[LiveValue, ...]:
        """Return every figure as of the last page that was read, in the order of the study's findings."""
        with self._showing:
            return self._values

    def rates(self, at: datetime | None = None) -> LiveRates:
        """Return the rates of writing, now or at a moment."""
        with self._showing:
            scored, sources = (dict(self._scored[kind]) for kind in ("output", "source"))
            return replace(self._rates.now(at), scored=scored, scored_sources=sources)

    def traces(self) -> Mapping[LiveKey, Trace]:
        """Return the curve of every figure that ever was a number; a point for each page of rows that was read."""
        with self._showing:
            return {key: course.trace for key, course in self._courses.items()}

    def judging(self) -> tuple[LiveJudging, ...]:
        """Return how far each rater is: counts and rates alone, whatever was revealed."""
        return judging_now(self._project)


def _of(name: str, value: LiveValue) -> LiveValue:
    """Return the figure as one generator's."""
    return replace(value, key=_key_of(name, value.key))


def _key_of(name: str, key: LiveKey) -> LiveKey:
    dims = tuple(dim for dim in key.dims if dim != ("model", name))
    return replace(key, dims=(*dims, (GENERATOR, name)))
