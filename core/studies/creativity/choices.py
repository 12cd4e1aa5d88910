"""Judgments as the affinity measures need them: for one axis, choices per comparison and identity."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from core.errors import AppError
from core.metrics.result import Ints

WITHOUT_CHOICE = ("tie", "none", "skip")


@dataclass(frozen=True)
class JudgmentTable:
    """One value per judgment in every column, in the order in which they were made.

    `shown`: identity ids in card order. `outcome`: choice, tie, none or skip. `chosen`: an identity id, with outcome
    choice alone. `repeat_of`: the comparison that a hidden repeat repeats; empty otherwise.
    """

    comparison: tuple[str, ...]
    rater: tuple[str, ...]
    axis: tuple[str, ...]
    shown: tuple[tuple[str, ...], ...]
    outcome: tuple[str, ...]
    chosen: tuple[str, ...]
    repeat_of: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        columns = (self.rater, self.axis, self.shown, self.outcome, self.chosen, self.repeat_of or self.axis)
        if any(len(column) != len(self) for column in columns):
            raise AppError(
                "The columns of the judgments are not equally long.", hint="Give one value for every judgment."
            )

    def __len__(self) -> int:
        return len(self.comparison)


@dataclass(frozen=True)
class AxisChoices:
    """`counts`: int64[comparisons with a choice, identities]. `asked`: judgments with or without a choice."""

    axis: str
    identities: tuple[str, ...]
    counts: Ints
    asked: int
    raters: int
    dropped: Mapping[str, int]

    @property
    def chosen(self) -> Ints:
        """How often each identity was chosen."""
        return np.asarray(self.counts.sum(axis=0))

    @property
    def independent(self) -> bool:
        """Does every comparison hold one choice only?"""
        return bool((self.counts.sum(axis=1) == 1).all())


def choices_on(table: JudgmentTable, axis: str, identities: Sequence[str]) -> AxisChoices:
    """The judgments on one axis. Repeats never count; of several judgments of a comparison by a rater the last does."""
    dropped: Counter[str] = Counter()
    last: dict[tuple[str, str], int] = {}
    for row in range(len(table)):
        if table.axis[row] != axis:
            continue
        if table.repeat_of and table.repeat_of[row]:
            dropped["hidden repeat"] += 1
            continue
        key = (table.comparison[row], table.rater[row])
        dropped["judged again"] += key in last
        last[key] = row
    per_comparison: dict[str, Counter[str]] = {}
    raters = set()
    for (comparison, rater), row in last.items():
        reason = _why_not(table, row, identities)
        if reason:
            dropped[reason] += 1
        else:
            per_comparison.setdefault(comparison, Counter())[table.chosen[row]] += 1
            raters.add(rater)
    counts = np.array(
        [[choices[identity] for identity in identities] for choices in per_comparison.values()], dtype=np.int64
    ).reshape(-1, len(identities))
    asked = int(counts.sum()) + sum(dropped[outcome] for outcome in WITHOUT_CHOICE)
    return AxisChoices(axis, tuple(identities), counts, asked, len(raters), dict(+dropped))


def _why_not(table: JudgmentTable, row: int, identities: Sequence[str]) -> str:
    """Why a judgment is no choice among the identities of the axis; empty where it is one."""
    if sorted(table.shown[row]) != sorted(identities):
        return "not every identity of the axis shown once"
    if table.outcome[row] in WITHOUT_CHOICE:
        return table.outcome[row]
    if table.outcome[row] != "choice":
        return "unknown outcome"
    return "" if table.chosen[row] in identities else "chosen identity not on the axis"
