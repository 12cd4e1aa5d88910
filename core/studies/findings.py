"""From the results of statistics to the parts of a finding."""

from collections.abc import Sequence
from dataclasses import replace

from core.findings import Adjustment, Finding, Floor, Interval
from core.metrics.holm import holm
from core.metrics.result import Bounds, MaybeBounds, NoiseFloor

SIGNIFICANT = 0.05


def interval(bounds: Bounds | None) -> Interval | None:
    return None if bounds is None else Interval(bounds.low, bounds.high, bounds.level, bounds.method)


def missing_interval(bounds: MaybeBounds) -> str | None:
    """The reason as `Finding.reason` wants it; None where there is an interval."""
    return None if bounds.bounds else f"interval: {bounds.reason}"


def floor(noise: NoiseFloor) -> Floor:
    return Floor(noise.mean, noise.p95, noise.p)


def with_holm(findings: Sequence[Finding], family: str) -> list[Finding]:
    """The findings with p adjusted among each other; those without p stay as they are."""
    adjusted = holm([finding.p for finding in findings])
    return [
        finding if p is None else replace(finding, p_adjusted=p, adjust=Adjustment("Holm", family))
        for finding, p in zip(findings, adjusted, strict=True)
    ]
