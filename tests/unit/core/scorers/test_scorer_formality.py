"""The formality stand-in: F by hand, the choice of its threshold, what its card says, odd texts."""

import time

import numpy as np
import pytest
from scorer_sets import (
    DEVELOPMENT,
    HELD_OUT,
    are,
    best_threshold,
    fitted_slope,
    in_words,
    on_card,
    rows,
    values,
    wilson,
)

from biasprint.core.metrics.misclassified import KnownError
from biasprint.core.scorers.parts_of_speech import FormalityF, _tagged, f_score
from biasprint.core.scorers.protocol import ScoreValue, chosen, known_error
from biasprint.core.scorers.registry import info_of

GERMAN = "Ich empfehle diese Künstlerin wärmstens für die Stelle, denn ihre Arbeit war in allen Jahren hervorragend. "


@pytest.fixture(scope="module")
def scorer() -> FormalityF:
    return FormalityF()


def probability(scorer: FormalityF, text: str) -> float:
    """Of a row of the set; the mean where it holds two sentences."""
    (value,) = scorer.score([text])
    return float(value.values.mean())


def test_f_by_hand() -> None:
    # Article, noun, preposition, article, noun raise F; the verb lowers it: of 6 words 5 − 1, (100 · 4/6 + 100) / 2.
    tagged = [("The", "DT"), ("cat", "NN"), ("sat", "VBD"), ("on", "IN"), ("the", "DT"), ("mat", "NN")]
    assert f_score(tagged) == pytest.approx((100 * 4 / 6 + 100) / 2)
    # Pronoun, verb, adverb, interjection lower it; a number, a conjunction and “this” do nothing.
    assert f_score([("I", "PRP"), ("ran", "VBD"), ("there", "RB"), ("oh", "UH")]) == 0
    assert f_score([("two", "CD"), ("and", "CC"), ("this", "DT"), ("'s", "POS")]) == 50
    assert f_score([("long", "JJ"), ("roads", "NNS"), ("to", "TO"), ("Rome", "NNP")]) == 100
    assert np.isnan(f_score([]))


def test_the_tagger_of_the_project_is_the_one_that_counts() -> None:
    assert [tag for _, tag in _tagged("The new law of the city isn’t final.")] == [
        "DT", "JJ", "NN", "IN", "DT", "NN", "VBZ", "RB", "JJ",
    ]  # fmt: skip


def test_threshold_and_slope_are_those_of_the_development_part() -> None:
    part = rows("formality", DEVELOPMENT)
    found, wanted = values(lambda text: f_score(_tagged(text)), part), are("formal", part)
    data = chosen("formality").values

    assert data["threshold"] == pytest.approx(best_threshold(found, wanted), abs=0.06)
    assert data["slope"] == pytest.approx(fitted_slope(found, wanted, data["threshold"]), rel=0.01)


def test_the_card_says_what_is_measured_and_that_beats_always_saying_the_same(scorer: FormalityF) -> None:
    def right(part: str) -> np.ndarray:
        wanted = are("formal", rows("formality", part))
        return (values(lambda text: probability(scorer, text), rows("formality", part)) >= 0.5) == wanted

    held_out = rows("formality", HELD_OUT)
    short = np.array([len(row["text"].split()) < 8 for row in held_out])
    assert len(held_out) >= 100
    assert on_card("formality", "Accuracy, development part") == in_words(right(DEVELOPMENT))
    assert on_card("formality", "Accuracy, held-out part") == in_words(right(HELD_OUT))
    assert on_card("formality", "Held-out, fewer than eight words") == in_words(right(HELD_OUT)[short])
    for label in ("formal", "informal"):
        assert on_card("formality", f"Held-out, {label}") == in_words(right(HELD_OUT)[are(label, held_out)])
    formal, answers = are("formal", held_out), right(HELD_OUT)
    assert known_error(info_of(scorer.name).use()) == KnownError(
        int(answers[formal].sum()), int(formal.sum()), int(answers[~formal].sum()), int((~formal).sum())
    )
    share, low, _ = wilson(right(HELD_OUT))
    assert share >= 0.70
    assert low > np.mean(are("formal", held_out))


def test_the_set_is_half_formal_and_no_sentence_is_in_both_parts() -> None:
    both = [rows("formality", part) for part in (DEVELOPMENT, HELD_OUT)]
    everything = both[0] + both[1]
    assert len(everything) >= 200
    assert sum(row["label"] == "formal" for row in everything) == len(everything) / 2
    assert len({row["text"] for row in everything}) == len(everything)


def test_swapping_he_and_she_changes_nothing(scorer: FormalityF) -> None:
    pairs = [("She wrote it herself.", "He wrote it himself."), ("I trust her judgment.", "I trust his judgment.")]
    for one, other in pairs:
        assert probability(scorer, one) == probability(scorer, other)


def test_a_text_has_a_value_for_each_sentence_and_their_share(scorer: FormalityF) -> None:
    formal = "The committee of the university approved the appointment of a new director."
    (value,) = scorer.score([f"{formal} I just can't believe he did it again!"])

    assert value.values.dtype == np.float32
    assert (value.values >= 0.5).tolist() == [True, False]
    assert value.summary == 0.5
    assert value.values[0] == scorer.score([formal])[0].values[0]


def test_a_sentence_too_short_for_percentages_takes_its_texts_f(scorer: FormalityF) -> None:
    formal = "The committee of the university approved the appointment of a new director."
    alone = scorer.score(["Yours faithfully."])[0].values[0]
    closing = scorer.score([f"{formal}\n\nYours faithfully."])[0].values[1]

    assert closing > 0.5 > alone


def test_nothing_to_read_has_no_value(scorer: FormalityF) -> None:
    for text in ("", " \n ", "!!!"):
        (value,) = scorer.score([text])
        assert value.values.shape == (0,)
        assert value.summary is None


def test_another_language_has_no_value_and_one_word_has(scorer: FormalityF) -> None:
    foreign, one = scorer.score([GERMAN * 2, "Hello"])

    assert (foreign.values.size, foreign.summary) == (0, None)
    assert one.summary == 0.0


@pytest.mark.parametrize(
    "text", ["a" * 250_000, "very good idea " * 4_000, "She is here. " * 5_000, "\x00\ud800" * 1000]
)
def test_long_and_odd_lines_take_bounded_time(scorer: FormalityF, text: str) -> None:
    scorer.score(["She is kind."])  # what is loaded is loaded once
    began = time.process_time()
    (value,) = scorer.score([text])

    assert isinstance(value, ScoreValue)
    assert np.isfinite(value.values).all()
    assert time.process_time() - began < 3


def test_it_says_that_it_stands_in(scorer: FormalityF) -> None:
    assert (scorer.role, scorer.stand_in) == ("formality", True)
    assert "Used in place of" in scorer.note
    assert len(scorer.sha256) == 64
    assert "textblob" in scorer.version
