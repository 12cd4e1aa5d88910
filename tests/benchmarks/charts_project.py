"""A project for live charts: creative texts with vectors, judged by three people, and a run to go on with."""

import random
from pathlib import Path

import numpy as np

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, JudgmentSpec, OutputSpec, RaterSpec, RunSpec, ScoreSpec
from biasprint.core.prompts import cogs_set
from biasprint.core.runs.compare import compare
from biasprint.core.runs.setup import store_set
from biasprint.core.scorers.registry import best_scorer, scorer_for

SAMPLES = 40  # of the run: many more than arrive while it is measured
WRITTEN = 3_240  # outputs that are there at the start: a whole paper's set
PER_AXIS = 60
FIRST_RATERS = 3
DIMENSIONS = 384
AXES = ("race", "gender", "orientation")


def with_everything(path: Path) -> None:
    chance = random.Random(1)
    with Project.create(path) as project:
        prompt_set = store_set(project, "creativity", cogs_set())
        (study,) = project.studies.all()
        generator = project.runs.add_generator(GeneratorSpec(backend="written", model="x")).number("generator")
        run = project.runs.start(
            RunSpec(
                study_id=study.id, prompt_set_id=prompt_set.set_id, generator_id=generator, seed=1, samples=SAMPLES
            )
        ).number("run")  # fmt: skip
        pending = project.runs.pending(run, limit=WRITTEN * SAMPLES)
        texts = [
            OutputSpec(
                run_id=run, prompt_id=one.prompt.id, sample=one.sample, seed=1,
                text=" ".join(chance.choices(("castle", "rain", "stars", "door", "hours", "ajar"), k=40)),
            )
            for one in pending if one.sample == 0
        ]  # fmt: skip
        project.outputs.record_many(texts)
        add_vectors(project, list(project.outputs.ids()))
        compare(JobContext(), project, study_id=study.id, axes=AXES, per_axis=PER_AXIS, seed=1)
        judge(project, tuple(f"R{number:02d}" for number in range(1, FIRST_RATERS + 1)))


def add_vectors(project: Project, outputs: list[int]) -> None:
    """Vectors as the embedder that charts take would give: of its name and length, but random."""
    info = best_scorer("embedding") or scorer_for("embedding", None, "minilm")
    numbers = np.random.default_rng(outputs[0])
    specs = [
        ScoreSpec(output_id=key, scorer=info.name, version=info.version, values=numbers.normal(size=DIMENSIONS))
        for key in outputs
    ]
    project.scores.record_many(specs, embeddings=True)


def judge(project: Project, codes: tuple[str, ...]) -> None:
    """Every comparison, at random, by each rater; then revealed."""
    chance = random.Random(codes[0])
    (plan,) = project.judging.plans()
    for code in codes:
        rater = project.judging.add_rater(RaterSpec(code=code)).uuid("rater")
        session = project.judging.open_session(plan.id, rater).uuid("session")
        for row in project.judging.comparisons(plan.id):
            number = len(row.items)
            project.judging.record(
                JudgmentSpec(
                    session_id=session, comparison_id=row.id, outcome="choice", chosen=chance.randrange(number),
                    shown=tuple(range(number)), texts_sha256=row.texts_sha256, active_seconds=1.0,
                )
            )  # fmt: skip
        project.judging.reveal(session)
