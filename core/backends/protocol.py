"""Protocol of a backend: it takes a request, hands out text as it comes, and gives a completion.

The failure of one request is data: a completion with finish reason "error". Only what makes every request impossible
(a missing model, a wrong parameter) raises `AppError`, from opening the backend.

Reasoning that a model writes before its answer: kept apart from the text, which alone is measured.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

LONGEST = 20_000  # characters that are kept
NONE_LEFT = "The reply held only reasoning: no text came after it."
_NAMES = "think|thinking|reasoning|thought"
_OPEN = re.compile(rf"\s*<({_NAMES})>", re.IGNORECASE)
_CLOSE = re.compile(rf"</({_NAMES})>", re.IGNORECASE)
FinishReason = Literal["stop", "length", "error"]
# Why a request failed, so that failures can be counted and asked for again by kind; "" where it did not.
Failure = Literal[
    "",
    "timeout",  # the total deadline of the request ran out
    "rate_limit",  # 429 to the end of the retries
    "credit",  # the account has none left
    "server",  # 5xx to the end of the retries
    "connection",  # no connection, or it broke
    "key",  # 401, 403
    "model",  # the model is unknown there
    "context",  # the prompt is longer than the context
    "refusal",  # the model declined beside a text, or a filter held the prompt or the text back
    "empty",  # a reply without text, or with reasoning alone
    "cut",  # the limit on tokens was reached before any text
    "rejected",  # any other 4xx: the request is not accepted, such as for a parameter
    "redirect",  # redirects are never followed
    "too_large",  # more bytes than the cap
    "bad_reply",  # not the promised form, or without finish reason
    "parameters",  # the prompt lacks what this backend needs
    "other",
]
Parameter = str | int | float | bool


def split_reasoning(reply: str, *, unopened: bool = True) -> tuple[str, str]:
    """Return the text of a reply, and the reasoning before it; "" where there is none.

    Reasoning is what comes before the last end tag. `unopened`: also where it was never opened, as some servers leave
    the opening tag out; not where the reply may repeat a text that wants to be taken for an answer. Reasoning that was
    opened and never closed leaves no text. Tags elsewhere in a text stay.
    """
    opened = _OPEN.match(reply)
    closed = list(_CLOSE.finditer(reply))
    if closed and (opened or unopened):
        reasoning = reply[opened.end() if opened else 0 : closed[-1].start()]
        return reply[closed[-1].end() :].lstrip("\r\n \t"), reasoning.strip()
    if opened:
        return "", reply[opened.end() :].strip()
    return reply, ""


def has_reasoning_end(text: str) -> bool:
    """Return whether a text has an end tag of reasoning in it."""
    return _CLOSE.search(text) is not None


def kept(reasoning: str) -> dict[str, str | int]:
    """Return what is stored of reasoning: its beginning, and how many characters there were where more were."""
    more = {"reasoning_characters": len(reasoning)} if len(reasoning) > LONGEST else {}
    return {"reasoning": reasoning[:LONGEST], **more}


@dataclass(frozen=True)
class Request:
    """One text to write.

    `fields` holds the prompt's task, theme, axis, identity and its own fields. A language model sees the prompt alone;
    fields are for backends that are none. `temperature`, `top_p` and `max_tokens` are None where the backend decides.
    `seed` has 63 bits (see biasprint.core.backends.protocol). `answers`: the replies that the prompt asks for, where
    there are few; a backend that knows likelihoods may choose among them.
    """

    key: str
    prompt: str
    seed: int
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Completion:
    """Result of a request. Where it ended in "error", `error` says why in one sentence, and `failure` of what kind.

    `usage` counts tokens in the backend's own unit ("prompt", "completion", and "cached" of the prompt's); `seconds` is
    wall-clock time. `detail` is what else is kept with the output as JSON, such as the options' likelihoods.
    """

    text: str
    finish_reason: FinishReason
    usage: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    error: str = ""
    failure: Failure = ""
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Capabilities:
    """Features that a backend supports, so that nothing has to ask for its name."""

    streams: bool
    honours_seed: bool
    likelihood: bool
    offline: bool
    is_language_model: bool
    concurrent: bool = False


@dataclass(frozen=True)
class GeneratorInfo:
    """Identity of what wrote a text, exact enough to write it again. `revision` pins the model: a hash or a version."""

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


@runtime_checkable
class ConcurrentBackend(Backend, Protocol):
    """A backend that writes several texts at once (`Capabilities.concurrent`)."""

    def generate_many(
        self,
        requests: Sequence[Request],
        on_done: Callable[[int, Completion], None],
        on_text: Callable[[int, str], None],
        check: Callable[[], None],
        may_start: Callable[[], bool],
    ) -> None:
        """Write them all. `on_done` gets the place of a request and its completion as soon as it is there, on the
        calling thread; `on_text` the pieces of each. Once `may_start` says no (the person paused), what runs is
        finished and nothing more is begun. `check` is called at least twice a second and may raise `JobCancelled`;
        what runs is then given up.
        """
        ...


@runtime_checkable
class RemarkingBackend(Backend, Protocol):
    """A backend with something that a person should know of the texts it writes."""

    @property
    def left_out(self) -> tuple[str, ...]:
        """A sentence for each address that is not asked any more, each parameter that is not sent, and each group for
        which the synthetic author plants nothing; from any thread."""
        ...


@dataclass(frozen=True)
class Likelihood:
    """Likelihood of a continuation: the sum of its tokens' natural log-probabilities, and the number of tokens."""

    logprob: float
    tokens: int


@runtime_checkable
class LikelihoodBackend(Backend, Protocol):
    """A backend that can say how likely given continuations are (`Capabilities.likelihood`)."""

    def likelihood(self, prompt: str, continuations: Sequence[str], check: Callable[[], None]) -> list[Likelihood]:
        """Return the likelihood of each continuation after the same prompt, to which no chat template is applied.

        An empty prompt means the beginning of a text. Raises `AppError` where prompt and continuation are longer
        than the context.
        """
        ...


class BackendPlugin(Protocol):
    """Module or object that an entry point of the group `biasprint.backends` names: it has these two."""

    @property
    def INFO(self) -> BackendInfo: ...

    def open(self, model: str, parameters: Mapping[str, Parameter]) -> Backend: ...


def output_seed(run_seed: int, prompt_key: str, sample: int) -> int:
    """A seed from 0 to 2⁶³ − 1, the same on every machine: the first 63 bits of SHA-256 over the three.

    A resumed run therefore equals an uninterrupted one, in whatever order its outputs are written.
    """
    joined = f"{run_seed}\x1f{sample}\x1f{prompt_key}".encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(joined).digest()[:8], "big") >> 1
