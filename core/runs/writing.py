"""What the model process does for `generate`: opens a backend, keeps it, and hands out every text as it is finished."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from core.backends.protocol import Backend, Completion, ConcurrentBackend, GeneratorInfo, Request
from core.backends.registry import open_backend
from core.jobs import JobContext
from core.runs.choosing import PARAMETER, Chooser

TOGETHER_SECONDS = 0.05  # completions that come within it are handed out, and stored, together
TOGETHER = 16  # at most
LIVE_SECONDS = 0.1  # between two looks at a text that is being written

_open: tuple[tuple[object, ...], Backend] | None = None


@dataclass(frozen=True)
class Written:
    """Completions as they came: the place of the request, and what came of it."""

    completions: tuple[tuple[int, Completion], ...]


@dataclass(frozen=True)
class Live:
    """The text of one request so far."""

    place: int
    text: str


def describe(
    backend: str, model: str, parameters: Mapping[str, Any], keys: Mapping[str, str], ctx: JobContext
) -> GeneratorInfo:
    """Open a backend, and say what will have written its texts. It stays open for what comes next."""
    ctx.check()
    writer = opened(backend, model, parameters, keys)
    choice = _chooser(writer, parameters)  # whether it can choose so is known before anything is written
    info = writer.describe()
    if choice is None:
        return info
    return replace(info, parameters={**info.parameters, PARAMETER: parameters[PARAMETER]})


def write_all(
    backend: str,
    model: str,
    parameters: Mapping[str, Any],
    requests: Sequence[Request],
    keys: Mapping[str, str],
    ctx: JobContext,
) -> bool:
    """Write all requests, or until the caller winds down: False then. Partial results are `Written`, each place once,
    and `Live`.

    `keys`: the session's keys of endpoints. What was finished is handed out also where this ends with an error.
    """
    writer = opened(backend, model, parameters, keys)
    chooser = _chooser(writer, parameters)
    stream = _Stream(ctx)
    try:
        if chooser is None and isinstance(writer, ConcurrentBackend):
            writer.generate_many(requests, stream.done, stream.live, stream.check, lambda: not ctx.winding_down)
            return not ctx.winding_down
        for place, request in enumerate(requests):
            stream.check()
            if ctx.winding_down:
                return False
            stream.done(place, (chooser or writer).generate(request, partial(stream.live, place), stream.check))
        return True
    finally:
        stream.flush()


def opened(backend: str, model: str, parameters: Mapping[str, Any], keys: Mapping[str, str]) -> Backend:
    """The backend with this model, the one that was open where it is the same. One is held open at a time."""
    global _open
    parameters = {name: value for name, value in parameters.items() if name != PARAMETER}
    if keys:
        from core.machine.keys import use_session_keys

        use_session_keys(dict(keys))
    key = (backend, model, repr(sorted(parameters.items())), tuple(sorted(keys.items())))  # a new key opens anew
    if _open is None or _open[0] != key:
        if _open is not None:
            _open[1].close()
            _open = None
        _open = (key, open_backend(backend, model, parameters))
    return _open[1]


def _chooser(writer: Backend, parameters: Mapping[str, Any]) -> Chooser | None:
    return Chooser(writer, parameters[PARAMETER]) if PARAMETER in parameters else None


class _Stream:
    """Hands out completions at once, or, where they come quickly, together; of texts that grow only now and then."""

    def __init__(self, ctx: JobContext) -> None:
        self._ctx = ctx
        self._finished: list[tuple[int, Completion]] = []
        self._growing: dict[int, list[str]] = {}
        self._flushed = self._looked = 0.0

    def done(self, place: int, completion: Completion) -> None:
        self._growing.pop(place, None)
        self._finished.append((place, completion))
        if len(self._finished) >= TOGETHER or time.monotonic() - self._flushed >= TOGETHER_SECONDS:
            self.flush()

    def live(self, place: int, text: str) -> None:
        pieces = self._growing.setdefault(place, [])
        pieces.append(text)
        now = time.monotonic()
        if now - self._looked >= LIVE_SECONDS:
            self._looked = now
            self._ctx.report(0, partial=Live(place, "".join(pieces)))

    def check(self) -> None:
        self._ctx.check()
        if self._finished and time.monotonic() - self._flushed >= TOGETHER_SECONDS:
            self.flush()

    def flush(self) -> None:
        if self._finished:
            self._ctx.report(0, partial=Written(tuple(self._finished)))
            self._finished = []
            self._flushed = time.monotonic()
