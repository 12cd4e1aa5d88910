"""Differences of means and proportions, intervals of means, equivalence, adjusted p values."""

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
    UNDEFINED,
    Case,
    array,
    inverted,
    multiplied,
    negated,
    same,
    scaled,
    swapped,
)

from biasprint.core.metrics.means import (
    base_rate_equivalence,
    clustered_mean,
    equivalence,
    levels_drawn_interval,
    mean_difference,
    mean_interval,
    one_sample_mean,
    paired_difference,
    two_sample_difference,
    worth_mean,
)
from biasprint.core.metrics.preference import arm_effect, difference_of_effects
from biasprint.core.metrics.proportions import (
    clustered_proportion,
    paired_proportions,
    rate_ratio,
    two_proportions,
    wilson,
)
from biasprint.core.metrics.result import benjamini_hochberg, holm

A, B = array(0.4, 1.3, 2.2, 0.9, 3.1, 1.8), array(0.1, 1.6, 1.1, 0.7, 2.0, 1.9)
ONE, FLAT, TIED = array(1.5), array(2.0, 2.0, 2.0), array(1.0, 1.0, 2.0, 2.0)
YES, NO = array(True, True, False, True, False, False), array(False, True, False, False, True, False)
IN_CLUSTERS = array(0, 0, 1, 1, 2, 3)
ONE_GROUP_ONLY = "it has one group"

MEANS = [
    Case(
        paired_difference,
        (A, B),
        items=[(0, 1)],
        relabel=(swapped, negated),
        scale=((0, 1), scaled),
        edges={
            "empty": ((EMPTY, EMPTY), UNDEFINED),
            "one item": ((ONE, ONE), UNDEFINED),
            "one group": ((A, EMPTY), REFUSED),
            "ties": ((TIED, TIED[::-1]), DEFINED),
            "constant": ((FLAT, FLAT + 1), DEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        two_sample_difference,
        (A, B),
        items=[(0,), (1,)],
        relabel=(swapped, negated),
        scale=((0, 1), scaled),
        edges={
            "empty": ((EMPTY, EMPTY), UNDEFINED),
            "one item": ((ONE, B), UNDEFINED),
            "one group": ((A, EMPTY), UNDEFINED),
            "ties": ((TIED, TIED), DEFINED),
            "constant": ((FLAT, FLAT + 1), DEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        one_sample_mean,
        (A,),
        items=[(0,)],
        relabel=NO_GROUPS,
        scale=((0,), scaled),
        edges={
            "empty": ((EMPTY,), UNDEFINED),
            "one item": ((ONE,), UNDEFINED),
            "one group": ONE_GROUP_ONLY,
            "ties": ((TIED,), DEFINED),
            "constant": ((FLAT,), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        clustered_mean,
        (A, IN_CLUSTERS),
        items=[(0, 1)],
        relabel=(lambda values, clusters: (values, 9 - clusters), same),
        scale=((0,), scaled),
        edges={
            "empty": ((EMPTY, NOBODY), UNDEFINED),
            "one item": ((ONE, array(0)), UNDEFINED),
            "one group": ((A, np.zeros(6, int)), UNDEFINED),
            "ties": ((TIED, array(0, 0, 1, 2)), DEFINED),
            "constant": ((FLAT, array(0, 0, 1)), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        mean_difference,
        (A, B, A + B),
        call=lambda *samples: mean_difference(samples),
        read=lambda result: (result.statistic, result.p),
        items=[(0,), (1,), (2,)],
        relabel=(swapped, same),
        scale=((0, 1, 2), same),
        edges={
            "empty": ((EMPTY, EMPTY), UNDEFINED),
            "one item": ((ONE, B), UNDEFINED),
            "one group": ((A,), UNDEFINED),
            "ties": ((TIED, TIED, TIED), DEFINED),
            "constant": ((FLAT, FLAT), UNDEFINED),
        },
        nan=(0, 1, 2),
    ),
    Case(
        mean_interval,
        (A,),
        read=lambda result: result.bounds and (result.bounds.low, result.bounds.high),
        items=[(0,)],
        relabel=NO_GROUPS,
        scale=((0,), multiplied),
        edges={
            "empty": ((EMPTY,), UNDEFINED),
            "one item": ((ONE,), UNDEFINED),
            "one group": ONE_GROUP_ONLY,
            "ties": ((TIED,), DEFINED),
            "constant": ((FLAT,), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        levels_drawn_interval,
        (1.5, 0.4, A),
        read=lambda result: result.bounds and (result.bounds.low, result.bounds.high),
        items=[(2,)],
        relabel=NO_GROUPS,
        scale=((0, 1, 2), multiplied),
        edges={
            "empty": ((1.5, 0.4, EMPTY), UNDEFINED),
            "one item": ((1.5, 0.4, ONE), UNDEFINED),
            "one group": ONE_GROUP_ONLY,
            "ties": ((1.5, 0.4, TIED), DEFINED),
            "constant": ((1.5, 0.4, FLAT), DEFINED),
        },
        nan=(2,),
    ),
    Case(
        base_rate_equivalence,
        (A - A.min() + 1, B - B.min() + 1, 0.5),
        read=lambda result: (result.p,),
        items=[(0,), (1,)],
        relabel=(lambda one, other, part: (other, one, part), same),
        scale=((0, 1), same),
        edges={
            "empty": ((EMPTY, EMPTY, 0.5), UNDEFINED),
            "one item": ((ONE, ONE, 0.5), UNDEFINED),
            "one group": ((A, EMPTY, 0.5), UNDEFINED),
            "ties": ((TIED, TIED, 0.5), DEFINED),
            "constant": ((FLAT, FLAT, 0.5), UNDEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        equivalence,
        (A - B, 1.0),
        read=lambda result: (result.p,),
        items=[(0,)],
        relabel=(lambda differences, margin: (-differences, margin), same),
        scale=((0, 1), same),
        edges={
            "empty": ((EMPTY, 1.0), UNDEFINED),
            "one item": ((ONE, 1.0), UNDEFINED),
            "one group": (((A, EMPTY), 1.0), UNDEFINED),
            "ties": ((TIED, 1.0), DEFINED),
            "constant": ((FLAT, 1.0), UNDEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        worth_mean,
        (A, np.ones(len(A)), np.arange(len(A)) // 2, np.arange(len(A)) % 2),
        items=[(0, 1, 2, 3)],
        relabel=(lambda values, sizes, person, unit: (values, sizes, 9 - person, 3 - unit), same),
        scale=((0,), scaled),
        edges={
            "empty": ((EMPTY, EMPTY, NOBODY, NOBODY), UNDEFINED),
            "one item": ((ONE, ONE, array(0), array(0)), UNDEFINED),
            "one group": ((TIED, TIED, np.zeros(4, int), np.arange(4)), DEFINED),
            "ties": ((TIED, TIED, np.arange(4) // 2, np.arange(4) % 2), DEFINED),
            "constant": ((FLAT, FLAT, np.arange(3), np.arange(3)), DEFINED),
        },
        nan=(0, 1),
    ),
]

PROPORTIONS = [
    Case(
        paired_proportions,
        (YES, NO),
        items=[(0, 1)],
        relabel=(swapped, negated),
        scale=COUNTS,
        edges={
            "empty": ((EMPTY, EMPTY), UNDEFINED),
            "one item": ((YES[:1], NO[:1]), DEFINED),
            "one group": ((YES, EMPTY), REFUSED),
            "ties": ((YES, YES), DEFINED),
            "constant": ((YES | True, NO | True), DEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        two_proportions,
        (7, 20, 3, 25),
        items=NO_ITEMS,
        relabel=(lambda x, n, y, m: (y, m, x, n), negated),
        scale=COUNTS,
        edges={
            "empty": ((0, 0, 0, 0), UNDEFINED),
            "one item": ((1, 1, 0, 1), DEFINED),
            "one group": ((4, 9, 0, 0), UNDEFINED),
            "ties": ((5, 10, 5, 10), DEFINED),
            "constant": ((8, 8, 9, 9), UNDEFINED),
        },
        nan=(0, 1, 2, 3),
    ),
    Case(
        clustered_proportion,
        (YES, IN_CLUSTERS),
        items=[(0, 1)],
        relabel=(lambda yes, clusters: (yes, 9 - clusters), same),
        scale=COUNTS,
        edges={
            "empty": ((EMPTY, NOBODY), NONE),
            "one item": ((YES[:1], array(0)), DEFINED),
            "one group": ((YES, np.zeros(6, int)), DEFINED),
            "ties": ((YES, np.arange(6)), DEFINED),
            "constant": ((YES | True, IN_CLUSTERS), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        rate_ratio,
        (12, 40, 20, 38),
        items=NO_ITEMS,
        relabel=(lambda x, n, y, m: (y, m, x, n), inverted),
        read=lambda found: (found.value,),
        scale=COUNTS,
        edges={
            "empty": ((0, 0, 0, 0), UNDEFINED),
            "one item": ((1, 1, 1, 1), DEFINED),
            "one group": ((3, 9, 0, 0), UNDEFINED),
            "ties": ((5, 10, 5, 10), DEFINED),
            "constant": ((9, 9, 9, 9), DEFINED),
        },
        nan=(0, 1, 2, 3),
    ),
    Case(
        wilson,
        (7, 20),
        read=lambda bounds: (bounds.low, bounds.high),
        items=NO_ITEMS,
        relabel=(lambda x, n: (n - x, n), lambda bounds: (1 - bounds[1], 1 - bounds[0])),
        scale=COUNTS,
        edges={
            "empty": ((0, 0), NONE),
            "one item": ((1, 1), DEFINED),
            "one group": ONE_GROUP_ONLY,
            "ties": ((5, 10), DEFINED),
            "constant": ((9, 9), DEFINED),
        },
        nan=(0, 1),
    ),
]

ADJUSTED = [
    Case(
        adjust,
        ([0.01, 0.2, None, 0.04, 0.04],),
        items="their order is the order of the answers",
        relabel=(lambda p: (p[::-1],), lambda adjusted: adjusted[::-1]),
        scale="p values have no unit",
        edges={
            "empty": (([],), DEFINED),
            "one item": (([0.3],), DEFINED),
            "one group": (([None],), NONE),
            "ties": (([0.2, 0.2],), DEFINED),
            "constant": (([1.0, 1.0, 1.0],), DEFINED),
        },
        nan=(0,),
    )
    for adjust in (holm, benjamini_hochberg)
]

SHARES, TREATED = array(1.0, 0.0, 0.5, 1.0, 0.0, 0.0), array(True, True, False, True, False, False)
ONE_EFFECT, OTHER_EFFECT = (arm_effect(SHARES, treated, IN_CLUSTERS) for treated in (TREATED, ~TREATED))

ARMS = [
    Case(
        arm_effect,
        (SHARES, TREATED, IN_CLUSTERS),
        read=lambda found: None if found is None else (found.value, found.difference.p),
        items=[(0, 1, 2)],
        relabel=(
            lambda values, treated, clusters: (values, ~treated, 9 - clusters),
            lambda answer: (-answer[0], answer[1]),
        ),
        scale=COUNTS,
        edges={
            "empty": ((EMPTY, EMPTY.astype(bool), NOBODY), NONE),
            "one item": ((SHARES[:1], TREATED[:1], array(0)), NONE),
            "one group": ((SHARES, TREATED | True, IN_CLUSTERS), NONE),
            "ties": ((SHARES, TREATED, np.arange(6)), DEFINED),
            "constant": ((np.ones(6), TREATED, IN_CLUSTERS), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        difference_of_effects,
        (ONE_EFFECT, OTHER_EFFECT),
        read=lambda found: (found.value, found.difference.p),
        items=NO_ITEMS,
        relabel=(lambda one, other: (other, one), lambda answer: (-answer[0], answer[1])),
        scale=COUNTS,
        edges={
            "empty": "of effects that there are",
            "one item": "of effects that there are",
            "one group": "of effects that there are",
            "ties": ((ONE_EFFECT, ONE_EFFECT), DEFINED),
            "constant": ((ONE_EFFECT, ONE_EFFECT), DEFINED),
        },
        nan="effects hold no NaN",
    ),
]

CASES = [*MEANS, *PROPORTIONS, *ADJUSTED, *ARMS]
