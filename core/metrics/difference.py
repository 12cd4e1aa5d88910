"""What every test of a difference returns."""

from dataclasses import dataclass, replace
from typing import Literal

from core.metrics.result import MaybeBounds

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True)
class Difference:
    """`value` is the first minus the second; None where undefined, and `reason` says why.

    `reason` also explains a missing `p` where there is a value. The interval is two-sided whatever the alternative.
    `effect` is the standardised difference that `effect_name` names; `n` counts units (pairs where paired).
    """

    value: float | None
    reason: str
    interval: MaybeBounds
    p: float | None
    statistic: float | None
    test: str
    effect_name: str
    effect: float | None
    n: int
    n_by_group: tuple[int, ...]


def untested(
    value: float | None, reason: str, test: str, effect_name: str, n: int, n_by_group: tuple[int, ...]
) -> Difference:
    """A difference without interval, p and effect size, all for the same reason."""
    return Difference(value, reason, MaybeBounds(None, reason), None, None, test, effect_name, None, n, n_by_group)


def separated(untried: Difference, test: str, chance: float, alternative: Alternative = "two-sided") -> Difference:
    """A difference other than 0 without any variation, with the p of the exact permutation test `test`.

    `chance`: the share of arrangements that give this value, the farthest from 0 there is; two-sided p is twice it.
    """
    towards = "greater" if (untried.value or 0.0) > 0 else "less"
    one_sided = chance if towards == alternative else 1.0
    return replace(untried, reason="", p=2 * chance if alternative == "two-sided" else one_sided, test=test)
