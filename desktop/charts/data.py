"""What the charts are fed with: findings, and the words for their ids. No Qt here.

Whoever reads the project implements `ChartSource`; the charts panel runs it off the UI thread.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from core.findings import Finding
from core.jobs import JobContext

VoiceKind = Literal["you", "group", "model"]


@dataclass(frozen=True)
class AxisNames:
    """An axis in the order and words people see: identities are (id, label) pairs."""

    key: str
    title: str
    identities: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Voice:
    """Whose choices these are: one person, the group, or a model that judges.

    `findings` are `creativity.share` and `creativity.abs`. `complete` says that the planned n is reached: until then
    no p-value is shown and intervals are replaced by a band that may be looked at any number of times.
    """

    key: str
    title: str
    kind: VoiceKind
    findings: tuple[Finding, ...]
    complete: bool
    judged: int
    planned: int | None = None


@dataclass(frozen=True)
class ChartData:
    """Everything the charts panel shows at one moment."""

    axes: tuple[AxisNames, ...] = ()
    voices: tuple[Voice, ...] = ()
    distance: tuple[Finding, ...] = ()
    """`creativity.distance` and `creativity.rbs`."""
    distance_complete: bool = True
    letters: tuple[Finding, ...] = ()
    """`letters.lexicon.odds_ratio`, both variants."""
    letters_complete: bool = True
    names: Mapping[str, str] = field(default_factory=dict)
    """Words for other ids: groups of letters, categories, models."""
    open_sessions: int = 0
    hidden_judgments: int = 0
    """Judgments of sessions that are still open: left out of every figure until the reveal."""


@dataclass(frozen=True)
class Item:
    """One text behind a finding."""

    key: str
    title: str
    note: str
    text: str


@dataclass(frozen=True)
class Items:
    """The first of `total` texts behind a finding."""

    total: int
    items: tuple[Item, ...]


class ChartSource(Protocol):
    """Reads what the charts show. Called on a worker thread; `ctx.check()` between readings."""

    def load(self, ctx: JobContext) -> ChartData: ...

    def items(self, ctx: JobContext, finding: Finding) -> Items: ...


def identity_of(finding: Finding) -> str:
    """The identity a share or a distance is about."""
    return finding.dims.get("identity") or (finding.groups[0] if len(finding.groups) == 1 else finding.label)


def pooled(findings: Iterable[Finding], finding_id: str, *, over: frozenset[str]) -> list[Finding]:
    """Findings with this id whose dims are among `over`: breakdowns by task or theme are other charts."""
    return [found for found in findings if found.id == finding_id and set(found.dims) <= over]


def in_default(findings: Iterable[Finding]) -> list[Finding]:
    return [found for found in findings if found.variant == "default"]
