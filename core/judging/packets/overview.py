"""How the packets of a project stand: made, partly back, finished, or counted as they are."""

from dataclasses import dataclass
from typing import Literal

from core.project.project import Project
from core.project.rows import PacketRow

# In the order of a packet's life.
State = Literal["away", "partly", "finished", "counted"]


@dataclass(frozen=True)
class PacketState:
    """A rater's packet of one plan. `answered` and `skipped` are of what came back, without undecided conflicts.

    `state`: away (nothing came back), partly (an unfinished file did), finished, or counted (ended by the coordinator).
    """

    code: str
    plan_id: str
    plan_title: str
    session_id: str
    made_at: str
    comparisons: int
    answered: int
    skipped: int
    state: State


def packets(project: Project) -> tuple[PacketState, ...]:
    """Every packet, one for each rater and plan, in the order in which they were made."""
    by_place: dict[tuple[str, str], list[PacketRow]] = {}
    for row in project.packets.all():
        by_place.setdefault((row.plan_id, row.rater_id), []).append(row)
    raters = {row.id: row.code for row in project.judging.raters()}
    titles = {row.id: row.title for row in project.judging.plans()}
    sessions = {(row.plan_id, row.rater_id): row for row in project.judging.sessions()}
    found = []
    for place, rows in by_place.items():
        session = sessions[place]
        said = project.judging.judgments(session.id)
        found.append(
            PacketState(
                code=raters[session.rater_id],
                plan_id=session.plan_id,
                plan_title=titles[session.plan_id],
                session_id=session.id,
                made_at=session.opened_at,
                comparisons=max(int(row.manifest.get("comparisons", 0)) for row in rows),
                answered=sum(row.outcome in ("choice", "tie", "none") for row in said),
                skipped=sum(row.outcome == "skip" for row in said),
                state=_state(rows, project.judging.judgment_count(session.id), session.revealed_at is not None),
            )
        )
    return tuple(sorted(found, key=lambda one: (one.made_at, one.plan_id, one.code)))


def _state(rows: list[PacketRow], came: int, ended: bool) -> State:
    if any(row.direction == "merged" and row.manifest.get("finished") for row in rows):
        return "finished"
    if ended:
        return "counted"
    return "partly" if came else "away"
