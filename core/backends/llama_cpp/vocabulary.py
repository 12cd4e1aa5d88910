"""The tokens of a GGUF model: from text, and back to it."""

import ctypes

from biasprint.core.backends.llama_cpp import errors
from biasprint.core.backends.llama_cpp.native_model import NativeModel
from biasprint.core.backends.llama_cpp.template import Around

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
