"""Comparisons that people judged differently, and what an adjudicator decides of each.

An adjudication is an annotation beside the judgments. It changes none of them: shares and agreement go on counting what
every rater said.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

from biasprint.core.errors import UsageError
from biasprint.core.judging.plan import CHECK, PlanKind, PlanSettings
from biasprint.core.judging.workshop import in_steps
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import (
    AnnotationRow,
    ComparisonRow,
    Degree,
    JudgmentRow,
    Outcome,
    PlanRow,
    SessionRow,
    Span,
)
from biasprint.core.project.specs import AnnotationSpec
from biasprint.core.text import sha256_text

KIND = "adjudication"
Decided = Literal["choice", "tie", "none", "withdrawn"]
COUNTED = ("choice", "tie", "none")  # a skip is no opinion on the texts
FEWEST_OF_WORKSHOP = 5  # people; of fewer, an answer would soon be known to be somebody's


@dataclass(frozen=True)
class Adjudication:
    """The decision on a comparison. `chosen`: an item index, with outcome "choice" alone."""

    id: str
    comparison_id: str
    outcome: Decided
    chosen: int | None
    note: str
    created_at: str


@dataclass(frozen=True)
class RaterJudgment:
    """One person's answer to a comparison. Of a workshop's participants nothing but the answer is shown."""

    rater: str
    outcome: Outcome
    chosen: int | None
    note: str
    active_seconds: float
    degree: Degree | None = None
    confidence: int | None = None
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True)
class Disagreement:
    """A comparison on which the revealed sessions of people differ.

    `order`: item indexes as they are shown here, letters A, B, C: drawn from the comparison's id, so that no identity
    has a place of its own.
    """

    comparison: ComparisonRow
    plan_title: str
    kind: PlanKind
    workshop: bool
    judgments: tuple[RaterJudgment, ...]
    order: tuple[int, ...]
    adjudication: Adjudication | None

    @property
    def split(self) -> float:
        """The share of pairs of raters that differ, 0 to 1: one less Fleiss' P of this comparison (Fleiss 1971)."""
        return split(Counter((judgment.outcome, judgment.chosen) for judgment in self.judgments).values())

    def marked(self, item: int) -> tuple[tuple[int, int, int], ...]:
        """Return the parts of an item's text that raters marked as reasons: start, end, and how many of them did."""
        own = [(start, end) for judgment in self.judgments for its, start, end in judgment.spans if its == item]
        edges = sorted({place for span in own for place in span})
        counted = [(a, b, sum(start <= a and b <= end for start, end in own)) for a, b in pairwise(edges)]
        return tuple(part for part in counted if part[2])


def split(counts: "Sequence[int] | Any") -> float:
    """Return the share of pairs that differ, 1 − Σ n(n − 1) / (N(N − 1)) over the counts n of equal judgments, N of
    them in all; 0 below two judgments.
    """
    counts = tuple(counts)
    total = sum(counts)
    return 1 - sum(n * (n - 1) for n in counts) / (total * (total - 1)) if total > 1 else 0.0


def neutral_order(comparison_id: str, items: int) -> tuple[int, ...]:
    """Return the items' indexes in an order that depends on the comparison's id alone."""
    return tuple(sorted(range(items), key=lambda index: sha256_text(f"{comparison_id}/{index}")))


def disagreements(project: Project) -> tuple[Disagreement, ...]:
    """Return the disagreements: the most split first, then those with more raters, then in the plans' order.

    Of people alone, and of sessions that were revealed; of a workshop in steps of five people (core.judging.workshop),
    where five or more of them judged a comparison. A hidden repeat belongs to self-consistency and is not here.
    """
    decided = adjudicated(project)
    splits = [disagreement for plan in project.judging.plans() for disagreement in _of_plan(project, plan, decided)]
    splits.sort(key=lambda disagreement: (-disagreement.split, -len(disagreement.judgments)))
    return tuple(splits)


def adjudicated(project: Project) -> Mapping[str, Adjudication]:
    """Return decisions by comparison id. Of several that nothing supersedes the latest counts."""
    decisions = {decision.comparison_id: decision for decision in map(_adjudication, project.annotations.of_kind(KIND))}
    return {key: decision for key, decision in decisions.items() if decision.outcome != "withdrawn"}


def adjudicate(
    project: Project, comparison: ComparisonRow, outcome: Decided, chosen: int | None = None, note: str = ""
) -> Changes:
    """Keep a decision in place of the one before, which stays in the file; "withdrawn" takes it back.

    `chosen` is an item index of the comparison. Raises UsageError where outcome and choice do not fit.
    """
    if outcome not in (*COUNTED, "withdrawn"):
        raise UsageError(f"“{outcome}” is no outcome of an adjudication.")
    if (outcome == "choice") != (chosen is not None) or chosen not in (None, *range(len(comparison.items))):
        raise UsageError("A choice names one of the comparison's texts, and only a choice does.")
    before = project.annotations.of_kind(KIND, target=comparison.id)
    value = {"outcome": outcome, "chosen": chosen, "note": note}
    supersedes = before[-1].id if before else None
    return project.annotations.add(AnnotationSpec(kind=KIND, target=comparison.id, value=value, supersedes=supersedes))


def _of_plan(project: Project, plan: PlanRow, decided: Mapping[str, Adjudication]) -> Iterator[Disagreement]:
    settings = PlanSettings.of(plan.settings)
    answers: dict[str, list[RaterJudgment]] = defaultdict(list)
    for session, code in _counting(project, plan):
        for row in project.judging.judgments(session.id):
            if row.outcome in COUNTED:
                answers[row.comparison_id].append(_rater_judgment(row, code, secret=settings.workshop))
    fewest = FEWEST_OF_WORKSHOP if settings.workshop else 2
    split_ones = {
        key for key, rows in answers.items() if len(rows) >= fewest and len({(r.outcome, r.chosen) for r in rows}) > 1
    }
    for comparison in project.judging.each_comparison(plan.id) if split_ones else ():
        if comparison.id in split_ones and comparison.repeat_of is None and comparison.axis != CHECK:
            judgments = tuple(sorted(answers[comparison.id], key=_place))
            order = neutral_order(comparison.id, len(comparison.items))
            yield Disagreement(
                comparison, plan.title, settings.kind, settings.workshop, judgments, order, decided.get(comparison.id)
            )


def _counting(project: Project, plan: PlanRow) -> Iterator[tuple[SessionRow, str]]:
    """Yield the revealed sessions of people with this plan, each with its rater's code; of a workshop in steps
    of five.
    """
    people = {rater.id: rater.code for rater in project.judging.raters() if rater.kind == "person"}
    revealed = [row for row in project.judging.sessions() if row.plan_id == plan.id and row.revealed_at is not None]
    for session in in_steps(project, [row for row in revealed if row.rater_id in people]):
        yield session, people[session.rater_id]


def _rater_judgment(row: JudgmentRow, rater: str, *, secret: bool) -> RaterJudgment:
    if secret:
        return RaterJudgment("", row.outcome, row.chosen, "", 0.0)
    said = (row.degree, row.confidence, row.spans)
    return RaterJudgment(rater, row.outcome, row.chosen, row.note, row.active_seconds, *said)


def _place(judgment: RaterJudgment) -> tuple[str, str, int]:
    """Return a sort key: the code, or without codes the answer, so that not even the order tells who said it."""
    return (judgment.rater, judgment.outcome, -1 if judgment.chosen is None else judgment.chosen)


def _adjudication(row: AnnotationRow) -> Adjudication:
    value = row.value
    return Adjudication(row.id, row.target, value["outcome"], value["chosen"], str(value["note"]), row.created_at)
