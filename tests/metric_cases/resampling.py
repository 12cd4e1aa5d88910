"""Bootstraps and permutations: their answers are read as the mean and spread of the draws."""

import numpy as np
from metric_cases.case import (
    DEFINED,
    EMPTY,
    NO_GROUPS,
    NOBODY,
    REFUSED,
    UNDEFINED,
    Case,
    array,
    joined,
    moments,
    multiplied,
    negated,
    rng,
    same,
    scaled,
)

from biasprint.core.metrics.clusters import group_jackknife
from biasprint.core.metrics.resampling import (
    bootstrap_means,
    cluster_bootstrap_sums,
    dealt_sums,
    permutation_p,
    recombined_sums,
)

RESAMPLES = 4000
VALUES = np.random.default_rng(1).uniform(1, 3, 30)
LEVELS, OTHERS = np.repeat([0, 1, 2, 3], 5), np.tile([0, 1, 2, 3, 4], 4)
LABELS = LEVELS % 2 == 0
SCORES = np.random.default_rng(2).uniform(1, 3, 20)


BOOTSTRAPS = [
    Case(
        metric,
        (VALUES,),
        call=lambda values, metric=metric: moments(metric(values, rng(), RESAMPLES)),
        items=[(0,)],
        relabel=NO_GROUPS,
        scale=((0,), multiplied),
        edges={
            "empty": ((EMPTY,), REFUSED),
            "one item": ((VALUES[:1],), DEFINED),
            "one group": "it knows no groups",
            "ties": ((VALUES.round(),), DEFINED),
            "constant": ((np.ones(5),), DEFINED),
        },
        nan=(0,),
        about=0.05,
    )
    for metric in (bootstrap_means, cluster_bootstrap_sums)
]

PERMUTATIONS = [
    Case(
        dealt_sums,
        (SCORES, LABELS, LEVELS // 2),
        call=lambda values, first, unit: moments(joined(dealt_sums(values, first, unit, rng(), RESAMPLES))),
        items=[(0, 1, 2)],
        relabel=(lambda values, first, unit: (values, first, 1 - unit), same),
        scale=((0,), multiplied),
        edges={
            "empty": "no pair has no sums to take the mean of",
            "one item": ((SCORES[:1], array(True), array(0)), DEFINED),
            "one group": ((SCORES, LABELS | True, LEVELS), DEFINED),
            "ties": ((SCORES.round(), LABELS, LEVELS), DEFINED),
            "constant": ((SCORES * 0 + 1, LABELS, LEVELS), DEFINED),
        },
        nan=(0,),
        about=0.05,
    ),
    Case(
        recombined_sums,
        (SCORES.reshape(5, 4, 1), np.ones((1, 5))),
        call=lambda values, members: moments(joined(recombined_sums(values, members, rng(), RESAMPLES))),
        items=[(0,)],
        relabel=NO_GROUPS,
        scale=((0,), multiplied),
        edges={
            "empty": ((np.zeros((0, 4, 1)), np.ones((1, 0))), DEFINED),
            "one item": ((SCORES[:4].reshape(1, 4, 1), np.ones((1, 1))), DEFINED),
            "one group": ((SCORES.reshape(20, 1, 1), np.ones((1, 20))), REFUSED),
            "ties": ((SCORES.reshape(5, 4, 1).round(), np.ones((1, 5))), DEFINED),
            "constant": ((np.ones((5, 4, 1)), np.ones((1, 5))), DEFINED),
        },
        nan=(0,),
        about=0.05,
    ),
    Case(
        permutation_p,
        (LABELS,),
        items=[(0,)],
        relabel=NO_GROUPS,
        scale="it counts hits",
        edges={
            "empty": ((np.zeros(0, bool),), DEFINED),
            "one item": ((LABELS[:1],), DEFINED),
            "one group": "it knows no groups",
            "ties": ((LABELS,), DEFINED),
            "constant": ((LABELS | True,), DEFINED),
        },
        nan=(0,),
    ),
]


WITHOUT = np.random.default_rng(3).normal(0.4, 0.05, 8)
SIZES = np.array([2, 2, 2, 2, 2, 2, 1, 1])
JACKKNIVES = [
    Case(
        group_jackknife,
        (0.4, WITHOUT, SIZES),
        call=lambda whole, left_out, sizes: group_jackknife(whole, left_out, sizes, "prompts"),
        items=[(1, 2)],
        relabel=(lambda whole, left_out, sizes: (-whole, -left_out, sizes), negated),
        scale=((0, 1), scaled),
        edges={
            "empty": ((0.4, EMPTY, NOBODY), UNDEFINED),
            "one item": ((0.4, WITHOUT[:1], SIZES[:1]), UNDEFINED),
            "one group": "its groups are of prompts",
            "ties": ((0.4, WITHOUT.round(1), SIZES), DEFINED),
            "constant": ((0.4, np.full(8, 0.4), SIZES), DEFINED),
        },
        nan=(0, 1),
    )
]

CASES = [*JACKKNIVES, *BOOTSTRAPS, *PERMUTATIONS]
