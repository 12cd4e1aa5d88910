"""How far raters are: counts and rates, never what was chosen."""

from datetime import datetime

from core.judging.assignment import asked_number
from core.judging.workshop import participants
from core.project.project import Project
from core.project.rows import JudgmentRow, SessionRow
from core.runs.live.values import LiveJudging

WINDOW = 20  # judgments over which the present rate is taken


def judging_now(project: Project) -> tuple[LiveJudging, ...]:
    """Every session, the latest last. Participants of workshops are one row: nobody is told how far each is."""
    raters = {rater.id: rater for rater in project.judging.raters()}
    plans = {plan.id: plan for plan in project.judging.plans()}
    unnamed = participants(project)
    found = []
    together: list[SessionRow] = []
    for session in project.judging.sessions():
        rater = raters[session.rater_id]
        if rater.code in unnamed:
            together.append(session)
        else:
            asked = asked_number(project, plans[session.plan_id], rater)
            found.append(_row(project, rater.code, rater.kind, [session], asked))
    if together:
        planned = sum(project.judging.count(session.plan_id) for session in together)
        found.append(_row(project, f"{len(together)} participants", "person", together, planned))
    return tuple(found)


def _row(project: Project, code: str, kind: str, sessions: list[SessionRow], planned: int) -> LiveJudging:
    judged = sum(project.judging.done_count(session.id) for session in sessions)
    rate = _per_minute(project.judging.latest(sessions[0].id, WINDOW)) if len(sessions) == 1 else None
    return LiveJudging(code, kind, judged, planned, rate, all(session.revealed_at is not None for session in sessions))


def _per_minute(rows: tuple[JudgmentRow, ...]) -> float | None:
    """Comparisons that were judged for the first time, from the first of the latest rows to the last of them.

    A revision takes time and is no further comparison; a model's answers in several orders are one. None for fewer than
    two rows.
    """
    if len(rows) < 2:
        return None
    first, *later = sorted(rows, key=lambda row: datetime.fromisoformat(row.created_at))
    took = datetime.fromisoformat(later[-1].created_at) - datetime.fromisoformat(first.created_at)
    new = {row.comparison_id for row in later if row.supersedes is None} - {first.comparison_id}
    return 60 * len(new) / took.total_seconds() if took.total_seconds() > 0 else None
