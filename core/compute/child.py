"""The child process as its parent holds it: a process, a pipe, and how it ended."""

import contextlib
import multiprocessing
import signal
from multiprocessing.connection import wait
from typing import Any

from core.compute import worker
from core.compute.messages import Kind, load
from core.errors import AppError

JOIN_SECONDS = 1.0


class ChildGone(Exception):
    """The pipe is closed at the other end."""


class Child:
    """A spawned compute process. Never forked: a fork of a process with threads and Qt inherits their locks."""

    def __init__(self, packages: tuple[str, ...]) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        # A daemon: should this process end without closing it, multiprocessing ends it on the way out.
        self._process = context.Process(target=worker.run, args=(theirs, packages), name="compute", daemon=True)
        self.ready = False
        self.closed = False  # ended on purpose while a call may be running
        try:
            self._process.start()
        except (RuntimeError, AssertionError) as error:
            raise _cannot_start_here() from error
        except OSError as error:
            raise _cannot_start_now(error) from error
        finally:
            theirs.close()  # else the end of the child would not be seen as the end of the pipe

    @property
    def pid(self) -> int | None:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return not wait([self._process.sentinel], timeout=0)

    @property
    def ending(self) -> str:
        """How it ended, for a message: a signal's name or an exit code."""
        self._process.join(JOIN_SECONDS)
        code = self._process.exitcode
        if code is None:
            return "it does not answer"
        if code < 0:
            with contextlib.suppress(ValueError):
                return f"signal {signal.Signals(-code).name}"
        return f"exit code {code}"

    def send(self, data: bytes) -> None:
        try:
            self._connection.send_bytes(data)
        except OSError as error:
            raise ChildGone from error

    def receive(self, timeout: float) -> tuple[Kind, Any]:
        """The next `(kind, value)`; `("nothing", None)` if none comes within `timeout` seconds."""
        try:
            if not self._connection.poll(timeout):
                return "nothing", None
            data = self._connection.recv_bytes()
        except (EOFError, OSError) as error:
            raise ChildGone from error
        self.ready = True
        kind, value = load(data)
        return kind, value

    def close(self) -> None:
        """End it from any thread; whoever waits for its answer sees it gone, and `closed`."""
        self.closed = True
        self._process.kill()
        self._process.join(JOIN_SECONDS)

    def end(self) -> None:
        """End it at once (it holds nothing that needs saving) and let go of it."""
        self._process.kill()
        self._process.join(JOIN_SECONDS)
        self._connection.close()


def _cannot_start_here() -> AppError:
    return AppError(
        "The process for computing cannot be started from here.",
        hint="In a script of your own, put what it does under `if __name__ == '__main__':`. "
        "Inside the compute process, call the function directly.",
    )


def _cannot_start_now(error: OSError) -> AppError:
    return AppError(
        f"The process for computing could not be started ({error.strerror}).",
        kept="Everything finished before is saved.",
        hint="Close other programs and start the work again: it goes on where it stopped.",
    )
