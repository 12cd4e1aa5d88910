"""How many units an effect needs, and how small an effect so many show."""

import numpy as np
from metric_cases.case import (
    COUNTS,
    DEFINED,
    NO_GROUPS,
    NO_ITEMS,
    NONE,
    Case,
    array,
    columns_reversed,
    same,
    scaled,
)

from biasprint.core.metrics.power import (
    blocks_needed,
    choices_needed,
    detectable_affinity,
    detectable_difference,
    detectable_representative,
    exact_power,
    needed_n,
    within_sd,
)

DISTANCES = np.random.default_rng(2).uniform(0.1, 0.5, (12, 3))

POWER = [
    Case(
        within_sd,
        (DISTANCES[:, 0], DISTANCES[:7, 1]),
        call=lambda one, other: (within_sd(one, other),),
        items=((0,), (1,)),
        relabel=(lambda one, other: (other, one), same),
        scale=((0, 1), scaled),
        edges={
            "empty": ((array(), array()), DEFINED),
            "one item": ((array(0.2), array(0.3)), DEFINED),
            "one group": ((array(0.2, 0.3), array()), DEFINED),
            "ties": ((array(0.2, 0.2, 0.3), array(0.2, 0.2)), DEFINED),
            "constant": ((array(0.2, 0.2), array(0.3, 0.3)), DEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        detectable_affinity,
        (60, 3),
        items=NO_ITEMS,
        relabel=NO_GROUPS,
        scale=COUNTS,
        edges={
            "empty": ((0, 3), NONE),
            "one item": ((1, 3), NONE),
            "one group": ((60, 1), NONE),
            "ties": "it sees no data",
            "constant": "it sees no data",
        },
        nan="it sees no data",
    ),
    Case(
        choices_needed,
        (0.1, 3),
        items=NO_ITEMS,
        relabel=NO_GROUPS,
        scale=COUNTS,
        edges={
            "empty": ((0.0, 3), NONE),
            "one item": ((0.47, 3), DEFINED),
            "one group": ((0.1, 1), NONE),
            "ties": "it sees no data",
            "constant": "it sees no data",
        },
        nan=(0,),
    ),
    Case(
        exact_power,
        (20, array(0.55, 0.3, 0.15)),
        items=NO_ITEMS,
        relabel=(lambda n, shares: (n, shares[::-1]), same),
        scale=COUNTS,
        edges={
            "empty": ((0, array(0.5, 0.5)), NONE),
            "one item": ((1, array(0.5, 0.5)), DEFINED),
            "one group": ((20, array(1.0)), NONE),
            "ties": ((20, array(0.5, 0.5)), DEFINED),
            "constant": ((20, array(0.0, 1.0)), DEFINED),
        },
        nan=(1,),
    ),
    Case(
        detectable_difference,
        (2.0, 30),
        call=lambda sd, n: (detectable_difference(sd, n),),
        items=NO_ITEMS,
        relabel=NO_GROUPS,
        scale=((0,), scaled),
        edges={
            "empty": ((2.0, 0), NONE),
            "one item": ((2.0, 1), NONE),
            "one group": "one number is pairs",
            "ties": "it sees no data",
            "constant": ((0.0, 30), NONE),
        },
        nan=(0,),
    ),
    Case(
        needed_n,
        (0.5, 2.0),
        items=NO_ITEMS,
        relabel=(lambda effect, sd: (-effect, sd), same),
        scale=((0, 1), same),
        edges={
            "empty": ((0.0, 2.0), NONE),
            "one item": ((50.0, 2.0), DEFINED),
            "one group": "one number is pairs",
            "ties": "it sees no data",
            "constant": ((0.5, 0.0), NONE),
        },
        nan=(0, 1),
    ),
    Case(
        detectable_representative,
        (DISTANCES,),
        call=lambda distances: (detectable_representative(distances),),
        items=[(0,)],
        relabel=(columns_reversed, same),
        scale=((0,), scaled),
        edges={
            "empty": ((DISTANCES[:0],), NONE),
            "one item": ((DISTANCES[:1],), NONE),
            "one group": ((DISTANCES[:, :1],), NONE),
            "ties": ((DISTANCES.round(1),), DEFINED),
            "constant": ((DISTANCES * 0,), NONE),
        },
        nan=(0,),
    ),
    Case(
        blocks_needed,
        (DISTANCES, 0.05),
        items=[(0,)],
        relabel=(columns_reversed, same),
        scale=((0, 1), same),
        edges={
            "empty": ((DISTANCES[:0], 0.05), NONE),
            "one item": ((DISTANCES[:1], 0.05), NONE),
            "one group": ((DISTANCES[:, :1], 0.05), NONE),
            "ties": ((DISTANCES.round(1), 0.05), DEFINED),
            "constant": ((DISTANCES * 0, 0.05), NONE),
        },
        nan=(0, 1),
    ),
]

CASES = POWER
