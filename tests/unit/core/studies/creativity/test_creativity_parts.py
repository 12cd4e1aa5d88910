"""Creativity by task, topic, rater, model and temperature: what each part holds, and how its tests are adjusted."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.spatial.distance import cosine

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.metrics.result import holm
from biasprint.core.prompts.cogs import cogs_themes
from biasprint.core.studies.creativity.choices import JudgmentTable, topic_of
from biasprint.core.studies.creativity.distances import OutputTable
from biasprint.core.studies.creativity.judgments import measure_judgments
from biasprint.core.studies.creativity.outputs import measure_outputs

GENDER = ("man", "woman", "non-binary")
AXES = {"gender": GENDER}
TASKS = ("haiku", "song")
THEMES = tuple(theme.key for theme in cogs_themes())


def judgments(favoured: dict[tuple[str, str, str], str], themes: tuple[str, ...] = THEMES) -> JudgmentTable:
    """Every rater judges every model's texts on every task and theme; `favoured`: (rater, model, task) → identity."""
    rng = np.random.default_rng(0)
    raters, models, tasks = (sorted({key[place] for key in favoured}) for place in range(3))
    rows = [
        (f"{task} {theme}", rater, model, task, theme, favoured[rater, model, task])
        for rater, model, task, theme in product(raters, models, tasks, themes)
    ]
    chosen = [name if rng.random() < 0.8 else GENDER[rng.integers(3)] for *_, name in rows]
    comparison, rater, model, task, theme, _ = zip(*rows, strict=True)
    length = len(rows)
    return JudgmentTable(
        comparison, rater, ("gender",) * length, (GENDER,) * length, ("choice",) * length, tuple(chosen),
        task=task, theme=theme, model=model,
    )  # fmt: skip


def find(result: StudyResult, name: str, label: str, **dims: str) -> Finding:
    (found,) = [
        each
        for each in result.findings
        if (each.id, each.label, each.variant) == (name, label, "default")
        and dict(each.dims) == {"axis": "gender", **dims}
    ]
    return found


def test_who_judges_whose_texts_is_a_matrix_with_margins() -> None:
    """Each evaluator favours another identity, but only in m1's texts."""
    favoured = {
        ("r1", "m1", "haiku"): "man",
        ("r1", "m2", "haiku"): "non-binary",
        ("r2", "m1", "haiku"): "woman",
        ("r2", "m2", "haiku"): "non-binary",
    }
    table = judgments(favoured)
    result = measure_judgments(table, axes=AXES, resamples=200, parts=True)
    for (rater, model, _), identity in favoured.items():
        cell = find(result, "creativity.abs", "gender", rater=rater, model=model)
        assert cell.n == 30
        assert f"Chosen most often: {identity}." in cell.note
        picked = [
            choice
            for by, of, choice in zip(table.rater, table.model, table.chosen, strict=True)
            if (by, of) == (rater, model)
        ]
        shares = [picked.count(name) / 30 for name in GENDER]
        assert cell.estimate == pytest.approx(np.std(shares))
        share = find(result, "creativity.share", identity, rater=rater, model=model)
        assert share.estimate == pytest.approx(picked.count(identity) / 30)
    assert find(result, "creativity.abs", "gender", rater="r1").n == 60
    assert find(result, "creativity.abs", "gender", model="m2").n == 60
    assert find(result, "creativity.abs", "gender").n == 120


def test_one_comparison_id_for_two_models_is_two_comparisons() -> None:
    table = judgments({("r1", model, "haiku"): "man" for model in ("m1", "m2")})
    whole = find(measure_judgments(table, axes=AXES, resamples=100), "creativity.abs", "gender")
    assert whole.n == 60
    assert "judged again" not in whole.dropped


def test_parts_by_task_and_topic_add_up_to_the_whole() -> None:
    table = judgments({("r1", "m1", "haiku"): "man", ("r1", "m1", "song"): "woman"})
    result = measure_judgments(table, axes=AXES, resamples=200, parts=True)
    assert [find(result, "creativity.abs", "gender", task=task).n for task in TASKS] == [30, 30]
    topics = {topic_of(theme) for theme in THEMES}
    assert len(topics) == 10
    assert sum(find(result, "creativity.abs", "gender", topic=topic).n for topic in topics) == 60
    haiku = find(result, "creativity.share", "man", task="haiku")
    assert haiku.estimate is not None
    assert haiku.estimate > 0.7
    assert haiku.title == "Share of choices: man, task haiku"


def test_a_part_is_tested_after_the_whole_that_it_is_of() -> None:
    """Opposite preferences in two tasks cancel: nothing is claimed of a part before the whole."""
    table = judgments({("r1", "m1", "haiku"): "man", ("r1", "m1", "song"): "woman"})
    result = measure_judgments(table, axes=AXES, resamples=200, parts=True)
    for identity in GENDER:
        whole = find(result, "creativity.share", identity)
        parts = [find(result, "creativity.share", name, task=task) for task in TASKS for name in GENDER]
        adjusted = dict(
            zip([(part.dims["task"], part.label) for part in parts], holm([p.p for p in parts]), strict=True)
        )
        for task in TASKS:
            part = find(result, "creativity.share", identity, task=task)
            assert part.p_adjusted == pytest.approx(max(adjusted[task, identity] or 0, whole.p_adjusted or 0))
            assert part.adjust is not None
            assert "by task, 6 tests, after the whole" in part.adjust.family


def test_raters_and_models_are_their_own_family_without_a_gate() -> None:
    """Two evaluators with opposite preferences: each has its own, though together they have none."""
    table = judgments({("r1", "m1", "haiku"): "man", ("r2", "m1", "haiku"): "woman"})
    result = measure_judgments(table, axes=AXES, resamples=200, parts=True)
    cells = [find(result, "creativity.abs", "gender", rater=rater) for rater in ("r1", "r2")]
    assert [cell.p_adjusted for cell in cells] == holm([cell.p for cell in cells])
    assert all(cell.p_adjusted is not None and cell.p_adjusted < 0.001 for cell in cells)


def test_nothing_is_cut_by_what_has_one_value_or_none() -> None:
    table = judgments({("r1", "m1", "haiku"): "man"}, themes=("stars", "my own theme"))
    result = measure_judgments(table, axes=AXES, resamples=100, parts=True)
    elsewhere = ("creativity.agreement", "creativity.quality")
    of_choices = [finding for finding in result.findings if not finding.id.startswith(elsewhere)]
    assert all(set(finding.dims) == {"axis"} for finding in of_choices)


def test_without_parts_nothing_but_the_whole_is_measured() -> None:
    table = judgments(dict.fromkeys(product(("r1", "r2"), ("m1", "m2"), TASKS), "man"))
    result = measure_judgments(table, axes=AXES, resamples=100)
    assert {tuple(finding.dims) for finding in result.findings} == {("axis",)}
    assert {finding.id for finding in result.findings} == {"creativity.share", "creativity.abs"}


def test_a_raters_handful_of_choices_on_a_task_is_no_cell() -> None:
    favoured = {(rater, "m1", task): "man" for rater in ("r1", "r2") for task in TASKS}
    few = measure_judgments(judgments(favoured, themes=THEMES[:4]), axes=AXES, resamples=50, parts=True)
    enough = measure_judgments(judgments(favoured, themes=THEMES[:5]), axes=AXES, resamples=50, parts=True)
    assert not any({"rater", "task"} <= set(finding.dims) for finding in few.findings)
    assert find(enough, "creativity.abs", "gender", rater="r1", task="song").n == 5


def outputs(far_in: str = "haiku", themes: tuple[str, ...] = THEMES) -> tuple[OutputTable, np.ndarray]:
    """Outputs of two tasks; the woman's lie far from the default in one of them."""
    rng = np.random.default_rng(1)
    rows, vectors = [], []
    for task, theme in product(TASKS, themes):
        centre = rng.normal(size=24)
        for identity in ("default", *GENDER):
            rows.append((task, theme, identity))
            far = identity == "woman" and task == far_in
            vectors.append(centre + rng.normal(size=24) * (1.2 if far else 0.5))
    task, theme, identity = zip(*rows, strict=True)
    return OutputTable(task, theme, identity), np.array(vectors)


def test_rbs_by_task_and_topic_rests_on_that_parts_outputs() -> None:
    table, vectors = outputs()
    result = measure_outputs(table, vectors, axes=AXES, resamples=500, parts=True)
    place = dict(zip(zip(table.task, table.theme, table.identity, strict=True), vectors, strict=True))
    for task in TASKS:
        means = [
            np.mean([cosine(place[task, theme, name], place[task, theme, "default"]) for theme in THEMES])
            for name in GENDER
        ]
        score = find(result, "creativity.rbs", "gender", task=task)
        assert score.estimate == pytest.approx(np.std(means))
        assert score.n == 30
        assert find(result, "creativity.distance", "woman", task=task).estimate == pytest.approx(means[1])
    haiku, song = (find(result, "creativity.rbs", "gender", task=task) for task in TASKS)
    assert haiku.p_adjusted is not None
    assert haiku.p_adjusted <= 0.05
    assert song.p_adjusted is not None
    assert song.p_adjusted > 0.05
    cosmos = find(result, "creativity.rbs", "gender", topic="cosmological")
    assert cosmos.n == 6


def test_a_small_part_says_that_it_has_no_interval() -> None:
    table, vectors = outputs(themes=("stars", "sun", "rain", "trees"))
    result = measure_outputs(table, vectors, axes=AXES, resamples=100, parts=True)
    small = find(result, "creativity.rbs", "gender", topic="cosmological")
    assert small.n == 4
    assert small.interval is None
    assert small.reason == "interval: fewer than 6 complete tasks and themes"
    assert small.floor is not None


def test_themes_of_ones_own_have_the_topics_that_they_were_given() -> None:
    table, vectors = outputs(themes=("stars", "tides", "waves", "bicycles"))
    own = {"tides": "sea", "waves": "sea", "stars": "not asked: the suite's is known"}
    table = replace(table, topic=tuple(own.get(theme, "") for theme in table.theme))
    result = measure_outputs(table, vectors, axes=AXES, resamples=50, parts=True)
    assert find(result, "creativity.rbs", "gender", topic="sea").n == 4
    assert {one.dims["topic"] for one in result.findings if "topic" in one.dims} == {"sea", "cosmological"}

    judged = judgments({("r1", "m1", "haiku"): "man"}, themes=("stars", "tides", "waves"))
    judged = replace(judged, topic=tuple(own[theme] for theme in judged.theme))
    result = measure_judgments(judged, axes=AXES, resamples=50, parts=True)
    assert find(result, "creativity.abs", "gender", topic="sea").n == 2


def test_topics_are_known_by_a_themes_key_or_text() -> None:
    assert topic_of("social_media") == topic_of("Social media") == "technological"
    assert topic_of("bicycles") == ""


def test_published_values_stand_beside_the_published_variant_of_the_whole_alone() -> None:
    table, vectors = outputs()
    result = measure_outputs(table, vectors, axes=AXES, resamples=50, parts=True)
    published = [f for f in result.findings if f.id == "creativity.rbs" and f.variant == "as_published"]
    assert ["GPT-4 0.026" in finding.note for finding in published] == [set(f.dims) == {"axis"} for f in published]
    choices = measure_judgments(judgments({("r1", "m1", "haiku"): "man"}), axes=AXES, resamples=50)
    (score,) = [f for f in choices.findings if f.id == "creativity.abs" and f.variant == "as_published"]
    assert "GPT-4 0.171" in score.note
    assert "confounded with position" in score.note
