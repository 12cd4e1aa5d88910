"""Times that are far from a person's usual one, by a rule that the outliers themselves cannot bend."""

from dataclasses import dataclass

import numpy as np

from core.metrics.checks import finite
from core.metrics.result import Floats

# The rule: a modified z beyond 3.5 (Iglewicz & Hoaglin 1993). Fewer times than this have no usual one.
FARTHEST = 3.5
FEWEST = 10
# SD of a normal distribution over its median absolute deviation.
NORMAL_OVER_MAD = 1.4826022185056018


@dataclass(frozen=True)
class LogOutliers:
    """`median`: of the times; `scores`: each time's modified z, below 0 where it was short. Empty where undefined."""

    median: float | None
    reason: str
    scores: tuple[float, ...] = ()

    @property
    def far(self) -> tuple[bool, ...]:
        return tuple(abs(score) > FARTHEST for score in self.scores)


def log_outliers(times: Floats) -> LogOutliers:
    """z_i = (ln t_i − M) / (1.4826 · MAD), M the median of ln t and MAD the median of |ln t − M|.

    Times are skewed: on the log scale half as long is as far off as twice as long. `times` > 0, shape (n,).
    ValueError for NaN and for times that are not positive.
    Source: Iglewicz & Hoaglin 1993; the log scale as usual for response times.
    """
    if (finite(times, "times") <= 0).any():
        raise ValueError("times must be positive")
    if len(times) < FEWEST:
        return LogOutliers(None, f"fewer than {FEWEST} times")
    logs = np.log(times)
    middle = float(np.median(logs))
    deviation = float(np.median(abs(logs - middle)))
    if deviation <= 1e-9:
        return LogOutliers(None, "half of the times or more are the same: nothing says which is far off")
    scores = (logs - middle) / (NORMAL_OVER_MAD * deviation)
    return LogOutliers(float(np.exp(middle)), "", tuple(map(float, scores)))
