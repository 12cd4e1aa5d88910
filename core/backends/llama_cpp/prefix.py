"""What the context holds, so that the beginning which a text shares with the one before is not worked out again."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from core.backends.llama_cpp.native_model import BATCH, Check, NativeModel


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
