"""Judgments as rows of an export: those in force, or with `superseded` every row that was ever made."""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from core.judging.adjudication import Adjudication, adjudicated
from core.judging.plan import PlanSettings
from core.project.project import Project
from core.project.rows import ComparisonRow, JudgmentRow, RaterRow, SessionRow
from core.runs.values import compared_texts, written_by

SHOWN_SEPARATOR = "|"
JUDGMENT = (
    "comparison", "rater", "axis", "task", "theme", "shown", "outcome", "chosen", "repeat_of", "seconds", "note",
    "sequence", "model", "temperature",
)  # fmt: skip
JUDGMENT_END = (
    "rater_kind",
    "read_as",
    "superseded",
    "card",
    "judged_at",
    "adjudicated",
)  # since models judge; packets

Row = Mapping[str, Any]


def judgment_rows(project: Project, studies: Iterable[int], *, superseded: bool = False) -> Iterator[Row]:
    """The judgments of revealed sessions, session by session.

    `sequence` counts the exported rows of a session from 1, in the order in which they were made: where they came in
    packets, in the order within the packet, so that the order of merging is not in it. `superseded` is 1 for a row
    that does not count: a later one took its place, it was taken back, or it waits for the coordinator's decision. A
    participant of a workshop is a number that is drawn anew for each export, without the time of any answer.
    """
    wanted = set(studies)
    plans = {plan.id: plan for plan in project.judging.plans() if plan.study_id in wanted}
    workshops = {key for key, plan in plans.items() if PlanSettings.of(plan.settings).workshop}
    revealed = [row for row in project.judging.sessions() if row.revealed_at is not None and row.plan_id in plans]
    comparisons = {
        row.id: row for plan in {session.plan_id for session in revealed} for row in project.judging.comparisons(plan)
    }
    raters = {rater.id: rater for rater in project.judging.raters()}
    numbers = _numbers([row for row in revealed if row.plan_id in workshops], raters)
    wrote = written_by(project) if revealed else {}
    decided = adjudicated(project) if revealed else {}
    for session in sorted(revealed, key=lambda row: numbers.get(row.id, 0)):
        rater = raters[session.rater_id]
        for number, (row, counts) in enumerate(_made(project, session, superseded), start=1):
            comparison = comparisons[row.comparison_id]
            model, heat = compared_texts(comparison, wrote)
            hidden = session.plan_id in workshops
            yield {
                **_said(row, comparison),
                "rater": str(numbers[session.id]) if hidden else rater.code,
                "sequence": number,
                "model": model,
                "temperature": heat,
                "rater_kind": rater.kind,
                "read_as": row.detail.get("read", ""),
                "superseded": int(not counts),  # a number is the same in every format
                "judged_at": "" if hidden else row.created_at,
                "adjudicated": _adjudicated(decided.get(row.comparison_id), comparison),
            }


def _made(project: Project, session: SessionRow, superseded: bool) -> Iterator[tuple[JudgmentRow, bool]]:
    """The rows in the order in which they were made, and whether each counts."""
    in_force = [row for row in project.judging.judgments(session.id) if row.outcome != "undone"]
    counting = {row.id for row in in_force}
    rows = project.judging.judgments(session.id, superseded=True) if superseded else in_force
    for row in sorted(rows, key=_when):
        yield row, row.id in counting


def _when(row: JudgmentRow) -> tuple[int, str, str]:
    # A row that came in a packet carries its place there; two copies of one packet may have given a place twice.
    return (row.detail.get("sequence", row.sequence), row.created_at, row.id)


def _numbers(sessions: Sequence[SessionRow], raters: Mapping[str, RaterRow]) -> dict[str, int]:
    """Session → a number for its rater, shuffled by the system's own chance; none is anybody's code."""
    codes = {rater.code for rater in raters.values()}
    people = sorted({session.rater_id for session in sessions})
    random.SystemRandom().shuffle(people)
    free = (number for number in range(1, len(people) + len(codes) + 1) if str(number) not in codes)
    number_of = dict(zip(people, free, strict=False))
    return {session.id: number_of[session.rater_id] for session in sessions}


def _adjudicated(decided: Adjudication | None, comparison: ComparisonRow) -> str:
    """The coordinator's own outcome: the identity chosen, tie or none; empty where there is none."""
    if decided is None:
        return ""
    return decided.outcome if decided.chosen is None else comparison.items[decided.chosen].identity


def _said(row: JudgmentRow, comparison: ComparisonRow) -> dict[str, Any]:
    identities = [item.identity for item in comparison.items]
    return {
        "comparison": row.comparison_id,
        "axis": comparison.axis,
        "task": comparison.task,
        "theme": comparison.theme,
        "shown": SHOWN_SEPARATOR.join(identities[index] for index in row.shown),
        "outcome": row.outcome,
        "chosen": "" if row.chosen is None else identities[row.chosen],
        "card": None if row.chosen is None else row.shown.index(row.chosen) + 1,
        "repeat_of": comparison.repeat_of or "",
        "seconds": row.active_seconds,
        "note": row.note,
    }
