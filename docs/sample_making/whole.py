"""Build the sample project: texts to judge, planted letters and the real part, scored and measured."""

from pathlib import Path

from biasprint.core.compute import ComputeProcess
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.prompts import letters_context_less_set
from biasprint.core.runs.compare import compare
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.measure import measure_project
from biasprint.core.runs.sample import AXES, DIAL, about, add_written, sample_texts
from biasprint.core.runs.setup import generator_spec, store_set, study_of
from biasprint.core.scorers.registry import describe
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.texts.score import score
from sample_making.real import add_real

# What the studies' measures read, and a sentiment to look at.
SCORERS = {
    "creativity": ("minilm", "textblob"),
    "letters": ("lexicon", "lexicon_published", "textblob"),
    "completion": (),
}
SEED = 2026


def build_sample(ctx: JobContext, compute: ComputeProcess, path: Path) -> None:
    """Make the sample at `path`, scored and measured; its real part is put in as it is shipped."""
    with Project.create(path) as project:
        add_texts(ctx, project, compute)
        known = {info.name: info for info in describe()}
        for study in project.studies.all():
            for name in SCORERS[study.kind]:
                score(ctx, project, study.id, known[name], compute)
            measure_project(ctx, project, study.kind, MeasureOptions(), compute)
        project.events.add("sample", {"about": about()["statement"]})


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
