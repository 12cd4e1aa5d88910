"""The layout that Kamruzzaman et al. released: options by polarity, and the given term found again."""

import csv
from pathlib import Path

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.tables.formats import known_formats, read_format
from biasprint.core.tables.formats.kamruzzaman import given_term
from biasprint.core.tables.rows import TableRead

COLUMNS = (
    "bias_type", "target_gender", "context", "anti_stereotype", "stereotype", "unrelated", "item_category",
    "type_category", "response",
)  # fmt: skip
# What the one direction offers the other gives; sentences are this project's own.
ROWS = [
    ("beauty", "male", "He looks lovely, so he is BLANK.", "rude", "polite", "busy", "positive", "type1", "polite"),
    ("beauty", "female", "She looks ugly, so she is BLANK.", "kind", "hostile", "busy", "negative", "type1", "kind"),
    ("beauty", "not_spacified", "They are polite and look BLANK.", "ugly", "lovely", "formal", "positive", "type2", ""),
    ("beauty", "male", "His hostility shows, he looks BLANK.", "lovely", "ugly", "formal", "negative", "type2", "ugly"),
    ("beauty", "female", "She is polite and looks BLANK.", "ugly", "lovely", "formal", "positive", "type2", "lovely"),
    ("beauty", "female", "She is wise and looks BLANK.", "ugly", "lovely", "formal", "positive", "type2", "lovely"),
    ("instituition", "male", "He is from MIT, he is BLANK.", "rude", "polite", "busy", "positive", "type1", "no"),
]  # fmt: skip


def write(path: Path, rows: list[tuple[str, ...]], columns: tuple[str, ...] = COLUMNS) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])
    return path


@pytest.fixture
def read(tmp_path: Path) -> TableRead:
    return read_format(write(tmp_path / "replies.csv", ROWS), "kamruzzaman")


def test_the_stereotype_is_the_positive_option_of_a_positive_item_and_the_negative_one_of_a_negative(
    read: TableRead,
) -> None:
    options = [(row.values["positive"], row.values["negative"], row.values["neutral"]) for row in read.rows]
    assert options[:4] == [
        ("polite", "rude", "busy"),
        ("kind", "hostile", "busy"),
        ("lovely", "ugly", "formal"),
        ("lovely", "ugly", "formal"),
    ]


def test_values_are_named_as_the_study_names_them(read: TableRead) -> None:
    first, third, last = read.rows[0].values, read.rows[2].values, read.rows[-1].values
    assert (first["direction"], first["pronoun"], first["given"]) == ("SAI", "masculine", "positive")
    assert (third["direction"], third["pronoun"], third["response"]) == ("ASA", "non-binary", "")
    assert last["domain"] == "institution"


def test_an_empty_reply_is_kept_as_a_reply(read: TableRead) -> None:
    assert read.total == len(ROWS) == len(read.rows)
    assert read.dropped == {}


def test_the_given_term_is_found_again_in_every_way(read: TableRead) -> None:
    assert [row.values["term"] for row in read.rows] == [
        "lovely",  # offered in the other direction, and whole in the sentence
        "ugly",
        "polite",
        "hostile",  # “hostility” is a form of it
        "polite",
        "wise",  # never offered: what stands where “polite” stands in a sentence that is otherwise equal
        "",  # an item whose domain has no other direction here
    ]


@pytest.mark.parametrize(
    ("context", "options", "found"),
    [
        ("He is from Boston College, he is BLANK.", ["boston", "boston college"], ("boston college", "boston college")),
        ("She is unfriendly.", ["friendly"], ("", "")),
        ("Known for her affability.", ["affable", "able"], ("affable", "affability")),
        ("They are 25 years old.", ["2", "5", "25"], ("25", "25")),
        ("He is BLANK.", ["rude"], ("", "")),
        ("He is BLANK.", [], ("", "")),
    ],
)
def test_a_term_is_a_whole_word_or_the_nearest_form(context: str, options: list[str], found: tuple[str, str]) -> None:
    assert given_term(context, options) == found


@pytest.mark.parametrize(
    ("column", "value"),
    [("bias_type", "religion"), ("target_gender", "it"), ("item_category", "so"), ("type_category", "type3")],
)
def test_a_value_of_no_known_kind_is_a_problem_of_its_row(tmp_path: Path, column: str, value: str) -> None:
    wrong = list(ROWS[0])
    wrong[COLUMNS.index(column)] = value
    read = read_format(write(tmp_path / "replies.csv", [*ROWS, tuple(wrong)]), "kamruzzaman")
    assert read.dropped == {f"unknown {column}": 1}
    assert read.problems[0].number == len(ROWS) + 1
    assert value in read.problems[0].excerpt


def test_another_files_columns_are_refused_by_name(tmp_path: Path) -> None:
    path = write(tmp_path / "other.csv", [("x",) * 3], ("bias_type", "context", "response"))
    with pytest.raises(AppError, match="kamruzzaman") as raised:
        read_format(path, "kamruzzaman")
    assert "target_gender" in raised.value.hint


def test_a_further_column_can_be_named_and_the_term_too(tmp_path: Path) -> None:
    rows = [(*row, str(number)) for number, row in enumerate(ROWS)]
    path = write(tmp_path / "replies.csv", rows, (*COLUMNS, "item"))
    read = read_format(path, "kamruzzaman", extra={"term": "item"})
    assert [row.values["term"] for row in read.rows] == [str(number) for number in range(len(ROWS))]
    with pytest.raises(UsageError, match="no column “nowhere”"):
        read_format(path, "kamruzzaman", extra={"term": "nowhere"})


def test_the_format_knows_its_columns() -> None:
    known = known_formats()["kamruzzaman"]
    assert known.kind == "completion"
    assert known.fits(COLUMNS)
    assert not known.fits(COLUMNS[:-1])
