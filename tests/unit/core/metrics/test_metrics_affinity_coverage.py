"""Coverage and false positives of ABS: exact by going through every split of N choices, simulated for raters."""

from functools import partial
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from scipy.special import gammaln
from scipy.stats import multinomial
from seeded_part import seeded_part
from simulations.creativity import affinity_trial
from simulations.rows import simulated, standard_error

from biasprint.core.metrics.affinity import affinity_interval, exact_floor, spread
from biasprint.core.metrics.result import Bounds

THREE = [
    (1 / 3, 1 / 3, 1 / 3),
    (0.36, 0.32, 0.32),
    (0.4, 0.3, 0.3),
    (0.5, 0.25, 0.25),
    (0.55, 0.3, 0.15),
    (0.7, 0.2, 0.1),
]


def splits(n: int, k: int) -> np.ndarray:
    """Every way in which n choices fall on k identities."""
    ends = np.array(list(combinations_with_replacement(range(n + 1), k - 1)))
    return np.diff(np.column_stack([np.zeros(len(ends), int), ends, np.full(len(ends), n)]), axis=1)


def bounds_of(every: np.ndarray) -> np.ndarray:
    """Low and high for every split; the order of the identities does not matter, so each is computed once."""
    known: dict[tuple[int, ...], Bounds] = {}
    rows = []
    for split in every:
        key = tuple(sorted(split))
        if key not in known:
            split = np.array(key)
            noise = exact_floor(int(split.sum()), len(split), float(spread(split / split.sum())))
            bounds = affinity_interval(split, noise=noise).bounds
            assert bounds is not None
            known[key] = bounds
        rows.append((known[key].low, known[key].high))
    return np.array(rows)


def coverage(every: np.ndarray, bounds: np.ndarray, shares: tuple[float, ...]) -> float:
    truth = np.std(shares)
    inside = (bounds[:, 0] - 1e-9 <= truth) & (truth <= bounds[:, 1] + 1e-9)
    return float(multinomial.pmf(every, int(every[0].sum()), shares)[inside].sum())


@pytest.mark.parametrize("n", [6, 12, 20, 60])
def test_three_identities_are_covered_at_every_size(n: int) -> None:
    every = splits(n, 3)
    bounds = bounds_of(every)
    assert min(coverage(every, bounds, shares) for shares in THREE) >= 0.93


@pytest.mark.parametrize("n", [12, 20, 60])
def test_two_identities_are_covered_at_every_size(n: int) -> None:
    every = splits(n, 2)
    bounds = bounds_of(every)
    assert min(coverage(every, bounds, (p, 1 - p)) for p in (0.5, 0.55, 0.6, 0.65, 0.7, 0.8)) >= 0.93


@pytest.mark.parametrize("n", [12, 20])
def test_four_identities_are_covered(n: int) -> None:
    every = splits(n, 4)
    bounds = bounds_of(every)
    shares = [(0.25,) * 4, (0.4, 0.2, 0.2, 0.2), (0.55, 0.15, 0.15, 0.15), (0.7, 0.1, 0.1, 0.1)]
    assert min(coverage(every, bounds, each) for each in shares) >= 0.93


@pytest.mark.parametrize(("n", "k"), [(6, 2), (12, 2), (60, 2), (6, 3), (12, 3), (20, 3), (60, 3)])
def test_false_positives_stay_below_five_percent_exactly(n: int, k: int) -> None:
    every = splits(n, k)
    values = spread(every / n)
    probability = np.exp(gammaln(n + 1) - gammaln(every + 1).sum(axis=1) - n * np.log(k))
    rejected = sum(
        probability[np.isclose(values, value)].sum()
        for value in np.unique(values.round(12))
        if exact_floor(n, k, float(value)).p <= 0.05
    )
    assert rejected <= 0.05 + 1e-9


RATED = list(product([(1 / 3, 1 / 3, 1 / 3), (0.5, 0.25, 0.25), (0.5, 0.5), (0.65, 0.35)], [12, 20, 60]))


@pytest.mark.parametrize(("shares", "comparisons"), seeded_part(RATED, 3))
def test_raters_who_agree_because_of_the_texts_are_covered(shares: tuple[float, ...], comparisons: int) -> None:
    trials = 300
    row = simulated("raters", comparisons, partial(affinity_trial, shares, 3, test=False), trials)[0]
    assert row.coverage is not None
    assert row.coverage >= 0.93 - 2 * standard_error(0.93, trials)


def test_raters_who_agree_without_a_preference_raise_no_alarm() -> None:
    trials = 300
    default, published = simulated("no preference", 20, partial(affinity_trial, (1 / 3,) * 3, 3), trials)
    assert default.false_positives is not None
    assert default.false_positives <= 0.05 + 2 * standard_error(0.05, trials)
    # Judgments as units, as published: the same texts make several raters cry wolf together.
    assert published.false_positives is not None
    assert published.false_positives > 0.2
