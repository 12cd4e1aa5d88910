"""The judging thread: it alone holds the store, the plan and the map from cards to outputs.

A window gets an inbox to put orders in, and futures that only ever hold what blind.py defines. The store is handed
over through the inbox and from then on lives in the local variables of `_serve`, so that nothing that a panel holds
leads to it. An error crosses as a new one, without traceback, cause or the file's name: a traceback's frames would
lead back to the store.

What this does not stop: code that goes looking through the interpreter itself (sys._current_frames, gc.get_objects)
or reads the file. It is a wall against leaks by accident or curiosity, in tool tips, titles, logs and debuggers.
"""

import threading
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from core.errors import AppError
from core.judging.desk import Desk
from core.judging.store import JudgingStore
from core.judging.wording import Wording
from core.judging.work import Refused

COMMANDS = frozenset(
    ("start_info", "start_anew", "open", "leave", "current", "touch", "record", "withdraw", "save_note", "rate", "back",
     "resume", "go_to", "entries", "reveal", "finish")
)  # fmt: skip


class Order(NamedTuple):
    command: str
    arguments: tuple[Any, ...]
    future: "Future[Any]"


Inbox = SimpleQueue["Order | Desk | None"]


def start(store: JudgingStore, wording: Wording, **options: Any) -> Inbox:
    """Start a judging thread over `store`; None in the inbox ends it."""
    inbox: Inbox = SimpleQueue()
    inbox.put(Desk(store, wording, **options))
    taken = threading.Event()
    threading.Thread(target=_serve, args=(inbox, taken), name="judging", daemon=True).start()
    taken.wait()
    return inbox


def _serve(inbox: Inbox, taken: threading.Event) -> None:
    desk = inbox.get()
    assert isinstance(desk, Desk)
    taken.set()
    while (order := _next(inbox, desk)) is not None:
        if order.future.set_running_or_notify_cancel():
            _answer(desk, order)
        del order  # a future that was answered is its asker's alone


def _next(inbox: Inbox, desk: Desk) -> Order | None:
    """The next order; while there is none, fetch ahead."""
    try:
        order = inbox.get_nowait()
    except Empty:
        with suppress(Exception):  # fetching ahead is a favour: whoever asks for the texts is told what is wrong
            desk.prefetch()
        order = inbox.get()
    assert not isinstance(order, Desk)
    return order


def _answer(desk: Desk, order: Order) -> None:
    try:
        assert order.command in COMMANDS
        answer = getattr(desk, order.command)(*order.arguments)
    except Exception as error:
        order.future.set_exception(_blind_error(error, order.command))
    else:
        order.future.set_result(answer)


WHAT_FAILED = {
    "open": "The session was not opened.",
    "record": "Your answer was not saved.",
    "withdraw": "Your answer was not taken back.",
    "save_note": "Your note was not saved.",
    "leave": "Your note was not saved.",
    "rate": "Your rating was not saved.",
    "reveal": "The session was not revealed.",
    "finish": "The packet is not finished.",
}


def _blind_error(error: Exception, command: str) -> AppError:
    """The error in words that name no file: project files are named after what they study."""
    if isinstance(error, Refused):
        return AppError(error.message, hint=error.hint, kept=error.kept)
    return AppError(
        WHAT_FAILED.get(command, "The project could not be read."),
        kept="Your note stays here, and what was saved before is kept.",
        hint="See that the project’s disk is there, has room and can be written to, then try again.",
        details=type(error).__name__,
    )
