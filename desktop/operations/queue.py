"""The queue of runs, and judging by a model: each is a job of its own, and one at a time may use a model.

A run whose texts are all written, but still being scored, has given up its turn: its job runs beside the next one.
"""

import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.scorers.refusal import REFUSAL
from biasprint.desktop.operations import Operation
from biasprint.desktop.operations.measuring import mark
from biasprint.desktop.operations.runs import WriteRequest, author_words, cut_off, failure_words, without_text
from biasprint.desktop.widgets.words import number, plural, tr

if TYPE_CHECKING:
    from pathlib import Path

    from biasprint.core.backends.protocol import Parameter
    from biasprint.core.project.project import Project
    from biasprint.core.project.specs import GeneratorSpec
    from biasprint.core.runs.generate import GenerateResult
    from biasprint.core.runs.judge import JudgeResult
    from biasprint.desktop.jobs import JobHandle, JobRunner

WRITING = "writing"  # what its jobs are found again by
POLL_SECONDS = 0.1
TITLE = "Generating: {author}"
_numbers = count(1)


@dataclass(eq=False)
class Ticket:
    """A run's place in the queue. It names nothing, because it can be reached while a rater is blind.

    `asked` is a hash of the request. `run_id` is known once the model was opened. `began`: its thread has asked for its
    turn; a run whose thread never starts delays no other. `written`: its turn is over, and its texts are being scored.
    """

    prompt_set_id: int
    seed: int
    samples: int
    asked: int
    run_id: int | None = None
    began: bool = False
    written: bool = False
    paused: Callable[[], bool] = lambda: False
    number: int = field(default_factory=lambda: next(_numbers))


class Lane:
    """The order of runs: the first that waits and is not paused writes next. One paused in writing keeps its turn."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._tickets: list[Ticket] = []  # in order; the one that writes may stand anywhere
        self._writing: Ticket | None = None

    def join(self, ticket: Ticket) -> None:
        with self._changed:
            self._tickets.append(ticket)

    def tickets(self) -> list[Ticket]:
        """Return the ticket that writes, those whose texts are still being scored, then the waiting ones, in order."""
        with self._changed:
            return self._written() + self._waiting()

    def writes(self, ticket: Ticket) -> bool:
        return self._writing is ticket

    def move(self, ticket: Ticket, by: int) -> None:
        """Move a waiting ticket so many places further back, or forward where `by` is negative."""
        with self._changed:
            waiting = self._waiting()
            if ticket not in waiting:
                return
            place = waiting.index(ticket)
            waiting.insert(max(0, place + by), waiting.pop(place))
            self._tickets = self._written() + waiting
            self._changed.notify_all()

    def give_up(self, ticket: Ticket) -> None:
        """End a ticket's turn, as it no longer needs the model: the next one has it, while this one's job goes on."""
        with self._changed:
            ticket.written = True
            if self._writing is ticket:
                self._writing = None
            self._changed.notify_all()

    @contextmanager
    def turn(self, ticket: Ticket, ctx: JobContext) -> Iterator[None]:
        """Wait for the turn and hold it for the block; raises `JobCancelled` if the job is cancelled before."""
        try:
            self._wait(ticket, ctx)
            yield
        finally:
            with self._changed:
                self._tickets.remove(ticket)
                if self._writing is ticket:
                    self._writing = None
                self._changed.notify_all()

    def _wait(self, ticket: Ticket, ctx: JobContext) -> None:
        with self._changed:
            ticket.began = True
            while self._writing is not None or self._next() is not ticket:
                self._changed.wait(POLL_SECONDS)
                if ctx.cancelled:
                    raise JobCancelled
            self._writing = ticket

    def _next(self) -> Ticket | None:
        return next((ticket for ticket in self._waiting() if ticket.began and not ticket.paused()), None)

    def _waiting(self) -> list[Ticket]:
        return [ticket for ticket in self._tickets if ticket is not self._writing and not ticket.written]

    def _written(self) -> list[Ticket]:
        """Return the ticket that writes, and those that have written."""
        first = [self._writing] if self._writing is not None else []
        return first + [ticket for ticket in self._tickets if ticket.written]


_lane = Lane()


def lane() -> Lane:
    """Return the program's one lane: there is one model process."""
    return _lane


@dataclass(frozen=True)
class Entry:
    """A run that is in the queue, or was."""

    ticket: Ticket
    handle: "JobHandle"


def put_in_queue(
    jobs: "JobRunner",
    project: "Project",
    request: WriteRequest,
    *,
    resumes: int | None = None,
    as_it_was: bool = False,
    retry: Collection[str] = (),
    scores: bool = False,
    on_done: "Callable[[GenerateResult], object] | None" = None,
    on_error: Callable[[AppError], object] | None = None,
) -> Entry:
    """Write what is missing of a request, after the runs that wait already. `scores`: score each text as it comes.

    `resumes`: the stored run to continue. If the model is no longer the same, a new run is begun, or, with `as_it_was`,
    an error raised. `retry`: the kinds of failure to request again.
    """
    ticket = Ticket(request.prompt_set_id, request.seed, request.samples, hash(request), resumes)
    operation = _writing(project, request, ticket, resumes, as_it_was, frozenset(retry), scores=scores)
    lane().join(ticket)
    handle = operation.start(jobs, on_done=on_done, on_error=on_error)
    ticket.paused = lambda: handle.context.paused
    handle.setObjectName(f"{WRITING} {ticket.number} {id(project)}")  # names nothing: a rater may be blind
    return Entry(ticket, handle)


def tell_state(entry: Entry) -> None:
    """Show in the list of jobs that a run waits or opens its model. On the window's thread.

    The job itself says nothing before it writes: a report at that point would count into its speed.
    """
    handle, progress = entry.handle, entry.handle.progress
    if not handle.active or (progress is not None and progress.total is not None):
        return
    note = tr("opening the model") if lane().writes(entry.ticket) else tr("waiting for its turn")
    if progress is None or progress.note != note:
        handle.progress = Progress(0, None, None, None, note)
        handle.changed.emit()


def only_scored(handle: "JobHandle") -> bool:
    """Return whether a run is written and only its texts are still being scored."""
    named = handle.objectName().split()[:2]
    return handle.active and any(
        ticket.written and named == [WRITING, str(ticket.number)] for ticket in lane().tickets()
    )


def queued(jobs: "JobRunner", project: "Project | None") -> list[Entry]:
    """Return the runs of a project that are written, scored or wait, in this order, from any panel."""
    handles = {handle.objectName(): handle for handle in jobs.active()} if project is not None else {}
    pairs = ((ticket, handles.get(f"{WRITING} {ticket.number} {id(project)}")) for ticket in lane().tickets())
    return [Entry(ticket, handle) for ticket, handle in pairs if handle is not None]


def generator_words(handle: "JobHandle") -> str:
    """Return the words for the generator in the title of a queued run's job."""
    return handle.title.removeprefix(tr(TITLE).format(author=""))


def _writing(
    project: "Project",
    request: WriteRequest,
    ticket: Ticket,
    resumes: int | None,
    as_it_was: bool,
    retry: frozenset[str],
    *,
    scores: bool,
) -> "Operation[GenerateResult]":
    def work(ctx: JobContext) -> "GenerateResult":
        from biasprint.core import compute
        from biasprint.core.machine.keys import session_keys
        from biasprint.core.runs.generate import generate, start_run
        from biasprint.core.runs.setup import generator_spec

        with lane().turn(ticket, ctx):
            keys = session_keys()
            given = dict(request.parameters)
            spec = generator_spec(request.backend, request.model, given, compute.models(), ctx=ctx, keys=keys)
            if resumes is not None:
                stored = _stored(project, resumes)
                if _is_same(stored, spec):
                    spec = stored
                elif as_it_was:
                    raise _changed(stored.model)
            ticket.run_id = start_run(
                project, prompt_set_id=request.prompt_set_id, generator=spec, seed=request.seed, samples=request.samples
            )
            if retry:
                project.outputs.forget_failures(ticket.run_id, retry)
            return generate(
                ctx, project, ticket.run_id, compute.models(), keys,
                scoring=compute.shared() if scores else None, on_written=lambda: lane().give_up(ticket),
            )  # fmt: skip

    return Operation(tr(TITLE).format(author=author_words(request)), work, _written)


def _stored(project: "Project", run_id: int) -> "GeneratorSpec":
    from biasprint.core.project.specs import GeneratorSpec

    row = project.runs.generators()[project.runs.get(run_id).generator_id]
    return GeneratorSpec(backend=row.backend, model=row.model, parameters=dict(row.parameters), revision=row.revision)


def _is_same(stored: "GeneratorSpec", opened: "GeneratorSpec") -> bool:
    """Return whether the texts may go into one run. An endpoint gives a revision only once it has written, if ever."""
    unknown = "" in (stored.revision, opened.revision)
    return (unknown or stored.revision == opened.revision) and stored == opened.model_copy(
        update={"revision": stored.revision}
    )


def _changed(model: str) -> AppError:
    """Return the error that the model has changed: its texts must not go into a run under the old model's name."""
    return AppError(
        tr("“{model}” is no longer what it was when the run was begun.").format(model=model),
        kept=tr("The texts of the run are kept as they are."),
        hint=tr("Start a new run with it, or bring back the model as it was."),
    )


def _written(result: "GenerateResult") -> str:
    words = tr("{done} of {outputs} are there.").format(
        done=number(result.done), outputs=plural(result.wanted, "1 output", "%n outputs")
    )
    parts = [*without_text(result.failed, result.failures.get(REFUSAL, 0)), *cut_off(result.cut)]
    words += f" {', '.join(parts)}." if parts else ""
    words = " ".join([words, *result.left_out])
    for scoring in result.scored:
        if scoring.failed:
            words += " " + tr("{scorer} could not score {texts}.").format(
                scorer=scorer_title(scoring.scorer.name), texts=plural(scoring.failed, "1 text", "%n texts")
            )
    return words


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
    """A model's session with a plan, and its result; people's sessions are never read for one."""

    plan: str
    result: "JudgeResult"


@dataclass(frozen=True)
class JudgingFacts:
    """The plans of a project to judge, and the models' past sessions; the latest first."""

    plans: tuple[PlanLine, ...] = ()
    past: tuple[PastJudge, ...] = ()


@dataclass(frozen=True)
class JudgeRequest:
    """The plans to judge and the model that judges. `parameters`: pairs of name and value, as in a run's request."""

    plans: tuple[str, ...]
    backend: str
    model: str
    seed: int
    parameters: "tuple[tuple[str, Parameter], ...]" = ()


def read_judging(ctx: JobContext, project: "Project") -> JudgingFacts:
    """Read the plans of the creativity study, and the progress of models' sessions with them."""
    from biasprint.core.runs.judge import ModelSession, judge_result

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
        from biasprint.core import compute
        from biasprint.core.machine.keys import session_keys
        from biasprint.core.runs.judge import check_can_judge, judge
        from biasprint.core.runs.setup import generator_spec

        with lane().turn(ticket, ctx):
            check_can_judge(request.backend, request.model)
            keys, given = session_keys(), dict(request.parameters)
            spec = generator_spec(request.backend, request.model, given, compute.models(), ctx=ctx, keys=keys)
            return [
                judge(ctx, project, plan, spec, compute.models(), keys, seed=request.seed, opens=request.model)
                for plan in request.plans
            ]

    return Operation(tr("Judging: {model}").format(model=request.model or request.backend), work, told)


def start_certificate(
    jobs: "JobRunner",
    project: "Project",
    request: JudgeRequest,
    path: "Path",
    *,
    on_done: Callable[[str], object] | None = None,
    on_error: Callable[[AppError], object] | None = None,
) -> "JobHandle":
    """Test a model as a judge and write the page, in a job as judging is one; the result is one sentence."""
    ticket = Ticket(0, request.seed, 1, hash((request, path)))
    operation = _certifying(project, request, path, ticket)
    lane().join(ticket)
    handle = operation.start(jobs, on_done=on_done, on_error=on_error)
    ticket.paused = lambda: handle.context.paused
    mark(handle, JUDGING, project)
    return handle


def _certifying(project: "Project", request: JudgeRequest, path: "Path", ticket: Ticket) -> "Operation[str]":
    def work(ctx: JobContext) -> str:
        from biasprint.core import compute
        from biasprint.core.machine.keys import session_keys
        from biasprint.core.report.audit import check_report_ending, write_audit_report
        from biasprint.core.report.certificate import in_short
        from biasprint.core.runs.certify import certify, page_of_certificate
        from biasprint.core.runs.judge import check_can_judge
        from biasprint.core.runs.setup import generator_spec

        check_report_ending(path)
        with lane().turn(ticket, ctx):
            check_can_judge(request.backend, request.model)
            keys, given = session_keys(), dict(request.parameters)
            spec = generator_spec(request.backend, request.model, given, compute.models(), ctx=ctx, keys=keys)
            made = certify(
                ctx, project, spec, compute.models(), keys, seed=request.seed, opens=request.model,
                statistics=compute.shared(),
            )  # fmt: skip
        compute.shared().call(write_audit_report, path, page_of_certificate(made))
        given_words = tr("{given} of {wanted}.").format(
            given=number(sum(made.read.values())),
            wanted=plural(made.wanted, "1 reply is there", "%n replies are there"),
        )
        why = " ".join(failure_words(kind, count) for kind, count in sorted(made.failed.items()))
        return " ".join(part for part in (given_words, why, in_short(made.findings)) if part)

    return Operation(tr("Testing a judge: {model}").format(model=request.model or request.backend), work, str)


# Why a reply is no answer (biasprint.core.runs.judge.unread_reasons), as it is counted.
UNREAD = {"empty": "empty", "cut off": "cut off before an answer", "other words": "in other words than the answers"}


def told(results: "Sequence[JudgeResult]") -> str:
    """Return the results in words: replies, those without a readable choice, and how often the order decided."""
    read, failures = Counter[str](), Counter[str]()
    for result in results:
        read.update(result.read)
        failures.update(result.failures)
    given = tr("{given} of {wanted}.").format(
        given=number(read.total()),
        wanted=plural(sum(result.wanted for result in results), "1 reply is there", "%n replies are there"),
    )
    why = " ".join(failure_words(kind, count) for kind, count in sorted(failures.items()))
    return " ".join(part for part in (given, unread(read, results), why, flips(results)) if part)


def unread(read: "Counter[str]", results: "Sequence[JudgeResult]") -> str:
    """Return the number of replies without a choice, and why they cannot be read; empty where there are none."""
    parts = [
        plural(count, singular, many)
        for count, singular, many in (
            (read["refused"], "1 is a refusal", "%n are refusals"),
            (read["unreadable"], "1 cannot be read", "%n cannot be read"),
            (read["failed"], "1 failed", "%n failed"),
        )
        if count
    ]
    why = Counter[str]()
    for result in results:
        why.update({reason: count for reason, count in result.unread.items() if reason != "refused"})
    counted = [f"{number(count)} {tr(UNREAD[reason])}" for reason, count in why.most_common()]
    reasons = f" ({', '.join(counted)})" if counted else ""
    return f"{', '.join(parts)}{reasons}." if parts else ""


def flips(results: "Sequence[JudgeResult]") -> str:
    """Return the number of comparisons in which the order of the cards decided, in words."""
    compared = sum(result.compared for result in results)
    if not compared:
        return tr("No comparison has a choice in every order of its cards.")
    return tr("The choice turned with the order of the cards in {flips} of {compared}.").format(
        flips=number(sum(result.flips for result in results)),
        compared=plural(compared, "1 comparison", "%n comparisons"),
    )
