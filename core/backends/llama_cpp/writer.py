"""The backend: writes texts with a model from a GGUF file, and says how likely given continuations are.

Special tokens of the template count, the same words in a prompt are plain text. The beginning which a text shares with
the one before is not worked out again.
"""

import ctypes
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from biasprint.core.backends.llama_cpp import errors
from biasprint.core.backends.llama_cpp.gguf import ModelFile
from biasprint.core.backends.llama_cpp.native_model import BATCH, MOST_ASKED, SEQUENCES, Check, NativeModel, build
from biasprint.core.backends.llama_cpp.options import CAPABILITIES, DEFAULT_CONTEXT, NAME, LlamaOptions, recorded
from biasprint.core.backends.llama_cpp.template import Around, around
from biasprint.core.backends.local_model import FoundModel, Spelling, shared_beginning
from biasprint.core.backends.protocol import Completion, FinishReason, GeneratorInfo, Likelihood, Request

_UNKNOWN, _CONTROL = 1 << 0, 1 << 3  # llama.cpp's attributes of tokens that are no text


class GgufVocabulary:
    """The tokens of a model."""

    def __init__(self, native: NativeModel) -> None:
        self._lib = native.lib
        self._vocab = native.vocab
        self._pieces: dict[int, bytes] = {}
        self._special = self._special_texts(native.words)
        # The tokens with which the model ends its text, or its turn.
        self.ends = frozenset(
            token for token in range(native.words) if self._lib.llama_vocab_is_eog(self._vocab, token)
        )
        self.end_list = sorted(self.ends)
        self.begin = int(self._lib.llama_vocab_bos(self._vocab))
        self.end = int(self._lib.llama_vocab_eos(self._vocab))
        self.begins_texts = bool(self._lib.llama_vocab_get_add_bos(self._vocab))

    def text_of(self, token: int) -> str:
        """A token as it is written in a template; "" for a token that the model does not have (−1)."""
        return "" if token < 0 else self._lib.llama_vocab_get_text(self._vocab, token).decode("utf-8", "replace")

    def piece(self, token: int) -> bytes:
        """Return the bytes that a token adds to a text, perhaps part of a character; none for a special token."""
        piece = self._pieces.get(token)
        if piece is None:
            piece = self._pieces[token] = self._spell(token)
        return piece

    def plain(self, text: str) -> list[int]:
        """The tokens of a text as it is, begun as the model's texts begin; what looks like a special token is text."""
        begun = [self.begin] if self.begins_texts and self.begin >= 0 else []
        return begun + self._tokens(text, special=False)

    def plain_only(self, text: str) -> list[int]:
        """The tokens of a text as it is, without one for a beginning."""
        return self._tokens(text, special=False)

    def beginning(self) -> list[int]:
        """Return one token that marks the beginning of a text. Raises `AppError` for a model that has none."""
        token = self.begin if self.begin >= 0 else self.end
        if token < 0:
            raise errors.no_beginning()
        return [token]

    def around(self, around: Around, prompt: str) -> list[int]:
        """The tokens of a prompt in its template. What the template writes is all there is: no beginning is added."""
        prompt = prompt.strip() if around.strips else prompt
        head, left = self._last_special(around.before)
        right, tail = self._first_special(around.after)
        middle = left + prompt + right
        if not self._has_special(middle):
            return self._tokens(around.before + prompt + around.after, special=True)
        return self._tokens(head, special=True) + self._tokens(middle, special=False) + self._tokens(tail, special=True)

    def _tokens(self, text: str, *, special: bool) -> list[int]:
        data = text.encode("utf-8", "replace")
        if not data:
            return []
        room = len(data) + 8
        tokens = (ctypes.c_int32 * room)()
        count = self._lib.llama_tokenize(self._vocab, data, len(data), tokens, room, False, special)
        if count < 0:  # some vocabularies make more tokens than there are bytes
            tokens = (ctypes.c_int32 * -count)()
            count = self._lib.llama_tokenize(self._vocab, data, len(data), tokens, -count, False, special)
        if count < 0:
            raise errors.stopped_working(count, "")
        return list(tokens[:count])

    def _spell(self, token: int) -> bytes:
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            count = self._lib.llama_token_to_piece(self._vocab, token, buffer, room, 0, False)
            if count >= 0:
                return buffer.raw[:count]
            room = -count

    def _special_texts(self, words: int) -> tuple[str, ...]:
        attributes = self._lib.llama_vocab_get_attr
        numbers = [token for token in range(words) if attributes(self._vocab, token) & (_CONTROL | _UNKNOWN)]
        return tuple(text for text in map(self.text_of, numbers) if text)

    def _has_special(self, text: str) -> bool:
        return any(special in text for special in self._special)

    def _last_special(self, text: str) -> tuple[str, str]:
        """The text up to and with its last special token, and the rest."""
        cut = max((text.rfind(special) + len(special) for special in self._special if special in text), default=0)
        return text[:cut], text[cut:]

    def _first_special(self, text: str) -> tuple[str, str]:
        """The text before its first special token, and the rest with it."""
        cut = min((text.find(special) for special in self._special if special in text), default=len(text))
        return text[:cut], text[cut:]


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


_RANDOM = 0xFFFFFFFF  # llama.cpp takes this one for “any seed”


def folded(seed: int) -> int:
    """A seed of 63 bits as llama.cpp has it: its lower 32 bits, as its server takes them from a larger number too.

    The one value that would mean “any seed” becomes the one below.
    """
    return min(seed & _RANDOM, _RANDOM - 1)


def temperature_of(request: Request, options: LlamaOptions) -> float:
    """Return the request's temperature, else that of the options."""
    return options.temperature if request.temperature is None else request.temperature


@contextmanager
def sampler(lib: Any, words: int, request: Request, options: LlamaOptions) -> Iterator[Any]:
    """A chain: the most likely `top_k`, then `top_p`, then `min_p` of them, their temperature, one drawn by the seed.

    Temperature 0 takes the most likely token. A repeat penalty, where there is one, comes before everything else and
    looks at the last tokens of the answer. `words`: how many tokens the model has.
    """
    temperature = temperature_of(request, options)
    top_p = options.top_p if request.top_p is None else request.top_p
    chain = lib.llama_sampler_chain_init(lib.llama_sampler_chain_default_params())
    try:
        steps = []
        if (repeat := options.repeat_penalty) != 1:
            steps.append(lib.llama_sampler_init_penalties(words, options.penalty_window, repeat, 0.0, 0.0))
        if temperature <= 0:
            steps += [lib.llama_sampler_init_greedy()]
        else:
            steps += [
                lib.llama_sampler_init_top_k(options.top_k),
                lib.llama_sampler_init_top_p(top_p, 1),
                lib.llama_sampler_init_min_p(options.min_p, 1),
                lib.llama_sampler_init_temp(temperature),
                lib.llama_sampler_init_dist(folded(request.seed)),
            ]
        for step in steps:
            lib.llama_sampler_chain_add(chain, step)
        yield chain
    finally:
        lib.llama_sampler_free(chain)


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
            reason, usage["completion"] = self._write(loaded, request, spelling, check, self._size - len(tokens))
        except errors.TextFailed as failed:
            return Completion(spelling.text, "error", usage, time.perf_counter() - started, str(failed), "other")
        return Completion(spelling.text, reason, usage, time.perf_counter() - started)

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
            self._loaded.native.close()
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

    def _write(
        self, loaded: "_Loaded", request: Request, spelling: Spelling, check: Check, room: int
    ) -> tuple[FinishReason, int]:
        """Draw token after token. Returns why it ended, and how many there are; the one that ends a text is none."""
        asked = self._options.max_tokens if request.max_tokens is None else request.max_tokens
        most = room if asked is None else min(asked, room)
        native, vocabulary = loaded.native, loaded.vocabulary
        if np.isnan(native.logits(-1)).any():
            raise errors.not_numbers(native.name)
        reason: FinishReason = "length"
        written = 0
        with sampler(native.lib, native.words, request, self._options) as chain:
            while written < most:
                check()
                if written < self._options.min_tokens:
                    native.logits(-1)[vocabulary.end_list] = -np.inf
                token = native.lib.llama_sampler_sample(chain, native.context, -1)
                if token in vocabulary.ends:
                    reason = "stop"
                    break
                written += 1
                spelling.add(vocabulary.piece(token))
                if spelling.stopped:
                    reason = "stop"
                    break
                if written > most - self._options.round_off and ends_sentence(spelling.text):
                    break
                if written < most:
                    loaded.prefix.follow(token)
        spelling.finish()
        return ("stop" if spelling.stopped else reason), written


def ends_sentence(text: str) -> bool:
    """Return whether a text may end here: with a sentence or a line."""
    return text.endswith("\n") or text.rstrip("”’\"')]").endswith((".", "!", "?"))


class _Loaded:
    """Objects that exist once the model is in memory."""

    def __init__(self, native: NativeModel, template: str | None, options: LlamaOptions) -> None:
        self.native = native
        self.vocabulary = GgufVocabulary(native)
        self.prefix = Prefix(native, options.prefix_cache)
        self._around: Around | None = None
        if template is not None:
            begin, end = self.vocabulary.text_of(self.vocabulary.begin), self.vocabulary.text_of(self.vocabulary.end)
            self._around = around(template, begin, end, options.system)

    def prompt(self, prompt: str) -> list[int]:
        """Return the tokens of a prompt, never empty: something must be there for a first token to follow."""
        tokens = self.vocabulary.around(self._around, prompt) if self._around else self.vocabulary.plain(prompt)
        return tokens or self.vocabulary.beginning()
