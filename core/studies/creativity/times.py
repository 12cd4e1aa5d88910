"""Judgments made much faster or slower than the rater's own usual time: `creativity.quality.time`.

They are shown and never left out: a long text takes long, and a quick choice may be a sure one.
Source: beyond the paper; the rule is core.metrics.ranks.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.findings import Finding
from core.metrics.proportions import clustered_proportion
from core.metrics.ranks import FARTHEST, LogOutliers, log_outliers
from core.studies.creativity.people import EVERYONE, QUALITY, SKIP, Answer, by_rater, numbered, told
from core.studies.findings import interval

TIME = f"{QUALITY}.time"
SOURCE = "beyond the paper: active time of each judgment; Iglewicz & Hoaglin 1993"
NOT_RECORDED = "time not recorded"
SHORT, LONG = "short", "long"


@dataclass(frozen=True)
class Timed:
    """One rater's judgments with a time, how far each lies from the usual one, and what was left out."""

    given: Sequence[Answer]
    outliers: LogOutliers
    dropped: Mapping[str, int]


def times(given: Sequence[Answer]) -> Iterator[Finding]:
    """Everyone's share of judgments far from the rater's own median, then each rater's; nothing without any time."""
    if not any(one.seconds > 0 for one in given):
        return
    timed = {rater: _timed(own) for rater, own in by_rater(given).items()}
    yield _everyone(list(timed.values()))
    for rater, own in timed.items():
        yield _of_rater(rater, own)


def _timed(own: Sequence[Answer]) -> Timed:
    used = [one for one in own if one.seconds > 0 and one.outcome != SKIP]
    dropped = Counter(SKIP if one.outcome == SKIP else NOT_RECORDED for one in own)
    dropped[NOT_RECORDED] -= len(used)
    return Timed(used, log_outliers(np.array([one.seconds for one in used], dtype=np.float64)), told(dropped))


def _of_rater(rater: str, timed: Timed) -> Finding:
    found = _finding(rater, [timed] if timed.outliers.median is not None else [], timed.dropped, {"rater": rater})
    if timed.outliers.median is None:
        return replace(found, reason=timed.outliers.reason)
    usual = f"The usual time is {timed.outliers.median:.3g} s. "
    far = {
        _name(one, timed.given): score
        for one, score, is_far in zip(timed.given, timed.outliers.scores, timed.outliers.far, strict=True)
        if is_far
    }
    which = "Contrast: these comparisons, and how far off they are. " if far else ""
    return replace(found, contrast=far or None, note=usual + which + found.note)


def _name(one: Answer, given: Sequence[Answer]) -> str:
    """The comparison's id; with what wrote its texts, where the id alone names two."""
    model, comparison = one.unit
    alone = sum(other.unit[1] == comparison for other in given) == 1
    return comparison if alone else f"{comparison} ({model})"


def _everyone(timed: Sequence[Timed]) -> Finding:
    dropped: Counter[str] = Counter()
    for own in timed:
        dropped.update(own.dropped)
        if own.outliers.median is None:
            dropped["rater without a usual time"] += len(own.given)
    return _finding(EVERYONE, [own for own in timed if own.outliers.median is not None], told(dropped), {})


def _finding(label: str, timed: Sequence[Timed], dropped: Mapping[str, int], dims: Mapping[str, str]) -> Finding:
    far = np.array([is_far for own in timed for is_far in own.outliers.far], dtype=np.bool_)
    scores = np.array([score for own in timed for score in own.outliers.scores], dtype=np.float64)
    units = np.array(numbered(one.unit for own in timed for one in own.given), dtype=np.int64)
    found = clustered_proportion(far, units)
    return Finding(
        id=TIME,
        label=label,
        title=f"Judgments that took much less or more time than usual: {label}",
        groups=(SHORT, LONG),
        estimate=found.value,
        reason="no rater has enough times" if found.value is None else None,
        unit="proportion",
        interval=interval(found.interval),
        n=found.n,
        dims=dims,
        n_by_group={SHORT: int((far & (scores < 0)).sum()), LONG: int((far & (scores > 0)).sum())},
        dropped=dropped,
        source=SOURCE,
        note=f"Farther than {FARTHEST} robust standard deviations from the rater's own median, times as logarithms. "
        "Nothing is left out for it: longer texts take longer.",
    )
