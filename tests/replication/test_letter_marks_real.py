"""Language marks in the letters paper's released letters: all are read, with about as many marks as were found by hand.

The bounds are loose: they are to notice a rule that stops working or runs wild, not an entry more or less.
"""

import csv
import os
from collections import Counter
from pathlib import Path

import pytest

from biasprint.core.letters.marks import marks_of
from biasprint.core.letters.parts import parts_of
from biasprint.core.letters.reading import sentences_of
from biasprint.core.letters.values import CATEGORIES, Category, Document, Mark
from biasprint.core.swap.guess import guess_person

pytestmark = pytest.mark.replication

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BIASPRINT_REPLICATION_DATA", ROOT.parent / "shared" / "data")) / "letters"
FILES = ("clg_letters.csv", "df_f_artists_2_para_w_chatgpt.csv", "df_m_artists_2_para_w_chatgpt.csv")
FOUND: dict[Category, int] = {
    "agentic": 322,
    "communal": 320,
    "standout": 1025,
    "ability": 1401,
    "grindstone": 905,
    "doubt": 5,
    "personal_life": 15,
    "gender": 114,
    "age": 112,
    "family": 28,
    "appearance": 19,
    "health": 18,
    "origin": 11,
}


def texts(name: str) -> list[str]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return [row["chatgpt_gen"].replace("<return>", "\n") for row in csv.DictReader(file)]


def read(text: str) -> tuple[str, tuple[Mark, ...]]:
    document = Document("letter", "pasted", tuple(part.strip() for part in text.split("\n\n") if part.strip()))
    sentences = sentences_of(document.text, parts_of(document))
    return document.text, marks_of(sentences, guess_person(document.text))


@pytest.fixture(scope="module")
def letters() -> list[tuple[str, tuple[Mark, ...]]]:
    missing = [name for name in FILES if not (DATA / name).is_file()]
    if missing:
        pytest.skip(f"{missing[0]} is not in {DATA}; set BIASPRINT_REPLICATION_DATA to the folder above it")
    return [read(text) for name in FILES for text in texts(name)]


@pytest.mark.soak
def test_every_letter_is_read_and_every_mark_stands_where_it_says(
    letters: list[tuple[str, tuple[Mark, ...]]],
) -> None:
    assert len(letters) == 230
    assert all(marks for _, marks in letters)
    assert all(text[mark.start : mark.end] == mark.words for text, marks in letters for mark in marks)


def test_the_number_of_marks_in_each_category_is_about_what_was_found(
    letters: list[tuple[str, tuple[Mark, ...]]],
) -> None:
    counts = Counter(mark.category for _, marks in letters for mark in marks)
    for category in CATEGORIES:
        found = FOUND[category]
        assert 0.6 * found - 4 <= counts[category] <= 1.5 * found + 6, (category, counts[category], found)
