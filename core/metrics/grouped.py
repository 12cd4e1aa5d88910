"""Any score by any group: a difference in matched blocks or independent units, and selection rates with impact ratios.

Where some block has texts of both groups, blocks are the units and groups are permuted within them; otherwise a block
(or a text without one) is a unit, and groups are permuted over the units.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, lgamma, sqrt

import numpy as np

from core.metrics.clusters import Clusters
from core.metrics.means import Equivalence, equivalence, paired_difference, two_sample_difference
from core.metrics.proportions import RateRatio, rate_ratio, wilson
from core.metrics.resampling import TOLERANCE, permutation_p
from core.metrics.result import RESAMPLES, Bools, Bounds, Difference, Floats, NoiseFloor, finite, same_length, truths

# ---- a difference of means


@dataclass(frozen=True)
class GroupDifference:
    """`difference`: interval by t over units, p by permutation, effect Hedges' g. `floor`: of its size, without bias.

    `equivalence`: against a margin. `matched`: are blocks the units? `alone`: texts left out: no other group in
    their block.
    """

    difference: Difference
    floor: NoiseFloor | None
    equivalence: Equivalence | None
    matched: bool
    alone: int


SMALL_EFFECT = 0.2  # of a standard deviation: Cohen's bound of a small effect


def group_difference(
    values: Floats,
    first: Bools,
    blocks: Sequence[str],
    rng: np.random.Generator,
    *,
    margin: float | None = None,
    resamples: int = RESAMPLES,
) -> GroupDifference:
    """The mean over units of the first group less that of the second; of matched blocks, the mean over blocks.

    A unit's value is the mean of its texts of a group. p: the share of permutations whose difference is as far from 0
    (Phipson & Smyth 2010); floor: the mean and 95th percentile of their sizes. `margin`: for equivalence, default 0.2
    pooled SD. `values`, `first`: one of each text, shapes (n,); `blocks`: a key of each, empty for none. ValueError
    for NaN.
    """
    same_length(values, first)
    same_length(values, blocks)
    clusters = Clusters.of(truths(first), blocks)
    numbers = finite(values)
    matched = bool(clusters.matched.any())
    kept = clusters.matched[clusters.cluster] if matched else np.ones(len(numbers), dtype=bool)
    if not kept.all():
        clusters = Clusters.of(clusters.first[kept], [blocks[place] for place in np.flatnonzero(kept).tolist()])
    one, other, scaled, shift = _units(numbers[kept], clusters, matched)
    plain = paired_difference(one, other) if matched else two_sample_difference(one, other)
    bound = margin if margin is not None else SMALL_EFFECT * _pooled(one, other)
    alike = equivalence(one - other if matched else (one, other), bound) if bound > 0 else None
    effect = replace(plain, effect_name="Hedges’ g", effect=hedges_g(one, other))
    if plain.p is None:
        return GroupDifference(effect, None, alike, matched, int((~kept).sum()))
    draws = np.concatenate([part[:, 0] for part in clusters.permuted_sums(scaled[:, None], rng, resamples)]) - shift
    sizes, observed = np.abs(draws), abs(plain.value or 0.0)
    p = float(permutation_p(sizes >= observed - TOLERANCE * max(1.0, observed)))
    how = "permutation within blocks" if matched else "permutation"
    floor = NoiseFloor(float(sizes.mean()), float(np.quantile(sizes, 0.95)), p, how)
    return GroupDifference(replace(effect, p=p, test=how), floor, alike, matched, int((~kept).sum()))


def _units(values: Floats, clusters: Clusters, matched: bool) -> tuple[Floats, Floats, Floats, float]:
    """Values of the units of each group; and of each text a number whose sum over the first group, less the shift,
    is the difference."""
    sides = (clusters.first, ~clusters.first)
    counts = [np.bincount(clusters.cluster, side, minlength=clusters.number) for side in sides]
    sums = [np.bincount(clusters.cluster, values * side, minlength=clusters.number) for side in sides]
    one, other = (total[count > 0] / count[count > 0] for total, count in zip(sums, counts, strict=True))
    if matched:
        weight = (1 / counts[0] + 1 / counts[1]) / clusters.number
        shift = float(((sums[0] + sums[1]) / counts[1]).sum()) / clusters.number
        return one, other, values * weight[clusters.cluster], shift
    each = values / (counts[0] + counts[1])[clusters.cluster]
    n, m = max(1, len(one)), max(1, len(other))
    return one, other, each * (1 / n + 1 / m), float(each.sum()) / m


def hedges_g(first: Floats, second: Floats) -> float | None:
    """J (x̄ − ȳ) / s, s pooled with n + m − 2 df, J = Γ(df/2) / (√(df/2) Γ((df − 1)/2)); None where s is 0 or undefined.

    Shapes (n,) and (m,). ValueError for NaN. Source: Hedges 1981.
    """
    spread = _pooled(finite(first), finite(second))
    if not spread:
        return None
    half = (len(first) + len(second) - 2) / 2
    correction = exp(lgamma(half) - lgamma(half - 0.5)) / sqrt(half)
    return correction * float(first.mean() - second.mean()) / spread


def _pooled(first: Floats, second: Floats) -> float:
    freedom = len(first) + len(second) - 2
    if min(len(first), len(second)) == 0 or freedom < 1:
        return 0.0
    squares = sum(float(((side - side.mean()) ** 2).sum()) for side in (first, second))
    return sqrt(squares / freedom) if squares > 1e-24 * freedom else 0.0


# ---- selection rates

FEWEST_IN_A_CELL = 5


@dataclass(frozen=True)
class SelectionRate:
    """The share of a group's units that were selected, and its ratio to the reference group's.

    `rate` is None where a cell is so small that it is withheld, and `reason` says so; `ratio` also for the reference.
    """

    rate: float | None
    interval: Bounds | None
    ratio: RateRatio | None
    n: int
    reason: str = ""


def selection_rates(counts: Mapping[str, tuple[int, int]]) -> tuple[str, dict[str, SelectionRate]]:
    """Of each group (selected, n): the rate with Wilson's interval, and the impact ratio, rate over the highest rate.

    The reference is the group with the highest rate, of equal ones the larger, then the first by name; empty where no
    group has 5 units. Cells of fewer are withheld. The ratio's interval is Miettinen and Nurminen's, of independent
    groups, and takes the reference as given although it was chosen by its rate. ValueError where selected exceed n.
    Source: 29 CFR 1607.4(D).
    """
    shown = {name: count for name, count in counts.items() if count[1] >= FEWEST_IN_A_CELL}
    reference = min(shown, key=lambda name: (-shown[name][0] / shown[name][1], -shown[name][1], name), default="")
    rates = {}
    for name, (selected, n) in counts.items():
        if name not in shown:
            why = f"fewer than {FEWEST_IN_A_CELL} in the cell: withheld"
            rates[name] = SelectionRate(None, None, None, n, why)
            continue
        ratio = None if name == reference else rate_ratio(selected, n, *counts[reference])
        rates[name] = SelectionRate(selected / n, wilson(selected, n), ratio, n)
    return reference, rates
