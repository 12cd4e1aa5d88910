"""Tests of whether a figure differs between a pile's groups, with enough letters only. Runs in the compute process.

The unit is a candidate: letters about one person were not written independently, and are averaged. Groups are
independent of each other: nothing in a pile is matched.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from biasprint.core.draw import digits
from biasprint.core.draw.digits import is_proportion
from biasprint.core.findings import Adjustment, Interval, Power
from biasprint.core.letters.pile import PileColumn, PileRow, groups
from biasprint.core.metrics.means import base_rate_equivalence, equivalence, two_sample_difference
from biasprint.core.metrics.power import detectable_difference, needed_n, within_sd
from biasprint.core.metrics.result import LEVEL, Floats, holm

# ---- Group tests and their limits

FEWEST = 20  # candidates in each group
SIGNIFICANT = 0.05
# The margin of “no difference” is this part of the base rate (decision 0027), at most MOST, by a figure's unit.
PART = 0.5
MOST: Mapping[str, float] = {"per 100 words": 0.5, "words": 50.0}
MOST_SHARE = 0.1


@dataclass(frozen=True)
class GroupTest:
    """A figure of two groups: mean of `groups[0]` minus mean of `groups[1]`.

    `base`: the base rate, the mean of both groups' means; of a share, that of its rarer side. `planned`: the margin of
    “no difference”, None without a base rate. `few`: too few letters to say anything; then there is no p. `power`: the
    smallest difference that so many candidates show, and how many in each group `planned` needs. `effect`: Cohen's d.
    `alike`: an equivalence test found the difference to be within the margin. `said`: the whole of it in words.
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
    base: float | None
    planned: float | None
    power: Power | None
    few: bool
    alike: bool = False
    said: str = ""

    @property
    def rarer_without(self) -> bool:
        """True for a share of more than half: its base rate is that of the items without it."""
        return digits.is_proportion(self.unit) and sum(mean or 0.0 for mean in self.means) > 1


def most_difference(unit: str) -> float:
    """The difference that a pile should be able to show whatever the base rate is."""
    return MOST.get(unit, MOST_SHARE)


def margin_of(unit: str, base: float | None) -> float | None:
    """The margin of “no difference” at a base rate; None where nothing ever occurs."""
    return min(most_difference(unit), PART * base) if base else None


def amount(value: float, unit: str) -> str:
    """A difference in its unit: “4.0 points”, “50 words”, “0.5 in 100 words”."""
    if digits.is_proportion(unit):
        return f"{digits.fixed(100 * value, 0 if value >= MOST_SHARE else 1)} points"
    return f"{digits.number(value)} {unit.replace('per', 'in')}"


def margin_said(test: GroupTest) -> str:
    """“4.0 points, which is 0.5 of the base rate (8.0 %)”."""
    if test.planned is None or not test.base:
        return amount(most_difference(test.unit), test.unit)
    rate = digits.number(test.base, test.unit) if digits.is_proportion(test.unit) else digits.number(test.base)
    without = " without it" if test.rarer_without else ""
    part = digits.fixed(test.planned / test.base, 2).rstrip("0")
    return f"{amount(test.planned, test.unit)}, which is {part} of the base rate ({rate}{without})"


# ---- One sentence for all of them

LIMITS_OF_PILES = (
    "A difference between groups of letters does not say where it is from: candidates, posts and writers differ too."
)

NAMED = 2  # differences that the headline tells in full


def headline(tests: Sequence[GroupTest], labels: Mapping[str, str]) -> str:
    """Return the overall result of the tests, in plain words. `labels`: the name of each group."""
    if not tests:
        return "There are not two groups with letters to compare."
    if all(test.few for test in tests):
        return _too_few(tests, labels)
    different = sorted((test for test in tests if _differs(test)), key=lambda test: -abs(test.effect or 0))
    tried = sum(test.p_adjusted is not None for test in tests)
    if not different:
        return _nothing_found(tests, tried)
    sentences = " ".join(_difference(test, labels) for test in different[:NAMED])
    more = len(different) - NAMED
    rest = f" {more} more {'figures differ' if more > 1 else 'figure differs'}." if more > 0 else ""
    compared = (
        f"{tried} figures were compared, and chance allowed for (Holm)." if tried > 1 else "1 figure was compared."
    )
    return f"{sentences}{rest} {compared}"


def _differs(test: GroupTest) -> bool:
    return test.p_adjusted is not None and test.p_adjusted <= SIGNIFICANT


def _difference(test: GroupTest, labels: Mapping[str, str]) -> str:
    """“Communal: 12 % in letters about Female against 8 % about Male candidates (… n = 40 and 38).”"""
    means = [digits.number(mean or 0.0, test.unit) for mean in test.means]
    places = (0, 1) if (test.estimate or 0) > 0 else (1, 0)
    (more, less), names = (means[place] for place in places), [labels.get(group, group) for group in test.groups]
    counts = [test.n_by_group[test.groups[place]] for place in places]
    bounds = ""
    if test.interval is not None:
        low, high = sorted(
            (test.interval.low, test.interval.high) if places == (0, 1) else (-test.interval.low, -test.interval.high)
        )
        by = 100 if digits.is_proportion(test.unit) else 1
        unit = "points" if by == 100 else test.unit.replace("per", "in")
        bounds = f"95 % interval of the difference {digits.written(by * low, by * low, by * high)[1]} {unit}; "
    return (
        f"{test.title}: {more} in letters about “{names[places[0]]}”, {less} about “{names[places[1]]}” "
        f"({bounds}n = {counts[0]} and {counts[1]})."
    )


def _too_few(tests: Sequence[GroupTest], labels: Mapping[str, str]) -> str:
    most: dict[str, int] = {}
    for test in tests:
        for group, n in test.n_by_group.items():
            most[group] = max(n, most.get(group, 0))
    counts = [f"{n} in “{labels.get(group, group)}”" for group, n in most.items()]
    return (
        f"Too few letters to say whether the groups differ: there are {', '.join(counts[:-1])} and {counts[-1]}, and "
        f"each group needs {_needed(tests)}."
    )


def enough(tests: Sequence[GroupTest]) -> tuple[GroupTest, ...]:
    """Return the tests with enough letters, which a table shows; `few_said` tells of the others."""
    return tuple(test for test in tests if not test.few)


def few_said(tests: Sequence[GroupTest], labels: Mapping[str, str]) -> str:
    """Return one sentence on the figures with too few letters; "" without any, and where `headline` says it of all."""
    few = [test for test in tests if test.few]
    if not few or len(few) == len(tests):
        return ""
    several = len({test.groups for test in tests}) > 1
    by_title: dict[str, list[str]] = {}
    for test in few:
        by_title.setdefault(test.title, []).append(" and ".join(labels.get(group, group) for group in test.groups))
    figures = (f"{title} ({'; '.join(pairs)})" if several else title for title, pairs in by_title.items())
    return f"Too few letters to compare {', '.join(figures)}: each group needs {_needed(few)}."


def _needed(tests: Sequence[GroupTest]) -> str:
    """“about 20 candidates”, or “at least 20 candidates, for some figures about 560”."""
    needed = sorted(needed_in_each(test) for test in tests)
    if needed[0] == needed[-1]:
        return f"about {needed[0]:,} candidates"
    return f"at least {needed[0]:,} candidates, for some figures about {needed[-1]:,}"


def _nothing_found(tests: Sequence[GroupTest], tried: int) -> str:
    alike = sum(test.alike for test in tests)
    if alike == len(tests):
        return f"No figure differs between the groups by more than its margin ({alike} figures, equivalence tests)."
    shown = f"{alike} of {len(tests)} figures have none beyond the margin" if alike else "nor that there is none"
    return f"There is not enough evidence of a difference in any of {tried} figures; {shown}."


def needed_in_each(test: GroupTest) -> int:
    """About how many candidates in each group the margin needs."""
    return max(FEWEST, test.power.n_for_planned or 0) if test.power else FEWEST


def group_tests(rows: Sequence[PileRow], columns: Sequence[PileColumn]) -> tuple[GroupTest, ...]:
    """Test every figure for every pair of groups that have letters; p values adjusted by Holm over all of them.

    Rows without figures, without a group, and copies of an earlier letter are left out. Empty where there are not two
    groups.
    """
    used = [row for row in rows if row.read and row.group and not row.same_as]
    order = {key: place for place, (key, _) in enumerate(groups())}
    group_keys = sorted({row.group for row in used}, key=lambda group: (order.get(group, len(order)), group))
    results = [_test(used, column, pair) for pair in combinations(group_keys, 2) for column in columns]
    adjusted = holm([test.p for test in results])
    tests = sum(test.p is not None for test in results)
    family = Adjustment("Holm", f"all figures of the pile, {tests} tests")
    return tuple(
        _concluded(replace(test, p_adjusted=p, adjust=None if p is None else family), used)
        for test, p in zip(results, adjusted, strict=True)
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
    """Add the conclusion: too few, a difference, none beyond the margin, or not enough evidence."""
    if test.few:
        first, second = test.n_by_group.values()
        conclusion = (
            f"Too few letters to say: candidates with this figure are {first} and {second}, and about "
            f"{needed_in_each(test):,} in each group are needed to see a difference of {margin_said(test)}."
        )
    elif test.p_adjusted is None:
        conclusion = f"There is nothing to test: {test.reason or 'no variation within the groups'}."
    elif test.p_adjusted <= SIGNIFICANT:
        more = test.groups[0] if (test.estimate or 0) > 0 else test.groups[1]
        conclusion = f"There is a difference: more in letters about “{more}”."
    else:
        p = _alike(test, rows)
        if p is not None and p <= SIGNIFICANT:
            conclusion = f"No difference beyond {margin_said(test)} (equivalence test, {digits.p_value(p)})."
            return replace(test, alike=True, said=conclusion)
        conclusion = (
            "Not enough evidence of a difference, nor that there is none: to tell either beyond "
            f"{margin_said(test)} takes about {needed_in_each(test):,} candidates in each group."
        )
    return replace(test, said=conclusion)


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
