"""An opened endpoint as a backend: many requests at once, their completions handed out on the caller's thread.

All requests of an endpoint run in one thread with an event loop.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import TimeoutError as TookTooLong
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from core.backends.openai_compatible.asking import Asker, Wanted
from core.backends.openai_compatible.failures import Clock, Trouble, with_retries
from core.backends.openai_compatible.reply import Reply
from core.backends.openai_compatible.settings import CAPABILITIES, NAME, EndpointSettings
from core.backends.protocol import Completion, GeneratorInfo, Request
from core.errors import JobCancelled
from core.machine.offline import NoConnection, require_connection

# ---- The thread

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


class Crew:
    """An event loop on a thread of its own, begun with the first request."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._tasks: set[asyncio.Task[None]] = set()  # touched only on the loop's thread

    def start(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begin something; it reports through a mailbox and lets no exception out."""
        loop = self._running_loop()
        loop.call_soon_threadsafe(self._begin, loop, work)

    def call(self, work: Callable[[], Coroutine[Any, Any, Result]], seconds: float | None = None) -> Result:
        """Run it there and wait for what it gives."""
        return asyncio.run_coroutine_threadsafe(work(), self._running_loop()).result(seconds)

    def cancel_all(self) -> None:
        """Give up everything that runs; back within about a second even if something does not let go."""
        if self._loop is None:
            return
        try:
            self.call(self._cancel_tasks, CANCEL_SECONDS + 0.5)
        except TookTooLong:
            return

    def close(self, last: Callable[[], Awaitable[None]]) -> None:
        """Give up what runs, do the last thing, and end the thread. A second time it does nothing."""
        if self._loop is None or self._thread is None:
            return
        self.cancel_all()
        with suppress(TookTooLong):  # what is left ends with the process
            self.call(partial(_leave_tidy, last), 2 * CANCEL_SECONDS + 0.5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(2 * CANCEL_SECONDS)
        self._loop, self._thread = None, None

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_run, args=(self._loop,), name="endpoint", daemon=True)
            self._thread.start()
        return self._loop

    def _begin(self, loop: asyncio.AbstractEventLoop, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
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


class Live:
    """Hands pieces out as they come. A second try goes on only where it repeats what was handed out already."""

    def __init__(self, put: Callable[[str], None]) -> None:
        self._put = put
        self._shown: list[str] = []
        self._expected = ""
        self._matched = 0
        self._silent = False

    def begin(self) -> None:
        self._expected = "".join(self._shown)
        self._matched = 0
        self._silent = False

    def take(self, piece: str) -> None:
        if self._silent:
            return
        known = self._expected[self._matched : self._matched + len(piece)]
        if not piece.startswith(known):
            self._silent = True
            return
        self._matched += len(known)
        new = piece[len(known) :]
        if new:
            self._shown.append(new)
            self._put(new)


LOOK_SECONDS = 0.05


class EndpointWriter:
    """Asks one endpoint for texts of one model. Not for use from several threads at once."""

    name = NAME
    capabilities = CAPABILITIES

    def __init__(self, settings: EndpointSettings, key: str | None, clock: Clock | None = None) -> None:
        self._settings = settings
        self._clock = clock or Clock()
        self._crew = Crew()
        self._asker = Asker(settings, key)

    def __repr__(self) -> str:
        return f"EndpointWriter({self._settings.endpoint.name!r}, {self.model!r})"

    @property
    def model(self) -> str:
        return self._settings.model

    def describe(self) -> GeneratorInfo:
        """No `revision`: a server tells its fingerprint with a text, and may change it; each text keeps its own."""
        return GeneratorInfo(NAME, self.model, self._settings.described())

    def generate(self, request: Request, on_text: Callable[[str], None], check: Callable[[], None]) -> Completion:
        """Write one text, as `generate_many` does."""
        written: list[Completion] = []
        self.generate_many(
            [request],
            on_done=lambda _, completion: written.append(completion),
            on_text=lambda _, piece: on_text(piece),
            check=check,
            may_start=lambda: True,
        )
        return written[0]

    def generate_many(
        self,
        requests: Sequence[Request],
        on_done: Callable[[int, Completion], None],
        on_text: Callable[[int, str], None],
        check: Callable[[], None],
        may_start: Callable[[], bool],
    ) -> None:
        """Write them all, as many at once as the endpoint allows; see `ConcurrentBackend`.

        Where a connection broke midway and the next try wrote something else, the pieces of the first try stand alone
        and the completion's text is what counts.
        """
        mailbox = Mailbox()
        arrived: deque[tuple[int, Completion]] = deque()
        running, begun, paused = 0, 0, False
        try:
            while True:
                check()
                while running < self._settings.endpoint.concurrency and begun < len(requests) and not paused:
                    paused = not may_start()
                    if not paused:
                        require_connection(f"the endpoint “{self._settings.endpoint.name}”")
                        self._crew.start(partial(self._write, begun, requests[begun], mailbox))
                        running, begun = running + 1, begun + 1
                if not running:
                    return
                pieces, done = mailbox.take(LOOK_SECONDS)
                arrived.extend(done)
                for place, piece in pieces:
                    on_text(place, piece)
                while arrived:
                    running -= 1
                    on_done(*arrived.popleft())
        except (JobCancelled, NoConnection):
            self._crew.cancel_all()
            # What was finished by then is not asked for, and paid for, a second time.
            for place, completion in [*arrived, *mailbox.take(0)[1]]:
                with suppress(JobCancelled):
                    on_done(place, completion)
            raise
        finally:
            if running:
                self._crew.cancel_all()

    def close(self) -> None:
        self._crew.close(self._asker.close)

    async def _write(self, place: int, request: Request, mailbox: Mailbox) -> None:
        """One request to its end, whatever that is."""
        started = time.perf_counter()
        live = Live(partial(mailbox.put_piece, place))
        wanted = Wanted(request, live.take)
        endpoint = self._settings.endpoint
        tries = 0

        async def attempt() -> Reply:
            nonlocal tries
            tries += 1
            live.begin()
            reply = await self._asker.ask(wanted)
            reply.finished()
            return reply

        try:
            reply = await with_retries(
                attempt, retries=endpoint.retries, deadline_seconds=endpoint.deadline_seconds, clock=self._clock
            )
            completion = self._completion(reply, tries, time.perf_counter() - started)
        except Trouble as trouble:
            detail = {"tries": tries}
            seconds = time.perf_counter() - started
            completion = Completion("", "error", {}, seconds, trouble.sentence, trouble.failure, detail)
        except Exception as error:
            # Only the kind of error: its text may hold anything.
            sentence = f"The request failed in a way that was not foreseen ({type(error).__name__})."
            completion = Completion("", "error", {}, time.perf_counter() - started, sentence, "other", {"tries": tries})
        mailbox.put_done(place, completion)

    def _completion(self, reply: Reply, tries: int, seconds: float) -> Completion:
        detail: dict[str, str | int] = {"tries": tries}
        if reply.fingerprint:
            detail["fingerprint"] = reply.fingerprint
        if self._asker.seed_refused:
            detail["without"] = "seed"
        if reply.served_by and reply.served_by != self.model:
            detail["served_by"] = reply.served_by
        return Completion(reply.text, reply.finished(), reply.usage, seconds, detail=detail)
