"""From the results of statistics to the parts of a finding."""

import re
from collections.abc import Sequence
from dataclasses import replace

from biasprint.core.findings import Adjustment, Finding, Floor, Interval, ScorerError, ScorerUse, error_sentence
from biasprint.core.metrics.misclassified import Corrected, KnownError, true_difference, true_share
from biasprint.core.metrics.result import Bounds, MaybeBounds, NoiseFloor, benjamini_hochberg, holm
from biasprint.core.scorers.protocol import known_error

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


# ---- Shares that a scorer counted, with the scorer's error beside them


def with_scorer_error(
    finding: Finding,
    *,
    counted_by: ScorerUse | None = None,
    most: float | None = None,
    alike_within: float | None = None,
) -> Finding:
    """Return the finding with its second interval in the note, where the scorer that counted it has a known error.

    For a share of one group, a difference of groups' shares, or a difference of such differences. It is kept
    in the note, as all that an answer depends on is, because the keys of a finding are fixed, and a variant would be
    read as another analysis.
    `counted_by`: which of several scorers counted the shares; else the only one. `most`: how large a difference can be,
    if not by its unit.
    `alike_within`: the margin of a finding that asks whether groups are alike.
    """
    scorer = counted_by or (finding.scorers[0] if len(finding.scorers) == 1 else None)
    error = None if scorer is None else known_error(scorer)
    if error is None or finding.estimate is None or finding.interval is None:
        return finding
    plain = Bounds(finding.interval.low, finding.interval.high, finding.interval.method, finding.interval.level)
    share = len(finding.groups) == 1
    if share:
        corrected = true_share(finding.estimate, plain, error)
    else:
        largest = 2.0 if finding.unit.startswith("difference of differences") else 1.0
        corrected = true_difference(finding.estimate, plain, error, most or largest)
    doubted = not share and _shows(plain, alike_within) and not _shows(corrected.interval.bounds, alike_within)
    sentence = error_sentence(_as_told(error, corrected, doubted), corrected.reason)
    return replace(finding, note=f"{finding.note} {sentence}".strip())


def _shows(bounds: Bounds | None, alike_within: float | None) -> bool:
    """Does this interval leave out 0, or, where it is asked whether groups are alike, lie within the margin?"""
    if bounds is None:
        return False
    if alike_within is not None:
        return -alike_within <= bounds.low and bounds.high <= alike_within
    return not bounds.low <= 0 <= bounds.high


def _as_told(error: KnownError, corrected: Corrected, doubted: bool) -> ScorerError:
    bounds = corrected.interval.bounds
    return ScorerError(
        _rate(error.sensitivity), error.present, _rate(error.specificity), error.absent, corrected.value,
        None if bounds is None else bounds.low, None if bounds is None else bounds.high, doubted,
    )  # fmt: skip


def _rate(share: float) -> str:
    return f"{share:.2f}".removeprefix("0")
