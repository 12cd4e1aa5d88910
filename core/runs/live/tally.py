"""The tally of a study: reads each stored row once, keeps sums, and says at any moment what they amount to."""

import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, cast

from core.compute import ComputeProcess, shared
from core.jobs import JobContext
from core.project.changes import Changes
from core.project.project import Project
from core.project.rows import OutputRow, ScoreRow, StudyRow, TextKey
from core.project.stores.runs import OutputFilter
from core.runs.live.course import Course, Trace
from core.runs.live.plain import PlainTally
from core.runs.live.rates import Rates, judging_now
from core.runs.live.shelf import IdSet, NotKept
from core.runs.live.values import LiveJudging, LiveKey, LiveRates, LiveValue, Restart, StudyTally
from core.runs.values import KIND
from core.scorers.protocol import ScorerInfo
from core.studies.registry import studies
from core.studies.study import named

PAGE = 250  # rows at once, as short readers take


class LiveTally:
    """What a study's texts and revealed judgments say so far. Safe to use from any thread.

    `runs`: only these; imported texts and judgments belong to no run, and are left out then. Who asks what there is
    never waits for a reading, which may in turn wait for the compute process.
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
        self._learned: object = None
        self._begin()

    def _begin(self) -> None:
        """Read everything again from the first row, with what was learned."""
        declared = studies().get(self._study.kind)
        made = named(declared.live) if declared is not None and declared.live else PlainTally
        self._tally: StudyTally = made(self._project, self._study.id, self._compute)
        if self._learned is not None:
            cast(Any, self._tally).learn(self._learned)  # whoever raises Restart has it
        self._known = {"output": IdSet(), "source": IdSet()}  # the texts that were told
        self._failures: dict[tuple[int, str], tuple[int, str]] = {}  # by run and kind, one: id and time
        self._unsettled = False
        self._after = {"output": 0, "source": 0, "score": 0, "embedding": 0}
        first = tuple(self._tally.values())
        with self._showing:
            self._rates = Rates()
            self._scored: dict[str, Counter[str]] = {"output": Counter(), "source": Counter()}
            self._values = first
            self._courses: dict[LiveKey, Course] = {}

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
                self._learned = why.args[0]
                self._begin()
            except NotKept:
                self._begin()
                raise
        return self._catch_up(ctx, judged=True)

    def take(self, ctx: JobContext, changes: Changes) -> bool:
        """The same for what a commit changed; reads nothing where it does not concern this study's figures."""
        judged = changes.touches("judgment", "session", "annotation")
        if not (judged or changes.touches("output", "source", "score", "embedding")):
            return False
        return self._catch_up(ctx, judged=judged)

    def _read(self, ctx: JobContext, judgments: bool) -> bool:
        self._look_for_forgotten()
        # First how far all goes: every text that has one of the scores is then among the texts that are read.
        last = self._project.columns.last_ids()
        found = self._after["source"] < last.source and self._read_sources(ctx)
        found |= self._after["output"] < last.output and self._read_outputs(ctx)
        found |= self._read_scores(ctx, "score", last.score)
        found |= self._read_scores(ctx, "embedding", last.embedding)
        judged = getattr(self._tally, "judged", None)
        if judgments and judged is not None and self._runs is None:
            found |= judged(ctx)
        if found or self._unsettled:  # what was cut short the last time
            self._settle(ctx)
        return found

    def _look_for_forgotten(self) -> None:
        """Begin again where failures were removed to be asked for again: their ids may be given to other texts.

        All failures of a run, or all of a kind, are removed together: one of each tells.
        """
        for number, made in self._failures.values():
            row = self._project.outputs.get(number)
            if row is None or row.created_at != made:
                raise Restart(self._learned)

    def _read_sources(self, ctx: JobContext) -> bool:
        found = False
        while page := self._project.sources.page(self._study.id, self._after["source"], PAGE):
            ctx.check()
            for row in page:
                self._after["source"] = row.id
                if self._runs is None or row.kind == KIND:  # what a run's articles are beside is read in any case
                    self._known["source"].add(row.id)
                    self._tally.source(row)
                    found = True
        return found

    def _read_outputs(self, ctx: JobContext) -> bool:
        found = False
        where = OutputFilter(study_id=self._study.id)
        while page := self._project.outputs.page(self._after["output"], PAGE, where):
            ctx.check()
            for row in page:
                self._after["output"] = row.id
                found |= self._text(row)
            if len(page) < PAGE:
                break
            if found:
                self._settle(ctx)
        return found

    def _text(self, row: OutputRow) -> bool:
        if self._runs is not None and row.run_id not in self._runs:
            return False
        with self._showing:
            self._rates.add(row)
        if row.status != "done":
            self._failures.setdefault((row.run_id, row.failure), (row.id, row.created_at))
        else:
            self._known["output"].add(row.id)
            self._tally.text(row)
        return True

    def _read_scores(self, ctx: JobContext, table: str, last: int) -> bool:
        vectors = table == "embedding"
        infos = {info.name: info for info in self._tally.scorers if (info.role == "embedding") == vectors}
        versions = {name: info.version for name, info in infos.items()}
        found = False
        while infos and self._after[table] < last:
            ctx.check()
            end = min(last, self._after[table] + PAGE)
            rows = self._project.scores.between(self._after[table], end, versions, embeddings=vectors)
            for number, scorer, row in rows:
                self._after[table] = number
                found |= self._score(infos[scorer], row)
            self._after[table] = end
            if rows and found and end < last:
                self._settle(ctx)
        return found

    def _score(self, info: ScorerInfo, row: ScoreRow) -> bool:
        key: TextKey = ("output", row.output_id) if row.output_id is not None else ("source", row.source_id or 0)
        if key[1] not in self._known[key[0]]:
            return False  # of another study or run
        with self._showing:
            self._scored[key[0]][info.name] += 1
        self._tally.scored(info, key, row.values, row.summary)
        return True

    def _settle(self, ctx: JobContext) -> None:
        """After a page: the figures as they are now, and a point of each for its curve."""
        self._unsettled = True
        self._tally.settle(ctx)
        self._unsettled = False
        values = tuple(self._tally.values())
        with self._showing:
            if len(values) != len(self._values):
                self._carry_over(values)
            self._values = values
            for value in values:
                self._note(value)

    def _carry_over(self, values: Sequence[LiveValue]) -> None:
        """What is told apart from now on, as by model when a second one writes, was of the first part until now."""
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
        self._courses[value.key].add(value.n, value.estimate, value.low, value.high)

    # what is there

    @property
    def scorers(self) -> tuple[ScorerInfo, ...]:
        """Those whose scores are followed."""
        return self._tally.scorers

    def values(self) -> tuple[LiveValue, ...]:
        """Every figure as of the last page that was read, in the order of the study's findings."""
        with self._showing:
            return self._values

    def rates(self, at: datetime | None = None) -> LiveRates:
        """How writing goes, now or at a moment."""
        with self._showing:
            scored, sources = (dict(self._scored[kind]) for kind in ("output", "source"))
            return replace(self._rates.now(at), scored=scored, scored_sources=sources)

    def traces(self) -> Mapping[LiveKey, Trace]:
        """For every figure that ever was a number how it went; a point for each page of rows that was read."""
        with self._showing:
            return {key: course.trace for key, course in self._courses.items()}

    def judging(self) -> tuple[LiveJudging, ...]:
        """How far each rater is: counts and rates alone, whatever was revealed."""
        return judging_now(self._project)
