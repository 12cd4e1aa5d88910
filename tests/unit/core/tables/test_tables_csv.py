"""Reading csv and tsv: separators, quotes, ragged rows, numbers of rows and lines."""

from pathlib import Path

import pytest

from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.jobs import JobContext
from biasprint.core.tables import FieldSpec, Record, iter_records, look_at, read_records

FIELDS = [FieldSpec("text", required=True), FieldSpec("group", required=True)]


@pytest.fixture
def table(tmp_path: Path):
    def write(content: str | bytes, name: str = "letters.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return path

    return write


def values(path: Path) -> list[tuple[str, str]]:
    return [(row.values["text"], row.values["group"]) for row in read_records(path, FIELDS).rows]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(table, separator: str) -> None:
    rows = ["text|group", '"Dear all, this; is\tone | cell"|female', "Second|male"]
    content = "\n".join(row if row.startswith('"') else row.replace("|", separator) for row in rows)
    content = content.replace('cell"|', f'cell"{separator}')
    assert values(table(content)) == [("Dear all, this; is\tone | cell", "female"), ("Second", "male")]


def test_a_tsv_file_is_split_at_tabs_whatever_else_its_cells_hold(table) -> None:
    assert values(table("text\tgroup\na,b,c\tmale\nd,e,f\tfemale\n", "x.tsv")) == [
        ("a,b,c", "male"),
        ("d,e,f", "female"),
    ]


def test_texts_are_kept_exactly(table) -> None:
    text = 'He said "yes",\r\n\nthen\tleft;\x00 e\u0301 \u202e\U0001f600 \u2028end '
    quoted = '"' + text.replace('"', '""') + '"'
    assert values(table(f"text,group\n{quoted},male\n")) == [(text, "male")]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_ending_is_read(table, ending: str) -> None:
    assert values(table(ending.join(["text,group", "a,male", "b,female"]))) == [("a", "male"), ("b", "female")]


def test_rows_carry_their_number_and_the_line_they_start_on(table) -> None:
    read = read_records(table('text,group\n"two\nlines",male\nnext,female\n'), FIELDS)
    assert [(row.number, row.line) for row in read.rows] == [(1, 2), (2, 4)]


def test_a_cell_of_five_megabytes_is_read(table) -> None:
    long = "x" * 5_000_000
    assert values(table(f"text,group\n{long},male\n")) == [(long, "male")]


def test_ragged_and_empty_rows_are_named_and_counted(table) -> None:
    content = "text,group\ngood,male\nshort\n\n,\na,b,c\n,female\n   ,male\nfine,female,\n"
    read = read_records(table(content), FIELDS)
    assert [row.values["text"] for row in read.rows] == ["good", "fine"]
    assert [(problem.number, problem.line, problem.reason) for problem in read.problems] == [
        (2, 3, "too few cells"),
        (3, 4, "empty row"),
        (4, 5, "empty row"),
        (5, 6, "too many cells"),
        (6, 7, "no text"),
        (7, 8, "no text"),
    ]
    assert read.dropped == {"too few cells": 1, "empty row": 2, "too many cells": 1, "no text": 2}
    assert read.total == 8


def test_a_stray_quote_costs_its_row_only_and_is_named(table) -> None:
    read = read_records(table('text,group\n"She is "great" indeed",female\nnext,male\n'), FIELDS)
    assert [row.values["text"] for row in read.rows] == ["next"]
    assert [(problem.number, problem.reason) for problem in read.problems] == [(1, "unbalanced quotes")]


def test_rows_swallowed_by_an_open_quote_are_named_with_their_lines(table) -> None:
    read = read_records(table('text,group\nfirst,male\n"never closed,male\nlost,female\nlost too,male\n'), FIELDS)
    assert [row.values["text"] for row in read.rows] == ["first"]
    [problem] = read.problems
    assert (problem.number, problem.line, problem.reason) == (2, 3, "unbalanced quotes")
    assert "lines 3 to 5" in problem.detail


def test_duplicates_are_reported_and_kept(table) -> None:
    read = read_records(table("text,group,id\nsame,male,1\nother,male,2\nsame,male,3\nsame,female,4\n"), FIELDS)
    assert len(read.rows) == 4
    assert [(problem.number, problem.reason, problem.detail) for problem in read.problems] == [
        (3, "duplicate", "the same as row 1")
    ]
    assert read.dropped == {}


def test_duplicates_are_dropped_on_request_keeping_the_first(table) -> None:
    path = table("text,group\nsame,male\nsame,male\nsame,male\nother,male\n")
    read = read_records(path, FIELDS, duplicates="drop")
    assert [row.number for row in read.rows] == [1, 4]
    assert read.dropped == {"duplicate": 2}


def test_a_table_is_read_row_by_row_without_holding_it(table) -> None:
    path = table("text,group\n" + "".join(f"letter {i},male\n" for i in range(5000)) + "bad\n")
    problems = []
    rows = iter_records(look_at(path), FIELDS, {"text": "text", "group": "group"}, problems.append)
    assert next(rows) == Record(1, 2, {"text": "letter 0", "group": "male"})
    assert problems == []
    assert sum(1 for _ in rows) == 4999
    assert [problem.number for problem in problems] == [5001]


def test_reading_tells_how_far_it_is_and_stops_when_cancelled(table) -> None:
    path = table("text,group\n" + "".join(f"letter {i},male\n" for i in range(5000)))
    seen = []
    ctx = JobContext(lambda progress: (seen.append(progress), ctx.cancel()))
    with pytest.raises(JobCancelled):
        read_records(path, FIELDS, ctx=ctx)
    assert seen[0].total == path.stat().st_size
    assert 0 < seen[0].done <= path.stat().st_size


def test_a_column_that_is_there_twice_cannot_be_mapped_silently(table) -> None:
    path = table("text,group,text\na,male,b\n")
    with pytest.raises(AppError, match="the column “text” twice"):
        read_records(path, FIELDS, {"text": "text"})


def test_the_sample_shows_what_is_there(table) -> None:
    looked = look_at(table("id,letter\n1,Dear all\n2,Hello\n"))
    assert looked.columns == ("id", "letter")
    assert looked.sample_rows == ({"id": "1", "letter": "Dear all"}, {"id": "2", "letter": "Hello"})
