"""Generators in the form: where each backend's models come from, and what can be set. Data; the fields follow it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from core.backends.protocol import BackendInfo, Parameter

Source = Literal["listed", "gguf", "folder", "endpoint", "typed"]
Kind = Literal["number", "count", "text", "choice", "switch"]

ANY = object()  # a value that the backend finds by itself, and that cannot be known before


@dataclass(frozen=True)
class Option:
    """A parameter as a field. `title`, `open_words`, `tip` and the words of `choices` are shown translated.

    `open_words`: what the field says while it is left to the backend; empty: it always has a value. `start` is what
    stands there first, None for left open. `own` is what a run is stored with where it was left open, None for nothing.
    `wide`: it needs a row of its own. A `choice` has pairs of value and words; the first stands for leaving the
    parameter out.
    """

    name: str
    title: str
    kind: Kind
    low: float = 0.0
    high: float = 1.0
    step: float = 0.1
    start: "Parameter | None" = None
    open_words: str = ""
    own: object = None
    tip: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    wide: bool = False


LONGEST_TEXT = 1_024  # tokens; a reference letter has about 400

_TEMPERATURE = "How freely words are drawn: 0 takes the likeliest word each time, 1 draws as the model predicts."
_TOP_P = "Only the likeliest words that together have this probability are drawn from; 1 leaves all."
_LONGEST = "In tokens, of which an English word has about 1.3. A text that reaches it ends in the middle."
_CONTEXT = "Prompt and text together, in tokens. A longer one takes more memory."
ANSWER = Option(
    "choose",
    "Answer",
    "choice",
    wide=True,
    choices=(
        ("", "in words"),
        ("likelihood", "by likelihood"),
        ("likelihood_corrected", "by likelihood, corrected"),
    ),
    tip="By likelihood, the option is chosen with which the sentence is likeliest, and nothing is written. Corrected, "
    "the likelihood that the option has alone is taken away, so that long and rare options are not at a disadvantage.",
)

OPTIONS: Mapping[str, tuple[Option, ...]] = {
    "llama_cpp": (
        Option("temperature", "Temperature", "number", 0, 5, 0.1, 0.8, tip=_TEMPERATURE),
        Option("top_p", "Top-p", "number", 0, 1, 0.05, 0.95, tip=_TOP_P),
        Option("max_tokens", "Longest text", "count", 1, 100_000, 64, LONGEST_TEXT, "no limit", tip=_LONGEST),
        Option("context", "Context", "count", 64, 1_000_000, 512, None, "its own", ANY, tip=_CONTEXT),
        Option(
            "prefix_cache",
            "Reuse what prompts share",
            "switch",
            start=True,
            own=True,
            tip="The prefix cache: faster. Without it, the same seed gives exactly the same text again; with it, a few "
            "texts may differ.",
        ),
    ),
    "transformers": (
        Option("temperature", "Temperature", "number", 0, 5, 0.1, None, "its own", ANY, tip=_TEMPERATURE),
        Option("top_p", "Top-p", "number", 0, 1, 0.05, None, "its own", ANY, tip=_TOP_P),
        Option("max_tokens", "Longest text", "count", 1, 100_000, 64, LONGEST_TEXT, "no limit", tip=_LONGEST),
        Option("context", "Context", "count", 64, 1_000_000, 512, None, "its own", ANY, tip=_CONTEXT),
    ),
    "openai_compatible": (
        Option("temperature", "Temperature", "number", 0, 5, 0.1, None, "its own", tip=_TEMPERATURE),
        Option("top_p", "Top-p", "number", 0, 1, 0.05, None, "its own", tip=_TOP_P),
        Option("max_tokens", "Longest text", "count", 1, 100_000, 64, LONGEST_TEXT, "its own", tip=_LONGEST),
        Option(
            "mode",
            "Asked as",
            "choice",
            own="chat",
            choices=(("", "chat"), ("completions", "plain completion")),
            tip="A plain completion goes on from the prompt, without a chat around it; for base models.",
        ),
        Option("system", "System prompt", "text", tip="Sent before every prompt, in a chat alone. Empty: none."),
    ),
}  # fmt: skip

SOURCES: Mapping[str, Source] = {"llama_cpp": "gguf", "transformers": "folder", "openai_compatible": "endpoint"}

# What the papers wrote with (METHODS.md); of news and completion they name none.
PRESETS: Mapping[str, Mapping[str, float]] = {
    "letters": {"temperature": 1.0, "top_p": 1.0},
    "creativity": {"temperature": 0.2},
}


def source_of(info: "BackendInfo") -> Source:
    """Where a backend's models are found; a plug-in's are those it lists, or whatever is typed."""
    return SOURCES.get(info.name, "listed" if info.models else "typed")


def options_for(info: "BackendInfo", study: str) -> tuple[Option, ...]:
    """What can be set for a backend with prompts of a study; nothing is known of a plug-in's parameters."""
    known = OPTIONS.get(info.name, ())
    return (*known, ANSWER) if study == "completion" and info.capabilities.likelihood else known


def same_generator(backend: str, given: "Mapping[str, Parameter]", stored: "Mapping[str, Parameter]") -> bool:
    """Whether a generator with these parameters is likely the stored one: what is left open counts as its own value.

    Only opening the model can tell for certain; a run is begun or gone on with by that.
    """
    if any(name not in stored or stored[name] != value for name, value in given.items()):
        return False
    options = {option.name: option.own for option in (*OPTIONS.get(backend, ()), ANSWER)}
    return all(
        own is ANY or stored.get(name) == own for name, own in options.items() if name not in given and name in stored
    )
