"""What generating and judging share: handing requests to the model process, and knowing when to stop."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.backends.protocol import Completion, Request
from core.compute import ComputeProcess
from core.errors import AppError
from core.jobs import JobContext

HOPELESS = ("key", "model")  # failures that every further request would meet too
HOPELESS_AFTER = 16  # of them, and nothing else
_SAMPLING = ("temperature", "top_p", "max_tokens")


def sampling(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Those of a generator's parameters that belong to a request."""
    return {name: parameters[name] for name in _SAMPLING if name in parameters}


def ask_all(
    ctx: JobContext,
    compute: ComputeProcess,
    generator: tuple[str, str, Mapping[str, Any]],
    requests: Sequence[Request],
    keys: Mapping[str, str],
    receive: Callable[[object], None],
) -> bool:
    """Have them written by a backend, with a model and parameters. False where a pause ended it before the last.

    `receive` is given what `core.runs.writing` hands out.
    """
    backend, model, parameters = generator
    whole: bool = compute.call(
        "core.runs.writing:write_all", backend, model, dict(parameters), requests, dict(keys),
        ctx=ctx, on_report=_quiet, on_partial=receive,
    )  # fmt: skip
    return whole


class Hope:
    """Watches a start: given up where all that comes back are failures that every request would meet."""

    def __init__(self, hint: str) -> None:
        self._hint = hint
        self._failed: int | None = 0  # so far, while there has been nothing else

    def look(self, completions: Sequence[Completion]) -> None:
        """Look at what came back and is stored; raises `AppError` where there is no hope."""
        if self._failed is None:
            return
        if any(completion.failure not in HOPELESS for completion in completions):
            self._failed = None
            return
        self._failed += len(completions)
        if self._failed >= HOPELESS_AFTER:
            raise AppError(
                f"Every request failed: {completions[-1].error}",
                kept="What came back is kept as failures.",
                hint=self._hint,
            )


def _quiet(done: int, total: int | None, note: str) -> None:
    """What counts is what is on disk, and that is counted by whoever asks."""
