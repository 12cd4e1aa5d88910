"""Gates: conditions on findings under which an audit fails: letters.lexicon.odds_ratio[agentic] interval_above 1.2.

A gate fails where a finding that it is about meets its condition, and also where that cannot be told: a finding that is
undefined, or has no interval or p, is no evidence that all is well.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from core.draw import digits
from core.errors import UsageError
from core.findings import Finding
from core.studies.registry import studies

EXAMPLE = "For example: letters.lexicon.odds_ratio[agentic] interval_above 1.2"
BETWEEN = ".between_generators"
VARIANT, DEFAULT = "variant", "default"
NEAR = 5  # names that are offered in place of one that there is not
_GATE = re.compile(r"\s*(?P<id>[\w.]+)\s*(?:\[(?P<chosen>.*)\])?\s+(?P<relation>\w+)\s+(?P<number>\S+)\s*", re.DOTALL)
_PART = re.compile(r'\s*(?:(?P<key>\w+)\s*=)?\s*(?:"(?P<quoted>[^"]*)"|(?P<plain>[^",=]+))\s*(?:,|$)')


def _interval(finding: Finding) -> str:
    return "" if finding.interval else "no interval"


def _estimate(finding: Finding) -> str:
    return "" if finding.estimate is not None else "no estimate"


def _p(finding: Finding) -> str:
    return "no p" if _p_of(finding) is None else ""


def _p_of(finding: Finding) -> float | None:
    """As it was adjusted, where it was."""
    return finding.p if finding.p_adjusted is None else finding.p_adjusted


@dataclass(frozen=True)
class _Relation:
    """`missing`: what a finding lacks to be held to it; `meets`: whether it does, given the number."""

    missing: Callable[[Finding], str]
    meets: Callable[[Finding, float], bool]


RELATIONS: Mapping[str, _Relation] = {
    "interval_above": _Relation(_interval, lambda one, bound: one.interval is not None and one.interval.low > bound),
    "interval_below": _Relation(_interval, lambda one, bound: one.interval is not None and one.interval.high < bound),
    "estimate_above": _Relation(_estimate, lambda one, bound: one.estimate is not None and one.estimate > bound),
    "estimate_below": _Relation(_estimate, lambda one, bound: one.estimate is not None and one.estimate < bound),
    "p_below": _Relation(_p, lambda one, bound: (_p_of(one) or 0.0) < bound),
}


@dataclass(frozen=True)
class Gate:
    """`label`: of the findings, any where empty. `dims`: those that are named; others may have any value."""

    text: str
    id: str
    relation: str
    bound: float
    label: str = ""
    dims: Mapping[str, str] = field(default_factory=dict)
    variant: str = DEFAULT

    def is_about(self, finding: Finding) -> bool:
        return (
            finding.id == self.id
            and finding.variant == self.variant
            and self.label in ("", finding.label)
            and all(finding.dims.get(name) == value for name, value in self.dims.items())
        )


@dataclass(frozen=True)
class GateResult:
    """What became of a gate. `checked`: findings; `met`: those that meet its condition, `untold`: without what it asks.

    `missing`: a sentence where no finding fits the gate; then nothing was checked.
    """

    gate: Gate
    checked: int = 0
    met: tuple[Finding, ...] = ()
    untold: tuple[Finding, ...] = ()
    missing: str = ""

    @property
    def passed(self) -> bool:
        return not (self.met or self.untold or self.missing)

    @property
    def said(self) -> str:
        """One sentence."""
        if self.missing:
            return self.missing
        if self.passed:
            of = "1 finding" if self.checked == 1 else f"any of {self.checked:,} findings"
            return f"The gate “{self.gate.text}” is not met by {of}."
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
    """Raises `UsageError` for what is no gate: ID[LABEL, DIM=VALUE, …] RELATION NUMBER."""
    found = _GATE.fullmatch(text)
    if found is None:
        raise UsageError(f"“{text.strip()}” is not a gate.", hint=f"{EXAMPLE}.")
    if (relation := found["relation"]) not in RELATIONS:
        raise UsageError(f"A gate has no “{relation}”.", hint=f"There are: {', '.join(RELATIONS)}.")
    try:
        bound = float(found["number"])
    except ValueError:
        bound = float("nan")
    if bound != bound or abs(bound) == float("inf"):
        raise UsageError(f"“{found['number']}” in a gate is not a number.", hint=f"{EXAMPLE}.")
    label, dims = _chosen(text, found["chosen"] or "")
    variant = dims.pop(VARIANT, DEFAULT)
    return Gate(" ".join(text.split()), found["id"], relation, bound, label, dims, variant)


def _chosen(text: str, chosen: str) -> tuple[str, dict[str, str]]:
    """The label and the dims between the brackets. A value with a comma stands in double quotes."""
    label, dims, at = "", {}, 0
    while at < len(chosen):
        part = _PART.match(chosen, at)
        value = "" if part is None else (part["quoted"] if part["quoted"] is not None else part["plain"].strip())
        if part is None or not value or (part["key"] in dims) or (part["key"] is None and label):
            raise UsageError(
                f"“[{chosen}]” in a gate is not a label and dims.", hint="For example: [agentic, model=large]"
            )
        at = part.end()
        if part["key"] is None:
            label = value
        else:
            dims[part["key"]] = value
    return label, dims


def unknown(gate: Gate, kinds: Iterable[str]) -> str:
    """A sentence where none of these studies can have such a finding, with ids that are like it; else nothing."""
    own = [one for kind in kinds for one in studies()[kind].findings]
    wanted = gate.id.removesuffix(BETWEEN)
    if any(wanted == one or (one.endswith("*") and wanted.startswith(one[:-1])) for one in own):
        return ""
    return f"There is no finding “{gate.id}”; {_like(wanted, own)}."


def hold(gates: Sequence[Gate], findings: Sequence[Finding]) -> list[GateResult]:
    """What becomes of each gate. `variant` is default unless the gate says otherwise."""
    return [_held(gate, findings) for gate in gates]


def _held(gate: Gate, findings: Sequence[Finding]) -> GateResult:
    about = [one for one in findings if gate.is_about(one)]
    if not about:
        return GateResult(gate, missing=_missing(gate, findings))
    relation = RELATIONS[gate.relation]
    untold = tuple(one for one in about if relation.missing(one))
    met = tuple(one for one in about if not relation.missing(one) and relation.meets(one, gate.bound))
    return GateResult(gate, len(about), met, untold)


def _missing(gate: Gate, findings: Sequence[Finding]) -> str:
    same_id = [one for one in findings if one.id == gate.id and one.variant == gate.variant]
    if not same_id:
        return f"There is no finding “{gate.id}” for a gate; {_like(gate.id, [one.id for one in findings])}."
    if gate.label and not any(one.label == gate.label for one in same_id):
        there = _like(gate.label, [one.label for one in same_id])
        return f"{gate.id} has no “{gate.label}” for a gate; {there}."
    for name, value in gate.dims.items():
        values = [one.dims[name] for one in same_id if name in one.dims]
        if not values:
            dims = [dim for one in same_id for dim in one.dims]
            return f"{gate.id} has no {name} for a gate; {_like(name, dims)}."
        if value not in values:
            return f"{gate.id} has no {name} “{value}” for a gate; {_like(value, values)}."
    return f"No finding has all that the gate “{gate.text}” names together."


def _like(wanted: str, names: Iterable[str]) -> str:
    there = list(dict.fromkeys(names))
    near = get_close_matches(wanted, there, NEAR, cutoff=0.5) or there[:NEAR]
    return f"there are {', '.join(near)}" if near else "there are none"


def _named(finding: Finding) -> str:
    dims = f" ({', '.join(finding.dims.values())})" if finding.dims else ""
    return f"{finding.id} {finding.label}{dims}"


def _shown(finding: Finding) -> str:
    estimate, interval = digits.of_finding(finding)
    p = _p_of(finding)
    parts = (f"interval {interval}" if interval else "", "" if p is None else digits.p_value(p))
    beside = ", ".join(filter(None, parts))
    return f"{_named(finding)} is {estimate or 'undefined'}{f' ({beside})' if beside else ''}"
