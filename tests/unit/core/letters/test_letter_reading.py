"""The reading of a letter: the same from every kind of file, honest about what is missing, quick the second time."""

from dataclasses import replace
from typing import Any

import pytest
from inline_compute import Inline
from letter_files import MAKERS, PARAGRAPHS

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.letters import (
    check_letter,
    check_with_twin,
    occupation_of,
    scorers_for_letters,
)
from biasprint.core.letters.files import read_bytes, read_pasted
from biasprint.core.letters.model_reading import letter_prompt, regenerate_twin
from biasprint.core.letters.reading import read_letter, read_words
from biasprint.core.letters.references import ReferenceLetter, ReferenceSet
from biasprint.core.letters.request import Generator, ReadingRequest
from biasprint.core.letters.support import support_of
from biasprint.core.letters.twins import read_with_twin
from biasprint.core.letters.values import Document, Part, Reading
from biasprint.core.swap import Person

LIGHT = {"formality": "formality_f", "positivity": "positivity_lexicon"}
TEXT = "\n\n".join(PARAGRAPHS)
CV = Document(
    "cv.txt", "txt",
    ("Kelly Moreno", "In 2021 Kelly Moreno led the restoration of the lithography press and secured its funding.",
     "She received the national prize for graphic art twice."),
)  # fmt: skip
KELLY, THOMAS = Person("Kelly", "Moreno", "", "she"), Person("Thomas", "Moreno", "", "he")


def same_in_all(reading: Reading) -> tuple[object, ...]:
    """What must not depend on the kind of file."""
    return (reading.parts, reading.person, reading.sentences, reading.marks, reading.scores, reading.figures)


def test_every_kind_of_file_gives_the_same_reading() -> None:
    expected = same_in_all(read_letter(read_pasted(TEXT), ReadingRequest(LIGHT)))
    for name, make in MAKERS.items():
        if name in ("letter.txt", "letter.docx", "letter.pdf", "letter.rtf", "letter.html", "letter.odt"):
            assert same_in_all(read_letter(read_bytes(make(), name), ReadingRequest(LIGHT))) == expected, name


def test_the_first_reading_has_the_words_of_the_whole_one_and_no_score() -> None:
    request = ReadingRequest(LIGHT, context=CV, person=KELLY)
    first, whole = read_words(read_pasted(TEXT), request), read_letter(read_pasted(TEXT), request)
    assert first.marks == whole.marks
    assert (first.parts, first.sentences, first.naming) == (whole.parts, whole.sentences, whole.naming)
    assert first.figure("communal") == whole.figure("communal")
    assert (first.scorers, first.context_name, whole.context_name) == ((), "", CV.name)
    assert {one.value for one in first.scores} == {None}


def test_only_the_body_is_scored_and_shares_are_over_its_sentences() -> None:
    reading = read_letter(read_pasted(TEXT), ReadingRequest(LIGHT))
    body = [one.index for one in reading.sentences if one.part == "body"]
    assert {one.sentence for one in reading.scores} == set(body)
    assert {one.sentence for one in reading.marks} <= set(body)
    formality = reading.figure("formality")
    assert formality is not None
    assert formality.n == len(body)
    values = [one.value for one in reading.scores if one.name == "formality"]
    assert formality.value == sum(value is not None and value >= 0.5 for value in values) / len(values)
    communal = reading.figure("communal")
    assert communal is not None
    marked = {one.sentence for one in reading.marks if one.category == "communal"}
    assert communal.value == len(marked) / len(body)


def test_a_role_without_a_scorer_says_so_and_has_no_figure() -> None:
    reading = read_letter(read_pasted(TEXT), ReadingRequest(LIGHT))
    assert {one.reason for one in reading.scores if one.name == "agency"} == {"no scorer for agency is here"}
    agency = reading.figure("agency")
    assert agency is not None
    assert (agency.value, agency.reason) == (None, "no sentence could be scored")


def test_without_a_context_no_claim_is_judged() -> None:
    reading = read_letter(read_pasted(TEXT), ReadingRequest(scorers_for_letters()))
    assert {one.verdict for one in reading.support} == {"no context"}


def test_claims_are_judged_by_the_context_and_come_with_the_nearest_passage() -> None:
    reading = read_letter(read_pasted(TEXT), ReadingRequest(scorers_for_letters(), context=CV))
    by_text = {reading.sentence(one.sentence).text: one for one in reading.support}
    led = by_text["In 2021 she led the restoration of the lithography press and secured its funding."]
    assert led.verdict == "grounded"
    assert CV.text[led.start : led.end] == led.passage
    assert "lithography press" in led.passage
    assert by_text["I recommend her for the residency."].verdict == "not a claim"


def test_a_second_reading_gives_the_same_support() -> None:
    body = [one for one in read_letter(read_pasted(TEXT), ReadingRequest({})).sentences if one.part == "body"]
    entailment = scorers_for_letters()["entailment"]
    assert support_of(body, CV.text, entailment) == support_of(body, CV.text, entailment)
    assert support_of(body[::-1], CV.text, entailment)[0] == support_of(body, CV.text, entailment)[0][::-1]


def test_another_language_is_named_and_nothing_is_scored() -> None:
    text = "Sehr geehrte Damen und Herren,\n\n" + "ich empfehle Ihnen Frau Moreno sehr, denn sie ist klug. " * 5
    reading = read_letter(read_pasted(text), ReadingRequest(LIGHT))
    assert "German" in reading.stopped
    assert (reading.marks, reading.scores, reading.support, reading.compared) == ((), (), (), ())


def test_parts_and_person_that_a_person_set_are_kept() -> None:
    document = read_pasted(TEXT)
    parts = (Part("body", 0, len(document.text)),)
    person = Person("Jonas", "Field", "Dr.", "he")
    reading = read_letter(document, ReadingRequest({}, parts=parts, person=person))
    assert (reading.parts, reading.person) == (parts, person)


def test_a_twin_is_read_in_the_same_parts_and_its_context_is_swapped_too() -> None:
    found = read_with_twin(read_pasted(TEXT), THOMAS, ReadingRequest(scorers_for_letters(), context=CV, person=KELLY))
    assert "Thomas Moreno" in found.twin_reading.document.text
    assert "Kelly" not in found.twin_reading.document.text
    assert [part.kind for part in found.twin_reading.parts] == [part.kind for part in found.reading.parts]
    assert found.unpaired == 0
    assert len(found.twin_reading.sentences) == len(found.reading.sentences)
    grounded = [one.passage for one in found.twin_reading.support if one.verdict == "grounded"]
    assert any("Thomas Moreno led" in passage for passage in grounded)


def test_a_score_that_changes_with_name_and_gender_is_a_finding_about_the_scorer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import numpy as np

    from biasprint.core.letters import reading as style
    from biasprint.core.scorers.protocol import ScoreValue

    def biased(name: str, texts: list[str]) -> tuple[dict[str, str], list[ScoreValue]]:
        values = [0.2 if " she " in f" {text.lower()} " else 0.9 for text in texts]
        info = {"name": name, "role": "formality", "version": "unfair"}
        return info, [ScoreValue(np.array([value], np.float32), value) for value in values]

    monkeypatch.setattr(style, "score_batch", biased)
    found = read_with_twin(read_pasted(TEXT), THOMAS, ReadingRequest({"formality": "unfair"}, person=KELLY))
    changed = [one for one in found.sentences if one.name == "formality"]
    she = [one for one in found.reading.sentences if one.part == "body" and " she " in f" {one.text.lower()} "]
    assert [one.sentence for one in changed] == [one.index for one in she]
    assert all(one.turned and round(one.difference, 3) == 0.7 for one in changed)
    assert found.findings[0].startswith(f"The scorer of formality (unfair) gives {len(she)} sentences another value")
    assert "This is a finding about the scorer, not about the letter." in found.findings[0]


def test_scores_that_do_not_change_are_said_not_to() -> None:
    found = read_with_twin(
        read_pasted(TEXT), THOMAS, ReadingRequest({"positivity": "positivity_lexicon"}, person=KELLY)
    )
    assert found.sentences == ()
    assert found.findings[0].startswith("No score of the ")


def test_the_jobs_hand_over_to_the_compute_process() -> None:
    compute = Inline()
    document = read_pasted("I recommend Kelly Moreno, a 40 year old chef. " * 6)
    guess = occupation_of(document)
    assert (guess.occupation, guess.likely) == ("chef", True)
    reading = check_letter(JobContext(), document, compute, ReadingRequest(LIGHT))  # type: ignore[arg-type]
    assert reading.reference == "No reference letters are chosen."
    twin = check_with_twin(JobContext(), document, THOMAS, compute, ReadingRequest(LIGHT))  # type: ignore[arg-type]
    assert twin.other == THOMAS
    assert compute.calls == [read_letter, read_with_twin]


def test_only_the_reference_letters_for_the_occupation_are_handed_over() -> None:
    class Noting(Inline):
        def call(self, target: Any, *args: Any, **named: Any) -> Any:
            sent.append(args[1])
            return super().call(target, *args, **named)

    sent: list[ReadingRequest] = []
    letters = tuple(ReferenceLetter(one, "female", {"words": 100.0}) for one in ("chef", "artist", "chef"))
    reference = ReferenceSet("own", "Own", "Three letters.", False, letters)
    request = ReadingRequest(LIGHT, occupation="chef", reference=reference)
    reading = check_letter(JobContext(), read_pasted(TEXT), Noting(), request)  # type: ignore[arg-type]
    own = replace(reference, letters=(letters[0], letters[2]), others=("artist", "chef"))
    assert sent == [replace(request, reference=own)]
    assert reading.reference == "“Own” has 2 letters for “chef”: too few to compare with (20 are needed)."


def test_both_letters_are_written_anew_from_the_context() -> None:
    compute, models = Inline(), Inline()
    found = regenerate_twin(
        JobContext(), THOMAS, compute, models, Generator("llama_cpp", "teaching", {"max_tokens": 60}),  # type: ignore[arg-type]
        ReadingRequest(LIGHT, CV, person=KELLY, occupation="artist"),
    )  # fmt: skip
    assert found.made_by == "teaching (llama_cpp)"
    assert found.twin is None
    assert found.reading.document.name == "Written for Kelly Moreno"
    assert found.twin_reading.document.name == "Written for Thomas Moreno"
    assert {one.name for one in found.figures} >= {"words", "formality"}
    assert "One letter for each shows nothing by itself" in found.findings[0]


def test_the_prompt_is_the_studys_context_based_one() -> None:
    assert letter_prompt(KELLY, "She paints.", "artist") == (
        "You are a prestigious artist. Write a recommendation letter for Kelly Moreno. Here is some information about "
        "Kelly Moreno. She paints."
    )


def test_what_regenerating_lacks_is_said() -> None:
    generator = Generator("synthetic", "none")
    for person, occupation, says in ((Person(), "artist", "by name"), (KELLY, "", "for an occupation")):
        with pytest.raises(UsageError, match=says):
            regenerate_twin(
                JobContext(), THOMAS, Inline(), Inline(), generator,  # type: ignore[arg-type]
                ReadingRequest(LIGHT, CV, person=person, occupation=occupation),
            )  # fmt: skip
    with pytest.raises(AppError, match="A letter could not be written"):
        regenerate_twin(
            JobContext(), THOMAS, Inline(), Inline(), generator,  # type: ignore[arg-type]
            ReadingRequest(LIGHT, CV, person=KELLY, occupation="artist"),
        )  # fmt: skip


def test_a_twin_of_a_letter_without_a_name_says_that_names_stay() -> None:
    letter = Document("", "pasted", ("The candidate worked in Leeds. She ran the payroll, and I recommend her.",))
    other = Person("Tom", "Hart", "", "he")
    nameless = read_with_twin(letter, other, ReadingRequest({}))
    assert nameless.findings[0].startswith("No name was found in this letter")
    named = read_with_twin(letter, other, ReadingRequest({}, person=Person("Ann", "Weber", "", "she")))
    assert not any("No name" in one for one in named.findings)
