"""The backend: writes texts with a model from a GGUF file, and says how likely given continuations are."""

import time
from collections.abc import Callable, Sequence

import numpy as np

from core.backends.llama_cpp import errors, likelihood
from core.backends.llama_cpp.gguf_check import ModelFile
from core.backends.llama_cpp.info import CAPABILITIES, NAME
from core.backends.llama_cpp.native_model import Check, NativeModel
from core.backends.llama_cpp.options import DEFAULT_CONTEXT, Options, recorded
from core.backends.llama_cpp.prefix import Prefix
from core.backends.llama_cpp.sampler import sampler
from core.backends.llama_cpp.spelling import Spelling
from core.backends.llama_cpp.template import Around, around
from core.backends.llama_cpp.tokens import Vocabulary
from core.backends.local_model import FoundModel
from core.backends.protocol import Completion, FinishReason, GeneratorInfo, Likelihood, Request


class LlamaCpp:
    """One model. It is checked when it is opened, and loaded into memory when the first text is asked for.

    With `prefix_cache` off, each text depends on its request, the model and the machine alone. With it on, what two
    prompts have in common at their beginning is worked out once; sums are then rounded in another order, and now and
    then a token that is almost as likely is drawn instead.
    """

    name = NAME
    capabilities = CAPABILITIES

    def __init__(self, found: FoundModel, file: ModelFile, options: Options) -> None:
        self._found = found
        self._file = file
        self._options = options
        self._size = options.context or min(file.trained_context, DEFAULT_CONTEXT)
        if self._size > file.trained_context:
            raise errors.context_too_long(self._size, file.trained_context)
        self._template = file.template if options.chat_template else None
        if self._template is not None:
            around(self._template, file.begin, file.end)  # a bad one is told now
        self._loaded: _Loaded | None = None

    @property
    def model(self) -> str:
        return self._found.name

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
        spelling = Spelling(request.stop, on_text)
        try:
            usage["cached"] = loaded.prefix.bring_to(tokens, check)
            reason, usage["completion"] = self._write(loaded, request, spelling, check, self._size - len(tokens))
        except errors.TextFailed as failed:
            return Completion(spelling.text, "error", usage, time.perf_counter() - started, str(failed), "other")
        return Completion(spelling.text, reason, usage, time.perf_counter() - started)

    def likelihood(self, prompt: str, continuations: Sequence[str], check: Check) -> list[Likelihood]:
        """log P(continuation | prompt) of each, the prompt evaluated once for all (see `likelihood.of_all`)."""
        loaded = self._load(check)
        return likelihood.of_all(loaded.native, loaded.vocabulary, loaded.prefix, prompt, continuations, check)

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
                token = native.lib.llama_sampler_sample(chain, native.context, -1)
                if token in vocabulary.ends:
                    reason = "stop"
                    break
                written += 1
                spelling.add(vocabulary.piece(token))
                if spelling.stopped:
                    break
                if written < most:
                    loaded.prefix.follow(token)
        spelling.finish()
        return ("stop" if spelling.stopped else reason), written


class _Loaded:
    """What exists once the model is in memory."""

    def __init__(self, native: NativeModel, template: str | None, options: Options) -> None:
        self.native = native
        self.vocabulary = Vocabulary(native)
        self.prefix = Prefix(native, options.prefix_cache)
        self._around: Around | None = None
        if template is not None:
            begin, end = self.vocabulary.text_of(self.vocabulary.begin), self.vocabulary.text_of(self.vocabulary.end)
            self._around = around(template, begin, end)

    def prompt(self, prompt: str) -> list[int]:
        """Never empty: something must be there for a first token to follow."""
        tokens = self.vocabulary.around(self._around, prompt) if self._around else self.vocabulary.plain(prompt)
        return tokens or self.vocabulary.beginning()
