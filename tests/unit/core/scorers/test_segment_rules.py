"""The segmenter: sentences, words, places, hostile text."""

import time

import pytest

from biasprint.core.scorers.segment import sentences, words

LETTER = "To Whom It May Concern,\n\nDr. Smith led teams. She is kind!  Is she?\n \nSincerely,\n[Your Name]"


def cut(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


def test_sentences_end_at_full_stops_and_at_blank_lines() -> None:
    assert cut(LETTER) == [
        "To Whom It May Concern,",
        "Dr. Smith led teams.",
        "She is kind!",
        "Is she?",
        "Sincerely,\n[Your Name]",
    ]


@pytest.mark.parametrize("text", ["", "   ", "\n\n \n\n"])
def test_text_without_a_word_has_no_sentence_and_no_word(text: str) -> None:
    assert sentences(text) == []
    assert words(text) == []


def test_words_carry_their_place_and_a_folded_lemma() -> None:
    found = words("Her SONS’ Talents—and 2 Wives; wives.")
    assert [(word.text, word.lemma) for word in found] == [
        ("Her", "her"),
        ("SONS", "son"),
        ("Talents", "talent"),
        ("and", "and"),
        ("2", "2"),
        ("Wives", "wife"),
        ("wives", "wife"),
    ]
    assert all("Her SONS’ Talents—and 2 Wives; wives."[word.start : word.end] == word.text for word in found)


def test_places_count_from_the_start_of_the_text_across_paragraphs() -> None:
    assert [(word.text, word.start) for word in words("One.\n\nTwo.")] == [("One", 0), ("Two", 6)]


def test_lemmas_match_whatever_the_normal_form() -> None:
    composed, decomposed = "café", "cafe\u0301"
    assert words(composed)[0].lemma == words(decomposed)[0].lemma == "café"


def test_lone_surrogates_are_survived_and_shift_nothing() -> None:
    text = "odd \ud83d sign. Next one."
    assert cut(text) == ["odd \ud83d sign.", "Next one."]
    assert [text[word.start : word.end] for word in words(text)] == ["odd", "sign", "Next", "one"]


@pytest.mark.parametrize("text", ["http://" * 50_000, "a" * 1_000_000, "a." * 100_000, "\n" * 300_000])
def test_hostile_runs_take_seconds_not_minutes(text: str) -> None:
    started = time.process_time()
    words(text)
    sentences(text)
    assert time.process_time() - started < 10
