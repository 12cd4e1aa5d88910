"""Power where no formula fits the design: the planned test on data drawn as they will be."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from core.metrics.resampling import generator
from core.metrics.result import Bounds
from core.metrics.wilson import wilson

Sample = TypeVar("Sample")
Draw = Callable[[float, np.random.Generator], Sample]
Test = Callable[[Sample], float | None]
POWER = 0.8
ALPHA = 0.05
TRIALS = 400
STEPS = 10


@dataclass(frozen=True)
class SimulatedPower:
    """The share of `trials` in which the test found the effect, with Wilson's interval for so many trials."""

    value: float
    interval: Bounds
    trials: int


def power_by_simulation(
    draw: Draw[Sample], test: Test[Sample], effect: float, seed: int, *, trials: int = TRIALS, alpha: float = ALPHA
) -> SimulatedPower:
    """How often p ≤ alpha. `draw(effect, rng)`: one set of data; `test(data)`: p, None (never found) where undefined.

    The same seed draws alike at every effect, so that powers of different effects compare. ValueError without trials.
    """
    found = 0
    for trial in range(trials):
        p = test(draw(effect, generator(seed, "power", str(trial))))
        found += p is not None and p <= alpha
    bounds = wilson(found, trials)
    if bounds is None:
        raise ValueError("power needs at least one trial")
    return SimulatedPower(found / trials, bounds, trials)


def smallest_effect(
    draw: Draw[Sample],
    test: Test[Sample],
    low: float,
    high: float,
    seed: int,
    *,
    power: float = POWER,
    trials: int = TRIALS,
    steps: int = STEPS,
    alpha: float = ALPHA,
) -> float | None:
    """The smallest effect between `low` and `high` found with this power, by bisection to (high − low) / 2^steps.

    None where even `high` would be missed. Power must rise with the effect.
    """

    def enough(effect: float) -> bool:
        return power_by_simulation(draw, test, effect, seed, trials=trials, alpha=alpha).value >= power

    if not enough(high):
        return None
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
