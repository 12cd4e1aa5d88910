"""Distances and RBS followed text by text: the digits of the measure, whatever the order, and the floor."""

from pathlib import Path

import numpy as np
import pytest
from live_scene import compared, measured, store, tally_of, written

from biasprint.core.jobs import JobContext
from biasprint.core.metrics.representative import representative_null
from biasprint.core.project.project import Project
from biasprint.core.project.rows import TextKey
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.studies.creativity.gather import embedder
from biasprint.core.studies.creativity.live import _Spread
from biasprint.core.studies.kit.declared import MeasureOptions

CHOSEN = {"tasks": ["blog", "haiku"], "themes": ["rain", "stars", "truth"], "axes": ["gender", "orientation"]}


def vectors(project: Project, seed: int = 2) -> dict[TextKey, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = project.outputs.each(OutputFilter(status="done"))
    return {("output", row.id): rng.normal(1, 1, 16) for row in rows}


@pytest.fixture
def project(tmp_path: Path):
    with Project.create(tmp_path / "study.biasprint") as made:
        yield made


def test_the_last_value_is_the_measured_one_in_whatever_order_the_texts_came(project: Project) -> None:
    written(project, "creativity", **CHOSEN)
    written(project, "creativity", seed=2, **CHOSEN)  # a second sample of every prompt
    found = vectors(project)
    tally = tally_of(project, "creativity")
    for key in np.random.default_rng(3).permutation(len(found)):
        store(project, embedder(MeasureOptions()), {list(found)[key]: list(found.values())[key]})
        tally.catch_up(JobContext())
    assert compared(tally.values(), measured(project, "creativity")) == 3 + 2 + 2
    afresh = tally_of(project, "creativity")
    afresh.catch_up(JobContext())
    assert [(one.key, one.estimate) for one in afresh.values()] == [(one.key, one.estimate) for one in tally.values()]


def test_runs_of_two_models_are_told_apart(project: Project) -> None:
    for model in ("none", "large"):
        written(project, "creativity", model=model, **CHOSEN)
    store(project, embedder(MeasureOptions()), vectors(project))
    tally = tally_of(project, "creativity")
    tally.catch_up(JobContext())
    assert {dict(one.key.dims)["generator"] for one in tally.values()} == {"none", "large"}
    assert compared(tally.values(), measured(project, "creativity")) == 2 * (3 + 2 + 2)


def test_the_floor_is_the_mean_that_permutations_give(project: Project) -> None:
    rng = np.random.default_rng(5)
    spread, distances = _Spread(["a", "b", "c"]), rng.random((60, 3))
    for place, row in enumerate(distances):
        spread.add((str(place), ""), row.tolist())
    (*_, whole) = spread.values("axis", ())
    null = representative_null(distances, rng, 4000)
    assert whole.floor == pytest.approx(null.floor.mean, rel=0.03)
    assert whole.low is not None


def test_nothing_complete_yet_has_a_sentence(project: Project) -> None:
    written(project, "creativity", **CHOSEN)
    found = vectors(project)
    first = next(row.id for row in project.outputs.each() if row.identity != "default")
    store(project, embedder(MeasureOptions()), {("output", first): found["output", first]})
    tally = tally_of(project, "creativity")
    tally.catch_up(JobContext())
    (value,) = tally.values()
    assert (value.estimate, value.reason) == (None, "no task and theme has the default output and every identity's")


def test_a_text_without_a_direction_is_left_out(project: Project) -> None:
    written(project, "creativity", **CHOSEN)
    found = vectors(project)
    for place, key in enumerate(list(found)[:6]):
        found[key] = np.zeros(16) if place % 2 else np.full(16, np.nan)
    store(project, embedder(MeasureOptions()), found)
    tally = tally_of(project, "creativity")
    tally.catch_up(JobContext())
    assert compared(tally.values(), measured(project, "creativity")) > 0
