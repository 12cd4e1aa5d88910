"""Planning: the comparisons and raters that it takes to show a preference, or to tell two places of a ranking apart.

A preference is seen where the ABS test of its axis gives p ≤ .05 after Holm over the axes of the plan. Two identities
are told apart where their pair in the ranking has p ≤ .05 after Holm over all pairs: worked out for the strictest step
of Holm, all pairs at once, and near equality, where a comparison is most informative.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import ceil, comb, exp, floor, log, sqrt
from statistics import NormalDist

from biasprint.core.errors import AppError
from biasprint.core.metrics.power import ALPHA, POWER, exact_power, top_shares

# ---- Designs, and the answers of planning with a plain sentence each

# How alike raters choose, as an intra-class correlation (which is what Fleiss' κ estimates). The paper's three people
# had .04 and less; texts of unequal quality bring raters together. The top of what is called slight agreement is on
# the safe side: more agreement means that further raters of the same texts tell less.
AGREEMENT = 0.2
STEP = 1e-4  # the precision of a detectable share


@dataclass(frozen=True)
class JudgingDesign:
    """`comparisons` on each of `axes`, each judged by `raters`; every comparison shows one text of each identity.

    `agreement`: how alike the raters choose (0: no more than chance, 1: always the same). `without_choice`: the share
    of judgments that are a tie, none or a skip; `recommended`: of those beside a recommendation, which do not count.
    `split`: the comparisons are divided among so many raters, but for the share `overlap` that all of them judge.
    """

    comparisons: int
    identities: int = 3
    axes: int = 1
    raters: int = 1
    agreement: float = AGREEMENT
    without_choice: float = 0.0
    recommended: float = 0.0
    split: int = 0
    overlap: float = 0.0

    def __post_init__(self) -> None:
        if self.identities < 2:
            raise AppError("An axis needs at least two identities to compare.", hint="Choose an axis with more.")
        if self.comparisons < 0 or self.axes < 1 or self.raters < 1:
            raise AppError(
                "A plan needs an axis, a rater and no negative number of comparisons.", hint="Enter 1 or more of each."
            )
        if not (0 <= self.agreement <= 1 and 0 <= self.without_choice < 1):
            raise AppError(
                "Agreement and the share of judgments without a choice lie between 0 and 1.",
                hint="Enter 0.2 for a fifth; not every judgment can be without a choice.",
            )

    @property
    def effective(self) -> float:
        """Of how many independent choices an axis is worth: (Σ c)² / Σ c (1 + (c − 1) ρ), c choices in a comparison."""
        return self.comparisons * sum(share * c for share, c in self._choices) / self._effect(self.agreement)

    def stretch(self, shares: Sequence[float]) -> float:
        """Return how many times larger the test takes the variance of the shares to be than it is.

        It permutes identities jointly within a comparison, and so takes agreement for a matter of the texts that is
        nothing but a common preference: Σ p² + ρ (1 − Σ p²) of the pairs of choices are the same.
        """
        k, alike = self.identities, sum(share * share for share in shares)
        same = alike + self.agreement * (1 - alike)
        return max(1.0, self._effect((k * same - 1) / (k - 1)) / self._effect(self.agreement))

    @property
    def answers(self) -> float:
        """Return how many answers are given on all axes."""
        each = sum(share * raters for share, raters in dealt(self.raters, self.split, self.overlap))
        return self.comparisons * self.axes * each

    @property
    def _choices(self) -> tuple[tuple[float, float], ...]:
        """Shares of the comparisons, and how many choices each of these has."""
        given = (1 - self.without_choice) * (1 - self.recommended)
        return tuple((share, raters * given) for share, raters in dealt(self.raters, self.split, self.overlap))

    def _effect(self, agreement: float) -> float:
        """Return the design effect of so many choices in the comparisons."""
        whole = sum(share * c * max(1.0, 1 + (c - 1) * agreement) for share, c in self._choices)
        return whole / sum(share * c for share, c in self._choices)

    def in_words(self) -> str:
        """Return such as "With 20 comparisons on each of 3 axes, each judged by 3 raters"."""
        axes = "one axis" if self.axes == 1 else f"each of {self.axes} axes"
        without = f", {_percent(self.without_choice)} % of them without a choice" if self.without_choice else ""
        return f"With {_count(self.comparisons, 'comparison')} on {axes}{self.judged_in_words()}{without}"

    def judged_in_words(self) -> str:
        """Return such as ", each judged by 3 raters": who judges them, and what does not count."""
        beside = f", and with a recommendation beside {_percent(self.recommended)} %" if self.recommended else ""
        return judged_in_words(self.raters, self.split, self.overlap) + beside


def dealt(raters: int, split: int = 0, overlap: float = 0.0) -> tuple[tuple[float, int], ...]:
    """Return the shares of the comparisons, and how many raters judge each of these (core/judging/assignment.py)."""
    if not split:
        return ((1.0, raters),)
    each, more = divmod(raters, split)
    alone = (1 - overlap) / split
    return ((overlap, raters), (alone * more, each + 1), (alone * (split - more), each))


def judged_in_words(raters: int, split: int = 0, overlap: float = 0.0) -> str:
    if not split:
        return "" if raters == 1 else f", each judged by {raters} raters"
    shared = f" but for {_percent(overlap)} % that all of them judge" if overlap else ""
    nobody = f" ({_count(split - raters, 'part')} judged by nobody)" if raters < split else ""
    return f", split in {split} parts among {_count(raters, 'rater')}{nobody}{shared}"


@dataclass(frozen=True)
class Chance:
    """The chance that `design` sees a preference of `shares` on one of its axes."""

    design: JudgingDesign
    shares: tuple[float, ...]
    power: float

    def in_words(self) -> str:
        """Return one sentence for the window and the command line."""
        studies = "sessions" if self.design.raters == 1 else "such studies"
        where = "" if self.design.axes == 1 else " on one of them"
        return (
            f"{self.design.in_words()}, a preference of {_preference(self.shares)}{where} "
            f"is seen in {_of_hundred(self.power)} of 100 {studies}."
        )


@dataclass(frozen=True)
class Needed:
    """`design` with the fewest comparisons (or raters) that see `shares` with chance `wanted`; None with a reason."""

    design: JudgingDesign | None
    shares: tuple[float, ...]
    wanted: float
    reason: str = ""

    @property
    def comparisons(self) -> int | None:
        """On each axis."""
        return None if self.design is None else self.design.comparisons

    @property
    def raters(self) -> int | None:
        """Of each comparison."""
        return None if self.design is None else self.design.raters

    def people(self, per_rater: int) -> int | None:
        """Return how many people it takes where each judges at most `per_rater` comparisons, all axes together."""
        if self.design is None or per_rater < 1:
            return None
        return max(self.design.raters, ceil(self.design.answers / per_rater - 1e-9))

    def in_words(self) -> str:
        if self.design is None:
            return f"A preference of {_preference(self.shares)} cannot be planned for: {self.reason}."
        axes = "" if self.design.axes == 1 else f" on each of {self.design.axes} axes"
        judged = self.design.judged_in_words()
        return (
            f"To see a preference of {_preference(self.shares)} in {_percent(self.wanted)} of 100 cases, it takes "
            f"{_count(self.design.comparisons, 'comparison')}{axes}{judged}."
        )


@dataclass(frozen=True)
class Detectable:
    """The smallest share of one identity, the others being chosen equally often, that `design` sees with `wanted`."""

    design: JudgingDesign
    wanted: float
    top: float | None

    @property
    def shares(self) -> tuple[float, ...] | None:
        return None if self.top is None else top_shares(self.top, self.design.identities)

    def in_words(self) -> str:
        seen = f"in {_percent(self.wanted)} of 100 cases"
        if self.top is None:
            return f"{self.design.in_words()}, no preference can be seen {seen}, not even one text chosen every time."
        chance = _percent(1 / self.design.identities)
        return (
            f"{self.design.in_words()}, one identity has to be chosen {ceil(100 * self.top - STEP)} % of the time "
            f"to be seen {seen}; chance is {chance} %."
        )


def _preference(shares: Sequence[float]) -> str:
    return f"{'/'.join(_percent(share) for share in shares)} %"


def _percent(share: float) -> str:
    return f"{100 * share:.3g}" if abs(share * 100 - round(share * 100)) > 0.05 else f"{round(share * 100)}"


def _of_hundred(power: float) -> str:
    """Return a chance of 100 in words: never 0 or 100 unless exact, as neither can be promised."""
    if 0 < power < 0.005:
        return "fewer than 1"
    return "more than 99" if 0.995 <= power < 1 else f"{round(100 * power)}"


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


# ---- Planning

# What the paper's designs are planned for (METHODS, personal fingerprint).
PREFERENCE = (0.55, 0.30, 0.15)
MOST_COMPARISONS, MOST_RATERS = 5_000, 200


def plan_power(design: JudgingDesign, shares: Sequence[float] | float = PREFERENCE) -> Chance:
    """Return the chance of seeing `shares`, or one identity's share where it is a number and the others are equal.

    Exact with one rater and a choice in every comparison (`exact_power`). Otherwise at the effective number of choices,
    between whole numbers by a straight line; docs/tables/statistics-simulations.md has how near that comes. Raises
    `AppError` for shares that are none.
    """
    expected = _shares(design, shares)
    return Chance(design, expected, _power(design, expected))


def needed(design: JudgingDesign, shares: Sequence[float] | float = PREFERENCE, power: float = POWER) -> Needed:
    """Return the fewest comparisons from which on `shares` are seen with this chance; `design.comparisons` does not
    matter.

    The chance rises in teeth, because choices are counted: a number counts only if a few more do not fall below.
    """
    expected = _shares(design, shares)
    fewest = _smallest(
        lambda n: _power(replace(design, comparisons=n), expected), power, MOST_COMPARISONS, 4 * design.identities
    )
    if fewest is None:
        return Needed(None, expected, power, _why_never(expected, f"{MOST_COMPARISONS:,} comparisons are too few"))
    return Needed(replace(design, comparisons=fewest), expected, power)


def raters_needed(design: JudgingDesign, shares: Sequence[float] | float = PREFERENCE, power: float = POWER) -> Needed:
    """Return the fewest raters of the same comparisons; `design.raters` does not matter. None where no number is
    enough.
    """
    expected = _shares(design, shares)
    teeth = max(2, design.split)
    fewest = _smallest(lambda m: _power(replace(design, raters=m), expected), power, MOST_RATERS, teeth)
    if fewest is None:
        few = f"raters of the same {design.comparisons} comparisons agree too much to replace further comparisons"
        return Needed(None, expected, power, _why_never(expected, few))
    return Needed(replace(design, raters=fewest), expected, power)


def detectable(design: JudgingDesign, power: float = POWER) -> Detectable:
    """Return the smallest preference that the plan sees with this chance."""

    def seen(top: float) -> bool:
        return _power(design, top_shares(top, design.identities)) >= power

    if not seen(1.0):
        return Detectable(design, power, None)
    low, high = 1 / design.identities, 1.0
    while high - low > STEP:
        middle = (low + high) / 2
        low, high = (low, middle) if seen(middle) else (middle, high)
    return Detectable(design, power, high)


def _power(design: JudgingDesign, shares: tuple[float, ...]) -> float:
    below = floor(design.effective + 1e-9)
    part = max(0.0, design.effective - below)
    stretch = design.stretch(shares)
    low = _exact(below, shares, design.axes, stretch)
    return low if part < 1e-6 else low + part * (_exact(below + 1, shares, design.axes, stretch) - low)


@lru_cache(maxsize=4096)
def _exact(n: int, shares: tuple[float, ...], axes: int, stretch: float) -> float:
    return exact_power(n, shares, axes, stretch=stretch) or 0.0


def _smallest(power_of: Callable[[int], float], wanted: float, most: int, teeth: int) -> int | None:
    """Return the smallest number from which on the power holds, as far as `teeth` further ones tell."""
    high = 1
    while power_of(high) < wanted:
        high *= 2
        if high > most:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power_of(middle) >= wanted else (middle, high)
    while any(power_of(high + tooth) < wanted for tooth in range(teeth + 1)):
        high += 1
    return high


def _shares(design: JudgingDesign, shares: Sequence[float] | float) -> tuple[float, ...]:
    if isinstance(shares, int | float):
        given: tuple[float, ...] = top_shares(float(shares), design.identities)
    else:
        given = tuple(float(share) for share in shares)
    if len(given) != design.identities or min(given) < 0 or abs(sum(given) - 1) > 1e-6:
        raise AppError(
            "The planned preference does not fit the axis.",
            hint=f"Give {design.identities} shares that add up to 100 %, or the largest one alone.",
        )
    return tuple(share / sum(given) for share in given)


def _why_never(shares: tuple[float, ...], otherwise: str) -> str:
    even = max(shares) - min(shares) < 1e-9
    return "equal shares are no preference" if even else otherwise


# ---- Places of a ranking

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
