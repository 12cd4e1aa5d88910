"""What a fingerprint holds. Plain values: it crosses from the compute process to the window, and is never stored."""

from dataclasses import dataclass
from typing import Literal

from core.findings import Finding

SIGNIFICANT = 0.05
GROUP_FROM = 5  # people: with fewer, one could be told from the others
Whose = Literal["person", "group", "model"]


@dataclass(frozen=True)
class Interval:
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
    interval: Interval | None


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
class Seeing:
    """How often `n` choices would show a preference for `shares`, where it was one of `axes` axes; from 0 to 1."""

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
    interval: Interval | None = None
    floor_mean: float | None = None
    floor_p95: float | None = None
    testing: AxisTest | None = None
    seeing: Seeing | None = None
    reason: str = ""

    @property
    def evidence(self) -> bool:
        return self.testing is not None and self.testing.evidence

    @property
    def preferred(self) -> str | None:
        """The identity chosen most often; None without choices, and where several were chosen equally often."""
        most = max((one.chosen for one in self.identities), default=0.0)
        first = [one.identity for one in self.identities if one.chosen == most]
        return first[0] if self.n and len(first) == 1 else None

    @property
    def furthest(self) -> ShareOfChoices | None:
        """The identity whose choices are furthest from chance, in either direction; the preferred one where two are."""
        if not self.n:
            return None
        chance = self.n / len(self.identities)
        return max(self.identities, key=lambda one: (round(abs(one.chosen - chance), 9), one.chosen))


@dataclass(frozen=True)
class Beside:
    """Whose choices stand beside: the group's, of `people` pooled with the person among them, or a model judge's."""

    key: str
    title: str
    kind: Whose
    axes: tuple[AxisChoice, ...]
    findings: tuple[Finding, ...]
    people: int = 1


@dataclass(frozen=True)
class Fingerprint:
    """One rater's choices in completed sessions, by axis, and what stands beside them.

    `code`: the rater's. `complete`: no planned comparison was left; only then is anything tested. `group` is None with
    fewer than five people, and `group_reason` says so. `findings`: `creativity.share` and `creativity.abs` behind the
    numbers. `still_open`: sessions of this rater that are not revealed; nothing of them is in here.
    """

    rater: str
    code: str
    kind: Whose
    axes: tuple[AxisChoice, ...]
    complete: bool
    findings: tuple[Finding, ...]
    group: Beside | None = None
    group_reason: str = ""
    models: tuple[Beside, ...] = ()
    still_open: int = 0

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
        """Whether there is evidence of a preference on any axis."""
        return any(axis.evidence for axis in self.axes)
