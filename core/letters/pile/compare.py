"""In the compute process: does a figure differ between the groups of a pile? Said only where enough letters could tell.

The unit is a candidate: letters about one person were not written independently, and are averaged. Groups are
independent of each other: nothing in a pile is matched.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np

from biasprint.core.draw import digits
from biasprint.core.draw.digits import is_proportion
from biasprint.core.findings import Adjustment, Interval, Power
from biasprint.core.letters.pile import PileColumn, PileRow, groups
from biasprint.core.letters.pile.differences import (
    FEWEST,
    PART,
    SIGNIFICANT,
    GroupTest,
    margin_of,
    margin_said,
    most_difference,
    needed_in_each,
)
from biasprint.core.metrics.adjust import holm
from biasprint.core.metrics.means import base_rate_equivalence, equivalence, two_sample_difference
from biasprint.core.metrics.power import detectable_difference, needed_n, within_sd
from biasprint.core.metrics.result import LEVEL, Floats


def group_tests(rows: Sequence[PileRow], columns: Sequence[PileColumn]) -> tuple[GroupTest, ...]:
    """Every figure for every pair of groups that have letters; p values adjusted by Holm over all of them.

    Rows without figures, without a group, and copies of an earlier letter are left out. Empty where there are not two
    groups.
    """
    used = [row for row in rows if row.read and row.group and not row.same_as]
    order = {key: place for place, (key, _) in enumerate(groups())}
    there = sorted({row.group for row in used}, key=lambda group: (order.get(group, len(order)), group))
    found = [_test(used, column, pair) for pair in combinations(there, 2) for column in columns]
    adjusted = holm([one.p for one in found])
    tests = sum(one.p is not None for one in found)
    family = Adjustment("Holm", f"all figures of the pile, {tests} tests")
    return tuple(
        _concluded(replace(one, p_adjusted=p, adjust=None if p is None else family), used)
        for one, p in zip(found, adjusted, strict=True)
    )


def _test(rows: Sequence[PileRow], column: PileColumn, pair: tuple[str, str]) -> GroupTest:
    first, second = (_values(rows, column.name, group) for group in pair)
    counts = (len(first), len(second))
    result = two_sample_difference(first, second)
    base = _base(column.unit, first, second)
    planned, most = margin_of(column.unit, base), most_difference(column.unit)
    sd = within_sd(first, second) if min(counts) > 1 else None
    detectable = None if sd is None else detectable_difference(sd, *counts)
    needed = None if sd is None else needed_n(planned or most, sd, two_samples=True)
    few = min(counts) < FEWEST or (detectable is not None and detectable > most)
    bounds = result.interval.bounds
    return GroupTest(
        name=column.name,
        title=column.title,
        unit=column.unit,
        groups=pair,
        means=(_mean(first), _mean(second)),
        n_by_group=dict(zip(pair, counts, strict=True)),
        missing=sum(row.group in pair and row.figures.get(column.name) is None for row in rows),
        estimate=result.value,
        reason=result.reason,
        interval=None if bounds is None else Interval(bounds.low, bounds.high, LEVEL, bounds.method),
        p=None if few else result.p,
        p_adjusted=None,
        adjust=None,
        effect=result.effect,
        base=base,
        planned=planned,
        power=Power(detectable, needed) if sd else None,
        few=few,
    )


def _values(rows: Sequence[PileRow], name: str, group: str) -> Floats:
    """The mean of each candidate's letters; a letter whose candidate has no full name is one of its own."""
    by_person: defaultdict[str, list[float]] = defaultdict(list)
    for row in rows:
        value = row.figures.get(name)
        if row.group == group and value is not None:
            by_person[row.candidate].append(value)
    return np.array([np.mean(values) for values in by_person.values()], dtype=np.float64)


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if len(values) else None


def _base(unit: str, first: Floats, second: Floats) -> float | None:
    """The mean of both groups' means; of a share, that of its rarer side. None where a group has no value."""
    if not len(first) or not len(second):
        return None
    rate = float(first.mean() + second.mean()) / 2
    return min(rate, 1 - rate) if is_proportion(unit) else rate


def _concluded(test: GroupTest, rows: Sequence[PileRow]) -> GroupTest:
    """With what it says: too few, a difference, none beyond the margin, or not enough evidence."""
    if test.few:
        one, other = test.n_by_group.values()
        said = (
            f"Too few letters to say: candidates with this figure are {one} and {other}, and about "
            f"{needed_in_each(test):,} in each group are needed to see a difference of {margin_said(test)}."
        )
    elif test.p_adjusted is None:
        said = f"There is nothing to test: {test.reason or 'no variation within the groups'}."
    elif test.p_adjusted <= SIGNIFICANT:
        more = test.groups[0] if (test.estimate or 0) > 0 else test.groups[1]
        said = f"There is a difference: more in letters about “{more}”."
    else:
        p = _alike(test, rows)
        if p is not None and p <= SIGNIFICANT:
            said = f"No difference beyond {margin_said(test)} (equivalence test, {digits.p_value(p)})."
            return replace(test, alike=True, said=said)
        said = (
            "Not enough evidence of a difference, nor that there is none: to tell either beyond "
            f"{margin_said(test)} takes about {needed_in_each(test):,} candidates in each group."
        )
    return replace(test, said=said)


def _alike(test: GroupTest, rows: Sequence[PileRow]) -> float | None:
    """p of the equivalence test: within the part of the base rate, and within the most that any base rate allows."""
    first, second = (_values(rows, test.name, group) for group in test.groups)
    if test.rarer_without:
        first, second = 1 - first, 1 - second
    ps = [
        base_rate_equivalence(first, second, PART).p,
        equivalence((first, second), most_difference(test.unit)).p,
    ]
    return None if any(p is None for p in ps) else max(p for p in ps if p is not None)
