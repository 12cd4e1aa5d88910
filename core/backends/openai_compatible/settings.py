"""Description of the backend for endpoints, and the checked parameters of an opened endpoint."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Literal, get_args

from biasprint.core.backends.protocol import BackendInfo, Capabilities, Parameter
from biasprint.core.errors import UsageError
from biasprint.core.machine.endpoints import Address, Endpoint, addresses_in, checked_address, endpoint, endpoint_of
from biasprint.core.machine.installation import how_to_get
from biasprint.core.machine.keys import key_for

NAME = "openai_compatible"


# Whether a seed makes a text come again depends on the server, so it is not promised.
CAPABILITIES = Capabilities(
    streams=True, honours_seed=False, likelihood=False, offline=False, is_language_model=True, concurrent=True
)


def why_not() -> str:
    """Return the reason why no endpoint can be used here, and what to do; empty where one can."""
    return "" if find_spec("openai") else how_to_get("openai")


def info() -> BackendInfo:
    """Describe the backend, and whether it can be used now: its package may be installed while the program runs."""
    return BackendInfo(
        name=NAME,
        title="OpenAI-compatible endpoint",
        description=(
            "A server that is spoken to as OpenAI's, Anthropic's or Gemini's: Ollama, vLLM, llama.cpp's server, LM "
            "Studio, and hosted services. "
            "Prompts leave this computer unless the server runs on it. A seed is sent, but whether it is heeded is up "
            "to the server."
        ),
        models=(),
        capabilities=CAPABILITIES,
        unavailable=why_not(),
    )


Mode = Literal["chat", "completions", "messages", "generate_content"]  # OpenAI's two, Anthropic's, Gemini's
MODES: tuple[Mode, ...] = get_args(Mode)
# Services whose own interface is spoken unless another one is chosen; below Gemini's /openai lies OpenAI's.
_OWN_INTERFACES: tuple[tuple[re.Pattern[str], Mode], ...] = (
    (re.compile(r"https?://api\.anthropic\.com(/|$)"), "messages"),
    (re.compile(r"https?://generativelanguage\.googleapis\.com(?!.*/openai)(/|$)"), "generate_content"),
)


def mode_at(endpoint: Endpoint) -> Mode:
    """Return the interface that an endpoint is asked by where nobody chose one."""
    first = endpoint.addresses[0].base_url
    return next((mode for address, mode in _OWN_INTERFACES if address.match(first)), "chat")


# What else may be sent: parameters of common servers that change how words are drawn. Anything else might change what
# the reply looks like, or be a secret in the wrong place.
EXTRA: Mapping[str, tuple[type, ...]] = {
    "frequency_penalty": (int, float),
    "presence_penalty": (int, float),
    "repeat_penalty": (int, float),
    "repetition_penalty": (int, float),
    "min_p": (int, float),
    "top_k": (int,),
    "reasoning_effort": (str,),
}
_OWN: Mapping[str, tuple[type, ...]] = {
    "endpoint": (str,),
    "base_url": (str,),
    "mode": (str,),
    "system": (str,),
    "stream": (bool,),
    "temperature": (int, float),
    "top_p": (int, float),
    "max_tokens": (int,),
}
_BOUNDS = {"temperature": (0.0, 5.0), "top_p": (0.0, 1.0), "max_tokens": (1, 1_000_000)}


@dataclass(frozen=True)
class EndpointSettings:
    """Endpoint and its settings. `temperature`, `top_p` and `max_tokens` are for requests that leave them open."""

    endpoint: Endpoint
    model: str
    named: bool = True  # whether the endpoint is one that this computer keeps
    mode: Mode = "chat"
    system: str = ""
    stream: bool = True
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    extra: Mapping[str, Parameter] = field(default_factory=dict)

    def key_of(self, address: Address) -> str | None:
        """The key for one of the addresses: kept under the endpoint's name, or the whole address where it has none."""
        return key_for(self.endpoint.name, address.base_url) if self.named else key_for(address.base_url)

    def is_among(self, names: Sequence[str]) -> bool:
        """Return whether a list of models has this one."""
        # Ollama lists “name:latest” and takes the name alone.
        return any(name in names for name in (self.model, f"{self.model}:latest", self.model.removeprefix("models/")))

    def described(self) -> dict[str, Parameter]:
        """Return what changes the text, and its origin; opening with it opens the same again. Never holds a key."""
        known: dict[str, Parameter | None] = {
            "endpoint": self.endpoint.name if self.named else None,
            "base_url": _joined(self.endpoint),
            "mode": self.mode,
            "system": self.system or None,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
        }
        return {name: value for name, value in known.items() if value is not None} | dict(self.extra)


SHOWN_MODELS = 3


def shown_models(names: Sequence[str]) -> str:
    """The first of some models, for a sentence."""
    more = f" and {len(names) - SHOWN_MODELS:,} more" if len(names) > SHOWN_MODELS else ""
    return ", ".join(f"“{name}”" for name in names[:SHOWN_MODELS]) + more


def settings_of(model: str, parameters: Mapping[str, Parameter]) -> EndpointSettings:
    """Read and check them. `UsageError` for an unknown or impossible parameter, endpoint or model."""
    for name, value in parameters.items():
        _check(name, value)
    if not model.strip():
        raise UsageError("No model was named.", hint="The test of the endpoint lists those it has.")
    asked: str = str(parameters.get("mode", ""))
    if asked and asked not in MODES:
        raise UsageError(f"There is no mode “{asked}”.", hint=f"Choose one of: {', '.join(MODES)}.")
    endpoint = _endpoint(str(parameters.get("endpoint", "")), str(parameters.get("base_url", "")))
    mode = next((mode for mode in MODES if mode == asked), mode_at(endpoint))
    if mode == "completions" and parameters.get("system"):
        raise UsageError("Plain completions have no system prompt.", hint="Leave it out, or choose the mode “chat”.")
    numbers = {name: parameters.get(name) for name in _BOUNDS}
    return EndpointSettings(
        endpoint=endpoint,
        model=model.strip(),
        named=bool(parameters.get("endpoint")),
        mode=mode,
        system=str(parameters.get("system", "")),
        stream=bool(parameters.get("stream", True)),
        extra={name: parameters[name] for name in EXTRA if name in parameters},
        **numbers,  # type: ignore[arg-type]  # their types were checked above
    )


def _endpoint(name: str, address: str) -> Endpoint:
    """The endpoint of that name, or the one at an address (or several) that was given instead.

    An address never replaces a kept endpoint's: its key would go to whatever a foreign project names.
    """
    if not name and not address:
        raise UsageError("No endpoint was named.", hint="Give the name of an endpoint, or its address as base_url.")
    if not name:
        urls = [checked_address(url) for url in addresses_in(address)]
        return endpoint_of(" ".join(urls)[:60].strip(), urls)
    stored = endpoint(name)
    if address and _joined(endpoint_of(name, addresses_in(address))) != _joined(stored):
        raise UsageError(
            f"The endpoint “{name}” has another address on this computer.",
            hint="Change it under Models if it moved; its key is sent nowhere else.",
        )
    return stored


def _joined(endpoint: Endpoint) -> str:
    # In one order: the texts belong to the set, however its addresses are sorted on a computer.
    return " ".join(sorted(address.base_url for address in endpoint.addresses))


def _check(name: str, value: Parameter) -> None:
    allowed = _OWN.get(name) or EXTRA.get(name)
    if allowed is None:
        hint = f"It knows: {', '.join([*_OWN, *EXTRA])}."
        raise UsageError(f"An endpoint takes no parameter “{name}”.", hint=hint)
    if not isinstance(value, allowed) or (isinstance(value, bool) and bool not in allowed):
        raise UsageError(f"The parameter “{name}” cannot be that.", hint=f"Give {_words(allowed)}.")
    low, high = _BOUNDS.get(name, (None, None))
    if low is not None and high is not None and isinstance(value, int | float) and not low <= value <= high:
        raise UsageError(f"{name} cannot be {value}.", hint=f"Choose a number from {low:g} to {high:g}.")


def _words(allowed: tuple[type, ...]) -> str:
    names = {str: "text", bool: "yes or no", int: "a whole number", float: "a number"}
    return names[allowed[-1]]
