"""Findings in three to five sentences, for somebody who reads no further."""

from collections.abc import Iterator, Sequence
from functools import partial

from biasprint.core.draw import digits
from biasprint.core.draw.digits import tr
from biasprint.core.findings import Finding
from biasprint.core.report.audit.audited import Audited
from biasprint.core.report.blocks import Block, ReportParagraph, Run, said
from biasprint.core.report.evidence import Evidence, harm_here, holds_in, holds_under, question_of
from biasprint.core.report.in_words import told

MOST_TOLD = 2  # questions with a clear yes that are told with their numbers; the others are named
READING = (
    "Yes means: without a real difference, chance alone would give one this large in at most 5 of 100 such audits, "
    "allowing for the number of tests (p at most 0.05). In small type below an answer: the interval, in which the true "
    "value lies with the confidence that is stated, and n, how many items the number rests on."
)

Asked = tuple[str, Evidence]


def in_short(audited: Audited, questions_asked: Sequence[Asked]) -> Iterator[Block]:
    """The count of answers, the clearest ones with their numbers, and what was looked for and not shown."""
    yes = [asked for asked in questions_asked if asked[1].shown]
    no = [asked for asked in questions_asked if asked[1].tested and not asked[1].shown]
    yield ReportParagraph((Run(_counted(audited, questions_asked, yes, no), bold=True),))
    if yes or no:
        yield said(tr(READING), soft=True)
    for ask, each in yes[:MOST_TOLD]:
        answer = told(audited.study, each, each.tested, most=1, meaning=partial(_meaning, audited.study))
        yield _bullet(ask, answer.words)
        yield said(answer.figures, soft=True)
    if others := yes[MOST_TOLD:]:
        yield _bullet(tr("Also yes:"), " ".join(_with_reach(ask, each.shown) for ask, each in others))
    if no:
        ask, each = no[0]
        answer = told(audited.study, each, each.tested, most=1)
        open_still = "" if each.alike else tr("This does not prove that there is no difference.")
        yield _bullet(ask, f"{answer.words} {open_still}".rstrip())
        yield said(answer.figures, soft=True)
    if no[1:]:
        yield _bullet(tr("Not shown either:"), " ".join(ask for ask, _ in no[1:]))
    if untested := [ask for ask, each in questions_asked if not each.tested]:
        yield _bullet(tr("Measured without a test:"), " ".join(untested))


def _with_reach(ask: str, shown: Sequence[Finding]) -> str:
    return " ".join(filter(None, (ask, holds_in(shown), holds_under(shown))))


def most_telling(questions_asked: Sequence[Asked]) -> Asked:
    """The first question, in the study's order, whose answer is yes; the first of all where none is."""
    return next((asked for asked in questions_asked if asked[1].shown), questions_asked[0])


def _counted(audited: Audited, questions_asked: Sequence[Asked], yes: Sequence[Asked], no: Sequence[Asked]) -> str:
    other = len(questions_asked) - len(yes) - len(no)
    parts = [
        tr("Yes: {n}").format(n=_some(len(yes))),
        tr("not shown: {n}").format(n=_some(len(no))),
        *([tr("without a test: {n}").format(n=digits.count(other))] if other else []),
    ]
    asked = tr("{questions} about {texts}").format(
        questions=_questions(len(questions_asked)), texts=audited.texts.lower()
    )
    return f"{asked}. {'; '.join(parts)}."


def _some(n: int) -> str:
    return digits.count(n) if n else tr("none")


def _questions(n: int) -> str:
    return tr("1 question") if n == 1 else tr("{n} questions").format(n=digits.count(n))


def _bullet(first: str, rest: str) -> ReportParagraph:
    return ReportParagraph((Run(first, bold=True), Run(f" {rest}")), bullet=True, small=True)


def _meaning(study: str, finding: Finding) -> str:
    """Whom it harms, where it does; else how its question's numbers are read."""
    return harm_here(finding) if finding.harm else tr(question_of(study, finding).meaning)
