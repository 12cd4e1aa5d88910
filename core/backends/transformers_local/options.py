"""Description of the backend, and its parameters with bounds and defaults. Loads neither torch nor transformers."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from importlib.util import find_spec
from typing import Any

from biasprint.core.backends.local_model import checked_option, read_as
from biasprint.core.backends.protocol import BackendInfo, Capabilities, Parameter
from biasprint.core.errors import UsageError
from biasprint.core.machine.installation import how_to_get

NAME = "transformers"

CAPABILITIES = Capabilities(streams=True, honours_seed=True, likelihood=True, offline=True, is_language_model=True)


def missing() -> str:
    """The package that is not installed; empty where both are. Looked up, not imported."""
    return next((package for package in ("torch", "transformers") if find_spec(package) is None), "")


def why_not() -> str:
    """Return the reason why no folder can be opened here, and what to do; empty where one can."""
    package = missing()
    return how_to_get(package) if package else ""


def info() -> BackendInfo:
    """Describe the backend, and whether it can be used now: its packages may be installed while the program runs."""
    return BackendInfo(
        name=NAME,
        title="transformers (a folder)",
        description=(
            "A language model on this computer, from a folder with safetensors weights. The same seed gives the same "
            "text again on the same device. A GGUF file of the same model is faster without a graphics card."
        ),
        models=(),
        capabilities=CAPABILITIES,
        unavailable=why_not(),
    )


@dataclass(frozen=True)
class TransformersOptions:
    """`temperature` 0 takes the most likely token. `top_k` 0 and `top_p` 1 leave all tokens.

    What is not set is taken from the folder's generation_config.json, else transformers' own default for sampling:
    1, 50 and 1. Penalties for repetition are not applied. `context` None: the model's. `numbers` auto: 32 bits on a
    processor, as stored elsewhere.
    """

    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    context: int | None = None
    chat_template: bool = True
    device: str = "auto"
    numbers: str = "auto"


_DEFAULTS: dict[str, Parameter] = {"temperature": 1.0, "top_k": 50, "top_p": 1.0}


def read_options(parameters: Mapping[str, Parameter]) -> TransformersOptions:
    """Raises `UsageError` for an unknown parameter or a value that it cannot have."""
    known = [field.name for field in fields(TransformersOptions)]
    return read_as(TransformersOptions, known, "transformers", parameters)


def completed(options: TransformersOptions, generation: Mapping[str, Any]) -> TransformersOptions:
    """The options with what the folder's generation_config.json says, else the defaults, where nothing is set."""
    recommended = _recommended(generation)
    values: dict[str, Any] = {
        name: recommended.get(name, default) for name, default in _DEFAULTS.items() if getattr(options, name) is None
    }
    return replace(options, **values)


def recorded(options: TransformersOptions) -> dict[str, Parameter]:
    """Return the options that belong to the generator: all that change its texts."""
    values = {field.name: getattr(options, field.name) for field in fields(options)}
    return {name: value for name, value in values.items() if value is not None}


def _recommended(generation: Mapping[str, Any]) -> dict[str, Parameter]:
    """Return the recommended values that could be set; skip all others."""
    parameters: dict[str, Parameter] = {}
    for name in _DEFAULTS:
        try:
            if name in generation:
                parameters[name] = checked_option(name, generation[name])
        except (UsageError, TypeError, ValueError):
            continue
    return parameters
