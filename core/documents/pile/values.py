"""What a pile's table holds. Frozen and light; no row keeps a letter's text."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.findings import Adjustment, Interval, Power, ScorerUse
from core.swap import Person


@dataclass(frozen=True)
class Column:
    """A figure that every row can have."""

    name: str
    title: str
    unit: str


@dataclass(frozen=True)
class PileRow:
    """One file of the pile: its figures, or in `reason` why it has none.

    `path_in_pile` is where the file is, with “/” between folders; it can be opened again from there. `person`,
    `occupation` and `group` are guesses that a person may set right: `group` is a key of the axis letters_gender, or
    "" where nothing tells. `notes`: what looks wrong with the letter although it was read. `same_as`: the earlier file
    with the very same text.
    """

    name: str
    path_in_pile: str
    person: Person = field(default_factory=Person)
    occupation: str = ""
    group: str = ""
    figures: Mapping[str, float | None] = field(default_factory=dict)
    reason: str = ""
    hint: str = ""
    notes: tuple[str, ...] = ()
    same_as: str = ""

    @property
    def read(self) -> bool:
        """Does the row have figures?"""
        return not self.reason


@dataclass(frozen=True)
class Pile:
    """The table. `columns`: the figures in order; `passed_over`: files that systems and programs leave behind."""

    name: str
    rows: tuple[PileRow, ...]
    columns: tuple[Column, ...] = ()
    scorers: tuple[ScorerUse, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    passed_over: int = 0


@dataclass(frozen=True)
class ReadOne:
    """`said`: why nothing was scored, "" where it was. `text`: a hash, by which copies are told."""

    person: Person
    occupation: str
    group: str
    figures: Mapping[str, float | None]
    columns: tuple[Column, ...]
    scorers: tuple[ScorerUse, ...]
    versions: Mapping[str, str]
    notes: tuple[str, ...]
    said: str
    text: str


@dataclass(frozen=True)
class GroupTest:
    """A figure of two groups: mean of `groups[0]` minus mean of `groups[1]`.

    `few`: too few letters to say anything; then there is no p. `power`: the smallest difference that so many
    candidates show, and how many in each group `planned` needs. `effect`: Cohen's d. `said`: the whole of it in words.
    """

    name: str
    title: str
    unit: str
    groups: tuple[str, str]
    means: tuple[float | None, float | None]
    n_by_group: Mapping[str, int]
    missing: int
    estimate: float | None
    reason: str
    interval: Interval | None
    p: float | None
    p_adjusted: float | None
    adjust: Adjustment | None
    effect: float | None
    planned: float
    power: Power | None
    few: bool
    said: str
