"""Distances: RBS with its floor, interval and trend; cosines and margins."""

import numpy as np
from metric_cases.case import (
    DEFINED,
    NOBODY,
    REFUSED,
    UNDEFINED,
    Case,
    array,
    bounds_of,
    columns_reversed,
    multiplied,
    rng,
    same,
    scaled,
    swapped,
)

from biasprint.core.metrics.representative import (
    cosine_distance,
    representative_interval,
    representative_null,
    representative_score,
    representative_trend,
)
from biasprint.core.metrics.result import MaybeBounds
from biasprint.core.metrics.similarity import group_margins

DISTANCES = np.random.default_rng(2).uniform(0.1, 0.5, (12, 3)) + array(0.0, 0.1, 0.2)
SWEEP = np.random.default_rng(3).uniform(0.1, 0.5, (12, 4, 3))

RBS = [
    Case(
        representative_score,
        (DISTANCES,),
        read=lambda score: (score.value,),
        items=[(0,)],
        relabel=(columns_reversed, same),
        scale=((0,), scaled),
        edges={
            "empty": ((np.zeros((0, 3)),), UNDEFINED),
            "one item": ((DISTANCES[:1],), DEFINED),
            "one group": ((DISTANCES[:, :1],), UNDEFINED),
            "ties": ((DISTANCES.round(1),), DEFINED),
            "constant": ((np.full((9, 3), 0.2),), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        representative_interval,
        (DISTANCES,),
        call=lambda distances: (
            representative_interval(distances, representative_null(distances, rng(), 4000))
            if np.size(distances) and distances.shape[1] > 1
            else MaybeBounds(None, "nothing to test")
        ),
        read=bounds_of,
        items=[(0,)],
        relabel=(columns_reversed, same),
        scale=((0,), multiplied),
        edges={
            "empty": ((np.zeros((0, 3)),), UNDEFINED),
            "one item": ((DISTANCES[:1],), UNDEFINED),
            "one group": ((DISTANCES[:, :1],), UNDEFINED),
            "ties": ((DISTANCES.round(1),), DEFINED),
            "constant": ((np.full((9, 3), 0.2),), UNDEFINED),
        },
        nan=(0,),
        about=0.05,
    ),
    Case(
        representative_null,
        (DISTANCES,),
        call=lambda distances: representative_null(distances, rng(), 4000),
        read=lambda null: (null.floor.mean, null.floor.p95, null.floor.p),
        items=[(0,)],
        relabel=(columns_reversed, same),
        scale=((0,), lambda answer, factor: (answer[0] * factor, answer[1] * factor, answer[2])),
        edges={
            "empty": ((np.zeros((0, 3)),), REFUSED),
            "one item": ((DISTANCES[:1],), DEFINED),
            "one group": ((DISTANCES[:, :1],), REFUSED),
            "ties": ((DISTANCES.round(1),), DEFINED),
            "constant": ((np.full((9, 3), 0.2),), DEFINED),
        },
        nan=(0,),
        about=0.05,
    ),
    Case(
        representative_trend,
        (SWEEP,),
        call=lambda distances: representative_trend(distances, rng(), 2000),
        items=[(0,)],
        relabel=(lambda sweep: (sweep[:, :, ::-1],), same),
        scale=((0,), scaled),
        edges={
            "empty": ((np.zeros((0, 4, 3)),), UNDEFINED),
            "one item": ((SWEEP[:1],), DEFINED),
            "one group": ((SWEEP[:, :, :1],), UNDEFINED),
            "ties": ((SWEEP.round(1),), DEFINED),
            "constant": ((np.full((12, 4, 3), 0.2),), DEFINED),
        },
        nan=(0,),
        about=0.05,
    ),
    Case(
        cosine_distance,
        (array([1.0, 2.0], [0.5, -1.0]), array([2.0, 1.0], [1.0, 1.0])),
        call=lambda one, other: cosine_distance(one, other).mean(),
        items=[(0, 1)],
        relabel=(swapped, same),
        scale=((0,), same),
        edges={
            "empty": "its mean over no rows is not its own",
            "one item": ((array([1.0, 2.0]).reshape(1, 2), array([2.0, 1.0]).reshape(1, 2)), DEFINED),
            "one group": "rows have no group",
            "ties": ((np.ones((3, 2)), np.ones((3, 2))), DEFINED),
            "constant": "a row without length is NaN, as its docstring says; the study drops and counts it",
        },
        nan="a row with NaN is NaN, as its docstring says; the study drops and counts it",
    ),
    Case(
        group_margins,
        (np.random.default_rng(5).normal(size=(12, 4)), np.tile([0, 1, 2], 4), np.repeat([0, 1], 6)),
        call=lambda *args: tuple(part.sum() for part in group_margins(*args)),
        items=[(0, 1, 2)],
        relabel=(lambda vectors, group, block: (vectors, 2 - group, 1 - block), same),
        scale=((0,), same),
        edges={
            "empty": ((np.zeros((0, 4)), NOBODY, NOBODY), DEFINED),
            "one item": ((np.ones((1, 4)), array(0), array(0)), DEFINED),
            "one group": ((np.eye(4), np.zeros(4, int), np.zeros(4, int)), DEFINED),
            "ties": ((np.repeat(np.eye(4), 2, axis=0), np.tile([0, 1], 4), np.zeros(8, int)), DEFINED),
            "constant": ((np.ones((6, 4)), np.tile([0, 1], 3), np.zeros(6, int)), DEFINED),
        },
        nan=(0,),
    ),
]

CASES = RBS
