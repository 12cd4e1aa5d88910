"""Findings by sums of partitions: the same however the texts are divided, and those of all texts at once."""

import math
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from biasprint.core.errors import AppError, UsageError
from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.grouped import hedges_g
from biasprint.core.metrics.means import mean_interval, two_sample_difference
from biasprint.core.metrics.sums import exact_mean
from biasprint.core.runs.result_folder.measuring import BLOCKED, Sums, exact_sum, measure_folder, welch
from biasprint.core.runs.result_folder.scoring import plan, score_partition

FLOATS = st.lists(st.floats(-1e100, 1e100).filter(lambda x: x == 0 or abs(x) > 1e-100), min_size=1, max_size=40)
WORDS = ["good", "bad", "happy", "sad", "terrible", "the", "a", "leader", "kind", "caring", "lazy", "is", "she"]


@given(FLOATS)
def test_sums_are_exact(values: list[float]) -> None:
    sums = Sums.of(np.array(values))
    assert sums.total == sum(map(Fraction, values)) == exact_sum(np.array(values))
    assert sums.squares == sum(Fraction(x) ** 2 for x in values)
    assert sums.mean == exact_mean(np.array(values))
    assert float(sums.total) == math.fsum(values)


@given(FLOATS, st.integers(0, 40))
def test_sums_of_parts_are_those_of_the_whole(values: list[float], at: int) -> None:
    whole, (left, right) = Sums.of(np.array(values)), (np.array(values[:at]), np.array(values[at:]))
    assert Sums.of(right) + Sums.of(left) == whole


def test_welch_by_sums_is_scipys_of_all_values() -> None:
    rng = np.random.default_rng(4)
    one, other = rng.normal(0.2, 1, 57), rng.normal(0, 3, 23)
    found, known = welch(Sums.of(one), Sums.of(other)), two_sample_difference(one, other)
    assert found.value == known.value
    assert found.p == pytest.approx(known.p, rel=1e-12)
    assert found.statistic == pytest.approx(known.statistic, rel=1e-12)
    assert found.interval.bounds is not None
    assert known.interval.bounds is not None
    assert found.interval.bounds.low == pytest.approx(known.interval.bounds.low, rel=1e-12)
    assert found.interval.bounds.high == pytest.approx(known.interval.bounds.high, rel=1e-12)
    assert found.effect == pytest.approx(hedges_g(one, other), rel=1e-12)
    assert welch(Sums.of(one[:1]), Sums.of(other)).interval.reason == "a group has only one unit"
    assert welch(Sums.of(np.ones(3)), Sums.of(np.ones(4))).interval.reason == "no variation within the groups"


def _scored(folder: Path, parts: list[list[tuple[str, str]]], **more: list[str]) -> Path:
    data, out = folder / "data", folder / "out"
    data.mkdir(parents=True)
    for number, rows in enumerate(parts):
        columns = {"group": [group for group, _ in rows], "text": [text for _, text in rows]}
        parquet.write_table(
            pyarrow.table(columns | {k: v[: len(rows)] for k, v in more.items()}), data / f"{number}.parquet"
        )
    order = plan(data, out, ["textblob", "refusal"]).order
    for number in range(len(parts)):
        assert score_partition(order, f"{number}.parquet").refused == ""
    return out


def _rows(count: int) -> list[tuple[str, str]]:
    chance = random.Random(3)
    return [(chance.choice(["woman", "man"]), " ".join(chance.choices(WORDS, k=7))) for _ in range(count)]


def test_the_division_into_partitions_does_not_change_a_digit(tmp_path: Path) -> None:
    rows = _rows(60)
    one = measure_folder(JobContext(), _scored(tmp_path / "one", [rows]))
    many = measure_folder(JobContext(), _scored(tmp_path / "many", [rows[40:], rows[:7], rows[7:40]]))
    assert one.result == many.result
    assert (many.partitions, many.missing) == (3, ())


def test_means_are_those_of_all_texts_at_once(tmp_path: Path) -> None:
    out = _scored(tmp_path, [_rows(60)[:25], _rows(60)[25:]])
    read = [parquet.read_table(out / "scores" / f"{number}.parquet") for number in range(2)]
    values = np.concatenate([table["textblob"].to_numpy() for table in read])
    groups = np.concatenate([table["group"].to_numpy(zero_copy_only=False) for table in read])
    measured = measure_folder(JobContext(), out)
    found = {(one.id, one.label, one.groups): one for one in measured.result.findings}
    woman = values[groups == "woman"]
    mean: Finding = found["compare.mean", "textblob", ("woman",)]
    bounds = mean_interval(woman).bounds
    assert bounds is not None
    assert mean.interval is not None
    assert (mean.n, mean.estimate) == (len(woman), exact_mean(woman))
    assert (mean.interval.low, mean.interval.high) == pytest.approx((bounds.low, bounds.high), rel=1e-12)
    assert f"SD {woman.std(ddof=1):.6g};" in mean.note
    apart = found["compare.difference", "textblob", ("man", "woman")]
    assert apart.estimate == two_sample_difference(values[groups == "man"], woman).value
    assert found["compare.rate", "refusal", ("man",)].estimate == 0


def test_blocks_have_no_interval_and_missing_partitions_are_named(tmp_path: Path) -> None:
    out = _scored(tmp_path, [_rows(10), _rows(10)], block=["a", "b"] * 5)
    (out / "scores" / "1.parquet").unlink()
    measured = measure_folder(JobContext(), out)
    assert measured.missing == ("1.parquet",)
    assert {one.reason for one in measured.result.findings} == {f"interval: {BLOCKED}"}
    assert all(one.interval is None and one.p is None for one in measured.result.findings)
    (out / "scores" / "0.parquet").unlink()
    with pytest.raises(AppError, match="is scored yet"):
        measure_folder(JobContext(), out)
    with pytest.raises(UsageError, match="is no result folder"):
        measure_folder(JobContext(), tmp_path / "elsewhere")
