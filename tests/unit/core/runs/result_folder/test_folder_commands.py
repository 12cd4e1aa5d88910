"""The commands of a result folder: what they answer and refuse, without any machine but this one."""

import json
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from biasprint.core.cli.app import main
from biasprint.core.runs.result_folder.scoring import plan, score_partition


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """Two partitions, of which one is scored."""
    data = tmp_path / "data"
    data.mkdir()
    rows = {"who": ["woman", "man", "woman", "man", ""], "text": ["good", "bad", "nice", "sad", "kind"]}
    for name in ("a.parquet", "b.parquet"):
        parquet.write_table(pyarrow.table(rows), data / name)
    begun = plan(data, tmp_path / "out", ["textblob"])
    assert score_partition(begun.order, "a.parquet").refused == ""
    return tmp_path / "out"


def test_a_result_folder_is_measured_and_what_is_missing_is_told(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "compare", str(out), "--map", "group=who", "--json"]) == 0
    told = capsys.readouterr()
    answer = json.loads(told.out)
    assert (answer["rows"], answer["dropped"]) == (5, {"no group": 1})
    found = {(one["id"], *one["groups"]): one for one in answer["findings"]}
    assert found["compare.mean", "woman"]["n"] == 2
    assert found["compare.difference", "man", "woman"]["n_by_group"] == {"man": 2, "woman": 2}
    assert "1 of 2 files have no scores and are left out: “b.parquet”." in told.err
    assert "Not computed over partitions" in told.err


def test_gates_hold_for_a_result_folder(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gate = "compare.mean[textblob] estimate_above -1"
    assert main(["measure", "compare", str(out), "--map", "group=who", "--fail-on", gate]) == 3
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["measure", "letters", "{out}"], "cannot be measured as letters"),
        (["measure", "compare", "{out}"], "No column of “a.parquet” holds groups"),
        (["measure", "compare", "{out}", "--report", "r.html"], "There is no report of a result folder"),
        (["measure", "compare", "{out}", "--axis", "gender"], "is measured as it was scored"),
        (["measure", "compare", "{out}", "--seed", "1"], "is measured as it was scored"),
        (["measure", "compare", "{out}", "--encoding", "latin-1"], "is measured as it was scored"),
        (["measure", "compare", "{out}/scores"], "is no result folder"),
        (["score", "{out}/../data", "--scorer", "length", "--cluster", "local"], "writes its scores to a folder"),
        (
            ["score", "{out}/../data", "--scorer", "length", "--cluster", "local", "--out", "x", "--map", "group=who"],
            "Only the texts' column is asked for",
        ),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(
    out: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert main([one.format(out=out) for one in arguments]) == 2
    assert told in capsys.readouterr().err


def test_what_is_finished_needs_no_cluster(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert score_partition(plan(out.parent / "data", out, ["textblob"]).order, "b.parquet").refused == ""
    asked = ["score", str(out.parent / "data"), "--scorer", "textblob", "--cluster", "10.0.0.1:1", "--out", str(out)]
    assert main([*asked, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert (answer["before"], answer["scored"], answer["rows"], answer["failed"]) == (2, 0, 10, [])
