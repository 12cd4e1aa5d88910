"""The parent's side of the compute process."""

import atexit
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.compute.child import Child, ChildGone
from core.compute.messages import CANCEL, WIND_DOWN, Kind, dump, split_target
from core.compute.turns import POLL_SECONDS, Turns
from core.errors import AppError, JobCancelled
from core.jobs import JobContext

GRACE_SECONDS = 1.5  # with the poll and the kill, a cancel takes effect within 2 s

Report = Callable[[int, int | None, str], None]
Partial = Callable[[object], None]


@dataclass(frozen=True)
class _Listening:
    """What a call hears while it waits: whoever cancels or pauses it, and who is told what it reports."""

    ctx: JobContext | None
    on_report: Report | None
    on_partial: Partial | None
    until: float | None  # on the monotonic clock


class ComputeCrashed(AppError):
    """The compute process died under a call; the next call starts a new one."""


class ComputeProcess:
    """One long-lived spawned child that does one call at a time; safe to call from any thread."""

    def __init__(self, packages: tuple[str, ...] = ("core",)) -> None:
        """`packages`: where targets may live."""
        self._packages = packages
        self._turns = Turns()
        self._child: Child | None = None

    @property
    def pid(self) -> int | None:
        """The child's process id; None while there is no child."""
        child = self._child
        return child.pid if child and child.alive else None

    def call(
        self,
        target: str,
        /,
        *args: Any,
        ctx: JobContext | None = None,
        on_report: Report | None = None,
        on_partial: Partial | None = None,
        timeout: float | None = None,
        **kwargs: Any,
    ) -> Any:
        """Run `target` ("core.module:function") in the child and return its result.

        Arguments and result: plain data, numpy arrays, our own classes. A function with a parameter `ctx` is given a
        `JobContext` there; any other may call `core.compute.worker.report`. What it reports goes to `on_report(done,
        total, note)` where given, else to `ctx.report`; its partial results go to `on_partial`, in order, where given.
        A cancel of `ctx` reaches the child; one that does not stop within 1.5 s is ended. A pause of `ctx` makes the
        `winding_down` of its context there true, and waits for the end of the call: a paused job holds up no other.
        After `timeout` seconds the child is ended.

        Raises `JobCancelled`; the `AppError` that the function raised; `AppError` with the traceback as details for
        any other exception; `ComputeCrashed` if the child died or took longer than `timeout`; `ValueError` for a target
        elsewhere.
        """
        split_target(target, self._packages)
        call = dump((target, args, kwargs))
        if ctx is not None:
            ctx.check()
        with self._turns.take(ctx):
            until = None if timeout is None else time.monotonic() + timeout
            kind, value = self._ask(target, call, _Listening(ctx, on_report, on_partial, until))
        if kind == "cancelled":
            raise JobCancelled
        if kind == "out of memory":
            raise _out_of_memory(target)
        if kind == "failed":
            raise value
        return value

    def close(self) -> None:
        """End the child. A call that is running ends as cancelled; a later call starts a new child."""
        if self._child:
            self._child.close()

    def _ask(self, target: str, call: bytes, listening: _Listening) -> tuple[Kind, Any]:
        child, answered = self._living_child(), False
        try:
            child.send(call)
            kind, value = _wait_for_answer(child, listening)
            answered = kind != "out of memory"  # after which a fresh start is better
            return kind, value
        except ChildGone:
            if child.closed:
                raise JobCancelled from None
            raise _crashed(child, target) from None
        except TimeoutError:
            raise _too_long(target) from None
        finally:
            if not answered:  # whatever it is still doing, its answer must not meet the next call
                self._child = None
                child.end()

    def _living_child(self) -> Child:
        if self._child is not None and not self._child.alive:
            self._child.end()
            self._child = None
        if self._child is None:
            self._child = Child(self._packages)
        return self._child


def _wait_for_answer(child: Child, listening: _Listening) -> tuple[Kind, Any]:
    asked_to_stop: float | None = None
    told_to_wind_down = False
    ctx = listening.ctx
    while True:
        kind, value = child.receive(POLL_SECONDS)
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


def _crashed(child: Child, target: str) -> ComputeCrashed:
    details = f"{target}: {child.ending}"
    if not child.ready:
        return ComputeCrashed(
            f"The process for computing could not start ({child.ending}).",
            hint="In a script of your own, put what it does under `if __name__ == '__main__':`; "
            "otherwise start the program again.",
            details=details,
        )
    return ComputeCrashed(
        f"The process for computing stopped unexpectedly ({child.ending}).",
        kept="Everything finished before is saved.",
        hint="Start the work again: it goes on where it stopped. If it stops again, free some memory by closing other "
        "programs, or choose a smaller model.",
        details=details,
    )


def _out_of_memory(target: str) -> ComputeCrashed:
    return ComputeCrashed(
        "There was not enough memory for this computation.",
        kept="Everything finished before is saved.",
        hint="Close other programs or choose a smaller model, then start the work again: it goes on where it stopped.",
        details=target,
    )


def _too_long(target: str) -> ComputeCrashed:
    return ComputeCrashed(
        "The work took longer than it ever should, and was ended.",
        kept="Everything finished before is saved.",
        hint="Start it again: it goes on where it stopped. If it stops again, another model may be the remedy.",
        details=target,
    )


_shared = ComputeProcess()
_models = ComputeProcess()
for _process in (_shared, _models):
    atexit.register(_process.close)


def shared() -> ComputeProcess:
    """The compute process of this program, for scorers and statistics: started by its first call, ended at the end."""
    return _shared


def models() -> ComputeProcess:
    """The model process, for what writes texts. A model that breaks it takes neither scores nor the window with it."""
    return _models
