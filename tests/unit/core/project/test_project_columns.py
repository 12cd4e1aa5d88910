"""Columns of large tables as arrays: the same values as the rows have."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, RunSpec, ScoreSpec, SourceSpec
from biasprint.core.prompts import cogs_set
from biasprint.core.runs.setup import store_set

TEXTS = 9
FAILED = {"text": "", "status": "error", "error": "no", "failure": "timeout"}
VECTOR = np.array([0.5, -1.0, 2.0], dtype=np.float32)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "castle.biasprint") as made:
        prompts = store_set(made, "creativity", cogs_set())
        (study,) = made.studies.all()
        generator = made.runs.add_generator(GeneratorSpec(backend="written", model="x")).number("generator")
        run = made.runs.start(
            RunSpec(study_id=study.id, prompt_set_id=prompts.set_id, generator_id=generator, seed=1)
        ).number("run")
        pending = made.runs.pending(run, limit=TEXTS)
        made.outputs.record_many(
            [
                OutputSpec(
                    run_id=run, prompt_id=one.prompt.id, sample=one.sample, seed=1,
                    **(FAILED if place % 3 == 2 else {"text": "né" * place}),
                )
                for place, one in enumerate(pending)
            ]
        )  # fmt: skip
        made.sources.add_many(study.id, [SourceSpec(kind="letter", origin="a", row=1, text="rain")])
        yield made


def test_pages_hold_every_finished_output_and_go_on_over_failures(project: Project) -> None:
    ids, lengths, after = [], [], 0
    while (page := project.columns.outputs(after, limit=3)).last_id is not None:
        ids += page.ids.tolist()
        lengths += page.lengths.tolist()
        after = page.last_id
    rows = [row for row in project.outputs.each() if row.status == "done"]
    assert ids == [row.id for row in rows]
    assert lengths == [len(row.text) for row in rows]
    assert after == project.columns.last_output()


def test_a_project_without_texts_has_no_columns(tmp_path: Path) -> None:
    with Project.create(tmp_path / "empty.biasprint") as project:
        assert project.columns.outputs().last_id is None
        assert project.columns.last_output() == 0
        assert project.columns.last_ids() == (0, 0, 0, 0)
        assert project.columns.scorers() == project.columns.embedders() == ()


def test_scores_and_vectors_come_by_text_and_a_score_that_is_none_is_not_a_number(project: Project) -> None:
    ids = project.columns.outputs().ids.tolist()
    specs = [
        ScoreSpec(output_id=key, scorer="vader", version="1", values=VECTOR, summary=None if place == 1 else place / 2)
        for place, key in enumerate(ids)
    ]
    project.scores.record_many(specs)
    project.scores.record_many([ScoreSpec(source_id=1, scorer="minilm", version="2", values=VECTOR)], embeddings=True)
    assert project.columns.last_ids() == (TEXTS, 1, len(ids), 1)
    (scorer,), (embedder,) = project.columns.scorers(), project.columns.embedders()
    assert (scorer.name, scorer.version, scorer.count) == ("vader", "1", len(ids))
    found, values = project.columns.scores("output", scorer)
    assert found.tolist() == ids
    assert values[[0, 2]].tolist() == [0.0, 1.0]
    assert np.isnan(values[1])
    assert project.columns.scores("output", scorer, after_id=ids[0], limit=2)[0].tolist() == ids[1:3]
    keys, vectors = project.columns.embeddings("source", embedder)
    assert (keys.tolist(), vectors.tolist()) == ([1], [VECTOR.tolist()])
    assert len(project.columns.embeddings("output", embedder)[0]) == 0
