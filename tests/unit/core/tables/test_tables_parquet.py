"""Reading parquet: plain text from every plain type, our own exports as they were, and errors in one sentence."""

import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from biasprint.core.errors import AppError, JobCancelled, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.report.export import export_rows
from biasprint.core.tables import FieldSpec, look_at, read_records
from biasprint.core.tables.rows import TableRead
from biasprint.core.tables.typed_files import ParquetFile
from biasprint.core.text import store_text

FIELDS = [FieldSpec("text", required=True), FieldSpec("group")]
NAUGHTY = [json.loads(line) for line in (Path(__file__).parents[3] / "data" / "naughty_texts.jsonl").open("rb")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "letters.parquet"


def saved(path: Path, **columns: object) -> Path:
    parquet.write_table(pa.table(columns), path)
    return path


def values(read: TableRead, field: str = "text") -> list[str]:
    return [row.values[field] for row in read.rows]


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        (pa.array([60, None], pa.int8()), ["60", ""]),
        (pa.array([2**63, 1], pa.uint64()), ["9223372036854775808", "1"]),
        (pa.array([60.0, 0.1]), ["60", "0.1"]),
        (pa.array([60.0, 0.1], pa.float32()), ["60", "0.1"]),
        (pa.array([float("nan"), float("inf")]), ["nan", "inf"]),
        (pa.array([True, False]), ["true", "false"]),
        (pa.array(["é", None], pa.large_string()), ["é", ""]),
        (pa.array(["x", "y"], pa.string_view()), ["x", "y"]),
        (pa.array(["x", None]).dictionary_encode(), ["x", ""]),
        (pa.array(["é".encode(), b"plain"], pa.binary()), ["é", "plain"]),
        (pa.array([None, None], pa.null()), ["", ""]),
        (pa.array([Decimal("60.00"), Decimal("0.10")]), ["60", "0.1"]),
        (pa.array([date(2024, 3, 1), None]), ["2024-03-01", ""]),
        (pa.array([datetime(2024, 3, 1), datetime(2024, 3, 1, 10, 30)]), ["2024-03-01", "2024-03-01 10:30:00"]),
        (pa.array([1_709_289_000_123_456_789, 0], pa.timestamp("ns")), ["2024-03-01 10:30:00.123456", "1970-01-01"]),
        (pa.array([datetime(2024, 3, 1, tzinfo=UTC)] * 2), ["2024-03-01 00:00:00+00:00"] * 2),
        (pa.array([time(8, 15)] * 2, pa.time64("ns")), ["08:15:00"] * 2),
        (pa.array([timedelta(minutes=90)] * 2, pa.duration("ns")), ["1:30:00"] * 2),
    ],
    ids=lambda value: str(value.type) if isinstance(value, pa.Array) else "",
)
def test_every_plain_type_has_one_plain_form(path: Path, column: pa.Array, texts: list[str]) -> None:
    assert values(read_records(saved(path, text=["a", "b"], group=column), FIELDS), "group") == texts


def test_faults_are_named_by_row(path: Path) -> None:
    read = read_records(saved(path, text=pa.array(["a", None, "  ", "b"])), FIELDS)
    assert [(row.number, row.values["text"]) for row in read.rows] == [(1, "a"), (4, "b")]
    assert [(problem.number, problem.reason) for problem in read.problems] == [(2, "no text"), (3, "no text")]


def test_bytes_that_are_no_text_cost_their_row_alone(path: Path) -> None:
    broken = pa.array([b"fine", b"caf\xe9", b"good"], pa.binary())
    for column in (broken, broken.view(pa.string())):  # the second only claims to be text
        read = read_records(saved(path, text=column), FIELDS)
        assert values(read) == ["fine", "good"]
        assert [str(problem) for problem in read.problems] == [
            "Row 2 (line 2): wrong encoding; bytes that are not utf-8: “caf\\xe9”"
        ]


def test_values_inside_lists_and_mappings_are_columns(path: Path) -> None:
    replies = [{"body": {"choices": [{"message": {"content": text}}]}} for text in ("first", "second")]
    who = pa.array([[("gender", "male")], [("gender", "female")]], pa.map_(pa.string(), pa.string()))
    saved(path, response=pa.array([*replies, None]), who=pa.chunked_array([who, who.slice(0, 1)]), n=[1.0, 2.0, 3.0])
    read = read_records(path, FIELDS, {"text": "response.body.choices.0.message.content", "group": "who.gender"})
    assert [tuple(row.values.values()) for row in read.rows] == [("first", "male"), ("second", "female")]
    assert [str(problem) for problem in read.problems] == ["Row 3 (line 3): no text"]
    guessed = read_records(path, [FieldSpec("text", aliases=("content",), required=True), FieldSpec("gender", True)])
    assert dict(guessed.mapping) == {"text": "response.body.choices.0.message.content", "gender": "who.gender"}


def test_lists_of_numbers_are_left_out_and_cannot_be_mapped(path: Path) -> None:
    nested = pa.array([[1, 2], [3]])
    saved(path, text=["a", "b"], tokens=nested)
    read = read_records(path, FIELDS)
    assert (values(read), read.columns) == (["a", "b"], ("text",))
    assert read.notices == ("Columns with lists or mappings were left out: “tokens”.",)
    with pytest.raises(AppError, match="tokens"):
        read_records(path, FIELDS, {"group": "tokens"})
    with pytest.raises(AppError, match=r"No column of “letters.parquet” holds plain values. Lists or mappings: “text”"):
        read_records(saved(path, text=nested), FIELDS)


def test_names_with_dots_are_columns_like_others(path: Path) -> None:
    table = pa.table([["x"], ["y"], ["z"]], names=["letter", "letter.text", "text"])
    parquet.write_table(table, path)
    read = read_records(path, FIELDS, {"text": "letter.text", "group": "letter"})
    assert [row.values for row in read.rows] == [{"text": "y", "group": "x"}]


def test_a_name_given_twice_cannot_be_mapped(path: Path) -> None:
    parquet.write_table(pa.table([["x"], ["y"], ["a"]], names=["group", "group", "text"]), path)
    with pytest.raises(AppError):
        read_records(path, FIELDS, {"group": "group"})
    assert values(read_records(path, FIELDS)) == ["a"]


# our own exports


def test_naughty_texts_of_our_own_export_come_back(path: Path) -> None:
    texts = [case["text"] if "text" in case else case["repeat"][0] * case["repeat"][1] for case in NAUGHTY]
    rows = [{"text": text, "group": NAUGHTY[number]["name"]} for number, text in enumerate(texts) if text.strip()]
    export_rows(rows, path)
    found = dict(zip(*(values(read_records(path, FIELDS), field) for field in ("group", "text")), strict=True))
    # Lone surrogates are no characters: the export escapes them, in every format but jsonl.
    assert found == {row["group"]: store_text(row["text"]).text for row in rows}


def test_typed_cells_and_formulas_of_our_own_export_come_back(path: Path) -> None:
    export_rows([{"text": "=1+1", "group": 60}, {"text": "'=1+1", "group": None}], path)
    read = read_records(path, FIELDS)
    assert [tuple(row.values.values()) for row in read.rows] == [("=1+1", "60"), ("'=1+1", "")]


# files that cannot be used


def failure(path: Path) -> AppError:
    with pytest.raises(AppError) as caught:
        read_records(path, FIELDS)
    return caught.value


def test_a_file_that_is_no_parquet_is_said(path: Path) -> None:
    path.write_text("text,group\na,male\n", "utf-8")
    assert "“letters.parquet” is broken, or not a parquet file." in str(failure(path))


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.99])
def test_a_cut_file_is_one_sentence(path: Path, kept: float) -> None:
    whole = saved(path, text=[f"letter {number}" for number in range(500)]).read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    assert "is broken, or not a parquet file" in str(failure(path))


def test_a_damaged_page_is_one_sentence(path: Path) -> None:
    whole = bytearray(saved(path, text=[f"letter {number}" for number in range(500)]).read_bytes())
    whole[20:400] = bytes(380)
    path.write_bytes(whole)
    assert "is broken, or not a parquet file" in str(failure(path))


def test_an_encrypted_file_is_said(path: Path) -> None:
    path.write_bytes(b"PARE" + bytes(100) + b"PARE")
    assert "is encrypted" in str(failure(path))


def test_a_file_without_rows_is_said(path: Path) -> None:
    assert "has no rows" in str(failure(saved(path, text=pa.array([], pa.string()))))


def test_an_encoding_cannot_be_asked_for(path: Path) -> None:
    with pytest.raises(UsageError, match="no encoding to choose"):
        look_at(saved(path, text=["a"]), encoding="utf-8")


# jobs


def test_reading_stops_within_a_batch_when_cancelled(path: Path) -> None:
    saved(path, text=[f"letter {number}" for number in range(9000)])
    ctx = JobContext()
    rows = ParquetFile.open(path).rows(["text"], ctx)
    next(rows)
    ctx.cancel()
    assert sum(1 for _ in islice(rows, 1999)) == 1999  # the batch that was there
    with pytest.raises(JobCancelled):
        next(rows)


def test_every_row_group_is_read(path: Path) -> None:
    parquet.write_table(pa.table({"text": [f"letter {n}" for n in range(5001)]}), path, row_group_size=700)
    assert values(read_records(path, FIELDS)) == [f"letter {n}" for n in range(5001)]
