"""Letters followed text by text: odds ratios, styles and successes with the digits of the measure."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from live_scene import Quick, compared, measured, store, tally_of, written
from made_once import made_once

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import TextKey
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.runs.measure import scorers_needed
from biasprint.core.runs.setup import study_of
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import score_batch

NAMES = ["Kelly=female", "Joseph=male"]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    path = tmp_path / "study.biasprint"

    def make() -> None:
        with Project.create(path) as made:
            written(made, "letters", names=NAMES)

    made_once("120 letters", make, path)
    with Project.open(path) as project:
        yield project


def scorers(project: Project) -> Iterator[tuple[ScorerInfo, dict[TextKey, np.ndarray]]]:
    """Real counts and successes; sentences' styles drawn at random, some letters without any."""
    study = study_of(project, "letters")
    ids = [row.id for row in project.outputs.each(OutputFilter(study_id=study.id, status="done"))]
    rng = np.random.default_rng(1)
    for info in scorers_needed("letters"):
        if info.role in ("lexicon", "success"):
            texts = project.outputs.texts(ids)
            _, values = Quick().call(score_batch, info.name, [texts[key] for key in ids])
            yield info, {("output", key): value.values for key, value in zip(ids, values, strict=True)}
        else:
            yield info, {("output", key): rng.random(rng.integers(0, 9)) for key in ids}


def test_the_last_value_is_the_measured_one_in_whatever_order_the_scores_came(project: Project) -> None:
    scored = [(info, key, values) for info, found in scorers(project) for key, values in found.items()]
    tally = tally_of(project, "letters")
    mixed = np.random.default_rng(2).permutation(len(scored))
    for some in np.array_split(mixed, 5):
        for info in scorers_needed("letters"):
            store(project, info, {scored[one][1]: scored[one][2] for one in some if scored[one][0] == info})
        tally.catch_up(JobContext())
    # Nine categories as counted here and as published, three styles, the rates of all letters and of two groups, and
    # the difference of these.
    assert compared(tally.values(), measured(project, "letters")) == 9 + 9 + 3 + 3 + 1
    banded = [one for one in tally.values() if one.key.variant == "default" and one.estimate is not None]
    assert all(one.low is not None and one.low <= (one.estimate or 0) <= (one.high or 0) for one in banded)


def test_before_any_letter_is_scored_there_is_no_figure(project: Project) -> None:
    tally = tally_of(project, "letters")
    assert tally.catch_up(JobContext())
    assert tally.values() == ()
    assert (tally.rates().texts, tally.rates().failed, tally.rates().scored) == (120, {}, {})


def test_one_group_only_has_a_sentence_where_a_ratio_would_be(project: Project) -> None:
    info, values = next(scorers(project))
    of_women = {("output", row.id) for row in project.outputs.each() if row.fields["group"] == "female"}
    store(project, info, {key: found for key, found in values.items() if key in of_women})
    tally = tally_of(project, "letters")
    tally.catch_up(JobContext())
    assert {(one.estimate, one.reason) for one in tally.values()} == {
        (None, "an odds ratio needs letters of two groups")
    }


def test_what_is_followed_of_a_run_is_that_run_alone(project: Project) -> None:
    other = written(project, "letters", seed=5, names=NAMES)
    store(project, *next(scorers(project)))
    alone, together = tally_of(project, "letters", runs=[other]), tally_of(project, "letters")
    for tally in (alone, together):
        tally.catch_up(JobContext())
    assert (alone.values()[0].n, together.values()[0].n) == (120, 240)
    assert alone.rates().texts == 120
