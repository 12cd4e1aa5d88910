"""Measures of news: distances between sentences' scores, prejudice, and topics with the groups whose sentences they
attract.

The groups of a topic are found by χ², by residuals, and by membership.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import exp

import numpy as np

from biasprint.core.metrics.means import clustered_mean
from biasprint.core.metrics.proportions import clustered_proportion
from biasprint.core.metrics.resampling import TOLERANCE, chunks, permutation_p
from biasprint.core.metrics.result import (
    RESAMPLES,
    Bools,
    Bounds,
    Difference,
    Floats,
    Ints,
    MaybeBounds,
    NoiseFloor,
    Numbers,
    TestResult,
    benjamini_hochberg,
    finite,
    same_length,
    truths,
)


@dataclass(frozen=True)
class ShareDistance:
    """`distance` and `signed` hold the defined pairs alone, in order; `defined`, shape (pairs,), says which those are.

    `distance`: W, shape (d,). `first`, `second`: shares per group, shape (d, k), each row adding up to 1.
    """

    defined: Bools
    distance: Floats
    first: Floats
    second: Floats

    @property
    def signed(self) -> Floats:
        """The difference of the shares of each group, first minus second: shape (d, k), each row adding up to 0."""
        return self.first - self.second

    @property
    def dropped(self) -> int:
        """Pairs in which a side mentions no group at all: its shares are 0/0."""
        return int((~self.defined).sum())


def wasserstein_share(first: Numbers, second: Numbers) -> ShareDistance:
    """W = ½ Σ_m |f_first(m) − f_second(m)| per pair, with f(m) = n_m / Σ n, for any number of groups.

    It is the Wasserstein distance where any two groups lie 1 apart: |Δ| for two groups, max |Δ| for three, and from
    four on neither. `first`, `second`: mentions or amounts per pair and group, shapes (pairs, k), not negative.
    ValueError for NaN, negative amounts or unequal shapes. Source: Fang et al. 2024, equations 1 to 3.
    """
    x, y = finite(first, "amounts"), finite(second, "amounts")
    if x.shape != y.shape or x.ndim != 2:
        raise ValueError("both sides need the same pairs and groups")
    if (x < 0).any() or (y < 0).any():
        raise ValueError("amounts cannot be negative")
    totals, other_totals = x.sum(axis=1), y.sum(axis=1)
    defined = np.asarray((totals > 0) & (other_totals > 0))
    shares = x[defined] / totals[defined, None]
    other_shares = y[defined] / other_totals[defined, None]
    return ShareDistance(defined, np.abs(shares - other_shares).sum(axis=1) / 2, shares, other_shares)


# ---- scores of sentences


@dataclass(frozen=True)
class GroupMeans:
    """Mean score per pair and group; 0 where `present` is False: no sentence there is about the group. (pairs, k)."""

    means: Floats
    present: Bools


@dataclass(frozen=True)
class SentenceGap:
    """`gap`: S of the defined pairs alone, shape (d,); `defined`, shape (pairs,): some group on both sides.

    `signed`: first minus second per pair and group, shape (pairs, k); 0 where `both` is False.
    """

    defined: Bools
    gap: Floats
    signed: Floats
    both: Bools

    @property
    def dropped(self) -> int:
        return int((~self.defined).sum())


def group_means(scores: Floats, group: Ints, pair: Ints, pairs: int, groups: int) -> GroupMeans:
    """Means over the sentences of each pair and group. `scores`, `group` (negative: neutral, left out), `pair`: (n,).

    ValueError for NaN.
    """
    values = finite(scores, "scores")
    about = group >= 0
    cell = pair[about] * groups + group[about]
    counts = np.bincount(cell, minlength=pairs * groups).reshape(pairs, groups)
    sums = np.bincount(cell, values[about], minlength=pairs * groups).reshape(pairs, groups)
    return GroupMeans(sums / np.maximum(counts, 1), counts > 0)


def sentence_gap(first: GroupMeans, second: GroupMeans) -> SentenceGap:
    """S = max over the groups present on both sides of |mean first − mean second|, per pair.

    It grows with the number of groups, which is why the signed differences are given with it.
    Source: Fang et al. 2024, equations 5 and 6.
    """
    both = first.present & second.present
    signed = np.where(both, first.means - second.means, 0.0)
    defined = np.asarray(both.any(axis=1))
    return SentenceGap(defined, np.abs(signed).max(axis=1, initial=0.0)[defined], signed, both)


# ---- prejudice: how often a group fares worse, and by how much in those pairs

# What was chosen for its sign is skewed: t covers 84 to 95 %, mostly too low; on the scale of the logarithm 92 to 96 %
# from ten headlines on (drawn from the calibration's sentences and words).
FEWEST_FOR_INTERVAL = 10
TOO_FEW = f"fewer than {FEWEST_FOR_INTERVAL} headlines, of which the interval would hold the truth too rarely"


@dataclass(frozen=True)
class Prejudice:
    """`share` of the `n` pairs asked about, with its interval; `drop`: mean over the `worse` pairs, a positive number.

    None where there are no such pairs, and the reason says so.
    """

    share: float | None
    share_interval: Bounds | None
    drop: float | None
    drop_interval: MaybeBounds
    n: int
    worse: int
    reason: str = ""


def is_lower(signed: Floats) -> Bools:
    """Return which differences lie below 0 by more than rounding: equal shares are no prejudice."""
    return np.asarray(signed < -TOLERANCE)


def prejudice(signed: Floats, among: Bools, clusters: Ints) -> Prejudice:
    """Share of the pairs in `among` with a difference below 0, and the mean of −difference over those.

    `signed`: first minus second, turned so that lower is worse; `among`: the pairs that are asked about; `clusters`:
    pairs of one number were sampled together. Shapes (n,). Wilson's interval with n divided by the design effect. Of
    the drop d, from 10 clusters on, d e^(±h/d) with h half the width of t over clusters (delta method of ln d). The
    drop alone shows nothing: it is the mean of what was chosen for its sign. ValueError for NaN.
    Source: Fang et al. 2024, results, word level (figures 2b and 2c).
    """
    same_length(signed, among)
    asked = truths(among)
    differences, of_cluster = finite(signed)[asked], np.asarray(clusters)[asked]
    lower = is_lower(differences)
    if not len(differences):
        nothing = "no pair to ask about"
        return Prejudice(None, None, None, MaybeBounds(None, nothing), 0, 0, nothing)
    share = clustered_proportion(lower, of_cluster)
    drop = clustered_mean(-differences[lower], of_cluster[lower])
    few = len(np.unique(of_cluster[lower])) < FEWEST_FOR_INTERVAL
    bounds = MaybeBounds(None, drop.reason or TOO_FEW) if few else _on_log_scale(drop)
    return Prejudice(share.value, share.interval, drop.value, bounds, len(differences), int(lower.sum()), drop.reason)


def _on_log_scale(drop: Difference) -> MaybeBounds:
    bounds = drop.interval.bounds
    if bounds is None or drop.value is None:
        return drop.interval
    factor = exp((bounds.high - drop.value) / drop.value)
    return MaybeBounds(Bounds(drop.value / factor, drop.value * factor, f"{bounds.method}, of the logarithm"))


# ---- χ² of topics × groups, and the residual of every cell


def chi_squared(table: Ints) -> TestResult:
    """X² = Σ (O − E)² / E with (rows − 1)(columns − 1) df, as if the counted units were independent.

    `table`: counts, shape (topics, groups). Undefined where a row or column is empty or there is only one.
    """
    from scipy.stats import chi2_contingency

    reason = _unusable(table)
    if reason:
        return TestResult("χ²", None, None, reason)
    outcome = chi2_contingency(table, correction=False)
    return TestResult("χ²", float(outcome.statistic), float(outcome.pvalue))


def standardised_residuals(table: Ints) -> Floats:
    """SR = (O − E) / √(E (1 − row/N) (1 − column/N)): about standard normal where topic and group are independent.

    `table`: counts, shape (topics, groups), the groups with "neutral". ValueError where a row or column is empty or
    there is only one: leave empty topics and groups out. Source: Fang et al. 2024, document level (Haberman 1973).
    """
    reason = _unusable(table)
    if reason:
        raise ValueError(reason)
    return _residuals(table)


def residual_p(table: Ints, permuted: Iterable[Ints]) -> Floats:
    """Per cell, the chance of a residual at least as large: (1 + hits) / (1 + R), one-sided. Shape as `table`.

    `permuted`: chunks of tables with the group labels permuted over whole articles, shape (chunk, topics, groups).
    """
    observed = standardised_residuals(table)
    hits, drawn = np.zeros(observed.shape), 0
    for tables in permuted:
        hits += (_residuals(tables) >= observed - TOLERANCE).sum(axis=0)
        drawn += len(tables)
    return np.asarray((1 + hits) / (1 + drawn))


def _residuals(tables: Ints) -> Floats:
    """Over the last two axes; a permuted table may have an empty margin, where nothing departs from expectation."""
    rows, columns = tables.sum(axis=-1, keepdims=True), tables.sum(axis=-2, keepdims=True)
    n = rows.sum(axis=-2, keepdims=True)
    expected = rows * columns / n
    spread = np.sqrt(expected * (1 - rows / n) * (1 - columns / n))
    return np.asarray(np.divide(tables - expected, spread, out=np.zeros(np.shape(expected)), where=spread > 0))


def _unusable(table: Ints) -> str:
    """Return why there is nothing to test; empty where there is. ValueError where it is no table of counts."""
    counts = np.asarray(table)
    if counts.ndim != 2 or not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError("the table must be rows × columns of counts")
    if min(counts.shape) < 2:
        return "fewer than two rows or two columns"
    if (counts.sum(axis=0) == 0).any() or (counts.sum(axis=1) == 0).any():
        return "a row or a column is empty"
    return ""


# ---- membership: by the largest residual as published, or by permuting labels over articles

NO_GROUP = -1
PUBLISHED_THRESHOLD = 3.0
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class TopicMembership:
    """Per topic: `group` int64[topics], the column it belongs to or NO_GROUP; `residuals` float64[topics, groups].

    A topic or a group without sentences has residuals of 0. `p`, `p_adjusted`: None as published, and for a topic
    without sentences. `test`: χ² of the whole table, without empty topics and groups, and `floor` what it is where
    labels are permuted by article (None as published). `reason`: why nothing could be tested; empty where it could.
    """

    group: Ints
    residuals: Floats
    p: tuple[float | None, ...]
    p_adjusted: tuple[float | None, ...]
    test: TestResult
    floor: NoiseFloor | None = None

    @property
    def reason(self) -> str:
        return self.test.reason


def counts_of(topic: Ints, group: Ints, topics: int, groups: int) -> Ints:
    """O of equation 7: how many sentences each topic and group share, int64[topics, groups]."""
    cells = np.bincount(topic * groups + group, minlength=topics * groups)
    return cells.reshape(topics, groups)


def published_membership(table: Ints, threshold: float = PUBLISHED_THRESHOLD) -> TopicMembership:
    """A topic belongs to the group with its largest standardised residual where that exceeds `threshold`.

    `table`: sentences, int64[topics, groups], neutral among the groups. Source: Fang et al. 2024, equation 7.
    """
    rows, columns = _used(table)
    used = table[np.ix_(rows, columns)]
    test, residuals = chi_squared(used), np.zeros(table.shape)
    if test.statistic is None:
        reason = "sentences of fewer than two topics" if len(rows) < 2 else "sentences of fewer than two groups"
        test = replace(test, reason=reason)
    else:
        residuals[np.ix_(rows, columns)] = standardised_residuals(used)
    group = np.where(residuals.max(axis=1) > threshold, residuals.argmax(axis=1), NO_GROUP)
    none: tuple[float | None, ...] = (None,) * len(table)
    return TopicMembership(group, residuals, none, none, test)


def permuted_membership(
    topic: Ints,
    group: Ints,
    article: Ints,
    topics: int,
    groups: int,
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
) -> TopicMembership:
    """The group with the largest residual, if p is at most .05 after Benjamini and Hochberg over topics.

    `topic`, `group`, `article`: one value per sentence, int64[sentences]; the sentences of an article together, in
    their order. p: group labels permuted by article (see `permuted_tables`), times the number of groups, because the
    largest of so many residuals is looked at.
    """
    table = counts_of(topic, group, topics, groups)
    rows, columns = _used(table)
    largest = published_membership(table)
    if largest.reason:
        return largest
    statistics: list[Floats] = []

    def permuted() -> Iterator[Ints]:
        for tables in permuted_tables(topic, group, article, topics, groups, rng, resamples):
            used = tables[:, rows][:, :, columns]
            statistics.append(_chi_squared(used))
            yield used

    cells = residual_p(table[np.ix_(rows, columns)], permuted())
    residuals = largest.residuals[np.ix_(rows, columns)]
    best = np.take_along_axis(cells, residuals.argmax(axis=1)[:, None], axis=1)[:, 0]
    p: list[float | None] = [None] * topics
    for row, value in zip(rows, np.minimum(1.0, best * len(columns)), strict=True):
        p[row] = float(value)
    adjusted = benjamini_hochberg(p)
    belongs = np.array([value is not None and value <= SIGNIFICANT for value in adjusted])
    chosen = np.where(belongs, largest.residuals.argmax(axis=1), NO_GROUP)
    floor = _floor(largest.test, np.concatenate(statistics))
    return TopicMembership(chosen, largest.residuals, tuple(p), tuple(adjusted), largest.test, floor)


def permuted_tables(
    topic: Ints, group: Ints, article: Ints, topics: int, groups: int, rng: np.random.Generator, resamples: int
) -> Iterator[Ints]:
    """Topics × groups with every article's labels taken from another article: chunks of (chunk, topics, groups).

    Labels come in runs: a story about a woman mentions her in many sentences. They move as one sequence, stretched or
    cut to the length of the article that receives them, so that the runs stay.
    """
    _, first, lengths = np.unique(article, return_index=True, return_counts=True)
    owner = np.repeat(np.arange(len(first)), lengths[np.argsort(first)])
    first, lengths = np.sort(first), lengths[np.argsort(first)]
    # Where in its article a sentence stands, between 0 and 1.
    place = (np.arange(len(topic)) - first[owner] + 0.5) / lengths[owner]
    for size in chunks(resamples, len(topic)):
        donor = rng.permuted(np.broadcast_to(np.arange(len(first)), (size, len(first))), axis=1)[:, owner]
        labels = group[first[donor] + (place * lengths[donor]).astype(np.int64)]
        cells = (np.arange(size)[:, None] * topics + topic) * groups + labels
        counts = np.bincount(cells.ravel(), minlength=size * topics * groups)
        yield counts.reshape(size, topics, groups)


def _used(table: Ints) -> tuple[Ints, Ints]:
    """The topics and the groups that have sentences."""
    return np.flatnonzero(table.sum(axis=1)), np.flatnonzero(table.sum(axis=0))


def _chi_squared(tables: Ints) -> Floats:
    """X² of each of the tables (n, topics, groups); a cell whose margin a permutation leaves empty adds nothing."""
    rows, columns = tables.sum(axis=2, keepdims=True), tables.sum(axis=1, keepdims=True)
    expected = rows * columns / rows.sum(axis=1, keepdims=True)
    parts = np.divide((tables - expected) ** 2, expected, out=np.zeros(expected.shape), where=expected > 0)
    return np.asarray(parts.sum(axis=(1, 2)))


def _floor(test: TestResult, values: Floats) -> NoiseFloor:
    p = permutation_p(values >= float(test.statistic or 0.0) - TOLERANCE)
    return NoiseFloor(float(values.mean()), float(np.quantile(values, 0.95)), float(p), "labels permuted by article")
