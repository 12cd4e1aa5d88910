"""Sentences and their swap twins, written by hand (tests/data/swap_pairs.toml), against the engine."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from biasprint.core.swap import Person, Twin
from biasprint.core.swap.engine import swap

FILE = tomllib.loads((Path(__file__).parents[3] / "data" / "swap_pairs.toml").read_text(encoding="utf-8"))
PEOPLE = {key: Person(**fields) for key, fields in FILE["people"].items()}
PAIRS: list[dict[str, Any]] = FILE["pair"]
EXACT = 0.97


def twin_of(pair: dict[str, Any]) -> Twin:
    return swap(pair["from"], PEOPLE[pair["person"]], PEOPLE[pair["other"]])


def test_the_pairs_are_many_and_cover_what_they_should() -> None:
    both = [(PEOPLE[pair["person"]].pronoun, PEOPLE[pair["other"]].pronoun) for pair in PAIRS]
    assert len({(pair["from"], pair["other"]) for pair in PAIRS}) == len(PAIRS) >= 220
    assert sum("they" in pronouns for pronouns in both) >= 50
    assert both.count(("she", "he")) >= 100
    assert both.count(("he", "she")) >= 40
    assert both.count(("they", "she")) + both.count(("they", "he")) >= 20
    told = " ".join(pair["from"] for pair in PAIRS)
    assert all(word in told for word in (" her ", "hers", "Mr", "actress", "chairman", "“", "@", "Will", "Grace"))
    unchanged = [pair for pair in PAIRS if pair["from"] == pair["to"]]
    assert len(unchanged) >= 10, "there are too few traps in which nothing may change"


def test_nearly_every_twin_is_exactly_the_hand_written_one() -> None:
    misses = [(pair["about"], pair["to"], text) for pair in PAIRS if (text := twin_of(pair).text) != pair["to"]]
    told = "\n".join(f"{about}\n  wanted {wanted}\n  got    {got}" for about, wanted, got in misses)
    assert len(misses) <= (1 - EXACT) * len(PAIRS), told


def test_swapping_twice_gives_the_letter_back_where_the_mapping_allows() -> None:
    allowed = [pair for pair in PAIRS if pair["back"]]
    assert len(allowed) >= 0.8 * len(PAIRS)
    misses = []
    for pair in allowed:
        back = swap(pair["to"], PEOPLE[pair["other"]], PEOPLE[pair["person"]]).text
        if back != pair["from"]:
            misses.append(f"{pair['about']}\n  wanted {pair['from']}\n  got    {back}")
    assert len(misses) <= (1 - EXACT) * len(allowed), "\n".join(misses)


def test_a_swap_to_the_same_person_changes_nothing() -> None:
    for pair in PAIRS:
        for text, key in ((pair["from"], "person"), (pair["to"], "other")):
            twin = swap(text, PEOPLE[pair[key]], PEOPLE[pair[key]])
            assert twin.text == text
            assert twin.changes == ()


@pytest.mark.parametrize("key", ["from", "to"])
def test_places_lead_to_the_same_words_in_both_texts(key: str) -> None:
    for pair in PAIRS:
        people = ("person", "other") if key == "from" else ("other", "person")
        text = pair[key]
        twin = swap(text, PEOPLE[pair[people[0]]], PEOPLE[pair[people[1]]])
        inside: set[int] = set()
        for change in twin.changes:
            assert text[change.start : change.end] == change.old
            assert twin.text[twin.place(change.start) : twin.place(change.end)] == change.new
            assert change.reason
            inside |= set(range(change.start, change.end))
        for offset, sign in enumerate(text):
            if offset not in inside:
                assert twin.text[twin.place(offset)] == sign
                assert twin.back(twin.place(offset)) == offset
        places = [twin.place(offset) for offset in range(len(text) + 1)]
        assert places == sorted(places)
        assert places[-1] == len(twin.text)
