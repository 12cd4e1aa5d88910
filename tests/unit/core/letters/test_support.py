"""What a CV of short lines says of a letter's claims, by the stand-in and by a model; names decide nothing."""

import numpy as np
import pytest

from biasprint.core.letters import support
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.support import support_of
from biasprint.core.letters.values import Sentence, Verdict
from biasprint.core.scorers.protocol import ScorerInfo, ScoreValue
from biasprint.core.swap import Person

STAND_IN = "entailment_minilm"
CV = """{upper}
Registered nurse

Experience
2019–present Staff nurse, Acute Stroke Unit, Leicester
2013–2019 Nurse, orthopaedics, Kettering

Education
BSc Nursing, Warsaw, 2013
Languages: Polish (native), English, basic Russian
Supervises two student nurses each term. Awards: bronze, Ward of the Year 2021"""
SAID: dict[str, Verdict] = {
    "{first} has been a staff nurse on the stroke unit since 2019.": "grounded",
    "Before that {last} nursed in orthopaedics at Kettering for six years.": "grounded",
    "{FIRST}'S LANGUAGES ARE POLISH, ENGLISH AND RUSSIAN.": "grounded",
    "Last year she sang at our summer fair in a red hat.": "unsupported",
    "Ms. {last} never nursed in Kettering.": "unsupported",
    "I have worked with {first} for four years.": "not a claim",
    "{first} {last} is the kindest colleague anyone could wish for.": "not a claim",
}


def judged(first: str, last: str, person: Person | None) -> list[tuple[Verdict, float | None]]:
    names = {"first": first, "last": last, "FIRST": first.upper(), "upper": f"{first} {last}".upper()}
    body = [Sentence(place, 0, 0, text.format(**names), "body") for place, text in enumerate(SAID)]
    return [(one.verdict, one.score) for one in support_of(body, CV.format(**names), STAND_IN, person)[0]]


def test_claims_before_a_cv_of_short_lines() -> None:
    found = judged("Marta", "Kowalczyk", Person("Marta", "Kowalczyk", "", "she"))
    assert [verdict for verdict, _ in found] == list(SAID.values())


@pytest.mark.parametrize(("first", "last"), [("Grace", "Okafor"), ("Will", "O'Leary-Voss"), ("Lakisha", "Li")])
def test_names_alone_move_no_verdict_and_no_score(first: str, last: str) -> None:
    """Exchanged everywhere, in capitals and possessive, whether the name was guessed or not."""
    usual = judged("Marta", "Kowalczyk", Person("Marta", "Kowalczyk", "", "she"))
    assert judged(first, last, Person(first, last, "", "she")) == usual
    assert judged(first, last, Person()) == usual


def test_a_passage_is_one_line_of_the_cv() -> None:
    text = CV.format(upper="MARTA KOWALCZYK")
    body = [Sentence(0, 0, 0, "She nursed in orthopaedics at Kettering.", "body")]
    (one,), _ = support_of(body, text, STAND_IN, Person("Marta", "Kowalczyk"))
    assert one.passage == text[one.start : one.end] == "2013–2019 Nurse, orthopaedics, Kettering"


def by_a_scorer(monkeypatch: pytest.MonkeyPatch, contradiction: float, *, stand_in: bool) -> Verdict:
    """The verdict where a scorer gives this probability to a contradiction, and the rest to neutral."""
    info = ScorerInfo("made up", "entailment", f"{contradiction} {stand_in}", None, stand_in, "three classes")
    value = ScoreValue(np.array([0, 1 - contradiction, contradiction], np.float32), 0.0)
    monkeypatch.setattr(support, "score_batch", lambda name, texts: (vars(info), [value for _ in texts]))
    body = [Sentence(0, 0, 0, "She ran the night shift.", "body")]
    return support_of(body, "2010 Nurse, Leeds", f"made up {contradiction} {stand_in}")[0][0].verdict


@pytest.mark.parametrize("contradiction", [0.6, 0.99])
def test_a_stand_in_never_says_contradicted(monkeypatch: pytest.MonkeyPatch, contradiction: float) -> None:
    assert by_a_scorer(monkeypatch, contradiction, stand_in=True) == "unsupported"


def test_a_model_of_entailment_keeps_its_own_word(monkeypatch: pytest.MonkeyPatch) -> None:
    assert by_a_scorer(monkeypatch, 0.6, stand_in=False) == "contradicted"


def test_a_model_of_entailment_does_not_support_another_year(monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps “contradicted”, and what it takes for entailed is still compared by its facts."""
    info = ScorerInfo("made up", "entailment", "entails", None, False, "three classes")
    value = ScoreValue(np.array([0.9, 0.1, 0], np.float32), 0.9)
    monkeypatch.setattr(support, "score_batch", lambda name, texts: (vars(info), [value for _ in texts]))
    for year, verdict in (("2010", "grounded"), ("2012", "unsupported")):
        body = [Sentence(0, 0, 0, f"She was a nurse in Leeds in {year}.", "body")]
        assert support_of(body, "2010 Nurse, Leeds", "made up, entails")[0][0].verdict == verdict


def test_a_cv_in_another_language_is_said_and_condemns_no_claim() -> None:
    cv = read_pasted(
        "Lebenslauf\n\n2010–2015 Krankenschwester, Charité Berlin\n2015–heute Stationsleitung, Klinikum Köln\n\n"
        "Studium der Pflegewissenschaft an der Universität Bremen, Abschluss mit Auszeichnung im Sommer 2010"
    )
    letter = read_pasted("Dear all,\n\nShe has led a ward in Cologne since 2015.\n\nSincerely,\nAnn")
    reading = read_letter(letter, ReadingRequest({"entailment": STAND_IN}, context=cv))
    assert {one.verdict for one in reading.support} == {"no context"}
    (said,) = [one.said for one in reading.suspicions if one.what == "context language"]
    assert said == "The CV seems to be German. Only English can be compared, so no claim was checked against it."


def test_the_use_names_rules_and_head() -> None:
    body = [Sentence(0, 0, 0, "She ran the night shift.", "body")]
    _, (use,) = support_of(body, "2010 Nurse, Leeds", STAND_IN)
    assert "entailment weights 2" in use.version
    assert "claims head" in use.version
