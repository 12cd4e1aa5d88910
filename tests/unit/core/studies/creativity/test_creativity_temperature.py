"""The temperature sweep: scores by temperature, and the trend."""

from itertools import product

import numpy as np
import pytest

from biasprint.core.findings import Finding, StudyResult
from biasprint.core.metrics.representative import representative_trend
from biasprint.core.studies.creativity.distances import OutputTable
from biasprint.core.studies.creativity.outputs import measure_outputs

GENDER = ("man", "woman", "non-binary")
AXES = {"gender": GENDER}
STEPS = ("0", "0.25", "0.5", "0.75", "1")


def sweep(slope: float, blocks: int = 20) -> tuple[OutputTable, np.ndarray]:
    """The angle between the woman's outputs and the default ones grows by `slope` radians a step."""
    rng = np.random.default_rng(0)
    rows, vectors = [], []
    for block, (step, temperature) in product(range(blocks), enumerate(STEPS)):
        for identity in ("default", *GENDER):
            angle = 0.0 if identity == "default" else 0.5 + rng.normal(0, 0.05)
            angle += slope * step if identity == "woman" else 0.0
            rows.append((f"task {block % 4}", f"theme {block}", identity, temperature))
            vectors.append((np.cos(angle), np.sin(angle)))
    task, theme, identity, temperature = zip(*rows, strict=True)
    return OutputTable(task, theme, identity, temperature=temperature), np.array(vectors)


def measured(table: OutputTable, vectors: np.ndarray) -> StudyResult:
    return measure_outputs(table, vectors, axes=AXES, resamples=500, parts=True)


def find(result: StudyResult, name: str, label: str = "gender", **dims: str) -> Finding:
    (found,) = [
        each
        for each in result.findings
        if (each.id, each.label, each.variant) == (name, label, "default")
        and dict(each.dims) == {"axis": "gender", **dims}
    ]
    return found


def test_each_temperature_has_its_score_and_nothing_is_lost_as_a_duplicate() -> None:
    table, vectors = sweep(0.1)
    result = measured(table, vectors)
    scores = [find(result, "creativity.rbs", temperature=step).estimate for step in STEPS]
    assert scores == sorted(scores)
    assert result.dropped == {}
    whole = find(result, "creativity.rbs")
    assert whole.n == 20
    assert whole.n_by_group == dict.fromkeys(GENDER, 100)


def test_the_trend_is_the_least_squares_slope_of_the_scores() -> None:
    table, vectors = sweep(0.1)
    result = measured(table, vectors)
    trend = find(result, "creativity.rbs.trend")
    scores = [find(result, "creativity.rbs", temperature=step).estimate for step in STEPS]
    assert trend.estimate == pytest.approx(np.polyfit(range(5), np.array(scores, dtype=float), 1)[0])
    assert trend.interval is not None
    assert trend.interval.low > 0
    assert trend.p is not None
    assert trend.p < 0.01
    contrasts = [find(result, "creativity.rbs", temperature=step).contrast for step in STEPS]
    for identity in GENDER:
        by_step = [contrast[identity] for contrast in contrasts if contrast is not None]
        assert trend.contrast is not None
        assert trend.contrast[identity] == pytest.approx(np.polyfit(range(5), by_step, 1)[0])
    assert trend.unit == "cosine distance per step"
    assert "Steps: 0, 0.25, 0.5, 0.75, 1." in trend.note


def test_no_trend_is_not_called_one() -> None:
    trend = find(measured(*sweep(0.0)), "creativity.rbs.trend")
    assert trend.p is not None
    assert trend.p > 0.05
    assert trend.interval is not None
    assert trend.interval.low < 0 < trend.interval.high


def test_only_tasks_and_themes_complete_at_every_temperature_count() -> None:
    table, vectors = sweep(0.1, blocks=12)
    keep = [row for row in range(len(table)) if not (table.theme[row] == "theme 3" and table.temperature[row] == "0.5")]
    fewer = OutputTable(
        *(tuple(np.array(column)[keep]) for column in (table.task, table.theme, table.identity)),
        temperature=tuple(np.array(table.temperature)[keep]),
    )
    assert find(measured(fewer, vectors[keep]), "creativity.rbs.trend").n == 11


def test_one_temperature_or_none_has_no_trend() -> None:
    table, vectors = sweep(0.1, blocks=6)
    keep = [row for row in range(len(table)) if table.temperature[row] == "0.25"]
    columns = [tuple(np.array(column)[keep]) for column in (table.task, table.theme, table.identity)]
    for one in (OutputTable(*columns), OutputTable(*columns, temperature=("0.25",) * len(keep))):
        result = measured(one, vectors[keep])
        assert "creativity.rbs.trend" not in {finding.id for finding in result.findings}
        assert not any("temperature" in finding.dims for finding in result.findings)


def test_undefined_trends_have_a_reason() -> None:
    rng = np.random.default_rng(0)
    for shape, reason in (((10, 1, 3), "steps"), ((10, 3, 1), "identities"), ((0, 3, 3), "complete at every step")):
        found = representative_trend(np.zeros(shape), rng, 50)
        assert found.value is None
        assert reason in found.reason
    few = representative_trend(rng.random((5, 3, 3)), rng, 50)
    assert few.value is not None
    assert few.interval.reason == "fewer than 10 tasks and themes"


def test_a_steady_difference_has_slope_zero_and_no_interval() -> None:
    found = representative_trend(np.tile([0.1, 0.2, 0.3], (12, 4, 1)), np.random.default_rng(0), 50)
    assert found.value == pytest.approx(0)
    assert found.p == 1
    assert found.interval.reason == "the tasks and themes do not differ"
