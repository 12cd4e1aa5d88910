"""Kinds of document: guessed with a reason, chosen, and each read by what counts for it."""

import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from biasprint.core.errors import AppError, UsageError
from biasprint.core.letters.files import document_of_text
from biasprint.core.letters.kinds import KINDS, kind_called, kind_of
from biasprint.core.letters.parts import parts_of
from biasprint.core.letters.pile.read import row_of_letter
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.suggestions import suggestions_of
from biasprint.core.letters.twins import read_with_twin
from biasprint.core.letters.values import DOCUMENT_KINDS, Document, Reading
from biasprint.core.letters.verdict import Coding, verdict_of
from biasprint.core.swap import Person

MEASURED = Path(__file__).parents[4] / "docs" / "letters_measured"
DATA = Path(__file__).parents[3] / "data"
SET = [block.partition("\n") for block in (DATA / "document_kinds.txt").read_text("utf-8").split("\n=== ")[1:]]
ADVERT = (
    "Sales Lead (full-time)\n\nWe are looking for a confident, results-driven salesman to dominate the market with our "
    "young team.\n\nYou are self-confident and a native English speaker. Your responsibilities: lead, compete, win. "
    "Please send your CV with a photo.\n\nWe welcome applications regardless of age, young or old."
)
REVIEW = (
    "Annual performance review 2025\n\nDana met all of her objectives and led the migration. She is not abrasive, but "
    "she can be too emotional, and should watch her tone. Goals for next year: a deputy. Overall rating: 4."
)


def reading(text: str, **given: object) -> Reading:
    return read_letter(document_of_text(text), replace(ReadingRequest(), **given))


def marked(of: Reading) -> dict[str, list[str]]:
    words: dict[str, list[str]] = {}
    for mark in of.marks:
        words.setdefault(mark.category, []).append(mark.words)
    return words


MISSED = 4  # of all: two of those that the rules were made for, and two of the last 25


def test_documents_of_the_set_are_guessed_as_what_they_are_with_words_of_their_own():
    assert Counter(kind for kind, _, _ in SET) == dict.fromkeys(DOCUMENT_KINDS, 28)
    wrong = []
    for kind, _, text in SET:
        document = document_of_text(text)
        read_as = kind_of(document, parts_of(document))
        said = " ".join(document.text.split())
        assert all(quoted in said for quoted in re.findall("“(.+?)”", read_as.reason)), read_as
        wrong += [(kind, read_as)] if read_as.kind != kind else []
    assert len(wrong) <= MISSED, wrong
    assert {read_as.kind for _, read_as in wrong} <= {"reference", "recommendation"}


def test_no_letter_by_somebody_else_is_taken_for_another_kind():
    letters = [
        row["text"]
        for name in ("letters_a", "letters_b")
        for line in (MEASURED / f"{name}.jsonl").read_text("utf-8").splitlines()
        if "text" in (row := json.loads(line))
    ]
    documents = [document_of_text(text) for text in letters]
    assert len(documents) == 30
    assert {kind_of(document, parts_of(document)).kind for document in documents} == {"reference"}


def test_a_files_name_and_a_mails_subject_count_and_a_kind_can_be_chosen():
    plain = ("She delivered what we asked for and a little more, as we had agreed in spring.",)
    assert kind_of(Document("a.txt", "txt", plain), ()).kind == "reference"
    named = Document("Annual_performance-review.Dana.txt", "txt", (*plain, "The rating: 4."))
    assert kind_of(named, ()).kind == "review"
    assert (
        kind_of(Document("a.eml", "eml", ("Subject: Job posting: nurse", "Apply today, full-time.")), ()).kind
        == "advert"
    )
    chosen = reading(ADVERT, kind="reference")
    assert (chosen.read_as.kind, chosen.read_as.guessed) == ("reference", False)
    assert kind_called("Job advert") == "advert"
    assert kind_called("peer") == "peer"
    with pytest.raises(UsageError, match=r"no kind of document.*reference, recommendation, review, peer, advert"):
        kind_called("poem")


def test_an_advert_has_coded_words_and_words_that_keep_somebody_away_and_nothing_of_a_candidate():
    read = reading(ADVERT, person=Person("Ann", "Lee"), scorers={"agency": "agency_minilm"})
    assert (read.read_as.kind, read.person, read.scores, read.balance) == ("advert", Person(), (), None)
    assert marked(read) == {
        "masculine": ["Lead", "confident", "driven", "dominate", "self-confident", "lead", "compete"],
        "feminine": ["responsibilities"],
        "gender": ["salesman"],
        "age": ["young"],  # and not where all ages are welcome
        "origin": ["native English speaker"],
        "appearance": ["with a photo"],
    }
    sources = {mark.words: mark.source for mark in read.marks}
    assert sources["driven"].startswith("Gender Decoder (Matfield)")
    assert sources["dominate"] == "Gaucher, Friesen and Kay 2011"
    assert "29 CFR 1625.4" in sources["young"]
    assert "no reference" not in read.reference


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("She or he is active, co-operative, uses SharePoint.", {"masculine": ["active"], "feminine": 1}),
        ("Work with young people and boys and girls in an inter-personal role.", {"feminine": ["inter-personal"]}),
        ("A team player aged 25 to 35, unmarried, in good health.", {"age": 1, "family": ["unmarried"], "health": 1}),
        ("Fluent English; lifts boxes of 15 kg.", {}),
    ],
)  # fmt: skip
def test_words_of_adverts_count_by_their_beginnings_but_for_exceptions(words: str, found: dict[str, object]):
    marks = marked(reading(words, kind="advert"))
    assert {key: len(value) if isinstance(found.get(key), int) else value for key, value in marks.items()} == found


def test_an_advert_of_another_language_or_in_a_mail_is_read_as_far_as_it_goes():
    german = (
        "Wir suchen eine Verkäuferin für unser Geschäft. Sie arbeiten gern mit Menschen und haben Freude an der Mode. "
        "Wir bieten einen sicheren Platz in einem kleinen Haus, und Sie haben jede zweite Woche am Samstag frei."
    )
    assert "German" in reading(german, kind="advert").stopped
    mail = (
        "From: a@b.example\nTo: c@d.example\nSubject: Now hiring: Lead nurse\n\nYou will support patients. Apply now."
    )
    read = reading(mail)
    assert (read.read_as.kind, marked(read)) == ("advert", {"feminine": ["support"]})


def test_an_advert_in_a_pile_has_its_direction_in_its_row_and_stands_in_no_group():
    row = row_of_letter(document_of_text(ADVERT), ReadingRequest())
    assert row.notes[0].startswith("Read as a job advert, a guess: ")
    assert row.notes[1].startswith("Strongly masculine-coded: 7 masculine-coded words")
    assert (row.person, row.group) == (Person(), "")


def test_there_is_no_twin_of_an_advert():
    with pytest.raises(AppError, match="no twin of a job advert"):
        read_with_twin(document_of_text(ADVERT), Person("Tom", "Hale", pronoun="he"), ReadingRequest())


def test_a_review_has_the_marks_of_letters_criticism_of_personality_and_its_own_sources():
    read = reading(REVIEW, scorers={})
    assert read.read_as.kind == "review"
    assert marked(read)["personality"] == ["too emotional", "watch her tone"]
    sources = {mark.category: mark.source for mark in read.marks}
    assert sources["personality"].startswith("Snyder 2014; Correll")
    assert sources["agentic"].startswith("Correll")
    assert read.reference == "Reference letters say nothing about a performance review."
    peer = reading(REVIEW, scorers={}, kind="peer")
    assert {mark.source for mark in peer.marks if mark.category == "personality"} == {
        "Smith, Rosenstein, Nikolov and Chaney 2019"
    }
    assert "personality" not in marked(reading(REVIEW, scorers={}, kind="reference"))


@pytest.mark.parametrize(
    ("masculine", "feminine", "said"),
    [
        (0, 0, "Without gender-coded words"),
        (2, 2, "Neutral: 2 masculine-coded words and 2 feminine-coded ones"),
        (1, 0, "Masculine-coded: 1 masculine-coded word and 0 feminine-coded ones"),
        (4, 1, "Masculine-coded: 4 masculine-coded words and 1 feminine-coded one"),
        (5, 1, "Strongly masculine-coded: 5 masculine-coded words and 1 feminine-coded one"),
        (1, 5, "Strongly feminine-coded: 1 masculine-coded word and 5 feminine-coded ones"),
    ],
)
def test_the_direction_of_an_advert_is_that_of_the_decoders_rule(masculine: int, feminine: int, said: str):
    assert Coding(masculine, feminine).said == said


def test_the_verdict_on_an_advert_is_of_its_words_and_says_what_a_count_cannot():
    verdict = verdict_of(reading(ADVERT))
    assert verdict is not None
    assert verdict.leans.startswith("Strongly masculine-coded: 7 masculine-coded words and 1 feminine-coded one, and")
    assert verdict.first == (
        "Change first “native English speaker”: say how well the language must be spoken, or leave it out."
    )
    assert verdict.cannot == "This counts words: how this advert works on its readers was not measured."
    plain = verdict_of(reading("We want a confident, active and competitive person for the shop.", kind="advert"))
    assert plain is not None
    assert plain.first == "Try other words for “confident” and “active”."
    review = verdict_of(reading(REVIEW, scorers={}))
    assert review is not None
    assert review.first == "Look first at “too emotional”: it judges the person and not the work."


def test_an_advert_is_offered_another_word_or_what_to_do_and_never_what_is_for_letters():
    offers = [offer for own in suggestions_of(reading(ADVERT)).values() for offer in own]
    assert [(offer.old, offer.new) for offer in offers if offer.new is not None] == [("salesman", "salesperson")]
    assert {offer.old: offer.do for offer in offers}["young"] == "Leave it out."
    assert not any("reference" in offer.reason for offer in offers)


def test_every_kind_has_its_words():
    assert tuple(KINDS) == DOCUMENT_KINDS
