"""How a live figure went: a point for each n up to as many as a picture needs, of more for equal steps of n."""

from dataclasses import dataclass
from math import isfinite

import numpy as np

from biasprint.core.metrics.result import Floats

FIRST_POINTS, MOST_POINTS = 16, 400  # room at first, and at most: a curve is seldom wider than that many pixels
N, VALUE, LOW, HIGH = range(4)


@dataclass(frozen=True, eq=False)
class Trace:
    """How something was at each n; ascending. A band that is not there is NaN."""

    n: Floats
    value: Floats
    low: Floats
    high: Floats


class Course:
    """Grows by a point whenever something changed. Beyond `MOST_POINTS` it keeps the last of each step of n, and the
    first of all; the step doubles as often as it must, so that a watched figure takes no more memory the longer it is.
    """

    def __init__(self) -> None:
        self._columns = np.empty((4, FIRST_POINTS))
        self._count = 0
        self._step = 1
        self._point: tuple[int, float, float | None, float | None] | None = None  # that was added last
        self._made: Trace | None = None

    @property
    def last(self) -> int:
        """The n of the last point; 0 where there is none."""
        return int(self._columns[N, self._count - 1]) if self._count else 0

    def add(self, n: int, value: float, low: float | None, high: float | None) -> None:
        """Nothing where the value is no number; no band where its ends are none."""
        if not isfinite(value):
            return
        point = (n, value, low, high)
        if point == self._point:
            return
        self._point = point
        while self.last > n:  # judgments were taken back
            self._count -= 1
        if self._count == MOST_POINTS and not self._in_last_step(n):
            self._thin()
        if self._count and self._in_last_step(n):
            self._count -= 1
        elif self._count == self._columns.shape[1]:
            self._columns = np.concatenate([self._columns, np.empty_like(self._columns)], axis=1)[:, :MOST_POINTS]
        banded = low is not None and high is not None and isfinite(high - low)
        self._columns[:, self._count] = (n, value, *((low, high) if banded else (np.nan, np.nan)))
        self._count += 1
        self._made = None

    def _in_last_step(self, n: int) -> bool:
        """Whether a point takes the place of the last one; that of the first only where it is of the same n."""
        return self.last == n or (self._count > 1 and self.last // self._step == n // self._step)

    def _thin(self) -> None:
        while self._count > MOST_POINTS // 2:
            self._step *= 2
            steps = self._columns[N, : self._count] // self._step
            kept = np.append(np.diff(steps) > 0, True)
            kept[0] = True
            points = self._columns[:, : self._count][:, kept]
            self._count = points.shape[1]
            self._columns[:, : self._count] = points

    @property
    def trace(self) -> Trace:
        """As it is now; the same one until a point comes."""
        if self._made is None:
            self._made = Trace(*self._columns[:, : self._count].copy())
        return self._made
