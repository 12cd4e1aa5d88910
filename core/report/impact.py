"""Tables of impact ratios as Local Law 144 asks for them: by each column, and by two columns crossed.

A table says rates and ratios and counts who is left out. It does not say whether a law is kept: the law sets no bound.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal

import numpy as np

from biasprint.core.draw import digits
from biasprint.core.findings import Finding
from biasprint.core.machine.models.catalogue import scorers
from biasprint.core.metrics.grouped import SMALL_SHARE, CategoryRate, ImpactRatios, above_median, impact_ratios
from biasprint.core.metrics.result import Floats
from biasprint.core.report.audit.audited import AuditPage, AuditReport
from biasprint.core.report.blocks import Block, Heading, ReportTable, said
from biasprint.core.studies.compare.gather import outcome
from biasprint.core.tables.fields import FieldSpec
from biasprint.core.tables.rows import read_numbers
from biasprint.core.text import for_matching

SEX, RACE, SELECTED, SCORE = "sex", "race", "selected", "score"
FIELDS = (
    FieldSpec(SEX, aliases=("gender", "sex_category"), description="the person's sex"),
    FieldSpec(
        RACE,
        aliases=("race_ethnicity", "race/ethnicity", "ethnicity", "race_or_ethnicity", "ethnic_group"),
        description="the person's race or ethnicity",
    ),
    FieldSpec(
        SELECTED,
        aliases=("outcome", "invited", "hired", "chosen", "advanced", "decision", "result"),
        description="whether the person was selected, yes or no",
    ),
    FieldSpec(SCORE, aliases=("rating", "rank_score", "points"), description="the person's score"),
)
UNKNOWN = "not known"
_UNKNOWN = frozenset(
    ("unknown", UNKNOWN, "n/a", "na", "nan", "none", "null", "?", "-", "not disclosed", "undisclosed", "not stated",
     "not reported", "not specified", "unspecified", "prefer not to say", "prefer not to answer", "decline to answer",
     "decline to state", "declined to answer", "declined to state", "i do not wish to answer")
)  # fmt: skip
CROSSED = " × "
RATE = "compare.rate"
Kind = Literal["selection", "scoring"]
WORDS: Mapping[Kind, tuple[str, str]] = {
    "selection": ("selected", "selection rate"),
    "scoring": ("above the median", "scoring rate"),
}
HEADER = ("n", "share of rows", "impact ratio", "interval", "remark")
LIMITS = (
    "A ratio is a category's rate over the highest rate. Local Law 144 asks for it to be published and sets no bound; "
    "29 CFR 1607.4(D) looks closer below 0.8. Small numbers move a ratio by chance: read its interval.",
    "A category with less than 2 % of the rows, or one that is not known, is counted and never the "
    "highest; 6 RCNY § 5-301 lets a summary leave its ratio out if it says so.",
)


@dataclass(frozen=True)
class OutcomeColumn:
    """One number of each row, NaN where it has none. `label`: its name; `why`: counts of rows without
    one, by reason. 1 and 0 for a selection.
    """

    label: str
    kind: Kind
    values: Floats
    why: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class ImpactTable:
    """Impact ratios by one column, or by two crossed. `median`: of the scores, None for a selection; `left_out`: rows
    without an outcome, by reason.
    """

    by: tuple[str, ...]
    label: str
    kind: Kind
    found: ImpactRatios
    median: float | None
    left_out: Mapping[str, int]

    @property
    def title(self) -> str:
        of = "" if self.label in (SELECTED, SCORE) else f" of {self.label}"
        return f"{WORDS[self.kind][1].capitalize()}{of}, by {CROSSED.join(self.by)}"


def outcomes_of(rows: Sequence[Mapping[str, str]]) -> list[OutcomeColumn]:
    """Read the columns `selected` and `score` of a table, those of them that are filled."""
    read = []
    if any(row.get(SELECTED, "").strip() for row in rows):
        cells = [row.get(SELECTED, "").strip() for row in rows]
        values = [outcome(cell) for cell in cells]
        bad = Counter(
            f"“{cell[:40]}” is no yes or no" if cell else "no outcome"
            for cell, value in zip(cells, values, strict=True)
            if value != value
        )
        read.append(OutcomeColumn(SELECTED, "selection", np.array(values), bad))
    if any(row.get(SCORE, "").strip() for row in rows):
        cells = [row.get(SCORE, "").strip() for row in rows]
        numbers = read_numbers(SCORE, cells)
        bad = Counter(
            numbers.reason if cell else "no score"
            for cell, value in zip(cells, numbers.values, strict=True)
            if value != value
        )
        read.append(OutcomeColumn(SCORE, "scoring", np.array(numbers.values), bad))
    return read


def impact_tables(columns: Mapping[str, Sequence[str]], outcomes: Sequence[OutcomeColumn]) -> list[ImpactTable]:
    """Return a table for each outcome by each column and by each two of them crossed."""
    known = {name: [_known(cell) for cell in cells] for name, cells in columns.items() if any(map(_known, cells))}
    each = [(name,) for name in known]
    return [
        table
        for measured in outcomes
        for by in [*each, *combinations(known, 2)]
        if (table := _table(by, [known[name] for name in by], measured)) is not None
    ]


def of_rates(findings: Sequence[Finding]) -> Iterator[ImpactTable]:
    """Yield tables of the shares that were found of groups, such as of candidates in the top place.

    Refusals are no selections. A group whose rate is withheld is counted as left out.
    """
    refusals = {name for name, scorer in scorers().items() if scorer.role == "refusal"}
    found: dict[tuple[str, ...], list[Finding]] = {}
    for finding in findings:
        if finding.id == RATE and finding.variant == "default" and finding.label not in refusals:
            dims = [value for name, value in finding.dims.items() if name != "by"]
            found.setdefault((finding.label, finding.dims.get("by", "group"), *dims), []).append(finding)
    for (label, by, *dims), rates in found.items():
        selected, people = [], []
        for rate in rates:
            chosen = None if rate.estimate is None else round(rate.estimate * rate.n)
            if chosen is not None:
                people += [(rate.groups[0],)] * rate.n
                selected += [True] * chosen + [False] * (rate.n - chosen)
        left_out = Counter(
            {f"group {rate.groups[0]}: {rate.reason}": rate.n for rate in rates if rate.estimate is None}
        )
        if people:
            ratios = impact_ratios(np.array(selected), people)
            yield ImpactTable((by,), ", ".join([label, *dims]), "selection", ratios, None, left_out)


def _known(cell: str) -> str:
    text = " ".join(cell.split())
    return "" if for_matching(text) in _UNKNOWN else text


def _table(by: tuple[str, ...], cells: Sequence[Sequence[str]], measured: OutcomeColumn) -> ImpactTable | None:
    there = ~np.isnan(measured.values)
    values = measured.values[there]
    if not len(values):
        return None
    selected = values.astype(bool) if measured.kind == "selection" else above_median(values)
    people = [own for own, is_there in zip(zip(*cells, strict=True), there.tolist(), strict=True) if is_there]
    median = None if measured.kind == "selection" else float(np.median(values))
    return ImpactTable(by, measured.label, measured.kind, impact_ratios(selected, people), median, dict(measured.why))


# ---- Said


def category_name(rate: CategoryRate) -> str:
    return CROSSED.join(value or UNKNOWN for value in rate.category)


def remark_of(rate: CategoryRate, table: ImpactTable) -> str:
    """Say whether a category is the highest, small or not known, or why it has no ratio."""
    if rate.category == table.found.highest and rate.ratio.value is not None:
        return "the highest"
    parts = (
        "not known" if rate.unknown else "",
        f"under {_percent(SMALL_SHARE, 0)} of the rows" if rate.small else "",
        "" if rate.ratio.value is not None else rate.ratio.reason,
    )
    return "; ".join(filter(None, parts))


def header_of(table: ImpactTable) -> tuple[str, ...]:
    return (CROSSED.join(table.by), HEADER[0], *WORDS[table.kind], *HEADER[1:])


def rows_of(table: ImpactTable) -> list[tuple[str, ...]]:
    """Return the table's rows as they are printed, in the order of `header_of`."""
    rows: list[tuple[str, ...]] = []
    for rate in table.found.rates:
        bounds = rate.ratio.interval.bounds
        ends = "" if bounds is None else f"{digits.fixed(bounds.low, 2)}–{digits.fixed(bounds.high, 2)}"
        ratio = "–" if rate.ratio.value is None else digits.fixed(rate.ratio.value, 3)
        rows.append(
            (category_name(rate), digits.count(rate.n), digits.count(rate.selected), _percent(rate.rate),
             _percent(rate.share), ratio, ends, remark_of(rate, table))
        )  # fmt: skip
    return rows


def _percent(share: float, decimals: int = 1) -> str:
    return f"{digits.fixed(100 * share, decimals)} %"


def sentences_of(table: ImpactTable) -> Iterator[str]:
    """Yield how many rows were counted, how many are not known, and how many were left out for which reason."""
    found = table.found
    what = " or ".join(table.by)
    rows = digits.count(found.n)
    yield f"{rows} rows; {what} is not known of {digits.count(found.unknown)}." if found.unknown else f"{rows} rows."
    if small := [category_name(rate) for rate in found.rates if rate.small and not rate.unknown]:
        yield f"Under {_percent(SMALL_SHARE, 0)} of the rows: {', '.join(small)}."
    level = next((bounds.level for rate in found.rates if (bounds := rate.ratio.interval.bounds)), None)
    if level is not None:
        yield f"Intervals at {digits.level_text(level)} %, which makes up for choosing the highest of the rates."
    if table.median is not None:
        yield f"The median score of these rows is {table.median:g}; a score equal to it does not lie above it."
    if table.left_out:
        reasons = "; ".join(f"{digits.count(count)} × {reason}" for reason, count in table.left_out.items())
        yield f"Left out: {reasons}."
    if found.reason:
        yield f"There is no highest rate: {found.reason}."


def to_json(table: ImpactTable) -> dict[str, Any]:
    """Return the table as plain values; `ratio` is null where it is undefined."""
    found = table.found
    rates = [
        {
            "category": dict(zip(table.by, (value or None for value in rate.category), strict=True)), "n": rate.n,
            "selected": rate.selected, "rate": rate.rate, "share": rate.share, "impact_ratio": rate.ratio.value,
            "interval": None if (bounds := rate.ratio.interval.bounds) is None else [bounds.low, bounds.high],
            "level": None if bounds is None else bounds.level, "small": rate.small, "unknown": rate.unknown,
            "highest": rate.category == found.highest,
        }
        for rate in found.rates
    ]  # fmt: skip
    return {
        "by": list(table.by), "outcome": table.label, "rate": WORDS[table.kind][1], "rows": found.n,
        "unknown": found.unknown, "median": table.median, "left_out": dict(table.left_out), "categories": rates,
    }  # fmt: skip


def impact_report(tables: Sequence[ImpactTable], about: str, remarks: Sequence[str] = ()) -> AuditReport:
    """Return the tables as a report, which `report_bytes` writes."""
    blocks: list[Block] = [said(sentence) for sentence in remarks]
    for table in tables:
        blocks.append(Heading(table.title, 2))
        blocks.append(ReportTable(header_of(table), tuple(rows_of(table)), WIDTHS))
        blocks += [said(sentence, soft=True, bullet=True) for sentence in sentences_of(table)]
    blocks += [said(sentence, soft=True, bullet=True) for sentence in LIMITS]
    return AuditReport("Impact ratios", about, (AuditPage("Impact ratios", tuple(blocks)),))


WIDTHS = (0.28, 0.08, 0.1, 0.1, 0.1, 0.1, 0.12, 0.12)
