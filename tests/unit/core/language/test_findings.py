"""What the sample's findings say, in German: sentences that are put together from many parts have no English left."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from biasprint.core import language
from biasprint.core.project.project import Project
from biasprint.core.report.audit.audited import AskedSet, Audited
from biasprint.core.report.audit.content import audit_report
from biasprint.core.report.blocks import Heading, ReportParagraph, ReportTable, in_language
from biasprint.core.runs.pack.pages import methods, model_card
from biasprint.core.runs.sample import unpack_sample

# Words that stand in many English sentences and in no German one.
ENGLISH = re.compile(
    r"\b(the|of|with|than|that|is|are|were|more|higher|lower|against|each|which|not|from|for|much|those|these|shown|given"
    r"|topic|points|replies|choices|letters|articles|pairs|texts|chosen|nearest|clearly|other|its|by|has|and)\b"
)
QUOTED = re.compile("[“„][^”“]*[”“]")
# Lists of measured words, versions of scorers, formulas, and ids.
NO_SENTENCE = re.compile(
    r"(?<=: )\w+(?:, [\w’'-]+)+|\b\w+(?: \d+ \(\d+\))|\S*[=_]\S*|\w+\.\w[\w.]*|rules \d|lemmas|are words"
)
LETTERS = re.compile("[A-Za-z]{3}")


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> list[Audited]:
    path: Path = tmp_path_factory.mktemp("sample") / "Sample.biasprint"
    unpack_sample(path)
    project = Project.open(path, read_only=True)
    rows = project.findings.all()
    project.close()
    by_study = {row.study: [each for each in rows if each.study == row.study] for row in rows}
    return [
        Audited(study, "Texts", tuple(row.finding for row in own), own[0].recipe) for study, own in by_study.items()
    ]


def of_findings(audited: Audited) -> Iterator[str]:
    for question in audited.questions:
        yield from (question.question, question.answer, question.told.words, question.told.figures)
    for finding in audited.findings:
        yield from (finding.title, finding.harm, finding.reason or "", finding.note)


def of_report(audited: Audited) -> Iterator[str]:
    for block in in_language(audit_report(audited).blocks()):
        if isinstance(block, Heading):
            yield block.text
        elif isinstance(block, ReportParagraph):
            yield "".join(run.text for run in block.runs)
        elif isinstance(block, ReportTable):
            yield from block.header


def left_in_english(german: str) -> list[str]:
    """Return the English words of a text, but for what is in quotation marks, and for formulas."""
    return [] if " = " in german and "/" in german else ENGLISH.findall(NO_SENTENCE.sub("", QUOTED.sub("", german)))


def test_no_sentence_of_the_sample_s_findings_and_reports_is_half_english(studies: list[Audited]) -> None:
    language.choose("de")
    english = {text for audited in studies for text in of_findings(audited) if LETTERS.search(text)}
    said = {*map(language.tr, english), *(text for audited in studies for text in of_report(audited))}
    assert len(said) > 2000
    mixed = [german for german in said if left_in_english(german)]
    assert not mixed, f"{len(mixed)} of {len(said)}, such as {mixed[:5]}"


def test_the_pages_of_an_evidence_pack_are_german(studies: list[Audited]) -> None:
    language.choose("de")
    page, _ = methods(studies)
    card = model_card(studies)
    assert (page.startswith("# Methoden\n"), card.startswith("## Verzerrung\n")) == (True, True)
    lines = [re.sub(r"`[^`]*`|\[@[^]]*\]|\\", "", line) for line in (page + card).splitlines()]
    lines = [line for line in lines if line and "SHA-256" not in line]
    assert len(lines) > 100
    mixed = [line for line in lines if left_in_english(line) or re.search(r"\d\.\d+(–| %|\))", line)]
    assert not mixed, f"{len(mixed)} of {len(lines)}, such as {mixed[:3]}"


def test_measured_words_and_prompts_stay_as_they_are_in_a_german_report(studies: list[Audited]) -> None:
    language.choose("de")
    asked = AskedSet("Mine", 1, 12, "0" * 64, {"Put it in the place of BLANK.": 12})
    said, words = [], set()
    for audited in studies:
        report = audit_report(replace(audited, asked=(asked,)))
        said += [run.text for block in in_language(report.blocks()) for run in getattr(block, "runs", ())]
        words |= {mark.row for figure in report.figures if figure.key == "letters.words" for mark in figure.marks}
    assert said.count("Put it in the place of BLANK.") == len(studies)
    assert {"new", "good"} <= words
    assert {word: language.tr(word) for word in words} == {word: word for word in words}
