"""Holm's adjustment of p values for many tests."""

from collections.abc import Sequence

from core.metrics.checks import finite


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """p̃₍ᵢ₎ = max over j ≤ i of min(1, (m − j + 1) p₍ⱼ₎), in the order given.

    None (no test) stays None and is not counted in m. ValueError for NaN. Source: Holm 1979.
    """
    finite([p for p in p_values if p is not None], "p values")
    ranked = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    running = 0.0
    for rank, (p, place) in enumerate(ranked):
        running = max(running, min(1.0, (len(ranked) - rank) * p))
        adjusted[place] = running
    return adjusted
