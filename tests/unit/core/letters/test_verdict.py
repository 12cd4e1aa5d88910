"""The verdict: at most three sentences that a recruiter can act on, and marks with the most harmful first."""

from pathlib import Path

import pytest
from inline_compute import Inline

from biasprint.core.cli.letter_output import letter_json, tell_letter
from biasprint.core.jobs import JobContext
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.occupations import guess_occupation
from biasprint.core.letters.pile.read import read_pile
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.report import note, suggestions_left
from biasprint.core.letters.report.full import full_report
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import Document, Reading
from biasprint.core.letters.verdict import CANNOT, by_harm, verdict_of
from biasprint.core.report.blocks import Heading, ReportParagraph

OPENING = "Dear Committee,\n\nI have worked with Maria Kowalska for four years. "
END = "\n\nSincerely,\nJonas Field"
MANY = (
    "Her reports were adequate. She works fast and keeps the ward clean. She is a mother of two. She is trying for a "
    "baby again. You may want to ask her how long she plans to stay. She is 52 years old. She is rather quiet. She "
    "might become a manager."
)


def read(body: str, context: Document | None = None) -> Reading:
    return read_letter(read_pasted(f"{OPENING}{body}{END}"), ReadingRequest(context=context))


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("She is trying for a baby.", "trying for a baby"),
        ("You may want to ask her how long she plans to stay.", "how long she plans to stay"),
        ("It would be wise to find out how long she intends to remain with us.", "how long she intends to remain"),
        ("They hope to start a family soon.", "start a family"),
        ("She might want to settle down soon.", "settle down"),
        ("She wants to have children one day.", "wants to have children"),
        ("When she has kids she will go part time.", "When she has kids"),
        ("She is pregnant.", "is pregnant"),
        ("We worried that she would leave to have a baby.", "have a baby"),
        ("They are hoping for a baby.", "hoping for a baby"),
    ],
)
def test_what_nobody_may_ask_an_applicant_is_marked_with_its_own_reason(sentence: str, words: str) -> None:
    (mark,) = [mark for mark in read(sentence).marks if mark.unlawful]
    assert mark.words == words
    assert "no applicant may be asked" in mark.reason


@pytest.mark.parametrize(
    "sentence",
    [
        "She teaches women trying for a baby.",
        "Patients who are trying for a baby trust her.",
        "She wants the baby unit to grow.",
        "She decides how long patients will stay.",
        "She started a family medicine practice.",
        "When she has children with special needs in her class, she adapts every worksheet.",
        "She wants children to love maths.",
        "She plans children's events every Saturday.",
        "Ask her about the children's ward that she built.",
        "She helps new pupils settle down.",
        "She is planning a family day for the staff.",
        "If she gets children talking, the lesson is won.",
    ],
)
def test_what_is_said_of_others_is_not_taken_for_it(sentence: str) -> None:
    assert not any(mark.unlawful for mark in read(sentence).marks)


def test_the_gravest_comes_first_and_praise_last() -> None:
    ordered = by_harm(read(MANY).marks)
    assert [mark.words for mark in ordered[:2]] == ["trying for a baby", "how long she plans to stay"]
    kinds = list(dict.fromkeys(mark.category for mark in ordered))
    assert kinds[:3] == ["family", "age", "doubt"]


def test_a_verdict_has_three_sentences_and_begins_where_it_hurts() -> None:
    verdict = verdict_of(read(MANY))
    assert verdict is not None
    assert len(verdict.sentences) == 3
    assert "many places are worth a second look" in verdict.leans.lower()
    assert verdict.first == ("Change first “trying for a baby”: in many countries no applicant may be asked about it.")
    assert verdict.cannot == CANNOT.format(thing="letter")


def test_one_mild_mark_does_not_look_like_twelve() -> None:
    mild, none = verdict_of(read("Her reports were adequate.")), verdict_of(read("She led the ward for two years."))
    assert mild is not None
    assert none is not None
    assert mild.leans.lower().startswith("one place is worth")
    assert mild.first == "Look first at “adequate”: it can be read as a doubt about the candidate."
    assert none.leans == "No place asks for a second look."
    assert none.sentences == (none.leans, CANNOT.format(thing="letter"))


def test_what_was_dismissed_is_in_no_verdict() -> None:
    reading = read("Her reports were adequate.")
    keys = [mark.key(reading.sentence(mark.sentence).text) for mark in reading.marks]
    verdict = verdict_of(reading, keys)
    assert verdict is not None
    assert verdict.leans == "No place asks for a second look."


def test_a_letter_that_was_not_read_has_no_verdict() -> None:
    german = "Sehr geehrte Damen und Herren, ich habe mit Frau Moreno vier Jahre in der Werkstatt gearbeitet, und sie "
    assert verdict_of(read_letter(read_pasted(german + "hilft immer gern allen Menschen."), ReadingRequest())) is None


def test_command_line_note_and_report_say_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    reading = read(MANY)
    verdict = verdict_of(reading)
    assert verdict is not None
    guess = guess_occupation(reading.document.text, reading.parts, reading.person)
    tell_letter(reading, "", guess, None)
    printed = capsys.readouterr().out
    assert "\n".join(verdict.sentences) in printed
    assert printed.index(verdict.first) < printed.index("Language worth a second look")
    groups = ("What no applicant should be asked (2)", "Family (1)", "Age, may be", "Doubt-raising, may be")
    places = [printed.index(group) for group in groups]
    assert places == sorted(places)
    assert "how many of them are right was not measured" in printed
    assert letter_json(reading, "", guess, None)["verdict"] == list(verdict.sentences)
    report = full_report(reading, verdict, None, "now", 0, edited=False)
    told = ["".join(run.text for run in block.runs) for block in report if isinstance(block, ReportParagraph)]
    assert set(verdict.sentences) <= set(told)
    left = suggestions_left(reading, ())
    assert "baby" in "".join(run.text for run in left[0].before)
    page = list(note(reading, verdict, (), left, "today", 40, edited=False))
    first = next(block for block in page[2:] if isinstance(block, ReportParagraph | Heading))
    assert isinstance(first, ReportParagraph)
    assert "".join(run.text for run in first.runs) == " ".join(verdict.sentences)


def test_a_table_of_letters_names_them_first(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(f"{OPENING}She is trying for a baby. Her reports were adequate.{END}")
    (row,) = read_pile(JobContext(), tmp_path, Inline(), ReadingRequest()).rows  # type: ignore[arg-type]
    assert next(iter(row.to_look_at)) == "unlawful"
    assert row.to_look_at["unlawful"] == 1
    assert "family" not in row.to_look_at
