"""Odds ratios and their changes."""

import numpy as np
from metric_cases.case import (
    COUNTS,
    DEFINED,
    NO_ITEMS,
    REFUSED,
    UNDEFINED,
    Args,
    Case,
    inverted,
)

from biasprint.core.metrics.clusters import Clusters
from biasprint.core.metrics.odds import (
    OddsRatio,
    clustered_odds_ratios,
    odds_ratio_changes,
    published_odds_ratio,
    sample_odds_ratio,
    telling_log_odds,
)
from biasprint.core.metrics.result import Bounds, MaybeBounds

DRAWN = np.random.default_rng(6)
LETTERS = 24
MATCHES, TOKENS = DRAWN.binomial(250, 0.05, (LETTERS, 1)), np.full(LETTERS, 250)
HERE, THERE = np.array([30.0, 10.0, 4.0]), np.array([20.0, 60.0, 7.0])
TREATED = DRAWN.binomial(250, 0.05, (LETTERS, 1))
FIRST, BLOCK = np.tile([True, False], LETTERS // 2), np.repeat(np.arange(LETTERS // 2), 2)


def clustered(counts: np.ndarray, tokens: np.ndarray, first: np.ndarray, block: np.ndarray) -> OddsRatio:
    blocks = [str(each) for each in block]
    return clustered_odds_ratios(counts, tokens, Clusters.of(np.asarray(first, dtype=bool), blocks))[0]


def change(*args: np.ndarray) -> object:
    return odds_ratio_changes(*args)[0]


def four(x: float, n: float, y: float, m: float) -> Args:
    return (y, m, x, n)


def value(result: OddsRatio) -> tuple[float | None]:
    return (result.value,)


def bounds(result: OddsRatio) -> tuple[float | None, ...]:
    found = result.interval.bounds
    return (found.low, found.high) if found else (None,)


NARROW = OddsRatio(1.6, "", MaybeBounds(Bounds(1.5, 1.7, "bootstrap")))
WITHOUT = OddsRatio(None, "expected count 2.0 is below 5", MaybeBounds(None, "no estimate"))

RATIOS = [
    Case(
        published_odds_ratio,
        (12.0, 400.0, 8.0, 410.0),
        read=value,
        items=NO_ITEMS,
        relabel=(four, inverted),
        scale=COUNTS,
        edges={
            "empty": ((0.0, 0.0, 0.0, 0.0), DEFINED),
            "one item": ((1.0, 1.0, 0.0, 1.0), DEFINED),
            "one group": ((3.0, 90.0, 0.0, 0.0), DEFINED),
            "ties": ((9.0, 90.0, 9.0, 90.0), DEFINED),
            "constant": ((90.0, 90.0, 90.0, 90.0), DEFINED),
        },
        nan=(0, 1, 2, 3),
    ),
    Case(
        sample_odds_ratio,
        (12, 400, 8, 410),
        read=value,
        items=NO_ITEMS,
        relabel=(four, inverted),
        scale=COUNTS,
        edges={
            "empty": ((0, 0, 0, 0), UNDEFINED),
            "one item": ((1, 1, 0, 1), UNDEFINED),
            "one group": ((3, 90, 0, 0), UNDEFINED),
            "ties": ((9, 90, 9, 90), DEFINED),
            "constant": ((90, 90, 90, 90), UNDEFINED),
        },
        nan=(0, 1, 2, 3),
    ),
    Case(
        clustered_odds_ratios,
        (MATCHES, TOKENS, FIRST, BLOCK),
        call=clustered,
        items=[(0, 1, 2, 3)],
        relabel=(lambda counts, tokens, first, block: (counts, tokens, ~first, block), inverted),
        scale=COUNTS,
        edges={
            "empty": ((MATCHES[:0], TOKENS[:0], FIRST[:0], BLOCK[:0]), UNDEFINED),
            "one item": ((MATCHES[:1], TOKENS[:1], FIRST[:1], BLOCK[:1]), UNDEFINED),
            "one group": ((MATCHES, TOKENS, FIRST | True, BLOCK), UNDEFINED),
            "ties": ((MATCHES * 0 + 9, TOKENS, FIRST, BLOCK), DEFINED),
            "constant": ((MATCHES * 0, TOKENS, FIRST, BLOCK), UNDEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        odds_ratio_changes,
        (MATCHES, TOKENS, TREATED, TOKENS, FIRST, BLOCK),
        call=change,
        items=[(0, 1, 2, 3, 4, 5)],
        relabel=(lambda *args: (*args[:4], ~args[4], args[5]), inverted),
        scale=COUNTS,
        edges={
            "empty": (
                (MATCHES[:0], TOKENS[:0], TREATED[:0], TOKENS[:0], FIRST[:0], BLOCK[:0]),
                UNDEFINED,
            ),
            "one item": ((MATCHES[:1], TOKENS[:1], TREATED[:1], TOKENS[:1], FIRST[:1], BLOCK[:1]), UNDEFINED),
            "one group": ((MATCHES, TOKENS, TREATED, TOKENS, FIRST | True, BLOCK), UNDEFINED),
            "ties": ((MATCHES, TOKENS, MATCHES, TOKENS, FIRST, BLOCK), UNDEFINED),
            "constant": ((MATCHES * 0, TOKENS, MATCHES * 0, TOKENS, FIRST, BLOCK), UNDEFINED),
        },
        nan=(0, 1, 2, 3),
    ),
    Case(
        telling_log_odds,
        (HERE, THERE),
        read=lambda found: found,
        items="the answer is one per word, in the order of the words",
        relabel=(lambda here, there: (there, here), lambda found: tuple(-part for part in found)),
        scale="more words make the same shares tell more",
        edges={
            "empty": ((HERE[:0], THERE[:0]), REFUSED),
            "one item": ((HERE[:1], THERE[:1]), DEFINED),
            "one group": ((HERE, THERE * 0), DEFINED),
            "ties": ((HERE, HERE), DEFINED),
            "constant": ((HERE * 0, THERE * 0), REFUSED),
        },
        nan=(0, 1),
    ),
]


CASES = RATIOS
