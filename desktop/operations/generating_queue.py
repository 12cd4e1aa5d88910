"""The queue of runs: each is a job of its own, and one at a time has its turn to write."""

import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

from core.errors import AppError, JobCancelled
from core.jobs import JobContext, Progress
from desktop.operations.base import Operation
from desktop.operations.generating_runs import WriteRequest, author_words
from desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from core.project.project import Project
    from core.project.specs import GeneratorSpec
    from core.runs.generate import GenerateResult
    from desktop.jobs import JobHandle, JobRunner

WRITING = "writing"  # what its jobs are found again by
POLL_SECONDS = 0.1
TITLE = "Generating: {author}"
_numbers = count(1)


@dataclass(eq=False)
class Ticket:
    """A run's place in the queue. It names nothing, for it can be reached while a rater is blind.

    `asked` is a hash of the request. `run_id` is known once the model was opened. `began`: its thread has asked for its
    turn; one whose thread never starts holds up nobody.
    """

    prompt_set_id: int
    seed: int
    samples: int
    asked: int
    run_id: int | None = None
    began: bool = False
    paused: Callable[[], bool] = lambda: False
    number: int = field(default_factory=lambda: next(_numbers))


class Lane:
    """Who writes next: the first that waits and is not paused. One that is paused while it writes keeps its turn."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._tickets: list[Ticket] = []  # in order; the one that writes may stand anywhere
        self._writing: Ticket | None = None

    def join(self, ticket: Ticket) -> None:
        with self._changed:
            self._tickets.append(ticket)

    def tickets(self) -> list[Ticket]:
        """The one that writes, then those that wait, in their order."""
        with self._changed:
            first = [self._writing] if self._writing is not None else []
            return first + [ticket for ticket in self._tickets if ticket is not self._writing]

    def writes(self, ticket: Ticket) -> bool:
        return self._writing is ticket

    def move(self, ticket: Ticket, by: int) -> None:
        """Put one that waits so many places further back, or forward where `by` is negative."""
        with self._changed:
            waiting = [one for one in self._tickets if one is not self._writing]
            if ticket not in waiting:
                return
            place = waiting.index(ticket)
            waiting.insert(max(0, place + by), waiting.pop(place))
            self._tickets = ([self._writing] if self._writing is not None else []) + waiting
            self._changed.notify_all()

    @contextmanager
    def turn(self, ticket: Ticket, ctx: JobContext) -> Iterator[None]:
        """Wait for the turn and hold it for the block; `JobCancelled` if the job is cancelled before it comes."""
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
        return next((one for one in self._tickets if one.began and not one.paused()), None)


_lane = Lane()


def lane() -> Lane:
    """The program's one lane: there is one model process."""
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
    on_error: Callable[[AppError], object] | None = None,
) -> Entry:
    """Write what is missing of a request, after the runs that wait already.

    `resumes`: the stored run that this goes on with. If the model is no longer the same, it is a run of its own, or,
    with `as_it_was`, an error. `retry`: kinds of failure that are asked for again.
    """
    ticket = Ticket(request.prompt_set_id, request.seed, request.samples, hash(request), resumes)
    operation = _writing(project, request, ticket, resumes, as_it_was, frozenset(retry))
    lane().join(ticket)
    handle = operation.start(jobs, on_error=on_error)
    ticket.paused = lambda: handle.context.paused
    handle.setObjectName(f"{WRITING} {ticket.number} {id(project)}")  # names nothing: a rater may be blind
    return Entry(ticket, handle)


def tell_state(entry: Entry) -> None:
    """Say that a run waits or opens its model, where jobs are shown. On the window's thread.

    The job itself says nothing before it writes: what it reported then would count into its speed.
    """
    handle, progress = entry.handle, entry.handle.progress
    if not handle.active or (progress is not None and progress.total is not None):
        return
    note = tr("opening the model") if lane().writes(entry.ticket) else tr("waiting for its turn")
    if progress is None or progress.note != note:
        handle.progress = Progress(0, None, None, None, note)
        handle.changed.emit()


def queued(jobs: "JobRunner", project: "Project | None") -> list[Entry]:
    """The runs of a project that are written or wait, in their order, whoever queued them."""
    handles = {handle.objectName(): handle for handle in jobs.active()} if project is not None else {}
    found = ((ticket, handles.get(f"{WRITING} {ticket.number} {id(project)}")) for ticket in lane().tickets())
    return [Entry(ticket, handle) for ticket, handle in found if handle is not None]


def generator_words(handle: "JobHandle") -> str:
    """The generator that a queued run's job is titled with."""
    return handle.title.removeprefix(tr(TITLE).format(author=""))


def _writing(
    project: "Project",
    request: WriteRequest,
    ticket: Ticket,
    resumes: int | None,
    as_it_was: bool,
    retry: frozenset[str],
) -> "Operation[GenerateResult]":
    def work(ctx: JobContext) -> "GenerateResult":
        from core.compute import models
        from core.machine.keys import session_keys
        from core.runs.generate import generate, start_run
        from core.runs.setup import generator_spec

        with lane().turn(ticket, ctx):
            keys = session_keys()
            given = dict(request.parameters)
            spec = generator_spec(request.backend, request.model, given, models(), ctx=ctx, keys=keys)
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
            return generate(ctx, project, ticket.run_id, models(), keys)

    return Operation(tr(TITLE).format(author=author_words(request)), work, _written)


def _stored(project: "Project", run_id: int) -> "GeneratorSpec":
    from core.project.specs import GeneratorSpec

    row = project.runs.generators()[project.runs.get(run_id).generator_id]
    return GeneratorSpec(backend=row.backend, model=row.model, parameters=dict(row.parameters), revision=row.revision)


def _is_same(stored: "GeneratorSpec", opened: "GeneratorSpec") -> bool:
    """Whether the texts may go into one run. An endpoint names a revision only once it has written, if ever."""
    unknown = "" in (stored.revision, opened.revision)
    return (unknown or stored.revision == opened.revision) and stored == opened.model_copy(
        update={"revision": stored.revision}
    )


def _changed(model: str) -> AppError:
    """Another model's texts must not go into a run under the first one's name."""
    return AppError(
        tr("“{model}” is no longer what it was when the run was begun.").format(model=model),
        kept=tr("The texts of the run are kept as they are."),
        hint=tr("Start a new run with it, or bring back the model as it was."),
    )


def _written(result: "GenerateResult") -> str:
    words = tr("{done} of {outputs} are there.").format(
        done=f"{result.done:,}", outputs=plural(result.wanted, "1 output", "%n outputs")
    )
    if result.failed:
        words += " " + plural(result.failed, "1 failed.", "%n failed.")
    return words
