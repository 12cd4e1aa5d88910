"""Between texts and tokens: special tokens of the chat template count, the same words in a prompt are plain text."""

from typing import Any

from core.backends.llama_cpp.template import Around, around
from core.errors import AppError

_LOOK_BACK = 6  # tokens before a new one that decide how it is spelt, such as whether a blank stands before it


class Vocabulary:
    """A tokenizer of transformers. `template`: whether a prompt is put into the chat template, where there is one."""

    def __init__(self, tokenizer: Any, ends: frozenset[int], *, template: bool) -> None:
        self._tokenizer = tokenizer
        self._special = tuple(text for text in tokenizer.all_special_tokens if text)
        self._ends = ends | ({tokenizer.eos_token_id} if tokenizer.eos_token_id is not None else set())
        self._around = self._template() if template else None

    def ends(self, token: int) -> bool:
        """Whether the model ends its text, or its turn, with this token."""
        return token in self._ends

    def prompt(self, prompt: str) -> list[int]:
        """The tokens of a prompt in its template, or as it is. Never empty: something must be there to go on from."""
        found = self._in_template(self._around, prompt) if self._around else self.plain(prompt)
        return found or self.beginning()

    def plain(self, text: str) -> list[int]:
        """The tokens of a text as it is, begun as the model's texts begin; what looks like a special token is text."""
        tokens = self._tokens(text, special=False)
        begin = self._tokenizer.bos_token_id
        return [begin, *tokens] if begin is not None and self._begins_texts() else tokens

    def beginning(self) -> list[int]:
        """One token that stands for the beginning of a text. Raises `AppError` for a model that has none."""
        for token in (self._tokenizer.bos_token_id, self._tokenizer.eos_token_id):
            if token is not None:
                return [token]
        raise AppError(
            "The model has no token for the beginning of a text.", hint="Give it a prompt that is not empty."
        )

    def text(self, tokens: list[int]) -> str:
        """Special tokens are left out, and nothing is tidied."""
        decoded: str = self._tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return decoded

    def _template(self) -> Around | None:
        template = self._tokenizer.chat_template
        if isinstance(template, dict):
            template = template.get("default")
        if not isinstance(template, str) or not template.strip():
            return None
        return around(template, self._tokenizer.bos_token or "", self._tokenizer.eos_token or "")

    def _in_template(self, around_it: Around, prompt: str) -> list[int]:
        """What the template writes is all there is: no beginning is added."""
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
        found: list[int] = self._tokenizer(
            whole, add_special_tokens=False, split_special_tokens=not special, verbose=False
        )["input_ids"]
        return found


class Speller:
    """From one token after another to text: what could still become another character is held back."""

    def __init__(self, vocabulary: Vocabulary, before: list[int]) -> None:
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
        """No more tokens: what was held back."""
        return self._step(self._vocabulary.text(self._tokens))

    def _step(self, whole: str) -> str:
        new = whole[len(self._said) :]
        if len(self._tokens) >= 2 * _LOOK_BACK and not whole.endswith("\ufffd"):
            self._tokens = self._tokens[-_LOOK_BACK:]
            whole = self._vocabulary.text(self._tokens)
        self._said = whole
        return new
