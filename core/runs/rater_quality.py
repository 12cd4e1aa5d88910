"""The dashboard of raters: how far each is, the time to pay for, hidden checks, agreement, flags, who is left out.

It tells no identity and no answer. Of a session that is open on this machine only the number of answers is told, until
its reveal; people of workshops are not told apart and are not in it, nor are models.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.carefulness import GivenChoice, RaterFlag, WithOthers, flags, with_others
from biasprint.core.judging.exclusion import Exclusion, exclusions
from biasprint.core.judging.known import CheckResult, PracticeResult, check_result, practice_result
from biasprint.core.judging.plan import CHECK
from biasprint.core.judging.workshop import participants
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonRow, JudgmentRow, RaterRow, SessionRow, TextKey
from biasprint.core.runs.raters import RaterState, RaterStates
from biasprint.core.texts.values import text_lengths

SECONDS_AN_HOUR = 3600


@dataclass(frozen=True)
class RaterCard:
    """One person over all plans. `asked`, `done`: comparisons, skipped ones done too; `open`: sessions on this machine
    whose answers are hidden.

    `hours`: active time, the practice round with it, without pauses of more than two minutes; of sessions that are open
    here nothing is in it. `checks`, `agreement` and `flags` rest on revealed sessions alone.
    """

    rater_id: str
    code: str
    asked: int
    done: int
    open: int
    hours: float
    practice: PracticeResult | None
    checks: CheckResult
    agreement: WithOthers
    flags: tuple[RaterFlag, ...]
    exclusion: Exclusion | None = None


@dataclass
class _Own:
    """What one person's revealed sessions hold."""

    given: list[GivenChoice] = field(default_factory=list)
    checks: CheckResult = field(default_factory=lambda: CheckResult(0, 0))
    chosen: dict[str, str] = field(default_factory=dict)  # by comparison, before any look and without repeats


def rater_cards(ctx: JobContext, project: Project) -> tuple[RaterCard, ...]:
    """Everybody who began or has a packet, by code."""
    states: defaultdict[str, list[RaterState]] = defaultdict(list)
    for plan in RaterStates(project).read(ctx):
        for one in plan.raters:
            if not one.model:
                states[one.code].append(one)
    people = {row.code: row for row in project.judging.raters() if row.code in states}
    own, axis_of = _revealed(ctx, project, tuple(people.values()))
    out = exclusions(project)
    # Whoever is left out is no measure for the others, and is measured by them all the same.
    counting = {code: own[code].chosen for code, row in people.items() if row.id not in out}
    cards = []
    for code, row in sorted(people.items()):
        ctx.check()
        agreement = with_others(code, {**counting, code: own[code].chosen}, axis_of)
        cards.append(_card(project, row, states[code], own[code], agreement, out.get(row.id)))
    return tuple(cards)


def person_called(project: Project, code: str) -> RaterRow:
    """The person with this code. Raises UsageError for a model, a workshop's participant, or nobody."""
    found = next((row for row in project.judging.raters() if row.code == code), None)
    if found is None or found.kind != "person" or code in participants(project):
        raise UsageError(
            f"There is no rater “{code}” to decide on.",
            hint="Name a person’s code; models, and the people of workshops, are not left out one by one.",
        )
    return found


def _card(
    project: Project,
    row: RaterRow,
    states: Sequence[RaterState],
    own: _Own,
    agreement: WithOthers,
    exclusion: Exclusion | None,
) -> RaterCard:
    practised = [found for one in states if (found := practice_result(project, one.session_id)) is not None]
    seconds = sum(one.active_seconds or 0.0 for one in states) + sum(one.seconds for one in practised)
    return RaterCard(
        rater_id=row.id,
        code=row.code,
        asked=sum(one.comparisons for one in states),
        done=sum(one.done for one in states),
        open=sum(one.active_seconds is None for one in states),
        hours=seconds / SECONDS_AN_HOUR,
        practice=_together(practised),
        checks=own.checks,
        agreement=agreement,
        flags=flags(own.given, own.checks, agreement),
        exclusion=exclusion,
    )


def _together(practised: Sequence[PracticeResult]) -> PracticeResult | None:
    if not practised:
        return None
    return PracticeResult(
        sum(one.right for one in practised), sum(one.of for one in practised), sum(one.seconds for one in practised)
    )


def _revealed(ctx: JobContext, project: Project, people: Sequence[RaterRow]) -> tuple[dict[str, _Own], dict[str, str]]:
    """What the revealed sessions of these people hold, by code; and the axis of every comparison in them."""
    codes = {row.id: row.code for row in people}
    found = {code: _Own() for code in codes.values()}
    axis_of: dict[str, str] = {}
    sessions: defaultdict[str, list[SessionRow]] = defaultdict(list)
    for session in project.judging.sessions():
        if session.revealed_at is not None and session.rater_id in codes:
            sessions[session.plan_id].append(session)
    for plan_id, its in sessions.items():
        ctx.check()
        rows = {row.id: row for row in project.judging.comparisons(plan_id)}
        words = text_lengths(project, rows.values())
        axis_of |= {row.id: row.axis for row in rows.values()}
        for session in its:
            _add(found[codes[session.rater_id]], rows, words, project.judging.judgments(session.id))
    return found, axis_of


def _add(
    own: _Own, rows: Mapping[str, ComparisonRow], words: Mapping[TextKey, int], said: Sequence[JudgmentRow]
) -> None:
    checks = check_result(rows.values(), said)
    own.checks = CheckResult(own.checks.asked + checks.asked, own.checks.passed + checks.passed)
    for judgment in said:
        row = rows[judgment.comparison_id]
        if judgment.outcome == "undone":
            continue
        one = _given(row, judgment, words)
        own.given.append(one)
        if one.counts and one.identity and not judgment.seen and judgment.recommended is None:
            own.chosen[row.id] = one.identity


def _given(row: ComparisonRow, said: JudgmentRow, words: Mapping[TextKey, int]) -> GivenChoice:
    return GivenChoice(
        comparison=row.id,
        axis=row.axis,
        outcome=said.outcome,
        identity="" if said.chosen is None else row.items[said.chosen].identity,
        place=None if said.chosen is None else said.shown.index(said.chosen),
        cards=len(row.items),
        words=sum(words.get(item.key, 0) for item in row.items),
        seconds=said.active_seconds,
        counts=row.repeat_of is None and row.axis != CHECK,
    )
