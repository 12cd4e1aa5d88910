"""Input of a study's report, and its content: pages of blocks, before they are written in a format."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from biasprint.core.draw.figure import Figure
from biasprint.core.findings import Finding
from biasprint.core.report.blocks import Block, Heading, NewPage, ReportFigure, said
from biasprint.core.report.planned import StudyPlan, planned_json
from biasprint.core.report.questions import Answered, answered, evidence


@dataclass(frozen=True)
class AskedSet:
    """A prompt set that was answered: `n` prompts, and their patterns, each with how many prompts have it."""

    name: str
    version: int
    n: int
    sha256: str
    patterns: Mapping[str, int]


@dataclass(frozen=True)
class Audited:
    """Input of a report.

    `texts`: what a study's texts are called, such as “Reference letters”. `generators`: as a recipe has them.
    `measured_at`: when, in words. `stale`: why the findings are not of the present texts, or empty. `origin`: the
    project's or the table's name. `title`: the report's, where it has one of its own. The recipe says how many `rows`
    were read, and how many of them were `left_out`, by reason. `whole`: with the page of all findings. `plan`: the
    analysis plan of the study, where one was locked.
    """

    study: str
    texts: str
    findings: tuple[Finding, ...]
    recipe: Mapping[str, Any]
    origin: str = ""
    measured_at: str = ""
    stale: str = ""
    generators: tuple[Mapping[str, Any], ...] = ()
    asked: tuple[AskedSet, ...] = ()
    title: str = ""
    whole: bool = True
    plan: StudyPlan | None = None

    @cached_property
    def questions(self) -> tuple[Answered, ...]:
        in_order = sorted(self.findings, key=lambda finding: (finding.id, finding.variant == "as_published"))
        return tuple(answered(self.study, in_order))


@dataclass(frozen=True)
class AuditPage:
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class AuditReport:
    """The pages in their order: the first, one for each question, all findings, how it was measured."""

    title: str
    about: str
    pages: tuple[AuditPage, ...]

    @property
    def figures(self) -> list[Figure]:
        return [block.figure for page in self.pages for block in page.blocks if isinstance(block, ReportFigure)]

    def blocks(self) -> Iterator[Block]:
        """All of it, one page after the other."""
        yield Heading(self.title, 0)
        yield said(self.about, soft=True)
        for number, page in enumerate(self.pages):
            if number:
                yield NewPage()
                yield Heading(page.title)
            yield from page.blocks


# ---- The first page as JSON

FEW = 30  # of what a finding counts: below it an interval is wide whatever is found


def answer_json(audited: Audited) -> dict[str, Any]:
    """Return who was audited, what was asked, and each question with its answer and what the answer rests on.

    Where an analysis plan was locked, also what was planned, and the findings with what was planned of each.
    """
    plan = planned_json(audited.plan, audited.findings, audited.recipe) if audited.plan else {}
    return plan | {
        "audited": {
            "generators": [dict(generator) for generator in audited.generators],
            "asked": list(_asked(audited)),
        },
        "questions": list(_questions(audited)),
        "without_number": sum(finding.estimate is None for finding in audited.findings),
    }


def _asked(audited: Audited) -> Iterator[dict[str, Any]]:
    for prompt_set in audited.asked:
        yield {
            "name": prompt_set.name,
            "version": prompt_set.version,
            "prompts": prompt_set.n,
            "sha256": prompt_set.sha256,
        }


def _questions(audited: Audited) -> Iterator[dict[str, Any]]:
    for question in audited.questions:
        support = evidence(audited.study, question)
        yield {
            "question": question.question, "answer": question.answer, "findings": len(question.findings),
            "leading": len(support.leads), "tested": len(support.tested), "shown": len(support.shown),
            "few": sum(lead.n < FEW for lead in support.leads),
            "smallest_n": min((lead.n for lead in support.leads), default=None),
        }  # fmt: skip
