"""The values of a swap: the people, the twin's text, every change with its reason, and places in both texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, get_args

Pronoun = Literal["he", "she", "they", ""]

PRONOUNS: tuple[Pronoun, ...] = get_args(Pronoun)
# Those between which a text has swap twins for judging, and for which biographies are rewritten.
HE_AND_SHE: Mapping[str, Pronoun] = {"he": "he", "she": "she"}


@dataclass(frozen=True)
class Person:
    """The person that a letter is about. Fields are "" where they are not known.

    `whole`: the name at its fullest, where there is more to it than the first and the last name.
    """

    first_name: str = ""
    last_name: str = ""
    title: str = ""
    pronoun: Pronoun = ""
    whole: str = ""

    @property
    def full_name(self) -> str:
        return self.whole or " ".join(name for name in (self.first_name, self.last_name) if name)


class Stretch(Protocol):
    """A part of a letter, such as its salutation: characters `start` to `end`."""

    @property
    def kind(self) -> str: ...

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


@dataclass(frozen=True)
class Change:
    """Characters `start` to `end` of the letter became `new`; left alone, `new` is `old`.

    `reason`: why, in words. `doubt`: why a person should look at it, "" where there is none.
    """

    start: int
    end: int
    old: str
    new: str
    reason: str
    doubt: str = ""


@dataclass(frozen=True)
class Twin:
    """The twin's text, its changes in order, and words left alone although they may be about the person."""

    text: str
    changes: tuple[Change, ...]
    left_alone: tuple[Change, ...]

    def place(self, offset: int) -> int:
        """The place in the twin of a place in the letter; never decreasing.

        The start of a change leads to the start of what replaced it, its end to the end, and a place within it as far
        into the new words as they reach.
        """
        moved = 0
        for change in self.changes:
            if offset < change.end or (offset == change.end and change.start == change.end):
                if offset <= change.start:
                    break
                return min(change.start + moved + offset - change.start, change.start + moved + len(change.new))
            moved += len(change.new) - (change.end - change.start)
        return offset + moved

    def back(self, offset: int) -> int:
        """The place in the letter of a place in the twin: `place` the other way round, up to what changes swallow."""
        moved = 0
        for change in self.changes:
            start, end = change.start + moved, change.start + moved + len(change.new)
            if offset < end or (offset == end and start == end):
                if offset <= start:
                    break
                return min(change.start + offset - start, change.end)
            moved += len(change.new) - (change.end - change.start)
        return offset - moved


def applied(text: str, changes: Sequence[Change]) -> str:
    """`text` with the changes made; they are in order and do not overlap."""
    parts, end = [], 0
    for change in changes:
        parts += [text[end : change.start], change.new]
        end = change.end
    return "".join([*parts, text[end:]])


def in_case_of(old: str, new: str) -> str:
    """`new` as `old` is written: lower, Capitalised or UPPER."""
    if old.isupper() and len(old) > 1:
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new
