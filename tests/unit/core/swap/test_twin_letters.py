"""The swap twin on the released letters; skipped where they are absent."""

import csv
import os
from pathlib import Path

import pytest

from biasprint.core.swap import Person, Pronoun
from biasprint.core.swap.engine import swap
from biasprint.core.swap.guess import guess_person

pytestmark = pytest.mark.replication

ROOT = Path(__file__).resolve().parents[4]
DATA = Path(os.environ.get("BIASPRINT_REPLICATION_DATA", ROOT.parent / "shared" / "data")) / "letters"
FILES = ("clg_letters.csv", "df_f_artists_2_para_w_chatgpt.csv", "df_m_artists_2_para_w_chatgpt.csv")
# Measured: 0.917 (211 of 230). What stays away is listed as lost (“actor” of a woman, “Mrs.”), or the letter itself
# says he and she of one person.
TWICE = 0.90
TWICE_BY_THEY = 0.48  # measured: 0.52
NAMES_FOUND = 0.95  # measured: 0.978
HERS = Person("Ottilie", "Winter", "", "she")
HIS = Person("Ottokar", "Winter", "", "he")


@pytest.fixture(scope="module")
def letters() -> list[tuple[str, Person]]:
    if not all((DATA / name).is_file() for name in FILES):
        pytest.skip(f"the released letters are not in {DATA}; set BIASPRINT_REPLICATION_DATA to their folder")
    found = []
    for name in FILES:
        with (DATA / name).open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                pronoun: Pronoun = "he" if row["gender"] in ("m", "male") else "she"
                first, last = row.get("first_name") or row.get("name") or "", row.get("last_name") or ""
                found.append((row["chatgpt_gen"].replace("<return>", "\n"), Person(first, last, "", pronoun)))
    return found


@pytest.mark.soak
def test_every_letter_is_swapped_and_nearly_all_come_back(letters: list[tuple[str, Person]]) -> None:
    assert len(letters) == 230
    same = 0
    for text, person in letters:
        twin_person = HIS if person.pronoun == "she" else HERS
        other = Person(
            twin_person.first_name, twin_person.last_name if person.last_name else "", "", twin_person.pronoun
        )
        twin = swap(text, person, other)
        assert twin.changes
        assert twin.place(len(text)) == len(twin.text)
        same += swap(twin.text, other, person).text == text
    assert same / len(letters) >= TWICE


@pytest.mark.soak
def test_half_of_the_letters_come_back_from_they(letters: list[tuple[str, Person]]) -> None:
    """Several people's they and the twin's look alike, and words for everybody stay: fewer can come back."""
    same = 0
    for text, person in letters:
        other = Person("Oxley", "Winter" if person.last_name else "", "", "they")
        same += swap(swap(text, person, other).text, other, person).text == text
    assert same / len(letters) >= TWICE_BY_THEY


@pytest.mark.soak
def test_nearly_every_letters_person_is_guessed(letters: list[tuple[str, Person]]) -> None:
    right = 0
    for text, person in letters:
        found = guess_person(text)
        right += (found.first_name, found.last_name) == (person.first_name, person.last_name)
    assert right / len(letters) >= NAMES_FOUND
