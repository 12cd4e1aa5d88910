"""Reading jsonl: one object a line, values exactly as written, a bad line named."""

from pathlib import Path

import pytest

from biasprint.core.errors import AppError
from biasprint.core.tables import FieldSpec, read_records

FIELDS = [FieldSpec("text", required=True), FieldSpec("group"), FieldSpec("seed")]


def write(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "outputs.jsonl"
    path.write_text(content, encoding="utf-8", newline="")
    return path


def test_values_are_kept_exactly(tmp_path: Path) -> None:
    lines = [
        r'{"text": "a\u2028b\r\n \ud800 \u0000", "seed": 123456789012345678901234567890, "group": true}',
        '{"text": "raw \u2028 inside", "seed": 0.10, "group": null}',
    ]
    read = read_records(write(tmp_path, "\r\n".join(lines) + "\n"), FIELDS)
    assert [row.values for row in read.rows] == [
        {"text": "a\u2028b\r\n \ud800 \x00", "group": "true", "seed": "123456789012345678901234567890"},
        {"text": "raw \u2028 inside", "group": "", "seed": "0.10"},
    ]


def test_bad_lines_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    lines = ['{"text": "one"}', '{"text": "cut', "[1, 2]", "", '{"text": {"a": 1}}', '{"text": "x", "text": "y"}']
    lines += ['{"text": ""}', "[" * 100_000, '{"group": "no text at all"}', '{"text": "last"}']
    read = read_records(write(tmp_path, "\n".join(lines)), FIELDS)
    assert [row.values["text"] for row in read.rows] == ["one", "last"]
    assert [(problem.number, problem.reason) for problem in read.problems] == [
        (2, "not valid JSON"),
        (3, "not a JSON object"),
        (4, "empty row"),
        (5, "not a text"),
        (6, "key given twice"),
        (7, "no text"),
        (8, "not valid JSON"),
        (9, "no text"),
    ]
    assert (read.total, sum(read.dropped.values())) == (10, 8)


def test_columns_are_the_keys_of_all_rows(tmp_path: Path) -> None:
    read = read_records(write(tmp_path, '{"text": "a"}\n{"text": "b", "group": "male"}\n'), FIELDS)
    assert read.columns == ("text", "group")
    assert read.rows[0].values["group"] == ""


def test_a_json_list_is_refused_with_the_form_that_is_needed(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="No line") as caught:
        read_records(write(tmp_path, '[\n"a",\n"b"\n]\n'), FIELDS)
    assert "Each line must hold one row" in caught.value.hint


@pytest.mark.parametrize("content", ["\n\n  \n", "\ufeff", "\ufeff\r\n"])
def test_blank_lines_alone_are_no_rows(tmp_path: Path, content: str) -> None:
    with pytest.raises(AppError, match="has no rows"):
        read_records(write(tmp_path, content), FIELDS)


def test_keys_are_found_below_any_number_of_blank_lines(tmp_path: Path) -> None:
    read = read_records(write(tmp_path, "\n" * 3000 + '{"text": "a"}\n'), FIELDS)
    assert [(row.number, row.values["text"]) for row in read.rows] == [(3001, "a")]
