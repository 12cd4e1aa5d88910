"""Findings whose p and interval come from different models: how often they contradict each other without bias.

`python tests/simulations/contradictions.py` prints what docs/explanation/tests.md sums up.
"""

import sys
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from biasprint.core.metrics.affinity import affinity_floor, affinity_interval, permuted_totals
from biasprint.core.metrics.grouped import spread_of_groups
from biasprint.core.metrics.proportions import clustered_share, design_effect, paired_proportions
from biasprint.core.metrics.representative import flipped_mean, representative_interval, representative_null
from biasprint.core.metrics.result import Bounds, Floats

STUDIES, RESAMPLES, SEED = 2_000, 999, 0
Result = tuple[float | None, Bounds | None, float]  # p, interval, the value without bias
Study = Callable[[np.random.Generator], Result]


def flipped(draw: Callable[[np.random.Generator], Floats], rng: np.random.Generator) -> Result:
    difference, _ = flipped_mean(draw(rng), rng, resamples=RESAMPLES)
    return difference.p, difference.interval.bounds, 0.0


def normal(n: int, rng: np.random.Generator) -> Floats:
    return rng.normal(size=n)


def exponential(n: int, rng: np.random.Generator) -> Floats:
    return rng.exponential(size=n) - 1


def of_five_values(n: int, rng: np.random.Generator) -> Floats:
    return rng.choice([-1.0, -0.5, 0.0, 0.5, 1.0], size=n)


def varying(blocks: int, sds: tuple[float, ...], rng: np.random.Generator) -> Floats:
    """Scores of each block and group, which differ in their SD alone."""
    return rng.normal(size=(blocks, len(sds))) * np.array(sds)


def spread(blocks: int, sds: tuple[float, ...], rng: np.random.Generator) -> Result:
    result = spread_of_groups(varying(blocks, sds, rng), rng, resamples=RESAMPLES)
    return result.floor.p if result.floor else None, result.interval.bounds, 0.0


def representative(blocks: int, sds: tuple[float, ...], rng: np.random.Generator) -> Result:
    distances = varying(blocks, sds, rng)
    null = representative_null(distances, rng, RESAMPLES)
    return null.floor.p, representative_interval(distances, null).bounds, 0.0


def affinity(choices: int, k: int, rng: np.random.Generator) -> Result:
    counts = np.eye(k, dtype=np.int64)[rng.integers(0, k, choices)]
    noise = affinity_floor(counts, rng, RESAMPLES)
    return noise.p, affinity_interval(counts.sum(axis=0), noise=noise).bounds, 0.0


def share_of_raters(comparisons: int, k: int, raters: int, rng: np.random.Generator) -> Result:
    counts = np.array([rng.multinomial(raters, rng.dirichlet(np.full(k, 1.5))) for _ in range(comparisons)])
    null = permuted_totals(counts, rng, RESAMPLES)[:, 0]
    result = clustered_share(int(counts[:, 0].sum()), comparisons * raters, 1 / k, design_effect(counts), null)
    return result.p, result.interval, 1 / k


DESIGNS: dict[tuple[str, str], Study] = {
    ("sign flips", "6 units, normal"): partial(flipped, partial(normal, 6)),
    ("sign flips", "6 units, exponential"): partial(flipped, partial(exponential, 6)),
    ("sign flips", "12 units, exponential"): partial(flipped, partial(exponential, 12)),
    ("sign flips", "12 units of five values"): partial(flipped, partial(of_five_values, 12)),
    ("`compare.spread`", "8 blocks, 3 groups alike"): partial(spread, 8, (1, 1, 1)),
    ("`compare.spread`", "8 blocks, SD 3 : 1 : 1"): partial(spread, 8, (3, 1, 1)),
    ("`compare.spread`", "24 blocks, SD 5 : 1 : 1 : 1"): partial(spread, 24, (5, 1, 1, 1)),
    ("`creativity.rbs`", "12 blocks, SD 3 : 1 : 1"): partial(representative, 12, (3, 1, 1)),
    ("`creativity.rbs`", "12 blocks, SD 1 : 3"): partial(representative, 12, (1, 3)),
    ("`creativity.abs`", "one rater, 20 choices of 3"): partial(affinity, 20, 3),
    ("`creativity.abs`", "one rater, 60 choices of 3"): partial(affinity, 60, 3),
    ("`creativity.share`", "3 raters, 12 comparisons of 2"): partial(share_of_raters, 12, 2, 3),
}


def lines() -> Iterator[str]:
    for place, ((test, design), study) in enumerate(DESIGNS.items()):
        rng = np.random.default_rng([SEED, place])
        small, within = [], []
        for _ in range(STUDIES):
            p, bounds, null = study(rng)
            if p is not None and bounds is not None:
                small.append(p <= 0.05)
                within.append(bounds.low <= null <= bounds.high)
        low, inside = np.array(small), np.array(within)
        shares = (low.mean(), (low & inside).mean(), (~low & ~inside).mean())
        yield f"| {test} | {design} | {' | '.join(f'{share:.1%}'.replace('%', ' %') for share in shares)} |"


def of_pairs(fewest: int = 6, most: int = 30) -> tuple[int, int, int]:
    """Count the tables of pairs, those with 0 left out by Tango's interval alone, and those by p alone."""
    outside = inside = tables = 0
    for n in range(fewest, most + 1):
        for only_first in range(n + 1):
            for only_second in range(n + 1 - only_first):
                places = np.arange(n)
                first = places < only_first
                second = (places >= only_first) & (places < only_first + only_second)
                result = paired_proportions(first, second)
                bounds = result.interval.bounds
                if bounds is not None and result.p is not None:
                    holds = bounds.low <= 0 <= bounds.high
                    outside, inside = outside + (not holds and result.p > 0.05), inside + (holds and result.p <= 0.05)
                    tables += 1
    return tables, outside, inside


if __name__ == "__main__":
    tables, by_interval, by_p = of_pairs()
    counted = f"{tables} tables of pairs, {by_interval} with 0 left out by the interval alone, {by_p} by p alone"
    sys.stdout.write("\n".join([*lines(), counted, ""]))
