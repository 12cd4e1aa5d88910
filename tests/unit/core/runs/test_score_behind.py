"""Scoring while a run is written: nothing is missed, one text that breaks a scorer costs itself, a cancel stops all."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from inline_compute import Inline

from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.project.project import Project
from biasprint.core.project.specs import SourceSpec
from biasprint.core.runs.generate import GenerateResult, generate, start_run
from biasprint.core.runs.score_behind import Pace, ScoreBehind, writing
from biasprint.core.runs.setup import add_prompts, generator_spec, study_of
from biasprint.core.scorers.protocol import ScorerInfo, ScoreValue
from biasprint.core.scorers.registry import score_batch

INFO = ScorerInfo("lengths", "length", "1")
WRITER: Any = Inline()


class Lengths:
    """The compute process with one scorer, that breaks on texts with some word."""

    def __init__(self, breaks_on: str = "\0", after: int = 10**9) -> None:
        self.asked: list[int] = []
        self._breaks_on, self._after = breaks_on, after

    def call(
        self, target: Any, name: str, texts: Sequence[str], **_: object
    ) -> tuple[dict[str, Any], list[ScoreValue]]:
        assert target is score_batch
        self.asked.append(len(texts))
        if sum(self.asked) > self._after:
            raise JobCancelled
        if any(self._breaks_on in text for text in texts):
            raise AppError("The scorer fell over.")
        return {}, [ScoreValue(np.array([len(text)], dtype=np.float32), float(len(text))) for text in texts]


@pytest.fixture
def project(tmp_path: Path) -> Any:
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def run_of(project: Project, themes: Sequence[str] = ("rain", "stars")) -> int:
    added = add_prompts(project, "creativity", tasks=["blog", "haiku"], themes=list(themes), axes=["gender"])
    return start_run(project, prompt_set_id=added.set_id, generator=generator_spec("synthetic", "none", {}), seed=1)


def wrote(
    project: Project, run: int, scorer: Lengths, monkeypatch: pytest.MonkeyPatch, ctx: JobContext | None = None
) -> GenerateResult:
    monkeypatch.setattr("biasprint.core.runs.measure.scorers_needed", lambda kind, *_: [INFO])
    return generate(ctx or JobContext(), project, run, WRITER, scoring=scorer)  # type: ignore[arg-type]


def missing(project: Project) -> int:
    return project.scores.missing("output", INFO.name, INFO.version, study_id=study_of(project, "creativity").id)


def test_every_text_is_scored_when_the_run_ends(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    result = wrote(project, run_of(project), Lengths(), monkeypatch)
    (scored,) = result.scored
    assert (scored.added, scored.failed, scored.given_up, missing(project)) == (result.done, 0, False, 0)


def test_without_scoring_nothing_is_scored(project: Project) -> None:
    result = generate(JobContext(), project, run_of(project), WRITER)
    assert (result.scored, missing(project)) == ((), result.done)


def test_a_text_that_breaks_the_scorer_costs_itself_alone(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = generate(JobContext(), project, run_of(project), WRITER)
    first = project.outputs.page()[3].text
    rest = sum(row.text != first for row in project.outputs.each())
    result = wrote(project, run_of(project), Lengths(breaks_on=first), monkeypatch)  # resumed: all are there
    (scored,) = result.scored
    assert (scored.added, scored.failed) == (rest, texts.done - rest)
    assert scored.error == "The scorer fell over."


def test_a_scorer_that_breaks_later_is_given_up_and_what_it_scored_is_kept(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Worn(Lengths):
        """Scores the first page and nothing after it."""

        def call(self, target: Any, name: str, texts: Sequence[str], **_: object) -> Any:
            if self.asked:
                raise AppError("The model is gone.")
            return super().call(target, name, texts)

    result = wrote(project, run_of(project, ("rain", "stars", "truth", "sun")), Worn(), monkeypatch)
    (scored,) = result.scored
    assert result.done == 32
    assert scored.added + missing(project) == 32
    assert (scored.failed, scored.error, scored.given_up) == (16, "The model is gone.", True)


def test_originals_are_scored_too(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_of(project)
    study = study_of(project, "creativity")
    project.sources.add_many(study.id, [SourceSpec(kind="original", origin="a.csv", row=1, text="An article.")])
    (scored,) = wrote(project, run, Lengths(), monkeypatch).scored
    assert scored.added == 8 * 2 + 1
    assert project.scores.missing("source", INFO.name, INFO.version, study_id=study.id) == 0


def test_a_scorer_that_fails_on_everything_is_given_up(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = Lengths(breaks_on="")
    result = wrote(project, run_of(project, ("rain", "stars", "truth", "sun")), scorer, monkeypatch)
    (scored,) = result.scored
    assert result.done == 32
    assert (scored.added, scored.failed) == (0, 16)


def test_cancelled_at_the_first_text_the_next_start_scores_the_rest(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = run_of(project)

    def stop(progress: Progress) -> None:
        if progress.partial is not None:
            ctx.cancel()

    ctx = JobContext(stop)
    with pytest.raises(JobCancelled):
        wrote(project, run, Lengths(), monkeypatch, ctx)
    result = wrote(project, run, Lengths(), monkeypatch)
    assert (result.done, missing(project)) == (result.wanted, 0)


def test_a_run_that_fails_while_it_is_paused_ends_without_being_resumed(project: Project) -> None:
    generate(JobContext(), project, run_of(project), WRITER)
    held = threading.Event()

    class Paused(JobContext):
        """Tells when somebody has seen that it is paused."""

        @property
        def paused(self) -> bool:
            if super().paused:
                held.set()
            return super().paused

    ctx, scorer = Paused(), Lengths()
    ctx.pause()
    study = study_of(project, "creativity")

    def fail() -> None:
        with ScoreBehind(ctx, project, study.id, [INFO], scorer) as behind:  # type: ignore[arg-type]
            behind.stored()
            assert held.wait(60)
            raise AppError("The endpoint is gone.")

    with pytest.raises(AppError, match="The endpoint is gone"):
        fail()
    assert scorer.asked == []


# ---- Beside the next run


class Held(Lengths):
    """Scores once it may; a cancel ends the wait, as that of the compute process does."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.may = threading.Event(), threading.Event()

    def call(self, target: Any, name: str, texts: Sequence[str], *, ctx: JobContext, **_: object) -> Any:
        self.begun.set()
        while not self.may.wait(0.01):
            ctx.check()
        return super().call(target, name, texts)


def test_a_run_writes_while_the_texts_of_the_one_before_it_are_scored_and_none_is_scored_twice(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("biasprint.core.runs.measure.scorers_needed", lambda kind, *_: [INFO])
    scorer: Any = Held()
    first, second = run_of(project), run_of(project, ("truth",))
    results: dict[int, GenerateResult] = {}
    written = {first: threading.Event(), second: threading.Event()}

    def write(run: int) -> None:
        told = written[run].set
        results[run] = generate(JobContext(), project, run, WRITER, scoring=scorer, on_written=told)

    threads = [threading.Thread(target=write, args=(run,)) for run in (first, second)]
    for thread, run in zip(threads, written, strict=True):
        thread.start()
        assert written[run].wait(60)
    assert missing(project) == 24  # both are written, and nothing is scored yet
    scorer.may.set()
    for thread in threads:
        thread.join(60)
    added = [results[run].scored[0].added for run in (first, second)]
    assert sum(added) == sum(scorer.asked) == 24  # no text twice
    assert added[0] <= 16  # none of the second's; the second may score what is left of the first's
    assert missing(project) == 0


def test_what_is_left_of_a_run_is_scored_at_the_pace_of_the_run_that_writes(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate(JobContext(), project, run_of(project, ("rain", "stars", "truth", "sun")), WRITER)
    resting, scorer = threading.Event(), Lengths()

    def rest(self: Pace, seconds: float) -> float:
        resting.set()
        return 3600.0

    monkeypatch.setattr(Pace, "rest", rest)
    study = study_of(project, "creativity")
    with ExitStack() as another, ScoreBehind(JobContext(), project, study.id, [INFO], scorer) as behind:  # type: ignore[arg-type]
        another.enter_context(writing())
        behind.all_written()
        assert resting.wait(60)
        assert sum(scorer.asked) < 32
        another.close()  # the other run is written
        (scored,) = behind.finish(32)
    assert scored.added == 32


@pytest.mark.parametrize("held", ["scoring", "resting"])
def test_a_run_that_is_cancelled_while_its_texts_are_scored_ends_at_once_and_its_texts_stay(
    project: Project, monkeypatch: pytest.MonkeyPatch, held: str
) -> None:
    monkeypatch.setattr("biasprint.core.runs.measure.scorers_needed", lambda kind, *_: [INFO])
    scorer, ctx, resting = Held(), JobContext(), threading.Event()
    monkeypatch.setattr(Pace, "rest", lambda self, seconds: resting.set() or 3600.0)
    with ExitStack() as another:

        def cancel() -> None:
            if held == "resting":
                another.enter_context(writing())
                scorer.may.set()
            assert (scorer.begun if held == "scoring" else resting).wait(60)
            ctx.cancel()

        with pytest.raises(JobCancelled):
            generate(
                ctx, project, run_of(project, ("rain", "stars", "truth", "sun")), WRITER,
                scoring=scorer, on_written=cancel,  # type: ignore[arg-type]
            )  # fmt: skip
    assert project.outputs.count() == 32
    assert missing(project) > 0


def test_a_scorer_that_fails_in_a_way_nobody_foresaw_is_told_when_all_is_written(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Wrong(Lengths):
        def call(self, target: Any, name: str, texts: Sequence[str], **_: object) -> Any:
            raise RuntimeError("Nobody foresaw this.")

    told: list[str] = []
    monkeypatch.setattr("biasprint.core.runs.measure.scorers_needed", lambda kind, *_: [INFO])
    with pytest.raises(RuntimeError, match="Nobody foresaw this"):
        generate(
            JobContext(), project, run_of(project), WRITER,
            scoring=Wrong(), on_written=lambda: told.append("written"),  # type: ignore[arg-type]
        )  # fmt: skip
    assert (told, project.outputs.count()) == (["written"], 16)


def test_a_scorer_that_cannot_be_used_here_is_left_out(project: Project) -> None:
    infos = [ScorerInfo("absent", unavailable="It lacks its model.")]
    with ScoreBehind(JobContext(), project, 1, infos, WRITER) as behind:
        behind.all_written()
        assert behind.finish(0) == ()


# ---- The pace


class Clock:
    """A writer whose texts come when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._now = 0.0
        monkeypatch.setattr("biasprint.core.runs.score_behind.time.monotonic", lambda: self._now)
        self.pace = Pace()
        self.pace.wrote(1)

    def write(self, texts: int, seconds: float) -> None:
        for _ in range(texts):
            self._now += seconds / texts
            self.pace.wrote(1)

    def wait(self, seconds: float) -> None:
        self._now += seconds

    @contextmanager
    def scoring(self) -> Iterator[None]:
        self.pace.turn(busy=True)
        yield
        self.pace.turn(busy=False)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_the_rest_keeps_the_rate_of_writing(clock: Clock) -> None:
    """100 texts a second while nothing is scored and 60 while something is: a share of .075 keeps 97 of them."""
    clock.write(100, 1.0)
    with clock.scoring():
        clock.write(60_000, 1000.0)
    assert clock.pace.rest(1.0) == pytest.approx(1 / 0.075 - 1, rel=0.01)


def test_as_long_as_it_is_not_known_what_scoring_costs_little_is_scored(clock: Clock) -> None:
    clock.write(100, 1.0)
    with clock.scoring():
        clock.write(1, 0.01)
    assert clock.pace.rest(1.0) > 30


def test_scoring_that_slows_nothing_does_not_rest(clock: Clock) -> None:
    clock.write(100, 1.0)
    with clock.scoring():
        clock.write(9900, 100.0)
    assert clock.pace.rest(1.0) == 0.0


def test_scoring_that_stops_the_writing_rests_for_32_times_as_long(clock: Clock) -> None:
    clock.write(100, 1.0)
    with clock.scoring():
        clock.wait(2.0)
    clock.write(1, 0.01)
    assert clock.pace.rest(2.0) == pytest.approx(2.0 * (1 / 0.03 - 1), rel=0.02)


def test_a_pause_is_no_slow_writing(clock: Clock) -> None:
    clock.write(100, 1.0)
    clock.wait(600)
    clock.write(100, 1.0)
    with clock.scoring():
        clock.write(5_000, 100.0)
    assert clock.pace.rest(1.0) == pytest.approx(1 / 0.06 - 1, rel=0.02)


def test_one_text_a_minute_is_a_pace_too(clock: Clock) -> None:
    clock.write(20, 1200.0)
    with clock.scoring():
        clock.write(10, 1200.0)
    assert clock.pace.rest(1.0) == pytest.approx(1 / 0.06 - 1, rel=0.01)


def test_while_the_rest_is_scored_it_is_reported_by_which_scorer(project: Project) -> None:
    generate(JobContext(), project, run_of(project), WRITER)
    told = threading.Event()

    class Slow(Lengths):
        """Answers once somebody was told that it is at work."""

        def call(self, target: Any, name: str, texts: Sequence[str], **_: object) -> Any:
            assert told.wait(60)
            return super().call(target, name, texts)

    def listen(progress: Progress) -> None:
        if progress.note == INFO.name:
            told.set()

    study = study_of(project, "creativity")
    with ScoreBehind(JobContext(listen), project, study.id, [INFO], Slow()) as behind:  # type: ignore[arg-type]
        behind.all_written()
        (scored,) = behind.finish(16)
    assert scored.added == 16
