"""Content of a study's report, page by page."""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from itertools import groupby
from typing import Any

from biasprint import core
from biasprint.core.draw import digits, words
from biasprint.core.draw.figure import Figure
from biasprint.core.draw.verdicts import apart
from biasprint.core.findings import BETWEEN_GENERATORS, Finding, ScorerUse
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.report.audit.audited import Audited, AuditPage, AuditReport
from biasprint.core.report.audit.first_page import first_page, most_dropped
from biasprint.core.report.blocks import Block, Cell, Heading, ReportFigure, ReportParagraph, ReportTable, Run, said
from biasprint.core.report.figures import figures_of
from biasprint.core.report.questions import evidence, question_of
from biasprint.core.studies.kit.choose import kind_title

# ---- Tables

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
    """Return why numbers are missing, and remarks on findings: each once, with the findings that it is about."""
    return _told(((one, text) for one in findings for text in (one.reason, one.note, apart(one))), len(findings))


def reasons(findings: Sequence[Finding]) -> list[Block]:
    """Return why numbers are missing, and where interval and test disagree."""
    return _told(((one, text) for one in findings for text in (one.reason, apart(one))), len(findings))


def _told(remarks: Iterable[tuple[Finding, str | None]], among: int) -> list[Block]:
    """Return each remark once, with what it is about; those that differ only in numbers as one, the rest counted."""
    alike: dict[str, dict[str, list[str]]] = {}
    for one, remark in remarks:
        if remark:
            bare = remark.removeprefix(WITHOUT_INTERVAL)
            text = remark if bare == remark else f"No interval: {bare}"
            alike.setdefault(NUMBERS.sub("#", text), {}).setdefault(text, []).append(_name(one))
    return [said(_remark(texts, among), soft=True) for texts in alike.values()]


def _remark(texts: Mapping[str, Sequence[str]], among: int) -> str:
    """Word remarks that are alike. `texts`: remark → what each is about; `among`: the number of findings."""
    first, names = next(iter(texts.items()))
    own = list(dict.fromkeys(names))
    others = sum(map(len, texts.values())) - len(names)
    about = "; ".join(own[:MOST_TOLD]) + (f"; and {len(own) - MOST_TOLD:,} more" if len(own) > MOST_TOLD else "")
    told = first if len(names) == among > 1 else f"{about}: {first}"
    return f"{told} The same, with other numbers, of {others:,} more." if others else told


def _name(finding: Finding) -> str:
    """Return its title, and what distinguishes it from others of that title."""
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
    """Return the content of the figure as rows, in words and numbers as people read them."""
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


# ---- Methods, on the last page

PAIR = (0.28, 0.72)
MOST_PATTERNS, LONGEST_PROMPT = 40, 3000  # wordings of a prompt set, and signs of one
ELSEWHERE = ("generators", "left_out")  # parts of a recipe that have a table of their own


def methods_page(audited: Audited) -> Iterator[Block]:
    yield from _in_words(audited)
    yield Heading("Measures, equations and sources", 2)
    yield ReportTable(("Measure", "Equation", "Source"), tuple(_measures(audited)), (0.34, 0.36, 0.3))
    yield Heading("Scorers", 2)
    yield _pairs("Role", "Scorer, version and hash", _scorers(audited))
    for one in audited.generators:
        yield Heading(f"Generator: {one['name']}", 2)
        yield _pairs("What", "Value", [(name.replace("_", " "), _value(value)) for name, value in one.items()])
    yield from _prompts(audited)
    if lost := most_dropped(audited):
        yield Heading("Left out", 2)
        yield _pairs("Reason", "Most in one finding", [(reason, digits.count(n)) for reason, n in lost.items()])
    yield Heading("Versions, hashes and recipe", 2)
    recipe = [
        (name.replace("_", " "), _value(value))
        for name, value in sorted(audited.recipe.items())
        if name not in ELSEWHERE
    ]
    own = [("Biasprint", core.__version__), ("findings, SHA-256 of their JSON", findings_hash(audited.findings))]
    own += [(f"prompts “{one.name}”, version {one.version}, SHA-256", one.sha256) for one in audited.asked]
    yield _pairs("What", "Value", [*own, *recipe])


def findings_hash(findings: tuple[Finding, ...]) -> str:
    """Hash the findings' JSON, keys sorted: the same findings have the same hash."""
    text = json.dumps([one.to_json() for one in findings], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def _in_words(audited: Audited) -> Iterator[Block]:
    adjusted = sorted({one.adjust.method for one in audited.findings if one.adjust})
    intervals = sorted({one.interval.method for one in audited.findings if one.interval})
    yield said(
        f"{len(audited.findings):,} findings were made from {audited.texts.lower()}. A finding is an estimate with its "
        "interval, n and, where one applies, a test; measures of spread stand beside what they give without any bias "
        f"(floor). p was adjusted for many tests within a kind of finding by {' and '.join(adjusted) or 'no method'}."
    )
    if intervals:
        yield said(f"Intervals: {'; '.join(intervals)}.", soft=True)


def _measures(audited: Audited) -> Iterator[tuple[Cell, ...]]:
    for finding_id in dict.fromkeys(one.id for one in audited.findings):
        sources = sorted({one.source for one in audited.findings if one.id == finding_id and one.source})
        method = method_of(finding_id)
        words = " ".join(filter(None, [f"{kind_title(finding_id)}.", method.get("words"), f"In JSON: {finding_id}"]))
        equation = (Run(method.get("formula") or method.get("none") or "–", tex=method.get("tex", "")),)
        yield words, equation, "; ".join(sources) or "–"


def method_of(finding_id: str) -> Mapping[str, str]:
    """Return how a kind of finding is computed: `words`, and `formula` with `tex`, or why it has `none`.

    Empty for an id that no study of ours gives.
    """
    known, ending = _methods(), finding_id.rpartition(".")[2]
    if finding_id not in known["methods"] and ending in known["endings"]:
        return known["endings"][ending]
    fitting = [pattern for pattern in known["methods"] if fnmatchcase(finding_id, pattern)]
    return known["methods"][max(fitting, key=len)] if fitting else {}


@cache
def _methods() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    return tomllib.loads(files("biasprint.resources").joinpath("report", "methods.toml").read_text(encoding="utf-8"))


def _scorers(audited: Audited) -> list[tuple[str, str]]:
    uses = {use for one in audited.findings for use in one.scorers}
    return [
        (use.role.replace("_", " "), _scorer(use))
        for use in sorted(uses, key=lambda use: (use.role, use.name, use.version))
    ]


def _scorer(use: ScorerUse) -> str:
    sha = f", SHA-256 {use.sha256}" if use.sha256 else ""
    return f"{scorer_title(use.name)}: {use.name} {use.version}{sha}{' (stand-in)' if use.stand_in else ''}"


def _pairs(first: str, second: str, rows: list[tuple[str, str]]) -> ReportTable:
    return ReportTable((first, second), tuple(rows), PAIR)


def _prompts(audited: Audited) -> Iterator[Block]:
    """The prompts word for word, or what those of a set have in common."""
    for one in audited.asked:
        yield Heading(f"Prompts: {one.name}, version {one.version}", 2)
        yield said("A name in braces stands for what changes from prompt to prompt.", soft=True)
        shown = list(one.patterns.items())[:MOST_PATTERNS]
        for text, n in shown:
            whole = text if len(text) <= LONGEST_PROMPT else f"{text[:LONGEST_PROMPT]} … ({len(text):,} signs)"
            yield ReportParagraph((Run(f"{digits.count(n)} × ", bold=True), Run(whole)))
        if (more := len(one.patterns) - len(shown)) > 0:
            yield said(
                f"And {digits.count(more)} more wordings: “biasprint export FILE prompts” writes all.", soft=True
            )


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_value(one)}" for name, one in value.items()) or "–"
    if isinstance(value, list | tuple):
        return "; ".join(map(_value, value)) or "–"
    return "–" if value in ("", None) else str(value)


ALL_FINDINGS = "All findings"
MOST_LEADS = 12  # findings on the page of a question


def audit_report(audited: Audited) -> AuditReport:
    """The report of what was measured."""
    measured = f"measured {audited.measured_at}" if audited.measured_at else ""
    about = " · ".join(part for part in (audited.origin, measured, f"Biasprint {core.__version__}") if part)
    pages = [
        AuditPage("In short", tuple(first_page(audited))),
        *_question_pages(audited),
        *([AuditPage(ALL_FINDINGS, tuple(all_findings(audited)))] if audited.whole else []),
        AuditPage("How it was measured", tuple(methods_page(audited))),
    ]
    return AuditReport(audited.title or f"Bias in {audited.texts.lower()}", about, tuple(pages))


def _question_pages(audited: Audited) -> Iterator[AuditPage]:
    drawn = _figures_by_question(audited)
    further: list[Figure] = []
    for one in audited.questions:
        leads = evidence(audited.study, one).strongest_first
        figures = drawn.get(one.question, ())
        further += figures[1:]
        blocks: list[Block] = [ReportParagraph((Run(one.answer, bold=True),)), *map(ReportFigure, figures[:1])]
        if leads:
            blocks += [findings_table(leads[:MOST_LEADS]), *reasons(leads[:MOST_LEADS])]
        else:
            blocks += reasons(one.findings)
        if (more := len(one.findings) - len(leads[:MOST_LEADS])) > 0:
            where = f"see “{ALL_FINDINGS}”" if audited.whole else "they are in the project and in its export"
            blocks.append(said(f"{digits.count(more)} more findings belong to it: {where}.", soft=True))
        yield AuditPage(one.question, tuple(blocks))
    if further:
        yield AuditPage("More figures", tuple(map(ReportFigure, further)))


def _figures_by_question(audited: Audited) -> Mapping[str, Sequence[Figure]]:
    """Each figure beside the question that most of its findings answer."""
    drawn: dict[str, list[Figure]] = {}
    for figure in figures_of(audited.study, audited.findings):
        asked = [question_of(audited.study, finding.id).ask for finding in figure.findings]
        if asked:
            drawn.setdefault(max(dict.fromkeys(asked), key=asked.count), []).append(figure)
    return drawn
