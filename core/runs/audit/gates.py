"""Gates: conditions on findings under which an audit fails: letters.lexicon.odds_ratio[agentic] interval_above 1.2.

A gate fails where a finding that it is about meets its condition, and also where that cannot be decided: a finding that
is undefined, or has no interval or p, is no evidence that all is well.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from biasprint.core.draw import digits
from biasprint.core.errors import UsageError
from biasprint.core.findings import BETWEEN_GENERATORS, Finding
from biasprint.core.machine.files import write_whole
from biasprint.core.report.blocks import printable
from biasprint.core.report.planned import GROUPS, Meant, parse_chosen, unknown
from biasprint.core.runs.measure.between import is_ratio
from biasprint.core.studies.kit.declared import TITLES, reply_ids
from biasprint.core.studies.registry import studies

EXAMPLE = "For example: letters.lexicon.odds_ratio[agentic] interval_above 1.2"
MISUSED, FAILED = 2, 3  # exit codes
GENERATOR = "generator"
ASKER = "a gate"
SHARES = ("proportion", "share", "difference of proportions", "difference of shares")
_GATE = re.compile(r"\s*(?P<id>[\w.]+)\s*(?:\[(?P<chosen>.*)\])?\s+(?P<relation>\w+)\s+(?P<number>\S+)\s*", re.DOTALL)


def _interval(finding: Finding) -> str:
    return "" if finding.interval else "no interval"


def _estimate(finding: Finding) -> str:
    return "" if finding.estimate is not None else "no estimate"


def _p(finding: Finding) -> str:
    return "no p" if _p_of(finding) is None else ""


def _p_of(finding: Finding) -> float | None:
    """Return the finding's p, adjusted where it was."""
    return finding.p if finding.p_adjusted is None else finding.p_adjusted


@dataclass(frozen=True)
class _Relation:
    """A relation of a finding to a bound. `missing`: what a finding lacks to be held to it; `meets`: whether it does,
    given the number.
    """

    missing: Callable[[Finding], str]
    meets: Callable[[Finding, float], bool]


RELATIONS: Mapping[str, _Relation] = {
    "interval_above": _Relation(
        _interval, lambda finding, bound: finding.interval is not None and finding.interval.low > bound
    ),
    "interval_below": _Relation(
        _interval, lambda finding, bound: finding.interval is not None and finding.interval.high < bound
    ),
    "estimate_above": _Relation(
        _estimate, lambda finding, bound: finding.estimate is not None and finding.estimate > bound
    ),
    "estimate_below": _Relation(
        _estimate, lambda finding, bound: finding.estimate is not None and finding.estimate < bound
    ),
    "p_below": _Relation(_p, lambda finding, bound: (_p_of(finding) or 0.0) < bound),
}


@dataclass(frozen=True, kw_only=True)
class Gate(Meant):
    """A condition on findings: how each of those that are meant relates to a bound makes the gate fail."""

    relation: str
    bound: float

    @property
    def generators(self) -> tuple[str, ...]:
        """The generators that it names."""
        return tuple(value for dim, value in self.dims.items() if self._may_name(dim))

    def called(self, names: Mapping[str, str]) -> "Gate":
        """Return the gate with generators by their names in the project, where it has those of an audit file."""
        dims = {dim: names.get(value, value) if self._may_name(dim) else value for dim, value in self.dims.items()}
        return replace(self, dims=dims)

    def _may_name(self, dim: str) -> bool:
        """Return whether a dim holds a generator: itself does, and the groups of a comparison do."""
        return dim == GENERATOR or (dim in GROUPS and self.id.endswith(BETWEEN_GENERATORS))


@dataclass(frozen=True)
class GateResult:
    """The result of a gate. `checked`: findings; `met`: those that meet its condition, `untold`: without what it asks.

    `missing`: a sentence where no finding fits the gate; then nothing was checked. `misused`: because of how the gate
    is written.
    """

    gate: Gate
    checked: int = 0
    met: tuple[Finding, ...] = ()
    untold: tuple[Finding, ...] = ()
    missing: str = ""
    misused: bool = False

    @property
    def passed(self) -> bool:
        return not (self.met or self.untold or self.missing)

    @property
    def said(self) -> str:
        """The result in one sentence."""
        if self.missing:
            return self.missing
        if self.passed:
            if not self.checked:
                return f"The gate “{self.gate.text}” held: no reply was of that kind."
            of = "1 finding was" if self.checked == 1 else f"{self.checked:,} findings were"
            return f"The gate “{self.gate.text}” held: {of} checked."
        if self.met:
            more = f", and {len(self.met) - 1:,} more" if len(self.met) > 1 else ""
            return f"The gate “{self.gate.text}” failed: {_shown(self.met[0])}{more}."
        first = self.untold[0]
        lacks = RELATIONS[self.gate.relation].missing(first)
        why = f", because {first.reason.removeprefix('interval: ')}" if first.reason else ""
        more = f", and so have {len(self.untold) - 1:,} more" if len(self.untold) > 1 else ""
        return f"The gate “{self.gate.text}” failed: {_named(first)} has {lacks}{why}{more}."

    def to_json(self) -> dict[str, Any]:
        return {
            "gate": self.gate.text,
            "passed": self.passed,
            "checked": self.checked,
            "met": len(self.met),
            "untold": len(self.untold),
            "missing": bool(self.missing),
            "said": self.said,
        }


def parse_gate(text: str) -> Gate:
    """Parse a gate, ID[LABEL, DIM=VALUE, …] RELATION NUMBER. Raises `UsageError` for anything else."""
    match = _GATE.fullmatch(text)
    if match is None:
        raise UsageError(f"“{text.strip()}” is not a gate.", hint=f"{EXAMPLE}.")
    if (relation := match["relation"]) not in RELATIONS:
        raise UsageError(f"A gate has no “{relation}”.", hint=f"There are: {', '.join(RELATIONS)}.")
    try:
        bound = float(match["number"])
    except ValueError:
        bound = float("nan")
    if not isfinite(bound):
        raise UsageError(f"“{match['number']}” in a gate is not a number.", hint=f"{EXAMPLE}.")
    if relation == "p_below" and not 0 < bound <= 1:
        sentence = f"p is {'never' if bound <= 0 else 'always'} below {match['number']}."
        raise UsageError(sentence, hint="Give a number between 0 and 1, such as 0.05.")
    label, dims, variant = parse_chosen(match["chosen"] or "", ASKER)
    whole = " ".join(text.split())
    return Gate(text=whole, id=match["id"], relation=relation, bound=bound, label=label, dims=dims, variant=variant)


def gates_for(texts: Iterable[str], study: str) -> list[Gate]:
    """Parse the gates for a study. Raises `UsageError` for what is no gate, and for a finding that the study never
    has.
    """
    gates = [parse_gate(text) for text in texts]
    for gate in gates:
        if sentence := unknown(gate, [study]):
            raise UsageError(sentence)
    return gates


def exit_code(results: Sequence[GateResult]) -> int:
    """Return 2 where a gate makes no sense, else 3 where one failed, else 0."""
    if any(result.misused for result in results):
        return MISUSED
    return 0 if all(result.passed for result in results) else FAILED


def junit_xml(results: Sequence[GateResult]) -> bytes:
    """Return the results as JUnit XML: a failure for a gate that failed, an error for one that makes no sense."""
    misused = [result for result in results if result.misused]
    failed = [result for result in results if not result.passed and not result.misused]
    counts = {"tests": str(len(results)), "failures": str(len(failed)), "errors": str(len(misused))}
    suites = ElementTree.Element("testsuites", {"name": "biasprint", **counts})
    suite = ElementTree.SubElement(suites, "testsuite", {"name": "gates", **counts})
    for result in results:
        name, said = printable(result.gate.text), printable(result.said)
        case = ElementTree.SubElement(suite, "testcase", classname=printable(result.gate.id), name=name)
        if result.passed:
            ElementTree.SubElement(case, "system-out").text = said
        else:
            ElementTree.SubElement(case, "error" if result.misused else "failure", message=said).text = said
    ElementTree.indent(suites)
    return bytes(ElementTree.tostring(suites, encoding="utf-8", xml_declaration=True)) + b"\n"


def write_junit(path: Path, results: Sequence[GateResult]) -> None:
    """Write the results as JUnit XML, whole or not at all."""
    write_whole(path, junit_xml(results))


def hold(gates: Sequence[Gate], findings: Sequence[Finding], *, asked_here: bool = False) -> list[GateResult]:
    """Return the result of each gate. `variant` is default unless the gate says otherwise. `asked_here`: were the texts
    asked for in a project, so that a kind of reply without a finding never came?
    """
    return [_result_of(gate, findings, asked_here) for gate in gates]


def _result_of(gate: Gate, findings: Sequence[Finding], asked_here: bool) -> GateResult:
    about = [finding for finding in findings if gate.is_about(finding)]
    if not about and asked_here and _never_came(gate, findings):
        return GateResult(gate)
    if not about:
        return _nothing(gate, findings)
    for unit in dict.fromkeys(finding.unit for finding in about):
        if sentence := _never(gate, unit):
            return GateResult(gate, missing=sentence, misused=True)
    relation = RELATIONS[gate.relation]
    untold = tuple(finding for finding in about if relation.missing(finding))
    met = tuple(finding for finding in about if not relation.missing(finding) and relation.meets(finding, gate.bound))
    return GateResult(gate, len(about), met, untold)


def _never_came(gate: Gate, findings: Sequence[Finding]) -> bool:
    """Return whether a gate is on a kind of reply, of which there are findings only where it came."""
    study = gate.id.partition(".")[0]
    kinds = {finding.label for finding in findings if finding.id == gate.id}
    known = gate.id in reply_ids(study) and gate.label in ("", *TITLES)
    return known and (not kinds or (bool(gate.label) and gate.label not in kinds))


def _never(gate: Gate, unit: str) -> str:
    """Return a sentence where no number of this unit can meet the gate, so that it would hold whatever is found."""
    if gate.relation == "p_below":
        return ""
    lowest, highest = (-1.0, 1.0) if unit in SHARES else (0.0, inf) if is_ratio(unit) else (-inf, inf)
    if gate.bound >= highest if gate.relation.endswith("_above") else gate.bound <= lowest:
        end = f"above {highest:g}" if gate.bound >= highest else f"below {lowest:g}"
        return f"The gate “{gate.text}” could never fail: {gate.id} is a {unit}, and none is {end}."
    return ""


def _nothing(gate: Gate, findings: Sequence[Finding]) -> GateResult:
    """Fail a gate that no finding fits: it names an impossible one, or none was found this time."""
    same_id = [finding for finding in findings if finding.id == gate.id and finding.variant == gate.variant]
    if not same_id and not unknown(gate, studies()):
        sentence = f"The gate “{gate.text}” failed: there is no {gate.id} among the findings, so nothing can be told."
        return GateResult(gate, missing=sentence)
    return GateResult(gate, missing=gate.why_none(findings, ASKER), misused=True)


def _named(finding: Finding) -> str:
    dims = f" ({', '.join(finding.dims.values())})" if finding.dims else ""
    return f"{finding.id} {finding.label}{dims}"


def _shown(finding: Finding) -> str:
    estimate, interval = digits.of_finding(finding)
    p = _p_of(finding)
    parts = (f"interval {interval}" if interval else "", "" if p is None else digits.p_value(p))
    beside = ", ".join(filter(None, parts))
    return f"{_named(finding)} is {estimate or 'undefined'}{f' ({beside})' if beside else ''}"
