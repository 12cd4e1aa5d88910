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

from biasprint.core.metrics.agreement import random_consistency
from biasprint.core.metrics.associations import log_outliers
from biasprint.core.metrics.interactions import mixed_share
from biasprint.core.metrics.preference import Placed, adjusted_shares
from biasprint.core.metrics.ranking import NOBODY, Ballots, ranking

TIMES = np.random.default_rng(5).lognormal(2.3, 0.5, 24)

# Two texts in each of 40 comparisons, one of them chosen.
LENGTHS = np.random.default_rng(6).normal(5, 0.3, (40, 2))
CARDS = np.argsort(np.random.default_rng(7).random((40, 2)), axis=1)
PICKED = (np.random.default_rng(8).random(40) < 0.4).astype(np.int64)

# Forty best-of-three among four identities, by eight raters.
SHOWN = np.sort(np.argsort(np.random.default_rng(9).random((40, 4)), axis=1)[:, :3], axis=1)
BEST = SHOWN[np.arange(40), np.random.default_rng(10).integers(0, 3, 40)]
JUDGES = np.arange(40) % 8


def ranked(shown: np.ndarray, best: np.ndarray, rater: np.ndarray, block: np.ndarray) -> object:
    n = len(best)
    return ranking(Ballots(shown, best, np.full(n, NOBODY), np.ones(n), rater, block), 4, by_rater=True, resamples=50)


# Eight raters, ten comparisons each.
RATED = (np.random.default_rng(11).random(80) < 0.6).astype(np.float64)
RATERS, COMPARED = np.repeat(np.arange(8), 10), np.tile(np.arange(10), 8)

CASES = [
    Case(
        mixed_share,
        (RATED, RATERS, COMPARED),
        call=lambda chosen, rater, comparison: mixed_share(chosen, rater, comparison, 0.5),
        items=[(0, 1, 2)],
        relabel=(
            lambda chosen, rater, comparison: (1 - chosen, 7 - rater, comparison),
            lambda answer: (1 - answer[0], answer[1]),
        ),
        scale="choices have no unit of measurement",
        edges={
            "empty": ((EMPTY, RATERS[:0], RATERS[:0]), UNDEFINED),
            "one item": ((RATED[:1], RATERS[:1], COMPARED[:1]), UNDEFINED),
            "one group": ((RATED, RATERS * 0, np.arange(80)), UNDEFINED),
            "ties": ((RATED * 0 + 0.5, RATERS, COMPARED), UNDEFINED),
            "constant": ((RATED * 0, RATERS, COMPARED), UNDEFINED),
        },
        nan=(0,),
        about=1e-5,  # the largest likelihood is searched for
    ),
    Case(
        ranking,
        (SHOWN, BEST, JUDGES, np.arange(40)),
        call=ranked,
        # The interval is resampled by place: only the estimates keep to the order exactly.
        read=lambda found: None if found.identities is None else [one.strength for one in found.identities],
        items=[(0, 1, 2, 3)],
        relabel=(
            lambda shown, best, rater, block: (3 - shown, 3 - best, rater, block),
            lambda answer: answer[::-1],
        ),
        scale="counts have no unit of measurement",
        edges={
            "empty": ((SHOWN[:0], BEST[:0], JUDGES[:0], JUDGES[:0]), UNDEFINED),
            "one item": ((SHOWN[:1], BEST[:1], JUDGES[:1], JUDGES[:1]), UNDEFINED),
            "one group": ((SHOWN * 0, BEST * 0, JUDGES, JUDGES), UNDEFINED),
            "ties": ((SHOWN, np.full(40, NOBODY), JUDGES, np.arange(40)), DEFINED),
            "constant": ((SHOWN, SHOWN[:, 0], JUDGES, np.arange(40)), DEFINED),
        },
        nan=WHOLE,
    ),
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
    Case(
        adjusted_shares,
        (LENGTHS, CARDS, PICKED, np.arange(40)),
        call=lambda lengths, cards, picked, unit: adjusted_shares(Placed(lengths, cards, picked, (unit,))),
        read=lambda found: None if found.shares is None else (*found.shares, found.worth.effect),
        items=[(0, 1, 2, 3)],
        relabel=(
            lambda lengths, cards, picked, unit: (lengths[:, ::-1], cards[:, ::-1], 1 - picked, unit),
            lambda answer: (answer[1], answer[0], *answer[2:]),
        ),
        scale="a length e times as long is added in the logarithm, to all alike",
        edges={
            "empty": ((LENGTHS[:0], CARDS[:0], PICKED[:0], PICKED[:0]), UNDEFINED),
            "one item": ((LENGTHS[:1], CARDS[:1], PICKED[:1], PICKED[:1]), UNDEFINED),
            "one group": ((LENGTHS, CARDS, PICKED * 0, np.arange(40)), DEFINED),
            "ties": ((LENGTHS * 0, CARDS, PICKED, np.arange(40)), DEFINED),
            "constant": ((LENGTHS, CARDS * 0 + np.arange(2), PICKED, np.arange(40)), UNDEFINED),
        },
        nan=(0,),
        about=1e-6,
    ),
]
