"""What a backend is: it takes a request, hands out text as it comes, and gives a completion.

The failure of one request is data: a completion with finish reason "error". Only what makes every request impossible
(a missing model, a wrong parameter) raises `AppError`, from opening the backend.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

FinishReason = Literal["stop", "length", "error"]
Parameter = str | int | float | bool


@dataclass(frozen=True)
class Request:
    """One text to write.

    `fields` holds the prompt's task, theme, axis, identity and its own fields. A language model sees the prompt alone;
    fields are for backends that are none. `temperature`, `top_p` and `max_tokens` are None where the backend decides.
    `seed` has 63 bits (see core.backends.seeds).
    """

    key: str
    prompt: str
    seed: int
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Completion:
    """What came of a request. `error` says in one sentence why, where the finish reason is "error".

    `usage` counts tokens in the backend's own unit ("prompt", "completion"); `seconds` is wall-clock time.
    """

    text: str
    finish_reason: FinishReason
    usage: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    error: str = ""


@dataclass(frozen=True)
class Capabilities:
    """What a backend can do, so that nothing has to ask for its name."""

    streams: bool
    honours_seed: bool
    likelihood: bool
    offline: bool
    is_language_model: bool


@dataclass(frozen=True)
class GeneratorInfo:
    """What wrote a text, exactly enough to write it again. `revision` pins the model: a hash or a version."""

    backend: str
    model: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    revision: str = ""


@dataclass(frozen=True)
class BackendInfo:
    """A backend to choose from. `unavailable` says why it cannot be used here, and is empty where it can."""

    name: str
    title: str
    description: str
    models: tuple[str, ...]
    capabilities: Capabilities
    unavailable: str = ""


@runtime_checkable
class Backend(Protocol):
    """An opened backend with one model."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def capabilities(self) -> Capabilities: ...

    def describe(self) -> GeneratorInfo: ...

    def generate(self, request: Request, on_text: Callable[[str], None], check: Callable[[], None]) -> Completion:
        """Write one text. `on_text` gets each piece as it comes; their sum is the completion's text.

        `check` is called between pieces and raises `JobCancelled` when the person cancelled; it is let through.
        """
        ...

    def close(self) -> None: ...


class BackendPlugin(Protocol):
    """What an entry point of the group `biasprint.backends` names: a module or object with these two."""

    @property
    def INFO(self) -> BackendInfo: ...

    def open(self, model: str, parameters: Mapping[str, Parameter]) -> Backend: ...
