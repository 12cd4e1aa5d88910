"""Writers that a project can use, and the connections to endpoints behind some of them."""

import os
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Signal

from biasprint.core.backends.protocol import BackendInfo, Parameter, Request
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.models import catalogue
from biasprint.desktop.jobs import JobRunner
from biasprint.desktop.operations import Operation
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from biasprint.core.backends.openai_compatible.probe import EndpointTest
    from biasprint.core.machine.endpoints import Endpoint
    from biasprint.core.machine.keys import Place
    from biasprint.core.project.project import Project
    from biasprint.desktop.operations.prompts import StoredSet


class Connections(QObject):
    """The offline switch. `by`: "environment" or "switch" set it, "" while it is off; None until it was read.

    Files are read and written in jobs. Another window or a command may switch too: `look` reads it again.
    """

    changed = Signal()

    def __init__(self, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.by: str | None = None
        self._jobs = jobs

    @property
    def offline(self) -> bool:
        return bool(self.by)

    @property
    def fixed(self) -> bool:
        """True if the environment sets the switch, so that nobody can switch it off here."""
        return self.by == "environment"

    def look(self) -> None:
        """Read the switch again."""
        self._jobs.start(tr("The offline switch"), _read, on_done=self._show, quiet=True)

    def switch(self, on: bool) -> None:
        """Set the switch for all windows and commands of this user. Where that cannot be stored, the window says so."""

        def work(ctx: JobContext) -> str:
            from biasprint.core.machine import offline

            offline.switch(on)
            return offline.set_by()

        self._jobs.start(tr("The offline switch"), work, on_done=self._show, on_error=self._failed, quiet=True)

    def _show(self, by: str) -> None:
        if by != self.by:
            self.by = by
            self.changed.emit()

    def _failed(self, error: object) -> None:
        self.changed.emit()  # whoever showed it as switched shows again how it is
        self._jobs.failed.emit(error)


def _read(ctx: JobContext) -> str:
    from biasprint.core.machine import offline

    return offline.set_by()


def why_offline(connections: Connections) -> str:
    """Return why no connection is possible now, in a sentence; empty while one is."""
    if connections.fixed:
        return tr("The offline switch is on because BIASPRINT_OFFLINE is set; start the program without it.")
    return tr("The offline switch is on: no connection is attempted.") if connections.offline else ""


def newest_version(ctx: JobContext) -> str:
    """Return the version of the program on the package index where it is newer than this one, else “”."""
    from packaging.version import Version

    from biasprint.core import __version__
    from biasprint.core.machine.models import index

    newest = index.newest_version()
    return str(newest) if newest > Version(__version__) else ""


@dataclass(frozen=True)
class EndpointSeen:
    """An endpoint and where its key is: "kept", from the "environment", or "" for none.

    A key goes in and never comes out.

    `trouble` says in a sentence why the stored key cannot be used.
    """

    endpoint: "Endpoint"
    key: str
    trouble: str = ""


@dataclass(frozen=True)
class EndpointsSeen:
    """All endpoints, and the sentence on where a key is kept on this computer."""

    endpoints: tuple[EndpointSeen, ...]
    where: str


def read_endpoints(ctx: JobContext) -> EndpointsSeen:
    """Read the endpoints; the key ring is asked about each, which may take a moment."""
    from biasprint.core.machine.endpoints import endpoints
    from biasprint.core.machine.keys import WHERE, ring_available

    seen = []
    for endpoint in endpoints():
        ctx.check()
        seen.append(_seen(endpoint))
    return EndpointsSeen(tuple(seen), WHERE["key ring" if ring_available() else "session"])


def _seen(endpoint: "Endpoint") -> EndpointSeen:
    from biasprint.core.machine.keys import ENVIRONMENT, key_for, session_keys

    try:
        each = [key_for(endpoint.name, address.base_url) for address in endpoint.addresses]
        has_key = any(each)
    except AppError as error:
        return EndpointSeen(endpoint, "", str(error))
    from_outside = endpoint.name not in session_keys() and bool(os.environ.get(ENVIRONMENT))
    return EndpointSeen(endpoint, ("environment" if from_outside else "kept") if has_key else "")


def save_endpoint(*, endpoint: "Endpoint", key: str = "", forget_key: bool = False) -> "Operation[Place | None]":
    """Save an endpoint in place of the one of its name, and its key if one was typed; return where the key is kept."""

    def work(ctx: JobContext) -> "Place | None":
        from biasprint.core.machine import endpoints, keys

        urls = [address.base_url for address in endpoint.addresses]
        if key:
            keys.by_name(endpoint.name, urls, key)  # first: with an impossible key nothing is changed
        endpoints.save(endpoint)
        if forget_key and not key:
            keys.forget_all(endpoint.name, urls)
        return keys.keep_all(endpoint.name, urls, key) if key else None

    def done(place: "Place | None") -> str:
        from biasprint.core.machine.keys import WHERE

        words = tr("“{name}” was saved.").format(name=endpoint.name)
        return words if place is None else f"{words} {WHERE[place]}"

    return Operation(tr("Saving “{name}”").format(name=endpoint.name), work, done)


def remove_endpoint(*, name: str) -> Operation[None]:
    """Forget an endpoint and its key."""

    def work(ctx: JobContext) -> None:
        from biasprint.core.machine import endpoints, keys

        urls = [address.base_url for address in endpoints.endpoint(name).addresses]
        keys.forget_all(name, urls)  # first: were it to fail, the endpoint is still there to be seen
        endpoints.remove(name)

    words = tr("“{name}” and its key were forgotten.").format(name=name)
    return Operation(tr("Forgetting “{name}”").format(name=name), work, words)


def test_endpoint(*, endpoint: "Endpoint", model: str) -> "Operation[EndpointTest]":
    """Ask an endpoint for its models and one short text, in the process for models, after any run at work there."""

    def work(ctx: JobContext) -> "EndpointTest":
        from biasprint.core.compute import models
        from biasprint.core.machine.keys import session_keys
        from biasprint.core.runs.writing import probe_endpoint

        return models().call(probe_endpoint, endpoint, model, session_keys(), ctx=ctx)

    def done(tested: "EndpointTest") -> str:
        return tested.sentence

    return Operation(tr("Testing “{name}”").format(name=endpoint.name), work, done)


test_endpoint.__test__ = False  # type: ignore[attr-defined]  # its name is no test's


# ---- Writers

ROLE = "generator"


@dataclass(frozen=True)
class LocalModel:
    """A model on this computer. `trouble` says why it cannot be used now; empty where it can.

    `presets`: the parameters that the catalogue recommends, by study or for judging. `judges`: False if it is known not
    to answer questions.
    """

    name: str
    title: str
    format: str
    trouble: str = ""
    bundled: bool = False
    presets: "Mapping[str, Mapping[str, Parameter]]" = field(default_factory=dict)
    judges: bool = True


@dataclass(frozen=True)
class WriterChoices:
    """Everything there is to choose from. `trouble`: why models or endpoints could not be read."""

    backends: "tuple[BackendInfo, ...]" = ()
    models: tuple[LocalModel, ...] = ()
    endpoints: "tuple[Endpoint, ...]" = field(default_factory=tuple)
    trouble: str = ""


def read_writers(ctx: JobContext) -> WriterChoices:
    """Read the models and endpoints. New and changed model files are hashed, which may take a while."""
    from biasprint.core.backends import registry
    from biasprint.core.machine.endpoints import endpoints
    from biasprint.core.machine.models.installed import installed

    models: tuple[LocalModel, ...] = ()
    stored: tuple[Endpoint, ...] = ()
    troubles = []
    try:
        # First what can be used; the model that comes with the program after the real ones.
        here = sorted(installed(ROLE), key=lambda model: (bool(model.trouble), model.origin == "bundled"))
        models = tuple(
            LocalModel(
                model.name, model.title, model.format, model.trouble, model.origin == "bundled", _presets(model.name),
                _judges(model.name),
            )
            for model in here
        )  # fmt: skip
    except AppError as error:
        troubles.append(str(error))
    try:
        stored = tuple(endpoints())
    except AppError as error:
        troubles.append(str(error))
    return WriterChoices(tuple(registry.known()), models, stored, " ".join(troubles))


def _presets(model: str) -> "dict[str, Mapping[str, Parameter]]":
    entry = catalogue.entry(model)
    return {purpose: preset.parameters for purpose, preset in entry.presets.items()} if entry else {}


def _judges(model: str) -> bool:
    entry = catalogue.entry(model)
    return entry is None or entry.judges


def refusals(ctx: JobContext, project: "Project", sets: "Sequence[StoredSet]") -> dict[tuple[int, str], str]:
    """Return why a backend cannot write a set, by set and backend.

    Backends that are no language model are asked for the first prompt.
    """
    from biasprint.core.backends import registry

    refused = {}
    for info in registry.known():
        if info.unavailable or info.capabilities.is_language_model or not info.capabilities.offline:
            continue  # to ask it would take a while, or go over the network
        with closing(registry.open_backend(info.name, info.models[0] if info.models else "")) as writer:
            for prompt_set in sets:
                for prompt in project.prompts.page(prompt_set.id, 0, 1):
                    facts = {"task": prompt.task, "theme": prompt.theme, "axis": prompt.axis}
                    fields = {**facts, "identity": prompt.identity, **prompt.fields}
                    asked = Request(prompt.key, prompt.text, 0, fields=fields)
                    if error := writer.generate(asked, lambda text: None, ctx.check).error:
                        refused[prompt_set.id, info.name] = error
    return refused


Source = Literal["listed", "gguf", "folder", "endpoint", "typed"]
Kind = Literal["number", "count", "text", "choice", "switch"]

ANY = object()  # a value that the backend finds by itself, and that cannot be known before


@dataclass(frozen=True)
class Option:
    """A parameter as a field. `title`, `open_words`, `tip` and the words of `choices` are shown translated.

    `open_words`: the field's text while the backend decides; empty: it always has a value. `start` is the first value,
    None for left open. `own` is the value stored with a run where it was left open, None for none, or a set of those
    that it may be. `wide`: it needs a
    row of its own. A `choice` has pairs of value and words; the first means leaving the parameter out.
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
_PENALTY = "Words of the last tokens become less likely: 1 is none. It breaks loops and changes how often words occur."
_WINDOW = "Over how many of the last tokens the repeat penalty looks."
_SHORTEST = "In tokens. Before it the model cannot end its text."
_ROUND_OFF = "So many tokens before the longest text, it ends with the next end of a sentence or line."
_STOP = "The text ends before the first of them. Separate them with |; \\n is a line break."
_SYSTEM = "Sent before every prompt. Empty: the one of the model's chat template, if it has one."
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
        Option("min_tokens", "Shortest text", "count", 1, 100_000, 16, None, "any", tip=_SHORTEST),
        Option("round_off", "Round off", "count", 1, 1_000, 8, None, "no", tip=_ROUND_OFF),
        Option("repeat_penalty", "Repetition", "number", 1, 3, 0.05, 1.0, own=1.0, tip=_PENALTY),
        Option("penalty_window", "over", "count", 1, 4_096, 64, None, "64 tokens", tip=_WINDOW),
        Option("system", "System prompt", "text", tip=_SYSTEM),
        Option("stop", "Stop words", "text", tip=_STOP),
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
            own=frozenset(("chat", "messages", "generate_content")),
            choices=(
                ("", "chat"),
                ("chat", "OpenAI's chat"),
                ("messages", "Anthropic's messages"),
                ("generate_content", "Gemini's content"),
                ("completions", "plain completion"),
            ),
            tip="Anthropic's and Gemini's own addresses are asked in their own way unless you choose another. A plain "
            "completion goes on from the prompt, without a chat around it; for base models.",
        ),
        Option("system", "System prompt", "text", tip="Sent before every prompt, in a chat alone. Empty: none."),
    ),
}  # fmt: skip

SOURCES: Mapping[str, Source] = {"llama_cpp": "gguf", "transformers": "folder", "openai_compatible": "endpoint"}


def sampling_of(study: str) -> Mapping[str, float]:
    """Return the sampling of the study's paper (METHODS.md); papers of news and completion name none."""
    from biasprint.core.studies.registry import studies

    known = studies().get(study)
    return known.sampling if known else {}


def usual_writer(writers: WriterChoices) -> tuple[str, str]:
    """Return backend and model to begin with: the first real language model here; ("", "") where there is none."""
    usable = {info.name for info in writers.backends if not info.unavailable}
    for backend, source in SOURCES.items():
        for model in writers.models:
            if backend in usable and model.format == source and not model.trouble and not model.bundled:
                return backend, model.name
    return "", ""


def preset_for(model: LocalModel | None, purpose: str) -> "Mapping[str, Parameter]":
    """Return the catalogue's recommended values for a model and a study or judging; empty where it has none."""
    return model.presets.get(purpose, {}) if model is not None else {}


def starting_values(info: "BackendInfo", model: LocalModel | None, study: str) -> "dict[str, Parameter]":
    """Return the first values of a generator's options: the catalogue's for this study, the paper's, their own."""
    options = options_for(info, study)
    values = {option.name: option.start for option in options} | dict(sampling_of(study))
    values |= preset_for(model, study)
    return {option.name: value for option in options if (value := values.get(option.name)) not in (None, "")}


def source_of(info: "BackendInfo") -> Source:
    """Return where a backend's models are listed; a plug-in's are those it lists, or any typed name."""
    return SOURCES.get(info.name, "listed" if info.models else "typed")


def options_for(info: "BackendInfo", study: str) -> tuple[Option, ...]:
    """Return the options of a backend for prompts of a study; a plug-in's parameters are not known."""
    known = OPTIONS.get(info.name, ())
    return (*known, ANSWER) if study == "completion" and info.capabilities.likelihood else known


def same_generator(backend: str, given: "Mapping[str, Parameter]", stored: "Mapping[str, Parameter]") -> bool:
    """Return whether the generator is likely the stored one: an option left open counts as its own value.

    Only opening the model can decide that for certain, and does when a run is begun or continued.
    """
    if any(name not in stored or stored[name] != value for name, value in given.items()):
        return False
    options = {option.name: option.own for option in (*OPTIONS.get(backend, ()), ANSWER)}
    return all(
        own is ANY or stored[name] in (own if isinstance(own, frozenset) else (own,))
        for name, own in options.items()
        if name not in given and name in stored
    )
