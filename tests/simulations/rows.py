"""The rows that simulations give, and how trials are counted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from biasprint.core.metrics.result import Bounds, MaybeBounds

ALARM = 0.05


@dataclass(frozen=True)
class Row:
    """`n`: sampled units. None where a method has no interval, or no test, or there is a difference to be found."""

    design: str
    n: int
    method: str
    coverage: float | None
    false_positives: float | None


@dataclass(frozen=True)
class Found:
    """How often something that is there was found, beside the chance that was stated beforehand."""

    design: str
    n: int
    found: float
    stated: float


@dataclass(frozen=True)
class Watched:
    """In how many sequences the truth was inside at every look from the `first` n to the `last`: band and interval."""

    design: str
    first: int
    last: int
    method: str
    trials: int
    band: float
    ordinary: float


@dataclass(frozen=True)
class Outcome:
    """Of one trial: did the interval hold the truth, and did the test raise an alarm where there was nothing?"""

    covered: bool | None = None
    alarm: bool | None = None


Trial = Callable[[np.random.Generator, int], Mapping[str, Outcome]]


def simulated(design: str, n: int, trial: Trial, trials: int) -> list[Row]:
    """One row per method of `trial`; a trial without an interval (or p) does not count for coverage (or alarms)."""
    rng = np.random.default_rng([n, *design.encode()])
    outcomes = [trial(rng, n) for _ in range(trials)]
    return [
        Row(
            design,
            n,
            method,
            rate([outcome[method].covered for outcome in outcomes]),
            rate([outcome[method].alarm for outcome in outcomes]),
        )
        for method in outcomes[0]
    ]


def rate(answers: list[bool | None]) -> float | None:
    """The share of true answers among those given; None where fewer than half the trials give one."""
    given = [answer for answer in answers if answer is not None]
    return float(np.mean(given)) if given and len(given) >= len(answers) / 2 else None


def covers(bounds: Bounds | MaybeBounds | None, truth: float) -> bool | None:
    found = bounds.bounds if isinstance(bounds, MaybeBounds) else bounds
    return None if found is None else found.low - 1e-12 <= truth <= found.high + 1e-12


def alarm(p: float | None, truth: float = 0.0) -> bool | None:
    """An undefined p raises no alarm; where there is something to be found, an alarm is not a false one."""
    return None if truth else p is not None and p <= ALARM


def standard_error(share: float, trials: int) -> float:
    """The standard error of a rate that so many trials estimate."""
    return float(np.sqrt(share * (1 - share) / trials))
