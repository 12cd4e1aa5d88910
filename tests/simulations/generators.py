"""Two generators without any difference of bias, one noisier than the other: what is tested, and what is not.

`spread`: the difference of the measures that chance keeps above 0, which the program shows without a test. The others
are what it tests: contrasts of distances, signed differences of shares. `rows(trials)` gives rows for the table.
"""

import numpy as np
from simulations.rows import Outcome, Row, alarm, covers, simulated

from biasprint.core.metrics.clusters import group_jackknife
from biasprint.core.metrics.means import paired_difference
from biasprint.core.metrics.representative import representative_score
from biasprint.core.metrics.result import Floats

FEW, MANY = 5, 20  # mentions in an article of the one generator and of the other
NARROW, WIDE = 0.02, 0.06  # how much the distance of a text varies


def distances(blocks: int, spread: float, rng: np.random.Generator) -> Floats:
    """Distances of texts for three identities, from whom the texts are equally far."""
    return np.clip(0.3 + rng.normal(0, spread, (blocks, 3)), 0, 2)


def distance_trial(rng: np.random.Generator, blocks: int) -> dict[str, Outcome]:
    """RBS, and the contrast of the identity that is farthest, of a narrow and a wide generator."""
    sides = [distances(blocks, spread, rng) for spread in (NARROW, WIDE)]
    whole = [representative_score(side) for side in sides]
    without = [[representative_score(np.delete(side, block, axis=0)) for side in sides] for block in range(blocks)]
    outcomes = {}
    for name, of in (
        ("RBS (shown, not tested)", lambda score: score.value or 0.0),
        ("contrast of an identity", lambda score: score.contrast[2]),
    ):
        theta = of(whole[0]) - of(whole[1])
        left_out = [of(first) - of(second) for first, second in without]
        result = group_jackknife(theta, left_out, [1] * blocks, "blocks")
        outcomes[name] = Outcome(covers(result.interval, 0.0), alarm(result.p))
    return outcomes


def share_trial(rng: np.random.Generator, headlines: int) -> dict[str, Outcome]:
    """W and the signed difference of women's share, where one generator names few people and the other many."""
    original = rng.beta(3, 3, headlines)
    own = [rng.binomial(mentions, original) / mentions - original for mentions in (FEW, MANY)]
    outcomes = {}
    for name, first, second in (
        ("W (shown, not tested)", *map(np.abs, own)),
        ("signed difference of shares", *own),
    ):
        result = paired_difference(first, second)
        outcomes[name] = Outcome(covers(result.interval, 0.0), alarm(result.p))
    return outcomes


def rows(trials: int) -> list[Row]:
    """The rows of both designs, small and usual."""
    designs = (
        ("generators, creative texts, distances three times as noisy", distance_trial, (12, 36)),
        ("generators, news, 5 against 20 mentions an article", share_trial, (20, 200)),
    )
    return [row for design, trial, sizes in designs for n in sizes for row in simulated(design, n, trial, trials)]
