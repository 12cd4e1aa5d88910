"""A pile of letters, a folder or zip: the table that it becomes. No row keeps a letter's text."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Literal

from biasprint.core.findings import ScorerUse
from biasprint.core.letters.categories import uncounted
from biasprint.core.letters.values import LEANING, MAY_BE, UNLAWFUL, Category, Leaning, Verdict
from biasprint.core.letters.verdict import HARM, PRAISE_FROM
from biasprint.core.prompts.axes import load_axis
from biasprint.core.swap import Person
from biasprint.core.text import for_matching

# The kinds of marks that are no praise, without the coded words of adverts (a test compares them with the categories),
# and the verdicts on claims.
LOOKED_AT: tuple[Category, ...] = HARM[:PRAISE_FROM]
NOT_CARRIED: tuple[Verdict, ...] = ("unsupported", "contradicted")
BALANCE = "balance"
LOOK_KINDS: tuple[str, ...] = (UNLAWFUL, *LOOKED_AT, *NOT_CARRIED, BALANCE)  # all that there can be to look at


@dataclass(frozen=True)
class PileColumn:
    """A figure that every row can have."""

    name: str
    title: str
    unit: str


@dataclass(frozen=True)
class FilePlace:
    """A file that can be read again: one of its own, or one in a folder or zip, whose path there is `inside`."""

    root: Path
    inside: str = ""

    @property
    def name(self) -> str:
        return PurePosixPath(self.inside).name if self.inside else self.root.name


@dataclass(frozen=True)
class PileRow:
    """One file of the pile: its figures, or in `reason` why it has none.

    `path_in_pile` is where the file is, with “/” between folders; it can be opened again from there. `person`,
    `occupation` and `group` are guesses that a person may set right: `group` is a key of the axis letters_gender, or
    "" if unknown. `notes`: what looks wrong with the letter although it was read. `same_as`: the earlier file
    with the very same text. `marks`: kind → how many; `claims`: verdict → how many, empty without a context;
    `balance`: which way its praise leans, "" where that is not known.
    `outcome`: whether the candidate was chosen, where somebody said so. `cv`: the CV of this letter alone.
    """

    name: str
    path_in_pile: str
    person: Person = field(default_factory=Person)
    occupation: str = ""
    group: str = ""
    figures: Mapping[str, float | None] = field(default_factory=dict)
    marks: Mapping[str, int] = field(default_factory=dict)
    claims: Mapping[str, int] = field(default_factory=dict)
    balance: Leaning | Literal[""] = ""
    reason: str = ""
    hint: str = ""
    notes: tuple[str, ...] = ()
    same_as: str = ""
    outcome: bool | None = None
    cv: FilePlace | None = None

    @property
    def read(self) -> bool:
        """Does the row have figures?"""
        return not self.reason

    @property
    def to_look_at(self) -> Mapping[str, int]:
        """Marks without praise, claims that the context does not support, a balance that leans: kind → how many."""
        counts: dict[str, int] = {kind: self.marks.get(kind, 0) for kind in (UNLAWFUL, *LOOKED_AT)}
        counts |= {verdict: self.claims.get(verdict, 0) for verdict in NOT_CARRIED}
        counts[BALANCE] = int(self.balance in LEANING)
        return {kind: count for kind, count in counts.items() if count}

    @property
    def counted(self) -> Mapping[str, int]:
        """`to_look_at` without the categories whose marks are too often wrong to be counted."""
        return {kind: count for kind, count in self.to_look_at.items() if kind not in uncounted()}

    @property
    def candidate(self) -> str:
        """The candidate that the letter counts for: a letter whose candidate has no full name counts for itself."""
        known = self.person.first_name and self.person.last_name
        return f"person {for_matching(self.person.full_name)}" if known else f"file {self.path_in_pile}"


@dataclass(frozen=True)
class Pile:
    """The table. `columns`: the figures in order; `passed_over`: files that systems and programs leave behind.

    `remarks`: remarks on the pile as a whole, such as CVs that fit no letter.
    """

    name: str
    rows: tuple[PileRow, ...]
    columns: tuple[PileColumn, ...] = ()
    scorers: tuple[ScorerUse, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    passed_over: int = 0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReadOne:
    """`said`: why nothing was scored, "" where it was. `text`: a hash, by which copies are recognised."""

    person: Person
    occupation: str
    group: str
    figures: Mapping[str, float | None]
    marks: Mapping[str, int]
    claims: Mapping[str, int]
    balance: Leaning | Literal[""]
    columns: tuple[PileColumn, ...]
    scorers: tuple[ScorerUse, ...]
    versions: Mapping[str, str]
    notes: tuple[str, ...]
    said: str
    text: str


AXIS = "letters_gender"


def group_of(pronoun: str) -> str:
    """The key of the axis's identity with this pronoun; "" where it has none, or nothing is known."""
    return _by_pronoun().get(pronoun, "")


@cache
def groups() -> tuple[tuple[str, str], ...]:
    """Key and label of every group of the axis, in its order."""
    return tuple((identity.key, identity.label) for identity in load_axis(AXIS).identities)


@cache
def _by_pronoun() -> Mapping[str, str]:
    return {identity.pronouns: identity.key for identity in load_axis(AXIS).identities}


def look_written(row: PileRow) -> str:
    """Write the number of places to look at in a letter: “3”, “3 + maybe” where others may be worth a look, “maybe”."""
    if not row.read:
        return ""
    count = sum(row.counted.values())
    if row.counted == row.to_look_at:
        return str(count)
    return f"{count} + maybe" if count else "maybe"


def kind_written(kind: str) -> str:
    """A kind as the name of a column: “family”, or “doubt (may be worth a look)” where too many marks are wrong."""
    return f"{kind} ({MAY_BE})" if kind in uncounted() else kind


def kinds_written(row: PileRow, title: Callable[[str], str]) -> str:
    """Return what there is to look at: “family 2, health 1; may be worth a look: doubt, age”. `title` names a kind."""
    counted = ", ".join(f"{title(kind)} {count}" for kind, count in row.counted.items())
    others = ", ".join(title(kind) for kind in row.to_look_at if kind not in row.counted)
    return "; ".join(part for part in (counted, others and f"{MAY_BE}: {others}") if part)
