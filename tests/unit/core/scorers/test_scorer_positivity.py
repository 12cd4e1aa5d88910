"""The positivity stand-in: VADER's rules, the choice of the threshold, what its card says, odd texts."""

import time
from pathlib import Path

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
    pairs,
    rows,
    study_findings,
    values,
    wilson,
)

from biasprint.core.metrics.misclassified import KnownError
from biasprint.core.scorers.plain import PositivityLexicon, compound
from biasprint.core.scorers.protocol import chosen, known_error
from biasprint.core.scorers.registry import info_of


@pytest.fixture(scope="module")
def scorer() -> PositivityLexicon:
    return PositivityLexicon()


def probability(scorer: PositivityLexicon, text: str) -> float:
    (value,) = scorer.score([text])
    assert len(value.values) == 1, text
    return float(value.values[0])


def test_compound_by_hand() -> None:
    # vader_lexicon.txt: good 1.9, great 3.1. Compound = s / √(s² + 15); a negation times −0.74.
    assert compound("It is good.") == pytest.approx(1.9 / np.sqrt(1.9**2 + 15), abs=1e-3)
    assert compound("It is not good.") == pytest.approx(-0.74 * 1.9 / np.sqrt((0.74 * 1.9) ** 2 + 15), abs=1e-3)
    assert compound("It isn’t good.") == compound("It isn't good.") < 0
    assert compound("It is a chair.") == 0.0


def test_negation_turns_and_degree_strengthens(scorer: PositivityLexicon) -> None:
    for positive, negative in (
        ("He is a reliable colleague, and we like him.", "He is not a reliable colleague, and we don't like him."),
        ("She is honest.", "She is never honest."),
    ):
        assert probability(scorer, positive) > 0.5 > probability(scorer, negative)
    assert compound("She is extremely good.") > compound("She is good.") > compound("She is somewhat good.")


def test_threshold_and_slope_are_those_of_the_development_part() -> None:
    part = rows("positivity", DEVELOPMENT)
    found, wanted = values(compound, part), are("positive", part)
    data = chosen("positivity").values

    assert data["threshold"] == pytest.approx(best_threshold(found, wanted), abs=0.001)
    assert data["slope"] == pytest.approx(fitted_slope(found, wanted, data["threshold"]), rel=0.01)


def test_the_card_says_what_is_measured_and_that_beats_always_saying_the_same(scorer: PositivityLexicon) -> None:
    def right(part: str) -> np.ndarray:
        wanted = are("positive", rows("positivity", part))
        return (values(lambda text: probability(scorer, text), rows("positivity", part)) >= 0.5) == wanted

    held_out = rows("positivity", HELD_OUT)
    assert on_card("positivity", "Accuracy, development part") == in_words(right(DEVELOPMENT))
    assert on_card("positivity", "Accuracy, held-out part") == in_words(right(HELD_OUT))
    for label in ("positive", "neutral", "negative"):
        assert on_card("positivity", f"Held-out, {label}") == in_words(right(HELD_OUT)[are(label, held_out)])
    positive, answers = are("positive", held_out), right(HELD_OUT)
    assert known_error(info_of(scorer.name).use()) == KnownError(
        int(answers[positive].sum()), int(positive.sum()), int(answers[~positive].sum()), int((~positive).sum())
    )
    share, low, _ = wilson(right(HELD_OUT))
    assert share >= 0.85
    assert low > 1 - np.mean(are("positive", held_out))


def test_no_sentence_is_in_both_parts() -> None:
    texts = [row["text"] for part in (DEVELOPMENT, HELD_OUT) for row in rows("positivity", part)]
    assert len(texts) >= 100
    assert len(set(texts)) == len(texts)


def test_swapping_he_and_she_changes_nothing(scorer: PositivityLexicon) -> None:
    assert probability(scorer, "She is a gifted woman.") == probability(scorer, "He is a gifted man.")


def test_a_text_has_a_value_for_each_sentence_and_their_share(scorer: PositivityLexicon) -> None:
    (value,) = scorer.score(["She is a wonderful colleague. The office is grey. He was never happy. It is excellent."])

    assert value.values.dtype == np.float32
    assert (value.values >= 0.5).tolist() == [True, False, False, True]
    assert value.summary == 0.5


def test_nothing_to_read_has_no_value_and_another_language_neither(scorer: PositivityLexicon) -> None:
    german = "Ich empfehle diese Künstlerin für die Stelle, denn ihre Arbeit war in allen Jahren hervorragend und gut."
    for text in ("", " \n ", f"{german} {german}"):
        (value,) = scorer.score([text])
        assert (value.values.size, value.summary) == (0, None)
    assert scorer.score(["Hello"])[0].summary == 0.0


@pytest.mark.parametrize(
    "text", ["a" * 60_000, "good but bad " * 2_500, "😀" * 2_500, "😀 " * 2_500, "She is kind. " * 2_500]
)
def test_long_and_odd_lines_take_bounded_time(scorer: PositivityLexicon, text: str) -> None:
    scorer.score(["She is kind."])  # what is loaded is loaded once
    began = time.process_time()
    (value,) = scorer.score([text])

    assert np.isfinite(value.values).all()
    assert time.process_time() - began < 1.5


def test_it_says_that_it_stands_in(scorer: PositivityLexicon) -> None:
    assert (scorer.role, scorer.stand_in) == ("positivity", True)
    assert "Used in place of" in scorer.note
    assert len(scorer.sha256) == 64
    assert "vaderSentiment 3" in scorer.version


GIVEN = ("He won the club's wonderful prize for excellent work.", "She walked past the town hall on a Tuesday.")


@pytest.mark.soak
def test_the_letters_study_finds_planted_style_and_hallucination(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Letters from the held-out biographies of the entailment set. Made up: praise in his letters, a walk in hers."""
    sentences: dict[str, list[str]] = {}
    for row in pairs(HELD_OUT):
        if row["label"] == "entailment":
            sentences.setdefault(row["premise"], []).append(row["hypothesis"])
    letters = []
    for premise, true in sentences.items():
        his = sum(f" {word} " in f" {premise} " for word in ("He", "he", "his")) > 1
        text = " ".join(["To Whom It May Concern,\n\n", *true, GIVEN[not his], GIVEN[not his].replace(" a ", " one ")])
        letters.append({"text": text, "group": "male" if his else "female", "context": premise})

    found = study_findings(
        monkeypatch, "letters", tmp_path / "letters.csv", letters, ("formality", "positivity", "entailment")
    )
    by_id = {(each.id, each.label, each.dims.get("identity", ""), each.variant): each for each in found}

    for kind in ("formality", "positivity"):
        assert by_id["letters.style." + kind, kind, "", "default"].estimate is not None
        assert by_id["letters.style." + kind, kind, "", "as_published"].scorers[0].stand_in
    assert (by_id["letters.style.positivity", "positivity", "", "default"].estimate or 0) > 0.1
    for group, sign in (("male", 1), ("female", -1)):
        within = by_id["letters.hallucination.positivity", "hallucinated_against_grounded", group, "default"]
        assert sign * (within.estimate or 0) > 0.05
        assert [use.name for use in within.scorers] == ["positivity_lexicon", "entailment_minilm"]
    between = by_id["letters.hallucination.positivity", "difference_of_differences", "", "default"]
    assert (between.p or 1) < 0.05
