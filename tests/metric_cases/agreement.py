"""Measures of agreement between raters."""

import numpy as np
from metric_cases.case import (
    COUNTS,
    DEFINED,
    UNDEFINED,
    WHOLE,
    Case,
    array,
    columns_reversed,
    same,
)

from biasprint.core.metrics.agreement import (
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    mean_cohen_kappa,
    raw_agreement,
)

JUDGED = np.random.default_rng(8).multinomial(3, (0.4, 0.35, 0.25), size=30)
RATED = np.random.default_rng(9).integers(0, 3, (30, 3))
NOT_RATED = np.full((4, 3), -1)

AGREEMENT = [
    Case(
        measure,
        (JUDGED,),
        read=lambda found: (found.value,),
        items=[(0,)],
        relabel=(columns_reversed, same),
        scale=COUNTS,
        edges={
            "empty": ((np.zeros((0, 3), int),), UNDEFINED),
            "one item": ((array([2, 1, 0]).reshape(1, 3),), DEFINED),
            "one group": ((array([3], [3]),), one_group),
            "ties": ((np.ones((12, 3), int),), DEFINED),
            "constant": ((np.tile([3, 0, 0], (12, 1)),), constant),
        },
        nan=WHOLE,
    )
    for measure, one_group, constant in (
        (fleiss_kappa, UNDEFINED, UNDEFINED),
        (krippendorff_alpha, UNDEFINED, UNDEFINED),
        (gwet_ac1, UNDEFINED, DEFINED),
        (raw_agreement, DEFINED, DEFINED),
    )
] + [
    Case(
        measure,
        (ratings, 3),
        read=lambda found: (found.value,),
        items=[(0,)],
        relabel=(lambda rated, k: (rated[:, ::-1], k), same),
        scale=COUNTS,
        edges={
            "empty": ((NOT_RATED[:, : ratings.shape[1]], 3), UNDEFINED),
            "one item": ((array([0, 1]).reshape(1, 2), 3), DEFINED),
            "one group": ((np.zeros((12, 2), int), 1), UNDEFINED),
            "ties": ((np.tile([0, 1], (12, 1)), 3), DEFINED),
            "constant": ((np.ones((12, 2), int), 3), UNDEFINED),
        },
        nan=WHOLE,
    )
    for measure, ratings in ((cohen_kappa, RATED[:, :2]), (mean_cohen_kappa, RATED))
]

CASES = AGREEMENT
