"""The thread of an opened endpoint: an event loop for all of its requests, and what passes to the caller."""

import asyncio
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from biasprint.core.backends.protocol import Completion
from biasprint.core.errors import JobCancelled

CANCEL_SECONDS = 1.0
Result = TypeVar("Result")


class Mailbox:
    """From the loop's thread to the caller's. Pieces of text are joined while they wait, so it stays small."""

    def __init__(self) -> None:
        self._arrived = threading.Condition()
        self._pieces: dict[int, list[str]] = {}
        self._done: deque[tuple[int, Completion]] = deque()

    def put_piece(self, place: int, piece: str) -> None:
        # Nobody is woken for a piece: the caller looks often enough for eyes.
        with self._arrived:
            self._pieces.setdefault(place, []).append(piece)

    def put_done(self, place: int, completion: Completion) -> None:
        with self._arrived:
            self._done.append((place, completion))
            self._arrived.notify()

    def take(self, seconds: float) -> tuple[list[tuple[int, str]], list[tuple[int, Completion]]]:
        """What arrived; waits for a completion, at most so long."""
        with self._arrived:
            if not self._done:
                self._arrived.wait(seconds)
            pieces = [(place, "".join(parts)) for place, parts in self._pieces.items()]
            done = list(self._done)
            self._pieces.clear()
            self._done.clear()
        return pieces, done


class Delivery:
    """Hands out, on the caller's thread, what comes into a mailbox; `expected` completions are still to come."""

    def __init__(self, on_done: Callable[[int, Completion], None], on_text: Callable[[int, str], None]) -> None:
        self.mailbox = Mailbox()
        self.expected = 0
        self._on_done, self._on_text = on_done, on_text
        self._arrived: deque[tuple[int, Completion]] = deque()

    def hand_out(self, seconds: float) -> None:
        """What is there, or comes within so many seconds."""
        pieces, done = self.mailbox.take(seconds)
        self._arrived.extend(done)
        for place, piece in pieces:
            self._on_text(place, piece)
        while self._arrived:
            self.expected -= 1
            self._on_done(*self._arrived.popleft())

    def hand_out_rest(self) -> None:
        """After a cancel: what was finished by then is not asked for, and paid for, a second time."""
        for place, completion in [*self._arrived, *self.mailbox.take(0)[1]]:
            with suppress(JobCancelled):
                self._on_done(place, completion)


class Crew:
    """An event loop on a thread of its own, begun with the first request."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._tasks: set[asyncio.Task[None]] = set()  # touched only on the loop's thread

    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begin something; it reports through a mailbox and lets no exception out."""
        loop = self._running_loop()
        loop.call_soon_threadsafe(self._start, loop, work)

    def begin(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Future[Result]:
        """Run it there; what it gives comes with the future, and cancelling that ends it."""
        return asyncio.run_coroutine_threadsafe(work(), self._running_loop())

    def cancel_all(self) -> None:
        """Give up everything that runs; back within about a second even if something does not let go."""
        if self._loop is None:
            return
        try:
            self.begin(self._cancel_tasks).result(CANCEL_SECONDS + 0.5)
        except TookTooLong:
            return

    def close(self, last: Callable[[], Awaitable[None]]) -> None:
        """Give up what runs, do the last thing, and end the thread. A second time it does nothing."""
        if self._loop is None or self._thread is None:
            return
        self.cancel_all()
        with suppress(TookTooLong):  # what is left ends with the process
            self.begin(partial(_leave_tidy, last)).result(2 * CANCEL_SECONDS + 0.5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(2 * CANCEL_SECONDS)
        self._loop, self._thread = None, None

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_run, args=(self._loop,), name="endpoint", daemon=True)
            self._thread.start()
        return self._loop

    def _start(self, loop: asyncio.AbstractEventLoop, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        task = loop.create_task(work())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _cancel_tasks(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=CANCEL_SECONDS)


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


async def _leave_tidy(last: Callable[[], Awaitable[None]]) -> None:
    """The last thing, and then the ends of streams that were dropped midway, so that nothing is left pending."""
    with suppress(Exception):  # the connections go with the process
        await asyncio.wait_for(last(), CANCEL_SECONDS)
    await asyncio.get_running_loop().shutdown_asyncgens()
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    if rest:
        await asyncio.wait(rest, timeout=CANCEL_SECONDS)
