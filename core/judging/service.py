"""The judging thread: it alone holds the store, the plan and the map from cards to outputs.

A window gets an inbox to put orders in, and futures that only ever hold what blind.py defines. The store is handed
over through the inbox and from then on lives in the local variables of `_serve`, so that nothing that a panel holds
leads to it. An error crosses as a new one, without traceback, cause or the file's name: a traceback's frames would
lead back to the store.

What this does not stop: code that goes looking through the interpreter itself (sys._current_frames, gc.get_objects)
or reads the file. It is a wall against leaks by accident or curiosity, in tool tips, titles, logs and debuggers.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from core.errors import AppError
from core.judging.desk import JudgingService
from core.judging.store import JudgingStore
from core.judging.wording import Wording
from core.judging.work import Refused, SessionWork

# The commands, and no others, that the judging thread obeys: each with the words for its failure. A name of a failure
# names no file: project files are named after what they study.
_UNREAD = "The project could not be read."
_NOTE_LOST = "Your note was not saved."
SERVICE_COMMANDS: dict[Callable[..., Any], str] = {
    JudgingService.start_info: _UNREAD,
    JudgingService.start_new_rater: _UNREAD,
    JudgingService.open: "The session was not opened.",
    JudgingService.leave: _NOTE_LOST,
    JudgingService.reveal: "The session was not revealed.",
    JudgingService.finish: "The packet is not finished.",
}
SESSION_COMMANDS: dict[Callable[..., Any], str] = {
    SessionWork.current: _UNREAD,
    SessionWork.touch: _UNREAD,
    SessionWork.record: "Your answer was not saved.",
    SessionWork.withdraw: "Your answer was not taken back.",
    SessionWork.save_note: _NOTE_LOST,
    SessionWork.rate: "Your rating was not saved.",
    SessionWork.back: _UNREAD,
    SessionWork.resume: _UNREAD,
    SessionWork.go_to: _UNREAD,
    SessionWork.entries: _UNREAD,
}


class Order(NamedTuple):
    command: Callable[..., Any]  # one of the functions above: it leads to no object
    arguments: tuple[Any, ...]
    future: "Future[Any]"


Inbox = SimpleQueue["Order | JudgingService | None"]


def start(store: JudgingStore, wording: Wording, **options: Any) -> Inbox:
    """Start a judging thread over `store`; None in the inbox ends it."""
    inbox: Inbox = SimpleQueue()
    inbox.put(JudgingService(store, wording, **options))
    taken = threading.Event()
    threading.Thread(target=_serve, args=(inbox, taken), name="judging", daemon=True).start()
    taken.wait()
    return inbox


def _serve(inbox: Inbox, taken: threading.Event) -> None:
    service = inbox.get()
    assert isinstance(service, JudgingService)
    taken.set()
    while (order := _next(inbox, service)) is not None:
        if order.future.set_running_or_notify_cancel():
            _answer(service, order)
        del order  # a future that was answered is its asker's alone


def _next(inbox: Inbox, service: JudgingService) -> Order | None:
    """The next order; while there is none, fetch ahead."""
    try:
        order = inbox.get_nowait()
    except Empty:
        with suppress(Exception):  # fetching ahead is a favour: whoever asks for the texts is told what is wrong
            service.prefetch()
        order = inbox.get()
    assert not isinstance(order, JudgingService)
    return order


def _answer(service: JudgingService, order: Order) -> None:
    try:
        receiver = service.session if order.command in SESSION_COMMANDS else service
        assert receiver is not service or order.command in SERVICE_COMMANDS
        answer = order.command(receiver, *order.arguments)
    except Exception as error:
        order.future.set_exception(_blind_error(error, order.command))
    else:
        order.future.set_result(answer)


def _blind_error(error: Exception, command: Callable[..., Any]) -> AppError:
    """The error in words that name no file."""
    if isinstance(error, Refused):
        return AppError(error.message, hint=error.hint, kept=error.kept)
    return AppError(
        (SERVICE_COMMANDS | SESSION_COMMANDS).get(command, _UNREAD),
        kept="Your note stays here, and what was saved before is kept.",
        hint="See that the project’s disk is there, has room and can be written to, then try again.",
        details=type(error).__name__,
    )
