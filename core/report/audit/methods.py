"""The last page: methods with equations and sources, who was audited in full, drops, versions, hashes, the recipe."""

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import core
from core.draw import digits
from core.findings import Finding, ScorerUse
from core.machine.models.catalogue import scorer_title
from core.own import own_files
from core.report.audit.audited import Audited
from core.report.audit.first_page import most_dropped
from core.report.blocks import Block, Cell, Heading, ReportTable, Run, said
from core.report.questions import kind_title

PAIR = (0.28, 0.72)


def methods_page(audited: Audited) -> Iterator[Block]:
    yield from _in_words(audited)
    yield Heading("Measures, equations and sources", 2)
    yield ReportTable(("Measure", "Equation", "Source"), tuple(_measures(audited)), (0.34, 0.36, 0.3))
    yield Heading("Scorers", 2)
    yield _pairs("Role", "Scorer, version and hash", _scorers(audited))
    for one in audited.generators:
        yield Heading(f"Generator: {one['name']}", 2)
        yield _pairs("What", "Value", [(name.replace("_", " "), _value(value)) for name, value in one.items()])
    if lost := most_dropped(audited):
        yield Heading("Left out", 2)
        yield _pairs("Reason", "Most in one finding", [(reason, digits.count(n)) for reason, n in lost.items()])
    yield Heading("Versions, hashes and recipe", 2)
    recipe = [
        (name.replace("_", " "), _value(value))
        for name, value in sorted(audited.recipe.items())
        if name != "generators"
    ]
    own = [("Biasprint", core.__version__), ("findings, SHA-256 of their JSON", findings_hash(audited.findings))]
    yield _pairs("What", "Value", [*own, *recipe])


def findings_hash(findings: tuple[Finding, ...]) -> str:
    """Of the findings' JSON, keys sorted: the same findings have the same hash."""
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
        words = f"{kind_title(finding_id)}. {method.get('words', '')}".strip()
        equation = (Run(method.get("formula", "–"), tex=method.get("tex", "")),)
        yield words, equation, "; ".join(sources) or "–"


def method_of(finding_id: str) -> Mapping[str, str]:
    """How a kind of finding is computed; empty where that is not told."""
    known = _methods()
    if finding_id in known:
        return known[finding_id]
    wide = [
        name
        for name in known
        if (name.endswith(".*") and finding_id.startswith(name[:-1]))
        or (name.startswith("*.") and finding_id.endswith(name[1:]))
    ]
    return known[max(wide, key=len)] if wide else {}


@cache
def _methods() -> Mapping[str, Mapping[str, str]]:
    text = own_files("resources").joinpath("report", "methods.toml").read_text(encoding="utf-8")
    known: Mapping[str, Mapping[str, str]] = tomllib.loads(text)["methods"]
    return known


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


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return "; ".join(f"{name} {_value(one)}" for name, one in value.items()) or "–"
    if isinstance(value, list | tuple):
        return "; ".join(map(_value, value)) or "–"
    return "–" if value in ("", None) else str(value)
