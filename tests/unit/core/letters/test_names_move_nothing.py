"""A letter's scores under two hundred names: none moves. A part in ordinary runs, all sentences in the soak."""

import random
import re
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np
import pytest
from seeded_part import seeded_part

from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.reading import read_letter, styles_of
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import Sentence
from biasprint.core.project.project import Project
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.runs import sample
from biasprint.core.scorers.plain import PositivityLexicon
from biasprint.core.scorers.segment import sentences
from biasprint.core.swap import Person

SCORERS = {"formality": "formality_f", "positivity": "positivity_lexicon", "agency": "agency_minilm"}
# Names of many places, and names that are words of praise or blame.
GIVEN = (
    "Faith", "James", "Grace", "Hope", "Joy", "Precious", "Will", "Mercy", "Victor", "Destiny", "Ernest", "Frank",
    "Felicity", "Charity", "Angel", "Rose", "Wanjiru", "Haoran", "Zsófia", "Lakisha", "Emily", "José", "Nguyệt",
    "Aoife",
    "Björn", "Kwame", "Priya", "Dmitri", "Fatima", "Jean-Luc", "D’Andre", "Mei", "Siobhán", "Tariq", "Yuki", "Ngozi",
    "Mark", "April", "Miles", "Christian",
)  # fmt: skip
FAMILY = (
    "Brown", "Best", "Love", "Strong", "Okafor", "van Rensburg", "O'Leary-Voss", "García", "Li", "Savage", "Kowalczyk",
    "Sharp", "Nakamura", "Moody", "Washington", "Bright", "Al-Sayed", "Müller", "Gross", "Hardy",
)  # fmt: skip
NAMES = random.Random(34).sample([(given, family) for given in GIVEN for family in FAMILY], 200)
USUAL = ("Anna", "Berg")


@cache
def letters() -> tuple[str, ...]:
    """The sample's letters, {given} and {family} for the candidate's names."""
    path = Path(mkdtemp()) / "sample.biasprint"
    sample.unpack_sample(path)
    made = []
    with Project.open(path, read_only=True) as project:
        for study in project.studies.all():
            if study.kind != "letters":
                continue
            for row in project.outputs.each(OutputFilter(study_id=study.id, status="done")):
                given, _, family = row.fields.get("name", "").partition(" ")
                text = row.text.replace("{", "(").replace("}", ")")
                for name, put in ((given, "{given}"), (family, "{family}")):
                    text = re.sub(rf"(?<![\w-]){re.escape(name)}(?![\w-])", put, text) if name else text
                made.append(text)
    return tuple(made)


@cache
def texts(part: int) -> tuple[str, ...]:
    """The sentences of the sample's letters: `part` of them, all where it is 0; first those that name somebody."""
    every = list(dict.fromkeys(text[start:end] for text in letters() for start, end in sentences(text)))
    named = [text for text in every if "{given}" in text or "{family}" in text]
    assert len(named) > 20
    return tuple(random.Random(1).sample(named, min(part, len(named)))) if part else tuple(every)


def put(text: str, name: tuple[str, str]) -> str:
    return text.replace("{given}", name[0]).replace("{family}", name[1])


def scored(name: tuple[str, str], of: tuple[str, ...]) -> list[tuple[str, float | None]]:
    body = [Sentence(place, 0, 0, put(text, name), "body") for place, text in enumerate(of)]
    return [(score.name, score.value) for score in styles_of(body, SCORERS, Person(*name))[0]]


def moves_nothing(name: tuple[str, str], part: int) -> None:
    """Sentences that have the name already, of a signer or in “Best Actor”, would say something else with it."""
    other = re.compile(rf"\b(?:{'|'.join(map(re.escape, (*name, *USUAL)))})\b", re.IGNORECASE)
    of = tuple(text for text in texts(part) if not other.search(text))
    assert len(of) > len(texts(part)) / 2
    assert scored(name, of) == scored(USUAL, of)


@pytest.mark.parametrize("name", [pytest.param(name, id=" ".join(name)) for name in NAMES])
def test_no_name_moves_a_score_of_a_sentence(name: tuple[str, str]) -> None:
    moves_nothing(name, 12)


@pytest.mark.soak
@pytest.mark.parametrize("name", [pytest.param(name, id=" ".join(name)) for name in NAMES])
def test_no_name_moves_a_score_of_any_sentence_of_the_sample(name: tuple[str, str]) -> None:
    moves_nothing(name, 0)


@pytest.mark.parametrize(("given", "family"), seeded_part(NAMES, 20))
def test_the_positivity_stand_in_sees_a_name_without_being_told(given: str, family: str) -> None:
    """Whole letters, as the study scores them."""
    scorer = PositivityLexicon()
    usual, other = ([put(text, each) for text in letters()[:40]] for each in (USUAL, (given, family)))
    for one, two in zip(scorer.score(usual), scorer.score(other), strict=True):
        assert np.array_equal(one.values, two.values)


def test_faith_and_james_have_one_letter() -> None:
    text = (
        "Dear all,\n\n{0} Brown has been our bookkeeper since 2015. {0} keeps the books of four shops. I have seen {0} "
        "at work in every season. {0}'s figures are on time. Nobody has found an error of hers.\n\nYours,\nPetra Lind"
    )
    faith, james = (
        read_letter(read_pasted(text.format(name)), ReadingRequest(SCORERS, person=Person(name, "Brown")))
        for name in ("Faith", "James")
    )
    assert [score.value for score in faith.scores] == [score.value for score in james.scores]
    assert [figure.value for figure in faith.figures] == [figure.value for figure in james.figures]
    assert "names as one" in faith.scorers[0].version


def test_a_word_that_is_no_name_keeps_its_sentiment() -> None:
    scorer = PositivityLexicon()
    for text in (
        "She gives her patients hope and joy.",
        "Hope and patience are what she gives.",
        "Great work is hers.",
    ):
        assert scorer.score([text])[0].values[0] == pytest.approx(scorer.score([text.lower()])[0].values[0])
    assert scorer.score(["Hope leads the ward."])[0].values == scorer.score(["Anna leads the ward."])[0].values
