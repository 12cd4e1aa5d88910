"""What scoring beside it costs the writing: runs without and with it in turn, compared within one benchmark."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from figures import figure, spread, title

from core.compute import ComputeProcess, calls
from core.errors import JobCancelled
from core.jobs import JobContext, Progress
from core.project.project import Project
from core.prompts import cogs_set, letters_context_less_set
from core.prompts.drafts import PromptSetDraft
from core.runs.generate import generate, start_run
from core.runs.measure import scorers_needed
from core.runs.setup import generator_spec, store_set

pytestmark = pytest.mark.bench

ROUNDS = 5
KEPT = 0.95


@pytest.fixture(scope="module")
def writer() -> Iterator[ComputeProcess]:
    process = ComputeProcess()
    yield process
    process.close()


@pytest.fixture(scope="module")
def scorer() -> Iterator[ComputeProcess]:
    process = ComputeProcess()
    yield process
    process.close()


@pytest.mark.parametrize(
    ("kind", "prompts", "samples", "what"),
    [
        ("letters", letters_context_less_set(names_per_group=4), 40, "letters, words counted and sentences classified"),
        ("creativity", cogs_set(), 6, "creative texts, embedded by torch on every core"),
    ],
)
def test_writing_keeps_its_rate_while_texts_are_scored(
    tmp_path: Path,
    writer: ComputeProcess,
    scorer: ComputeProcess,
    kind: str,
    prompts: PromptSetDraft,
    samples: int,
    what: str,
) -> None:
    """The synthetic author writes as fast as it can, so that whatever scoring takes is missed."""
    title(what)
    alone, beside, kept = [], [], []
    scored = 0
    with Project.create(tmp_path / f"{kind}.biasprint") as project:
        prompt_set = store_set(project, kind, prompts)
        for info in scorers_needed(kind):  # the processes are up, the models loaded
            scorer.call(calls.score_batch, info.name, ["A letter."])
        for seed in range(ROUNDS):
            alone.append(written(project, run_of(project, prompt_set.set_id, 2 * seed, samples), writer, None)[0])
            run = run_of(project, prompt_set.set_id, 2 * seed + 1, samples)
            rate, done = written(project, run, writer, scorer)
            beside.append(rate)
            kept.append(rate / alone[-1])
            scored += done
    figure("texts a second without scoring", spread(alone), "")
    figure("and while they are scored", spread(beside), "")
    figure("of the rate of the run before it", spread(kept), f"times, at least {KEPT}")
    figure("scored while writing", float(scored), "")
    assert scored > 0
    assert spread(kept).median >= KEPT


def run_of(project: Project, set_id: int, seed: int, samples: int) -> int:
    spec = generator_spec("synthetic", "medium", {})
    return start_run(project, prompt_set_id=set_id, generator=spec, seed=seed, samples=samples)


def written(project: Project, run: int, writer: ComputeProcess, scorer: ComputeProcess | None) -> tuple[float, int]:
    """Texts a second from the first to the last, and how many scores there were by then; the rest is not waited for."""
    known = sum(project.columns.last_ids()[2:])
    began = ended = 0.0
    texts = first = 0

    def listen(progress: Progress) -> None:
        nonlocal began, ended, texts, first
        if progress.partial is None:
            return
        ended, texts = time.perf_counter(), progress.done
        if not began:
            began, first = ended, progress.done
        if progress.done == progress.total and scorer is not None:
            ctx.cancel()

    ctx = JobContext(listen)
    try:
        generate(ctx, project, run, writer, scoring=scorer)
    except JobCancelled:
        assert scorer is not None
    scores = sum(project.columns.last_ids()[2:]) - known
    return (texts - first) / (ended - began), scores
