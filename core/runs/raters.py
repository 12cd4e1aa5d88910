"""How plans and their raters stand: what the coordinator may know, and no answer of anybody."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from biasprint.core.jobs import JobContext
from biasprint.core.judging.assignment import asked_number
from biasprint.core.judging.plan import PlanKind, PlanSettings
from biasprint.core.judging.plan_names import plan_names
from biasprint.core.project.project import Project
from biasprint.core.project.rows import PlanRow, RaterRow, SessionRow

if TYPE_CHECKING:
    from biasprint.core.judging.packets.decisions import PacketState

Where = Literal["here", "away", "partly", "finished", "counted"]  # this machine, or how the packet stands


@dataclass(frozen=True)
class RaterState:
    """How far a rater is with a plan. `done`: comparisons answered or skipped.

    While a session is open on this machine, `done` is all that is told: `skipped` and `active_seconds` are None.
    """

    code: str
    model: bool
    where: Where
    open: bool
    comparisons: int
    done: int
    skipped: int | None
    active_seconds: float | None
    session_id: str

    @property
    def answered(self) -> int | None:
        return None if self.skipped is None else self.done - self.skipped

    @property
    def left(self) -> int:
        return max(0, self.comparisons - self.done)


@dataclass(frozen=True)
class PlanState:
    """A plan with its raters. Of a workshop `raters` is empty: how many took part is all that anybody learns."""

    id: str
    title: str
    axis: str
    kind: PlanKind
    workshop: bool
    comparisons: int  # hidden repeats among them
    repeats: int
    taking_part: int
    finished: int
    raters: tuple[RaterState, ...]


class RaterStates:
    """Reads them from an open project; what can never change of a plan is read once."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._repeats: dict[str, frozenset[str]] = {}  # by plan
        self._asked: dict[str, int] = {}  # by session
        self._answered: frozenset[str] = frozenset()  # sessions; read anew each time

    def read(self, ctx: JobContext) -> tuple[PlanState, ...]:
        """Every plan, the oldest first."""
        raters = {row.id: row for row in self._project.judging.raters()}
        sessions = self._project.judging.sessions()
        packets = _packets(self._project)
        self._answered = self._project.judging.answered_sessions()
        plans = self._project.judging.plans()
        names = plan_names(self._project, plans)
        return tuple(
            self._plan(ctx, plan, names[plan.id], [one for one in sessions if one.plan_id == plan.id], raters, packets)
            for plan in plans
        )

    def _plan(
        self,
        ctx: JobContext,
        plan: PlanRow,
        name: str,
        sessions: Sequence[SessionRow],
        raters: Mapping[str, RaterRow],
        packets: "Mapping[str, PacketState]",
    ) -> PlanState:
        ctx.check()
        settings = PlanSettings.of(plan.settings)
        # Packets that are made together have one time: their codes tell them apart.
        by_time = sorted(sessions, key=lambda session: (session.opened_at, raters[session.rater_id].code))
        told = [] if settings.workshop else by_time
        return PlanState(
            id=plan.id,
            title=name,
            axis=plan.axis,
            kind=settings.kind,
            workshop=settings.workshop,
            comparisons=self._project.judging.count(plan.id),
            repeats=len(self._repeats_of(plan.id)),
            taking_part=len(sessions),
            finished=sum(one.revealed_at is not None and one.id in self._answered for one in sessions),
            raters=tuple(self._rater(ctx, plan, one, raters[one.rater_id], packets.get(one.id)) for one in told),
        )

    def _rater(
        self, ctx: JobContext, plan: PlanRow, session: SessionRow, rater: RaterRow, packet: "PacketState | None"
    ) -> RaterState:
        ctx.check()
        model, is_open = rater.kind == "model", session.revealed_at is None
        if session.id not in self._asked:
            self._asked[session.id] = asked_number(self._project, plan, rater)
        wanted = self._asked[session.id] if packet is None else packet.comparisons
        rows = [row for row in self._project.judging.judgments(session.id) if row.outcome != "undone"]
        judged = {row.comparison_id for row in rows}
        skipped = len(judged - {row.comparison_id for row in rows if row.outcome != "skip"})
        secret = is_open and not model and packet is None
        return RaterState(
            code=rater.code,
            model=model,
            where="here" if packet is None else packet.state,
            open=is_open,
            comparisons=wanted,
            done=len(judged),
            skipped=None if secret else skipped,
            active_seconds=None if secret else sum(row.active_seconds for row in rows),
            session_id=session.id,
        )

    def _repeats_of(self, plan_id: str) -> frozenset[str]:
        if plan_id not in self._repeats:
            rows = self._project.judging.each_comparison(plan_id)
            self._repeats[plan_id] = frozenset(row.id for row in rows if row.repeat_of is not None)
        return self._repeats[plan_id]


def _packets(project: Project) -> "dict[str, PacketState]":
    """How the packets stand, by session; the last one where a session has several."""
    from biasprint.core.judging.packets.decisions import packets

    return {one.session_id: one for one in packets(project)}
