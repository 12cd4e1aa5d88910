"""Dependent items: sentences of one article, items that share a term or an option pair.

`rows(trials)` gives the table for docs/tables/statistics-simulations.md.
"""

from functools import partial

import numpy as np
from simulations.rows import Outcome, Row, alarm, covers, simulated

from biasprint.core.metrics.associations import kendall_tau
from biasprint.core.metrics.proportions import two_proportions
from biasprint.core.metrics.topics import chi_squared, residual_p

SMALL, USUAL, LARGE = 8, 30, 150
OPTION_PAIRS = 16


def logistic(values: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-values))


def replies(
    rng: np.random.Generator, terms: int, spread: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Every term with every option pair: term, pair, is the term positive, was the positive option chosen.

    Terms and pairs differ in how readily the positive option is chosen; polarity makes no difference.
    """
    term, pair = (axis.ravel() for axis in np.indices((terms, OPTION_PAIRS)))
    leaning = rng.normal(0, spread, terms)[term] + rng.normal(0, spread, OPTION_PAIRS)[pair]
    chosen = rng.random(len(term)) < logistic(leaning - 0.4)
    return term, pair, term % 2 == 0, chosen


def polarity_trial(spread: float, rng: np.random.Generator, terms: int) -> dict[str, Outcome]:
    """Δ, the share of positive choices after positive terms less that after negative ones; it is 0."""
    _, _, positive, chosen = replies(rng, terms, spread)
    plain = two_proportions(
        int(chosen[positive].sum()),
        int(positive.sum()),
        int(chosen[~positive].sum()),
        int((~positive).sum()),
    )
    return {
        "pooled z as_published (items as units)": Outcome(covers(plain.interval, 0.0), alarm(plain.p)),
    }


def tau_trial(spread: float, rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """τ-b of given and chosen polarity, truth 0; with `spread`, items share terms and τ's own p is wrong."""
    if spread:
        _, _, given, chosen = replies(rng, n, spread)
    else:
        given, chosen = np.repeat([0, 1, 2], n), rng.choice(3, 3 * n, p=[0.5, 0.2, 0.3])
    result = kendall_tau(given.astype(int), chosen.astype(int))
    return {"τ-b as_published (asymptotic)": Outcome(covers(result.interval, 0.0), alarm(result.p))}


def topics_trial(rng: np.random.Generator, n: int) -> dict[str, Outcome]:
    """Four topics × two groups; articles prefer topics and groups, but the one has nothing to do with the other.

    Groups' labels move as wholes between articles of as many sentences.
    """
    sentences = 12
    topics = np.array([rng.choice(4, sentences, p=rng.dirichlet(np.full(4, 0.7))) for _ in range(n)])
    labels = np.array([rng.random(sentences) < rng.beta(0.7, 0.7) for _ in range(n)])
    counted = (topics[..., None] == np.arange(4)).astype(np.int64)

    def table(order: np.ndarray) -> np.ndarray:
        first = np.einsum("ast,as->t", counted, labels[order])
        return np.column_stack([first, counted.sum(axis=(0, 1)) - first])

    observed = table(np.arange(n))
    if min(observed.sum(axis=0).min(), observed.sum(axis=1).min()) == 0:
        return {"permutation by article": Outcome(), "χ² as_published (sentences as units)": Outcome()}
    permuted = np.array([table(rng.permutation(n)) for _ in range(199)])
    return {
        "permutation by article": Outcome(alarm=alarm(float(residual_p(observed, [permuted])[0, 0]))),
        "χ² as_published (sentences as units)": Outcome(alarm=alarm(chi_squared(observed).p)),
    }


def polarity_rows(trials: int, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    return [
        row
        for n in sizes
        for spread in (0.0, 0.5, 1.0)
        for row in simulated(f"terms × option pairs, SD {spread}", n, partial(polarity_trial, spread), trials)
    ]


def tau_rows(trials: int, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    return [
        row
        for n in sizes
        for spread, name in ((0.0, "independent items"), (1.0, "items that share terms"))
        for row in simulated(f"τ, {name}", n, partial(tau_trial, spread), trials)
    ]


def topic_rows(trials: int, sizes: tuple[int, ...] = (SMALL, USUAL, LARGE)) -> list[Row]:
    return [row for n in sizes for row in simulated("topics in articles", n, topics_trial, trials)]


def rows(trials: int = 2000) -> list[Row]:
    """The whole table."""
    return [*polarity_rows(trials), *tau_rows(trials), *topic_rows(trials)]
