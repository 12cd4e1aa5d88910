"""Findings of shares that a scorer counted, with the scorer's error beside them."""

from dataclasses import replace

from biasprint.core.findings import Finding, ScorerError, ScorerUse, error_sentence
from biasprint.core.metrics.misclassified import Corrected, KnownError, true_difference, true_share
from biasprint.core.metrics.result import Bounds
from biasprint.core.scorers.protocol import known_error


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
