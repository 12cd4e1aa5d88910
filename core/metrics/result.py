"""What several statistics return: bounds, a noise floor, a test."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.95
RESAMPLES = 10_000

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Numbers: TypeAlias = NDArray[np.int64] | NDArray[np.float64]


@dataclass(frozen=True)
class Bounds:
    """An interval and how it was made."""

    low: float
    high: float
    method: str
    level: float = LEVEL


@dataclass(frozen=True)
class MaybeBounds:
    """Bounds, or the reason why there are none."""

    bounds: Bounds | None
    reason: str = ""


@dataclass(frozen=True)
class NoiseFloor:
    """A measure of spread under no bias at all: mean, 95th percentile, and p, the chance of at least the observed."""

    mean: float
    p95: float
    p: float
    method: str


@dataclass(frozen=True)
class TestResult:
    """A test as a paper runs it. `p` is None where it is undefined, and `reason` says why."""

    __test__ = False  # pytest collects classes by this name

    name: str
    statistic: float | None
    p: float | None
    reason: str = ""
