"""Settings of simulated studies, and the counts of false alarms and of intervals that hold.

Written by someone who had not read the code of the statistics: of the program only what is called is known, by its
signature and docstring. The data are drawn with numpy alone.
"""

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

import numpy as np

from biasprint.core.metrics.result import Bounds

ALPHA, Z = 0.05, 1.959964
MOST_APART = 0.02  # of the studies, in which p and the interval may answer differently


@dataclass(frozen=True)
class Answer:
    """What one simulated study answered. `alarm`: a difference was claimed where there is none; None where there is
    one. `covered`: None without an interval. `contradicts`: p and the interval answer differently."""

    alarm: bool | None
    covered: bool | None
    contradicts: bool = False


@dataclass(frozen=True)
class Setting:
    """`discrete`: few values are possible: fewer false alarms than 5 % and more coverage than 95 % are right."""

    name: str
    study: Callable[[np.random.Generator], Answer]
    studies: int = 2000
    discrete: bool = False


@dataclass(frozen=True)
class Count:
    """So many of `n`, with Wilson's 95 % interval."""

    hits: int
    n: int

    @property
    def share(self) -> float:
        return self.hits / self.n

    @property
    def low(self) -> float:
        return self._middle() - self._half()

    @property
    def high(self) -> float:
        return self._middle() + self._half()

    def _middle(self) -> float:
        return (self.share + Z**2 / (2 * self.n)) / (1 + Z**2 / self.n)

    def _half(self) -> float:
        variance = self.share * (1 - self.share) / self.n + Z**2 / (4 * self.n**2)
        return Z * sqrt(variance) / (1 + Z**2 / self.n)

    def overlaps(self, low: float, high: float) -> bool:
        return self.low <= high and self.high >= low

    def __str__(self) -> str:
        low, high = max(self.low, 0.0), min(self.high, 1.0)
        return f"{100 * self.share:.1f} ({100 * low:.1f}–{100 * high:.1f})"


@dataclass(frozen=True)
class Tally:
    """`alarms` is None where every study had a difference, `coverage` where none had an interval."""

    alarms: Count | None
    coverage: Count | None
    contradictions: int
    studies: int

    def complaints(self, discrete: bool) -> list[str]:
        """Return what is not as promised: 5 % false alarms, 95 % coverage."""
        broken = []
        if self.alarms and not self.alarms.overlaps(0.0 if discrete else 0.03, 0.05 if discrete else 0.07):
            broken.append(f"false alarms {self.alarms} %")
        if self.coverage and not self.coverage.overlaps(0.93, 1.0 if discrete else 0.97):
            broken.append(f"coverage {self.coverage} %")
        return broken

    def often_apart(self) -> bool:
        return self.contradictions > MOST_APART * self.studies


def answer(p: float | None, bounds: Bounds | None, truth: float, none: float = 0.0) -> Answer:
    """Return a study's answer; `none`: the value that means no difference."""
    alarm = (p is not None and p <= ALPHA) if truth == none else None
    if bounds is None:
        return Answer(alarm, None)
    outside = not bounds.low <= none <= bounds.high
    return Answer(alarm, bounds.low <= truth <= bounds.high, p is not None and (p <= ALPHA) != outside)


def counted(setting: Setting, studies: int | None = None) -> Tally:
    """Simulate a setting with its fixed seed."""
    rng = np.random.default_rng(zlib.crc32(setting.name.encode()))
    answers = [setting.study(rng) for _ in range(studies or setting.studies)]
    alarms = [given.alarm for given in answers if given.alarm is not None]
    covered = [given.covered for given in answers if given.covered is not None]
    return Tally(
        Count(sum(alarms), len(alarms)) if alarms else None,
        Count(sum(covered), len(covered)) if covered else None,
        sum(given.contradicts for given in answers),
        len(answers),
    )
