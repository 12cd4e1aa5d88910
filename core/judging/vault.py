"""Keeping one thing out of reach for a while: for a window that must not lead to its project while a rater is blind."""

import threading
from queue import SimpleQueue
from typing import Generic, TypeVar, cast

Thing = TypeVar("Thing")


class Vault(Generic[Thing]):
    """Holds a thing in the local variables of a thread; no attribute of the vault, or of the thread, leads to it.

    The caller drops its own references after construction. `take` gives the thing back, once.
    """

    def __init__(self, thing: Thing) -> None:
        self._inbox: SimpleQueue[Thing | SimpleQueue[Thing]] = SimpleQueue()
        self._inbox.put(thing)
        locked = threading.Event()
        threading.Thread(target=_keep, args=(self._inbox, locked), name="vault", daemon=True).start()
        locked.wait()
        self._taken = False

    def take(self) -> Thing:
        """The thing; the vault is empty afterwards. RuntimeError if it is already."""
        if self._taken:
            raise RuntimeError("the vault is empty")
        self._taken = True
        hatch: SimpleQueue[Thing] = SimpleQueue()
        self._inbox.put(hatch)
        return hatch.get()


def _keep(inbox: "SimpleQueue[Thing | SimpleQueue[Thing]]", locked: threading.Event) -> None:
    thing = cast(Thing, inbox.get())
    locked.set()
    hatch = cast("SimpleQueue[Thing]", inbox.get())
    hatch.put(thing)
