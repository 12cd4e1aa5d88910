"""Generate and score as jobs: what is reported is on disk, a cancel stops between batches, a second start goes on."""

import itertools
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from inline_compute import Inline
from trust.report import Figure

from biasprint.core.backends.protocol import Capabilities, Completion, Failure, GeneratorInfo, Request
from biasprint.core.errors import AppError, JobCancelled, UsageError
from biasprint.core.jobs import JobContext, Progress, precedence
from biasprint.core.project.project import Project
from biasprint.core.runs import writing
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.measure import measure_project
from biasprint.core.runs.setup import add_prompts, generator_spec, study_of
from biasprint.core.scorers.registry import describe
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.texts.score import PAGE, score

LETTERS = 120


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("BIASPRINT_HOME", str(tmp_path / "home"))
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def a_run(project: Project, seed: int = 3) -> int:
    prompts = add_prompts(project, "letters")
    spec = generator_spec("synthetic", "small", {})
    return start_run(project, prompt_set_id=prompts.set_id, generator=spec, seed=seed)


def test_every_output_that_is_reported_as_done_is_on_disk(project: Project) -> None:
    run = a_run(project)
    seen: list[tuple[int, int]] = []

    def listen(progress: Progress) -> None:
        seen.append((progress.done, project.outputs.count()))

    result = generate(JobContext(listen), project, run, Inline())
    assert (result.wanted, result.done, result.failed, result.added) == (LETTERS, LETTERS, 0, LETTERS)
    assert seen[-1] == (LETTERS, LETTERS)
    assert all(done <= stored for done, stored in seen)


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every text is handed out and stored alone, as those of a slow generator are."""
    monkeypatch.setattr(writing, "TOGETHER_SECONDS", 0.0)


@pytest.mark.usefixtures("one_by_one")
def test_a_cancelled_run_keeps_what_was_finished_and_goes_on_where_it_was(project: Project) -> None:
    run = a_run(project)
    ctx = JobContext(lambda progress: ctx.cancel() if progress.done >= 20 else None)
    with pytest.raises(JobCancelled):
        generate(ctx, project, run, Inline())
    kept = {row.prompt_key: row.text for row in project.outputs.each()}
    assert len(kept) == 20
    assert generate(JobContext(), project, run, Inline()).added == LETTERS - 20
    assert kept.items() <= {row.prompt_key: row.text for row in project.outputs.each()}.items()


@pytest.mark.usefixtures("one_by_one")
@pytest.mark.parametrize("cancels", [5, pytest.param(100, marks=[pytest.mark.soak, pytest.mark.timeout(1800)])])
def test_cancelled_at_any_moment_a_run_goes_on_to_what_an_uninterrupted_one_is(
    project: Project, tmp_path: Path, cancels: int, figure: Figure
) -> None:
    chance, took = random.Random(cancels), list[float]()

    def cancelled(run: int) -> bool:
        ctx, asked = JobContext(), [0.0]

        def cancel() -> None:
            asked[0] = time.monotonic()
            ctx.cancel()

        timer = threading.Timer(chance.uniform(0, 0.1), cancel)
        timer.start()
        try:
            generate(ctx, project, run, Inline())
        except JobCancelled:
            took.append(time.monotonic() - asked[0])
            return True
        finally:
            timer.cancel()
            timer.join()
        return False

    def texts(of: Project, run: int) -> dict[str, str]:
        return {row.prompt_key: row.text for row in of.outputs.each() if row.run_id == run}

    with Project.create(tmp_path / "whole.biasprint") as other:
        for seed in range(10 * cancels):
            whole, run = a_run(other, seed), a_run(project, seed)
            generate(JobContext(), other, whole, Inline())
            while len(took) < cancels and cancelled(run):
                pass
            generate(JobContext(), project, run, Inline())
            assert texts(project, run) == texts(other, whole)
            if len(took) == cancels:
                break
    assert len(took) == cancels
    figure(f"{cancels} random cancels, ended after {max(took):.1f} s at most; runs went on to equal ones", cancels)


@pytest.mark.usefixtures("one_by_one")
def test_a_pause_finishes_what_is_being_written_and_goes_on_with_the_rest(project: Project) -> None:
    run, compute = a_run(project), Inline()
    resumed = []

    def listen(progress: Progress) -> None:
        if progress.done == 20 and not resumed:
            ctx.pause()
            resumed.append(threading.Timer(0.05, ctx.resume))
            resumed[0].start()

    ctx = JobContext(listen)
    assert generate(ctx, project, run, compute).added == LETTERS
    assert len(compute.calls) == 2  # once until the pause, once for what was left


def test_a_text_is_shown_while_it_grows(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "LIVE_SECONDS", 0.0)
    seen: list[object] = []
    run = a_run(project)
    item = project.runs.pending(run, limit=1)[0]
    fields = {"task": item.prompt.task, "identity": item.prompt.identity, **item.prompt.fields}
    request = Request(item.prompt.key, item.prompt.text, 1, fields=fields)
    ctx = JobContext(lambda progress: seen.append(progress.partial))
    assert writing.write_all("synthetic", "small", {}, [request], {}, ctx) is True
    *growing, last = seen
    assert isinstance(last, writing.Written)
    ((place, completion),) = last.completions
    texts = [live.text for live in growing if isinstance(live, writing.LiveText) and live.place == place]
    assert len(texts) > 2
    assert all(later.startswith(text) for text, later in itertools.pairwise([*texts, completion.text]))


class Scripted:
    """A backend that fails in its own ways, several at once."""

    def generate_many(self, requests: Any, on_done: Any, on_text: Any, check: Any, may_start: Any) -> None:
        for place, request in reversed(list(enumerate(requests))):
            if self.leaves_out and place == 7:
                continue
            failed = place % 3 == 0
            failure: Failure = "" if not failed else "timeout" if place % 2 else "server"
            on_done(place, Completion(request.key, "error" if failed else "stop", failure=failure, detail={"n": place}))

    leaves_out = False
    name = model = "scripted"
    capabilities = Capabilities(False, False, False, True, False, concurrent=True)

    def describe(self) -> GeneratorInfo:
        return GeneratorInfo("scripted", "scripted")

    def generate(self, request: Any, on_text: Any, check: Any) -> Completion:
        raise NotImplementedError

    def close(self) -> None: ...


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    backend = Scripted()
    monkeypatch.setattr(writing, "_open", None)
    monkeypatch.setattr(writing, "open_backend", lambda *about: backend)
    return backend


def scripted_run(project: Project) -> int:
    prompts = add_prompts(project, "letters")
    spec = generator_spec("scripted", "scripted", {}, Inline())  # type: ignore[arg-type]
    return start_run(project, prompt_set_id=prompts.set_id, generator=spec, seed=3)


def test_what_comes_in_another_order_is_stored_with_its_prompt_and_failures_with_their_kind(
    project: Project, scripted: Scripted
) -> None:
    run = scripted_run(project)
    result = generate(JobContext(), project, run, Inline())
    assert (result.done, result.failed) == (80, 40)
    rows = list(project.outputs.each())
    assert all(row.text == row.prompt_key for row in rows)
    assert sorted(row.detail["n"] for row in rows) == list(range(LETTERS))
    assert project.runs.counts(run).failures == {"timeout": 20, "server": 20}
    project.outputs.forget_failures(run, ["timeout"])
    assert project.runs.counts(run).failures == {"server": 20}
    assert generate(JobContext(), project, run, Inline()).added == 20


def test_a_backend_that_leaves_requests_out_is_named_and_what_it_wrote_is_kept(
    project: Project, scripted: Scripted
) -> None:
    scripted.leaves_out = True
    with pytest.raises(AppError, match="left 1 requests without an answer"):
        generate(JobContext(), project, scripted_run(project), Inline())
    assert project.outputs.count() == LETTERS - 1


def test_the_same_generator_prompts_and_seed_are_one_run(project: Project) -> None:
    first = a_run(project)
    assert a_run(project) == first
    assert a_run(project, seed=4) != first


def test_a_cancelled_scoring_keeps_whole_pages_and_goes_on_where_it_was(project: Project) -> None:
    generate(JobContext(), project, a_run(project), Inline())
    info = next(info for info in describe() if info.name == "lexicon_published")
    study = study_of(project, "letters").id
    every_report = itertools.count().__next__  # a second later than the one before: none is left out
    ctx = JobContext(lambda progress: ctx.cancel() if progress.done >= PAGE else None, every_report)
    with pytest.raises(JobCancelled):
        score(ctx, project, study, info, Inline())
    assert project.scores.known() == ((info.name, info.version, PAGE),)
    assert score(JobContext(), project, study, info, Inline()).added == LETTERS - PAGE
    assert score(JobContext(), project, study, info, Inline()).added == 0


def test_a_study_refuses_the_options_it_does_not_have_before_it_counts_anything(project: Project) -> None:
    add_prompts(project, "letters")
    compute = Inline()
    for options in (MeasureOptions(axes=("gender",)), MeasureOptions(scorers={"lexicon": "textblob"})):
        with pytest.raises(UsageError):
            measure_project(JobContext(), project, "letters", options, compute)
    assert compute.calls == []


def test_a_job_rests_while_somebody_has_precedence():
    context, went_on = JobContext(), threading.Event()

    def work() -> None:
        context.check()
        went_on.set()

    precedence.take(60)
    try:
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        assert not went_on.wait(0.05)
    finally:
        precedence.give_back()
    assert went_on.wait(10)
    thread.join()


def test_precedence_ends_by_itself():
    precedence.take(0.01)
    JobContext().check()
    assert not precedence.taken
