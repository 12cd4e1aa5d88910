"""Exporting rows: the same rows come back from every format, whole or not at all."""

import errno
import io
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasprint.core.errors import AppError, JobCancelled, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.report.export import export_rows
from biasprint.core.tables import FieldSpec, read_records
from biasprint.core.text import without_guard

ENDINGS = [".csv", ".jsonl", ".xlsx", ".parquet"]
ROWS = [
    {
        "key": "letters/1",
        "text": 'Dear all,\n"she" writes; well\tdone — é \U0001f600',
        "sample": 0,
        "score": 0.5,
        "done": True,
    },
    {"key": "letters/2", "text": "", "sample": 12, "score": None, "done": False},
]


def read_back(path: Path) -> list[dict]:
    """The rows, by a library that had no part in writing them where there is one."""
    import pandas as pd

    readers = {".csv": pd.read_csv, ".xlsx": pd.read_excel, ".parquet": pd.read_parquet}
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    frame = readers[path.suffix](path)
    return json.loads(frame.to_json(orient="records"))


@pytest.mark.parametrize("ending", ENDINGS)
def test_rows_come_back_with_their_types(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out{ending}"
    report = export_rows(iter(ROWS), path)
    assert (report.rows, report.path, report.notices()) == (2, path, [])
    first, second = read_back(path)
    assert first == ROWS[0]
    assert {key: value or None for key, value in second.items()} == {
        key: value or None for key, value in ROWS[1].items()
    }
    if ending in (".jsonl", ".parquet"):  # the other two cannot tell an empty text from none
        assert (second["text"], second["score"]) == ("", None)


@pytest.mark.parametrize("ending", ENDINGS)
def test_columns_give_the_order_and_missing_keys_are_empty(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"out{ending}"
    export_rows([{"b": "x"}, {"a": "y"}], path, ["a", "b"])
    rows = read_back(path)
    assert [list(row) for row in rows] == [["a", "b"], ["a", "b"]]
    assert [(row["a"] or None, row["b"] or None) for row in rows] == [(None, "x"), ("y", None)]


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_export_of_no_rows_is_a_table_with_its_header(tmp_path: Path, ending: str) -> None:
    report = export_rows([], tmp_path / f"out{ending}", ["a", "b"])
    assert report.rows == 0
    assert read_back(report.path) == []


def test_a_column_that_was_not_announced_is_never_lost_silently(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="surprise"):
        export_rows([{"a": 1}, {"a": 2, "surprise": 3}], tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_ending_is_a_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no ending to export to") as caught:
        export_rows(ROWS, tmp_path / "out.ods")
    assert ".parquet" in caught.value.hint


def test_rows_are_written_as_they_come(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"

    def rows():
        for number in range(50_000):
            if number == 40_000:
                [part] = tmp_path.iterdir()
                assert part.stat().st_size > 30_000  # earlier rows are on the disk already
            yield {"number": number}

    assert export_rows(rows(), path).rows == 50_000


class FullDisk(io.FileIO):
    """A file on a disk with room for 200 bytes."""

    def write(self, data) -> int:
        if self.tell() + len(data) > 200:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(data)


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_full_disk_leaves_the_old_file_as_it_was(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"out{ending}"
    path.write_bytes(b"the old file")
    real_open = Path.open
    with monkeypatch.context() as patch:
        patch.setattr(
            Path,
            "open",
            lambda self, mode="r", **kw: FullDisk(self, "xb") if mode == "xb" else real_open(self, mode, **kw),
        )
        with pytest.raises(AppError, match="The disk is full") as caught:
            export_rows([{"text": "x" * 100, "number": n} for n in range(100)], path)
    assert "“out" in caught.value.kept
    assert path.read_bytes() == b"the old file"
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_replaced_before_it_is_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(b"the old file")

    def failing(handle: int) -> None:
        raise OSError(errno.EIO, "input/output error")

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(AppError, match="could not be written"):
        export_rows(ROWS, path)
    assert path.read_bytes() == b"the old file"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="There is no folder"):
        export_rows(ROWS, tmp_path / "absent" / "out.csv")


def test_a_cancelled_export_leaves_nothing_behind(tmp_path: Path) -> None:
    ctx = JobContext()

    def rows():
        yield {"a": 1}
        ctx.cancel()
        yield {"a": 2}

    with pytest.raises(JobCancelled):
        export_rows(rows(), tmp_path / "out.jsonl", ctx=ctx)
    assert list(tmp_path.iterdir()) == []


ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=30)


@given(texts=st.lists(ANY_TEXT, min_size=1, max_size=5))
def test_texts_in_jsonl_come_back_exactly(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    path = tmp_path_factory.mktemp("jsonl") / "out.jsonl"
    export_rows([{"text": text} for text in texts], path)
    assert [json.loads(line)["text"] for line in path.read_bytes().split(b"\n")[:-1]] == texts


@given(texts=st.lists(ANY_TEXT.filter(str.strip), min_size=1, max_size=5, unique=True))
def test_texts_in_csv_are_read_again_exactly_once_the_guard_is_off(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    path = tmp_path_factory.mktemp("csv") / "out.csv"
    report = export_rows([{"text": text, "id": number} for number, text in enumerate(texts)], path)
    back = [without_guard(row.values["text"]) for row in read_records(path, [FieldSpec("text", True)]).rows]
    valid = [text.encode("utf-8", "replace").decode() == text for text in texts]
    assert [text for text, ok in zip(back, valid, strict=True) if ok] == [
        t for t, ok in zip(texts, valid, strict=True) if ok
    ]
    assert report.escaped == valid.count(False)


def test_lone_surrogates_are_escaped_as_in_the_project_file_and_counted(tmp_path: Path) -> None:
    from biasprint.core.text import restore_text

    text = "a\ud800b\uf8f1dead"
    for ending in (".csv", ".xlsx", ".parquet"):
        report = export_rows([{"text": text}], tmp_path / f"out{ending}")
        assert report.escaped == 1
        assert restore_text(read_back(report.path)[0]["text"], 1) == text
        assert "escaped" in report.notices()[0]


def test_a_parquet_column_keeps_one_type_even_if_it_shows_late(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    rows = [
        {"late": None, "mixed": 1, "float": 1, "seed": 2**63 - 1, "huge": 2**64, "digits": 2**60} for _ in range(3000)
    ]
    rows.append({"late": 7, "mixed": "x", "float": 0.5, "seed": 5, "huge": 1, "digits": 0.5})
    export_rows(rows, tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet")
    assert {name: str(table.schema.field(name).type) for name in table.column_names} == {
        "late": "int64",
        "mixed": "string",
        "float": "double",
        "seed": "int64",
        "huge": "string",
        "digits": "string",
    }
    last = table.to_pylist()[-1]
    assert last == {"late": 7, "mixed": "x", "float": 0.5, "seed": 5, "huge": "1", "digits": "0.5"}
    assert table.to_pylist()[0]["digits"] == str(2**60)


def test_lists_and_mappings_are_json(tmp_path: Path) -> None:
    rows = [{"fields": {"name": "Zoë", "age": 20}, "shown": ["man", "woman"]}]
    export_rows(rows, tmp_path / "out.jsonl")
    assert read_back(tmp_path / "out.jsonl") == rows
    export_rows(rows, tmp_path / "out.csv")
    [row] = read_back(tmp_path / "out.csv")
    assert (json.loads(row["fields"]), json.loads(row["shown"])) == (rows[0]["fields"], rows[0]["shown"])


def test_numbers_that_json_does_not_know_are_text(tmp_path: Path) -> None:
    import numpy as np

    export_rows([{"a": float("nan"), "b": np.float32(0.5), "c": np.int64(3)}], tmp_path / "out.jsonl")
    assert read_back(tmp_path / "out.jsonl") == [{"a": "nan", "b": 0.5, "c": 3}]
