"""An opened endpoint as a backend: many requests at once, their completions handed out on the caller's thread."""

import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from core.backends.openai_compatible.asking import Asker, Wanted
from core.backends.openai_compatible.crew import Crew, Mailbox
from core.backends.openai_compatible.failures import Trouble
from core.backends.openai_compatible.info import INFO, NAME
from core.backends.openai_compatible.live import Live
from core.backends.openai_compatible.reply import Reply
from core.backends.openai_compatible.retries import Clock, with_retries
from core.backends.openai_compatible.settings import Settings
from core.backends.protocol import Completion, GeneratorInfo, Request
from core.errors import JobCancelled
from core.machine.offline import NoConnection, require_connection

LOOK_SECONDS = 0.05


class EndpointWriter:
    """Asks one endpoint for texts of one model. Not for use from several threads at once."""

    name = NAME
    capabilities = INFO.capabilities

    def __init__(self, settings: Settings, key: str | None, clock: Clock | None = None) -> None:
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
