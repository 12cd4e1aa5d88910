"""Clusters, crossed terms and pairs, and the jackknife."""

import numpy as np
from metric_cases.case import (
    DEFINED,
    NO_GROUPS,
    NOBODY,
    NONE,
    REFUSED,
    UNDEFINED,
    Case,
    array,
    joined,
    moments,
    multiplied,
    rng,
    same,
)

from biasprint.core.metrics.clusters import (
    Clusters,
    CrossedCounts,
    Kinds,
    jackknife,
    jackknife_interval,
    kinds_of,
    two_way_error,
)

RESAMPLES = 4000
LEVELS, OTHERS = np.repeat([0, 1, 2, 3], 5), np.tile([0, 1, 2, 3, 4], 4)
LABELS = LEVELS % 2 == 0
SCORES = np.random.default_rng(2).uniform(1, 3, 20)


def by_clusters(values: np.ndarray, first: np.ndarray, block: np.ndarray) -> tuple[float, ...]:
    """Means and spreads of the sums with the groups permuted, and the sums of clusters."""
    clusters = Clusters.of(np.asarray(first, dtype=bool), [str(each) for each in block])
    columns = values.reshape(-1, 1)
    permuted = joined(clusters.permuted_sums(columns, rng(), RESAMPLES))
    return moments(permuted) + moments(clusters.totals(columns, of_first=True))


def crossed(term: np.ndarray, pair: np.ndarray, outcome: np.ndarray, positive: np.ndarray) -> tuple[float, ...]:
    counts = CrossedCounts.of(term, pair, outcome, positive, 2)
    first = (0, 1)  # the second outcome under positive terms
    slope = np.where(np.arange(2) == 1, [[1.0], [-1.0]], 0.0)
    error = two_way_error([counts.influences(slope)])
    return (error.error, error.degrees, *moments(counts.permuted(rng(), RESAMPLES)[first]))


TERMS, OPTIONS = np.repeat(np.arange(8), 6), np.tile(np.arange(6), 8)
OUTCOMES = np.random.default_rng(3).integers(0, 2, 48)

CLUSTERED = [
    Case(
        Clusters,
        (SCORES, LABELS, LEVELS + 10 * OTHERS),
        call=by_clusters,
        items=[(0, 1, 2)],
        relabel=(lambda values, first, block: (values, first, 99 - block), same),
        scale=((0,), multiplied),
        edges={
            "empty": "without texts there are no sums to take the mean of",
            "one item": ((SCORES[:1], array(True), array(0)), DEFINED),
            "one group": ((SCORES, LABELS | True, LEVELS), DEFINED),
            "ties": ((SCORES.round(), LABELS, OTHERS), DEFINED),
            "constant": ((SCORES * 0 + 1, LABELS, LEVELS), DEFINED),
        },
        nan="clustered_odds_ratios checks what it sums",
        about=0.05,
    ),
    Case(
        CrossedCounts,
        (TERMS, OPTIONS, OUTCOMES, TERMS % 2 == 0),
        call=crossed,
        items=[(0, 1, 2, 3)],
        relabel=(lambda term, pair, outcome, positive: (9 - term, 9 - pair, outcome, positive), same),
        scale="counts have no unit of measurement",
        edges={
            "empty": ((NOBODY, NOBODY, NOBODY, np.zeros(0, bool)), REFUSED),
            "one item": ((TERMS[:1], OPTIONS[:1], OUTCOMES[:1], array(True)), DEFINED),
            "one group": ((TERMS, OPTIONS, OUTCOMES, TERMS >= 0), DEFINED),
            "ties": ((TERMS, TERMS, OUTCOMES, TERMS % 2 == 0), DEFINED),
            "constant": ((TERMS, OPTIONS, OUTCOMES * 0, TERMS % 2 == 0), DEFINED),
        },
        nan=(3,),
        about=0.06,
    ),
]


def mean(units: Kinds) -> float | None:
    return float(np.average(units.rows.mean(axis=1), weights=units.times)) if units.n else None


ROWS = SCORES.reshape(10, 2)

JACKKNIFE = [
    Case(
        jackknife,
        (ROWS,),
        call=lambda rows: jackknife(kinds_of(rows), mean),
        read=lambda found: (found.centre, found.error),
        items=[(0,)],
        relabel=NO_GROUPS,
        scale=((0,), multiplied),
        edges={
            "empty": ((ROWS[:0],), NONE),
            "one item": ((ROWS[:1],), NONE),
            "one group": "it knows no groups",
            "ties": ((ROWS.round(),), DEFINED),
            "constant": ((ROWS * 0 + 1,), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        jackknife_interval,
        (ROWS,),
        call=lambda rows: jackknife_interval(kinds_of(rows), mean, "rows"),
        read=lambda found: found.bounds and (found.bounds.low, found.bounds.high),
        items=[(0,)],
        relabel=NO_GROUPS,
        scale=((0,), multiplied),
        edges={
            "empty": ((ROWS[:0],), UNDEFINED),
            "one item": ((ROWS[:1],), UNDEFINED),
            "one group": "it knows no groups",
            "ties": ((ROWS.round(),), DEFINED),
            "constant": ((ROWS * 0 + 1,), UNDEFINED),
        },
        nan=(0,),
    ),
]

CASES = [*CLUSTERED, *JACKKNIFE]
