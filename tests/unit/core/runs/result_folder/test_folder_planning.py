"""A result folder: planned, gone on with, and refused where it was begun with something else."""

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from biasprint.core.errors import AppError, UsageError
from biasprint.core.runs.result_folder import MANIFEST, SCORES
from biasprint.core.runs.result_folder import scoring as orders
from biasprint.core.runs.result_folder import scoring as parts
from biasprint.core.runs.result_folder.scoring import plan, score_partition, why_not

TEXTS = ["She is a wonderful leader.", "He is awful.", None, ""]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    (folder / "deep").mkdir(parents=True)
    for number, name in enumerate(("a.parquet", "deep/b.parquet", "c.parquet")):
        rows = {"group": ["woman", "man", "man", "woman"], "text": TEXTS, "id": [number] * 4, "list": [[1]] * 4}
        parquet.write_table(pyarrow.table(rows), folder / name)
    (folder / "_marked.parquet").write_bytes(b"")
    return folder


def test_every_file_is_scored_once_with_its_other_columns_and_its_texts_hash(data: Path, tmp_path: Path) -> None:
    begun = plan(data, tmp_path / "out", ["textblob", "length"])
    assert begun.left == ["a.parquet", "c.parquet", "deep/b.parquet"]
    done = [score_partition(begun.order, name) for name in begun.left]
    assert [(one.rows, one.refused) for one in done] == [(4, "")] * 3
    found = parquet.read_table(begun.order.target("deep/b.parquet"))
    assert found.column_names == ["group", "id", "text_sha256", "textblob", "textblob.values", "length",
                                  "length.values"]  # fmt: skip
    from textblob import TextBlob

    assert found["textblob"].to_pylist()[0] == TextBlob(TEXTS[0]).sentiment.polarity
    assert found["textblob"].to_pylist()[2:] == [None, None]
    assert plan(data, tmp_path / "out", ["textblob", "length"]).left == []


def test_one_file_is_data_too(data: Path, tmp_path: Path) -> None:
    begun = plan(data / "a.parquet", tmp_path / "out", ["length"])
    assert begun.left == ["a.parquet"]
    assert score_partition(begun.order, "a.parquet").rows == 4


def test_a_broken_output_is_scored_again_and_unfinished_ones_go(data: Path, tmp_path: Path) -> None:
    begun = plan(data, tmp_path / "out", ["length"])
    for name in begun.left:
        score_partition(begun.order, name)
    target = begun.order.target("a.parquet")
    target.write_bytes(target.read_bytes()[:-9])
    part = target.with_name(".c.parquet.12345678.part")
    part.write_bytes(b"PAR1 half")
    again = plan(data, tmp_path / "out", ["length"])
    assert (again.left, again.again) == (["a.parquet"], ("a.parquet",))
    assert not part.exists()
    assert score_partition(again.order, "a.parquet").refused == ""
    assert plan(data, tmp_path / "out", ["length"]).left == []


def test_new_files_are_taken_in_and_told(data: Path, tmp_path: Path) -> None:
    plan(data, tmp_path / "out", ["length"])
    parquet.write_table(pyarrow.table({"text": ["x"]}), data / "new.parquet")
    assert plan(data, tmp_path / "out", ["length"]).new == ("new.parquet",)


def test_another_version_other_scorers_or_another_input_are_refused(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    begun = plan(data, out, ["length"])
    score_partition(begun.order, "a.parquet")
    with pytest.raises(AppError, match="other scorers: length"):
        plan(data, out, ["length", "textblob"])
    with pytest.raises(AppError, match="column “text”"):
        plan(data, out, ["length"], "group")
    known = orders.info_of
    monkeypatch.setattr(orders, "info_of", lambda name: replace(known(name), version="99"))
    with pytest.raises(AppError, match=rf"begun with length {begun.order.scorers[0].version}, and here it is 99"):
        plan(data, out, ["length"])
    monkeypatch.undo()
    os.utime(data / "a.parquet", (1, 1))  # a copy of the same bytes is the same input
    assert "a.parquet" not in plan(data, out, ["length"]).left
    parquet.write_table(pyarrow.table({"text": ["another"], "group": ["man"]}), data / "a.parquet")
    with pytest.raises(AppError, match=r"“a\.parquet” is not what “out” was begun with"):
        plan(data, out, ["length"])
    (data / "a.parquet").unlink()
    with pytest.raises(AppError, match=r"begun with “a\.parquet”, which the data no longer have"):
        plan(data, out, ["length"])


@pytest.mark.parametrize("text", ["{", "[]", '{"format": 1}', '{"format": 1, "scorers": [1], "partitions": []}'])
def test_a_manifest_that_cannot_be_read_is_told(data: Path, tmp_path: Path, text: str) -> None:
    plan(data, tmp_path / "out", ["length"])
    (tmp_path / "out" / MANIFEST).write_text(text)
    with pytest.raises(AppError, match="cannot be read"):
        plan(data, tmp_path / "out", ["length"])


def test_a_folder_with_other_things_or_within_the_data_is_no_result_folder(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="lie in each other"):
        plan(data, data / "out", ["length"])
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("x")
    with pytest.raises(UsageError, match="is no result folder"):
        plan(data, tmp_path / "mine", ["length"])
    with pytest.raises(UsageError, match="There is no Parquet file"):
        plan(tmp_path / "mine", tmp_path / "out", ["length"])


def test_what_cannot_be_scored_is_named_and_leaves_nothing(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = plan(data, tmp_path / "out", ["length"])
    (data / "a.parquet").write_bytes(b"PAR1 and nothing more PAR1")
    assert "cannot be read as a Parquet file" in score_partition(begun.order, "a.parquet").refused
    parquet.write_table(pyarrow.table({"words": ["x"]}), data / "c.parquet")
    assert score_partition(begun.order, "c.parquet").refused == "it has no column “text”"
    parquet.write_table(pyarrow.table({"text": ["x"], "length": [1]}), data / "c.parquet")
    assert "which is the name of a result" in score_partition(begun.order, "c.parquet").refused
    assert "there is no" in score_partition(begun.order, "gone.parquet").refused

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(parts, "_with_scores", full)
    assert score_partition(begun.order, "deep/b.parquet").refused.startswith("The disk is full")

    def too_much(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(parts, "_with_scores", too_much)
    assert "more memory" in score_partition(begun.order, "deep/b.parquet").refused
    assert not [path for path in (tmp_path / "out" / SCORES).rglob("*") if path.is_file()]


def test_a_machine_with_another_version_does_not_score(data: Path, tmp_path: Path) -> None:
    begun = plan(data, tmp_path / "out", ["length"]).order
    assert why_not(begun) == ""
    other = replace(begun, scorers=(replace(begun.scorers[0], version="99"),))
    assert why_not(other) == f"length is {begun.scorers[0].version} there, and 99 here"
    assert "Biasprint is" in why_not(replace(begun, version="99"))


def test_the_manifest_says_what_failed(data: Path, tmp_path: Path) -> None:
    begun = plan(data, tmp_path / "out", ["length"])
    orders.write_manifest(begun.order, begun.names, [("a.parquet", "the disk is full")])
    told = json.loads((tmp_path / "out" / MANIFEST).read_text())
    assert told["failed"] == [{"partition": "a.parquet", "why": "the disk is full"}]
    assert told["partitions"] == list(begun.names)
