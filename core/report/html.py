"""Findings as one HTML page that loads nothing from anywhere.

First the questions with an answer in one sentence each, then the study's figures, then every finding by its question.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

import core
from core.draw import digits, words
from core.draw.figure import Figure
from core.draw.svg import page_style, svg
from core.draw.verdicts import apart
from core.findings import Finding, ScorerUse, StudyResult
from core.machine.models.catalogue import scorer_title
from core.own import own_files
from core.report.figures import figures_of
from core.report.questions import Answered, answered, kind_title
from core.report.whole_file import write_whole

TEMPLATE = "findings.html.j2"
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


def write_report(result: StudyResult, path: Path, *, title: str, recipe: Mapping[str, Any]) -> None:
    """Write the page whole or not at all; `AppError` where it cannot be written."""
    write_whole(path, report_html(result, title=title, recipe=recipe).encode("utf-8", "replace"))


def report_html(result: StudyResult, *, title: str, recipe: Mapping[str, Any]) -> str:
    """The page. Every text is escaped: what a model or a file wrote is never markup."""
    from markupsafe import Markup

    in_order = sorted(result.findings, key=lambda finding: (finding.id, finding.variant == "as_published"))
    page: str = template(TEMPLATE).render(
        title=title,
        rows=f"{result.rows:,}" if result.rows else "",
        dropped=", ".join(f"{count:,} × {reason}" for reason, count in result.dropped.items()),
        program_version=core.__version__,
        palette=Markup(page_style()),
        figures=[_figure(figure) for figure in figures_of(result.study, result.findings)],
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        questions=[_question(one) for one in answered(result.study, in_order)],
        methods=_methods(in_order, recipe),
    )
    return page


def template(name: str) -> Any:
    """A template of resources/report; every text that is put into it is escaped."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def read(file: str) -> str:
        return own_files("resources").joinpath("report", file).read_text(encoding="utf-8")

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(read)
    )
    return environment.get_template(name)


def _figure(figure: Figure) -> dict[str, Any]:
    from markupsafe import Markup

    # The drawing escapes every text that it holds.
    drawn = Markup(svg(figure, theme="page", alone=False))
    return {"name": figure.name, "title": figure.title, "drawn": drawn, "rows": table_beside(figure)}


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


def _question(one: Answered) -> dict[str, Any]:
    by_kind = groupby(one.findings, key=lambda finding: (finding.id, finding.variant))
    return {
        "question": one.question,
        "answer": one.answer,
        "groups": [_group(key, list(found)) for key, found in by_kind],
    }


def _group(key: tuple[str, str], findings: Sequence[Finding]) -> dict[str, Any]:
    finding_id, variant = key
    remarks = [(finding.label, text) for finding in findings for text in (finding.reason, finding.note) if text]
    return {
        "title": kind_title(finding_id) + (" (as published)" if variant == "as_published" else ""),
        "id": finding_id,
        "findings": [_row(finding) for finding in findings],
        "notes": _notes(remarks),
    }


def _notes(remarks: Sequence[tuple[str, str]]) -> list[str]:
    """Each remark once, with the labels it is about."""
    labels: dict[str, list[str]] = {}
    for label, text in remarks:
        labels.setdefault(text, []).append(label)
    return [f"{', '.join(dict.fromkeys(about))}: {text}" for text, about in labels.items()]


def _row(finding: Finding) -> dict[str, Any]:
    dims = ", ".join(f"{name} {value}" for name, value in sorted(finding.dims.items()))
    estimate, interval = digits.of_finding(finding)
    return {
        "title": f"{finding.title} ({dims})" if dims and dims not in finding.title else finding.title,
        "badges": [f"{use.role.replace('_', ' ')}: stand-in" for use in finding.scorers if use.stand_in],
        "groups": ", ".join(finding.groups),
        "estimate": estimate,
        "interval": _at_level(interval, finding) or "–",
        "apart": apart(finding),
        "floor": "" if finding.floor is None else digits.number(finding.floor.p95),
        "n": digits.count(finding.n),
        "p": digits.p_text(finding.p),
        "p_adjusted": digits.p_text(finding.p_adjusted),
    }


def _scorer_words(use: ScorerUse) -> str:
    """Its title, and the name and version that a measurement is made with."""
    title = scorer_title(use.name)
    named = f"{use.name} {use.version}"
    return (named if title == use.name else f"{title}: {named}") + (" (stand-in)" if use.stand_in else "")


def _methods(findings: Sequence[Finding], recipe: Mapping[str, Any]) -> list[dict[str, str]]:
    scorers = {use for finding in findings for use in finding.scorers}
    lines = [
        {"name": f"Scorer for {use.role.replace('_', ' ')}", "text": _scorer_words(use)}
        for use in sorted(scorers, key=lambda use: (use.role, use.name))
    ]
    adjusted = sorted({f"{f.adjust.method} within {f.adjust.family}" for f in findings if f.adjust})
    lines += [{"name": "Adjustment for many tests", "text": text} for text in adjusted]
    lines += [{"name": "Source", "text": text} for text in sorted({f.source for f in findings if f.source})]
    return lines + [{"name": name, "text": str(value)} for name, value in sorted(recipe.items())]
