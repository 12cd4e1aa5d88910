"""Keeping one thing out of reach for a while: for a window that must not lead to its project while a rater is blind."""

import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, Generic, NamedTuple, TypeVar, cast

Thing = TypeVar("Thing")
Answer = TypeVar("Answer")


class _Order(NamedTuple):
    work: Callable[[Any], Any]
    answer: "SimpleQueue[tuple[bool, Any]]"
    last: bool


_Inbox = SimpleQueue[object]


class Vault(Generic[Thing]):
    """Holds a thing in the local variables of a thread; no attribute of the vault, or of the thread, leads to it.

    The caller drops its own references after construction. `take` gives the thing back, once.
    """

    def __init__(self, thing: Thing) -> None:
        self._inbox: _Inbox = SimpleQueue()
        self._inbox.put(thing)
        locked = threading.Event()
        threading.Thread(target=_keep, args=(self._inbox, locked), name="vault", daemon=True).start()
        locked.wait()
        self._taken = False

    def use(self, work: Callable[[Thing], Answer]) -> Answer:
        """Call `work` with the thing in the vault's own thread, and return its answer. RuntimeError if it fails."""
        return cast(Answer, self._ask(work, last=False))

    def take(self) -> Thing:
        """Return the thing; the vault is empty afterwards. RuntimeError if it is already."""
        return cast(Thing, self._ask(lambda thing: thing, last=True))

    def _ask(self, work: Callable[[Thing], Any], *, last: bool) -> object:
        if self._taken:
            raise RuntimeError("the vault is empty")
        self._taken = last
        answer: SimpleQueue[tuple[bool, Any]] = SimpleQueue()
        self._inbox.put(_Order(work, answer, last))
        done, value = answer.get()
        if not done:
            raise RuntimeError(f"work in the vault failed: {value}")
        return cast(object, value)


def _keep(inbox: _Inbox, locked: threading.Event) -> None:
    thing = inbox.get()
    locked.set()
    last = False
    while not last:
        work, answer, last = cast(_Order, inbox.get())
        try:
            answer.put((True, work(thing)))
        except Exception as error:  # in words: the frames of an error that crosses would lead to the thing
            answer.put((False, type(error).__name__))
        del work, answer  # what was asked is its asker's alone
