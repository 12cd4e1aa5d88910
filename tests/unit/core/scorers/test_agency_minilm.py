"""The agency stand-in: its sentences, its held-out accuracy, what a swap of gender does, and what the study gets."""

import csv
import json
import re
import shutil
import tomllib
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from inline_compute import Inline

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.metrics.misclassified import KnownError
from biasprint.core.metrics.proportions import wilson
from biasprint.core.prompts.axes import load_axis
from biasprint.core.runs.measure import measure_tables
from biasprint.core.scorers import agency_minilm, registry
from biasprint.core.scorers.agency_minilm import CLASSES, AgencyMiniLM, neutral, neutral_words
from biasprint.core.scorers.bert import sentence_vectors
from biasprint.core.scorers.protocol import COUNTS_FROM, known_error
from biasprint.core.scorers.registry import info_of
from biasprint.core.scorers.segment import sentences
from biasprint.core.studies.kit.declared import MeasureOptions
from training.agency.train import Sentence, classes, cross_validated, fit, read_sentences, split

SITUATIONS = re.compile(
    r"^(letters|biography|evaluation|first person|long sentences)\b|^(plural|negation|absence)$|speech|words"
)
SHE, HE = r"\b(?:she|her|hers|herself)\b", r"\b(?:he|him|his|himself)\b"
LONGEST_SHARED, MOST_ALIKE = 6, 0.5  # words in a row, and the Jaccard index of the words, across the split
CARD = (Path(__file__).resolve().parents[4] / "models" / "agency" / "card.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def everything() -> list[Sentence]:
    return read_sentences()


@pytest.fixture(scope="module")
def held_out(everything: list[Sentence]) -> list[Sentence]:
    return split(everything)[1]


@pytest.fixture(scope="module")
def scorer() -> AgencyMiniLM:
    return AgencyMiniLM()


def swapped(text: str, object_form: bool) -> str:
    """“He” for “she” and back. “Her” becomes “him” or “his”: both are tried."""
    turn = {"he": "she", "she": "he", "him": "her", "his": "her", "hers": "his", "himself": "herself"}
    turn |= {"herself": "himself", "mr": "ms", "ms": "mr", "her": "him" if object_form else "his"}

    def other(found: re.Match[str]) -> str:
        word = turn[found.group().lower()]
        return word.capitalize() if found.group()[0].isupper() else word

    return re.sub(rf"\b(?:{'|'.join(turn)})\b", other, text, flags=re.IGNORECASE)


# The sentences


def test_there_are_enough_sentences_of_each_class_over_many_occupations(everything: list[Sentence]) -> None:
    labels = Counter(sentence.label for sentence in everything)
    occupations = {sentence.group for sentence in everything if not SITUATIONS.search(sentence.group)}
    assert len(everything) >= 1500
    assert set(labels) == set(CLASSES)
    assert max(labels.values()) < 1.1 * min(labels.values())
    assert len(occupations) >= 60
    for occupation in occupations:
        assert {each.label for each in everything if each.group == occupation} == set(CLASSES)
    assert len({sentence.text for sentence in everything}) == len(everything)
    assert all(5 <= len(sentence.text.split()) <= 35 for sentence in everything)


@pytest.mark.parametrize("label", CLASSES)
def test_both_genders_are_in_each_class_alike(everything: list[Sentence], label: str) -> None:
    of_label = [sentence.text for sentence in everything if sentence.label == label]
    women, men = (sum(bool(re.search(form, text, re.I)) for text in of_label) for form in (SHE, HE))
    assert 0.9 < women / men < 1.1
    neither = sum(not re.search(f"{SHE}|{HE}", text, re.I) for text in of_label)
    assert neither > 50


@pytest.mark.soak
def test_nothing_that_is_held_out_was_trained_on_in_other_words(everything: list[Sentence]) -> None:
    training, held = split(everything)
    assert not {each.group for each in training} & {each.group for each in held}
    assert 0.2 <= len(held) / len(everything) < 0.25

    def words(sentence: Sentence) -> list[str]:
        return re.findall(r"[\w']+", neutral(sentence.text).lower())

    def runs(sentence: Sentence) -> set[tuple[str, ...]]:
        of = words(sentence)
        return {tuple(of[start : start + LONGEST_SHARED]) for start in range(len(of) - LONGEST_SHARED + 1)}

    trained_runs = set().union(*map(runs, training))
    trained_words = [set(words(sentence)) for sentence in training]
    for sentence in held:
        assert not runs(sentence) & trained_runs, sentence.text
        of = set(words(sentence))
        assert max(len(of & other) / len(of | other) for other in trained_words) <= MOST_ALIKE, sentence.text


# How good the head is


@pytest.mark.soak
def test_the_head_is_right_in_nine_of_ten_held_out_sentences_and_the_card_says_how_often(
    scorer: AgencyMiniLM, held_out: list[Sentence]
) -> None:
    found = scorer.probabilities([sentence.text for sentence in held_out])
    right = int((found.argmax(axis=1) == classes(held_out)).sum())
    interval = wilson(right, len(held_out))
    assert interval is not None
    assert right / len(held_out) >= 0.90
    assert f"{right} of {len(held_out)}" in CARD
    assert f"[{100 * interval.low:.1f}, {100 * interval.high:.1f}]" in CARD
    agentic = np.array([sentence.label == "agentic" for sentence in held_out])
    counted = found[:, 0] >= COUNTS_FROM
    error = known_error(info_of(scorer.name).use())
    assert error == KnownError(
        int((counted & agentic).sum()), int(agentic.sum()), int((~counted & ~agentic).sum()), int((~agentic).sum())
    )
    assert f"{error.found} of {error.present}" in CARD
    assert f"{error.rejected} of {error.absent}" in CARD


def test_swapping_he_and_she_changes_at_most_one_class_in_a_hundred(
    scorer: AgencyMiniLM, held_out: list[Sentence]
) -> None:
    gendered = [each.text for each in held_out if re.search(f"{SHE}|{HE}", each.text, re.I)]
    assert len(gendered) > 300
    for object_form in (True, False):
        others = [swapped(text, object_form) for text in gendered]
        assert all(one != other for one, other in zip(gendered, others, strict=True))
        one, other = np.split(scorer.probabilities([*gendered, *others]), 2)
        assert (one.argmax(axis=1) != other.argmax(axis=1)).mean() <= 0.01
        assert ((one[:, 0] >= 0.5) != (other[:, 0] >= 0.5)).mean() <= 0.01


@pytest.mark.soak
def test_names_that_the_program_does_not_know_change_few_classes(
    scorer: AgencyMiniLM, held_out: list[Sentence]
) -> None:
    women, men = (
        ("Wanjiru", "Siobhan", "Chidinma", "Xiuying", "Lakshmi"),
        ("Kwabena", "Declan", "Emeka", "Haoran", "Arjun"),
    )
    start = re.compile(r"^(?:She|He)\b")
    texts = [sentence.text for sentence in held_out if start.match(sentence.text)][:120]
    pairs = [
        (start.sub(woman, text), start.sub(man, text))
        for place, text in enumerate(texts)
        for woman, man in [(women[place % 5], men[place % 5])]
    ]
    assert all(neutral(one) != neutral(other) for one, other in pairs)
    one, other = np.split(scorer.probabilities([each for side in zip(*pairs, strict=True) for each in side]), 2)
    assert (one.argmax(axis=1) != other.argmax(axis=1)).mean() <= 0.06


def names_of(axis: str) -> list[str]:
    return [name for identity in load_axis(axis).definition()["identities"] for name in identity["names"]]


@pytest.mark.soak
def test_training_again_gives_the_same_head(scorer: AgencyMiniLM, everything: list[Sentence]) -> None:
    from training.agency.train import PENALTIES, embed

    training, _ = split(everything)
    vectors, of = embed(training), classes(training)
    groups = [sentence.group for sentence in training]
    best = max(PENALTIES, key=lambda penalty: (cross_validated(vectors, of, groups, penalty), -penalty))
    weight, bias = fit(vectors, of, best)
    shipped, shipped_bias = scorer._head
    np.testing.assert_allclose(weight, shipped, atol=0.02)
    np.testing.assert_allclose(bias, shipped_bias, atol=0.02)


# Without gender


@pytest.mark.parametrize(
    ("sentence", "without"),
    [
        ("Ms. Kelly Watson knows her team.", "They knows their team."),
        ("I asked Joseph J. Smith about himself.", "I asked they about themselves."),
        ("It is Kelly’s idea, and Mr. O’Neill's too.", "It is their idea, and their too."),
        ("She is a female actress and a mother.", "They is a actor and a parent."),
        ("The choir of St. Peter sings.", "The choir of St. Peter sings."),
        ("A professor of art, like Okafor.", "A professor of art, like Okafor."),
    ],
)
def test_a_sentence_is_put_without_gender(sentence: str, without: str) -> None:
    assert neutral(sentence) == without


def test_both_words_of_every_gendered_pair_become_the_same() -> None:
    pairs = tomllib.loads(
        files("biasprint.resources").joinpath("prompts", "gendered_words.toml").read_text(encoding="utf-8")
    )
    for he, she in [*pairs["self"], *pairs["kin"]]:
        assert neutral(he) == neutral(she), (he, she)
    for he, she in pairs["titles"]:
        assert neutral(f"{he.capitalize()} Watson") == neutral(f"{she.capitalize()} Watson") or he == "king"


@pytest.mark.parametrize("axis", ["gender", "letters_gender"])
def test_the_names_that_studies_write_letters_for_are_left_out(axis: str) -> None:
    names = names_of(axis)
    assert len(names) >= 16
    assert {neutral(f"{name} leads.") for name in names} == {"They leads."}


# What a scorer is


def test_it_says_what_it_is(scorer: AgencyMiniLM) -> None:
    info = registry._info("agency_minilm", scorer)
    assert (info.role, info.name, info.stand_in) == ("agency", "agency_minilm", True)
    assert info.sha256 is not None
    assert info.sha256[:12] in info.version
    assert info.sha256 in CARD
    assert neutral_words().sha256[:12] in info.version
    assert "Used in place of" in info.note


def test_each_sentence_of_the_segmenter_gets_a_probability(scorer: AgencyMiniLM) -> None:
    text = "Dr. Amara Osei took over the clinic and beat every rival.\n\nShe comforts the lonely. Thank you.\n\n…"
    (value,) = scorer.score([text])
    assert value.values.dtype == np.float32
    assert len(value.values) == len(sentences(text)) == 4
    assert value.values[0] > 0.5 > value.values[1]
    assert value.values[-1] == 0  # a sentence without a word says nothing agentic
    assert value.summary == pytest.approx((value.values >= 0.5).mean())


def test_neutral_sentences_count_as_not_agentic(scorer: AgencyMiniLM) -> None:
    agentic, neither = "She took command and beat every rival.", "The office is on the third floor."
    assert scorer.score([f"{agentic} {neither}"])[0].summary == 0.5
    assert scorer.score([neither])[0].summary == 0


@pytest.mark.parametrize("text", ["", " \n\t", "Sie leitet das Werk und hat alle ihre Ziele weit übertroffen. " * 4])
def test_nothing_to_read_has_no_value(scorer: AgencyMiniLM, text: str) -> None:
    (value,) = scorer.score([text])
    assert value.values.size == 0
    assert value.summary is None


def test_a_text_has_the_same_values_to_the_bit_in_any_company(scorer: AgencyMiniLM, held_out: list[Sentence]) -> None:
    texts = [" ".join(each.text for each in held_out[place : place + 3]) for place in range(0, 30, 3)]
    together = scorer.score(texts)
    for text, value in zip(texts, together, strict=True):
        alone = AgencyMiniLM()  # one that has kept nothing
        assert np.array_equal(alone.score([text])[0].values, value.values)
    assert scorer.score([]) == []


def test_a_sentence_that_was_read_before_is_not_embedded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    made = AgencyMiniLM()
    (first,) = made.score(["She leads the team. She is kind to her patients."])
    asked: list[str] = []
    monkeypatch.setattr(agency_minilm, "sentence_vectors", lambda texts: asked.extend(texts) or sentence_vectors(texts))
    (twin,) = made.score(["He is kind to his patients. He sings."])
    assert len(asked) == 1, "only the sentence that is new"
    assert twin.values[0] == first.values[1]


def test_odd_signs_and_endless_words_are_scored(scorer: AgencyMiniLM) -> None:
    values = scorer.score(["a kind\ud800 word \x00", "x" * 5000, "Ms. ", "He\u202e leads!"])
    assert all(np.isfinite(value.values).all() for value in values)


def test_weights_that_were_tampered_with_are_refused(scorer: AgencyMiniLM, tmp_path: Path) -> None:
    broken = tmp_path / "head.safetensors"
    shutil.copyfile(str(scorer._file), broken)
    content = bytearray(broken.read_bytes())
    content[-1] ^= 1
    broken.write_bytes(content)
    with pytest.raises(AppError, match="not the program's own") as caught:
        AgencyMiniLM(broken).score(["She leads."])
    assert caught.value.hint
    with pytest.raises(AppError, match="cannot be read"):
        AgencyMiniLM(tmp_path / "absent").score(["She leads."])


# In the letters study


def test_the_letters_study_finds_a_difference_that_was_written_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held_out: list[Sentence]
) -> None:
    monkeypatch.setitem(registry.OWN, "agency_minilm", ("biasprint.core.scorers.agency_minilm:AgencyMiniLM", {}))
    registry.load.cache_clear()
    of = {label: [each.text for each in held_out if each.label == label] for label in CLASSES}
    rows = []
    for block in range(10):
        for group, main in (("male", "agentic"), ("female", "communal")):
            parts = [*of[main][3 * block : 3 * block + 3], of["neutral"][block]]
            rows.append({"text": " ".join(parts), "group": group, "block": str(block)})
    path, vectors = tmp_path / "letters.csv", tmp_path / "vectors.txt"
    vectors.write_text("john 1 0\namy 0 1\n")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["text", "group", "block"])
        writer.writeheader()
        writer.writerows(rows)
    options = MeasureOptions(scorers={"word_vectors": str(vectors), "agency": "agency_minilm"})
    measured = measure_tables(JobContext(), [path], "letters", options, Inline())  # type: ignore[arg-type]
    registry.load.cache_clear()
    default, published = (each for each in measured.result.findings if each.id == "letters.style.agency")
    assert default.estimate is not None
    assert default.p is not None
    assert 0.5 < default.estimate < 0.9  # three of four sentences were written so, and nine of ten are seen
    assert default.p < 0.001
    assert published.variant == "as_published"
    assert [(use.name, use.stand_in) for use in default.scorers] == [("agency_minilm", True)]
    json.dumps(measured.result.to_json(), allow_nan=False)
