"""How people judge: their times, and what chance makes of answers given twice."""

import numpy as np
from metric_cases.case import (
    DEFINED,
    EMPTY,
    NO_GROUPS,
    NO_ITEMS,
    NONE,
    REFUSED,
    UNDEFINED,
    WHOLE,
    Case,
    array,
    same,
    scaled,
)

from core.metrics.agreement import random_consistency
from core.metrics.ranks import log_outliers

TIMES = np.random.default_rng(5).lognormal(2.3, 0.5, 24)

CASES = [
    Case(
        log_outliers,
        (TIMES,),
        read=lambda found: (found.median, *sorted(found.scores)),
        items=[(0,)],
        relabel=NO_GROUPS,
        scale=((0,), scaled),
        edges={
            "empty": ((EMPTY,), UNDEFINED),
            "one item": ((array(8.0),), UNDEFINED),
            "one group": ((TIMES,), DEFINED),
            "ties": ((np.repeat([8.0, 9.0, 10.0], 5),), DEFINED),
            "constant": ((np.full(12, 8.0),), UNDEFINED),
        },
        nan=(0,),
    ),
    Case(
        random_consistency,
        (12, (3, 5), 3),
        items=NO_ITEMS,
        relabel=(lambda choices, others, cards: (choices, others[::-1], cards), same),
        scale="counts have no unit of measurement",
        edges={
            "empty": ((0, (0, 0), 3), NONE),
            "one item": ((1, (), 3), DEFINED),
            "one group": ((12, (), 1), REFUSED),
            "ties": ((4, (4, 4), 2), DEFINED),
            "constant": ((12, (0, 0), 3), DEFINED),
        },
        nan=WHOLE,
    ),
]
