"""Opening tables: files that cannot be used, columns and fields, mappings."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasprint.core.errors import AppError, UsageError
from biasprint.core.tables import FieldSpec, fields_of, guess_mapping, parse_map_options, read_records

FIELDS = [FieldSpec("text", required=True, description="the letter"), FieldSpec("group", required=True)]


def write(tmp_path: Path, content: str, name: str = "letters.csv") -> Path:
    path = tmp_path / name
    path.write_text(content, encoding="utf-8", newline="")
    return path


def failure(path: Path, mapping: dict[str, str] | None = None) -> AppError:
    with pytest.raises(AppError) as caught:
        read_records(path, FIELDS, mapping)
    return caught.value


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    assert "There is no file" in str(failure(tmp_path / "absent.csv"))


def test_a_folder_is_said(tmp_path: Path) -> None:
    assert "is a folder" in str(failure(tmp_path))


def test_an_empty_file_is_said(tmp_path: Path) -> None:
    assert "“letters.csv” is empty" in str(failure(write(tmp_path, "")))


@pytest.mark.parametrize("content", ["text,group\n", "text,group"])
def test_a_header_alone_is_said(tmp_path: Path, content: str) -> None:
    assert "has no rows below its header" in str(failure(write(tmp_path, content)))


def test_blank_lines_alone_are_no_header(tmp_path: Path) -> None:
    assert "header of “letters.csv” cannot be read" in str(failure(write(tmp_path, "\n\n\n")))


@pytest.mark.parametrize("name", ["letters.docx", "letters"])
def test_another_kind_of_file_is_refused_naming_the_kinds_that_can_be_read(tmp_path: Path, name: str) -> None:
    assert "csv, tsv, jsonl" in failure(write(tmp_path, "text,group\na,male\n", name)).hint


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="this user may open every file")
def test_a_file_that_may_not_be_opened_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, "text,group\na,male\n")
    path.chmod(0)
    assert "could not be read" in str(failure(path))


def test_a_table_without_one_usable_row_fails_and_says_why(tmp_path: Path) -> None:
    error = failure(write(tmp_path, "text,group\n,male\n,female\n"))
    assert "None of the 2 rows" in error.message
    assert "Row 1 (line 2): no text" in error.hint


def test_a_missing_required_column_names_the_columns_that_are_there(tmp_path: Path) -> None:
    error = failure(write(tmp_path, "group,colour\nmale,red\n"))
    assert "recognised as text (the letter)" in error.message
    assert "Columns there: group, colour." in error.hint


def test_a_mapped_column_that_is_not_there_is_said(tmp_path: Path) -> None:
    error = failure(write(tmp_path, "text,group\na,male\n"), {"text": "letter"})
    assert "has no column “letter”, asked for as text" in error.message
    assert "Columns there: text, group." in error.hint
    assert error.exit_code == 1


def test_a_mapped_field_that_does_not_exist_is_a_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no field “txet”"):
        read_records(write(tmp_path, "text,group\na,male\n"), FIELDS, {"txet": "text"})


def test_what_is_asked_for_wins_over_guesses_and_guesses_are_told(tmp_path: Path) -> None:
    path = write(tmp_path, "text,letter,group\nraw,edited,male\n")
    read = read_records(path, FIELDS, {"text": "letter"})
    assert read.rows[0].values == {"text": "edited", "group": "male"}
    assert (read.mapping, read.guessed) == ({"text": "letter", "group": "group"}, ("group",))


def test_a_field_can_be_left_out_on_purpose(tmp_path: Path) -> None:
    path = write(tmp_path, "letter,group,name\nDear all,male,Joe\n")
    assert set(read_records(path, fields_of("letters")).mapping) == {"text", "group", "name"}
    assert set(read_records(path, fields_of("letters"), {"name": ""}).mapping) == {"text", "group"}


def test_columns_are_guessed_by_name_then_alias_then_look() -> None:
    columns = ["Group ", "CHATGPT-gen", "first_name", "Occupation"]
    assert guess_mapping(columns, [], fields_of("letters")) == {
        "group": "Group ",
        "text": "CHATGPT-gen",
        "name": "first_name",
        "occupation": "Occupation",
    }
    rows = [{"who": "Joseph", "what": "To whom it may concern, " * 10, "sex": "male"}]
    assert guess_mapping(["who", "what", "sex"], rows, fields_of("letters")) == {"group": "sex", "text": "what"}


def test_a_text_column_is_not_guessed_where_two_look_alike() -> None:
    rows = [{"a": "x" * 500, "b": "y" * 400}]
    assert guess_mapping(["a", "b"], rows, fields_of("texts")) == {}


def test_an_exact_name_is_not_taken_by_an_earlier_fields_alias() -> None:
    # "gender" is an alias of group, which here has a column of its own.
    assert guess_mapping(["gender", "group", "text"], [], fields_of("letters"))["group"] == "group"


def test_map_options_are_parsed() -> None:
    assert parse_map_options(["text=chatgpt_gen", "group = a=b", "name="]) == {
        "text": "chatgpt_gen",
        "group": "a=b",
        "name": "",
    }


@pytest.mark.parametrize("options", [["text"], ["=letter"], ["text=a", "text=b"]])
def test_a_malformed_map_option_is_a_wrong_use(options: list[str]) -> None:
    with pytest.raises(UsageError):
        parse_map_options(options)


def test_the_fields_of_every_kind_are_the_contracts() -> None:
    def names(kind: str) -> tuple[list[str], list[str]]:
        fields = fields_of(kind)
        return [f.name for f in fields if f.required], [f.name for f in fields if not f.required]

    # DESIGN.md names these first; what a study reads besides comes after them.
    for kind, required, optional in (
        ("letters", ["text", "group"], ["block", "name", "context", "occupation"]),
        ("creativity", ["task", "theme", "identity", "text"], ["sample", "model"]),
    ):
        assert names(kind)[0] == required
        assert names(kind)[1][: len(optional)] == optional
    news = {field.name for field in fields_of("news")}
    assert {"original", "generated", "headline", "model", "prompt_kind", "domain"} <= news
    completion = {field.name for field in fields_of("completion")}
    items = {"domain", "direction", "pronoun", "given", "positive", "negative", "neutral", "response", "term"}
    assert items <= completion
    assert names("texts") == (["text"], [])
    with pytest.raises(UsageError, match="“poems”"):
        fields_of("poems")


PIECES = [
    b"text",
    b"group",
    b",",
    b";",
    b'"',
    b"\n",
    b"\r",
    b"\r\n",
    b"\x00",
    b"\xff",
    b"\xc3",
    b"\xc3\xa9",
    b"\xef\xbb\xbf",
]
PIECES += [b"{", b"}", b":", b'"text"', b'"a"', b"\\ud800", b"\xff\xfe", b" ", b"word"]


@given(
    name=st.sampled_from(["x.csv", "x.tsv", "x.jsonl"]),
    start=st.sampled_from(
        [b"", b"text,group\n", b"text;group\r\n", b"text\tgroup\n", b'{"text": "a", "group": "b"}\n']
    ),
    pieces=st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)), max_size=30),
)
def test_whatever_a_file_holds_every_row_is_used_or_named(
    tmp_path_factory: pytest.TempPathFactory, name: str, start: bytes, pieces: list[bytes]
) -> None:
    path = tmp_path_factory.mktemp("any") / name
    path.write_bytes(start + b"".join(pieces))
    try:
        read = read_records(path, FIELDS)
    except AppError:
        return  # refused as a whole, with a sentence
    left_out = [problem.number for problem in read.problems if not problem.kept]
    assert sorted([row.number for row in read.rows] + left_out) == list(range(1, read.total + 1))
