"""The layout with one column per identity: wide rows become one output each."""

from pathlib import Path

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.tables.formats import read_format
from biasprint.core.tables.formats.kumar import FORMAT, fits

WIDE = (
    "Task,Theme,Model,Default,White,Black,Asian,Non-binary,notes\n"
    "very short story,social media,GPT-4,d1,w1,b1,a1,n1,x\n"
    "haiku,stars,GPT-4,d2,w2,,a2,n2,\n"
)


def write(folder: Path, text: str) -> Path:
    path = folder / "outputs.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_each_identity_of_a_row_is_an_output(tmp_path: Path) -> None:
    read = read_format(write(tmp_path, WIDE), "kumar")
    first = [row.values for row in read.rows[:5]]
    assert [(row["identity"], row["text"]) for row in first] == [
        ("default", "d1"), ("white", "w1"), ("black", "b1"), ("asian", "a1"), ("non-binary", "n1"),
    ]  # fmt: skip
    assert {(row["task"], row["theme"], row["model"]) for row in first} == {
        ("very_short_story", "social_media", "GPT-4")
    }
    assert {row.number for row in read.rows[:5]} == {1}


def test_an_identity_without_a_text_is_counted_and_named(tmp_path: Path) -> None:
    read = read_format(write(tmp_path, WIDE), "kumar")
    assert (len(read.rows), read.total) == (9, 10)
    assert read.dropped == {"no text of identity black": 1}
    assert [(problem.number, problem.reason) for problem in read.problems] == [(2, "no text of identity black")]


def test_names_of_columns_are_compared_without_case_blanks_and_hyphens(tmp_path: Path) -> None:
    read = read_format(write(tmp_path, "TASK NAME,topic,DEFAULT,non_binary,Male\nhaiku,sun,d,n,m\n"), "kumar")
    assert [(row.values["identity"], row.values["text"]) for row in read.rows] == [
        ("default", "d"), ("man", "m"), ("non-binary", "n"),
    ]  # fmt: skip
    assert read.rows[0].values["theme"] == "sun"


def test_texts_are_kept_exactly(tmp_path: Path) -> None:
    read = read_format(write(tmp_path, 'task,theme,default,queer\nhaiku,sun," one\n two ",“q” \n'), "kumar")
    assert [row.values["text"] for row in read.rows] == [" one\n two ", "“q” "]


def test_it_is_told_from_other_layouts() -> None:
    assert fits(["task", "theme", "default", "straight", "queer"])
    assert not fits(["task", "theme", "identity", "text"])  # long already
    assert not fits(["task", "theme", "white", "black"])  # nothing to compare with
    assert not fits(["task", "default", "white"])
    assert not fits(["task", "theme", "default", "white", "White"])  # which of the two?
    assert (FORMAT.name, FORMAT.kind) == ("kumar", "creativity")


def test_another_layout_is_refused_naming_what_is_needed(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="does not have the columns of the format kumar") as caught:
        read_format(write(tmp_path, "task,theme,text\nhaiku,sun,x\n"), "kumar")
    assert "task, theme, default and one column for each identity (white, black" in caught.value.hint
    assert "Columns there: task, theme, text." in caught.value.hint


def test_further_fields_come_from_their_columns(tmp_path: Path) -> None:
    path = write(tmp_path, WIDE)
    read = FORMAT.read(path, None, extra={"note": "notes"}, duplicates="report", ctx=JobContext())
    assert read.rows[0].values["note"] == "x"
    with pytest.raises(UsageError, match="has no column “nothing”"):
        FORMAT.read(path, None, extra={"note": "nothing"}, duplicates="report", ctx=None)


def test_a_file_without_a_single_text_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(AppError, match="None of the 2 rows"):
        read_format(write(tmp_path, "task,theme,default,queer\nhaiku,sun,,\n"), "kumar")
