"""Findings as tables of a report."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from core.draw import digits
from core.draw.verdicts import apart
from core.findings import Finding
from core.report.audit.audited import Audited
from core.report.blocks import Block, Heading, ReportTable, said
from core.report.questions import kind_title

HEADER = ("What", "Estimate", "95 % interval, or as said", "Floor (95 %)", "n", "p", "p adjusted")
WIDTHS = (0.36, 0.11, 0.18, 0.08, 0.07, 0.09, 0.11)


def findings_table(findings: Sequence[Finding]) -> ReportTable:
    return ReportTable(HEADER, tuple(_row(one) for one in findings), WIDTHS)


def all_findings(audited: Audited) -> Iterator[Block]:
    """Every finding, by what it is."""
    in_order = [finding for one in audited.questions for finding in one.findings]
    for (finding_id, variant), same in groupby(in_order, key=lambda one: (one.id, one.variant)):
        findings = list(same)
        yield Heading(kind_title(finding_id) + (", as published" if variant == "as_published" else ""), 2)
        yield findings_table(findings)
        yield from remarks(findings)


def remarks(findings: Sequence[Finding]) -> list[Block]:
    """Why numbers are missing, and what is to be said of them: each once, with whom it is about."""
    return _told((one, text) for one in findings for text in (one.reason, one.note, apart(one)))


def reasons(findings: Sequence[Finding]) -> list[Block]:
    """Why numbers are missing, and where interval and test say different things."""
    return _told((one, text) for one in findings for text in (one.reason, apart(one)))


def _told(remarks: Iterable[tuple[Finding, str | None]]) -> list[Block]:
    about: dict[str, list[str]] = {}
    for one, text in remarks:
        if text:
            about.setdefault(text, []).append(one.label)
    return [said(f"{', '.join(dict.fromkeys(labels))}: {text}", soft=True) for text, labels in about.items()]


def _row(finding: Finding) -> tuple[str, ...]:
    dims = ", ".join(value for _, value in sorted(finding.shown_dims.items()) if value and value not in finding.title)
    stand_in = " (stand-in)" if any(use.stand_in for use in finding.scorers) else ""
    estimate, interval = digits.of_finding(finding)
    level = digits.level_beside(finding.interval)
    return (
        f"{finding.title}{f' ({dims})' if dims else ''}{stand_in}",
        estimate,
        f"{interval} at {level}" if interval and level else interval or "–",
        "" if finding.floor is None else digits.number(finding.floor.p95),
        digits.count(finding.n),
        digits.p_text(finding.p),
        digits.p_text(finding.p_adjusted),
    )
