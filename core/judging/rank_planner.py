"""The number of comparisons that it takes to distinguish two places of a ranking.

Two identities are distinguished where their pair in the ranking has p ≤ .05 after Holm over all pairs. That is worked
out for the strictest step of Holm, all pairs at once, and near equality, where a comparison is most informative.
"""

from dataclasses import dataclass
from functools import cached_property
from math import ceil, comb, exp, log, sqrt
from statistics import NormalDist

from biasprint.core.errors import AppError
from biasprint.core.judging.planner import AGREEMENT, MOST_RATERS, dealt, judged_in_words
from biasprint.core.metrics.power import ALPHA, POWER

# Var(log π_i − log π_j) = c (k − 1) / n for n comparisons of k identities in balanced blocks, all equally strong: of
# pairs, of the best of three, and of best and worst of three. Each is 2 / (k w), w being how often two meet times the
# information of a meeting: 1/4, 1/9, and 1/9 + 1/12.
PAIRS, BEST, BEST_AND_WORST = 4.0, 3.0, 12 / 7


@dataclass(frozen=True)
class RankDesign:
    """`comparisons` of `cards` out of `identities` on each of `axes`, each judged by `raters` who agree so much.

    `split`, `overlap`: as of `biasprint.core.judging.planner.JudgingDesign`.
    """

    comparisons: int
    identities: int
    cards: int = 2
    worst: bool = False
    axes: int = 1
    raters: int = 1
    agreement: float = AGREEMENT
    split: int = 0
    overlap: float = 0.0

    def __post_init__(self) -> None:
        if not 2 <= self.cards < self.identities or self.comparisons < 0 or self.axes < 1 or self.raters < 1:
            raise AppError(
                "A ranking needs more identities than a comparison shows.", hint="Compare at least three in pairs."
            )

    @property
    def effective(self) -> float:
        """Of how many independent comparisons it is worth: (Σ c)² / Σ c (1 + (c − 1) ρ), c raters of a comparison."""
        return self.comparisons * self._worth(self.raters)

    def power(self, chance: float) -> float:
        """Return the power to distinguish two identities, one of which is preferred to the other with this chance."""
        if not self.comparisons:
            return 0.0
        return NormalDist().cdf(abs(_logit(chance)) / self._error(self.effective) - self._critical)

    def needed(self, chance: float, power: float = POWER) -> int | None:
        """Return the fewest comparisons with this power; None where they are equally strong."""
        if _logit(chance) == 0:
            return None
        return ceil(self._independent(chance, power) / self._worth(self.raters))

    def raters_needed(self, chance: float, power: float = POWER) -> int | None:
        """Return the fewest raters of the same comparisons; None where no number is enough."""
        if _logit(chance) == 0 or not self.comparisons:
            return None
        wanted = self._independent(chance, power) / self.comparisons
        return next((many for many in range(1, MOST_RATERS + 1) if self._worth(many) >= wanted), None)

    @cached_property
    def detectable(self) -> float | None:
        """Return the smallest chance of preference that is detected in 80 of 100 studies."""
        if not self.comparisons:
            return None
        apart = (self._critical + NormalDist().inv_cdf(POWER)) * self._error(self.effective)
        return 1 / (1 + exp(-apart))

    # in words

    def sees(self, chance: float) -> str:
        power = round(100 * self.power(chance))
        share = "more than 99" if power >= 100 else "fewer than 1" if power < 1 else str(power)
        return f"{self._words}, {_two(chance)} are told apart in {share} of 100 such studies."

    def needs(self, chance: float) -> str:
        fewest = self.needed(chance)
        if fewest is None:
            return "Two that are equally strong cannot be told apart by any number of comparisons."
        each = judged_in_words(self.raters, self.split, self.overlap)
        on = "" if self.axes == 1 else " on each axis"
        return f"To tell {_two(chance)} apart in 80 of 100 studies, it takes {fewest:,} comparisons{on}{each}."

    def detects(self) -> str:
        if self.detectable is None:
            return f"{self._words}, no two places can be told apart."
        least = ceil(100 * self.detectable - 1e-6)
        return (
            f"{self._words}, one has to be preferred to another in {least} % of the cases for their places to be told "
            "apart in 80 of 100 such studies."
        )

    # inside

    @property
    def _words(self) -> str:
        axes = "" if self.axes == 1 else f" on each of {self.axes} axes"
        judged = judged_in_words(self.raters, self.split, self.overlap)
        shown = "pairs" if self.cards == 2 else "threes (best and worst)" if self.worst else "threes"
        count = f"{self.comparisons:,} comparison{'' if self.comparisons == 1 else 's'}"
        return f"With {count} of {self.identities} in {shown}{axes}{judged}"

    def _worth(self, raters: int) -> float:
        """Return how many independent comparisons one is worth on average, with so many raters."""
        parts = [(share, many) for share, many in dealt(raters, self.split, self.overlap) if many]
        whole = sum(share * many for share, many in parts)
        return whole**2 / sum(share * many * (1 + (many - 1) * self.agreement) for share, many in parts)

    @property
    def _constant(self) -> float:
        return PAIRS if self.cards == 2 else BEST_AND_WORST if self.worst else BEST

    @property
    def _critical(self) -> float:
        return NormalDist().inv_cdf(1 - ALPHA / comb(self.identities, 2) / 2)

    def _error(self, n: float) -> float:
        return sqrt(self._constant * (self.identities - 1) / n)

    def _independent(self, chance: float, power: float) -> float:
        reach = self._critical + NormalDist().inv_cdf(power)
        return self._constant * (self.identities - 1) * (reach / _logit(chance)) ** 2


def _two(chance: float) -> str:
    return f"two of which one is preferred to the other in {100 * max(chance, 1 - chance):.3g} % of the cases"


def _logit(chance: float) -> float:
    if not 0 < chance < 1:
        raise AppError("The planned preference is no chance.", hint="Give one between 0 and 1, such as .6/.4.")
    return log(chance / (1 - chance))
