"""A figure as data: findings arranged as a paper's figure or table shows them, before anything is drawn.

Every kind is made of marks, each in a row and a series:

- `intervals`: a row each, one series; estimate and interval on a common axis, n at the right.
- `grouped`: the same with several series in a row, such as biased against unbiased prompts.
- `bars`: the same, each value a bar from the beginning of the axis.
- `matrix`: rows × series (the columns), the value as colour and as a number; `null` is the middle of the colours.
- `line`: `FigureMark.x` against the value, a line per series.
- `table`: rows × series (the columns) as numbers with their intervals; for what mixes units.

Rows and series are in the order in which they first appear. Every mark carries the finding that it came from, so that
hovering can tell and clicking can open it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from biasprint.core.draw import digits
from biasprint.core.findings import Finding, Floor
from biasprint.core.machine.models.catalogue import scorer_title

FigureKind = Literal["intervals", "grouped", "bars", "matrix", "line", "table"]
NOTHING = "There is nothing to show yet."


@dataclass(frozen=True)
class Printed:
    """A value that a paper prints, to be shown beside ours: `who` (a model) and `where` (“Figure 2a”)."""

    value: float
    who: str
    where: str = ""


@dataclass(frozen=True)
class FigureMark:
    """One drawn value: usually the finding's estimate, or one group of its contrast.

    `value` is None where it is undefined, and `reason` then says why. `section` is a heading over a block of rows
    (empty: none). `x` is the place on the horizontal axis of a `line`. Values are in the finding's unit.
    `text`: the content of a cell of a `table` in place of the number. `band`: the interval is a provisional one, of a
    session that goes on. `tip`: what hovering tells, line by line, in place of the usual words.
    """

    finding: Finding
    row: str
    series: str = ""
    section: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    n: int = 0
    floor: Floor | None = None
    references: tuple[Printed, ...] = ()
    x: float | None = None
    unit: str = ""
    text: str = ""
    band: bool = False
    tip: str = ""

    @property
    def whole(self) -> bool:
        """True if the value is the finding's estimate, maybe in another unit, not one group or another part of it."""
        return self.low is not None or (self.value == self.finding.estimate and not self.text)


@dataclass(frozen=True)
class Figure:
    """A figure of a study.

    `key`: its name in `Study.figures`. `part`: which of several figures of that key, such as an axis; empty where there
    is one. `subtitle`: what one sees, a sentence. `unit` and `axis`: of the values, the second as words for the axis.
    `null`: the value that says “no bias”, None where there is none; `null_words` says what it is. `rows_title` and
    `series_title`: what rows and series are, such as “rater”. `x_axis`: of a `line`. `source`: the paper's figures and
    tables that it covers. `n_title`: what n counts. `note`: what is to be said below, line by line. `complete` is False
    before the planned n: no p-value leaves the figure, not in an export either; `band_words` then says what the
    provisional intervals are. `empty`: what to do where there is nothing yet.
    """

    key: str
    study: str
    title: str
    subtitle: str
    kind: FigureKind
    marks: tuple[FigureMark, ...]
    unit: str = ""
    axis: str = ""
    scale: Literal["linear", "log"] = "linear"
    null: float | None = None
    null_words: str = "no difference"
    rows_title: str = ""
    series_title: str = ""
    x_axis: str = ""
    source: str = ""
    note: str = ""
    part: str = ""
    n_title: str = "n"
    complete: bool = True
    band_words: str = ""
    empty: str = NOTHING

    @property
    def name(self) -> str:
        """Key and part: no other figure of the same findings has it."""
        return f"{self.key} {self.part}".strip()

    @property
    def percent(self) -> bool:
        """Return whether the values are proportions, to be written as percentages."""
        return digits.is_proportion(self.unit)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Return the findings behind the marks, each once, in reading order."""
        return tuple({id(mark.finding): mark.finding for mark in self.marks}.values())

    @property
    def stand_ins(self) -> tuple[str, ...]:
        """The stand-in scorers behind its numbers: "stand-in for embedding: MiniLM embeddings"."""
        uses = {use for finding in self.findings for use in finding.scorers if use.stand_in}
        roles = {(use.role.replace("_", " "), scorer_title(use.name)) for use in uses}
        return tuple(f"stand-in for {role}: {title}" for role, title in sorted(roles))

    @cached_property
    def sections(self) -> tuple[str, ...]:
        return _in_order(mark.section for mark in self.marks)

    @cached_property
    def rows(self) -> tuple[tuple[str, str], ...]:
        """Section and row of every row, the rows of a section together."""
        places = {section: place for place, section in enumerate(self.sections)}
        places_seen = dict.fromkeys((mark.section, mark.row) for mark in self.marks)
        return tuple(sorted(places_seen, key=lambda row: places[row[0]]))

    @cached_property
    def series(self) -> tuple[str, ...]:
        return _in_order(mark.series for mark in self.marks)

    @property
    def defined(self) -> bool:
        """Is there anything to see?"""
        return any(mark.value is not None or mark.text for mark in self.marks)

    def at(self, section: str, row: str) -> tuple[FigureMark, ...]:
        """The marks of one row, in the order of the series."""
        places = {series: place for place, series in enumerate(self.series)}
        here = (mark for mark in self.marks if (mark.section, mark.row) == (section, row))
        return tuple(sorted(here, key=lambda mark: places[mark.series]))


def mark(
    finding: Finding,
    row: str,
    *,
    series: str = "",
    section: str = "",
    references: Iterable[Printed] = (),
    x: float | None = None,
    text: str = "",
) -> FigureMark:
    """The finding's estimate as a mark."""
    bounds = finding.interval if finding.estimate is not None else None
    return FigureMark(
        finding=finding,
        row=row,
        series=series,
        section=section,
        value=finding.estimate,
        low=bounds.low if bounds else None,
        high=bounds.high if bounds else None,
        reason="" if finding.estimate is not None else finding.reason or "",
        n=finding.n,
        floor=finding.floor,
        references=tuple(references),
        x=x,
        unit=finding.unit,
        text=text,
    )


def contrast_marks(finding: Finding) -> list[FigureMark]:
    """A mark for each group of the finding's signed contrast; the finding has no interval for them."""
    return [
        FigureMark(
            finding=finding,
            row=group,
            value=value,
            n=finding.n_by_group.get(group, finding.n),
            unit=finding.unit,
        )
        for group, value in (finding.contrast or {}).items()
    ]


def renamed(figure: Figure, names: Mapping[str, str]) -> Figure:
    """The figure with other words for some rows, series and sections, such as an axis's own for its identities."""

    def name(text: str) -> str:
        return names.get(text, text)

    marks = tuple(
        replace(mark, row=name(mark.row), series=name(mark.series), section=name(mark.section)) for mark in figure.marks
    )
    return replace(figure, marks=marks)


def _in_order(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
