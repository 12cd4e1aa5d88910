"""From the findings of one voice to the axes of a fingerprint. Pure: nothing is computed that the findings do not say.

Source: METHODS, “Personal fingerprint” and “Creativity”.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.findings import Finding
from core.judging.fingerprint.result import AxisChoice, AxisTest, Interval, Seeing, ShareOfChoices

SHARE, ABS = "creativity.share", "creativity.abs"
NOT_A_LOSS = {"tie", "none", "skip", "hidden repeat", "judged again"}


@dataclass(frozen=True)
class Asked:
    """An axis as it was asked: its words, its identities in order with their labels, and how many comparisons."""

    axis: str
    title: str
    identities: tuple[tuple[str, str], ...]
    planned: int
    left: int


def axis_choices(
    asked: Sequence[Asked], findings: Sequence[Finding], *, complete: bool, seeing: Mapping[str, Seeing] | None = None
) -> tuple[AxisChoice, ...]:
    """The choices on each axis that was asked. `findings`: of one voice, tests adjusted over its axes.

    `complete`: nothing was left of what was planned; otherwise no test is shown. `seeing`: by axis, for words where
    there is not enough evidence.
    """
    ours = [found for found in findings if found.variant == "default" and set(found.dims) <= {"axis"}]
    scores = {found.dims["axis"]: found for found in ours if found.id == ABS}
    shares = {(found.dims["axis"], found.label): found for found in ours if found.id == SHARE}
    tested = sum(found.p_adjusted is not None for found in scores.values())
    return tuple(
        _axis(one, scores.get(one.axis), shares, tested if complete else 0, (seeing or {}).get(one.axis))
        for one in asked
    )


def _axis(
    asked: Asked,
    score: Finding | None,
    shares: Mapping[tuple[str, str], Finding],
    tested: int,
    seeing: Seeing | None,
) -> AxisChoice:
    dropped = dict(score.dropped) if score is not None else {}
    plain = AxisChoice(
        axis=asked.axis,
        title=asked.title,
        identities=tuple(
            _share(identity, label, len(asked.identities), shares.get((asked.axis, identity)))
            for identity, label in asked.identities
        ),
        n=0,
        planned=asked.planned,
        ties=dropped.get("tie", 0),
        none=dropped.get("none", 0),
        skips=dropped.get("skip", 0),
        unread=sum(count for reason, count in dropped.items() if reason not in NOT_A_LOSS),
        left=asked.left,
    )
    if score is None:
        return replace(plain, reason="no comparison answered")
    if score.estimate is None:
        return replace(plain, reason=score.reason or "")
    testing = None
    if tested and score.p is not None and score.p_adjusted is not None:
        testing = AxisTest(score.p, score.p_adjusted, tested)
    return replace(
        plain,
        n=score.n,
        abs=score.estimate,
        interval=None if score.interval is None else Interval(score.interval.low, score.interval.high),
        floor_mean=score.floor.mean if score.floor else None,
        floor_p95=score.floor.p95 if score.floor else None,
        testing=testing,
        seeing=seeing,
    )


def _share(identity: str, label: str, k: int, found: Finding | None) -> ShareOfChoices:
    if found is None or found.estimate is None:
        return ShareOfChoices(identity, label, 0.0, None, None, None)
    bounds = found.interval
    return ShareOfChoices(
        identity=identity,
        label=label,
        # Averaged choices of a model come in fractions whose denominators are small: the error of n × share is not one.
        chosen=round(found.estimate * found.n, 6),
        share=found.estimate,
        relative=found.estimate * k,
        interval=None if bounds is None else Interval(bounds.low * k, bounds.high * k),
    )
