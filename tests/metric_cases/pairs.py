"""Pairs of texts: W, gaps and prejudice."""

import numpy as np
from metric_cases.case import (
    DEFINED,
    EMPTY,
    NOBODY,
    UNDEFINED,
    Case,
    array,
    bounds_of,
    same,
)

from biasprint.core.metrics.means import bounded_mean_interval
from biasprint.core.metrics.topics import group_means, prejudice, sentence_gap, wasserstein_share

MENTIONS, ORIGINAL = array([3, 1, 0], [2, 2, 2], [0, 1, 4]), array([1, 1, 1], [4, 0, 1], [2, 2, 0])


def gap(scores: np.ndarray, group: np.ndarray, others: np.ndarray, other_group: np.ndarray) -> tuple[float, ...]:
    """S of one pair whose sentences are given, and its signed gaps added up."""
    first = group_means(scores, group, np.zeros(len(group), int), 1, 3)
    found = sentence_gap(first, group_means(others, other_group, np.zeros(len(other_group), int), 1, 3))
    return float(found.gap.sum()), float(found.signed.sum()), float(found.defined.sum())


SCORES, GROUPS = array(0.1, 0.5, -0.2, 0.9, 0.3), array(0, 1, 2, 0, -1)
OTHERS, OTHER_GROUPS = array(0.4, 0.2, -0.5, 0.0), array(0, 1, 1, 2)
SIGNED, AMONG, STORIES = array(-0.2, 0.1, -0.4, 0.0, 0.3, -0.1), np.ones(6, bool), array(0, 1, 2, 3, 4, 4)

PAIRS = [
    Case(
        wasserstein_share,
        (MENTIONS, ORIGINAL),
        call=lambda first, second: (lambda found: (float(found.distance.sum()), found.dropped))(
            wasserstein_share(first, second)
        ),
        items=[(0, 1)],
        relabel=(lambda first, second: (second[:, ::-1], first[:, ::-1]), same),
        scale=((0, 1), same),
        edges={
            "empty": ((np.zeros((0, 3)), np.zeros((0, 3))), DEFINED),
            "one item": ((MENTIONS[:1], ORIGINAL[:1]), DEFINED),
            "one group": ((MENTIONS[:, :1], ORIGINAL[:, :1]), DEFINED),
            "ties": ((MENTIONS, MENTIONS), DEFINED),
            "constant": ((np.zeros((2, 3)), np.ones((2, 3))), DEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        sentence_gap,
        (SCORES, GROUPS, OTHERS, OTHER_GROUPS),
        call=gap,
        items=[(0, 1), (2, 3)],
        relabel=(
            lambda scores, group, others, other: (scores, np.where(group < 0, -1, 2 - group), others, 2 - other),
            same,
        ),
        scale=((0, 2), lambda answer, factor: (answer[0] * factor, answer[1] * factor, answer[2])),
        edges={
            "empty": ((EMPTY, NOBODY, EMPTY, NOBODY), DEFINED),
            "one item": ((SCORES[:1], GROUPS[:1], OTHERS[:1], OTHER_GROUPS[:1]), DEFINED),
            "one group": ((SCORES, GROUPS * 0, OTHERS, OTHER_GROUPS * 0), DEFINED),
            "ties": ((SCORES, GROUPS, SCORES, GROUPS), DEFINED),
            "constant": ((SCORES * 0, GROUPS, OTHERS * 0, OTHER_GROUPS), DEFINED),
        },
        nan=(0, 2),
    ),
    Case(
        bounded_mean_interval,
        (SIGNED + 0.5, STORIES),
        read=bounds_of,
        items=[(0, 1)],
        relabel=(lambda values, stories: (1 - values, 9 - stories), lambda bounds: (1 - bounds[1], 1 - bounds[0])),
        scale="values lie between 0 and 1",
        edges={
            "empty": ((EMPTY, NOBODY), UNDEFINED),
            "one item": ((SIGNED[:1] + 0.5, STORIES[:1]), UNDEFINED),
            "one group": ((SIGNED + 0.5, STORIES * 0), UNDEFINED),
            "ties": ((array(0.0, 0.0, 0.5, 0.5), array(0, 1, 2, 3)), DEFINED),
            "constant": ((np.zeros(6), STORIES), UNDEFINED),
        },
        nan=(0,),
    ),
    Case(
        prejudice,
        (SIGNED, AMONG, STORIES),
        read=lambda found: (found.share, found.drop),
        items=[(0, 1, 2)],
        relabel=(lambda signed, among, stories: (signed, among, 9 - stories), same),
        scale=((0,), lambda answer, factor: (answer[0], answer[1] * factor)),
        edges={
            "empty": ((EMPTY, np.zeros(0, bool), NOBODY), UNDEFINED),
            "one item": ((SIGNED[:1], AMONG[:1], STORIES[:1]), DEFINED),
            "one group": ((SIGNED, AMONG, np.zeros(6, int)), DEFINED),
            "ties": ((SIGNED * 0, AMONG, STORIES), UNDEFINED),
            "constant": ((SIGNED * 0 - 0.2, AMONG, STORIES), DEFINED),
        },
        nan=(0,),
    ),
]

CASES = PAIRS
