"""The backend: writes texts with a model from a folder, and says how likely given continuations are.

Special tokens of the chat template count, the same words in a prompt are plain text. The same seed and the same logits
give the same token on every machine. Heavy: for the model process only.
"""

import copy
import inspect
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from biasprint.core.backends.llama_cpp.template import Around, around
from biasprint.core.backends.local_model import FoundModel, Spelling, find_local, shared_beginning
from biasprint.core.backends.protocol import Completion, FinishReason, GeneratorInfo, Likelihood, Request
from biasprint.core.backends.transformers_local.options import (
    CAPABILITIES,
    NAME,
    TransformersOptions,
    completed,
    recorded,
)
from biasprint.core.errors import AppError, UsageError
from biasprint.core.machine.processor import is_out_of_memory
from biasprint.core.scorers.folders import loading
from biasprint.core.scorers.folders.loading import FolderSettings, read_settings

Floats = NDArray[np.float64]


class Sampler:
    """Temperature, then the `top_k` most likely tokens, then the fewest that reach `top_p` together; then a draw.

    `temperature` 0 takes the most likely. The draws come from numpy's PCG64 with the request's seed, on the processor.
    """

    def __init__(self, seed: int, temperature: float, top_k: int, top_p: float) -> None:
        self._random = np.random.default_rng(seed)
        self._temperature = temperature
        self._top_k = top_k
        self._top_p = top_p

    def draw(self, logits: NDArray[np.float32]) -> int:
        """The number of a token. `logits`: (tokens,), at least one of them finite."""
        if self._temperature == 0:
            return int(logits.argmax())
        candidates = self._most_likely(logits)
        values = logits[candidates].astype(np.float64) / self._temperature
        shares = np.exp(values - values.max())
        shares /= shares.sum()
        if self._top_p < 1:
            enough = int(np.searchsorted(shares.cumsum(), self._top_p)) + 1
            candidates, shares = candidates[:enough], shares[:enough]
        sums = shares.cumsum()
        at = int(np.searchsorted(sums, self._random.random() * sums[-1], side="right"))
        return int(candidates[min(at, len(candidates) - 1)])

    def _most_likely(self, logits: NDArray[np.float32]) -> NDArray[np.intp]:
        """Places by falling logit, ties by place; at most `top_k` of them where that is not 0."""
        count = len(logits)
        if 0 < self._top_k < count:
            least = np.partition(logits, count - self._top_k)[count - self._top_k]
            candidates = np.flatnonzero(logits >= least)
        else:
            candidates = np.flatnonzero(np.isfinite(logits))
        ordered = candidates[np.argsort(-logits[candidates], kind="stable")]
        return ordered[: self._top_k] if self._top_k else ordered


CHUNK = 256  # tokens of a prompt between two checks for a cancel

Check = Callable[[], None]


class Engine:
    """One model and one past. Logits are float32 on the processor, whatever the model computes in."""

    def __init__(self, model: Any, name: str, where: str) -> None:
        self._model = model
        self._name = name
        self.device = where
        self._past: Any = None
        taken = inspect.signature(model.forward).parameters
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in taken else {}

    def begin(self) -> None:
        """Forget the past."""
        self._past = None

    def evaluate(self, tokens: list[int], check: Check) -> NDArray[np.float32]:
        """Put tokens behind the past; the logits after the last one, (words,)."""
        for start in range(0, len(tokens), CHUNK):
            check()
            logits = self._forward(tokens[start : start + CHUNK], self._last_only)
        last: NDArray[np.float32] = logits[-1]
        if not np.isfinite(last).any():
            raise AppError(
                f"What “{self._name}” computes are no numbers, so its weights are damaged.",
                hint="Get the model again, or choose another one.",
            )
        return last

    def behind(self, tokens: list[int], check: Check) -> NDArray[np.float32]:
        """The logits after each of some tokens behind the past, (tokens, words); the past stays as it was."""
        check()
        past = self._past
        length = int(past.get_seq_length())
        if not self._croppable():
            self._past = copy.deepcopy(past)
        try:
            return np.concatenate([
                self._forward(tokens[start : start + CHUNK], {}) for start in range(0, len(tokens), CHUNK)
            ])  # fmt: skip
        finally:
            added = int(past.get_seq_length()) - length  # none where a copy was put behind
            if added:
                past.crop(-added)
            self._past = past

    def close(self) -> None:
        self._model = self._past = None
        loading.let_go(self.device)

    def _forward(self, tokens: list[int], options: dict[str, int]) -> NDArray[np.float32]:
        import torch

        try:
            with torch.inference_mode():
                given = torch.tensor([tokens], device=self.device)
                output = self._model(input_ids=given, past_key_values=self._past, use_cache=True, **options)
                self._past = output.past_key_values
                logits: NDArray[np.float32] = output.logits[0].float().cpu().numpy()
                return logits
        except (RuntimeError, MemoryError) as error:
            self.begin()
            if is_out_of_memory(error):
                raise loading.out_of_memory(self._name, error) from error
            raise AppError(
                f"“{self._name}” could not go on with a text.",
                hint="Try again; if it happens again, choose another model.",
                details=repr(error)[:2000],
            ) from error

    def _croppable(self) -> bool:
        """Return whether the past keeps every token apart; a window or a running state cannot be taken back."""
        from transformers.cache_utils import DynamicLayer

        return all(type(layer) is DynamicLayer for layer in getattr(self._past, "layers", [None]))


_LOOK_BACK = 6  # tokens before a new one that decide how it is spelt, such as whether a blank stands before it


class FolderVocabulary:
    """A tokenizer of transformers. `template`: whether a prompt is put into the chat template, where there is one."""

    def __init__(self, tokenizer: Any, ends: frozenset[int], *, template: bool) -> None:
        self._tokenizer = tokenizer
        self._name = Path(tokenizer.name_or_path).name
        self._special = tuple(text for text in tokenizer.all_special_tokens if text)
        self._ends = ends | ({tokenizer.eos_token_id} if tokenizer.eos_token_id is not None else set())
        self._around = self._template() if template else None

    def ends(self, token: int) -> bool:
        """Return whether the model ends its text, or its turn, with this token."""
        return token in self._ends

    def prompt(self, prompt: str) -> list[int]:
        """The tokens of a prompt in its template, or as it is. Never empty: something must be there to go on from."""
        tokens = self._in_template(self._around, prompt) if self._around else self.plain(prompt)
        return tokens or self.beginning()

    def plain(self, text: str) -> list[int]:
        """The tokens of a text as it is, begun as the model's texts begin; what looks like a special token is text."""
        tokens = self._tokens(text, special=False)
        begin = self._tokenizer.bos_token_id
        return [begin, *tokens] if begin is not None and self._begins_texts() else tokens

    def beginning(self) -> list[int]:
        """Return one token that marks the beginning of a text. Raises `AppError` for a model that has none."""
        for token in (self._tokenizer.bos_token_id, self._tokenizer.eos_token_id):
            if token is not None:
                return [token]
        raise AppError(
            "The model has no token for the beginning of a text.", hint="Give it a prompt that is not empty."
        )

    def text(self, tokens: list[int]) -> str:
        """Special tokens are left out, and nothing is tidied."""
        options = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}
        decoded: str = loading.spelled(self._name, lambda: self._tokenizer.decode(tokens, **options))
        return decoded

    def _template(self) -> Around | None:
        template = self._tokenizer.chat_template
        if isinstance(template, dict):
            template = template.get("default")
        if not isinstance(template, str) or not template.strip():
            return None
        return around(template, self._tokenizer.bos_token or "", self._tokenizer.eos_token or "")

    def _in_template(self, around_it: Around, prompt: str) -> list[int]:
        """Return the tokens of the prompt in its template, exactly as the template writes it: no beginning is added."""
        prompt = prompt.strip() if around_it.strips else prompt
        if not any(special in prompt for special in self._special):
            return self._tokens(around_it.before + prompt + around_it.after, special=True)
        return (
            self._tokens(around_it.before, special=True)
            + self._tokens(prompt, special=False)
            + self._tokens(around_it.after, special=True)
        )

    def _begins_texts(self) -> bool:
        started: list[int] = self._tokenizer("a")["input_ids"]
        return bool(started) and started[0] == self._tokenizer.bos_token_id

    def _tokens(self, text: str, *, special: bool) -> list[int]:
        whole = text.encode("utf-8", "replace").decode()  # tokenizers refuse lone surrogates
        options = {"add_special_tokens": False, "split_special_tokens": not special, "verbose": False}
        tokens: list[int] = loading.spelled(self._name, lambda: self._tokenizer(whole, **options)["input_ids"])
        return tokens


class Speller:
    """Speller of tokens, one after another, as text. It holds back what could still become another character."""

    def __init__(self, vocabulary: FolderVocabulary, before: list[int]) -> None:
        self._vocabulary = vocabulary
        self._tokens = before[-_LOOK_BACK:]
        self._said = vocabulary.text(self._tokens)

    def add(self, token: int) -> str:
        """The text that this token makes certain; often its own, sometimes none."""
        self._tokens.append(token)
        whole = self._vocabulary.text(self._tokens)
        if whole.endswith("\ufffd") and len(self._tokens) < 4 * _LOOK_BACK:  # perhaps half a character
            return ""
        return self._step(whole)

    def finish(self) -> str:
        """Return what was held back, as no more tokens come."""
        return self._step(self._vocabulary.text(self._tokens))

    def _step(self, whole: str) -> str:
        new = whole[len(self._said) :]
        if len(self._tokens) >= 2 * _LOOK_BACK and not whole.endswith("\ufffd"):
            self._tokens = self._tokens[-_LOOK_BACK:]
            whole = self._vocabulary.text(self._tokens)
        self._said = whole
        return new


# ---- The backend

PURPOSE: Literal["writer"] = "writer"
UNKNOWN_CONTEXT = 2_048  # tokens, where a model's settings name no limit


def find_folder(model: str) -> FoundModel:
    """Find the folder that a name or a path means. Raises `AppError` where there is none."""
    if not model:
        raise UsageError("transformers needs a model.", hint="Give the path of a folder with safetensors weights.")
    folder = find_local(model)
    if folder.format != "folder":
        raise AppError(f"“{folder.path.name}” is no folder.", hint="Open a GGUF file with the backend llama_cpp.")
    return folder


class TransformersWriter:
    """One model. Its folder is checked when it is opened, its weights are loaded when the first text is asked for.

    A text depends on its request, the model, the device and the version of torch alone: nothing is kept from one
    request to the next.
    """

    name = NAME
    capabilities = CAPABILITIES

    def __init__(self, folder: FoundModel, options: TransformersOptions) -> None:
        self._folder = folder
        self._settings = read_settings(folder.path)
        self._config = loading.configuration(self._settings)
        loading.class_for(self._settings, PURPOSE, self._config)  # a folder for something else is refused now
        trained = _context(self._config)
        if options.context is not None and options.context > trained:
            raise UsageError(
                f"The model cannot have a context of {options.context:,} tokens: it was trained with {trained:,}.",
                hint=f"Ask for at most {trained:,}.",
            )
        self._size = options.context or trained
        where = loading.chosen(options.device)
        fitting = "float32" if where == "cpu" else _stored(self._config)
        numbers = fitting if options.numbers == "auto" else options.numbers
        self._options = replace(
            completed(options, self._settings.generation), device=where, numbers=numbers, context=self._size
        )
        tokenizer = loading.tokenizer(self._settings, self._config)
        ends = _ends(self._settings, self._config)
        self._vocabulary = FolderVocabulary(tokenizer, ends, template=options.chat_template)
        self._engine: Engine | None = None

    @property
    def model(self) -> str:
        return self._folder.name

    def describe(self) -> GeneratorInfo:
        """Describe the generator, also by device and kind of numbers: both change the last digits, so some texts."""
        return GeneratorInfo(NAME, self.model, recorded(self._options), revision=self._folder.sha256)

    def generate(self, request: Request, on_text: Callable[[str], None], check: Check) -> Completion:
        """Write one text. A prompt that is longer than the context is a completion that failed.

        Raises `AppError` where the model cannot be loaded, and what `check` raises, also while a prompt is evaluated.
        """
        engine = self._loaded(check)
        started = time.perf_counter()
        tokens = self._vocabulary.prompt(request.prompt)
        usage = {"prompt": len(tokens)}
        if len(tokens) >= self._size:
            sentence = f"The prompt has {len(tokens):,} tokens, and the context holds {self._size:,}."
            return Completion("", "error", usage, error=sentence, failure="context")
        spelling = Spelling(request.stop, on_text)
        reason, written = self._write(engine, request, tokens, spelling, check)
        return Completion(spelling.text, reason, usage | {"completion": written}, seconds=time.perf_counter() - started)

    def likelihood(self, prompt: str, continuations: Sequence[str], check: Check) -> list[Likelihood]:
        """Compute Σ log P(tokenᵢ | prompt, tokens before it) of each continuation, with natural logarithms.

        The prompt is evaluated once for all. Prompt and continuation are split into tokens together; where the prompt's
        last tokens would be others with a continuation behind them, counting begins at the last token that all have in
        common. An empty prompt means the beginning of a text. Raises `AppError` where a whole is longer than the
        context.
        """
        engine = self._loaded(check)
        wholes = [self._vocabulary.plain(prompt + continuation) for continuation in continuations]
        shared = shared_beginning([self._vocabulary.plain(prompt), *wholes])
        begun = shared or self._vocabulary.beginning()
        rests = [whole[len(shared) :] for whole in wholes]
        longest = len(begun) + max(map(len, rests), default=0)
        if longest > self._size:
            raise AppError(
                f"The prompt and an option have {longest:,} tokens, and the context holds {self._size:,}.",
                hint="Shorten the prompt, or choose a model with a longer context.",
            )
        engine.begin()
        first = log_softmax(engine.evaluate(begun, check))
        return [_likelihood(engine, first, rest, check) for rest in rests]

    def close(self) -> None:
        """Let go of the model's memory; a later request loads it again."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def _loaded(self, check: Check) -> Engine:
        import torch

        check()
        if self._engine is None:
            dtype = getattr(torch, self._options.numbers)
            model = loading.model(self._settings, PURPOSE, self._config, self._options.device, dtype)
            self._engine = Engine(model, self.model, self._options.device)
        return self._engine

    def _write(
        self, engine: Engine, request: Request, tokens: list[int], spelling: Spelling, check: Check
    ) -> tuple[FinishReason, int]:
        """Draw token after token. Returns why it ended, and how many there are; the one that ends a text is none."""
        asked = self._options.max_tokens if request.max_tokens is None else request.max_tokens
        room = self._size - len(tokens)
        most = room if asked is None else min(asked, room)
        sampler = self._sampler(request)
        speller = Speller(self._vocabulary, tokens)
        reason: FinishReason = "length"
        written = 0
        engine.begin()
        following = tokens
        while written < most:
            check()
            token = sampler.draw(engine.evaluate(following, check))
            if self._vocabulary.ends(token):
                reason = "stop"
                break
            written += 1
            spelling.add(speller.add(token).encode("utf-8", "replace"))
            if spelling.stopped:
                break
            following = [token]
        spelling.add(speller.finish().encode("utf-8", "replace"))
        spelling.finish()
        return ("stop" if spelling.stopped else reason), written

    def _sampler(self, request: Request) -> Sampler:
        options = self._options
        temperature = options.temperature if request.temperature is None else request.temperature
        top_p = options.top_p if request.top_p is None else request.top_p
        assert temperature is not None
        assert top_p is not None
        return Sampler(request.seed, temperature, options.top_k or 0, top_p)


def log_softmax(logits: np.ndarray[Any, np.dtype[np.float32]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """xᵢ − log Σ exp(xⱼ) over the last axis, in double precision."""
    values = logits.astype(np.float64)
    values -= values.max(axis=-1, keepdims=True)
    result: np.ndarray[Any, np.dtype[np.float64]] = values - np.log(np.exp(values).sum(axis=-1, keepdims=True))
    return result


def _likelihood(engine: Engine, first: Any, rest: list[int], check: Check) -> Likelihood:
    if not rest:
        return Likelihood(0.0, 0)
    logprob = float(first[rest[0]])
    if len(rest) > 1:
        after = log_softmax(engine.behind(rest[:-1], check))
        logprob += float(after[np.arange(len(rest) - 1), rest[1:]].sum())
    return Likelihood(logprob, len(rest))


def _context(config: Any) -> int:
    positions = getattr(config, "max_position_embeddings", None)
    return positions if isinstance(positions, int) and positions > 0 else UNKNOWN_CONTEXT


def _stored(config: Any) -> str:
    """The kind of numbers that the weights are stored in, where it is one that is computed in."""
    dtype = str(getattr(config, "dtype", None)).removeprefix("torch.")
    return dtype if dtype in ("bfloat16", "float16", "float32") else "float32"


def _ends(read: FolderSettings, config: Any) -> frozenset[int]:
    """The tokens with which the model ends a text, by its settings."""
    tokens: set[int] = set()
    for value in (getattr(config, "eos_token_id", None), read.generation.get("eos_token_id")):
        tokens |= {token for token in (value if isinstance(value, list) else [value]) if isinstance(token, int)}
    return frozenset(tokens)
