"""Benjamini and Hochberg's adjustment of p values: the expected share of false discoveries."""

from collections.abc import Sequence

from core.metrics.checks import finite


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """q₍ᵢ₎ = min over j ≥ i of min(1, m p₍ⱼ₎ / j), in the order given.

    None (no test) stays None and is not counted in m. ValueError for NaN or p outside [0, 1].
    Source: Benjamini & Hochberg 1995.
    """
    from scipy.stats import false_discovery_control

    tested = [p for p in p_values if p is not None]
    if not tested:
        return [None] * len(p_values)
    adjusted = iter(false_discovery_control(finite(tested, "p values")))
    return [None if p is None else float(next(adjusted)) for p in p_values]
