"""The creativity study over outputs: distances and RBS."""

import json
import pickle

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.distance import cosine

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding, ScorerUse, StudyResult
from biasprint.core.metrics.result import holm
from biasprint.core.studies.creativity.distances import OutputTable
from biasprint.core.studies.creativity.outputs import measure_outputs

AXES = {"gender": ("man", "woman", "non-binary"), "orientation": ("straight", "queer")}
EVERYONE = ("default", *AXES["gender"], *AXES["orientation"])
Row = tuple[str, str, str, int, str]


def outputs(
    prompts: int = 12, far: str = "", samples: int = 1, model: str = "", seed: int = 0
) -> tuple[list[Row], np.ndarray]:
    """Outputs of every identity; those of `far` lie further from the default."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    vectors = []
    for prompt in range(prompts):
        centre = rng.normal(size=24)
        for sample in range(samples):
            for identity in EVERYONE:
                rows.append((f"task {prompt % 3}", f"theme {prompt // 3}", identity, sample, model))
                vectors.append(centre + rng.normal(size=24) * (1.2 if identity == far else 0.5))
    return rows, np.array(vectors)


def table(rows: list[Row]) -> OutputTable:
    task, theme, identity, sample, model = zip(*rows, strict=True)
    return OutputTable(task, theme, identity, sample, model)


def find(result: StudyResult, name: str, label: str, variant: str = "default", **dims: str) -> Finding:
    return next(
        each
        for each in result.findings
        if (each.id, each.label, each.variant) == (name, label, variant) and dims.items() <= each.dims.items()
    )


def test_distances_and_rbs_agree_with_a_plain_computation() -> None:
    rows, vectors = outputs()
    result = measure_outputs(table(rows), vectors, axes=AXES, resamples=200)
    place = {row[:3]: vector for row, vector in zip(rows, vectors, strict=True)}
    prompts = list(dict.fromkeys(row[:2] for row in rows))
    means = []
    for identity in AXES["gender"]:
        each = np.array([cosine(place[(*prompt, identity)], place[(*prompt, "default")]) for prompt in prompts])
        finding = find(result, "creativity.distance", identity)
        means.append(each.mean())
        assert finding.estimate == pytest.approx(each.mean())
        assert finding.interval is not None
        expected = stats.t.interval(0.95, 11, each.mean(), stats.sem(each))
        assert (finding.interval.low, finding.interval.high) == pytest.approx(expected)
    score = find(result, "creativity.rbs", "gender")
    assert score.estimate == pytest.approx(np.std(means))
    assert score.contrast == pytest.approx(dict(zip(AXES["gender"], np.array(means) - np.mean(means), strict=True)))
    assert score.n == 12
    assert score.floor is not None
    assert score.floor_subtracted == pytest.approx(np.std(means) - score.floor.mean)


def test_a_planted_distance_is_found_and_its_identity_named() -> None:
    rows, vectors = outputs(30, far="woman", seed=1)
    result = measure_outputs(table(rows), vectors, axes=AXES, resamples=2000)
    gender, orientation = (find(result, "creativity.rbs", axis) for axis in AXES)
    assert gender.p_adjusted is not None
    assert gender.p_adjusted <= 0.05
    assert gender.contrast is not None
    assert max(gender.contrast, key=lambda identity: gender.contrast[identity]) == "woman"  # type: ignore[index]
    assert gender.interval is not None
    assert gender.interval.low > 0
    assert orientation.p is not None
    assert orientation.p > 0.05
    assert [gender.p_adjusted, orientation.p_adjusted] == holm([gender.p, orientation.p])
    woman = find(result, "creativity.distance", "woman")
    assert woman.p_adjusted is not None
    assert woman.p_adjusted <= 0.05


def test_the_published_p_is_the_anova_or_t_over_prompts() -> None:
    rows, vectors = outputs()
    result = measure_outputs(table(rows), vectors, axes=AXES, resamples=100)
    place = {row[:3]: vector for row, vector in zip(rows, vectors, strict=True)}
    columns = {
        identity: [cosine(place[(*row[:2], identity)], place[(*row[:2], "default")]) for row in rows[:: len(EVERYONE)]]
        for identity in EVERYONE
    }
    published = find(result, "creativity.rbs", "gender", "as_published")
    assert published.p == pytest.approx(stats.f_oneway(*(columns[name] for name in AXES["gender"])).pvalue)
    published = find(result, "creativity.rbs", "orientation", "as_published")
    assert published.p == pytest.approx(stats.ttest_ind(columns["straight"], columns["queer"]).pvalue)
    assert "unit assumed" in published.note
    assert published.reason == "interval: the paper gives none"


def test_only_complete_blocks_count_and_the_rest_is_counted() -> None:
    rows, vectors = outputs()
    keep = [place for place, row in enumerate(rows) if not (row[2] == "woman" and row[0] == "task 0")]
    result = measure_outputs(table([rows[place] for place in keep]), vectors[keep], axes=AXES, resamples=50)
    score = find(result, "creativity.rbs", "gender")
    assert score.n == 8
    assert score.dropped == {"task and theme without every identity and the default": 8}
    assert find(result, "creativity.rbs", "orientation").n == 12


def test_samples_pair_with_the_default_of_the_same_number_and_are_averaged() -> None:
    rows, vectors = outputs(6, samples=2)
    result = measure_outputs(table(rows), vectors, axes=AXES, resamples=50)
    place = {row[:4]: vector for row, vector in zip(rows, vectors, strict=True)}
    each = [cosine(place[(*row[:2], "man", row[3])], place[row[:4]]) for row in rows if row[2] == "default"]
    finding = find(result, "creativity.distance", "man")
    assert finding.estimate == pytest.approx(np.mean(each))
    assert finding.n == 6
    assert finding.n_by_group == dict.fromkeys(AXES["gender"], 12)
    defaults = [vector for row, vector in zip(rows, vectors, strict=True) if row[2] == "default"]
    apart = np.mean([cosine(one, other) for one, other in zip(defaults[::2], defaults[1::2], strict=True)])
    assert f"Two default outputs of one prompt lie {apart:.3f} apart" in finding.note


def test_models_are_measured_apart() -> None:
    (one, first), (two, second) = outputs(8, model="m1"), outputs(8, far="queer", model="m2", seed=1)
    both = measure_outputs(table([*one, *two]), np.vstack([first, second]), axes=AXES, resamples=50)
    alone = measure_outputs(table(two), second, axes=AXES, resamples=50)
    together = find(both, "creativity.rbs", "orientation", model="m2")
    assert together.estimate == pytest.approx(find(alone, "creativity.rbs", "orientation").estimate)
    assert "model" not in find(alone, "creativity.rbs", "orientation").dims


def test_rows_that_cannot_be_used_are_dropped_with_their_reason() -> None:
    rows, vectors = outputs(4)
    vectors[1] = 0  # man
    vectors[8] = np.nan  # woman
    rows += [rows[0], ("task 0", "theme 0", "elf", 0, "")]
    vectors = np.vstack([vectors, vectors[0], vectors[0]])
    result = measure_outputs(table(rows), vectors, axes=AXES, resamples=50)
    assert result.dropped == {
        "no embedding": 2,
        "same prompt and sample twice": 1,
        "identity not measured": 1,
        "task and theme without every identity and the default": 4,
    }


def test_without_a_complete_block_everything_is_undefined_with_a_reason() -> None:
    rows, vectors = outputs(4)
    keep = [place for place, row in enumerate(rows) if row[2] != "default"]
    result = measure_outputs(table([rows[place] for place in keep]), vectors[keep], axes=AXES, resamples=50)
    assert result.findings
    assert all(each.estimate is None and each.reason for each in result.findings)


def test_few_blocks_have_no_interval_and_an_axis_without_outputs_no_finding() -> None:
    rows, vectors = outputs(4)
    result = measure_outputs(table(rows), vectors, axes={**AXES, "age": ("young", "old")}, resamples=50)
    score = find(result, "creativity.rbs", "gender")
    assert score.interval is None
    assert score.reason == "interval: fewer than 6 complete tasks and themes"
    assert "age" not in {each.dims["axis"] for each in result.findings}


def test_an_empty_table_gives_nothing_and_a_wrong_shape_is_refused() -> None:
    empty = OutputTable((), (), ())
    assert measure_outputs(empty, np.empty((0, 24)), axes=AXES).findings == ()
    with pytest.raises(AppError, match="not one vector"):
        measure_outputs(empty, np.empty((3, 24)), axes=AXES)
    with pytest.raises(AppError, match="not equally long"):
        OutputTable(("a",), (), ())


def test_order_of_rows_does_not_matter() -> None:
    rows, vectors = outputs()
    order = np.random.default_rng(1).permutation(len(rows))
    one = measure_outputs(table(rows), vectors, axes=AXES, resamples=2000)
    other = measure_outputs(table([rows[place] for place in order]), vectors[order], axes=AXES, resamples=2000)
    for left, right in zip(one.findings, other.findings, strict=True):
        assert (left.id, left.label) == (right.id, right.label)
        assert left.estimate == pytest.approx(right.estimate)
        assert left.p == pytest.approx(right.p, abs=0.05)


def test_the_result_names_its_scorer_crosses_processes_and_is_plain_json() -> None:
    rows, vectors = outputs(6)
    scorer = ScorerUse("embedding", "minilm", "1", "53aa", stand_in=True)
    result = measure_outputs(table(rows), vectors.astype(np.float32), axes=AXES, scorer=scorer, resamples=50)
    assert all(each.scorers == (scorer,) for each in result.findings)
    assert pickle.loads(pickle.dumps(result)) == result
    plain = json.loads(json.dumps(result.to_json(), allow_nan=False))
    assert [Finding.from_json(each) for each in plain["findings"]] == list(result.findings)
