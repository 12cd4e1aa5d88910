"""The backend: writes texts with a model from a GGUF file, and says how likely given continuations are.

Special tokens of the template count, the same words in a prompt are plain text. The beginning which a text shares with
the one before is not worked out again.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt

from biasprint.core.backends.llama_cpp import errors
from biasprint.core.backends.llama_cpp.drawing import DrawnText, GgufVocabulary, TextsTogether, sampler, temperature_of
from biasprint.core.backends.llama_cpp.gguf import ModelFile
from biasprint.core.backends.llama_cpp.native_model import (
    BATCH,
    MOST_ASKED,
    SEQUENCES,
    Check,
    NativeModel,
    TextSlots,
    build,
)
from biasprint.core.backends.llama_cpp.options import CAPABILITIES, DEFAULT_CONTEXT, NAME, LlamaOptions, recorded
from biasprint.core.backends.llama_cpp.template import Around, around
from biasprint.core.backends.local_model import FoundModel, Spelling, shared_beginning
from biasprint.core.backends.protocol import Completion, GeneratorInfo, Likelihood, Request


@dataclass(frozen=True)
class Other:
    """A token of another text than text 0, at its place there."""

    text: int
    token: int
    place: int


class Prefix:
    """The tokens that have been evaluated of text 0, in step with the model's memory, whatever interrupts."""

    def __init__(self, native: NativeModel, keeps: bool) -> None:
        """`keeps`: False evaluates every text from its beginning, so that none depends on the ones before."""
        self._native = native
        self._keeps = keeps
        self._tokens: list[int] = []

    def __len__(self) -> int:
        return len(self._tokens)

    def bring_to(self, tokens: Sequence[int], check: Check, leaving: int = 0) -> int:
        """Evaluate what is missing of `tokens` (at least the last one: what follows it is wanted).

        Returns how many were there already. `check` is called before each batch. With `leaving`, so many at the end,
        and at least one, are left to `end_with`.
        """
        shared = self._back_to(self._shared(tokens))
        for start in range(shared, len(tokens) - leaving, BATCH):
            batch = tokens[start : min(start + BATCH, len(tokens) - leaving)]
            with self._all_or_nothing():
                self._native.evaluate(batch, range(start, start + len(batch)), check)
            self._tokens += batch
        return shared

    def end_with(self, tokens: Sequence[int], others: Sequence[Other], check: Check) -> None:
        """Evaluate the last tokens and, beside them, what follows in other texts, which share everything before.

        What follows is asked of the last of `tokens`, in row `len(tokens)` − 1, and of each of `others`, in the rows
        after it.
        """
        all_texts = [0, *sorted({other.text for other in others})]
        for text in all_texts[1:]:
            self._native.share(text)
        start = len(self._tokens)
        with self._all_or_nothing():
            self._native.evaluate(
                [*tokens, *(other.token for other in others)],
                [*range(start, start + len(tokens)), *(other.place for other in others)],
                check,
                texts=[all_texts] * len(tokens) + [[other.text] for other in others],
                first_wanted=max(0, len(tokens) - 1),
            )
        self._tokens += tokens

    def follow(self, token: int) -> None:
        """Evaluate one more token."""
        try:
            self._native.follow(token, len(self._tokens))
        except BaseException:
            self._forget_all()
            raise
        self._tokens.append(token)

    def _shared(self, tokens: Sequence[int]) -> int:
        if not self._keeps:
            return 0
        most = min(len(self._tokens), len(tokens) - 1)
        shared = next((at for at in range(most) if self._tokens[at] != tokens[at]), most)
        return shared if shared == len(self._tokens) or self._native.can_go_back else 0

    def _back_to(self, length: int) -> int:
        """Forget everything behind so many tokens; everything where that cannot be. Returns how many are left."""
        if length == 0 or (length < len(self._tokens) and not self._native.forget(length)):
            self._forget_all()
        del self._tokens[length:]
        return len(self._tokens)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Forget everything where an evaluation is interrupted: how much of it was done is not known."""
        try:
            yield
        except BaseException:
            self._forget_all()
            raise

    def _forget_all(self) -> None:
        self._tokens.clear()
        self._native.forget_all()


# ---- Likelihood: the prompt is evaluated once, the continuations beside each other


@dataclass
class _Option:
    """The tokens of one continuation, and the sum of their log-probabilities so far."""

    tokens: list[int]
    logprob: float = 0.0


def of_all(
    native: NativeModel,
    vocabulary: GgufVocabulary,
    prefix: Prefix,
    prompt: str,
    continuations: Sequence[str],
    check: Check,
) -> list[Likelihood]:
    """Compute Σ log P(tokenᵢ | prompt, tokens before it) of each continuation, with natural logarithms.

    Prompt and continuation are split into tokens together, as the text that they make. Where the prompt's last tokens
    would be others with a continuation behind them ("the " + "nurse" is "the" + " nurse" to most models), counting
    begins at the last token that all have in common, so that all continuations are counted from one place.
    An empty prompt means the beginning of a text. Raises `AppError` where a whole is longer than the context.
    """
    wholes = [vocabulary.plain(prompt + continuation) for continuation in continuations]
    shared = shared_beginning([vocabulary.plain(prompt), *wholes])
    begun = shared or vocabulary.beginning()
    options = [_Option(whole[len(shared) :]) for whole in wholes]
    longest = len(begun) + max((len(option.tokens) for option in options), default=0)
    if longest > native.size:
        raise errors.too_long(longest, native.size)
    if native.can_go_back:
        _beside_each_other(native, prefix, begun, options, check)
    else:
        for option in options:
            _alone(native, prefix, begun, option, check)
    if any(math.isnan(option.logprob) for option in options):
        raise errors.not_numbers(native.name)
    return [Likelihood(option.logprob, len(option.tokens)) for option in options]


def _beside_each_other(
    native: NativeModel, prefix: Prefix, begun: list[int], options: Sequence[_Option], check: Check
) -> None:
    """Evaluate each option as a text of its own behind the shared beginning, whose end is evaluated with them."""
    for group in _groups([option for option in options if option.tokens], native.size - len(begun)):
        prefix.bring_to(begun, check, leaving=BATCH - MOST_ASKED)
        end = begun[len(prefix) :]
        steps = [
            (option, Other(text, option.tokens[at], len(begun) + at), option.tokens[at + 1])
            for text, option in enumerate(group, start=1)
            for at in range(len(option.tokens) - 1)  # after its last token nothing is asked
        ]
        size = MOST_ASKED - 1
        try:
            for start in range(0, max(1, len(steps)), size):
                batch = steps[start : start + size]
                prefix.end_with(end, [other for _, other, _ in batch], check)
                if end:
                    following = native.logits(len(end) - 1)
                    for option in group:
                        option.logprob += log_probability(following, option.tokens[0])
                for row, (option, _, asked) in enumerate(batch, start=len(end)):
                    option.logprob += log_probability(native.logits(row), asked)
                end = []
        finally:
            for text in range(1, len(group) + 1):
                native.drop(text)


def _groups(options: Sequence[_Option], room: int) -> Iterator[list[_Option]]:
    """Yield as many options at a time as there are texts beside the prompt, and as fit into the context together."""
    group: list[_Option] = []
    for option in options:
        taken = sum(len(other.tokens) for other in group)
        if group and (len(group) == SEQUENCES - 1 or taken + len(option.tokens) > room):
            yield group
            group = []
        group.append(option)
    if group:
        yield group


def _alone(native: NativeModel, prefix: Prefix, begun: list[int], option: _Option, check: Check) -> None:
    """Evaluate an option of a model whose state cannot be shared: the prompt again, then the option token by token."""
    prefix.bring_to(begun, check)
    for number, token in enumerate(option.tokens, start=1):
        option.logprob += log_probability(native.logits(-1), token)
        if number < len(option.tokens):
            check()
            prefix.follow(token)


def log_probability(logits: npt.NDArray[np.float32], token: int) -> float:
    """x_token − log Σ exp(xⱼ)."""
    highest = logits.max()
    return float(logits[token] - highest) - math.log(float(np.exp(logits - highest).sum(dtype=np.float64)))


MOSTLY = 0.5  # of the probability, for a choice among answers


class LlamaCpp:
    """One model. It is checked when it is opened, and loaded into memory when the first text is asked for.

    With `prefix_cache` off, each text depends on its request, the model and the machine alone. With it on, what two
    prompts have in common at their beginning is worked out once; sums are then rounded in another order, and now and
    then a token that is almost as likely is drawn instead.
    """

    name = NAME
    capabilities = CAPABILITIES

    def __init__(self, model_found: FoundModel, file: ModelFile, options: LlamaOptions) -> None:
        self._found = model_found
        self._file = file
        self._options = options
        self._size = options.context or min(file.trained_context, DEFAULT_CONTEXT)
        if self._size > file.trained_context:
            raise errors.context_too_long(self._size, file.trained_context)
        self._template = file.template if options.chat_template else None
        if self._template is not None:
            around(self._template, file.begin, file.end, options.system)  # a bad one is told now
        self._loaded: _Loaded | None = None

    @property
    def model(self) -> str:
        return self._found.name

    @property
    def build(self) -> str:
        return build()

    def describe(self) -> GeneratorInfo:
        return GeneratorInfo(NAME, self.model, recorded(self._options, self._size), revision=self._found.sha256)

    def generate(self, request: Request, on_text: Callable[[str], None], check: Check) -> Completion:
        """Write one text. A prompt that is longer than the context is a completion that failed.

        Raises `AppError` where the model cannot be loaded, and what `check` raises, also while a prompt is evaluated.
        """
        loaded = self._load(check)
        started = time.perf_counter()
        tokens = loaded.prompt(request.prompt)
        usage = {"prompt": len(tokens)}
        if len(tokens) >= self._size:
            sentence = errors.too_long_sentence(len(tokens), self._size)
            return Completion("", "error", usage, error=sentence, failure="context")
        spelling = Spelling((*request.stop, *self._options.stops), on_text)
        try:
            usage["cached"] = loaded.prefix.bring_to(tokens, check)
            chosen = self._chosen(loaded, request)
            if chosen is not None:
                answer, shares = chosen
                on_text(answer)
                seconds = time.perf_counter() - started
                return Completion(answer, "stop", usage | {"completion": 1}, seconds, detail={"answers": shares})
            written = self._write(loaded, request, spelling, check, self._size - len(tokens))
        except errors.TextFailed as failed:
            return Completion(spelling.text, "error", usage, time.perf_counter() - started, str(failed), "other")
        usage["completion"] = written.written
        return Completion(spelling.text, written.reason, usage, time.perf_counter() - started)

    def generate_many(
        self,
        requests: Sequence[Request],
        on_done: Callable[[int, Completion], None],
        on_text: Callable[[int, str], None],
        check: Check,
        may_start: Callable[[], bool],
    ) -> None:
        """Write them all: one after another, or, with `at_once` above 1, so many beside each other.

        Requests that have answers to choose from come one after another: they share their beginnings.
        """
        if self._options.at_once == 1 or any(request.answers for request in requests):
            for place, request in enumerate(requests):
                check()
                if not may_start():
                    return
                on_done(place, self.generate(request, partial(on_text, place), check))
            return
        loaded = self._load(check)
        slots = loaded.slots_of(self._file, self._options)
        TextsTogether(
            loaded.native, loaded.vocabulary, self._options, slots, loaded.prompt, on_done, on_text, check
        ).write(requests, may_start)  # fmt: skip

    def _chosen(self, loaded: "_Loaded", request: Request) -> tuple[str, dict[str, float]] | None:
        """Return the likeliest of the requested answers by its first token, and the probability of each.

        None where none is requested, where a temperature draws among them, or where the model would mostly begin with
        something else: then it writes what it has to say.
        """
        if not request.answers or temperature_of(request, self._options) > 0:
            return None
        first = {answer: loaded.vocabulary.plain_only(answer)[0] for answer in request.answers}
        logits = loaded.native.logits(-1)
        shares = {answer: math.exp(log_probability(logits, token)) for answer, token in first.items()}
        if len(set(first.values())) < len(first) or not sum(shares.values()) > MOSTLY:
            return None
        return max(shares, key=shares.__getitem__), {answer: round(share, 6) for answer, share in shares.items()}

    def likelihood(self, prompt: str, continuations: Sequence[str], check: Check) -> list[Likelihood]:
        """log P(continuation | prompt) of each, the prompt evaluated once for all (see `likelihood.of_all`)."""
        loaded = self._load(check)
        return of_all(loaded.native, loaded.vocabulary, loaded.prefix, prompt, continuations, check)

    def close(self) -> None:
        """Let go of the model's memory; a later request loads it again."""
        if self._loaded is not None:
            self._loaded.close()
            self._loaded = None

    def _load(self, check: Check) -> "_Loaded":
        if self._loaded is None:
            native = NativeModel(self._file, self._options, self._size, check)
            try:
                self._loaded = _Loaded(native, self._template, self._options)
            except BaseException:
                native.close()
                raise
        return self._loaded

    def _write(self, loaded: "_Loaded", request: Request, spelling: Spelling, check: Check, room: int) -> DrawnText:
        """Draw token after token until the text ends."""
        native = loaded.native
        if np.isnan(native.logits(-1)).any():
            raise errors.not_numbers(native.name)
        with sampler(native.lib, native.words, request, self._options) as chain:
            text = DrawnText(request, self._options, loaded.vocabulary, spelling, room)
            while text.wants_more:
                check()
                token = text.draw(native, chain, -1)
                if text.wants_more:
                    loaded.prefix.follow(token)
        return text


class _Loaded:
    """Objects that exist once the model is in memory."""

    def __init__(self, native: NativeModel, template: str | None, options: LlamaOptions) -> None:
        self.native = native
        self.vocabulary = GgufVocabulary(native)
        self.prefix = Prefix(native, options.prefix_cache)
        self._slots: TextSlots | None = None
        self._around: Around | None = None
        if template is not None:
            begin, end = self.vocabulary.text_of(self.vocabulary.begin), self.vocabulary.text_of(self.vocabulary.end)
            self._around = around(template, begin, end, options.system)

    def prompt(self, prompt: str) -> list[int]:
        """Return the tokens of a prompt, never empty: something must be there for a first token to follow."""
        tokens = self.vocabulary.around(self._around, prompt) if self._around else self.vocabulary.plain(prompt)
        return tokens or self.vocabulary.beginning()

    def slots_of(self, file: ModelFile, options: LlamaOptions) -> TextSlots:
        """Return the room for texts beside each other, made when it is first asked for."""
        if self._slots is None:
            self._slots = self.native.slots(file, options, options.at_once)
        return self._slots

    def close(self) -> None:
        if self._slots is not None:
            self._slots.close()
        self.native.close()
