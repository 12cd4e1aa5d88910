"""Generate and score as jobs: what is reported is on disk, a cancel stops between batches, a second start goes on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.compute.messages import resolve
from core.errors import JobCancelled, UsageError
from core.jobs import JobContext, Progress
from core.project.project import Project
from core.runs.generate import BATCH, generate, start_run
from core.runs.measure import measure_project
from core.runs.measure.options import Options
from core.runs.score import PAGE, score
from core.runs.setup import add_prompts, generator_spec, study_of
from core.scorers.registry import describe

LETTERS = 120


class Inline:
    """Does in this process what the compute process does in its own."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def call(self, target: str, *args: Any, ctx: JobContext | None = None, on_report: Any = None, **named: Any) -> Any:
        self.calls.append(target)
        function = resolve(target, ("core",))
        if target.endswith((":write_batch", ":score_batch")):
            named["ctx"] = JobContext()
        return function(*args, **named)


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


def test_a_cancelled_run_keeps_whole_batches_and_goes_on_where_it_was(project: Project) -> None:
    run, compute = a_run(project), Inline()
    ctx = JobContext(lambda progress: ctx.cancel() if progress.done >= 2 * BATCH else None)
    with pytest.raises(JobCancelled):
        generate(ctx, project, run, compute)
    kept = {row.prompt_key: row.text for row in project.outputs.each()}
    assert len(kept) == 2 * BATCH
    assert len(compute.calls) == 2
    assert generate(JobContext(), project, run, compute).added == LETTERS - 2 * BATCH
    assert kept.items() <= {row.prompt_key: row.text for row in project.outputs.each()}.items()


def test_the_same_generator_prompts_and_seed_are_one_run(project: Project) -> None:
    first = a_run(project)
    assert a_run(project) == first
    assert a_run(project, seed=4) != first


def test_a_cancelled_scoring_keeps_whole_pages_and_goes_on_where_it_was(project: Project) -> None:
    generate(JobContext(), project, a_run(project), Inline())
    info = next(info for info in describe() if info.name == "lexicon_published")
    study = study_of(project, "letters").id
    ctx = JobContext(lambda progress: ctx.cancel() if progress.done >= PAGE else None)
    with pytest.raises(JobCancelled):
        score(ctx, project, study, info, Inline())
    assert project.scores.known() == ((info.name, info.version, PAGE),)
    assert score(JobContext(), project, study, info, Inline()).added == LETTERS - PAGE
    assert score(JobContext(), project, study, info, Inline()).added == 0


def test_a_study_refuses_the_options_it_does_not_have_before_it_counts_anything(project: Project) -> None:
    add_prompts(project, "letters")
    compute = Inline()
    for options in (Options(axes=("gender",)), Options(scorers={"lexicon": "textblob"})):
        with pytest.raises(UsageError):
            measure_project(JobContext(), project, "letters", options, compute)
    assert compute.calls == []
