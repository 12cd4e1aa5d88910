"""A proportion of units of which some were sampled together."""

from dataclasses import dataclass

import numpy as np

from core.metrics.checks import same_length, truths
from core.metrics.design_effect import design_effect
from core.metrics.result import Bools, Bounds, Ints
from core.metrics.wilson import wilson


@dataclass(frozen=True)
class Proportion:
    """`value` and `interval` are None where n is 0."""

    value: float | None
    interval: Bounds | None
    successes: int
    n: int


def clustered_proportion(successes: Bools, clusters: Ints) -> Proportion:
    """Successes over n; Wilson's interval with n divided by the design effect, which is 1 where nothing is clustered.

    `successes`, `clusters`: shapes (n,). ValueError for unequal lengths.
    """
    same_length(successes, clusters)
    yes = truths(successes)
    n, count = len(yes), int(yes.sum())
    if n == 0:
        return Proportion(None, None, 0, 0)
    numbers = np.unique(clusters, return_inverse=True)[1]
    per_cluster = np.column_stack([np.bincount(numbers, yes), np.bincount(numbers, ~yes)]).astype(np.int64)
    effect = design_effect(per_cluster)
    bounds = wilson(count / effect, n / effect)
    if bounds is not None and effect > 1:
        bounds = Bounds(bounds.low, bounds.high, f"Wilson, n divided by the design effect {effect:.2f}", bounds.level)
    return Proportion(count / n, bounds, count, n)
