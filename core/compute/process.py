"""The parent's side of the compute process: one child, and calls that take turns at it."""

import atexit
import contextlib
import os
import pickle
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, TypeVarTuple, get_args

from biasprint.core.compute import plain, worker
from biasprint.core.compute.worker import CANCEL, WIND_DOWN, Kind, place_of
from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.given import kept_from
from biasprint.core.jobs import JobContext
from biasprint.core.machine.child import is_stopped, start
from biasprint.core.machine.child_main import OUT_OF_MEMORY
from biasprint.core.machine.keys import ENVIRONMENT
from biasprint.core.machine.processor import memory_left

# ---- The child as its parent holds it

JOIN_SECONDS = 1.0
NICENESS = 10  # whatever a person does beside long work goes first


class ChildGone(Exception):
    """The pipe is closed at the other end."""


class ChildStopped(Exception):
    """A signal has stopped the child, and nobody continues it."""


_KINDS = frozenset(get_args(Kind)) - {"nothing"}
_is_report = plain.check_of(tuple[int, int | None, str, Any])


def _checked(message: Any) -> tuple[Kind, Any]:
    """Return a message that a child of ours may send; raises `StrangeMessage` for any other."""
    if type(message) is not tuple or len(message) != 2 or message[0] not in _KINDS:
        raise plain.StrangeMessage("no message of a child")
    kind, value = message
    if (kind == "report" and not _is_report(value)) or (kind == "failed" and not isinstance(value, AppError)):
        raise plain.StrangeMessage(f"no {kind}")
    return kind, value


class Child:
    """A spawned compute process. Never forked: a fork of a process with threads and Qt inherits their locks.

    One that a stranger's file has taken over may write anything, or half of it, and read nothing: two threads wait for
    it, so that whoever calls can always give up.
    """

    def __init__(self, niceness: int, most: int = plain.LARGEST, key: str = "") -> None:
        """`most`: bytes of its largest message; `key`: for endpoints."""
        if worker.is_at_work():
            raise AppError(
                "The process for computing cannot be started from here.",
                hint="Inside the compute process, call the function directly.",
            )
        self.ready = False
        self.closed = False  # ended on purpose while a call may be running
        self._ended = False
        self._most = most
        try:
            self._process, self._connection = start(worker.run, niceness, key)
        except OSError as error:
            raise AppError(
                f"The process for computing could not be started ({error.strerror}).",
                kept="Everything finished before is saved.",
                hint="Close other programs and start the work again: it goes on where it stopped.",
            ) from error
        self._to_send: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._arrived: queue.SimpleQueue[bytes | MemoryError] = queue.SimpleQueue()
        self._wanted = threading.Semaphore()  # so that at most two messages are in memory
        self._sender = threading.Thread(target=self._send_all, daemon=True)
        self._receiver = threading.Thread(target=self._receive_all, daemon=True)
        self._sender.start()
        self._receiver.start()

    @property
    def pid(self) -> int | None:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def stopped(self) -> bool:
        return is_stopped(self._process)

    @property
    def memory_used_up(self) -> bool:
        """Return whether it has all that it may have: Python may then try for ever to raise the error that says so."""
        return memory_left(self._process.pid) < LEAST_MEMORY

    @property
    def interrupted(self) -> bool:
        """Return whether Ctrl+C ended it."""
        return self._exit_code() == -signal.SIGINT

    @property
    def out_of_memory(self) -> bool:
        return self._exit_code() == OUT_OF_MEMORY

    @property
    def ending(self) -> str:
        """The way it ended, for a message: a signal's name or an exit code."""
        code = self._exit_code()
        if code is None:
            return "it does not answer"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"signal {signal.Signals(-code).name}"
        return f"exit code {code}"

    def send(self, data: bytes) -> None:
        self._to_send.put(data)

    def receive(self, timeout: float) -> tuple[Kind, Any]:
        """Return the next `(kind, value)`; `("nothing", None)` if none comes within `timeout` seconds.

        Raises `ChildGone`; `StrangeMessage` for what no child of ours sends; `MemoryError` where it is too large here.
        """
        try:
            data = self._arrived.get(timeout=timeout)
        except queue.Empty:
            if self._receiver.is_alive() and self.alive:
                return "nothing", None
            self._receiver.join(JOIN_SECONDS)
            if self._arrived.empty():
                raise ChildGone from None
            data = self._arrived.get()
        self._wanted.release()
        self.ready = True
        if isinstance(data, MemoryError):
            raise data
        return _checked(plain.load(data, self._most))

    def _send_all(self) -> None:
        with contextlib.suppress(OSError):  # of a child that is gone, which the other thread sees
            for data in iter(self._to_send.get, None):
                self._connection.send_bytes(data)

    def _receive_all(self) -> None:
        try:
            while self._wanted.acquire() and not self._ended:
                self._arrived.put(self._connection.recv_bytes(self._most))
        except (EOFError, OSError):
            pass  # it is gone, or its message is too long
        except MemoryError as error:
            self._arrived.put(error)
        self._to_send.put(None)
        self._sender.join()
        self._connection.close()

    def close(self) -> None:
        """End it from any thread; whoever waits for its answer sees it gone, and `closed`."""
        self.closed = True
        self._process.kill()
        self._exit_code()

    def end(self) -> None:
        """End it at once (it holds nothing that needs saving) and let go of it."""
        self._process.kill()
        self._exit_code()
        self._ended = True
        self._wanted.release()

    def _exit_code(self) -> int | None:
        """Return its exit code, when it has ended within `JOIN_SECONDS`."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(JOIN_SECONDS)
        return self._process.returncode


# ---- Turns: first come, first served

POLL_SECONDS = 0.05


class Turns:
    """A lock that is fair: with a plain one, a job that calls in a loop could keep a person's request waiting."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._queue: deque[object] = deque()

    @contextmanager
    def take(self, ctx: JobContext | None) -> Iterator[None]:
        """Wait for the turn, hold it for the block; raises `JobCancelled` if `ctx` is cancelled before it comes."""
        ticket = object()
        with self._changed:
            self._queue.append(ticket)
        try:
            self._wait(ticket, ctx)
            yield
        finally:
            with self._changed:
                self._queue.remove(ticket)
                self._changed.notify_all()

    def _wait(self, ticket: object, ctx: JobContext | None) -> None:
        with self._changed:
            while self._queue[0] is not ticket:
                self._changed.wait(POLL_SECONDS)
                if ctx is not None and ctx.cancelled:
                    raise JobCancelled


STOPPED_SECONDS = 10.0  # that whoever stopped the child has to continue it
LEAST_MEMORY = 1 << 20  # bytes: Python takes no less at once
FULL_SECONDS = 10.0  # without a word from a child that has no memory left, not even for the word
GRACE_SECONDS = 1.5  # with the poll and the kill, a cancel takes effect within 2 s

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")
Report = Callable[[int, int | None, str], None]
Partial = Callable[[object], None]


@dataclass(frozen=True)
class _Listening:
    """The parties of a waiting call: who cancels or pauses it, and who gets its reports."""

    ctx: JobContext | None
    on_report: Report | None
    on_partial: Partial | None
    until: float | None  # on the monotonic clock


class ComputeCrashed(AppError):
    """The compute process died under a call; the next call starts a new one."""


class ComputeStopped(ComputeCrashed):
    """The compute process was stopped by a signal under a call, and not continued; the next call starts a new one."""


@contextmanager
def part_of_work(ends_all: tuple[type[AppError], ...] = ()) -> Iterator[list[AppError]]:
    """Do a part of a work that can go on without it: gives a list, which then holds why the part could not be done.

    A crash says nothing about the part: it ends the whole work, as `ends_all` does.
    """
    failed: list[AppError] = []
    try:
        yield failed
    except AppError as error:
        if isinstance(error, (ComputeCrashed, *ends_all)):
            raise
        failed.append(error)


class ComputeProcess:
    """One long-lived spawned child that does one call at a time; safe to call from any thread."""

    def __init__(self, niceness: int = NICENESS, most: int = plain.LARGEST, *, asks_endpoints: bool = False) -> None:
        """`niceness`: how far it lets other programs go first, 0 to 19; `most`: bytes of its largest message;
        `asks_endpoints`: whether it needs the key that the environment holds. No other child is given it.
        """
        self._asks_endpoints = asks_endpoints
        self._niceness = niceness
        self._most = most
        self._turns = Turns()
        self._child: Child | None = None
        self._outdated = False

    @property
    def pid(self) -> int | None:
        """The child's process id; None while there is no child."""
        child = self._child
        return child.pid if child and child.alive else None

    def call(
        self,
        function: Callable[[*Arguments], Result] | Callable[[*Arguments, JobContext], Result],
        /,
        *args: *Arguments,
        ctx: JobContext | None = None,
        on_report: Report | None = None,
        on_partial: Partial | None = None,
        timeout: float | None = None,
    ) -> Result:
        """Run a function in the child and return its result.

        `function`: one at the top of a module, which the child imports; its arguments are given by position.

        Arguments: what pickle takes. Result: plain data, numpy arrays, our own dataclasses and named tuples, which are
        checked against the annotations of the function and of the fields (`core.compute.plain`).

        A function whose last parameter is `ctx` is given a `JobContext` there; any other may call
        `core.compute.worker.report`. What it reports goes to `on_report(done, total, note)` where given, else to
        `ctx.report`; its partial results go to `on_partial`, in order, where given.

        A cancel of `ctx` reaches the child; one that does not stop within 1.5 s is ended. A pause of `ctx` makes the
        `winding_down` of its context there true, and waits for the end of the call: a paused job holds up no other.
        After `timeout` seconds the child is ended.

        Raises `JobCancelled`; the `AppError` that the function raised; `AppError` with the traceback as details for
        any other exception; `ComputeCrashed` if the child died, stood still or took longer than `timeout`; `TypeError`
        for a function that the child cannot import.
        """
        module, name = place_of(function)
        # The child works in another folder.
        whole = tuple(arg.absolute() if isinstance(arg, Path) else arg for arg in args)
        call = pickle.dumps((module, name, whole, kept_from()), protocol=5)
        if ctx is not None:
            ctx.check()
        with self._turns.take(ctx):
            until = None if timeout is None else time.monotonic() + timeout
            kind, value = self._ask(function, call, _Listening(ctx, on_report, on_partial, until))
        if kind == "cancelled":
            raise JobCancelled
        if kind == "out of memory":
            raise _out_of_memory(f"{module}:{name}")
        if kind == "failed":
            raise value
        result: Result = value
        return result

    def close(self) -> None:
        """End the child. A call that is running ends as cancelled; a later call starts a new child."""
        if self._child:
            self._child.close()

    def renew(self) -> None:
        """Have the next call start a new child: packages were installed, and what is loaded may have looked for them.

        A call that is running is not disturbed.
        """
        self._outdated = True

    def _ask(self, function: Callable[..., Any], call: bytes, listening: _Listening) -> tuple[Kind, Any]:
        child, answered, place = self._living_child(), False, ":".join(place_of(function))
        try:
            child.send(call)
            kind, value = _wait_for_answer(child, listening)
            if kind == "done" and not plain.check_of_result(function)(value):
                raise plain.StrangeMessage("a result of another type")
            answered = kind != "out of memory"  # after which a fresh start is better
            return kind, value
        except ChildGone:
            # Ctrl+C also reaches a child that only starts, and does not know yet that it is the parent's.
            if child.closed or child.interrupted or (listening.ctx is not None and listening.ctx.cancelled):
                raise JobCancelled from None
            raise _crashed(child, place) from None
        except ChildStopped:
            raise ComputeStopped(
                "The process for computing was stopped by another program or person, did not go on, and was ended.",
                kept="Everything finished before is saved.",
                hint="Start the work again: it goes on where it stopped.",
                details=place,
            ) from None
        except TimeoutError:
            raise _too_long(place) from None
        except MemoryError:
            raise _out_of_memory(place) from None
        except plain.StrangeMessage as strange:
            raise _strange(place, strange) from None
        finally:
            if not answered:  # whatever it is still doing, its answer must not meet the next call
                self._child = None
                child.end()

    def _living_child(self) -> Child:
        outdated, self._outdated = self._outdated, False
        if self._child is not None and (outdated or self._child.closed or not self._child.alive or self._child.stopped):
            self._child.end()
            self._child = None
        if self._child is None:
            key = os.environ.get(ENVIRONMENT, "") if self._asks_endpoints else ""
            self._child = Child(self._niceness, self._most, key)
        return self._child


def _wait_for_answer(child: Child, listening: _Listening) -> tuple[Kind, Any]:
    asked_to_stop: float | None = None
    told_to_wind_down = False
    looks_full = 0
    looks_stopped = 0  # looks, and not seconds: both processes may be stopped together, by Ctrl+Z
    ctx = listening.ctx
    while True:
        kind, value = child.receive(POLL_SECONDS)
        looks_stopped = looks_stopped + 1 if kind == "nothing" and child.stopped else 0
        if looks_stopped * POLL_SECONDS > STOPPED_SECONDS:
            raise ChildStopped
        looks_full = looks_full + 1 if kind == "nothing" and child.memory_used_up else 0
        if looks_full * POLL_SECONDS > FULL_SECONDS:
            raise MemoryError
        if kind == "report":
            _pass_on(value, listening)
        elif kind not in ("nothing", "ready"):
            return kind, value
        if listening.until is not None and time.monotonic() > listening.until:
            raise TimeoutError
        if ctx is None:
            continue
        if ctx.paused and not told_to_wind_down:
            child.send(WIND_DOWN)
            told_to_wind_down = True
        if not ctx.cancelled:
            continue
        if asked_to_stop is None:
            child.send(CANCEL)
            asked_to_stop = time.monotonic()
        elif time.monotonic() - asked_to_stop > GRACE_SECONDS:
            raise JobCancelled


def _pass_on(value: tuple[int, int | None, str, object], listening: _Listening) -> None:
    done, total, note, partial = value
    if listening.on_partial is not None and partial is not None:
        listening.on_partial(partial)
    elif listening.on_report is not None:
        listening.on_report(done, total, note)
    elif listening.ctx is not None:
        listening.ctx.report(done, total, note=note, partial=partial)


def _crashed(child: Child, place: str) -> ComputeCrashed:
    if child.out_of_memory:
        return _out_of_memory(place)
    details = f"{place}: {child.ending}"
    if not child.ready:
        return ComputeCrashed(
            f"The process for computing could not start ({child.ending}).",
            hint="Start the program again; in a notebook, its kernel.",
            details=details,
        )
    return ComputeCrashed(
        f"The process for computing stopped unexpectedly ({child.ending}).",
        kept="Everything finished before is saved.",
        hint="Start the work again: it goes on where it stopped. If it stops again, free some memory by closing other "
        "programs, or choose a smaller model.",
        details=details,
    )


def _strange(place: str, strange: plain.StrangeMessage) -> ComputeCrashed:
    return ComputeCrashed(
        "The process for computing answered with something that is no result, and was ended.",
        kept="Everything finished before is saved.",
        hint="A file that it read may be harmful: leave that file out, and start the work again.",
        details=f"{place}: {strange}",
    )


def _out_of_memory(place: str) -> ComputeCrashed:
    return ComputeCrashed(
        "There was not enough memory for this computation.",
        kept="Everything finished before is saved.",
        hint="Close other programs or choose a smaller model, then start the work again: it goes on where it stopped.",
        details=place,
    )


def _too_long(place: str) -> ComputeCrashed:
    return ComputeCrashed(
        "The work took longer than it ever should, and was ended.",
        kept="Everything finished before is saved.",
        hint="Start it again: it goes on where it stopped. If it stops again, another model may be the remedy.",
        details=place,
    )


_shared = ComputeProcess()
_models = ComputeProcess(asks_endpoints=True)
_quick = ComputeProcess(niceness=0)  # its work takes moments, and somebody waits for it
for _process in (_shared, _models, _quick):
    atexit.register(_process.close)


def shared() -> ComputeProcess:
    """Return the compute process of this program, for scorers and statistics: started by its first call, ended at the
    end.
    """
    return _shared


def models() -> ComputeProcess:
    """Return the model process, for what writes texts. A model that breaks it takes neither scores nor the window with
    it.
    """
    return _models


def quick() -> ComputeProcess:
    """Return the quick process, for what is to be there at once: no model is loaded in it, and no long work is done."""
    return _quick
