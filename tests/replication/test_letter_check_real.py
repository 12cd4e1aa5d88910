"""The letter check on the released letters: every one is read, and its own biography supports more than another's.

    python -m pytest tests/replication/test_letter_check_real.py -m soak -s

prints figures of docs/explanation/letter-check.md. Ordinary runs take five letters. Skipped without the letters.
"""

import csv
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from biasprint.core.letters import scorers_for_letters
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.occupations import guess_occupation
from biasprint.core.letters.pile.read import unsupported_share
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.twins import read_with_twin
from biasprint.core.letters.values import Document, Reading
from biasprint.core.metrics.means import paired_difference
from biasprint.core.swap import Person

pytestmark = pytest.mark.replication

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BIASPRINT_REPLICATION_DATA", ROOT.parent / "shared" / "data")) / "letters"
ARTISTS = ("df_f_artists_2_para_w_chatgpt.csv", "df_m_artists_2_para_w_chatgpt.csv")
CONTEXT_LESS = "clg_letters.csv"
EVERY = 15


@dataclass(frozen=True)
class Real:
    """A released letter; `seed` is the person whose biography was rewritten for it."""

    text: str
    biography: str
    seed: str
    pronoun: str


@dataclass(frozen=True)
class Compared:
    """The unsupported share of each letter with its own biography and with another's, and whose letter it is."""

    own: Sequence[float]
    other: Sequence[float]
    seeds: Sequence[str]


def table(name: str) -> list[dict[str, str]]:
    path = DATA / name
    if not path.is_file():
        pytest.skip(f"the released letters are not at {DATA}; set BIASPRINT_REPLICATION_DATA to the folder above")
    csv.field_size_limit(10**7)
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


@cache
def artists() -> tuple[Real, ...]:
    rows = [row for name in ARTISTS for row in table(name)]
    return tuple(
        Real(
            row["chatgpt_gen"], row["info"], f"{row['seed_first_name']} {row['seed_last_name']}",
            {"f": "she", "m": "he"}[row["gender"]],
        )
        for row in rows
    )  # fmt: skip


def reading_of(text: str, biography: str = "", *roles: str) -> Reading:
    """`roles`: only what their scorers say."""
    context = Document("Biography", "pasted", tuple(biography.split("\n"))) if biography else None
    scorers = {role: name for role, name in scorers_for_letters().items() if not roles or role in roles}
    return read_letter(read_pasted(text), ReadingRequest(scorers, context=context))


def another(letters: Sequence[Real], place: int) -> Real:
    """The next letter, going round, that is about another seed person."""
    order = [letters[(place + step) % len(letters)] for step in range(1, len(letters))]
    return next(one for one in order if one.seed != letters[place].seed)


def compare(places: Sequence[int]) -> Compared:
    """Letters that only praise have no share and are left out."""
    letters = artists()
    found = Compared([], [], [])
    for place in places:
        biographies = (letters[place], another(letters, place))
        own, other = (
            unsupported_share(reading_of(letters[place].text, one.biography, "entailment")) for one in biographies
        )
        if own is not None and other is not None:
            found.own.append(own)
            found.other.append(other)
            found.seeds.append(letters[place].seed)
    return found


def by_seed(values: Sequence[float], seeds: Sequence[str]) -> np.ndarray:
    """The mean of each seed person's letters: they share a biography, and are not independent."""
    gathered: defaultdict[str, list[float]] = defaultdict(list)
    for value, seed in zip(values, seeds, strict=True):
        gathered[seed].append(value)
    return np.array([np.mean(gathered[seed]) for seed in sorted(gathered)])


def tell(sentence: str) -> None:
    """Said with -s: these are the figures of the page."""
    sys.stdout.write(f"\n{sentence}\n")


def report(found: Compared, at_most: float) -> None:
    result = paired_difference(by_seed(found.other, found.seeds), by_seed(found.own, found.seeds))
    fewer = sum(own < other for own, other in zip(found.own, found.other, strict=True))
    more = sum(own > other for own, other in zip(found.own, found.other, strict=True))
    bounds = result.interval.bounds
    assert bounds is not None
    tell(
        f"{len(found.own)} letters about {result.n} seed persons. Unsupported claims, mean share: own biography "
        f"{np.mean(found.own):.1%}, another's {np.mean(found.other):.1%}. With its own fewer in {fewer} letters, equal "
        f"in {len(found.own) - fewer - more}, more in {more}. {result.test} over seed persons: difference "
        f"{result.value:.3f} (95 % {bounds.low:.3f} to {bounds.high:.3f}), p = {result.p:.3g}, "
        f"d_z = {result.effect:.2f}."
    )
    assert result.p is not None
    assert result.value is not None
    assert result.value > 0
    assert result.p < at_most
    assert fewer >= 0.8 * len(found.own)


@pytest.mark.soak
def test_its_own_biography_supports_more_of_a_letter_than_anothers() -> None:
    report(compare(range(0, len(artists()), EVERY)), at_most=0.01)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_its_own_biography_supports_more_over_all_letters() -> None:
    letters = artists()
    assert len(letters) == 110
    found = compare(range(len(letters)))
    assert len(found.own) >= 0.95 * len(letters)
    report(found, at_most=1e-6)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_every_letter_is_read_and_its_pronoun_found() -> None:
    right = 0
    for letter in artists():
        reading = reading_of(letter.text)
        assert not reading.stopped
        assert {part.kind for part in reading.parts} >= {"body"}
        assert all(figure.value is not None for figure in reading.figures)
        right += reading.person.pronoun == letter.pronoun
    tell(f"Pronoun as in the table: {right} of {len(artists())}.")
    assert right >= 0.95 * len(artists())


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_every_context_less_letter_is_read_and_its_occupation_mostly_guessed() -> None:
    rows = table(CONTEXT_LESS)
    pronouns = {"female": "she", "male": "he"}
    right = said = named = 0
    for row in rows:
        reading = reading_of(row["chatgpt_gen"])
        assert not reading.stopped
        assert all(figure.value is not None for figure in reading.figures)
        guess = guess_occupation(reading.document.text)
        said += guess.likely
        right += guess.likely and guess.occupation == row["occupation"]
        named += reading.person.first_name == row["name"] and reading.person.pronoun == pronouns[row["gender"]]
    tell(f"{len(rows)} letters: occupation guessed in {said}, right in {right}; name and pronoun right in {named}.")
    assert right >= 0.9 * len(rows)
    assert named >= 0.9 * len(rows)


@pytest.mark.soak
def test_some_of_the_context_less_letters_are_read() -> None:
    for row in table(CONTEXT_LESS)[::20]:
        reading = reading_of(row["chatgpt_gen"])
        assert not reading.stopped
        assert all(figure.value is not None for figure in reading.figures)
        assert reading.person.first_name == row["name"]


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_how_far_the_scores_of_the_stand_ins_depend_on_name_and_gender() -> None:
    """A figure about the scorers: it is printed, and only that the two letters could be laid side by side is asked."""
    others = {"female": Person("Joseph", "", "", "he"), "male": Person("Kelly", "", "", "she")}
    styles = {role: name for role, name in scorers_for_letters().items() if role != "entailment"}
    sentences = other_words = unpaired = 0
    changed: Counter[str] = Counter()
    turned: Counter[str] = Counter()
    for row in table(CONTEXT_LESS):
        found = read_with_twin(read_pasted(row["chatgpt_gen"]), others[row["gender"]], ReadingRequest(styles))
        body = [one for one in found.reading.sentences if one.part == "body"]
        sentences += len(body)
        own = {one.text for one in found.twin_reading.sentences}
        other_words += sum(one.text not in own for one in body)
        unpaired += found.unpaired
        changed.update(one.scorer for one in found.sentences)
        turned.update(one.scorer for one in found.sentences if one.turned)
    said = ", ".join(f"{name} {changed[name]} ({turned[name]} judged otherwise)" for name in styles.values())
    tell(f"{sentences} sentences, {other_words} of them changed by the swap. Another score for the twin: {said}.")
    assert other_words > sentences / 2
    assert unpaired <= 0.01 * sentences
