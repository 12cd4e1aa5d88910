"""Kendall's τ, topics and groups, likelihoods and Δ, WEAT."""

import numpy as np
from metric_cases.case import (
    COUNTS,
    DEFINED,
    EMPTY,
    NO_GROUPS,
    NO_ITEMS,
    NOBODY,
    REFUSED,
    UNDEFINED,
    WHOLE,
    Case,
    array,
    columns_reversed,
    negated,
    rng,
    same,
)

from biasprint.core.metrics.associations import (
    conditional_likelihoods,
    kendall_tau,
    likelihood_deltas,
    omnibus,
    spearman_rho,
)
from biasprint.core.metrics.similarity import association, weat_of_chosen_words, weat_of_given_words
from biasprint.core.metrics.topics import (
    chi_squared,
    permuted_membership,
    published_membership,
    residual_p,
    standardised_residuals,
)

GIVEN, CHOSEN = array(0, 2, 1, 2, 0, 1, 2, 0), array(0, 2, 1, 1, 0, 0, 2, 1)
TOPICS = array([8, 2, 3], [1, 9, 4], [4, 3, 7])
REPLIES = array([40, 12, 20], [25, 30, 14])

TABLES = [
    Case(
        kendall_tau,
        (GIVEN, CHOSEN),
        items=[(0, 1)],
        relabel=(lambda given, chosen: (-given, chosen), negated),
        scale=((0, 1), same),
        edges={
            "empty": ((NOBODY, NOBODY), UNDEFINED),
            "one item": ((GIVEN[:1], CHOSEN[:1]), UNDEFINED),
            "one group": ((GIVEN * 0, CHOSEN), UNDEFINED),
            "ties": ((GIVEN, GIVEN), DEFINED),
            "constant": ((GIVEN, CHOSEN * 0), UNDEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        spearman_rho,
        (GIVEN, CHOSEN),
        items=[(0, 1)],
        relabel=(lambda given, chosen: (-given, chosen), lambda found: (-found[0], found[1])),
        scale=((0, 1), same),
        edges={
            "empty": ((NOBODY, NOBODY), UNDEFINED),
            "one item": ((GIVEN[:1], CHOSEN[:1]), UNDEFINED),
            "one group": ((GIVEN * 0, CHOSEN), UNDEFINED),
            "ties": ((GIVEN, CHOSEN), DEFINED),
            "constant": ((GIVEN, CHOSEN * 0), UNDEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        chi_squared,
        (TOPICS,),
        read=lambda test: (test.statistic, test.p),
        items=[(0,)],
        relabel=(columns_reversed, same),
        scale=COUNTS,
        edges={
            "empty": ((np.zeros((2, 2), int),), UNDEFINED),
            "one item": ((array([1, 0], [0, 0]),), UNDEFINED),
            "one group": ((TOPICS[:, :1],), UNDEFINED),
            "ties": ((np.full((2, 2), 5),), DEFINED),
            "constant": ((np.ones((3, 3), int),), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        standardised_residuals,
        (TOPICS,),
        items="its rows are the answers' rows",
        relabel=(columns_reversed, lambda residuals: residuals[:, ::-1]),
        scale=COUNTS,
        edges={
            "empty": ((np.zeros((2, 2), int),), REFUSED),
            "one item": ((array([1, 0], [0, 0]),), REFUSED),
            "one group": ((TOPICS[:, :1],), REFUSED),
            "ties": ((np.full((2, 2), 5),), DEFINED),
            "constant": ((np.ones((3, 3), int),), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        residual_p,
        (TOPICS, np.array([TOPICS, TOPICS.T, TOPICS[::-1]])),
        call=lambda table, permuted: residual_p(table, [permuted]),
        items="its rows are the answers' rows",
        relabel=(lambda table, permuted: (table[:, ::-1], permuted[:, :, ::-1]), lambda p: p[:, ::-1]),
        scale=COUNTS,
        edges={
            "empty": ((np.zeros((2, 2), int), np.zeros((1, 2, 2))), REFUSED),
            "one item": ((array([1, 0], [0, 0]), np.zeros((1, 2, 2))), REFUSED),
            "one group": ((TOPICS[:, :1], TOPICS[None, :, :1]), REFUSED),
            "ties": ((np.full((2, 2), 5), np.full((1, 2, 2), 5)), DEFINED),
            "constant": ((TOPICS, np.zeros((0, 3, 3))), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        published_membership,
        (TOPICS,),
        read=lambda found: (found.test.statistic, found.test.p, float(np.abs(found.residuals).sum())),
        items=[(0,)],
        relabel=(columns_reversed, same),
        scale=COUNTS,
        edges={
            "empty": ((np.zeros((2, 2), int),), UNDEFINED),
            "one item": ((array([1, 0], [0, 0]),), UNDEFINED),
            "one group": ((TOPICS[:, :1],), UNDEFINED),
            "ties": ((np.full((2, 2), 5),), DEFINED),
            "constant": ((np.ones((3, 3), int),), DEFINED),
        },
        nan=(0,),
    ),
    Case(
        permuted_membership,
        (np.tile([0, 1, 2, 0, 1], 6), np.tile([0, 1, 0], 10), np.repeat(np.arange(10), 3)),
        call=lambda topic, group, article: permuted_membership(topic, group, article, 3, 2, rng(), 300),
        read=lambda found: (found.test.statistic, found.test.p),
        items="sentences of an article stay in their order: labels come in runs",
        relabel=(lambda topic, group, article: (2 - topic, 1 - group, article), same),
        scale=COUNTS,
        edges={
            "empty": ((NOBODY, NOBODY, NOBODY), UNDEFINED),
            "one item": ((array(0), array(1), array(0)), UNDEFINED),
            "one group": ((array(0, 1, 2, 0), array(1, 1, 1, 1), array(0, 0, 1, 1)), UNDEFINED),
            "ties": ((array(0, 1, 0, 1), array(0, 0, 1, 1), array(0, 0, 1, 1)), DEFINED),
            "constant": ((array(0, 0, 0, 0), array(0, 1, 0, 1), array(0, 0, 1, 1)), UNDEFINED),
        },
        nan=WHOLE,
    ),
]

LIKELIHOODS = [
    Case(
        metric,
        (REPLIES,),
        read=read,
        items=NO_ITEMS,
        relabel=(lambda table: (table[::-1],), turned),
        scale=COUNTS,
        edges={
            "empty": ((np.zeros((2, 3), int),), UNDEFINED),
            "one item": ((array([1, 0, 0], [0, 0, 0]),), UNDEFINED),
            "one group": ((array([5, 4, 3], [0, 0, 0]),), UNDEFINED),
            "ties": ((np.full((2, 3), 20),), DEFINED),
            "constant": ((array([9, 0, 0], [9, 0, 0]),), constant),
        },
        nan=(0,),
    )
    for metric, read, turned, constant in (
        (
            conditional_likelihoods,
            lambda found: [one.value for one in found],
            lambda values: [*values[3:6], *values[:3], *values[6:]],
            DEFINED,
        ),
        (
            likelihood_deltas,
            lambda found: [part for one in found for part in (one.value, one.p)],
            lambda values: [-part if place % 2 == 0 else part for place, part in enumerate(values)],
            UNDEFINED,
        ),
        (omnibus, lambda found: (found.statistic, found.p, found.association), same, UNDEFINED),
    )
]

X, Y = array(0.5, 0.2, 0.7, 0.4), array(0.1, 0.3, -0.2)
WORDS = np.random.default_rng(4).normal(size=(9, 5))

WEAT = [
    Case(
        weat_of_given_words,
        (X, Y),
        call=lambda x, y: weat_of_given_words(x, y, rng()),
        items=[(0,), (1,)],
        relabel=(lambda x, y: (-y, -x), same),
        scale=((0, 1), same),
        edges={
            "empty": ((EMPTY, EMPTY), UNDEFINED),
            "one item": ((X[:1], Y), UNDEFINED),
            "one group": ((X, EMPTY), UNDEFINED),
            "ties": ((array(0.1, 0.1, 0.2), array(0.1, 0.2)), DEFINED),
            "constant": ((X * 0 + 0.3, Y * 0 + 0.3), UNDEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        weat_of_chosen_words,
        (0.8, np.random.default_rng(1).normal(size=300), np.ones(300, bool)),
        items=[(1, 2)],
        relabel=NO_GROUPS,
        scale="d has no unit",
        edges={
            "empty": ((0.8, EMPTY, np.zeros(0, bool)), UNDEFINED),
            "one item": ((0.8, array(0.1), array(True)), UNDEFINED),
            "one group": ((0.8, np.zeros(300), np.zeros(300, bool)), UNDEFINED),
            "ties": ((0.0, np.zeros(300), np.ones(300, bool)), DEFINED),
            "constant": ((0.5, np.full(300, 0.1), np.ones(300, bool)), DEFINED),
        },
        nan=(0, 1),
    ),
    Case(
        association,
        (WORDS[:3], WORDS[3:6], WORDS[6:]),
        items=[(1,), (2,)],
        relabel=(lambda words, first, second: (words, second, first), np.negative),
        scale=((0, 1, 2), same),
        edges={
            "empty": ((WORDS[:0], WORDS[3:6], WORDS[6:]), DEFINED),
            "one item": ((WORDS[:1], WORDS[3:4], WORDS[6:7]), DEFINED),
            "one group": ((WORDS[:3], WORDS[3:6], WORDS[:0]), REFUSED),
            "ties": ((WORDS[:3], WORDS[3:6], WORDS[3:6]), DEFINED),
            "constant": ((WORDS[:3] * 0, WORDS[3:6], WORDS[6:]), REFUSED),
        },
        nan=(0, 1, 2),
    ),
]

CASES = [*TABLES, *LIKELIHOODS, *WEAT]
