"""What every statistic demands of its input: numbers, and as many as belong together."""

from collections.abc import Sized

import numpy as np
from numpy.typing import ArrayLike

from core.metrics.result import Bools, Floats


def finite(values: ArrayLike, name: str = "values") -> Floats:
    """The values as floats; a ValueError where one is NaN or infinite, which would make every result meaningless."""
    numbers = np.asarray(values, dtype=np.float64)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be finite numbers")
    return numbers


def truths(values: ArrayLike) -> Bools:
    """The values as truth values; a ValueError where one is anything but true, false, 1 or 0."""
    given = np.asarray(values)
    if not np.isin(given, (0, 1)).all():
        raise ValueError("values must be true or false")
    return given.astype(np.bool_)


def same_length(first: Sized, second: Sized) -> None:
    if len(first) != len(second):
        raise ValueError("pairs need as many values on one side as on the other")


def constant(values: Floats, magnitude: float = 0.0) -> bool:
    """No variation beyond rounding: 0.3 − 0.1 and 0.4 − 0.2 are the same difference.

    `magnitude`: of the numbers that the values were computed from, where those were larger.
    """
    if len(values) == 0:
        return True
    return bool(np.ptp(values) <= 16 * np.finfo(np.float64).eps * max(magnitude, float(np.abs(values).max())))
