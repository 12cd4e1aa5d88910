"""The work of the model process: open a backend, keep it, hand out each text once it is finished, test an endpoint.

Where a generator chooses by likelihood, the score of an option is the log-likelihood of the sentence with the option
in its place, log P(sentence). All three share the words before the blank, whose own likelihood is the same for each
and is left out. Long and rare options have less of it whatever the sentence says; so the corrected score takes away
what the option has alone, at the beginning of a text: log P(sentence) − log P(option). Both are stored with the
output, and one of them chooses."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Literal

from biasprint.core.backends.openai_compatible.probe import EndpointTest, test_endpoint
from biasprint.core.backends.protocol import (
    NONE_LEFT,
    Backend,
    Completion,
    ConcurrentBackend,
    Failure,
    GeneratorInfo,
    Likelihood,
    LikelihoodBackend,
    RemarkingBackend,
    Request,
    kept,
    split_reasoning,
)
from biasprint.core.backends.registry import open_backend
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.endpoints import Endpoint
from biasprint.core.machine.keys import use_session_keys
from biasprint.core.machine.models import installed

Choice = Literal["likelihood", "likelihood_corrected"]
CHOICES: tuple[Choice, ...] = ("likelihood", "likelihood_corrected")
BUILD = "build"  # in the detail of a completion
PARAMETER = "choose"  # of a generator: how its answers come about
BLANK = "BLANK"
OPTIONS = ("positive", "negative", "neutral")


LOCAL = ("llama_cpp", "transformers")  # whose models may be named by a path


def whole_path(backend: str, model: str) -> str:
    """Return the generator's model for the model process, which works in another folder: a path becomes a whole one."""
    return installed.whole_path(model) if backend in LOCAL else model


class Chooser:
    """A backend that answers by likelihood, wrapped around another; otherwise the same as that one."""

    def __init__(self, backend: Backend, choice: str) -> None:
        """Raises `UsageError` where the backend cannot say likelihoods, or `choice` is none of `CHOICES`."""
        if choice not in CHOICES:
            raise UsageError(f"One cannot choose by “{choice}”.", hint=f"Choose by one of: {', '.join(CHOICES)}.")
        if not isinstance(backend, LikelihoodBackend) or not backend.capabilities.likelihood:
            raise UsageError(
                f"“{backend.name}” cannot say how likely a sentence is.",
                hint="Use a local model (llama_cpp or transformers), or let the model answer in words.",
            )
        self._backend: LikelihoodBackend = backend
        self._corrected = choice == "likelihood_corrected"
        self._priors: dict[tuple[str, ...], list[Likelihood]] = {}  # many sentences have the same options

    def generate(self, request: Request, on_text: Callable[[str], None], check: Callable[[], None]) -> Completion:
        """Return the most likely option as the text; the scores of all in `detail`. A tie is no answer."""
        started = time.perf_counter()
        missing = [name for name in (*OPTIONS, "context") if not request.fields.get(name)]
        if missing or BLANK not in request.fields["context"]:
            what = ", ".join(missing) or f"a context with {BLANK}"
            return Completion("", "error", error=f"Likelihoods need {what}.", failure="parameters")
        try:
            scores = self._scores(request, check)
        except AppError as error:
            return Completion("", "error", seconds=time.perf_counter() - started, error=str(error), failure="context")
        by = "corrected" if self._corrected else "logprob"
        best = max(scores, key=lambda option: scores[option][by])
        tied = [option for option in scores if scores[option][by] == scores[best][by]]
        text = request.fields[best] if len(tied) == 1 else ""
        on_text(text)
        detail = {"likelihoods": scores, "chosen_by": by}
        return Completion(text, "stop", seconds=time.perf_counter() - started, detail=detail)

    def _scores(self, request: Request, check: Callable[[], None]) -> dict[str, dict[str, float]]:
        before, _, after = request.fields["context"].partition(BLANK)
        options = [request.fields[option] for option in OPTIONS]
        # A blank before a word belongs to the word for every tokeniser that we met.
        gap = " " if before.endswith(" ") else ""
        whole = self._backend.likelihood(before.rstrip(" "), [f"{gap}{option}{after}" for option in options], check)
        prior = self._prior(tuple(options), check)
        return {
            option: _score(in_sentence, alone) for option, in_sentence, alone in zip(OPTIONS, whole, prior, strict=True)
        }

    def _prior(self, options: tuple[str, ...], check: Callable[[], None]) -> list[Likelihood]:
        if options not in self._priors:
            self._priors[options] = self._backend.likelihood("", options, check)
        return self._priors[options]


def _score(whole: Likelihood, prior: Likelihood) -> dict[str, float]:
    return {**asdict(whole), "prior": prior.logprob, "corrected": whole.logprob - prior.logprob}


# ---- Writing

TOGETHER_SECONDS = 0.05  # completions that come within it are handed out, and stored, together
TOGETHER = 16  # at most
LIVE_SECONDS = 0.1  # between two looks at a text that is being written

_open: tuple[tuple[object, ...], Backend] | None = None


@dataclass(frozen=True)
class Written:
    """Completions as they came: the place of the request, and what came of it."""

    completions: tuple[tuple[int, Completion], ...]


@dataclass(frozen=True)
class LiveText:
    """The text of one request so far."""

    place: int
    text: str


@dataclass(frozen=True)
class BackendRemark:
    """A remark of the backend, such as on an address that is not asked any more."""

    sentence: str


def describe_generator(
    backend: str, model: str, parameters: Mapping[str, Any], keys: Mapping[str, str], ctx: JobContext
) -> GeneratorInfo:
    """Open a backend, and say what will have written its texts. It stays open for what comes next."""
    ctx.check()
    writer = opened(backend, model, parameters, keys)
    choice = _chooser(writer, parameters)  # whether it can choose so is known before anything is written
    info = writer.describe()
    if choice is None:
        return info
    return replace(info, parameters={**info.parameters, PARAMETER: parameters[PARAMETER]})


def write_all(
    backend: str,
    model: str,
    parameters: Mapping[str, Any],
    requests: Sequence[Request],
    keys: Mapping[str, str],
    ctx: JobContext,
) -> bool:
    """Write all requests, or until the caller winds down: False then. Partial results are `Written`, each place once,
    `LiveText`, and `BackendRemark`, each address once.

    `keys`: the session's keys of endpoints. What was finished is handed out also where this ends with an error.
    """
    writer = opened(backend, model, parameters, keys)
    chooser = _chooser(writer, parameters)
    remarking = writer if isinstance(writer, RemarkingBackend) else None
    stream = _Stream(ctx, requests, getattr(writer, "build", ""), remarking)
    try:
        if chooser is None and isinstance(writer, ConcurrentBackend):
            writer.generate_many(requests, stream.done, stream.live, stream.check, lambda: not ctx.winding_down)
            return not ctx.winding_down
        for place, request in enumerate(requests):
            stream.check()
            if ctx.winding_down:
                return False
            stream.done(place, (chooser or writer).generate(request, partial(stream.live, place), stream.check))
        return True
    finally:
        stream.flush()


def opened(backend: str, model: str, parameters: Mapping[str, Any], keys: Mapping[str, str]) -> Backend:
    """Return the backend with this model, the one that was open where it is the same. One is held open at a time."""
    global _open
    parameters = {name: value for name, value in parameters.items() if name != PARAMETER}
    if keys:
        use_session_keys(dict(keys))
    key = (
        backend,
        model,
        repr(sorted(parameters.items())),
        tuple(sorted(keys.items())),
    )  # a new key opens the backend again
    if _open is None or _open[0] != key:
        if _open is not None:
            _open[1].close()
            _open = None
        _open = (key, open_backend(backend, model, parameters))
    return _open[1]


def _chooser(writer: Backend, parameters: Mapping[str, Any]) -> Chooser | None:
    return Chooser(writer, parameters[PARAMETER]) if PARAMETER in parameters else None


def without_reasoning(completion: Completion, *, unopened: bool = True) -> Completion:
    """Keep what a model wrote before its answer apart from the text; a reply that holds nothing else has failed.

    `unopened` as `split_reasoning` has it.
    """
    if completion.finish_reason == "error":
        return completion
    text, reasoning = split_reasoning(completion.text, unopened=unopened)
    if not reasoning and text == completion.text:
        return completion
    detail = {**completion.detail, **kept(reasoning)}
    if not text:
        failure: Failure = "cut" if completion.finish_reason == "length" else "empty"
        return replace(completion, text="", finish_reason="error", error=NONE_LEFT, failure=failure, detail=detail)
    return replace(completion, text=text, detail=detail)


class _Stream:
    """Hands out completions at once, or, where they come quickly, together; of texts that grow only now and then."""

    def __init__(
        self, ctx: JobContext, requests: Sequence[Request], build: str, remarking: RemarkingBackend | None
    ) -> None:
        """`build`: the program that computes, kept with each completion; empty where it is not known."""
        self._ctx, self._requests = ctx, requests
        self._remarking = remarking
        self._left_out: set[str] = set()
        self._build = build
        self._finished: list[tuple[int, Completion]] = []
        self._growing: dict[int, list[str]] = {}
        self._flushed = self._looked = 0.0

    def done(self, place: int, completion: Completion) -> None:
        self._growing.pop(place, None)
        completion = without_reasoning(completion, unopened=not self._requests[place].answers)
        if self._build:
            completion = replace(completion, detail={**completion.detail, BUILD: self._build})
        self._finished.append((place, completion))
        if len(self._finished) >= TOGETHER or time.monotonic() - self._flushed >= TOGETHER_SECONDS:
            self.flush()

    def live(self, place: int, text: str) -> None:
        pieces = self._growing.setdefault(place, [])
        pieces.append(text)
        now = time.monotonic()
        if now - self._looked >= LIVE_SECONDS:
            self._looked = now
            self._ctx.report(0, partial=LiveText(place, "".join(pieces)))

    def check(self) -> None:
        self._ctx.check()
        self._report_left_out()
        if self._finished and time.monotonic() - self._flushed >= TOGETHER_SECONDS:
            self.flush()

    def _report_left_out(self) -> None:
        for sentence in self._remarking.left_out if self._remarking else ():
            if sentence not in self._left_out:
                self._left_out.add(sentence)
                self._ctx.report(0, partial=BackendRemark(sentence))

    def flush(self) -> None:
        self._report_left_out()
        if self._finished:
            self._ctx.report(0, partial=Written(tuple(self._finished)))
            self._finished = []
            self._flushed = time.monotonic()


def probe_endpoint(endpoint: Endpoint, model: str, keys: dict[str, str]) -> EndpointTest:
    """Ask the endpoint once for its models and for one short text; `keys` are the session's, by endpoint.

    For the model process: it loads the openai package. Raises nothing that a person can meet: what is wrong is the
    test's sentence, and no key is in it.
    """
    use_session_keys(keys)
    return test_endpoint(endpoint, model)
