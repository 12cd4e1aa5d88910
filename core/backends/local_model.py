"""Common parts of local models' backends: finding the model, the memory it needs, and text out of pieces of bytes."""

import codecs
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from biasprint.core.backends.protocol import Parameter
from biasprint.core.errors import UsageError
from biasprint.core.machine.models.installed import find
from biasprint.core.scorers.folders.loading import CHOICES

# ---- Models and tokens

ROLE = "generator"


@dataclass(frozen=True)
class FoundModel:
    """`name`: as it is recorded; a path's is its last part. `sha256`: of the file, or of the folder's files that count.

    `format`: as `biasprint.core.machine.models.installed` has it.
    """

    name: str
    path: Path
    sha256: str
    format: str


def find_local(model: str) -> FoundModel:
    """Find the model that a catalogue name, a user's name or a path means. Raises `AppError` where there is none."""
    known = find(model, roles={ROLE})
    name = known.path.name if known.origin == "path" else known.name
    return FoundModel(name, known.path, known.sha256, known.format)


def shared_beginning(lists: Sequence[Sequence[int]]) -> list[int]:
    """Return the tokens with which all lists begin."""
    shortest = min(lists, key=len)
    for at, token in enumerate(shortest):
        if any(other[at] != token for other in lists):
            return list(shortest[:at])
    return list(shortest)


# ---- Options

_BOUNDS: dict[str, tuple[float, float]] = {
    "temperature": (0, 100),
    "top_k": (0, 1_000_000),
    "top_p": (0, 1),
    "min_p": (0, 1),
    "repeat_penalty": (1, 10),
    "max_tokens": (0, 1_000_000),
    "context": (1, 2**31 - 1),
    "threads": (0, 512),
    "gpu_layers": (-1, 10_000),
    "penalty_window": (0, 1_000_000),
    "min_tokens": (0, 1_000_000),
    "round_off": (0, 1_000_000),
    "at_once": (1, 64),
}
_NOT_WHOLE = frozenset({"temperature", "top_p", "min_p", "repeat_penalty"})
_SWITCHES = frozenset({"prefix_cache", "chat_template"})
_WORDS = frozenset({"system", "stop"})
_CHOICES = {"device": CHOICES, "numbers": ("auto", "float32", "bfloat16", "float16")}
LONGEST_WORDS = 20_000  # characters of a system message, or of all stop words
Options = TypeVar("Options")


def read_as(kind: type[Options], known: Sequence[str], backend: str, parameters: Mapping[str, Parameter]) -> Options:
    """Return a backend's options. Raises `UsageError` for an unknown parameter or a value that it cannot have."""
    if unknown := sorted(set(parameters) - set(known)):
        raise UsageError(f"{backend} has no parameter “{unknown[0]}” here.", hint=f"Choose from: {', '.join(known)}.")
    return kind(**{name: checked_option(name, value) for name, value in parameters.items()})


def checked_option(name: str, value: Parameter) -> Parameter:
    """Return the value of an option in its type. Raises `UsageError` for one that it cannot have."""
    if name in _SWITCHES:
        if not isinstance(value, bool):
            raise UsageError(f"“{name}” is true or false, not {value!r}.", hint=f"Set {name} to true or false.")
        return value
    if name in _WORDS:
        if not isinstance(value, str) or len(value) > LONGEST_WORDS:
            raise UsageError(f"“{name}” is a text of at most {LONGEST_WORDS:,} characters.", hint=f"Change {name}.")
        return value
    if name in _CHOICES:
        if value not in _CHOICES[name]:
            raise UsageError(f"“{name}” cannot be {value!r}.", hint=f"Choose one of: {', '.join(_CHOICES[name])}.")
        return value
    low, high = _BOUNDS[name]
    kind = float if name in _NOT_WHOLE else int
    if isinstance(value, bool | str) or not low <= value <= high or kind(value) != value:
        what = "a number" if name in _NOT_WHOLE else "a whole number"
        raise UsageError(f"“{name}” is {what} from {low:,} to {high:,}, not {value!r}.", hint=f"Choose another {name}.")
    return kind(value)


# ---- Memory

_BYTES_PER_NUMBER = 2  # keys and values are kept as 16-bit floats


def cache_bytes(metadata: Mapping[str, Any], context: int) -> int:
    """Estimate the memory of a context's keys and values: 2 · layers · context · heads of keys · head size · 2 bytes.

    The estimate is an upper one: layers that keep only a window or a state take less.
    """
    kind = metadata["general.architecture"]

    def number(key: str, otherwise: int) -> int:
        value = metadata.get(f"{kind}.{key}", otherwise)
        return max(value, default=otherwise) if isinstance(value, tuple) else int(value)

    heads = max(1, number("attention.head_count", 1))
    kv_heads = number("attention.head_count_kv", heads)
    head = number("attention.key_length", number("embedding_length", 1) // heads)
    return 2 * number("block_count", 1) * context * kv_heads * head * _BYTES_PER_NUMBER


class Spelling:
    """Takes the bytes of one token after another and hands on text as soon as it is certain.

    Certain is what no longer can become another character or the beginning of a stop string. Bytes that are no
    character become “\ufffd”.
    """

    def __init__(self, stops: Sequence[str], on_text: Callable[[str], None]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._longest = max(map(len, self._stops), default=0)
        self._on_text = on_text
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._said: list[str] = []
        self._held = ""
        self.stopped = False

    @property
    def text(self) -> str:
        """All text handed on so far."""
        return "".join(self._said)

    def add(self, piece: bytes) -> None:
        self._take(self._decoder.decode(piece))

    def finish(self) -> None:
        """End the text. No more tokens come, so what was held back is text after all."""
        self._take(self._decoder.decode(b"", final=True))
        if not self.stopped:
            self._say(self._held)
            self._held = ""

    def _take(self, text: str) -> None:
        if not text or self.stopped:
            return
        if not self._stops:
            self._say(text)
            return
        self._held += text
        at = min((place for place in map(self._held.find, self._stops) if place >= 0), default=-1)
        if at >= 0:
            self._say(self._held[:at])
            self._held = ""
            self.stopped = True
            return
        certain = len(self._held) - self._uncertain()
        self._say(self._held[:certain])
        self._held = self._held[certain:]

    def _uncertain(self) -> int:
        """Count the characters at the end that may be the beginning of a stop string."""
        for length in range(min(self._longest - 1, len(self._held)), 0, -1):
            end = self._held[-length:]
            if any(stop.startswith(end) for stop in self._stops):
                return length
        return 0

    def _say(self, text: str) -> None:
        if text:
            self._said.append(text)
            self._on_text(text)
