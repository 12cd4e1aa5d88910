"""A suggestion, what applying it does to the text, and what takes it back."""

from dataclasses import dataclass

from core.errors import AppError


@dataclass(frozen=True)
class Suggestion:
    """Another way to say the characters `start` to `end` of the letter's text, which read `old`.

    `new` is what stands there instead, "" where they are left out, and `None` where only a person can mend it: then
    the reason says how, and there is nothing to apply. `mark_key` is the key of the mark it is for.
    """

    mark_key: str
    start: int
    end: int
    old: str
    new: str | None
    reason: str
    source: str

    @property
    def is_hint(self) -> bool:
        """Whether it only says what to do, and has no words of its own."""
        return self.new is None


def apply(text: str, suggestion: Suggestion) -> str:
    """The text with the suggestion's words. `AppError` where it is a hint, or the text has changed since."""
    if suggestion.new is None:
        raise AppError("This suggestion is a hint: it has no words to put in.", hint="Change the sentence by hand.")
    if text[suggestion.start : suggestion.end] != suggestion.old:
        raise AppError(
            "The letter has changed since this was suggested.", hint="Wait for the sentence to be read again."
        )
    return text[: suggestion.start] + suggestion.new + text[suggestion.end :]


def undone(suggestion: Suggestion) -> Suggestion:
    """The suggestion that takes an applied one back: applying it gives the exact text from before."""
    if suggestion.new is None:
        raise AppError("This suggestion is a hint: it was never applied.", hint="There is nothing to undo.")
    end = suggestion.start + len(suggestion.new)
    return Suggestion(
        suggestion.mark_key, suggestion.start, end, suggestion.new, suggestion.old, "Takes the change back.", ""
    )
