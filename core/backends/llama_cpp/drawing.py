"""Texts drawn token by token: one alone, or several beside each other in a context of their own.

The weights are read from memory once for a step of all texts, so that sixteen beside each other come about twice as
fast as one after another. Sums are then rounded in another order, by how many are drawn at once: now and then a token
that is almost as likely is drawn instead.

The tokens of a GGUF model: from text, and back to it.
"""

import ctypes
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from biasprint.core.backends.llama_cpp import errors
from biasprint.core.backends.llama_cpp.native_model import BATCH, Check, NativeModel, TextSlots
from biasprint.core.backends.llama_cpp.options import LlamaOptions
from biasprint.core.backends.llama_cpp.template import Around
from biasprint.core.backends.local_model import Spelling
from biasprint.core.backends.protocol import Completion, FinishReason, Request

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
        if not any(special in middle for special in self._special):
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

    def _last_special(self, text: str) -> tuple[str, str]:
        """The text up to and with its last special token, and the rest."""
        cut = max((text.rfind(special) + len(special) for special in self._special if special in text), default=0)
        return text[:cut], text[cut:]

    def _first_special(self, text: str) -> tuple[str, str]:
        """The text before its first special token, and the rest with it."""
        cut = min((text.find(special) for special in self._special if special in text), default=len(text))
        return text[:cut], text[cut:]


# ---- One text

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


def ends_sentence(text: str) -> bool:
    """Return whether a text may end here: with a sentence or a line."""
    return text.endswith("\n") or text.rstrip("”’\"')]").endswith((".", "!", "?"))


class DrawnText:
    """A text as it grows. `written` counts its tokens; the one that ends a text is none. `reason`: why it ended."""

    def __init__(
        self, request: Request, options: LlamaOptions, vocabulary: GgufVocabulary, spelling: Spelling, room: int
    ) -> None:
        """`room`: how many tokens the context still holds."""
        asked = options.max_tokens if request.max_tokens is None else request.max_tokens
        self._most = room if asked is None else min(asked, room)
        self._options, self._vocabulary, self._spelling = options, vocabulary, spelling
        self.reason: FinishReason = "length"
        self.written = 0
        self.wants_more = True
        self._end_if(self._most <= 0)

    def draw(self, native: NativeModel, chain: Any, row: int, context: Any = None) -> int:
        """Draw the token that follows this row of the last batch, by a chain of samplers."""
        context = context or native.context
        if self.written < self._options.min_tokens:
            native.logits(row, context)[self._vocabulary.end_list] = -np.inf
        token = int(native.lib.llama_sampler_sample(chain, context, row))
        if token in self._vocabulary.ends:
            self.reason = "stop"
            self._end_if(True)
            return token
        self.written += 1
        self._spelling.add(self._vocabulary.piece(token))
        in_the_end = self.written > self._most - self._options.round_off
        rounded_off = in_the_end and ends_sentence(self._spelling.text)
        self._end_if(self._spelling.stopped or rounded_off or self.written >= self._most)
        return token

    def _end_if(self, ended: bool) -> None:
        if ended:
            self.wants_more = False
            self._spelling.finish()
            if self._spelling.stopped:
                self.reason = "stop"


# ---- Several beside each other


@dataclass
class _Growing:
    """A text in its slot, and what draws it. `token`: drawn last; `place`: where it will lie in the text."""

    number: int  # of the request
    text: DrawnText
    spelling: Spelling
    chain: Any
    block: ExitStack
    usage: dict[str, int]
    started: float
    token: int
    place: int

    def completion(self, error: str = "") -> Completion:
        usage = {**self.usage, "completion": self.text.written}
        seconds = time.perf_counter() - self.started
        if error:
            return Completion(self.spelling.text, "error", usage, seconds, error, "other")
        return Completion(self.spelling.text, self.text.reason, usage, seconds)


@dataclass
class TextsTogether:
    """Draws texts beside each other. `tokens_of` gives a prompt's tokens; `on_done`, `on_text` as the protocol says."""

    native: NativeModel
    vocabulary: GgufVocabulary
    options: LlamaOptions
    slots: TextSlots
    tokens_of: Callable[[str], list[int]]
    on_done: Callable[[int, Completion], None]
    on_text: Callable[[int, str], None]
    check: Check

    def write(self, requests: Sequence[Request], may_start: Callable[[], bool]) -> None:
        """Write them all; a slot that is free takes the next one. Once `may_start` says no, what runs is finished."""
        waiting = iter(enumerate(requests))
        growing: dict[int, _Growing] = {}
        more = True
        try:
            while True:
                for slot in range(self.slots.count):
                    while more and slot not in growing and (more := may_start()):
                        request = next(waiting, None)
                        if request is None:
                            more = False
                        elif begun := self._begin(slot, *request):
                            growing[slot] = begun
                if not growing:
                    return
                self.check()
                self._step(growing)
        finally:
            for left in growing.values():
                left.block.close()
            self.slots.forget_all()

    def _begin(self, slot: int, number: int, request: Request) -> _Growing | None:
        """Evaluate a prompt in a slot and draw its first token; None where the text has ended with that, or failed."""
        started = time.perf_counter()
        tokens = self.tokens_of(request.prompt)
        usage = {"prompt": len(tokens), "cached": 0}
        if len(tokens) >= self.slots.size:
            sentence = errors.too_long_sentence(len(tokens), self.slots.size)
            self.on_done(number, Completion("", "error", usage, error=sentence, failure="context"))
            return None
        with ExitStack() as block:
            spelling = Spelling((*request.stop, *self.options.stops), lambda piece: self.on_text(number, piece))
            chain = block.enter_context(sampler(self.native.lib, self.native.words, request, self.options))
            text = DrawnText(request, self.options, self.vocabulary, spelling, self.slots.size - len(tokens))
            new = _Growing(number, text, spelling, chain, block.pop_all(), usage, started, 0, len(tokens))
        try:
            for start in range(0, len(tokens), BATCH):
                batch = tokens[start : start + BATCH]
                places = range(start, start + len(batch))
                self.slots.evaluate(batch, places, [slot] * len(batch), self.check, only_last=True)
            if np.isnan(self.native.logits(-1, self.slots.context)).any():
                raise errors.not_numbers(self.native.name)
            return None if self._drawn(slot, new, -1) else new
        except errors.TextFailed as failed:
            self._end(slot, new, str(failed))
            return None
        except BaseException:
            new.block.close()
            raise

    def _step(self, growing: dict[int, _Growing]) -> None:
        """Evaluate the last token of each text, and draw the next of each."""
        rows = sorted(growing.items())  # slots in another order would be evaluated one by one
        try:
            self.slots.evaluate(
                [each.token for _, each in rows],
                [each.place for _, each in rows],
                [slot for slot, _ in rows],
                self.check,
            )
        except errors.TextFailed as failed:
            for slot, each in rows:
                del growing[slot]
                self._end(slot, each, str(failed))
            return
        for row, (slot, each) in enumerate(rows):
            each.place += 1
            if self._drawn(slot, each, row):
                del growing[slot]

    def _drawn(self, slot: int, each: _Growing, row: int) -> bool:
        """Draw a token; True where the text has ended, which is then handed out."""
        if each.text.wants_more:
            each.token = each.text.draw(self.native, each.chain, row, self.slots.context)
        if each.text.wants_more:
            return False
        self._end(slot, each)
        return True

    def _end(self, slot: int, each: _Growing, error: str = "") -> None:
        each.block.close()
        self.slots.forget(slot)
        self.on_done(each.number, each.completion(error))
