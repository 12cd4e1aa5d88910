"""Description of the backend, and its parameters with bounds and defaults. Loads no part of llama.cpp.

Installing only llama.cpp, the local-model engine, where the program was installed without it or that install failed.

No restart is needed afterwards: the package is looked up again whenever a model is opened.
"""

import importlib
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.util import find_spec

from biasprint.core.backends.local_model import read_as
from biasprint.core.backends.protocol import BackendInfo, Capabilities, Parameter
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.installation import declared, is_under_way, parts, pip, status
from biasprint.core.machine.installation.declared import requirements
from biasprint.core.machine.installation.preparing import why_not
from biasprint.core.machine.offline import require_connection

__all__ = ["install", "why_not"]

TITLE = "The local-model engine"
KEPT = "Everything that needs no GGUF file works without it."
NAME = "llama_cpp"
MISSING = "The local-model engine (llama.cpp) is not installed here"
PART = "engine"  # of the program's installation
HOW_TO_INSTALL = (
    "Install it in the models panel, or with “biasprint models engine”; "
    "that needs a C++ compiler and takes some minutes."
)

CAPABILITIES = Capabilities(streams=True, honours_seed=True, likelihood=True, offline=True, is_language_model=True)


def install(ctx: JobContext) -> None:
    """Let pip fetch and compile it; cancelling ends pip with all that it started. Does nothing where it is here.

    Raises `NoConnection` while the offline switch is on, `AppError` where it cannot be installed, with the reason.
    """
    if installed():
        return
    if reason := why_not():
        raise AppError(f"{TITLE} cannot be installed here: {reason}.", kept=KEPT)
    require_connection("installing the local-model engine")
    part = next(each for each in parts() if each.id == "engine")
    start, note = time.monotonic(), "looking for it"

    def look() -> None:
        ctx.step(round(time.monotonic() - start), note=note)

    def told(step: pip.PipStep) -> None:
        nonlocal note
        note = step.words

    with declared.waited_for(sys.prefix, look) as locked:
        outcome = pip.run(requirements(part), look=look, told=told, gently=True, inherits=[locked.fileno()])
    importlib.invalidate_caches()
    if outcome.code != 0 or not installed():
        trouble = pip.trouble(outcome.said)
        raise AppError(
            f"{TITLE} could not be installed: {trouble.why}.", kept=KEPT, hint=trouble.hint, details=outcome.said
        )


def installed() -> bool:
    """Return whether the package is installed, without importing it."""
    return find_spec("llama_cpp") is not None


def info() -> BackendInfo:
    """Describe the backend, and whether it can be used now: the engine may be installed while the program runs."""
    return BackendInfo(
        name=NAME,
        title="llama.cpp (a GGUF file)",
        description=(
            "A language model on this computer, from one GGUF file. The same seed gives the same text again where what "
            "prompts share is not reused; reusing it is faster, and a few texts may then differ in their later words."
        ),
        models=(),
        capabilities=CAPABILITIES,
        unavailable="" if installed() else f"{MISSING}. {how_to_get_it()}",
    )


def how_to_get_it() -> str:
    """Return a sentence: how to install the missing engine, why it is missing, or that it is being prepared."""
    engine = next((each for each in status() if each.part.id == PART and each.state != "ready"), None)
    if engine is None or (engine.state == "waiting" and not is_under_way()):
        return HOW_TO_INSTALL
    if engine.state in ("failed", "left out"):
        return engine.sentence
    return "It is still being prepared, and can be used as soon as it is there."


DEFAULT_CONTEXT = 4_096


@dataclass(frozen=True)
class LlamaOptions:
    """`temperature` 0 takes the most likely token. `top_k` 0, `top_p` 1 and `min_p` 0 leave all tokens.

    `repeat_penalty` 1 is none: any other changes how often words occur. The defaults of sampling are llama.cpp's own.
    `context` None: the model's, at most 4,096 tokens. `threads` 0: all cores for prompts, half of
    them (at least two) for texts. `gpu_layers` −1: all, where the library was built for a graphics processor.

    `system`: the chat's system message; empty for the template's own. `stop`: a text ends before the first of these
    words, which are separated by “|”. `repeat_penalty` looks at the last `penalty_window` tokens of the answer. Before
    `min_tokens` the model cannot end its text; in the last `round_off` tokens before `max_tokens` the text ends with
    its sentence. `at_once`: so many texts are written beside each other, as far as the memory holds them; each has a
    context of its own. Which ones are beside a text may then change its later words.
    """

    temperature: float = 0.8
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05
    repeat_penalty: float = 1.0
    max_tokens: int | None = None
    context: int | None = None
    prefix_cache: bool = True
    chat_template: bool = True
    threads: int = 0
    gpu_layers: int = 0
    system: str = ""
    stop: str = ""
    penalty_window: int = 64
    min_tokens: int = 0
    round_off: int = 0
    at_once: int = 1

    @property
    def stops(self) -> tuple[str, ...]:
        """A line break is written as “\\n”."""
        return tuple(each.replace("\\n", "\n") for each in self.stop.split(STOP_SEPARATOR) if each)


STOP_SEPARATOR = "|"
# Recorded where they are not at their default alone: a run of before they existed goes on with the same generator.
_LATER = frozenset({"system", "stop", "penalty_window", "min_tokens", "round_off", "at_once"})
# They change how fast a text comes, not the text.
_NOT_RECORDED = frozenset({"threads"})


def read_options(parameters: Mapping[str, Parameter]) -> LlamaOptions:
    """Raises `UsageError` for an unknown parameter or a value that it cannot have."""
    options = read_as(LlamaOptions, [field.name for field in fields(LlamaOptions)], "llama.cpp", parameters)
    if options.system and not options.chat_template:
        raise UsageError("Without its chat template a model has no system message.", hint="Leave one of them out.")
    return options


def recorded(options: LlamaOptions, context: int) -> dict[str, Parameter]:
    """Return the options that belong to the generator: all that change its texts."""
    unchanged = {field.name for field in fields(options) if getattr(options, field.name) == field.default}
    left_out = _NOT_RECORDED | (unchanged & _LATER)
    values = {field.name: getattr(options, field.name) for field in fields(options)} | {"context": context}
    return {name: value for name, value in values.items() if value is not None and name not in left_out}
