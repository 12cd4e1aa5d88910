"""The last page: methods with equations and sources, who was audited in full, drops, versions, hashes, the recipe."""

import hashlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

from biasprint import core
from biasprint.core.draw import digits
from biasprint.core.findings import Finding, ScorerUse
from biasprint.core.machine.models.catalogue import scorer_title
from biasprint.core.report.audit.audited import Audited
from biasprint.core.report.audit.first_page import most_dropped
from biasprint.core.report.blocks import Block, Cell, Heading, ReportParagraph, ReportTable, Run, said
from biasprint.core.studies.kit.titles import kind_title

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
        words = " ".join(filter(None, [f"{kind_title(finding_id)}.", method.get("words"), f"In JSON: {finding_id}"]))
        equation = (Run(method.get("formula") or method.get("none") or "–", tex=method.get("tex", "")),)
        yield words, equation, "; ".join(sources) or "–"


def method_of(finding_id: str) -> Mapping[str, str]:
    """How a kind of finding is computed: `words`, and `formula` with `tex`, or why it has `none`. Empty for an id that
    no study of ours gives."""
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
