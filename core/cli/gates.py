"""Gates on the command line: read before anything is measured, told after the answer, and the exit code they give."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biasprint.core.cli.console import complain, say
from biasprint.core.findings import Finding

if TYPE_CHECKING:
    from biasprint.core.runs.audit.gates import Gate, GateResult

FailOn = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        help="Exit code 3 where a finding is so: 'ID[LABEL, DIM=VALUE] interval_above 1.2'; also interval_below, "
        "estimate_above, estimate_below, p_below; may be given several times.",
    ),
]


def gates_of(texts: Sequence[str] | None, study: str) -> "list[Gate]":
    """Read before anything is measured. Raises `UsageError`."""
    if not texts:
        return []
    from biasprint.core.runs.audit.gates import gates_for

    return gates_for(texts, study)


def held_to(gates: "Sequence[Gate]", findings: Sequence[Finding]) -> "list[GateResult]":
    from biasprint.core.runs.audit.gates import hold

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
    if not results:
        return 0
    from biasprint.core.runs.audit.gates import exit_code

    return exit_code(results)
