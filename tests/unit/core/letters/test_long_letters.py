"""Letters that are none: what is done for them grows with their length, is bounded, and is said."""

import numpy as np
import pytest

from biasprint.core.cache import BatchCache
from biasprint.core.letters import passages
from biasprint.core.letters.files import document_of_text
from biasprint.core.letters.reading import (
    LONGEST_SENTENCE,
    MOST_CHARACTERS,
    MOST_SENTENCES,
    read_letter,
    sentences_of,
)
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import Part, Reading, Sentence

LINE = "She led our team with great care and worked hard on every project that we gave to her. "


def read(text: str) -> Reading:
    return read_letter(document_of_text(text), ReadingRequest({}))


def characters_read(clauses: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How much text the model of passages is handed of one sentence with so many clauses."""
    handed: list[int] = []
    monkeypatch.setattr(passages, "neutral", lambda text: handed.append(len(text)) or text)
    monkeypatch.setattr(passages, "_shares", lambda texts: np.zeros((len(texts), 3)))
    text = "She led our team with great care, " * clauses
    found = passages.read_clauses([Sentence(0, 0, len(text), text, "body")], None)
    assert len(found) == clauses
    return sum(handed)


def test_twice_as_long_a_sentence_takes_twice_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    assert characters_read(400, monkeypatch) < 2.1 * characters_read(200, monkeypatch)


@pytest.mark.parametrize("text", ["word " * 20_000, "x" * 100_000, LINE * 30])
def test_what_is_longer_than_any_sentence_is_cut_and_nothing_of_it_is_lost(text: str) -> None:
    found = sentences_of(text, [Part("body", 0, len(text))])
    assert max(len(one.text) for one in found) <= LONGEST_SENTENCE
    assert all(one.text == text[one.start : one.end] for one in found)
    assert "".join(one.text for one in found).replace(" ", "") == text.replace(" ", "")
    assert [one.index for one in found] == list(range(len(found)))


def test_of_ten_thousand_sentences_the_first_are_read_and_it_is_said() -> None:
    reading = read(f"Dear committee,\n\n{LINE * 2_500}\n\nSincerely,\nKelly Moreno")
    (long,) = (one for one in reading.suspicions if one.what == "too long")
    assert f"only its first {MOST_SENTENCES:,} sentences of 2,500 were read" in long.said
    assert not long.stops
    assert reading.marks, "what was read is marked"
    assert len({mark.sentence for mark in reading.marks}) <= MOST_SENTENCES
    assert len(reading.sentences) > 2_500, "the whole letter is shown"


def test_of_one_endless_sentence_the_beginning_is_read() -> None:
    reading = read("She led our team with great care and " * 7_000 + "won.")
    assert [one.what for one in reading.suspicions if one.what == "too long"] == ["too long"]
    assert max(mark.end for mark in reading.marks) <= MOST_CHARACTERS + LONGEST_SENTENCE


def test_a_letter_of_seventeen_pages_is_read_to_its_end() -> None:
    reading = read(f"Dear committee,\n\n{LINE * 766}\n\nSincerely,\nKelly Moreno")
    assert [one.what for one in reading.suspicions if one.what == "too long"] == []
    body = [sentence.index for sentence in reading.sentences if sentence.part == "body"]
    assert len(body) == 766
    assert {mark.sentence for mark in reading.marks} == set(body)


def test_an_ordinary_letter_is_read_whole() -> None:
    assert [one.what for one in read(LINE * 40).suspicions if one.what == "too long"] == []


def test_a_full_cache_forgets_what_was_made_first() -> None:
    cache: BatchCache[int, int] = BatchCache(3)
    assert cache.get(range(10), lambda keys: [-key for key in keys]) == [-key for key in range(10)]
    asked: list[int] = []
    cache.get([6, 7, 8, 9], lambda keys: asked.extend(keys) or [0] * len(keys))
    assert asked == [6]
