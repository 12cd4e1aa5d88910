"""Judgments as the affinity measures need them: for one axis, choices per comparison and identity."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from core.errors import AppError
from core.metrics.cohen_kappa import MISSING
from core.metrics.result import Ints

WITHOUT_CHOICE = ("tie", "none", "skip")


@dataclass(frozen=True)
class JudgmentTable:
    """One value per judgment in every column, in the order in which they were made.

    `shown`: identity ids in card order. `outcome`: choice, tie, none or skip. `chosen`: an identity id, with outcome
    choice alone. `repeat_of`: the comparison that a hidden repeat repeats; empty otherwise. `task`, `theme`: of the
    outputs shown; `model`, `temperature`: what wrote them, and how. Columns that are not known are left out.
    """

    comparison: tuple[str, ...]
    rater: tuple[str, ...]
    axis: tuple[str, ...]
    shown: tuple[tuple[str, ...], ...]
    outcome: tuple[str, ...]
    chosen: tuple[str, ...]
    repeat_of: tuple[str, ...] = ()
    task: tuple[str, ...] = ()
    theme: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    temperature: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        columns: list[tuple[object, ...]] = [self.rater, self.axis, self.shown, self.outcome, self.chosen]
        left_out_or = (self.repeat_of, self.task, self.theme, self.model, self.temperature)
        columns += [column for column in left_out_or if column]
        if any(len(column) != len(self) for column in columns):
            raise AppError(
                "The columns of the judgments are not equally long.", hint="Give one value for every judgment."
            )

    def __len__(self) -> int:
        return len(self.comparison)

    def unit(self, row: int) -> tuple[str, str]:
        """What was judged: a comparison's id may come again for the outputs of another model."""
        return (self.model[row] if self.model else "", self.comparison[row])


@dataclass(frozen=True)
class AxisChoices:
    """`counts`: int64[comparisons with a choice, identities]. `asked`: judgments with or without a choice.

    `ratings`: int64[comparisons with a choice, raters], the place of the identity chosen, −1 where that rater did not
    choose. `dims`: what the judgments were narrowed to, besides the axis.
    """

    axis: str
    identities: tuple[str, ...]
    counts: Ints
    ratings: Ints
    asked: int
    raters: tuple[str, ...]
    dropped: Mapping[str, int]
    dims: Mapping[str, str] = field(default_factory=dict)

    @property
    def chosen(self) -> Ints:
        """How often each identity was chosen."""
        return np.asarray(self.counts.sum(axis=0))

    @property
    def independent(self) -> bool:
        """Does every comparison hold one choice only?"""
        return bool((self.counts.sum(axis=1) == 1).all())


def choices_on(
    table: JudgmentTable,
    axis: str,
    identities: Sequence[str],
    rows: Iterable[int] | None = None,
    dims: Mapping[str, str] | None = None,
) -> AxisChoices:
    """The judgments on one axis. Repeats never count; of several judgments of a comparison by a rater the last does.

    `rows`: only these, all where None; `dims` says what they have in common.
    """
    last, dropped = _in_force(table, axis, range(len(table)) if rows is None else rows)
    chosen: dict[tuple[str, str], dict[str, int]] = {}
    for (unit, rater), row in last.items():
        reason = _why_not(table, row, identities)
        if reason:
            dropped[reason] += 1
        else:
            chosen.setdefault(unit, {})[rater] = identities.index(table.chosen[row])
    raters = tuple(dict.fromkeys(rater for by_rater in chosen.values() for rater in by_rater))
    ratings = np.array(
        [[by_rater.get(rater, MISSING) for rater in raters] for by_rater in chosen.values()], dtype=np.int64
    ).reshape(len(chosen), len(raters))
    counts = np.stack([(ratings == place).sum(axis=1) for place in range(len(identities))], axis=1)
    asked = int(counts.sum()) + sum(dropped[outcome] for outcome in WITHOUT_CHOICE)
    return AxisChoices(axis, tuple(identities), counts, ratings, asked, raters, dict(+dropped), dims or {})


def _in_force(
    table: JudgmentTable, axis: str, rows: Iterable[int]
) -> tuple[dict[tuple[tuple[str, str], str], int], Counter[str]]:
    """The last judgment of every comparison and rater on the axis, and what it replaced."""
    dropped: Counter[str] = Counter()
    last: dict[tuple[tuple[str, str], str], int] = {}
    for row in rows:
        if table.axis[row] != axis:
            continue
        if table.repeat_of and table.repeat_of[row]:
            dropped["hidden repeat"] += 1
            continue
        key = (table.unit(row), table.rater[row])
        dropped["judged again"] += key in last
        last[key] = row
    return last, dropped


def _why_not(table: JudgmentTable, row: int, identities: Sequence[str]) -> str:
    """Why a judgment is no choice among the identities of the axis; empty where it is one."""
    if sorted(table.shown[row]) != sorted(identities):
        return "not every identity of the axis shown once"
    if table.outcome[row] in WITHOUT_CHOICE:
        return table.outcome[row]
    if table.outcome[row] != "choice":
        return "unknown outcome"
    return "" if table.chosen[row] in identities else "chosen identity not on the axis"
