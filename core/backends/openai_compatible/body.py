"""What is sent for one text, and what is left out of it because the server refused it by name."""

import re
from typing import Any

from core.backends.openai_compatible.failures import Trouble
from core.backends.openai_compatible.settings import Settings
from core.backends.protocol import Request

# The lower 32 bits, as llama.cpp takes them, without the one value that means “any seed” to it.
_MOST_SEED = 0xFFFF_FFFE
# Servers that count in signed numbers of 32 bits refuse more than this.
_MOST_SMALL_SEED = 0x7FFF_FFFF
# What a server may refuse without the text being another, and how its words then look, in the order to be tried.
_REFUSABLE = (
    ("stream_options", re.compile(r"stream_options|include_usage")),
    ("max_tokens", re.compile(r"max_completion_tokens")),
    ("seed", re.compile(r"\bseed\b")),
    ("stream", re.compile(r"\bstream(ing)?\b")),
)


class Body:
    """Makes the bodies of requests to one endpoint, and learns from its refusals for all that follow."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._refused: set[str] = set()
        self._most_seed = _MOST_SEED

    @property
    def seed_refused(self) -> bool:
        """Whether texts are written without a seed, because the server takes none."""
        return "seed" in self._refused

    def stop_streaming(self) -> None:
        """The server has nothing to say in streams."""
        self._refused.add("stream")

    def of(self, request: Request, *, stream: bool = True) -> dict[str, Any]:
        """The body for one text. Raises `Trouble` where a character in it cannot be sent."""
        settings = self._settings
        body: dict[str, Any] = {"model": settings.model}
        if settings.mode == "chat":
            system = [{"role": "system", "content": settings.system}] if settings.system else []
            body["messages"] = [*system, {"role": "user", "content": request.prompt}]
        else:
            body["prompt"] = request.prompt
        known = {
            "temperature": _first(request.temperature, settings.temperature),
            "top_p": _first(request.top_p, settings.top_p),
            "max_tokens": _first(request.max_tokens, settings.max_tokens),
            "seed": self._seed(request.seed),
            "stop": list(request.stop) or None,
        }
        body |= {name: value for name, value in known.items() if value is not None} | dict(settings.extra)
        if stream and settings.stream and "stream" not in self._refused:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        if "max_tokens" in self._refused and "max_tokens" in body:
            body["max_completion_tokens"] = body["max_tokens"]
        _require_sendable(request.prompt, settings.system, settings.model, *request.stop)
        return {name: value for name, value in body.items() if name not in self._refused}

    def learns_from(self, trouble: Trouble, body: dict[str, Any]) -> bool:
        """Whether the trouble was a refusal of something in this body that can be put another way; then it is, from
        now on. What was chosen, such as a temperature, is never dropped."""
        if trouble.failure != "refused":
            return False
        name = next((name for name, words in _REFUSABLE if name in body and words.search(trouble.asked)), None)
        if name is None:
            return False
        if name == "seed" and body["seed"] > _MOST_SMALL_SEED:
            self._most_seed = _MOST_SMALL_SEED
        else:
            self._refused.add(name)
        return True

    def _seed(self, seed: int) -> int:
        if self._most_seed == _MOST_SMALL_SEED:
            return seed & _MOST_SMALL_SEED
        return min(seed & 0xFFFF_FFFF, _MOST_SEED)


def _first(value: Any, otherwise: Any) -> Any:
    return otherwise if value is None else value


def _require_sendable(*texts: str) -> None:
    try:
        for text in texts:
            text.encode("utf-8")
    except UnicodeEncodeError:
        raise Trouble(
            "parameters", "The prompt holds half a character (a lone surrogate), which cannot be sent."
        ) from None
