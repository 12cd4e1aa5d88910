"""The backend: writes texts with a model from a folder, and says how likely given continuations are."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from core.backends.llama_cpp.spelling import Spelling
from core.backends.local_model import FoundModel, find_local, shared_beginning
from core.backends.protocol import Completion, FinishReason, GeneratorInfo, Likelihood, Request
from core.backends.transformers_local.engine import Check, Engine
from core.backends.transformers_local.info import CAPABILITIES, NAME
from core.backends.transformers_local.options import Options, completed, recorded
from core.backends.transformers_local.sampling import Sampler
from core.backends.transformers_local.vocabulary import Speller, Vocabulary
from core.errors import AppError, UsageError
from core.scorers.folders import device, loading
from core.scorers.folders.loading import Settings, read_settings

PURPOSE: Literal["writer"] = "writer"
UNKNOWN_CONTEXT = 2_048  # tokens, where a model's settings name no limit


def find_folder(model: str) -> FoundModel:
    """The folder that a name or a path stands for. Raises `AppError` where there is none."""
    if not model:
        raise UsageError("transformers needs a model.", hint="Give the path of a folder with safetensors weights.")
    found = find_local(model)
    if found.format != "folder":
        raise AppError(f"“{found.path.name}” is no folder.", hint="Open a GGUF file with the backend llama_cpp.")
    return found


class TransformersWriter:
    """One model. Its folder is checked when it is opened, its weights are loaded when the first text is asked for.

    A text depends on its request, the model, the device and the version of torch alone: nothing is kept from one
    request to the next.
    """

    name = NAME
    capabilities = CAPABILITIES

    def __init__(self, folder: FoundModel, options: Options) -> None:
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
        where = device.chosen(options.device)
        fitting = "float32" if where == "cpu" else _stored(self._config)
        numbers = fitting if options.numbers == "auto" else options.numbers
        self._options = replace(
            completed(options, self._settings.generation), device=where, numbers=numbers, context=self._size
        )
        tokenizer = loading.tokenizer(self._settings, self._config)
        self._vocabulary = Vocabulary(tokenizer, _ends(self._settings, self._config), template=options.chat_template)
        self._engine: Engine | None = None

    @property
    def model(self) -> str:
        return self._folder.name

    def describe(self) -> GeneratorInfo:
        """With the device and the kind of numbers that were chosen: both change the last digits, and so some texts."""
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
        """Σ log P(tokenᵢ | prompt, tokens before it) of each continuation, with natural logarithms.

        The prompt is evaluated once for all. Prompt and continuation are split into tokens together; where the prompt's
        last tokens would be others with a continuation behind them, counting begins at the last token that all have in
        common. An empty prompt stands for the beginning of a text. Raises `AppError` where a whole is longer than the
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
    said = getattr(config, "max_position_embeddings", None)
    return said if isinstance(said, int) and said > 0 else UNKNOWN_CONTEXT


def _stored(config: Any) -> str:
    """The kind of numbers that the weights are stored in, where it is one that is computed in."""
    said = str(getattr(config, "dtype", None)).removeprefix("torch.")
    return said if said in ("bfloat16", "float16", "float32") else "float32"


def _ends(read: Settings, config: Any) -> frozenset[int]:
    """The tokens with which the model ends a text, by its settings."""
    found: set[int] = set()
    for said in (getattr(config, "eos_token_id", None), read.generation.get("eos_token_id")):
        found |= {token for token in (said if isinstance(said, list) else [said]) if isinstance(token, int)}
    return frozenset(found)
