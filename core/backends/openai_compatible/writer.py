"""An opened endpoint as a backend: many requests at once, their completions handed out on the caller's thread.

All requests of an endpoint, at whichever of its addresses, run in one thread with an event loop.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future, wait
from concurrent.futures import TimeoutError as TookTooLong
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from biasprint.core.backends.openai_compatible.asking import Asker, Wanted
from biasprint.core.backends.openai_compatible.failures import Clock, Trouble, wait_before_next, with_retries
from biasprint.core.backends.openai_compatible.pool import AddressPool, Lent, NobodyAnswers, PooledAddress
from biasprint.core.backends.openai_compatible.reply import Reply
from biasprint.core.backends.openai_compatible.settings import CAPABILITIES, NAME, EndpointSettings, shown_models
from biasprint.core.backends.protocol import Completion, GeneratorInfo, Request, kept
from biasprint.core.errors import AppError, JobCancelled
from biasprint.core.machine.offline import NoConnection, require_connection

# ---- Requests side by side

CANCEL_SECONDS = 1.0
Result = TypeVar("Result")


class Mailbox:
    """Mailbox from the loop's thread to the caller's. Waiting pieces of text are joined, so it stays small."""

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
        """Take what has arrived; wait for a completion for at most so many seconds."""
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
        """Hand out all pieces and completions that are there, or come within so many seconds."""
        pieces, done = self.mailbox.take(seconds)
        self._arrived.extend(done)
        for place, piece in pieces:
            self._on_text(place, piece)
        while self._arrived:
            self.expected -= 1
            self._on_done(*self._arrived.popleft())

    def hand_out_rest(self) -> None:
        """Hand out what was finished by a cancel, so that it is not asked for, and paid for, a second time."""
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
    """Await `last`, and then the ends of streams that were dropped midway, so that nothing is left pending."""
    with suppress(Exception):  # the connections go with the process
        await asyncio.wait_for(last(), CANCEL_SECONDS)
    await asyncio.get_running_loop().shutdown_asyncgens()
    rest = asyncio.all_tasks() - {asyncio.current_task()}
    if rest:
        await asyncio.wait(rest, timeout=CANCEL_SECONDS)


# ---- One text


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


class OneText:
    """One text on its way: from address to address until one writes it, or no more tries are left."""

    def __init__(
        self, pool: AddressPool, askers: Mapping[PooledAddress, Asker], wanted: Wanted, live: Live, clock: Clock
    ) -> None:
        self.tries = 0
        self._pool, self._askers, self._clock = pool, askers, clock
        self._wanted, self._live = wanted, live
        self._lent: Lent | None = None
        self._own_wait = 0.0

    @property
    def address(self) -> PooledAddress:
        """Address that was asked last."""
        assert self._lent is not None
        return self._lent.address

    async def written(self, retries: int, deadline_seconds: float) -> Reply:
        """Return its reply. Raises `Trouble`. The time until a first address has room is not the deadline's."""
        self._lent = await self._pool.take()
        return await with_retries(
            self._attempt,
            retries=retries,
            deadline_seconds=deadline_seconds,
            clock=self._clock,
            seconds_to_next=self._seconds_to_next,
            wait=self._next_address,
        )

    async def _attempt(self) -> Reply:
        """Try once; try elsewhere at once where the address turns out to be of no use to any request."""
        self.tries += 1
        while True:
            assert self._lent is not None
            try:
                return await self._ask(self._lent)
            except Trouble as trouble:
                if not self._pool.leaves_out(self._lent.address, trouble):
                    raise
            self._lent = await self._pool.take()

    async def _ask(self, lent: Lent) -> Reply:
        self._live.begin()
        try:
            reply = await self._askers[lent.address].ask(self._wanted)
            reply.finished()
        except Trouble as trouble:
            self._pool.learn(lent, trouble)
            raise
        else:
            self._pool.learn(lent, None)
            return reply
        finally:
            self._pool.give_back(lent)

    def _seconds_to_next(self, tries: int, trouble: Trouble) -> float:
        self._own_wait = wait_before_next(tries, trouble.wait, self._clock.chance)
        return self._pool.seconds_to_ready(self.address, self._own_wait)

    async def _next_address(self, seconds: float) -> None:
        # Not for these seconds: whichever address is free first ends the wait.
        self._lent = await self._pool.take(self.address, self._own_wait)


# ---- The backend

REFUSED = "The endpoint takes no {name} for this model: its own is used, and each text says so."
LOOK_SECONDS = 0.05
LIST_SECONDS = 10.0  # for an address to list its models


class EndpointWriter:
    """Asks one endpoint for texts of one model. Not for use from several threads at once."""

    name = NAME
    capabilities = CAPABILITIES

    def __init__(self, settings: EndpointSettings, keys: Sequence[str | None], clock: Clock | None = None) -> None:
        """`keys`: one for each address of the endpoint, in their order."""
        endpoint = settings.endpoint
        self._settings = settings
        self._clock = clock or Clock()
        self._crew = Crew()
        self._pool = AddressPool(endpoint, self._clock)
        self._askers = {
            pooled: Asker(replace(settings, endpoint=endpoint.at(address)), key)
            for pooled, address, key in zip(self._pool.addresses, endpoint.addresses, keys, strict=True)
        }

    def __repr__(self) -> str:
        return f"EndpointWriter({self._settings.endpoint.name!r}, {self.model!r})"

    @property
    def model(self) -> str:
        return self._settings.model

    @property
    def left_out(self) -> tuple[str, ...]:
        """A sentence for each address that is not asked, as another serves better, and for each refused parameter."""
        refused = dict.fromkeys(name for asker in self._askers.values() for name in asker.refused)
        return (*self._pool.left_out, *(REFUSED.format(name=name) for name in refused))

    def describe(self) -> GeneratorInfo:
        """Describe the generator, without `revision`: a server tells its fingerprint with a text, and may change it.

        Each text keeps its own.
        """
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
        """Write them all, as many at once as the endpoint's addresses allow; see `ConcurrentBackend`.

        Where a connection broke midway and the next try wrote something else, the pieces of the first try stay as
        they were given, and the completion's text counts. Raises `AppError` where no address answers any more, or none
        serves the model.
        """
        self._pool.begin()
        delivery = Delivery(on_done, on_text)
        begun, paused = 0, False
        try:
            self._leave_strangers_out(requests, check)
            while True:
                check()
                while delivery.expected < self._settings.endpoint.at_once and begun < len(requests) and not paused:
                    paused = not may_start()
                    if not paused:
                        self._require_connection()
                        self._crew.start(partial(self._write, begun, requests[begun], delivery.mailbox))
                        delivery.expected, begun = delivery.expected + 1, begun + 1
                if not delivery.expected:
                    return
                delivery.hand_out(LOOK_SECONDS)
                self._pool.require_somebody()
        except (JobCancelled, NoConnection, NobodyAnswers):
            self._crew.cancel_all()
            delivery.hand_out_rest()
            raise
        finally:
            if delivery.expected:
                self._crew.cancel_all()

    def close(self) -> None:
        self._crew.close(self._close_askers)

    async def _close_askers(self) -> None:
        await asyncio.gather(*(asker.close() for asker in self._askers.values()))

    def _require_connection(self) -> None:
        require_connection(f"the endpoint “{self._settings.endpoint.name}”")

    # ---- On the loop's thread

    async def _write(self, place: int, request: Request, mailbox: Mailbox) -> None:
        """Write the text of one request to its end, whatever that is."""
        started = time.perf_counter()
        live = Live(partial(mailbox.put_piece, place))
        text = OneText(self._pool, self._askers, Wanted(request, live.take), live, self._clock)
        endpoint = self._settings.endpoint
        try:
            reply = await text.written(endpoint.retries, endpoint.deadline_seconds)
            completion = self._completion(reply, text, time.perf_counter() - started)
        except Trouble as trouble:
            if trouble.away and self._pool.nobody_answers:
                return  # the run ends for this, and the request is left open instead of failed
            detail = {"tries": text.tries}
            seconds = time.perf_counter() - started
            completion = Completion("", "error", {}, seconds, trouble.sentence, trouble.failure, detail)
        except Exception as error:
            # Only the kind of error: its text may hold anything.
            sentence = f"The request failed in a way that was not foreseen ({type(error).__name__})."
            detail, seconds = {"tries": text.tries}, time.perf_counter() - started
            completion = Completion("", "error", {}, seconds, sentence, "other", detail)
        mailbox.put_done(place, completion)

    def _completion(self, reply: Reply, text: OneText, seconds: float) -> Completion:
        detail: dict[str, str | int] = {"tries": text.tries}
        if len(self._askers) > 1:
            detail["address"] = text.address.base_url
        if reply.fingerprint:
            detail["fingerprint"] = reply.fingerprint
        if refused := self._askers[text.address].refused:
            detail["without"] = ", ".join(refused)
        if reply.reasoning.strip():
            detail |= kept(reply.reasoning.strip())
        if reply.served_by and reply.served_by != self.model:
            detail["served_by"] = reply.served_by
        return Completion(reply.text, reply.finished(), reply.usage, seconds, detail=detail)

    # ---- Which addresses serve the model

    def _leave_strangers_out(self, requests: Sequence[Request], check: Callable[[], None]) -> None:
        """Ask each of several addresses for its models, and leave those out that list others and not this one.

        Raises `AppError` where all do. One that lists none, or does not answer now, is asked for texts all the same.
        """
        if len(self._askers) == 1 or not requests:
            return
        self._require_connection()
        listing = self._crew.begin(self._listed)
        try:
            while not listing.done():
                check()
                wait([listing], LOOK_SECONDS)
        finally:
            listing.cancel()
        listed = listing.result()
        strangers = {
            address: names for address, names in listed.items() if names and not self._settings.is_among(names)
        }
        if len(strangers) == len(self._askers):
            lists = "; ".join(f"{address.base_url} lists {shown_models(names)}" for address, names in strangers.items())
            raise AppError(
                f"No address of the endpoint “{self._settings.endpoint.name}” serves “{self.model}”: {lists}.",
                kept="Nothing was asked for.",
                hint="Name a model that they serve, or start it there.",
            )
        for address, names in strangers.items():
            self._pool.leave_out(address, f"it serves {shown_models(names)} and not “{self.model}”.")

    async def _listed(self) -> dict[PooledAddress, tuple[str, ...]]:
        each = await asyncio.gather(*(_models_of(asker) for asker in self._askers.values()))
        return dict(zip(self._askers, each, strict=True))


async def _models_of(asker: Asker) -> tuple[str, ...]:
    try:
        async with asyncio.timeout(LIST_SECONDS):
            return await asker.models()
    except (Trouble, TimeoutError):
        return ()
