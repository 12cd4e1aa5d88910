"""Any score by any group: a difference in matched blocks or independent units, and selection rates with impact ratios.

Where some block has texts of both groups, blocks are the units; otherwise a block (or a text without one) is a unit.

Impact ratios by category, as the rules of New York City's Local Law 144 define them (6 RCNY § 5-301).

A rate is the share of a category's rows that were selected, or whose score lies above the median of all rows. Its
impact ratio is the rate over the highest rate of a category.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, lgamma, log, sqrt
from statistics import NormalDist

import numpy as np

from biasprint.core.metrics.clusters import Clusters, Kinds, jackknife_interval, kinds_of
from biasprint.core.metrics.means import Equivalence, equivalence, paired_difference, t_quantile, two_sample_difference
from biasprint.core.metrics.proportions import (
    RateRatio,
    clustered_proportion,
    rate_ratio,
    ratio_to_highest_level,
    wilson,
)
from biasprint.core.metrics.representative import FEWEST_BLOCKS, representative_interval, representative_null
from biasprint.core.metrics.result import (
    LEVEL,
    NO_BOUNDS,
    RESAMPLES,
    Bools,
    Bounds,
    Difference,
    Floats,
    Ints,
    MaybeBounds,
    NoiseFloor,
    estimates_alone,
    finite,
    same_length,
    truths,
)

SMALL_SHARE = 0.02  # of the rows: below it a category may be left out of the ratios


@dataclass(frozen=True)
class CategoryRate:
    """Rate of one category. `category`: one value for each column that is crossed, "" where it is not known.

    `share`: of all rows. `ratio`: to the highest rate, 1 without an interval for the highest itself; its value is None
    where no category has a rate above 0, and its reason says so. `small`: is its share below the bound? `unknown`: is a
    value of it not known? Neither kind is ever the highest.
    """

    category: tuple[str, ...]
    n: int
    selected: int
    rate: float
    share: float
    ratio: RateRatio
    small: bool
    unknown: bool


@dataclass(frozen=True)
class ImpactRatios:
    """`rates`: of each category, in alphabetical order, those with an unknown value last. `highest`: the category whose
    rate is highest, None where none can be. `n`: all rows; `unknown`: those with a value that is not known.
    """

    rates: tuple[CategoryRate, ...]
    highest: tuple[str, ...] | None
    n: int
    unknown: int
    reason: str = ""


def impact_ratios(
    selected: Bools, categories: Sequence[Sequence[str]], *, small_share: float = SMALL_SHARE
) -> ImpactRatios:
    """r_c = s_c / n_c for each category c, and r_c / max r over the categories that count.

    A category counts where it has at least `small_share` of the rows and each of its values is known; of equal rates
    the larger category is the highest, then the first by name. Small and unknown categories keep their rate and ratio,
    marked as such. Intervals of ratios are those of `rate_ratio`, at the level that makes up for the choice of the
    highest (`ratio_to_highest_level`); rows are taken to be independent. `selected`: of each row, shape (n,);
    `categories`: of each row its value in each column that is crossed. ValueError for unequal lengths.
    Source: 6 RCNY § 5-301, definitions of impact ratio, selection rate and scoring rate; § 5-301(d) for 2 %.
    """
    same_length(selected, categories)
    yes = truths(selected)
    counts: dict[tuple[str, ...], list[int]] = {}
    for own, chosen in zip(categories, yes.tolist(), strict=True):
        count = counts.setdefault(tuple(map(str, own)), [0, 0])
        count[0] += 1
        count[1] += chosen
    n = len(yes)
    counting = [name for name, (rows, _) in counts.items() if all(name) and rows / n >= small_share]
    highest = min(counting, key=lambda name: (-counts[name][1] / counts[name][0], -counts[name][0], name), default=None)
    level = ratio_to_highest_level(len(counting))
    rates = []
    for name in sorted(counts, key=lambda name: (not all(name), name)):
        rows, chosen = counts[name]
        total, most = (0, 0) if highest is None else counts[highest]
        ratio = rate_ratio(chosen, rows, most, total, level=level)
        if name == highest and most:
            ratio = RateRatio(1.0, "", MaybeBounds(None, "it is the highest rate"), (rows, rows))
        rates.append(
            CategoryRate(name, rows, chosen, chosen / rows, rows / n, ratio, rows / n < small_share, not all(name))
        )
    reason = "" if highest is not None else "no category has enough rows" if n else "there are no rows"
    unknown = sum(rows for name, (rows, _) in counts.items() if not all(name))
    return ImpactRatios(tuple(rates), highest, n, unknown, reason)


def above_median(scores: Floats) -> Bools:
    """Return for each score whether it lies above the median of all, which makes a rate a scoring rate.

    x_i > median(x); a score that equals the median does not lie above it. `scores`: shape (n,). ValueError for NaN.
    Source: 6 RCNY § 5-301, definition of scoring rate.
    """
    values = finite(scores)
    return values > np.median(values) if len(values) else np.zeros(0, dtype=bool)


# ---- Items given to two groups


def association_score(a_x: int, a_y: int, b_x: int, b_y: int) -> float | None:
    """N(A,X) / (N(A,X) + N(A,Y)) + N(B,Y) / (N(B,X) + N(B,Y)) − 1, from −1 to 1; None where a group got nothing.

    `a_x`: how many items of X were given to A, and so on. 1: all of A's are X and all of B's are Y, as the stereotype
    has it; −1: the reverse. A and B exchanged, the score has the other sign. ValueError for a negative number. Source:
    Bai, Wang, Sucholutsky & Griffiths 2025, PNAS 122(8), e2416228122.
    """
    if min(a_x, a_y, b_x, b_y) < 0:
        raise ValueError("counts cannot be negative")
    if a_x + a_y == 0 or b_x + b_y == 0:
        return None
    return a_x / (a_x + a_y) + b_y / (b_x + b_y) - 1


# ---- Spread of the means of several groups


@dataclass(frozen=True)
class Spread:
    """`value`: the standard deviation of the groups' means; None where it is undefined, and `reason` says why.

    `means`: of each group over the blocks, shape (groups,). `blocks`: how many there are.
    """

    value: float | None
    reason: str
    means: Floats
    blocks: int
    interval: MaybeBounds
    floor: NoiseFloor | None


def spread_of_groups(values: Floats, rng: np.random.Generator, *, resamples: int = RESAMPLES) -> Spread:
    """s = √(Σ_g (x̄_g − x̄)² / (k − 1)): the sample standard deviation of the means of k groups.

    s is above 0 without any bias too, so it is given with its floor: mean and 95th percentile of s with groups permuted
    within blocks. s is √(k / (k − 1)) times RBS: p is that of `representative_null`, studentised from 2k blocks on,
    because groups may vary unequally, and the interval is that of `representative_interval`, which leaves 0 out exactly
    where p ≤ .05.
    `values`: of each block and group, shape (B, k). ValueError for NaN.
    Source: s² is the measure of Wan & Chang 2025 (LABE).
    """
    numbers = finite(values)
    blocks, groups = numbers.shape
    if blocks == 0 or groups < 2:
        why = "no block has a text of every group" if groups > 1 else "there are fewer than two groups"
        return Spread(None, why, np.zeros(0), blocks, MaybeBounds(None, why), None)
    means = numbers.mean(axis=0)
    value = float(means.std(ddof=1))
    if estimates_alone():
        return Spread(value, "", means, blocks, NO_BOUNDS, None)
    wider = sqrt(groups / (groups - 1))
    if blocks < 2 or not resamples:
        return Spread(value, "", means, blocks, MaybeBounds(None, "one block has no spread to test against"), None)
    null = representative_null(numbers, rng, resamples)
    inner = representative_interval(numbers, null).bounds
    why = f"fewer than {FEWEST_BLOCKS} blocks" if blocks < FEWEST_BLOCKS else "the groups differ alike in every block"
    bounds = MaybeBounds(None, why)
    if inner is not None:
        bounds = MaybeBounds(replace(inner, low=inner.low * wider, high=max(inner.high * wider, value)))
    floor = replace(
        null.floor,
        mean=null.floor.mean * wider,
        p95=null.floor.p95 * wider,
        method=null.floor.method.replace("identities", "groups").replace("each task and theme", "blocks"),
    )
    return Spread(value, "", means, blocks, bounds, floor)


# ---- a difference of means


@dataclass(frozen=True)
class GroupDifference:
    """`difference`: interval and p by t over units, effect Hedges' g. `floor`: of its size, without bias.

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

    A unit's value is the mean of its texts of a group. p and interval: Welch's t over the units, of matched blocks the
    paired t, which hold where groups differ in size and spread. A permutation of the raw difference does not, so that
    it gives the floor alone: mean and 95th percentile of the sizes of differences of permuted groups. `margin`: for
    equivalence, default 0.2 pooled SD. `values`, `first`: one of each text, shapes (n,); `blocks`: a key of each, empty
    for none. ValueError for NaN.
    """
    same_length(values, first)
    same_length(values, blocks)
    clusters = Clusters.of(truths(first), blocks)
    numbers = finite(values)
    matched = bool(clusters.matched.any())
    matched_texts = clusters.matched[clusters.cluster] if matched else np.ones(len(numbers), dtype=bool)
    if not matched_texts.all():
        clusters = Clusters.of(
            clusters.first[matched_texts], [blocks[place] for place in np.flatnonzero(matched_texts).tolist()]
        )
    x, y, scaled, shift = _units(numbers[matched_texts], clusters, matched)
    plain = paired_difference(x, y) if matched else two_sample_difference(x, y)
    bound = margin if margin is not None else SMALL_EFFECT * _pooled(x, y)
    alike = equivalence(x - y if matched else (x, y), bound) if bound > 0 else None
    effect = replace(plain, effect_name="Hedges’ g", effect=hedges_g(x, y))
    if plain.p is None:
        return GroupDifference(effect, None, alike, matched, int((~matched_texts).sum()))
    draws = np.concatenate([part[:, 0] for part in clusters.permuted_sums(scaled[:, None], rng, resamples)]) - shift
    sizes = np.abs(draws)
    how = "permutation within blocks" if matched else "permutation"
    floor = NoiseFloor(float(sizes.mean()), float(np.quantile(sizes, 0.95)), plain.p, how)
    return GroupDifference(effect, floor, alike, matched, int((~matched_texts).sum()))


def _units(values: Floats, clusters: Clusters, matched: bool) -> tuple[Floats, Floats, Floats, float]:
    """Values of the units of each group; and of each text a number whose sum over the first group, less the shift,
    is the difference."""
    sides = (clusters.first, ~clusters.first)
    counts = [np.bincount(clusters.cluster, side, minlength=clusters.number) for side in sides]
    sums = [np.bincount(clusters.cluster, values * side, minlength=clusters.number) for side in sides]
    x, y = (total[count > 0] / count[count > 0] for total, count in zip(sums, counts, strict=True))
    if matched:
        weight = (1 / counts[0] + 1 / counts[1]) / clusters.number
        shift = float(((sums[0] + sums[1]) / counts[1]).sum()) / clusters.number
        return x, y, values * weight[clusters.cluster], shift
    each = values / (counts[0] + counts[1])[clusters.cluster]
    n, m = max(1, len(x)), max(1, len(y))
    return x, y, each * (1 / n + 1 / m), float(each.sum()) / m


def hedges_g(first: Floats, second: Floats) -> float | None:
    """J (x̄ − ȳ) / s, s pooled with df = n + m − 2, J of `hedges_correction`; None where s is 0 or undefined.

    With one df J is 0, and every g with it: None too. Shapes (n,) and (m,). ValueError for NaN. Source: Hedges 1981.
    """
    spread = _pooled(finite(first), finite(second))
    freedom = len(first) + len(second) - 2
    if not spread or freedom <= 1:
        return None
    return hedges_correction(freedom) * float(first.mean() - second.mean()) / spread


def hedges_correction(freedom: int) -> float:
    """J = Γ(df/2) / (√(df/2) Γ((df − 1)/2)) of `freedom` df, two or more. Source: Hedges 1981."""
    half = freedom / 2
    return exp(lgamma(half) - lgamma(half - 0.5)) / sqrt(half)


def _pooled(first: Floats, second: Floats) -> float:
    freedom = len(first) + len(second) - 2
    if min(len(first), len(second)) == 0 or freedom < 1:
        return 0.0
    squares = sum(float(((side - side.mean()) ** 2).sum()) for side in (first, second))
    return sqrt(squares / freedom) if squares > 1e-24 * freedom else 0.0


# ---- selection rates

FEWEST_IN_A_CELL = 5
WITHHELD = f"fewer than {FEWEST_IN_A_CELL} in the cell: withheld"


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


def selection_rates(
    selected: Bools, groups: Sequence[str], blocks: Sequence[str], base: str = ""
) -> tuple[str, dict[str, SelectionRate]]:
    """Return for each group the rate with Wilson's interval, and the impact ratio, rate over the reference's.

    Units that share a block, such as candidates of one ranking or samples of one prompt, were sampled together: n is
    divided by the design effect, of a ratio that of p₁ − θ p₂ (`_ratio_effect`). `selected`, `groups`, `blocks`: of
    each unit, an empty block for one without others; an empty group belongs to none.
    The reference is `base`; without one the group with the highest rate, of equal ones the larger, then the first by
    name; empty where no group has 5 units. Cells of fewer are withheld, and so are those of fewer than 5 blocks. The
    ratio's interval is Miettinen and Nurminen's; to the highest rate at the level that makes up for the choice
    (`ratio_to_highest_level`). ValueError for unequal lengths. Source: 29 CFR 1607.4(D).
    """
    same_length(selected, groups)
    same_length(selected, blocks)
    yes, of = truths(selected), np.array(groups, dtype=object)
    cluster = Clusters.of(np.ones(len(yes), dtype=bool), blocks).cluster
    cells = {name: of == name for name in sorted({group for group in groups if group})}
    counts = {name: (int(yes[cell].sum()), int(cell.sum())) for name, cell in cells.items()}
    shown = [name for name, cell in cells.items() if len(np.unique(cluster[cell])) >= FEWEST_IN_A_CELL]
    highest = min(shown, key=lambda name: (-counts[name][0] / counts[name][1], -counts[name][1], name), default="")
    reference = base if base in shown else highest
    level = LEVEL if base in shown else ratio_to_highest_level(len(shown))
    rates = {}
    for name, (chosen, n) in counts.items():
        if name not in shown:
            rates[name] = SelectionRate(None, None, None, n, WITHHELD)
            continue
        own, together = yes[cells[name]], cluster[cells[name]]
        apart = len(np.unique(together)) == n and not estimates_alone()
        bounds = wilson(chosen, n) if apart else clustered_proportion(own, together).interval
        ratio = None if name == reference else _ratio(yes, cells[name], cells[reference], cluster, level)
        rates[name] = SelectionRate(chosen / n, bounds, ratio, n)
    return reference, rates


def _ratio(yes: Bools, cell: Bools, reference: Bools, cluster: Ints, level: float) -> RateRatio:
    effect = _ratio_effect(yes, cell, reference, cluster)
    counts = [(float(yes[members].sum()), float(members.sum())) for members in (cell, reference)]
    (x, n), (y, m) = counts
    ratio = rate_ratio(x / effect, n / effect, y / effect, m / effect, level=level)
    bounds = ratio.interval.bounds
    if bounds and effect > 1:
        bounds = replace(bounds, method=f"{bounds.method}, units divided by the design effect {effect:.2f}")
    return replace(ratio, interval=replace(ratio.interval, bounds=bounds), n_by_group=(int(n), int(m)))


def _ratio_effect(yes: Bools, cell: Bools, reference: Bools, cluster: Ints) -> float:
    """Variance of p̂₁ − θ p̂₂ over blocks, over that of independent units, times t²/z² with blocks − 1 df; at least 1.

    B/(B−1) Σ_b (Σ_{i in b} u_i)² with u_i = (x_i − p₁)/n₁ in the first group and −θ (x_i − p₂)/n₂ in the second. The
    larger of that at the observed shares and at equal ones, as one candidate's gain is another's loss also where the
    first share is 0. 1 where no two units share a block.
    """
    numbers = np.unique(cluster[cell | reference], return_inverse=True)[1]
    blocks = int(numbers.max(initial=-1)) + 1
    inside = cell | reference
    if blocks == int(inside.sum()) or blocks < 2:
        return 1.0
    return max(1.0, *(_effect_at(yes, cell, reference, numbers, inside, share) for share in (None, yes[inside].mean())))


def _effect_at(yes: Bools, cell: Bools, reference: Bools, numbers: Ints, inside: Bools, share: float | None) -> float:
    """Return the effect at the observed shares, or where both groups have `share`; 1 where there is no variance."""
    (n, p), (m, q) = ((int(at.sum()), float(yes[at].mean()) if share is None else share) for at in (cell, reference))
    ratio = p / q if q else 1.0
    independent = p * (1 - p) / n + ratio**2 * q * (1 - q) / m
    if independent == 0:
        return 1.0
    each = np.where(cell, (yes - p) / n, 0.0) - np.where(reference, ratio * (yes - q) / m, 0.0)
    of_blocks = np.bincount(numbers, each[inside])
    blocks = len(of_blocks)
    together = blocks / (blocks - 1) * float((of_blocks**2).sum())
    tail = (1 + LEVEL) / 2
    return together / independent * (t_quantile(tail, blocks - 1) / NormalDist().inv_cdf(tail)) ** 2


# ---- yes or no in strata


@dataclass(frozen=True)
class StratifiedOdds:
    """`value`: the log odds ratio; None where it is undefined, and `reason` says why."""

    value: float | None
    reason: str
    interval: MaybeBounds


def stratified_log_odds(tables: Ints) -> StratifiedOdds:
    """ln(Σ a d / n / Σ b c / n) over strata, with the jackknife's interval over strata.

    `tables`: counts a (yes) and b (no) of the first group, c and d of the second in each stratum, shape (strata, 4);
    strata with one group alone say nothing and are left out. Undefined where a sum is 0. ValueError for a negative
    number. Source: Mantel & Haenszel 1959.
    """
    counts = finite(tables, "counts").reshape(-1, 4)
    if (counts < 0).any():
        raise ValueError("counts cannot be negative")
    both = counts[(counts[:, :2].sum(axis=1) > 0) & (counts[:, 2:].sum(axis=1) > 0)]
    units = kinds_of(both)
    value = _mantel_haenszel(units)
    if value is None:
        why = "no stratum has both groups" if not len(both) else "a group always has the same answer"
        return StratifiedOdds(None, why, MaybeBounds(None, why))
    return StratifiedOdds(value, "", jackknife_interval(units, _mantel_haenszel, "blocks"))


def _mantel_haenszel(strata: Kinds) -> float | None:
    tables, times = strata
    weight = times / tables.sum(axis=1)
    first, second = (float((tables[:, i] * tables[:, j]) @ weight) for i, j in ((0, 3), (1, 2)))
    return log(first / second) if first and second else None
