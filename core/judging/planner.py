"""How many comparisons and raters a preference takes, and what a plan can show: exact, quick, in plain words.

A preference is seen where the ABS test of its axis gives p ≤ .05 after Holm over the axes of the plan.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from math import floor

from core.errors import AppError
from core.judging.planned import AGREEMENT, STEP, Chance, Design, Detectable, Needed
from core.metrics.affinity_exact_power import exact_power, top_shares
from core.metrics.affinity_power import POWER

__all__ = [
    "AGREEMENT", "PREFERENCE", "Chance", "Design", "Detectable", "Needed",
    "detectable", "needed", "plan_power", "raters_needed",
]  # fmt: skip

# What the paper's designs are planned for (METHODS, personal fingerprint).
PREFERENCE = (0.55, 0.30, 0.15)
MOST_COMPARISONS, MOST_RATERS = 5_000, 200


def plan_power(design: Design, shares: Sequence[float] | float = PREFERENCE) -> Chance:
    """The chance of seeing `shares`, or one identity's share where it is a number and the others are equal.

    Exact with one rater and a choice in every comparison (`exact_power`). Otherwise at the effective number of
    choices, between whole numbers by a straight line; docs/statistics.md has how near that comes.
    Raises `AppError` for shares that are none.
    """
    expected = _shares(design, shares)
    return Chance(design, expected, _power(design, expected))


def needed(design: Design, shares: Sequence[float] | float = PREFERENCE, power: float = POWER) -> Needed:
    """The fewest comparisons from which on `shares` are seen with this chance; `design.comparisons` does not matter.

    The chance rises in teeth, because choices are counted: a number counts only if a few more do not fall below.
    """
    expected = _shares(design, shares)
    fewest = _smallest(
        lambda n: _power(replace(design, comparisons=n), expected), power, MOST_COMPARISONS, 4 * design.identities
    )
    if fewest is None:
        return Needed(None, expected, power, _why_never(expected, f"{MOST_COMPARISONS:,} comparisons are too few"))
    return Needed(replace(design, comparisons=fewest), expected, power)


def raters_needed(design: Design, shares: Sequence[float] | float = PREFERENCE, power: float = POWER) -> Needed:
    """The fewest raters of the same comparisons; `design.raters` does not matter. None where no number is enough."""
    expected = _shares(design, shares)
    fewest = _smallest(lambda m: _power(replace(design, raters=m), expected), power, MOST_RATERS, 2)
    if fewest is None:
        few = f"raters of the same {design.comparisons} comparisons agree too much to replace further comparisons"
        return Needed(None, expected, power, _why_never(expected, few))
    return Needed(replace(design, raters=fewest), expected, power)


def detectable(design: Design, power: float = POWER) -> Detectable:
    """What the plan can see with this chance."""

    def seen(top: float) -> bool:
        return _power(design, top_shares(top, design.identities)) >= power

    if not seen(1.0):
        return Detectable(design, power, None)
    low, high = 1 / design.identities, 1.0
    while high - low > STEP:
        middle = (low + high) / 2
        low, high = (low, middle) if seen(middle) else (middle, high)
    return Detectable(design, power, high)


def _power(design: Design, shares: tuple[float, ...]) -> float:
    below = floor(design.effective + 1e-9)
    part = max(0.0, design.effective - below)
    stretch = design.stretch(shares)
    low = _exact(below, shares, design.axes, stretch)
    return low if part < 1e-6 else low + part * (_exact(below + 1, shares, design.axes, stretch) - low)


@lru_cache(maxsize=4096)
def _exact(n: int, shares: tuple[float, ...], axes: int, stretch: float) -> float:
    return exact_power(n, shares, axes, stretch=stretch) or 0.0


def _smallest(power_of: Callable[[int], float], wanted: float, most: int, teeth: int) -> int | None:
    """The smallest number from which on the power holds, as far as `teeth` further ones tell."""
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


def _shares(design: Design, shares: Sequence[float] | float) -> tuple[float, ...]:
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
