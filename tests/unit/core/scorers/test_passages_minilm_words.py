"""The head for listed words: its files, its weights, and what it makes of a few words."""

from collections import Counter

import numpy as np
import pytest

from biasprint.core.letters.about_whom import marked_text
from biasprint.core.letters.marks import marks_of
from biasprint.core.letters.passages import MEANT_FROM, as_asked
from biasprint.core.letters.values import CATEGORIES as MARKED
from biasprint.core.letters.values import Sentence
from biasprint.core.scorers.passages import (
    CATEGORIES,
    NEAR,
    Words,
    shares,
    word_rows,
)
from training.passages.material import words


def asked(text: str, word: str) -> Words:
    sentence = Sentence(0, 0, len(text), text, "body")
    (mark,) = [mark for mark in marks_of([sentence]) if mark.words == word]
    return as_asked(marked_text(sentence, None), mark.start, mark.end, mark.category)


@pytest.mark.parametrize(
    ("text", "word", "meant"),
    [
        ("Her leadership carried the department through two difficult years.", "leadership", True),
        ("He is a kind and patient colleague.", "kind", True),
        ("The oldest bus in the fleet was hers, with lame brakes.", "oldest", False),
        ("The rig he drove was a beauty, he will want something similar.", "drove", False),
    ],
)
def test_it_knows_a_clear_case(text: str, word: str, meant: bool) -> None:
    (share,) = shares([asked(text, word)])
    assert (share >= MEANT_FROM) == meant


def test_words_have_the_same_share_in_any_company() -> None:
    given = [
        Words("They have a", "kind", "word for everyone.", "communal"),
        Words("", "Kind", "", "communal"),
        Words("They were " + "very " * 100, "able", "and " + "so on " * 100, "ability"),
    ]
    alone = [next(iter(shares([one]))) for one in given]
    assert list(shares(given)) == alone
    assert list(shares(given * 7))[3:6] == alone
    assert list(shares([])) == []


def test_as_many_tokens_are_read_as_stand_near_the_words() -> None:
    from biasprint.core.scorers.bert import checked_embedder

    (row,) = word_rows(checked_embedder(), [Words("very " * 100, "able", "so " * 100, "ability")])
    assert list(np.flatnonzero(row.words)) == [NEAR + 1]
    assert len(row.ids) == 2 * NEAR + 3


@pytest.mark.soak
def test_it_is_taught_right_and_wrong_words_of_every_category() -> None:
    assert CATEGORIES == MARKED
    given = words()
    assert {one.author for one in given} == {"own", *"abcdghijklmno"}
    assert min(Counter((one.category, one.right) for one in given).values()) >= 60
    assert all(one.text[one.start : one.end].strip() for one in given)
