"""Bands of figures that are watched, and the sums behind them."""

import numpy as np
from metric_cases.case import (
    COUNTS,
    DEFINED,
    EMPTY,
    NO_GROUPS,
    NO_ITEMS,
    NOBODY,
    NONE,
    REFUSED,
    Case,
    array,
    multiplied,
    same,
)

from biasprint.core.metrics.anytime import (
    BoundedMean,
    clustered_share_band,
    normal_band,
    share_band,
    share_spread_band,
    spread_band,
)
from biasprint.core.metrics.result import Bounds
from biasprint.core.metrics.sums import ClusterSums, ExactSum, Moments, cluster_means, exact_mean

SCORES = np.random.default_rng(11).random(40)
MEANS = array(0.2, 0.3, 0.5)
SPREAD = np.diag([0.01, 0.02, 0.03])
LIMITS = "its limits are those of the scores"


def ends(band: Bounds | None) -> object:
    return band and (band.low, band.high)


def watch(scores: np.ndarray) -> Bounds:
    watched = BoundedMean()
    for score in scores:
        watched.add(float(score))
    return watched.band


def moments(scores: np.ndarray) -> tuple[float | None, float | None]:
    found = Moments()
    for score in scores:
        found.add(float(score))
    return found.mean, found.error


def total(scores: np.ndarray) -> float:
    found = ExactSum()
    for score in scores:
        found.add(float(score))
    return found.value


def in_clusters(scores: np.ndarray) -> tuple[float, float | None]:
    found = ClusterSums(1)
    for place, score in enumerate(scores):
        found.put(place, "a", np.array([score]))
    return float(found.totals("a")[0]), found.error({"a": np.ones(1)})


def of_scores(metric: object, call: object, constant: str, nothing: str, one: str) -> Case:
    """Sums and errors grow with the unit of the scores, and their order leaves no trace."""
    return Case(
        metric,
        (SCORES,),
        call=call,
        read=same,
        items=[(0,)],
        relabel=NO_GROUPS,
        scale=((0,), multiplied),
        edges={
            "empty": ((EMPTY,), nothing),
            "one item": ((SCORES[:1],), one),
            "one group": ((SCORES,), DEFINED),
            "ties": ((np.repeat(SCORES[:5], 3),), DEFINED),
            "constant": ((np.full(9, 0.1),), constant),
        },
        nan=(0,),
    )


BANDS = [
    Case(
        share_band,
        (7, 20),
        read=ends,
        items=NO_ITEMS,
        relabel=(lambda x, n: (n - x, n), lambda bounds: (1 - bounds[1], 1 - bounds[0])),
        scale=COUNTS,
        edges={
            "empty": ((0, 0), DEFINED),
            "one item": ((1, 1), DEFINED),
            "one group": ((3, 9), DEFINED),
            "ties": ((5, 10), DEFINED),
            "constant": ((9, 9), DEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        clustered_share_band,
        (0.35, 200, 0.06, 20),
        read=ends,
        items=NO_ITEMS,
        relabel=(lambda p, n, error, clusters: (1 - p, n, error, clusters), lambda ends: (1 - ends[1], 1 - ends[0])),
        scale=COUNTS,
        edges={
            "empty": ((0.0, 0, None, 0), REFUSED),
            "one item": ((1.0, 1, None, 1), REFUSED),
            "one group": ((0.5, 10, 0.2, 1), REFUSED),
            "ties": ((0.5, 10, 0.2, 5), DEFINED),
            "constant": ((1.0, 10, None, 5), DEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        share_spread_band,
        (array(20, 30, 10),),
        read=ends,
        items=NO_ITEMS,
        relabel=(lambda chosen: (chosen[::-1],), same),
        scale=COUNTS,
        edges={
            "empty": ((np.zeros(3),), DEFINED),
            "one item": ((array(1, 0, 0),), DEFINED),
            "one group": ((array(5),), NONE),
            "ties": ((array(5, 5, 5),), DEFINED),
            "constant": ((array(15, 0, 0),), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        BoundedMean,
        (SCORES,),
        call=watch,
        read=ends,
        items="bets go by the scores before: any order has a band of its own that holds",
        relabel=(lambda scores: (1 - scores,), lambda bounds: (1 - bounds[1], 1 - bounds[0])),
        scale=LIMITS,
        edges={
            "empty": ((EMPTY,), DEFINED),
            "one item": ((SCORES[:1],), DEFINED),
            "one group": ((SCORES,), DEFINED),
            "ties": ((np.repeat(SCORES[:5], 3),), DEFINED),
            "constant": ((np.full(9, 0.1),), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        normal_band,
        (0.3, 0.1, 100),
        read=ends,
        items=NO_ITEMS,
        relabel=(lambda value, error, n: (-value, error, n), lambda bounds: (-bounds[1], -bounds[0])),
        scale=((0, 1), multiplied),
        edges={
            "empty": ((0.3, 0.1, 0), REFUSED),
            "one item": ((0.3, 0.1, 1), REFUSED),
            "one group": ((0.3, 0.1, 30), DEFINED),
            "ties": ((0.0, 0.1, 30), DEFINED),
            "constant": ((0.3, 0.0, 30), REFUSED),
        },
        nan=(0, 1, 2),
    ),
    Case(
        spread_band,
        (MEANS, SPREAD, 100),
        read=ends,
        items=NO_ITEMS,
        relabel=(lambda means, covariance, n: (means[::-1], covariance[::-1, ::-1], n), same),
        scale="means grow with the root of their covariance",
        edges={
            "empty": ((EMPTY, np.zeros((0, 0)), 30), NONE),
            "one item": ((MEANS, SPREAD, 2), DEFINED),
            "one group": ((MEANS[:1], SPREAD[:1, :1], 30), NONE),
            "ties": ((np.full(3, 0.2), SPREAD, 30), DEFINED),
            "constant": ((MEANS, np.zeros((3, 3)), 30), NONE),
        },
        nan=(0, 1),
    ),
]

SUMS = [
    of_scores(exact_mean, None, DEFINED, REFUSED, DEFINED),
    of_scores(ExactSum, total, DEFINED, DEFINED, DEFINED),
    of_scores(Moments, moments, NONE, NONE, NONE),
    of_scores(ClusterSums, in_clusters, NONE, NONE, NONE),
    Case(
        cluster_means,
        (SCORES[:6], array(0, 0, 1, 1, 2, 2)),
        items=[(0, 1)],
        relabel=(lambda values, clusters: (values, 9 - clusters), lambda means: means[::-1]),
        scale=((0,), multiplied),
        edges={
            "empty": ((EMPTY, NOBODY), DEFINED),
            "one item": ((SCORES[:1], array(0)), DEFINED),
            "one group": ((SCORES[:4], np.zeros(4, int)), DEFINED),
            "ties": ((np.full(4, 0.3), array(0, 0, 1, 1)), DEFINED),
            "constant": ((np.full(4, 0.1), array(0, 1, 2, 3)), DEFINED),
        },
        nan=(0,),
    ),
]

CASES = [*BANDS, *SUMS]
