"""Between texts and tokens, and what the context holds of them.

Special tokens of the template count, the same words in a prompt are plain text. The beginning which a text shares with
the one before is not worked out again.
"""

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from core.backends.llama_cpp import errors
from core.backends.llama_cpp.native_model import BATCH, Check, NativeModel
from core.backends.llama_cpp.template import Around

# ---- Vocabulary

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
        self.begin = int(self._lib.llama_vocab_bos(self._vocab))
        self.end = int(self._lib.llama_vocab_eos(self._vocab))
        self.begins_texts = bool(self._lib.llama_vocab_get_add_bos(self._vocab))

    def text_of(self, token: int) -> str:
        """A token as it is written in a template; "" for a token that the model does not have (−1)."""
        return "" if token < 0 else self._lib.llama_vocab_get_text(self._vocab, token).decode("utf-8", "replace")

    def piece(self, token: int) -> bytes:
        """What a token adds to a text: bytes, perhaps a part of a character; nothing for a special token."""
        piece = self._pieces.get(token)
        if piece is None:
            piece = self._pieces[token] = self._spell(token)
        return piece

    def plain(self, text: str) -> list[int]:
        """The tokens of a text as it is, begun as the model's texts begin; what looks like a special token is text."""
        begun = [self.begin] if self.begins_texts and self.begin >= 0 else []
        return begun + self._tokens(text, special=False)

    def beginning(self) -> list[int]:
        """One token that stands for the beginning of a text. Raises `AppError` for a model that has none."""
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


# ---- Prefix cache


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
        """How much of an evaluation that is interrupted was done is not known, so nothing of it is kept."""
        try:
            yield
        except BaseException:
            self._forget_all()
            raise

    def _forget_all(self) -> None:
        self._tokens.clear()
        self._native.forget_all()
