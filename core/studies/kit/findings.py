"""From the results of statistics to the parts of a finding."""

import re
from collections.abc import Sequence
from dataclasses import replace

from biasprint.core.findings import Adjustment, Finding, Floor, Interval
from biasprint.core.metrics.result import Bounds, MaybeBounds, NoiseFloor, benjamini_hochberg, holm

SIGNIFICANT = 0.05
WHOLE_FAMILY_NOT_SHOWN = ("letters.word.",)


def interval(bounds: Bounds | None) -> Interval | None:
    return None if bounds is None else Interval(bounds.low, bounds.high, bounds.level, bounds.method)


def missing_interval(bounds: MaybeBounds) -> str | None:
    """The reason as `Finding.reason` wants it; None where there is an interval."""
    return None if bounds.bounds else f"interval: {bounds.reason}"


def floor(noise: NoiseFloor) -> Floor:
    return Floor(noise.mean, noise.p95, noise.p)


def with_holm(findings: Sequence[Finding], family: str) -> list[Finding]:
    """The findings with p adjusted among each other; those without p stay as they are."""
    tests = sum(finding.p is not None for finding in findings)
    if re.findall(r"\d+", family)[-1:] not in ([], [str(tests)]) and tests != len(findings):
        family += f" ({tests} tested)"
    adjusted = holm([finding.p for finding in findings])
    return [
        finding if p is None else replace(finding, p_adjusted=p, adjust=Adjustment("Holm", family))
        for finding, p in zip(findings, adjusted, strict=True)
    ]


def with_benjamini_hochberg(findings: Sequence[Finding]) -> list[Finding]:
    """Adjust p in the same families as Holm's, by Benjamini and Hochberg's rule instead.

    Left as they are: adjustments that are not Holm's, and the words of letters, most of whose tests are not findings.
    """
    families: dict[tuple[str, str], list[int]] = {}
    for place, finding in enumerate(findings):
        if finding.adjust and finding.adjust.method == "Holm" and not finding.id.startswith(WHOLE_FAMILY_NOT_SHOWN):
            # Each generator has its own families, of the same names.
            key = (finding.adjust.family, finding.dims.get("generator", ""))
            families.setdefault(key, []).append(place)
    adjusted = list(findings)
    for (family, _), places in families.items():
        for place, p in zip(places, benjamini_hochberg([findings[place].p for place in places]), strict=True):
            adjusted[place] = replace(findings[place], p_adjusted=p, adjust=Adjustment("Benjamini–Hochberg", family))
    return adjusted
