"""Which groups' sentences a topic attracts: χ² of topics × groups, and the residual of every cell."""

from collections.abc import Iterable

import numpy as np

from core.metrics.resampling import TOLERANCE
from core.metrics.result import Floats, Ints, TestResult


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
    """Why there is nothing to test; empty where there is. ValueError for what is no table of counts."""
    counts = np.asarray(table)
    if counts.ndim != 2 or not np.isfinite(counts).all() or (counts < 0).any():
        raise ValueError("the table must be rows × columns of counts")
    if min(counts.shape) < 2:
        return "fewer than two rows or two columns"
    if (counts.sum(axis=0) == 0).any() or (counts.sum(axis=1) == 0).any():
        return "a row or a column is empty"
    return ""
