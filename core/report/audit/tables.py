"""Findings, and what figures show, as tables of a report."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from biasprint.core.draw import digits, words
from biasprint.core.draw.figure import Figure
from biasprint.core.draw.verdicts import apart
from biasprint.core.findings import BETWEEN_GENERATORS, Finding
from biasprint.core.report.audit.audited import Audited
from biasprint.core.report.blocks import Block, Heading, ReportTable, said
from biasprint.core.studies.kit.choose import kind_title

HEADER = ("What", "Estimate", "95 % interval, or as said", "Floor (95 %)", "n", "p", "p adjusted")
WIDTHS = (0.36, 0.11, 0.18, 0.08, 0.07, 0.09, 0.11)
MOST_TOLD = 3  # findings that a remark names
WITHOUT_INTERVAL = "interval: "  # so begins the reason of a finding that has a number and no interval
NUMBERS = re.compile(r"−?\d[\d.,]*(?:e[-+]?\d+)?")
# Of the table beside a figure: the keys of `table_beside`, and what stands above each column.
FIGURE_COLUMNS = {
    "what": "What",
    "estimate": "Estimate",
    "interval": "95 % interval, or as said",
    "floor": "Floor (95 %)",
    "n": "n",
    "p": "p",
    "p_adjusted": "p adjusted",
    "published": "Printed in the paper",
}


def findings_table(findings: Sequence[Finding]) -> ReportTable:
    return ReportTable(HEADER, tuple(_row(one) for one in findings), WIDTHS)


def all_findings(audited: Audited) -> Iterator[Block]:
    """Every finding, by what it is."""
    in_order = [finding for one in audited.questions for finding in one.findings]
    for (finding_id, variant), same in groupby(in_order, key=lambda one: (one.id, one.variant)):
        findings = list(same)
        units = {one.unit for one in findings} - {""}
        unit = f" ({units.pop()})" if len(units) == 1 and not digits.is_proportion(next(iter(units))) else ""
        yield Heading(f"{kind_title(finding_id)}{', as published' if variant == 'as_published' else ''}{unit}", 2)
        yield findings_table(findings)
        yield from remarks(findings)


def remarks(findings: Sequence[Finding]) -> list[Block]:
    """Why numbers are missing, and what is to be said of them: each once, with whom it is about."""
    return _told(((one, text) for one in findings for text in (one.reason, one.note, apart(one))), len(findings))


def reasons(findings: Sequence[Finding]) -> list[Block]:
    """Why numbers are missing, and where interval and test say different things."""
    return _told(((one, text) for one in findings for text in (one.reason, apart(one))), len(findings))


def _told(remarks: Iterable[tuple[Finding, str | None]], among: int) -> list[Block]:
    """Each once, with what it is about; those that differ in their numbers alone as one, and the rest is counted."""
    alike: dict[str, dict[str, list[str]]] = {}
    for one, remark in remarks:
        if remark:
            bare = remark.removeprefix(WITHOUT_INTERVAL)
            text = remark if bare == remark else f"No interval: {bare}"
            alike.setdefault(NUMBERS.sub("#", text), {}).setdefault(text, []).append(_name(one))
    return [said(_remark(texts, among), soft=True) for texts in alike.values()]


def _remark(texts: Mapping[str, Sequence[str]], among: int) -> str:
    """`texts`: remarks that are alike → what each is about; `among`: how many findings there are."""
    first, names = next(iter(texts.items()))
    own = list(dict.fromkeys(names))
    others = sum(map(len, texts.values())) - len(names)
    about = "; ".join(own[:MOST_TOLD]) + (f"; and {len(own) - MOST_TOLD:,} more" if len(own) > MOST_TOLD else "")
    told = first if len(names) == among > 1 else f"{about}: {first}"
    return f"{told} The same, with other numbers, of {others:,} more." if others else told


def _name(finding: Finding) -> str:
    """Its title, and what tells it from others of that title."""
    dims = [value for name, value in finding.shown_dims.items() if value and finding.dims[name] not in finding.title]
    if finding.id.endswith(BETWEEN_GENERATORS):
        dims.append(" against ".join(finding.groups))
    return f"{finding.title} ({', '.join(dims)})" if dims else finding.title


def _row(finding: Finding) -> tuple[str, ...]:
    stand_in = " (stand-in)" if any(use.stand_in for use in finding.scorers) else ""
    estimate, interval = digits.written(finding.estimate, *digits.ends(finding.interval), unit=finding.unit)
    return (
        f"{_name(finding)}{stand_in}",
        estimate,
        _at_level(interval, finding) or "–",
        "" if finding.floor is None else digits.number(finding.floor.p95, finding.unit),
        digits.count(finding.n),
        digits.p_text(finding.p),
        digits.p_text(finding.p_adjusted),
    )


def table_beside(figure: Figure) -> list[dict[str, str]]:
    """What the figure shows, in words and numbers as people read them."""
    rows = []
    for mark in figure.marks:
        estimate, interval = words.written(figure, mark)
        # A part of a finding, such as one group's, was not tested.
        p, p_adjusted = (mark.finding.p, mark.finding.p_adjusted) if mark.whole else (None, None)
        rows.append(
            {
                "what": ", ".join(part for part in (mark.section, mark.row, mark.series) if part),
                "estimate": digits.UNDEFINED if mark.value is None and not mark.text else estimate,
                "interval": _at_level(interval, mark.finding) or (mark.reason if mark.value is None else "–"),
                "floor": digits.number(mark.floor.p95, words.unit_of(figure, mark)) if mark.floor else "",
                "n": digits.count(mark.n),
                "p": digits.p_text(p),
                "p_adjusted": digits.p_text(p_adjusted),
                "published": ", ".join(words.printed(figure, mark)),
            }
        )
    return rows


def _at_level(interval: str, finding: Finding) -> str:
    """The interval, with its level where that is not the usual one."""
    level = digits.level_beside(finding.interval)
    return f"{interval} at {level}" if interval and level else interval
