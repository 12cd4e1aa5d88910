"""The state of a project's packets, the conflicts between copies that came back, and what the coordinator decides."""

from dataclasses import dataclass
from typing import Literal

from core.errors import UsageError
from core.judging.plan import PlanSettings
from core.judging.plan_names import plan_names
from core.project.changes import Changes
from core.project.project import Project
from core.project.rows import JudgmentRow, PacketRow
from core.project.specs import AnnotationSpec
from core.project.stores.judging import DECISION, contested, decision_for, decision_target, equal_answers

# ---- The state of packets

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
    """Every packet, one for each rater and plan, in the order in which they were made. Of workshops none is told."""
    by_place: dict[tuple[str, str], list[PacketRow]] = {}
    workshops = _workshops(project)
    for row in (one for one in project.packets.all() if one.plan_id not in workshops):
        by_place.setdefault((row.plan_id, row.rater_id), []).append(row)
    raters = {row.id: row.code for row in project.judging.raters()}
    titles = plan_names(project, project.judging.plans())
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


def _workshops(project: Project) -> set[str]:
    return {row.id for row in project.judging.plans() if PlanSettings.of(row.settings).workshop}


def _state(rows: list[PacketRow], came: int, ended: bool) -> State:
    if any(row.direction == "merged" and row.manifest.get("finished") for row in rows):
        return "finished"
    if ended:
        return "counted"
    return "partly" if came else "away"


# ---- Conflicts and decisions


@dataclass(frozen=True)
class Conflict:
    """A comparison to which two copies of one packet hold different answers.

    `heads`: the answers, by time. `open`: not decided yet; else `decided` is the judgment that counts, or None where
    neither does. An answer that comes later opens it again.
    """

    session_id: str
    comparison_id: str
    code: str
    heads: tuple[JudgmentRow, ...]
    decided: str | None
    open: bool


def conflicts(project: Project, session_id: str | None = None) -> tuple[Conflict, ...]:
    """All conflicts of the project or of one session, decided ones too, by rater and comparison.

    Of a workshop none is listed: it would be one person's answers. They stay undecided, and count nowhere.
    """
    workshops = _workshops(project)
    raters = {row.id: row.code for row in project.judging.raters()}
    merged = project.judging.merged_sessions()
    found = []
    for session in project.judging.sessions():
        if session.id in merged and session.plan_id not in workshops and session_id in (None, session.id):
            several = contested(project.judging.heads(session.id))
            decisions = project.judging.decisions(several)
            for place, heads in several.items():
                if not equal_answers(heads):
                    decision = decision_for(heads, decisions.get(decision_target(place), ()))
                    decided = None if decision is None else decision.value["judgment"]
                    found.append(
                        Conflict(*place, raters[session.rater_id], tuple(heads), decided, open=decision is None)
                    )
    return tuple(sorted(found, key=lambda one: (one.code, one.session_id, one.comparison_id)))


def open_conflicts(project: Project) -> tuple[Conflict, ...]:
    """The conflicts that wait for a decision."""
    return tuple(one for one in conflicts(project) if one.open)


def decide(project: Project, conflict: Conflict, judgment_id: str | None) -> Changes:
    """Let one of the answers count, or none of them. Deciding again takes the place of the decision before.

    Raises UsageError for a judgment that is none of the conflict's.
    """
    heads = [row.id for row in conflict.heads]
    if judgment_id is not None and judgment_id not in heads:
        raise UsageError("This answer is none of those that conflict.", hint="Choose one of them, or none.")
    target = decision_target((conflict.session_id, conflict.comparison_id))
    before = project.annotations.of_kind(DECISION, target=target)
    value = {"judgment": judgment_id, "heads": sorted(heads)}
    spec = AnnotationSpec(kind=DECISION, target=target, value=value, supersedes=before[-1].id if before else None)
    return project.annotations.add(spec)


def count_unfinished(project: Project, session_id: str) -> Changes:
    """End a packet's session although it did not come back finished: what came counts from now on.

    Raises UsageError for a session that is not rated in a packet.
    """
    if not project.judging.is_packet_session(session_id):
        raise UsageError("This session is not rated in a packet.", hint="Choose a packet.")
    return project.judging.reveal(session_id)
