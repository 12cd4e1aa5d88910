"""The main loop of the compute process. It imports nothing heavy: the functions it is asked for do."""

import faulthandler
import importlib
import inspect
import io
import logging
import os
import pickle
import queue
import signal
import sys
import threading
import traceback
import warnings
from multiprocessing.connection import Connection
from typing import Literal, Never

from biasprint.core.compute.plain import dump
from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.given import keep_to
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.machine import child_main
from biasprint.core.machine.installation import explained
from biasprint.core.machine.keys import ENVIRONMENT
from biasprint.core.machine.offline import guard_sockets
from biasprint.core.machine.processor import cores, is_out_of_memory, keep_sums_alike, raise_out_of_memory
from biasprint.core.machine.storage import refused

OUT_OF_MEMORY = dump(("out of memory", None))  # made while there is some
Inbox = queue.SimpleQueue[tuple[JobContext, bytes]]

_current: JobContext | None = None
_at_work = False


def is_at_work() -> bool:
    """Return whether this process is a compute process."""
    return _at_work


def report(done: int, total: int | None = None, note: str = "") -> None:
    """Tell the caller in the other process how far the work is, and stop here if it was cancelled.

    For functions without a `ctx` parameter; one that has it is given a `JobContext` instead.
    Outside the compute process it does nothing.
    """
    if _current is not None:
        _current.report(done, total, note=note)
        _current.check()


def run(connection: Connection, niceness: int, key: str = "") -> None:
    """Run the child's main loop: do one call after another until the parent is gone.

    `key`: for endpoints, from the parent's environment. Set here it is in no list of processes.
    """
    global _at_work
    _at_work = True
    if key:
        os.environ[ENVIRONMENT] = key
    try:
        guard_sockets()
        _settle_in(niceness)
        outbox = _Outbox(connection)
        inbox: Inbox = queue.SimpleQueue()
        outbox.send(dump(("ready", None)))
        threading.Thread(target=_listen, args=(connection, outbox, inbox), daemon=True).start()
    except Exception as error:
        if is_out_of_memory(error):
            connection.send_bytes(OUT_OF_MEMORY)
        raise
    _serve(inbox, outbox)


def _serve(inbox: Inbox, outbox: "_Outbox") -> None:
    global _current
    while True:
        _current, call = inbox.get()
        outbox.send(_perform(call, _current))
        del call  # it may be large, and the next one may be long in coming


class _Outbox:
    """Sends to the parent, from any thread."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._lock = threading.Lock()

    def send(self, data: bytes) -> None:
        try:
            with self._lock:
                self._connection.send_bytes(data)
        except OSError:
            os._exit(0)  # the parent is gone, so nobody wants the answer

    def report(self, progress: Progress) -> None:
        self.send(dump(("report", (progress.done, progress.total, progress.note, progress.partial))))


def _listen(connection: Connection, outbox: _Outbox, inbox: Inbox) -> None:
    """Read the pipe even while the main thread computes: for a cancel, and to die with the parent."""
    try:
        _hear(connection, outbox, inbox)
    except Exception as error:
        if is_out_of_memory(error):
            os._exit(child_main.OUT_OF_MEMORY)
        if isinstance(error, EOFError | OSError):  # the parent is gone
            os._exit(0)
        raise


def _hear(connection: Connection, outbox: _Outbox, inbox: Inbox) -> Never:
    ctx = JobContext()
    while True:
        data = connection.recv_bytes()
        if data == CANCEL:
            ctx.cancel()
        elif data == WIND_DOWN:
            ctx.wind_down()
        else:
            # Made here, not by the main thread: a cancel that follows at once must not meet the previous context.
            ctx = JobContext(outbox.report)
            inbox.put((ctx, data))
        del data


def _perform(call: bytes, ctx: JobContext) -> bytes:
    kind: Kind = "failed"
    try:
        module, name, args, others = pickle.loads(call)
        keep_to(~others)
        function = getattr(importlib.import_module(module), name)
        context = {"ctx": ctx} if "ctx" in inspect.signature(function).parameters else {}
        return dump(("done", function(*args, **context)))
    except JobCancelled:
        kind, error = "cancelled", None
    except AppError as known:
        error = _portable(known)
    except BaseException as unknown:
        try:
            raise_out_of_memory(unknown)
        except MemoryError:
            return OUT_OF_MEMORY
        error = _in_words(unknown)
    return dump((kind, error))


def _in_words(error: BaseException) -> AppError:
    """Return the error in words for a person. Failing to find them must not end the process."""
    try:
        foreseen = explained(error) or refused(error)
    except Exception:
        foreseen = None
    return foreseen or _unexpected(error)


def _portable(error: AppError) -> AppError:
    """Return the error itself where it is ours, else (a plug-in's class) its sentences.

    It was foreseen and says what to do: where in the code it was raised is nobody's business.
    """
    try:
        dump(error)
    except TypeError:
        return AppError(error.message, kept=error.kept, hint=error.hint, details=error.details)
    return error


def _unexpected(error: BaseException) -> AppError:
    what = traceback.format_exception_only(error)[-1].strip()
    return AppError(
        f"A computation failed in a way that was not foreseen ({what}).",
        kept="Everything finished before is saved.",
        hint="If trying again does not help, copy the details into a report.",
        details=traceback.format_exc(),
    )


def _settle_in(niceness: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C belongs to the parent, which then cancels
    if hasattr(os, "nice"):
        os.nice(niceness)
    _keep_stdout_clean()
    _keep_remarks_away()
    keep_sums_alike()
    threads = str(max(1, cores() - 1))  # one core is left for the window
    os.environ.update(
        HF_HUB_OFFLINE="1",
        TRANSFORMERS_OFFLINE="1",
        TOKENIZERS_PARALLELISM="false",
        OMP_NUM_THREADS=threads,
        MKL_NUM_THREADS=threads,
        OPENBLAS_NUM_THREADS=threads,
    )
    if sys.stderr is not None:
        faulthandler.enable()


def _keep_stdout_clean() -> None:
    """Send what a library prints to stderr: stdout is the command line's answer."""
    if sys.stdout is None or sys.stderr is None:  # a windowed program has neither
        return
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(line_buffering=True)  # this process is ended at once, and would take its lines along


def _keep_remarks_away() -> None:
    """Silence the remarks of libraries by `warnings` and `logging`: what matters of them is in findings and messages.
    `python -W` shows warnings all the same.
    """
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
    logging.getLogger().addHandler(logging.NullHandler())  # without any handler Python prints them


# ---- The messages that cross the pipe between the two processes
# To the child: CANCEL, WIND_DOWN, or a pickled (module, name, args, rights that others lack), which never equals one of
# those words. To the parent, which trusts no child that has read a stranger's file: a (kind, value) of `plain`.

CANCEL = b"cancel"
WIND_DOWN = b"wind down"

Kind = Literal["nothing", "ready", "report", "done", "failed", "cancelled", "out of memory"]


def place_of(function: object) -> tuple[str, str]:
    """Return the module and the name by which another process imports `function`.

    Raises `TypeError` for what it cannot import so: a lambda, a function in a function, a method, a `partial`, and
    anything of the main script, which a child does not run.
    """
    module = getattr(function, "__module__", None)
    name = getattr(function, "__qualname__", None)
    importable = (
        isinstance(module, str)
        and isinstance(name, str)
        and module != "__main__"
        and getattr(sys.modules.get(module), name, None) is function
    )
    if not importable:
        raise TypeError(f"{function!r} cannot be called in another process; define it at the top of a module.")
    return str(module), str(name)
