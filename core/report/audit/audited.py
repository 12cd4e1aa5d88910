"""Input of a study's report, and its content: pages of blocks, before they are written in a format.

Findings in three to five sentences, for somebody who reads no further.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from biasprint.core.draw import digits
from biasprint.core.draw.figure import Figure
from biasprint.core.findings import Finding
from biasprint.core.report.blocks import Block, Heading, NewPage, ReportFigure, ReportParagraph, Run, said
from biasprint.core.report.evidence import Evidence, harm_here, holds_in, holds_under, question_of
from biasprint.core.report.in_words import told
from biasprint.core.report.planned import StudyPlan, planned_json
from biasprint.core.report.questions import Answered, answered, evidence

MOST_TOLD = 2  # questions with a clear yes that are told with their numbers; the others are named
READING = (
    "Yes means: without a real difference, chance alone would give one this large in at most 5 of 100 such audits, "
    "allowing for the number of tests (p at most 0.05). In small type below an answer: the interval, in which the true "
    "value lies with the confidence that is stated, and n, how many items the number rests on."
)

Asked = tuple[str, Evidence]


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


def in_short(audited: Audited, questions_asked: Sequence[Asked]) -> Iterator[Block]:
    """The count of answers, the clearest ones with their numbers, and what was looked for and not shown."""
    yes = [asked for asked in questions_asked if asked[1].shown]
    no = [asked for asked in questions_asked if asked[1].tested and not asked[1].shown]
    yield ReportParagraph((Run(_counted(audited, questions_asked, yes, no), bold=True),))
    if yes or no:
        yield said(READING, soft=True)
    for ask, each in yes[:MOST_TOLD]:
        answer = told(audited.study, each, each.tested, most=1, meaning=partial(_meaning, audited.study))
        yield _bullet(ask, answer.words)
        yield said(answer.figures, soft=True)
    if others := yes[MOST_TOLD:]:
        yield _bullet("Also yes:", " ".join(_with_reach(ask, each.shown) for ask, each in others))
    if no:
        ask, each = no[0]
        answer = told(audited.study, each, each.tested, most=1)
        open_still = "" if each.alike else "This does not prove that there is no difference."
        yield _bullet(ask, f"{answer.words} {open_still}".rstrip())
        yield said(answer.figures, soft=True)
    if no[1:]:
        yield _bullet("Not shown either:", " ".join(ask for ask, _ in no[1:]))
    if untested := [ask for ask, each in questions_asked if not each.tested]:
        yield _bullet("Measured without a test:", " ".join(untested))


def _with_reach(ask: str, shown: Sequence[Finding]) -> str:
    return " ".join(filter(None, (ask, holds_in(shown), holds_under(shown))))


def most_telling(questions_asked: Sequence[Asked]) -> Asked:
    """The first question, in the study's order, whose answer is yes; the first of all where none is."""
    return next((asked for asked in questions_asked if asked[1].shown), questions_asked[0])


def _counted(audited: Audited, questions_asked: Sequence[Asked], yes: Sequence[Asked], no: Sequence[Asked]) -> str:
    other = len(questions_asked) - len(yes) - len(no)
    parts = [
        f"Yes: {_some(len(yes))}",
        f"not shown: {_some(len(no))}",
        *([f"without a test: {digits.count(other)}"] if other else []),
    ]
    asked = f"{_so_many_questions(len(questions_asked))} about {audited.texts.lower()}"
    return f"{asked}. {'; '.join(parts)}."


def _some(n: int) -> str:
    return digits.count(n) if n else "none"


def _so_many_questions(n: int) -> str:
    return "1 question" if n == 1 else f"{digits.count(n)} questions"


def _bullet(first: str, rest: str) -> ReportParagraph:
    return ReportParagraph((Run(first, bold=True), Run(f" {rest}")), bullet=True, small=True)


def _meaning(study: str, finding: Finding) -> str:
    """Whom it harms, where it does; else how its question's numbers are read."""
    return harm_here(finding) if finding.harm else question_of(study, finding).meaning
