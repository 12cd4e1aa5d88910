"""Judging by a model from the window: the plans and models' sessions there are, and the job that judges."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.errors import AppError
from core.jobs import JobContext
from desktop.operations.base import Operation
from desktop.operations.generating import mark
from desktop.operations.generating_queue import Ticket, lane
from desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from core.backends.protocol import Parameter
    from core.project.project import Project
    from core.runs.judge import JudgeResult
    from desktop.jobs import JobHandle, JobRunner

JUDGING = "model-judging"  # what its job is found again by
STUDY = "creativity"


@dataclass(frozen=True)
class PlanLine:
    """A plan that can be judged."""

    id: str
    title: str
    axis: str


@dataclass(frozen=True)
class PastJudge:
    """A model's session with a plan; nothing of people's sessions is ever read for one."""

    plan: str
    result: "JudgeResult"


@dataclass(frozen=True)
class JudgingFacts:
    """What a project has to judge, and what models judged of it; the latest first."""

    plans: tuple[PlanLine, ...] = ()
    past: tuple[PastJudge, ...] = ()


@dataclass(frozen=True)
class JudgeRequest:
    """What is judged, by what. `parameters`: pairs of name and value, as in a run's request."""

    plans: tuple[str, ...]
    backend: str
    model: str
    seed: int
    parameters: "tuple[tuple[str, Parameter], ...]" = ()


def read_judging(ctx: JobContext, project: "Project") -> JudgingFacts:
    """The plans of the creativity study, and how models' sessions with them stand."""
    from core.runs.judge import ModelSession, judge_result

    study = project.studies.of_kind(STUDY)
    plans = {row.id: row for row in project.judging.plans() if study is not None and row.study_id == study.id}
    raters = {row.id: row for row in project.judging.raters() if row.kind == "model"}
    past = []
    for session in reversed(project.judging.sessions()):
        ctx.check()
        rater = raters.get(session.rater_id)
        if rater is not None and session.plan_id in plans:
            seed = int(rater.background.get("seed", 0))
            stored = ModelSession(project, session.plan_id, rater, session, seed)
            past.append(PastJudge(plans[session.plan_id].title, judge_result(stored)))
    return JudgingFacts(tuple(PlanLine(row.id, row.title, row.axis) for row in plans.values()), tuple(past))


def start_judging(
    jobs: "JobRunner",
    project: "Project",
    request: JudgeRequest,
    *,
    on_done: "Callable[[list[JudgeResult]], object] | None" = None,
    on_error: Callable[[AppError], object] | None = None,
) -> "JobHandle":
    """Judge in a job that `generating.running` finds; it waits while a run is written, for there is one model."""
    ticket = Ticket(0, request.seed, 1, hash(request))
    operation = _judging(project, request, ticket)
    lane().join(ticket)
    handle = operation.start(jobs, on_done=on_done, on_error=on_error)
    ticket.paused = lambda: handle.context.paused
    mark(handle, JUDGING, project)
    return handle


def _judging(project: "Project", request: JudgeRequest, ticket: Ticket) -> "Operation[list[JudgeResult]]":
    def work(ctx: JobContext) -> "list[JudgeResult]":
        from core.compute import models
        from core.machine.keys import session_keys
        from core.runs.judge import judge, refuse_what_cannot_judge
        from core.runs.setup import generator_spec

        with lane().turn(ticket, ctx):
            refuse_what_cannot_judge(request.backend)
            keys, given = session_keys(), dict(request.parameters)
            spec = generator_spec(request.backend, request.model, given, models(), ctx=ctx, keys=keys)
            return [
                judge(ctx, project, plan, spec, models(), keys, seed=request.seed, opens=request.model)
                for plan in request.plans
            ]

    return Operation(tr("Judging: {model}").format(model=request.model or request.backend), work, told)


def told(results: "Sequence[JudgeResult]") -> str:
    """What came back, in words: replies, what no choice could be read from, and how often the order decided."""
    read = Counter[str]()
    for one in results:
        read.update(one.read)
    said = tr("{given} of {wanted}.").format(
        given=f"{read.total():,}",
        wanted=plural(sum(one.wanted for one in results), "1 reply is there", "%n replies are there"),
    )
    return " ".join(part for part in (said, unread(read), flips(results)) if part)


def unread(read: "Counter[str]") -> str:
    """The replies that tell nothing; empty where there are none."""
    parts = [
        plural(count, one, many)
        for count, one, many in (
            (read["refused"], "1 is a refusal", "%n are refusals"),
            (read["unreadable"], "1 cannot be read", "%n cannot be read"),
            (read["failed"], "1 failed", "%n failed"),
        )
        if count
    ]
    return f"{', '.join(parts)}." if parts else ""


def flips(results: "Sequence[JudgeResult]") -> str:
    """In how many comparisons the order of the cards decided."""
    compared = sum(one.compared for one in results)
    if not compared:
        return tr("No comparison has a choice in every order of its cards.")
    return tr("The choice turned with the order of the cards in {flips} of {compared}.").format(
        flips=f"{sum(one.flips for one in results):,}", compared=plural(compared, "1 comparison", "%n comparisons")
    )
