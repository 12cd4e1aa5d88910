"""Effects and interactions of two crossed factors."""

import numpy as np
from metric_cases.case import COUNTS, DEFINED, EMPTY, NOBODY, UNDEFINED, Case, inverted, negated, scaled

from biasprint.core.metrics.interactions import crossed_means, crossed_odds

DRAWN = np.random.default_rng(9)
TEXTS = 48
CELL, BLOCK = np.tile(np.arange(4), TEXTS // 4), np.repeat(np.arange(TEXTS // 4), 4)
VALUES = DRAWN.normal(size=TEXTS)
TOTALS = np.full(TEXTS, 200)
COUNTED = DRAWN.binomial(200, 0.06, TEXTS)
WEIGHTS = np.array([1.0, -1.0, -1.0, 1.0])


def flipped(*args: np.ndarray) -> tuple[np.ndarray, ...]:
    """The levels of the second factor renamed."""
    *columns, cell, clusters = args
    return (*columns, cell ^ 1, clusters)


def means(*args: np.ndarray) -> object:
    return crossed_means(*args, WEIGHTS)


def odds(*args: np.ndarray) -> object:
    return crossed_odds(*args, WEIGHTS)


CASES = [
    Case(
        crossed_means,
        (VALUES, CELL, BLOCK),
        call=means,
        items=[(0, 1, 2)],
        relabel=(flipped, negated),
        scale=((0,), scaled),
        edges={
            "empty": ((EMPTY, NOBODY, NOBODY), UNDEFINED),
            "one item": ((VALUES[:1], CELL[:1], BLOCK[:1]), UNDEFINED),
            "one group": ((VALUES, CELL * 0, BLOCK), UNDEFINED),
            "ties": ((np.round(VALUES), CELL, BLOCK), DEFINED),
            "constant": ((VALUES * 0 + 2, CELL, BLOCK), UNDEFINED),
        },
        nan=(0,),
    ),
    Case(
        crossed_odds,
        (COUNTED, TOTALS, CELL, BLOCK),
        call=odds,
        items=[(0, 1, 2, 3)],
        relabel=(flipped, inverted),
        scale=COUNTS,
        edges={
            "empty": ((EMPTY, EMPTY, NOBODY, NOBODY), UNDEFINED),
            "one item": ((COUNTED[:1], TOTALS[:1], CELL[:1], BLOCK[:1]), UNDEFINED),
            "one group": ((COUNTED, TOTALS, CELL * 0, BLOCK), UNDEFINED),
            "ties": ((COUNTED * 0 + 9, TOTALS, CELL, BLOCK), UNDEFINED),
            "constant": ((COUNTED * 0, TOTALS, CELL, BLOCK), UNDEFINED),
        },
        nan=(0, 1),
    ),
]
