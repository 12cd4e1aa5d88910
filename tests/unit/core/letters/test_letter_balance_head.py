"""The head of a letter's balance: its file, its sentences, and what names change in it."""

import re
from collections import Counter

import numpy as np
import pytest

from biasprint.core.letters import balance
from biasprint.core.letters.about_whom import unnamed
from biasprint.core.letters.balance import WEIGHTS_SHA256
from biasprint.core.letters.reading import sentences_of
from biasprint.core.letters.values import Part
from biasprint.core.scorers.agency_minilm import CLASSES, AgencyMiniLM, neutral
from biasprint.core.scorers.registry import load
from biasprint.core.swap import Person
from training.balance.train import MEN, OWN, WOMEN, chosen_penalty, family_names, named, read_taught, taught
from training.files import MODELS


@pytest.fixture(scope="module")
def head() -> AgencyMiniLM:
    return balance._head()


def test_the_weights_are_those_of_the_card(head: AgencyMiniLM) -> None:
    assert WEIGHTS_SHA256 in (MODELS / "balance" / "card.md").read_text("utf-8")
    assert WEIGHTS_SHA256[:12] in head.version
    assert head._head.weight.shape == (len(CLASSES), 384)


def test_it_is_another_head_than_the_agency_scorers(head: AgencyMiniLM) -> None:
    agency = load("agency_minilm")
    assert isinstance(agency, AgencyMiniLM)
    assert head.version != agency.version
    text = ["She took the ward over in her first week."]
    assert not np.array_equal(head.probabilities(text), agency.probabilities(text))


def test_the_sentences_are_of_six_authors_and_every_class() -> None:
    sentences, authors = read_taught()
    assert set(authors) == {OWN, "a", "b", "c", "d", "e"}
    counts = Counter(zip(authors, (one.label for one in sentences), strict=True))
    assert all(counts[author, label] >= 45 for author in set(authors) for label in CLASSES)
    assert len({one.text for one in sentences}) == len(sentences)


def test_a_name_is_put_where_a_sentence_began_with_he_or_she() -> None:
    sentences, _ = read_taught()
    again = named(sentences, family_names())
    assert len(again) > 1000
    for place, one in again[:200]:
        assert re.match("He |She |He'|She'|He’|She’", sentences[place].text)
        assert not re.match("(He|She)\\b", one.text)
        assert one.label == sentences[place].label


def test_the_candidate_is_read_without_a_name() -> None:
    text = "Kasia Zielinska's friends know Kasia. Zielinska leads."
    first, second = sentences_of(text, (Part("body", 0, len(text)),))
    person = Person("Kasia", "Zielinska", "", "she")
    assert (unnamed(first, person), unnamed(second, person)) == ("their friends know they.", "they leads.")
    assert unnamed(first, None) == "Kasia Zielinska's friends know Kasia."


def test_another_name_of_the_candidate_changes_nothing(head: AgencyMiniLM) -> None:
    text = "{} took the ward over. Nobody is kinder than {}. {}'s door is open."
    found = []
    for name in ("Wanjiru", "Haoran", "Zsófia"):
        whole = text.format(name, name, name)
        body = sentences_of(whole, (Part("body", 0, len(whole)),))
        found.append(head.probabilities([unnamed(one, Person(name)) for one in body]))
    assert np.array_equal(found[0], found[1])
    assert np.array_equal(found[0], found[2])


@pytest.mark.soak
def test_names_of_others_that_no_list_has_change_few_classes(head: AgencyMiniLM) -> None:
    sentences = read_taught()[0][::12]
    woman, man = ([one.text for _, one in named(sentences, names)] for names in (WOMEN, MEN))
    assert len(woman) >= 100
    assert all(neutral(one) != neutral(other) for one, other in zip(woman, man, strict=True))
    one, other = np.split(head.probabilities([*woman, *man]).argmax(axis=1), 2)
    assert (one != other).mean() <= 0.1  # the card says more exactly how often


@pytest.mark.soak
def test_training_again_gives_the_same_head(head: AgencyMiniLM) -> None:
    given = taught()
    weight, bias = given.head(np.full(len(given.of), True), chosen_penalty(given))
    np.testing.assert_allclose(weight, head._head.weight, atol=0.02)
    np.testing.assert_allclose(bias, head._head.bias, atol=0.02)
