"""The narrow door to judging, and the thread behind it.

The judging thread alone holds the store, the plan and the map from cards to outputs. A window holds a
`JudgingSession`: an inbox to put orders in, and futures that only ever hold what blind.py defines. The store is handed
over through the inbox and from then on lives in the local variables of `_serve`, so that nothing that a panel holds
leads to it. An error crosses as a new one, without traceback, cause or the file's name: a traceback's frames would
lead back to the store.

What this does not stop: code that goes looking through the interpreter itself (sys._current_frames, gc.get_objects)
or reads the file. It is a wall against leaks by accident or curiosity, in tool tips, titles, logs and debuggers.
"""

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from biasprint.core.errors import AppError
from biasprint.core.judging.blind import (
    Answered,
    OverviewEntry,
    Ratings,
    Revelation,
    SessionProgress,
    SessionView,
    StartInfo,
)
from biasprint.core.judging.service import JudgingService
from biasprint.core.judging.store import JudgingStore
from biasprint.core.judging.wording import ComparisonWording
from biasprint.core.judging.work import Refused, SessionWork

Given = ParamSpec("Given")
Result = TypeVar("Result")

# The commands, and no others, that the judging thread obeys, each with the words for its failure. They name no file:
# project files are named after what they study.
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


class JudgingSession:
    """Every method asks the judging thread and returns at once; the future holds the answer or an `AppError`.

    Answers come in the order of the questions. A future of `record` is done only after the answer is on disk. Each
    names the comparison by its token: a key pressed while the next one was already on its way changes nothing.
    """

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox
        self._closed = False

    def start_info(self, code: str | None = None) -> "Future[StartInfo]":
        return self._ask(JudgingService.start_info, code)

    def start_new_rater(self) -> "Future[StartInfo]":
        """The same for somebody who has not rated here yet."""
        return self._ask(JudgingService.start_new_rater)

    def open(self, offer: str, code: str, consent: bool = False, background: str = "") -> "Future[SessionView]":
        """`background`: how the rater describes themselves, if they want to."""
        return self._ask(JudgingService.open, offer, code, consent, background)

    def current(self) -> "Future[SessionView]":
        return self._ask(SessionWork.current)

    def record(
        self,
        token: str,
        outcome: Answered,
        card: int | None = None,
        note: str | None = None,
        worst: int | None = None,
    ) -> "Future[SessionView]":
        """Record an answer and go on.

        `card`: the index of the chosen card as shown, with outcome "choice" alone; `worst`: of the worst one, where a
        comparison asks for it. `note` None keeps the note as it
        was last saved. A skipped comparison leaves this rater's queue; it can be gone back to until the reveal.
        """
        return self._ask(SessionWork.record, token, outcome, card, note, worst)

    def withdraw(self, token: str) -> "Future[SessionView]":
        """Take back the answer to the comparison in view; it is left to judge again."""
        return self._ask(SessionWork.withdraw, token)

    def back(self, token: str = "") -> "Future[SessionView]":
        """To the answer given before the one in view. No token: from the end."""
        return self._ask(SessionWork.back, token)

    def resume(self) -> "Future[SessionView]":
        """To the next comparison that has no answer yet."""
        return self._ask(SessionWork.resume)

    def go_to(self, token: str) -> "Future[SessionView]":
        return self._ask(SessionWork.go_to, token)

    def entries(self) -> "Future[tuple[OverviewEntry, ...]]":
        return self._ask(SessionWork.entries)

    def save_note(self, token: str, note: str) -> "Future[SessionProgress]":
        """Keep a note while it is being typed."""
        return self._ask(SessionWork.save_note, token, note)

    def rate(self, token: str, card: int, criterion: int, rating: int | None) -> "Future[Ratings]":
        """Rate a card, as shown, by one of its comparison's criteria: 1 to 5, or None to take it back."""
        return self._ask(SessionWork.rate, token, card, criterion, rating)

    def touch(self) -> "Future[SessionProgress]":
        """A sign of life, for the active time."""
        return self._ask(SessionWork.touch)

    def reveal(self, *, anyway: bool = False) -> "Future[Revelation]":
        """Lock the session for good, then say what was hidden. `anyway`: although comparisons are left."""
        return self._ask(JudgingService.reveal, anyway)

    def finish(self, *, anyway: bool = False) -> "Future[SessionProgress]":
        """In a packet: lock the session and seal the file."""
        return self._ask(JudgingService.finish, anyway)

    def leave(self) -> "Future[None]":
        """Put the session away without revealing it. It stays open where a note cannot be saved."""
        return self._ask(JudgingService.leave)

    def close(self, seconds: float = 0.0) -> None:
        """Finish what was asked, waiting at most `seconds` for it, then end the judging thread."""
        if not self._closed:
            left = self.leave()
            self._closed = True
            self._inbox.put(None)
            wait([left], timeout=seconds)

    def _ask(
        self, command: Callable[Concatenate[Any, Given], Result], *arguments: Given.args, **_: Given.kwargs
    ) -> "Future[Result]":
        future: Future[Result] = Future()
        if self._closed:
            future.set_exception(AppError("Judging is closed.", kept="What was saved is kept."))
        else:
            self._inbox.put(Order(command, arguments, future))
        return future


def open_judging(store: JudgingStore, wording: ComparisonWording, **options: Any) -> JudgingSession:
    """Start a judging thread over `store`, and give the door to it.

    `options` are those of `JudgingService`. The caller should drop its own references.
    """
    inbox: Inbox = SimpleQueue()
    inbox.put(JudgingService(store, wording, **options))
    taken = threading.Event()
    threading.Thread(target=_serve, args=(inbox, taken), name="judging", daemon=True).start()
    taken.wait()
    return JudgingSession(inbox)


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
