"""Which words are marked as different between cards."""

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from biasprint.core.text import MOST_ALIGNED_WORDS, word_differences


def marked(*texts: str) -> list[list[str]]:
    spans = word_differences(texts).spans
    return [[text[span.start : span.end] for span in one] for text, one in zip(texts, spans, strict=True)]


def test_two_texts_are_marked_where_a_word_has_no_counterpart():
    assert marked("the old castle by the sea", "The new castle on the sea.") == [["old", "by"], ["new", "on"]]


def test_with_three_texts_a_word_is_unmarked_only_if_all_have_it():
    assert marked("a red house", "a blue house", "the red house") == [["a", "red"], ["a", "blue"], ["the", "red"]]


def test_equal_texts_and_equal_but_for_case_have_no_marks():
    assert marked("Caf\u00e9 noir", "CAFE\u0301 NOIR") == [[], []]
    assert word_differences(["same", "same"]).shared == 1.0


def test_order_counts_in_texts_of_ordinary_length():
    assert marked("stars over water", "water over stars") != [[], []]


def test_hyphens_and_apostrophes_are_within_words():
    assert marked("the well-known one", "the well known one") == [["well-known"], ["well", "known"]]


def test_long_texts_are_compared_without_order():
    long = " ".join(f"w{index}" for index in range(MOST_ALIGNED_WORDS + 1))
    backwards = " ".join(reversed(long.split())) + " extra"
    assert marked(long, backwards) == [[], ["extra"]]


@pytest.mark.parametrize("texts", [["", ""], ["", "a"], ["!?", "…"]])
def test_texts_without_words_are_no_trouble(texts):
    assert 0 <= word_differences(texts).shared <= 1


@given(st.lists(st.sampled_from("abcd"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_what_stays_unmarked_is_the_same_sequence_in_both(one, other):
    texts = [" ".join(one), " ".join(other)]
    spans = word_differences(texts).spans
    left = []
    for text, cuts in zip(texts, spans, strict=True):
        kept = list(text)
        for span in cuts:
            kept[span.start : span.end] = " " * (span.end - span.start)
        left.append("".join(kept).split())
    assert left[0] == left[1]
    blocks = difflib.SequenceMatcher(None, *sorted((one, other)), autojunk=False).get_matching_blocks()
    assert len(left[0]) == sum(block.size for block in blocks)
