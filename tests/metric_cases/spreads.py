"""ABS with its floor and interval; shares of choices."""

import numpy as np
from metric_cases.case import (
    COUNTS,
    DEFINED,
    NO_GROUPS,
    NO_ITEMS,
    REFUSED,
    UNDEFINED,
    WHOLE,
    Case,
    array,
    bounds_of,
    columns_reversed,
    rng,
    same,
    scaled,
)

from biasprint.core.metrics.affinity import affinity_floor, affinity_interval, affinity_score, exact_floor, worth_floor
from biasprint.core.metrics.grouped import above_median, impact_ratios, spread_of_groups
from biasprint.core.metrics.proportions import clustered_share, design_effect, equal_chances, share, worth_share
from biasprint.core.metrics.resampling import Worth, worth_of_choices

CHOSEN = array(9, 4, 5)
# Two or three raters of each comparison, three identities.
JUDGED = array([2, 1, 0], [3, 0, 0], [1, 1, 0], [0, 2, 1], [2, 0, 1], [1, 2, 0])

# One choice of three people in each of two or three comparisons, two identities.
ONE_EACH = array([1, 0], [1, 0], [0, 1], [1, 0], [0, 1], [0, 1], [1, 0])


ABS = [
    Case(
        affinity_score,
        (CHOSEN,),
        read=lambda score: (score.value, score.normalised),
        items=NO_ITEMS,
        relabel=(lambda chosen: (chosen[::-1],), same),
        scale=COUNTS,
        edges={
            "empty": ((array(0, 0, 0),), UNDEFINED),
            "one item": ((array(1, 0, 0),), DEFINED),
            "one group": ((array(7),), UNDEFINED),
            "ties": ((array(4, 4, 4),), DEFINED),
            "constant": ((array(0, 9, 0),), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        affinity_interval,
        (CHOSEN,),
        read=bounds_of,
        items=NO_ITEMS,
        relabel=(lambda chosen: (chosen[::-1],), same),
        scale=COUNTS,
        edges={
            "empty": ((array(0, 0, 0),), UNDEFINED),
            "one item": ((array(1, 0, 0),), DEFINED),
            "one group": ((array(7),), UNDEFINED),
            "ties": ((array(4, 4, 4),), DEFINED),
            "constant": ((array(0, 9, 0),), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        affinity_floor,
        (JUDGED,),
        call=lambda counts: affinity_floor(counts, rng(), 4000),
        read=lambda floor: (floor.mean, floor.p95, floor.p),
        items=[(0,)],
        relabel=(columns_reversed, same),
        scale=COUNTS,
        edges={
            "empty": ((np.zeros((0, 3), int),), REFUSED),
            "one item": ((array([1, 0, 0]),), DEFINED),
            "one group": ((array([2], [1]),), REFUSED),
            "ties": ((array([1, 1, 1], [1, 1, 1]),), DEFINED),
            "constant": ((array([3, 0, 0], [3, 0, 0]),), DEFINED),
        },
        nan=WHOLE,
        about=0.05,
    ),
    Case(
        spread_of_groups,
        (array([0.2, 0.5, 0.1], [0.4, 0.6, 0.2], [0.1, 0.7, 0.3], [0.3, 0.4, 0.0]),),
        call=lambda values: spread_of_groups(values, rng(), resamples=400),
        read=lambda spread: (spread.value, spread.floor and spread.floor.p),
        items=[(0,)],
        relabel=(columns_reversed, same),
        scale=((0,), scaled),
        edges={
            "empty": ((np.zeros((0, 3)),), UNDEFINED),
            "one item": ((array([0.2, 0.5, 0.1]),), UNDEFINED),
            "one group": ((array([0.2], [0.5]),), UNDEFINED),
            "ties": ((array([0.2, 0.2], [0.2, 0.2]),), DEFINED),
            "constant": ((array([0.1, 0.4], [0.1, 0.4]),), DEFINED),
        },
        nan=(0,),
        about=0.05,
    ),
    Case(
        worth_floor,
        (array(0.5, 0.3, 0.2), 40, Worth(2.0, 6.0)),
        read=lambda floor: (floor.mean, floor.p95, floor.p),
        items=NO_ITEMS,
        relabel=(lambda shares, n, worth: (shares[::-1], n, worth), same),
        scale=COUNTS,
        edges={
            "empty": "there is no share of no choices",
            "one item": ((array(1.0, 0.0, 0.0), 1, Worth()), DEFINED),
            "one group": "there is no spread of one share",
            "ties": ((array(1 / 3, 1 / 3, 1 / 3), 9, Worth(1.0, 4.0)), DEFINED),
            "constant": ((array(0.0, 1.0), 30, Worth(5.0, 3.0)), DEFINED),
        },
        nan="shares come from counts",
    ),
    Case(
        exact_floor,
        (8, 3, 0.2),
        read=lambda floor: (floor.mean, floor.p95, floor.p),
        items=NO_ITEMS,
        relabel=NO_GROUPS,
        scale=COUNTS,
        edges={
            "empty": ((0, 3, 0.0), REFUSED),
            "one item": ((1, 3, 0.47), DEFINED),
            "one group": ((5, 1, 0.0), REFUSED),
            "ties": ((6, 3, 0.0), DEFINED),
            "constant": ((6, 2, 0.5), DEFINED),
        },
        nan=(2,),
    ),
    Case(
        design_effect,
        (JUDGED,),
        items=[(0,)],
        relabel=(columns_reversed, same),
        scale=COUNTS,
        edges={
            "empty": ((np.zeros((0, 3), int),), DEFINED),
            "one item": ((array([2, 1, 0]),), DEFINED),
            "one group": ((array([2], [1]),), DEFINED),
            "ties": ((array([1, 1, 1], [1, 1, 1]),), DEFINED),
            "constant": ((array([3, 0, 0], [3, 0, 0]),), DEFINED),
        },
        nan=WHOLE,
    ),
    Case(
        equal_chances,
        (CHOSEN,),
        read=lambda test: (test.statistic, test.p),
        items=NO_ITEMS,
        relabel=(lambda chosen: (chosen[::-1],), same),
        scale=COUNTS,
        edges={
            "empty": ((array(0, 0, 0),), UNDEFINED),
            "one item": ((array(1, 0, 0),), DEFINED),
            "one group": ((array(7),), UNDEFINED),
            "ties": ((array(4, 4, 4),), DEFINED),
            "constant": ((array(0, 9, 0),), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        share,
        (9, 18, 1 / 3),
        items=NO_ITEMS,
        relabel=(lambda x, n, chance: (n - x, n, 1 - chance), lambda answer: (1 - answer[0], answer[1])),
        scale=COUNTS,
        edges={
            "empty": ((0, 0, 0.5), REFUSED),
            "one item": ((1, 1, 0.5), DEFINED),
            "one group": ((4, 4, 1.0), DEFINED),
            "ties": ((5, 10, 0.5), DEFINED),
            "constant": ((9, 9, 0.5), DEFINED),
        },
        nan=(0, 1, 2),
    ),
    Case(
        worth_share,
        (14, 20, 0.5, Worth(1.5, 5.0)),
        read=lambda found: (found.value, found.p),
        items=NO_ITEMS,
        relabel=(
            lambda chosen, n, chance, worth: (n - chosen, n, chance, worth),
            lambda found: (1 - found[0], found[1]),
        ),
        scale=COUNTS,
        edges={
            "empty": ((0, 0, 0.5, Worth()), REFUSED),
            "one item": ((1, 1, 0.5, Worth()), DEFINED),
            "one group": "it is one share already",
            "ties": ((5, 10, 0.5, Worth(1.0, 3.0)), DEFINED),
            "constant": ((10, 10, 0.5, Worth(2.0)), DEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        worth_of_choices,
        (ONE_EACH, array(0, 0, 1, 1, 2, 2, 2), array(0, 1, 0, 1, 0, 1, 2)),
        # Its degrees of freedom are infinite where nothing goes together.
        call=lambda counts, *groupings: worth_of_choices(counts, *groupings).effect,
        items=[(0, 1, 2)],
        relabel=(lambda counts, person, unit: (counts[:, ::-1], 7 - person, 3 - unit), same),
        scale=COUNTS,
        edges={
            "empty": ((np.zeros((0, 2), int), array(0)[:0], array(0)[:0]), REFUSED),
            "one item": ((array([1, 0]), array(0), array(0)), DEFINED),
            "one group": ((array([1, 0], [0, 1], [1, 0]), array(0, 0, 0), array(0, 1, 1)), DEFINED),
            "ties": ((array([1, 0], [0, 1], [1, 0], [0, 1]), array(0, 0, 1, 1), array(0, 1, 0, 1)), DEFINED),
            "constant": ((array([1, 0], [1, 0], [1, 0]), array(0, 0, 1), array(0, 1, 1)), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        clustered_share,
        (9, 18, 1 / 3, 1.4, array(4, 6, 9, 5, 7)),
        items=[(4,)],
        relabel=(
            lambda x, n, chance, effect, null: (n - x, n, 1 - chance, effect, n - null),
            lambda answer: (1 - answer[0], answer[1]),
        ),
        scale=COUNTS,
        edges={
            "empty": ((0, 0, 0.5, 1.0, array(0)), REFUSED),
            "one item": ((1, 1, 0.5, 1.0, array(0, 1)), DEFINED),
            "one group": ((4, 4, 1.0, 2.0, array(4)), DEFINED),
            "ties": ((5, 10, 0.5, 2.0, array(5, 5)), DEFINED),
            "constant": ((9, 9, 0.5, 3.0, array(9, 0)), DEFINED),
        },
        nan=(0, 1, 2, 3),
    ),
]

# Two columns crossed: women and men of two origins, some of whom are not known.
CHOSEN_PEOPLE = array(True, False, True, True, False, False, True, False, True, True)
PEOPLE = array(
    ("woman", "a"), ("woman", "a"), ("man", "a"), ("man", "a"), ("woman", "b"), ("woman", "b"), ("man", "b"),
    ("man", "b"), ("", "b"), ("man", ""),
)  # fmt: skip
PERSON = array(("woman", "a"))

IMPACT = [
    Case(
        impact_ratios,
        (CHOSEN_PEOPLE, PEOPLE),
        read=lambda found: sorted((rate.n, rate.rate, rate.ratio.value) for rate in found.rates),
        items=[(0, 1)],
        relabel=(lambda chosen, people: (chosen, np.char.replace(people, "woman", "zoe")), same),
        scale=COUNTS,
        edges={
            "empty": ((CHOSEN_PEOPLE[:0], PEOPLE[:0]), DEFINED),
            "one item": ((array(True), PERSON), DEFINED),
            "one group": ((array(True, False), np.repeat(PERSON, 2, axis=0)), DEFINED),
            "ties": ((array(True, False, True, False), PEOPLE[:4]), DEFINED),
            "constant": ((array(False, False, False), PEOPLE[:3]), UNDEFINED),
        },
        nan="it takes truth values and names",
    ),
    Case(
        above_median,
        (array(1.0, 4.0, 2.0, 8.0, 5.0),),
        read=lambda above: int(above.sum()),
        items=[(0,)],
        relabel=NO_GROUPS,
        scale=((0,), same),
        edges={
            "empty": ((array(),), DEFINED),
            "one item": ((array(3.0),), DEFINED),
            "one group": NO_GROUPS,
            "ties": ((array(2.0, 2.0, 3.0),), DEFINED),
            "constant": ((array(2.0, 2.0),), DEFINED),
        },
        nan=(0,),
    ),
]

CASES = [*ABS, *IMPACT]
