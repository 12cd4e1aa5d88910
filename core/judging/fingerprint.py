"""One rater's fingerprint: what was chosen on each axis, what chance would give, and what so many choices can show.

Plain values, made from the findings of one voice: nothing is computed that the findings do not say. A fingerprint
crosses from the compute process to the window, and is never stored. Source: METHODS, “Personal fingerprint” and
“Creativity”.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from biasprint.core.findings import Finding

SIGNIFICANT = 0.05
GROUP_FROM = 5  # people: with fewer, one could be identified
Whose = Literal["person", "group", "model"]


@dataclass(frozen=True)
class ChoiceInterval:
    low: float
    high: float


@dataclass(frozen=True)
class ShareOfChoices:
    """One identity of an axis. `label` is the user's own word.

    `chosen`: comparisons in which its text was chosen; of a model asked in several orders the averaged choices, which
    need not be whole. `share` = chosen / choices on the axis, and `relative` = share × number of identities, so that 1
    is chance whatever the axis; both are None without a choice. `interval` is that of `relative`, 95 %.
    """

    identity: str
    label: str
    chosen: float
    share: float | None
    relative: float | None
    interval: ChoiceInterval | None


@dataclass(frozen=True)
class AxisTest:
    """The test of one axis against choosing at random. `p`: of an ABS this large or larger; `p_adjusted`: by Holm's
    rule over the axes of this fingerprint, `axes` many. `evidence`: p_adjusted ≤ 0.05."""

    p: float
    p_adjusted: float
    axes: int

    @property
    def evidence(self) -> bool:
        return self.p_adjusted <= SIGNIFICANT


@dataclass(frozen=True)
class PreferencePower:
    """The chance, from 0 to 1, that `n` choices show a preference for `shares` on one of `axes` axes."""

    n: int
    axes: int
    shares: tuple[float, ...]
    chance: float


@dataclass(frozen=True)
class AxisChoice:
    """The choices on one axis. Hidden repeats are in none of the counts.

    `n`: comparisons with a choice, of `planned`; `ties`, `none` and `skips` are those without, `left` were never
    answered, and `unread` could not be used for another reason (what a model wrote could not be read, or its choice was
    missing in some order). Without a choice the numbers are None and `reason` says why. `testing` is None before all
    planned comparisons are answered: no verdict by peeking. `abs`, `floor_mean`, `floor_p95`: population SD of the
    shares, and its mean and 95th percentile where every choice is made at random.
    """

    axis: str
    title: str
    identities: tuple[ShareOfChoices, ...]
    n: int
    planned: int
    ties: int = 0
    none: int = 0
    skips: int = 0
    unread: int = 0
    left: int = 0
    abs: float | None = None
    interval: ChoiceInterval | None = None
    floor_mean: float | None = None
    floor_p95: float | None = None
    testing: AxisTest | None = None
    seeing: PreferencePower | None = None
    reason: str = ""

    @property
    def evidence(self) -> bool:
        return self.testing is not None and self.testing.evidence

    @property
    def preferred(self) -> str | None:
        """The identity chosen most often; None without choices, and where several were chosen equally often."""
        most = max((share.chosen for share in self.identities), default=0.0)
        first = [share.identity for share in self.identities if share.chosen == most]
        return first[0] if self.n and len(first) == 1 else None

    @property
    def furthest(self) -> ShareOfChoices | None:
        """The identity whose choices are furthest from chance, in either direction; the preferred one where two are."""
        if not self.n:
            return None
        chance = self.n / len(self.identities)
        return max(self.identities, key=lambda share: (round(abs(share.chosen - chance), 9), share.chosen))


@dataclass(frozen=True)
class OtherVoice:
    """Choices shown for comparison: the group's, of `people` pooled with the person among them, or a model judge's."""

    key: str
    title: str
    kind: Whose
    axes: tuple[AxisChoice, ...]
    findings: tuple[Finding, ...]
    people: int = 1


@dataclass(frozen=True)
class Fingerprint:
    """One rater's choices in completed sessions, by axis, with those of the group and of models for comparison.

    `code`: the rater's. `complete`: no planned comparison was left; only then is anything tested. `group` is None with
    fewer than five people, and `group_reason` says so. `findings`: `creativity.share` and `creativity.abs` behind the
    numbers. `still_open`: sessions of this rater that are not revealed; they are not included. `seen`: answers that are
    left out, because somebody had looked at the identities before they were given.
    """

    rater: str
    code: str
    kind: Whose
    axes: tuple[AxisChoice, ...]
    complete: bool
    findings: tuple[Finding, ...]
    group: OtherVoice | None = None
    group_reason: str = ""
    models: tuple[OtherVoice, ...] = ()
    still_open: int = 0
    seen: int = 0

    @property
    def planned(self) -> int:
        """Comparisons that were asked, over all axes."""
        return sum(axis.planned for axis in self.axes)

    @property
    def n(self) -> int:
        """Comparisons with a choice, over all axes."""
        return sum(axis.n for axis in self.axes)

    @property
    def evidence(self) -> bool:
        """Return whether there is evidence of a preference on any axis."""
        return any(axis.evidence for axis in self.axes)


# ---- From the findings of one voice to the axes of its fingerprint

SHARE, ABS = "creativity.share", "creativity.abs"
NOT_A_LOSS = {"tie", "none", "skip", "hidden repeat", "judged again"}


@dataclass(frozen=True)
class AskedAxis:
    """An axis as it was asked: its words, its identities in order with their labels, and how many comparisons."""

    axis: str
    title: str
    identities: tuple[tuple[str, str], ...]
    planned: int
    left: int


def axis_choices(
    asked: Sequence[AskedAxis],
    findings: Sequence[Finding],
    *,
    complete: bool,
    seeing: Mapping[str, PreferencePower] | None = None,
) -> tuple[AxisChoice, ...]:
    """Return the choices on each axis that was asked. `findings`: of one voice, tests adjusted over its axes.

    `complete`: nothing was left of what was planned; otherwise no test is shown. `seeing`: by axis, for words where
    there is not enough evidence.
    """
    ours = [finding for finding in findings if finding.variant == "default" and set(finding.dims) <= {"axis"}]
    scores = {finding.dims["axis"]: finding for finding in ours if finding.id == ABS}
    shares = {(finding.dims["axis"], finding.label): finding for finding in ours if finding.id == SHARE}
    tested = sum(finding.p_adjusted is not None for finding in scores.values())
    return tuple(
        _axis(axis, scores.get(axis.axis), shares, tested if complete else 0, (seeing or {}).get(axis.axis))
        for axis in asked
    )


def _axis(
    asked: AskedAxis,
    score: Finding | None,
    shares: Mapping[tuple[str, str], Finding],
    tested: int,
    seeing: PreferencePower | None,
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
        return replace(plain, n=score.n, reason=score.reason or "")
    testing = None
    if tested and score.p is not None and score.p_adjusted is not None:
        testing = AxisTest(score.p, score.p_adjusted, tested)
    return replace(
        plain,
        n=score.n,
        abs=score.estimate,
        interval=None if score.interval is None else ChoiceInterval(score.interval.low, score.interval.high),
        floor_mean=score.floor.mean if score.floor else None,
        floor_p95=score.floor.p95 if score.floor else None,
        testing=testing,
        seeing=seeing,
    )


def _share(identity: str, label: str, k: int, finding: Finding | None) -> ShareOfChoices:
    if finding is None or finding.estimate is None:
        return ShareOfChoices(identity, label, 0.0, None, None, None)
    bounds = finding.interval
    return ShareOfChoices(
        identity=identity,
        label=label,
        # Averaged choices of a model come in fractions whose denominators are small: the error of n × share is not one.
        chosen=round(finding.estimate * finding.n, 6),
        share=finding.estimate,
        relative=finding.estimate * k,
        interval=None if bounds is None else ChoiceInterval(bounds.low * k, bounds.high * k),
    )


# The preference a session is planned for, as shares of the choices. For three identities it is the plan's own; two get
# the shares at the same part (0.35) of the largest possible ABS.
PLANNED = {2: (0.675, 0.325), 3: (0.55, 0.30, 0.15)}


def power_of_choices(n: int, k: int, axes: int = 1) -> PreferencePower | None:
    """Return the chance that a rater with the planned preference on one of `axes` axes is found with `n` choices on
    each.

    None without a choice, and for a number of identities that no comparison has.
    """
    if n < 1 or k not in PLANNED:
        return None
    from biasprint.core.judging.planner import JudgingDesign, plan_power

    chance = plan_power(JudgingDesign(comparisons=n, identities=k, axes=axes), PLANNED[k])
    return PreferencePower(n, axes, PLANNED[k], chance.power)
