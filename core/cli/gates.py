"""Gates on the command line: read before anything is measured, told after the answer, and the exit code they give."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli.console import complain, say
from core.errors import UsageError
from core.findings import Finding

if TYPE_CHECKING:
    from core.runs.audit_gates import Gate, GateResult

GATE_FAILED, NO_SUCH_FINDING = 3, 2  # exit codes

FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        help="Exit code 3 where a finding is so: 'ID[LABEL, DIM=VALUE] interval_above 1.2'; also interval_below, "
        "estimate_above, estimate_below, p_below; may be given several times.",
    ),
]


def gates_of(texts: Sequence[str] | None, study: str) -> "list[Gate]":
    """Raises `UsageError` for what is no gate, and for a finding that the study never has."""
    from core.runs.audit_gates import parse_gate, unknown

    gates = [parse_gate(text) for text in texts or ()]
    for gate in gates:
        if said := unknown(gate, [study]):
            raise UsageError(said)
    return gates


def held_to(gates: "Sequence[Gate]", findings: Sequence[Finding]) -> "list[GateResult]":
    from core.runs.audit_gates import hold

    return hold(gates, findings) if gates else []


def gates_json(results: "Sequence[GateResult]") -> dict[str, Any]:
    """What a JSON answer says of them; nothing where there are none."""
    return {"gates": [one.to_json() for one in results]} if results else {}


def tell_gates(results: "Sequence[GateResult]", *, as_json: bool) -> int:
    """Say on stderr which gates failed, beside an answer for people also which did not; the exit code."""
    for one in results:
        if not one.passed:
            complain(one.said)
        elif not as_json:
            say(one.said)
    if any(one.missing for one in results):
        return NO_SUCH_FINDING
    return 0 if all(one.passed for one in results) else GATE_FAILED
