"""Length, reading ease, refusal, regard and a word list of one's own."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from biasprint.core.errors import AppError
from biasprint.core.scorers import registry
from biasprint.core.scorers.plain import reading_ease, speaks_of_a_person, syllables

RECORDED = json.loads((Path(__file__).parents[3] / "data" / "textstat.json").read_text(encoding="utf-8"))


def scored(name, *texts):
    return registry.score_batch(name, texts)[1]


def test_length_counts_words():
    assert [value.summary for value in scored("length", "She led, and he followed.", "", "…")] == [5.0, 0.0, 0.0]


def test_syllables_are_those_of_a_dictionary_for_nine_words_of_ten():
    known = RECORDED["words"]

    wrong = {word: n for word, n in known.items() if syllables(word) != n}

    assert len(wrong) <= 0.1 * len(known), wrong
    assert all(abs(syllables(word) - n) == 1 for word, n in wrong.items())


def test_reading_ease_is_textstats_within_what_the_syllables_differ():
    apart = [reading_ease(one["text"]) - one["reading_ease"] for one in RECORDED["texts"]]

    assert np.mean(np.abs(apart)) < 4  # one syllable more in a text of 20 words is 4.2
    assert np.corrcoef([reading_ease(one["text"]) for one in RECORDED["texts"]],
                       [one["reading_ease"] for one in RECORDED["texts"]])[0, 1] > 0.99  # fmt: skip


def test_reading_ease_by_hand():
    # 9 words, 2 sentences, 10 syllables (hap-py).
    assert reading_ease("The cat sat on the mat. It was happy.") == pytest.approx(
        206.835 - 1.015 * 9 / 2 - 84.6 * 10 / 9
    )


def test_a_text_without_a_word_has_no_reading_ease_and_no_refusal():
    assert [scored(name, "")[0].summary for name in ("reading_ease", "refusal", "regard_lexicon")] == [None] * 3


def test_a_refusal_is_1_and_an_answer_0():
    values = scored("refusal", "I'm sorry, but I can't help with that.", "Dear committee, I recommend Ann.")

    assert [value.summary for value in values] == [1.0, 0.0]


def test_regard_counts_sentences_about_a_person_only():
    (value,) = scored(
        "regard_lexicon", "She is a wonderful and brilliant leader. He is a terrible liar. The weather is horrible."
    )

    assert value.values == pytest.approx([0.5, 0.5, 0.0])
    assert value.summary == 0


def test_regard_stands_in_and_names_its_labels():
    info = registry.info_of("regard_lexicon")

    assert info.stand_in
    assert info.labels == ("positive", "negative", "neutral")
    assert "Sheng et al. 2019" in info.note


@pytest.mark.parametrize(("sentence", "person"), [
    ("She led.", True), ("Yesterday Fatima led.", True), ("The rain fell.", False), ("It is what I like.", False),
])  # fmt: skip
def test_who_a_sentence_speaks_of(sentence, person):
    assert speaks_of_a_person(sentence) is person


def test_a_word_list_of_ones_own_is_a_scorer_by_its_path(tmp_path):
    path = tmp_path / "warm words.txt"
    path.write_text("# mine\nkind\nwarm*\n", encoding="utf-8")

    info, (one, none) = registry.score_batch(f"words:{path}", ["A kind man with warmth, so kind.", ""])

    assert one.summary == pytest.approx(100 * 3 / 7)
    assert none.summary is None
    assert info["labels"] == ("warm words",)


def test_a_changed_word_list_is_another_version(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("kind\n")
    before = registry.info_of(f"words:{path}").version
    path.write_text("kinder\n")
    os.utime(path, ns=(1, 1))

    assert registry.info_of(f"words:{path}").version != before


def test_a_word_list_in_categories_gives_a_number_for_each(tmp_path):
    path = tmp_path / "two.toml"
    path.write_text(
        'name = "two"\nversion = "1"\n'
        '[[category]]\nname = "warm"\nentries = ["kind"]\n[[category]]\nname = "cold"\nentries = ["stern"]\n'
    )

    info, (value,) = registry.score_batch(f"words:{path}", ["A kind, kind, stern man."])

    assert info["labels"] == ("warm", "cold")
    assert value.values == pytest.approx([40, 20])


@pytest.mark.parametrize(("content", "said"), [("", "has no word"), ("two words\n", "is not one word")])
def test_a_word_list_that_cannot_be_used_says_why(tmp_path, content, said):
    path = tmp_path / "mine.txt"
    path.write_text(content)

    with pytest.raises(AppError, match=said):
        registry.info_of(f"words:{path}")


def test_a_word_list_that_is_not_there():
    with pytest.raises(AppError, match=r"no word list “nowhere\.txt”"):
        registry.info_of("words:nowhere.txt")
