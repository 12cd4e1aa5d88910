"""Topics and the groups whose sentences they attract: χ², residuals, and which group a topic belongs to."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from biasprint.core.metrics.resampling import TOLERANCE, chunks, permutation_p
from biasprint.core.metrics.result import RESAMPLES, Floats, Ints, NoiseFloor, TestResult, benjamini_hochberg

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
