"""What the compute process does for `generate`: open a backend once, then write batch after batch with it."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.backends.protocol import Backend, Completion, Request
from core.backends.registry import open_backend
from core.jobs import JobContext

_open: tuple[tuple[str, str, str], Backend] | None = None


def write_batch(
    backend: str, model: str, parameters: Mapping[str, Any], requests: Sequence[Request], ctx: JobContext
) -> list[Completion]:
    """One completion for each request, in order. One backend is held open at a time."""
    writer = _backend(backend, model, parameters)
    return [writer.generate(request, _ignore, ctx.check) for request in requests]


def _backend(backend: str, model: str, parameters: Mapping[str, Any]) -> Backend:
    global _open
    key = (backend, model, repr(sorted(parameters.items())))
    if _open is None or _open[0] != key:
        if _open is not None:
            _open[1].close()
            _open = None
        _open = (key, open_backend(backend, model, parameters))
    return _open[1]


def _ignore(text: str) -> None:
    """Nobody watches single words arrive from here."""
