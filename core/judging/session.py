"""The narrow door to judging, and the thread behind it.

The judging thread alone holds the store, the plan and the map from cards to outputs: one object, a `JudgingWork`. A
window holds a `JudgingSession`: an inbox to put questions in, and futures that only ever hold what blind.py defines.
The work is handed over through the inbox and from then on lives in the local variables of `_serve`, so that nothing
that a panel holds leads to it. An error crosses as a new one, without traceback, cause or the file's name: a
traceback's frames would lead back to the store.

What this does not stop: code that goes looking through the interpreter itself (sys._current_frames, gc.get_objects)
or reads the file. It is a wall against leaks by accident or curiosity, in tool tips, titles, logs and debuggers.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from biasprint.core.errors import AppError
from biasprint.core.judging.blind import BlindAnswer, is_blind
from biasprint.core.judging.offers import leave_session, offer_plans, offer_to_new_rater, open_session
from biasprint.core.judging.reveal import finish, reveal
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.work import (
    JudgingWork,
    Refused,
    current_view,
    go_back,
    go_to,
    list_entries,
    mark_words,
    rate,
    record_choice,
    record_confidence,
    resume,
    save_note,
    touch,
    withdraw,
)

Given = ParamSpec("Given")
Answer = TypeVar("Answer", bound=BlindAnswer)

# The commands, and no others, that the judging thread obeys, each with the sentence for its failure. None names a file:
# project files are named after what they study.
_UNREAD = "The project could not be read."
_NOTE_LOST = "Your note was not saved."
COMMANDS: dict[Callable[..., BlindAnswer], str] = {
    offer_plans: _UNREAD,
    offer_to_new_rater: _UNREAD,
    open_session: "The session was not opened.",
    leave_session: _NOTE_LOST,
    reveal: "The session was not revealed.",
    finish: "The packet is not finished.",
    record_choice: "Your answer was not saved.",
    record_confidence: "Your answer is saved; how sure you are of it was not.",
    mark_words: "The marked words were not saved.",
    withdraw: "Your answer was not taken back.",
    save_note: _NOTE_LOST,
    rate: "Your rating was not saved.",
    touch: _UNREAD,
    current_view: _UNREAD,
    go_back: _UNREAD,
    go_to: _UNREAD,
    resume: _UNREAD,
    list_entries: _UNREAD,
}


class _Question(NamedTuple):
    command: Callable[..., Any]
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    future: "Future[Any]"


_Inbox = SimpleQueue["_Question | JudgingWork | None"]


class JudgingSession:
    """The window's end of the door. Answers come in the order of the questions."""

    def __init__(self, inbox: _Inbox) -> None:
        self._inbox = inbox
        self._closed = False

    def ask(
        self, command: Callable[Concatenate[JudgingWork, Given], Answer], *arguments: Given.args, **named: Given.kwargs
    ) -> "Future[Answer]":
        """Have the judging thread call one of `COMMANDS`, and return at once.

        The future holds the answer or an `AppError`; that of a command that writes is done only once it is on disk.
        """
        future: Future[Answer] = Future()
        if self._closed:
            future.set_exception(AppError("Judging is closed.", kept="What was saved is kept."))
        else:
            self._inbox.put(_Question(command, arguments, named, future))
        return future

    def close(self, seconds: float = 0.0) -> None:
        """Finish what was asked, waiting at most `seconds` for it, then end the judging thread."""
        if not self._closed:
            left = self.ask(leave_session)
            self._closed = True
            self._inbox.put(None)
            wait([left], timeout=seconds)


def open_judging(store: ProjectStore, *, now: Callable[[], float] = time.monotonic) -> JudgingSession:
    """Start a judging thread over `store`, and return the door to it. The caller drops its own references."""
    inbox: _Inbox = SimpleQueue()
    inbox.put(JudgingWork(store, now=now))
    taken = threading.Event()
    threading.Thread(target=_serve, args=(inbox, taken), name="judging", daemon=True).start()
    taken.wait()
    return JudgingSession(inbox)


def _serve(inbox: _Inbox, taken: threading.Event) -> None:
    work = inbox.get()
    assert isinstance(work, JudgingWork)
    taken.set()
    while (question := _next(inbox, work)) is not None:
        if question.future.set_running_or_notify_cancel():
            _answer(work, question)
        del question  # a future that was answered is its asker's alone


def _next(inbox: _Inbox, work: JudgingWork) -> _Question | None:
    """Return the next question; while there is none, fetch ahead."""
    try:
        question = inbox.get_nowait()
    except Empty:
        with suppress(Exception):  # fetching ahead is optional: whoever asks for the texts gets the error
            if work.opened is not None:
                work.opened.prefetch()
        question = inbox.get()
    assert not isinstance(question, JudgingWork)
    return question


def _answer(work: JudgingWork, question: _Question) -> None:
    try:
        if question.command not in COMMANDS:
            raise Refused("Judging has no such command.", kept="Nothing was changed.")
        answer = question.command(work, *question.arguments, **question.named)
        assert is_blind(answer)
    except Exception as error:
        question.future.set_exception(_blind_error(error, question.command))
    else:
        question.future.set_result(answer)


def _blind_error(error: Exception, command: Callable[..., Any]) -> AppError:
    """Return the error in words that name no file."""
    if isinstance(error, Refused):
        return AppError(error.message, hint=error.hint, kept=error.kept)
    return AppError(
        COMMANDS[command],
        kept="Your note stays here, and what was saved before is kept.",
        hint="See that the project’s disk is there, has room and can be written to, then try again.",
        details=type(error).__name__,
    )
