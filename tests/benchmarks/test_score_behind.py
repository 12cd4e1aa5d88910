"""What scoring beside it costs the writing: the same texts written without and with it, compared within one benchmark.

Which of two runs comes first changes from pair to pair, and both write the same texts into new projects: neither the
order, nor the texts' lengths, nor a project that has grown is taken for the price of scoring.
"""

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from figures import at_least, figure, spread, title
from scipy import stats

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import JobCancelled
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.project.project import Project
from biasprint.core.prompts import cogs_set, letters_context_less_set
from biasprint.core.prompts.drafts import PromptSetDraft
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.measure import scorers_needed
from biasprint.core.runs.setup import generator_spec, store_set
from biasprint.core.scorers.registry import score_batch

pytestmark = pytest.mark.bench

PAIRS = 8
KEPT = 0.95
TEACHING = Path(__file__).parents[2] / "models" / "teaching" / "teaching.gguf"
LETTERS = letters_context_less_set(names_per_group=4)
SOME_LETTERS = replace(LETTERS, prompts=LETTERS.prompts[:96])  # of a model that writes some five a second
SYNTHETIC = ("synthetic", "medium", {})


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
    ("kind", "prompts", "samples", "generator", "what"),
    [
        ("letters", LETTERS, 100, SYNTHETIC, "letters, words counted and sentences classified"),
        ("creativity", cogs_set(), 15, SYNTHETIC, "creative texts, embedded on every core"),
        pytest.param(
            "letters", SOME_LETTERS, 1, ("llama_cpp", "teaching", {"threads": 1}), "letters of a model on one core",
            marks=pytest.mark.skipif(not TEACHING.exists(), reason="the teaching model has not been made"),
        ),
    ],
)  # fmt: skip
def test_writing_keeps_its_rate_while_texts_are_scored(
    tmp_path: Path,
    writer: ComputeProcess,
    scorer: ComputeProcess,
    kind: str,
    prompts: PromptSetDraft,
    samples: int,
    generator: tuple[str, str, dict[str, int]],
    what: str,
) -> None:
    """The synthetic author writes as fast as it can, so that whatever scoring takes is missed."""
    title(what)
    for info in scorers_needed(kind):  # the processes are up, the models loaded
        scorer.call(score_batch, info.name, ["A letter."])

    def run(seed: int, scoring: ComputeProcess | None) -> tuple[float, int]:
        path = tmp_path / f"{kind}.biasprint"
        with Project.create(path) as project:
            prompt_set = store_set(project, kind, prompts)
            spec = generator_spec(*generator)
            begun = start_run(project, prompt_set_id=prompt_set.set_id, generator=spec, seed=seed, samples=samples)
            done = written(project, begun, writer, scoring)
        path.unlink()
        return done

    alone, beside = [], []
    scored = 0
    run(PAIRS, None)  # the writer has its model, too
    for pair in range(PAIRS):
        for scoring in (None, scorer) if pair % 2 else (scorer, None):
            rate, scores = run(pair, scoring)
            (alone if scoring is None else beside).append(rate)
            scored += scores
    logs = np.log(beside) - np.log(alone)
    low, high = np.exp(stats.ttest_1samp(logs, 0.0).confidence_interval())
    figure("texts a second without scoring", spread(alone), "")
    figure("and while they are scored", spread(beside), "")
    figure("the one as a share of the other", spread(np.exp(logs).tolist()), "times")
    figure("geometric mean", float(np.exp(logs.mean())), f"times (95 % interval {low:.3f} to {high:.3f}, t, n={PAIRS})")
    figure("scored while writing", float(scored), "")
    assert scored > 0
    row = "rate of creative texts while they are scored, beside that without scoring" if kind == "creativity" else ""
    at_least("rate of writing beside that without scoring", float(np.exp(logs.mean())), KEPT, "times", row)


def written(project: Project, run: int, writer: ComputeProcess, scorer: ComputeProcess | None) -> tuple[float, int]:
    """Texts a second from the first to the last, and how many scores there were by then; the rest is not waited for."""
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
    return (texts - first) / (ended - began), sum(project.columns.last_ids()[2:])
