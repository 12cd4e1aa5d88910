"""Findings by the question that they answer, with each question's answer in words."""

from collections.abc import Iterable
from dataclasses import dataclass

from biasprint.core.findings import Finding
from biasprint.core.report.evidence import BETWEEN, OTHER, Evidence, deciding, question_of
from biasprint.core.report.in_words import TwoLayers, answer, told
from biasprint.core.studies.kit.declared import StudyQuestion
from biasprint.core.studies.registry import studies


@dataclass(frozen=True)
class Answered:
    """A question with its findings, in the order they came, and the answer.

    `told`: the same answer with its intervals, p and n apart from its words.
    """

    question: str
    answer: str
    told: TwoLayers
    findings: tuple[Finding, ...]


def answered(study: str, findings: Iterable[Finding]) -> list[Answered]:
    """The questions that these findings of one study answer: whether generators differ first, then in the study's
    order; what fits none comes last."""
    groups: dict[StudyQuestion, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(question_of(study, finding), []).append(finding)
    known = studies().get(study)
    order = [BETWEEN, *(known.questions if known else ()), OTHER]
    found = []
    for question in order:
        if own := groups.get(question):
            each = deciding(study, question, own)
            found.append(Answered(question.ask, answer(study, each, own), told(study, each, own), tuple(own)))
    return found


def evidence(study: str, answered_question: Answered) -> Evidence:
    """Return the evidence that decided the answer to a question."""
    return deciding(study, question_of(study, answered_question.findings[0]), answered_question.findings)
