"""No loop: a suggestion that is accepted makes no new mark, over every letter that there is to try it on."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from biasprint.core.letters.categories import categories
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.report import changes_made, suggestions_left
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.suggestions import ReadAgain, suggestion_words, suggestions_for, suggestions_of
from biasprint.core.letters.values import Reading, Sentence

ROOT = Path(__file__).resolve().parents[4]
BY_HAND = re.sub(r"\[!?\w+\|([^]]*)\]", r"\1", (ROOT / "tests/data/letters_by_hand.txt").read_text(encoding="utf-8"))
FRAMES = ("She did a {} job.", "She is a {} nurse.", "She is {}.", "Her work was perfectly {}.", "{} it will be done.")


def measured() -> list[str]:
    folder = ROOT / "docs" / "letters_measured"
    lines = [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text(encoding="utf-8").splitlines()]
    return [letter["text"] for letter in map(json.loads, lines) if "text" in letter]


def faults(again: ReadAgain, sentence: Sentence) -> Counter[str]:
    return Counter(mark.category for mark in again.marks(sentence) if not categories()[mark.category].praise)


def loops(reading: Reading, again: ReadAgain) -> tuple[int, list[str]]:
    """Return how many changes are offered, and the sentences that have more to change after one of them."""
    tried, worse = 0, []
    offers = suggestions_of(reading)
    for sentence in reading.sentences:
        before = faults(again, sentence)
        for one in offers.get(sentence.index, ()):
            if one.new is None or one.mark_key.startswith("name:"):
                continue
            tried += 1
            start, end = one.start - sentence.start, one.end - sentence.start
            text = sentence.text[:start] + one.new + sentence.text[end:]
            after = faults(again, replace(sentence, text=text, end=sentence.start + len(text)))
            if after - before:
                worse.append(f"{text} ({dict(after - before)}, by “{one.old}” → “{one.new}”)")
    return tried, worse


def test_no_suggestion_makes_a_mark_by_words() -> None:
    letters = [part.partition("\n")[2] for part in re.split(r"(?m)^# \d+ ", BY_HAND) if part.strip()]
    results = [
        loops(reading, ReadAgain(reading.person))
        for letter in (*letters, *measured())
        if not (reading := read_letter(read_pasted(letter), ReadingRequest({}))).stopped
    ]
    assert sum(tried for tried, _ in results) > 100
    assert [text for _, worse in results for text in worse] == []


def test_no_phrase_of_the_lists_is_replaced_by_another_mark() -> None:
    sentences = [
        Sentence(0, 0, len(text), text, "body")
        for ways in suggestion_words().ways.values()
        for phrase in ways
        for frame in FRAMES
        for text in [frame.format(phrase)]
    ]
    again, worse = ReadAgain(), []
    for sentence in sentences:
        before = faults(again, sentence)
        for one in suggestions_for(sentence, again.marks(sentence)):
            if one.new is not None:
                text = sentence.text[: one.start] + one.new + sentence.text[one.end :]
                worse += [text] if faults(again, replace(sentence, text=text, end=len(text))) - before else []
    assert worse == []


@pytest.fixture(scope="module")
def read_by_model() -> list[Reading]:
    readings = [read_letter(read_pasted(text), ReadingRequest({"agency": "agency_minilm"})) for text in measured()[:8]]
    if readings[0].by_words_alone:
        pytest.skip("the encoder is not installed")
    return readings


def test_no_suggestion_makes_a_mark_by_model(read_by_model: list[Reading]) -> None:
    results = [loops(reading, ReadAgain(reading.person, by_model=True)) for reading in read_by_model]
    assert [text for _, worse in results for text in worse] == []


def test_no_suggestion_drops_what_is_said_beside_it() -> None:
    """A model reads “Her reports were good” as a doubt: then there is no suggestion, and never “Good, and she …”."""
    letter = "Dear all,\n\nI know Maria Kowalska. Her reports were adequate, and she somewhat improved our work. Bye."
    reading = read_letter(read_pasted(letter), ReadingRequest({"agency": "agency_minilm"}))
    changes = [one for offers in suggestions_of(reading).values() for one in offers if one.new is not None]
    assert all(len(one.old.split()) <= 3 for one in changes)


def test_what_was_changed_is_not_to_be_considered_again() -> None:
    """“Adequate” became “good”, which was then a doubt."""
    letter = "Dear all,\n\nI have worked with Maria Kowalska for years. Her reports were adequate. She left in May."
    given = ReadingRequest({"agency": "agency_minilm"})
    before = read_letter(read_pasted(letter), given)
    for offers in suggestions_of(before).values():
        for one in offers:
            if one.new is not None and one.old == "adequate":
                text = letter[: one.start] + one.new + letter[one.end :]
                after = read_letter(read_pasted(text), given)
                assert changes_made(before.document, after, None)
                assert not any(one.new in str(row.before) for row in suggestions_left(after, ()))
