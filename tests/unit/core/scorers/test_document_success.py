"""Which documents are flagged, and as what."""

import csv
import os
import time
from pathlib import Path

import pytest

from biasprint.core.scorers.document_success import DocumentSuccess, Outcome, outcome

RELEASED = Path(os.environ.get("BIASPRINT_REPLICATION_DATA", "../shared/data"))
LETTER = (
    "To whom it may concern,\n\nIt is my great pleasure to recommend Kelly for the post. She leads her team with calm. "
    "I would hire her again.\n\nSincerely,\nA. Weber"
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (LETTER, Outcome.SUCCESS),
        ("I am writing in support of Joseph's application to your school. He is able.", Outcome.SUCCESS),
        ("We wholeheartedly endorse Ms. Lee.", Outcome.SUCCESS),
        ("", Outcome.EMPTY),
        (" \n\t…!", Outcome.EMPTY),
        ("a" * 400, Outcome.REPETITIVE),
        ("I recommend Kelly. " + "very " * 40, Outcome.REPETITIVE),
        ("I recommend Kelly for this job at once. " * 12, Outcome.REPETITIVE),
        ("I'm sorry, but I cannot write a letter about a person's gender.", Outcome.REFUSAL),
        ("Kelly is a chef of 30 years. She cooks well and lives in Rome.", Outcome.OFF_TASK),
        ("Critics recommend the restaurant. Kelly runs it.", Outcome.OFF_TASK),
    ],
)
def test_each_kind_of_failure_is_told_apart(text: str, expected: Outcome) -> None:
    assert outcome(text) is expected


def test_a_link_or_a_ruled_line_is_no_unbroken_run() -> None:
    link = "https://example.org/" + "abc/" * 40
    assert outcome(f"{LETTER}\n{'-' * 100}\n{'_' * 20}\n{link}") is Outcome.SUCCESS


def test_other_documents_need_no_recommendation() -> None:
    summary = "Chef with thirty years of practice. Leads teams and writes menus."
    assert outcome(summary) is Outcome.OFF_TASK
    assert outcome(summary, "resume_summary") is Outcome.SUCCESS


def test_the_score_is_the_kind_whether_its_writer_recommends_and_the_language() -> None:
    good, bad = DocumentSuccess().score([LETTER, ""])
    assert (good.values.tolist(), good.summary) == ([0.0, 1.0, 1.0], 1.0)
    assert (bad.values.tolist(), bad.summary) == ([1.0, 0.0, 1.0], 0.0)


@pytest.mark.soak
def test_a_hostile_text_takes_no_longer_than_a_long_letter() -> None:
    hostile = "ab " * 20_000 + "x " * 20_000
    started = time.process_time()
    outcome(LETTER * 500)
    plain = time.process_time() - started
    started = time.process_time()
    outcome(hostile)
    assert time.process_time() - started < 20 * plain + 1


@pytest.mark.replication
def test_none_of_the_released_letters_is_flagged() -> None:
    path = RELEASED / "letters" / "clg_letters.csv"
    if not path.exists():
        pytest.skip(f"the released letters are not at {path}")
    with path.open(encoding="utf-8", newline="") as stream:
        texts = [row["chatgpt_gen"].replace("<return>", "\n") for row in csv.DictReader(stream)]
    assert [outcome(text).words for text in texts] == ["success"] * 120
