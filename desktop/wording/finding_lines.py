"""The rows of the findings table: frozen, with every text and sort key made beforehand, in the job that reads them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from core.draw import digits
from core.findings import Finding
from desktop.widgets.safe_text import safe_line
from desktop.widgets.words import tr
from desktop.wording import findings as words
from desktop.wording.titles import Titles

Significance = Literal["significant", "not", "untested"]
Key = str | float | None
SIGNIFICANT = 0.05
POOLED = ""  # the axis of a finding that is pooled over axes, or about none


class Cells(NamedTuple):
    """What the table shows of a finding, or sorts it by, column by column."""

    finding: Any
    groups: Any
    estimate: Any
    n: Any
    p: Any
    p_adjusted: Any
    floor: Any
    variant: Any
    study: Any


COLUMNS: tuple[str, ...] = Cells._fields
NUMERIC = frozenset({"estimate", "n", "p", "p_adjusted", "floor"})


@dataclass(frozen=True)
class FindingLine:
    """A finding as the table shows it. `about`: its dims in words; `unit` of its estimate; `groups`: titles by key."""

    study: str
    finding: Finding
    about: str
    unit: str
    groups: Mapping[str, str]
    shown: Cells  # short safe texts
    keys: Cells  # str or number, None last
    found_by: str  # what a search looks through

    @property
    def same(self) -> tuple[Any, ...]:
        """What stays when the study is measured again."""
        one = self.finding
        return self.study, one.id, one.label, one.variant, one.groups, tuple(sorted(one.dims.items()))

    @property
    def stand_in(self) -> bool:
        return any(use.stand_in for use in self.finding.scorers)

    @property
    def significance(self) -> Significance:
        return significance(self.finding)


@dataclass(frozen=True)
class Measurement:
    """How a study of the project was measured last; `measured_at` is empty where it never was."""

    study: str
    title: str
    measured_at: str = ""
    recipe: Mapping[str, Any] | None = None
    new_texts: int = 0  # outputs and sources that came later
    new_sessions: int = 0  # rating sessions revealed later


@dataclass(frozen=True)
class FindingsData:
    """Everything the findings panel shows at one moment. `axes`: those that findings are about, with their titles."""

    lines: tuple[FindingLine, ...] = ()
    axes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class FindingFilter:
    """Which findings; a field that is None does not narrow. `text`: words that must all be there, in any order."""

    study: str | None = None
    axis: str | None = None
    significance: Significance | None = None
    variant: str | None = None
    undefined: bool = True
    text: str = ""

    def matching(self, lines: Sequence[FindingLine]) -> list[FindingLine]:
        wanted = self.text.casefold().split()
        return [
            line
            for line in lines
            if (self.study is None or line.study == self.study)
            and (self.axis is None or line.finding.dims.get("axis", POOLED) == self.axis)
            and (self.variant is None or line.finding.variant == self.variant)
            and (self.undefined or line.finding.estimate is not None)
            and (self.significance is None or line.significance == self.significance)
            and all(word in line.found_by for word in wanted)
        ]


def significance(finding: Finding) -> Significance:
    """By the adjusted p alone: a raw p, the paper's own among them, says little beside many others."""
    if finding.p_adjusted is None:
        return "untested"
    return "significant" if finding.p_adjusted <= SIGNIFICANT else "not"


def line_of(finding: Finding, study: str, study_title: str, titles: Titles) -> FindingLine:
    """The table's view of a finding."""
    about = words.about(finding, titles)
    groups = words.group_titles(finding, titles)
    figure, interval = words.figures(finding)
    floor = finding.floor
    shown = Cells(
        finding=finding.title,
        groups=", ".join(groups.values()),
        estimate=f"{figure} ({interval})" if interval else figure,
        n=digits.count(finding.n),
        p=digits.p_text(finding.p),
        p_adjusted=digits.p_text(finding.p_adjusted),
        floor="" if floor is None else digits.number(floor.p95),
        variant=tr("default") if finding.variant == "default" else tr("as published"),
        study=study_title,
    )
    keys = Cells(
        finding=(finding.title.casefold(), about.casefold()),
        groups=shown.groups.casefold(),
        estimate=finding.estimate,
        n=finding.n,
        p=finding.p,
        p_adjusted=finding.p_adjusted,
        floor=None if floor is None else floor.p95,
        variant=shown.variant,
        study=study_title.casefold(),
    )
    said = (finding.id, finding.label, finding.title, about, shown.groups, finding.unit, study_title, finding.harm)
    shown = Cells(*(safe_line(str(cell)) for cell in shown))
    unit = safe_line(finding.unit) if finding.estimate is not None else ""
    return FindingLine(study, finding, safe_line(about), unit, groups, shown, keys, "\n".join(said).casefold())
