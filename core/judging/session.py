"""The narrow door to judging. Whoever holds it can ask, and is given only what blind.py defines."""

from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Any, Concatenate, ParamSpec, TypeVar

from core.errors import AppError
from core.judging.blind import Answered, Entry, Ratings, Revelation, SessionProgress, SessionView, StartInfo
from core.judging.desk import JudgingService
from core.judging.service import Inbox, Order, start
from core.judging.store import JudgingStore
from core.judging.wording import Wording
from core.judging.work import SessionWork

Given = ParamSpec("Given")
Result = TypeVar("Result")


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
        self, token: str, outcome: Answered, card: int | None = None, note: str | None = None
    ) -> "Future[SessionView]":
        """Record an answer and go on.

        `card`: the index of the chosen card as shown, with outcome "choice" alone. `note` None keeps the note as it
        was last saved. A skipped comparison leaves this rater's queue; it can be gone back to until the reveal.
        """
        return self._ask(SessionWork.record, token, outcome, card, note)

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

    def entries(self) -> "Future[tuple[Entry, ...]]":
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


def open_judging(store: JudgingStore, wording: Wording, **options: Any) -> JudgingSession:
    """A door to judging over `store`; `options` are those of `JudgingService`. The caller drops its own references."""
    return JudgingSession(start(store, wording, **options))
