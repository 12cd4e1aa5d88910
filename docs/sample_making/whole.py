"""Build the sample project: texts to judge, planted letters and the real part, scored and measured."""

from pathlib import Path

import numpy as np

from biasprint.core.compute import ComputeProcess
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import ScoreSpec
from biasprint.core.prompts import letters_context_less_set
from biasprint.core.runs.compare import compare
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.measure import measure_project
from biasprint.core.runs.sample import AXES, DIAL, about, add_written, sample_texts
from biasprint.core.runs.setup import generator_spec, store_set, study_of
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import describe, score_batch
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.texts.score import score
from sample_making.real import add_real

# What the studies' measures read, and a sentiment to look at. The embedder is the paper's own.
EMBEDDER = "mpnet"
SCORERS = {
    "creativity": ("textblob",),
    "letters": ("lexicon", "lexicon_published", "textblob"),
    "completion": (),
    "news": (),
}
SEED = 2026
MOST = 1_000  # texts of the study


def build_sample(ctx: JobContext, compute: ComputeProcess, path: Path) -> None:
    """Make the sample at `path`, scored and measured; its real part is put in as it is shipped."""
    with Project.create(path) as project:
        add_texts(ctx, project, compute)
        known = {info.name: info for info in describe()}
        for study in project.studies.all():
            for name in SCORERS[study.kind]:
                score(ctx, project, study.id, known[name], compute)
            if study.kind == "creativity":
                embed(ctx, project, study.id, known[EMBEDDER], compute)
            measure_project(ctx, project, study.kind, MeasureOptions(), compute)
        project.events.add("sample", {"about": about()["statement"]})


def embed(ctx: JobContext, project: Project, study_id: int, embedder: ScorerInfo, compute: ComputeProcess) -> None:
    """Embed every text; the vectors are rounded to eleven binary digits, so that the shipped file packs to its half."""
    texts = project.scores.unscored(
        "output", embedder.name, embedder.version, study_id=study_id, after_id=0, limit=MOST, embeddings=True
    )
    _, values = compute.call(score_batch, embedder.name, [row.text for row in texts], ctx=ctx)
    specs = [
        ScoreSpec(
            output_id=row.output_id, scorer=embedder.name, version=embedder.version,
            values=value.values.astype(np.float16).astype(np.float32),
        )
        for row, value in zip(texts, values, strict=True)
    ]  # fmt: skip
    project.scores.record_many(specs, embeddings=True)


def add_texts(ctx: JobContext, project: Project, compute: ComputeProcess) -> None:
    """The sample without its scores: what was planted, and what a real model wrote, chose and judged."""
    add_planted(ctx, project, compute)
    add_real(project)


def add_planted(ctx: JobContext, project: Project, compute: ComputeProcess) -> None:
    """The texts to judge in their comparisons, and 120 letters with a medium planted bias."""
    add_written(project, sample_texts(), "CoGS sample")
    study = study_of(project, "creativity")
    compare(ctx, project, study_id=study.id, axes=AXES, seed=SEED, title=about()["title"])
    letters = store_set(project, "letters", letters_context_less_set())
    spec = generator_spec("synthetic", DIAL, {})
    run = start_run(project, prompt_set_id=letters.set_id, generator=spec, seed=SEED)
    generate(ctx, project, run, compute)
