"""Active times on their way to the findings: from tables, and what is no time."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from inline_compute import Inline

from biasprint.core.findings import Finding
from biasprint.core.jobs import JobContext
from biasprint.core.runs.measure import measure_tables
from biasprint.core.studies.creativity.columns import judgment_table_columns
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.core.tables.rows import Record

USUAL = ["8.0", "9.5", "10", "11.0", "12.5", "9.0", "10.5", "13.0", "7.5", "10.0", "11.5", "9.8"]


def records(seconds: Sequence[str]) -> list[Record]:
    plain = {"comparison": "c", "rater": "R01", "axis": "gender", "shown": "man|woman", "outcome": "choice"}
    return [
        Record(number, number, plain | {"chosen": "man", "seconds": given})
        for number, given in enumerate(seconds, start=1)
    ]


def test_what_is_no_time_is_not_recorded_and_no_error() -> None:
    given = ["12.5", "", "0", "-3", "nan", "inf", "12 s", "1e1"]
    assert judgment_table_columns(records(given))["seconds"] == [12.5, 0, 0, 0, 0, 0, 0, 10]


def test_a_table_without_times_has_none() -> None:
    rows = [Record(1, 1, {name: value for name, value in records(["1"])[0].values.items() if name != "seconds"})]
    assert judgment_table_columns(rows)["seconds"] == [0]


def test_lengths_of_a_table_are_a_number_for_each_card_or_not_known() -> None:
    given = ["120|98", "120, 98", "120", "a|b", "", "-3|4"]
    rows = [
        Record(one.number, one.number, {**one.values, "words": words})
        for one, words in zip(records(["1"] * len(given)), given, strict=True)
    ]
    assert judgment_table_columns(rows)["words"] == [(120, 98), (120, 98), (0, 0), (0, 0), (0, 0), (0, 0)]
    assert "words" not in judgment_table_columns(records(["1"]))


@pytest.mark.parametrize("column", ["seconds", "active_seconds"])
def test_times_of_a_table_become_findings(tmp_path: Path, column: str) -> None:
    times = [*USUAL, "0.4", ""]
    lines = [f"comparison,rater,axis,shown,outcome,chosen,repeat_of,{column}"]
    lines += [f"c{place},R01,gender,man|woman|non-binary,choice,man,,{given}" for place, given in enumerate(times)]
    lines.append("again,R01,gender,woman|non-binary|man,choice,man,c0,10")
    path = tmp_path / "judgments.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    measured = measure_tables(JobContext(), [path], "creativity", MeasureOptions(), Inline())  # type: ignore[arg-type]

    def of(name: str) -> Finding:
        (found,) = [
            one for one in measured.result.findings if one.id == f"creativity.quality.{name}" and "rater" in one.dims
        ]
        return found

    assert list(of("time").contrast or ()) == ["c12"]
    assert (of("time").n, of("time").dropped) == (14, {"time not recorded": 1})
    assert (of("consistency").estimate, of("consistency").n) == (1.0, 1)
