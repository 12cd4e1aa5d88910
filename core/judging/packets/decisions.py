"""The state of a project's packets, the conflicts between copies that came back, and what the coordinator decides."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from biasprint.core.errors import UsageError
from biasprint.core.judging.plan import plan_names, workshops_among
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.rows import UNSEALED, JudgmentRow, PacketRow, SessionRow
from biasprint.core.project.specs import AnnotationSpec
from biasprint.core.project.stores.chain import KEY
from biasprint.core.project.stores.judging import (
    DECISION,
    Place,
    contested,
    decision_for,
    decision_target,
    equal_answers,
    place_of,
)

# ---- The state of packets

# In the order of a packet's life.
State = Literal["away", "partly", "finished", "counted"]


@dataclass(frozen=True)
class PacketState:
    """A rater's packets of one plan: one, or one for each round, the last of which has the state. `answered` and
    `skipped` are of what came back, without undecided conflicts.

    `state`: away (nothing came back), partly (an unfinished file did), finished, or counted (ended by the coordinator).
    `unsealed`: a file was let in by a decision although nothing shows that its answers are as they were given.
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
    unsealed: bool


def packets(project: Project) -> tuple[PacketState, ...]:
    """Return every packet, one for each rater and plan, in the order in which they were made. Those of workshops are
    omitted.
    """
    by_place: dict[tuple[str, str], list[PacketRow]] = {}
    workshops = workshops_among(project.judging.plans())
    for row in (packet for packet in project.packets.all() if packet.plan_id not in workshops):
        by_place.setdefault((row.plan_id, row.rater_id), []).append(row)
    raters = {row.id: row.code for row in project.judging.raters()}
    titles = plan_names(project, project.judging.plans())
    sessions = {(row.plan_id, row.rater_id): row for row in project.judging.sessions()}
    made = {row.id: row for row in project.packets.all() if row.direction == "made"}
    packet_states = []
    for place, rows in by_place.items():
        session = sessions[place]
        judgments = project.judging.judgments(session.id)
        of_round: dict[int, list[PacketRow]] = {}
        for row in rows:
            of_round.setdefault(int(row.manifest.get("round", 1)), []).append(row)
        latest = of_round[max(of_round)]
        came = project.judging.judgment_count(session.id) if len(of_round) == 1 else 0
        packet_states.append(
            PacketState(
                code=raters[session.rater_id],
                plan_id=session.plan_id,
                plan_title=titles[session.plan_id],
                session_id=session.id,
                made_at=session.opened_at,
                comparisons=sum(max(int(row.manifest.get("comparisons", 0)) for row in of) for of in of_round.values()),
                answered=sum(row.outcome in ("choice", "tie", "none") for row in judgments),
                skipped=sum(row.outcome == "skip" for row in judgments),
                state=_state(latest, came, session.revealed_at is not None and len(of_round) == 1),
                unsealed=any(is_unsealed(row, made) for row in rows),
            )
        )
    return tuple(sorted(packet_states, key=lambda packet: (packet.made_at, packet.plan_id, packet.code)))


def is_unsealed(row: PacketRow, made: Mapping[str, PacketRow]) -> bool:
    """Return whether a file was merged although nothing shows that its answers are as they were given.

    Where an earlier version merged it without asking, the packet that it names tells: it was not made here, or signs
    nothing.
    """
    named = made.get(row.manifest.get("packet", ""))
    unasked = "packet" in row.manifest and (named is None or KEY not in named.manifest)
    return row.direction == "merged" and (UNSEALED in row.manifest or unasked)


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
    """Return all conflicts of the project or of one session, decided ones too, by rater and comparison.

    Of a workshop none is listed: it would be one person's answers. `seats_to_decide` counts them.
    """
    workshops = workshops_among(project.judging.plans())
    sessions = [row for row in project.judging.sessions() if row.plan_id not in workshops]
    return _conflicts(project, [row for row in sessions if session_id in (None, row.id)])


def _conflicts(project: Project, sessions: Iterable[SessionRow]) -> tuple[Conflict, ...]:
    raters = {row.id: row.code for row in project.judging.raters()}
    merged = project.judging.merged_sessions()
    result = []
    for session in sessions:
        if session.id in merged:
            several = contested(project.judging.heads(session.id))
            decisions = project.judging.decisions(several)
            for place, heads in several.items():
                if not equal_answers(heads):
                    decision = decision_for(heads, decisions.get(decision_target(place), ()))
                    decided = None if decision is None else decision.value["judgment"]
                    result.append(
                        Conflict(*place, raters[session.rater_id], tuple(heads), decided, open=decision is None)
                    )
    return tuple(sorted(result, key=lambda conflict: (conflict.code, conflict.session_id, conflict.comparison_id)))


def open_conflicts(project: Project) -> tuple[Conflict, ...]:
    """Return the conflicts that wait for a decision."""
    return tuple(conflict for conflict in conflicts(project) if conflict.open)


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


# ---- Seats of a workshop: a conflict would be one person's answers, so only their number is told
#
# A seat that was settled before is decided by what was there first (`keep_settled`): it may be in a picture that people
# have seen, and another answer of one person would be the difference to the next. Where two copies come at once, the
# group of five that the seat belongs to waits until whoever leads decides.

WhichCopy = Literal["first", "last"]


@dataclass(frozen=True)
class SeatsToDecide:
    """The seats of one workshop that came back in copies that differ, and the answers in which they do."""

    plan_id: str
    title: str
    seats: int
    answers: int


def seats_to_decide(project: Project) -> tuple[SeatsToDecide, ...]:
    """Return the workshops with seats that wait for a decision."""
    to_decide = []
    for plan in project.judging.plans():
        waiting = _open_in(project, plan.id) if plan.id in workshops_among([plan]) else ()
        if waiting:
            seats = len({conflict.session_id for conflict in waiting})
            to_decide.append(SeatsToDecide(plan.id, plan.title, seats, len(waiting)))
    return tuple(to_decide)


def decide_seats(project: Project, plan_id: str, which: WhichCopy) -> int:
    """Decide every open conflict of a workshop's seats for the first answer, or the last; return how many.

    Raises UsageError for a plan that is no workshop's.
    """
    if plan_id not in workshops_among(project.judging.plans()):
        raise UsageError("This plan is no workshop’s.", hint="Decide its conflicts one by one.")
    waiting = _open_in(project, plan_id)
    for conflict in waiting:
        decide(project, conflict, conflict.heads[0 if which == "first" else -1].id)
    return len(waiting)


def seats_in_conflict(project: Project) -> frozenset[str]:
    """Return the sessions of workshops in which an answer waits for a decision."""
    workshops = workshops_among(project.judging.plans())
    return frozenset(conflict.session_id for plan in workshops for conflict in _open_in(project, plan))


def settled_answers(project: Project) -> dict[Place, str]:
    """Return the answers of finished seats without open conflicts, by session and comparison."""
    merged, waiting = project.judging.merged_sessions(), seats_in_conflict(project)
    workshops = workshops_among(project.judging.plans())
    settled = [
        row.id
        for row in project.judging.sessions()
        if row.plan_id in workshops and row.id in merged - waiting and row.revealed_at is not None
    ]
    return {place_of(row): row.id for key in settled for row in project.judging.judgments(key) if not row.unsealed}


def keep_settled(project: Project, settled: Mapping[Place, str]) -> int:
    """Let what was settled count where other answers came since; how many seats that concerns."""
    seats = set()
    for plan in workshops_among(project.judging.plans()):
        for conflict in _open_in(project, plan):
            before = settled.get((conflict.session_id, conflict.comparison_id))
            if before in [row.id for row in conflict.heads]:
                decide(project, conflict, before)
                seats.add(conflict.session_id)
    return len(seats)


def _open_in(project: Project, plan_id: str) -> tuple[Conflict, ...]:
    rows = [row for row in project.judging.sessions() if row.plan_id == plan_id]
    return tuple(conflict for conflict in _conflicts(project, rows) if conflict.open)


# ---- A packet that nobody finished


def count_unfinished(project: Project, session_id: str) -> Changes:
    """End a packet's session although it did not come back finished: what came counts from now on.

    Raises UsageError for a session that is not rated in a packet.
    """
    if not project.judging.is_packet_session(session_id):
        raise UsageError("This session is not rated in a packet.", hint="Choose a packet.")
    return project.judging.reveal(session_id)
