"""What a study's measure is called with: columns gathered once, measured whole, and again without some of their rows.

Measuring again without some rows is how generators are compared (`core.runs.measure.between`). It scores nothing, and
gives estimates alone (`biasprint.core.metrics.result.only_estimates`).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVarTuple

from biasprint.core.compute import ComputeProcess
from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext

Answer = tuple[StudyResult, list[str]]  # the findings, and what the person should know beside them


TEXTS, JUDGMENTS = "texts", "judgments"
Take = Callable[[tuple[Any, ...], Sequence[int]], tuple[Any, ...]]
Read = Callable[[tuple[Any, ...], JobContext], tuple[Any, ...]]
Arguments = TypeVarTuple("Arguments")


@dataclass(frozen=True)
class Prepared:
    """`call(*args)` in the compute process gives a `StudyResult`.

    `take`: called there, (args, places) → the args with these rows alone.
    `read`: called there, (args, ctx) → args in which what is read of each text is read once for all takes.
    `prompts`: of each row, what is the same for the same prompt; empty where it is not known.
    `units`: of each row, what it shares with those that it must not be separated from, such as a matched block.
    `what`: its rows are. `texts`: how many were read, failures among them; None for as many as the result says, and
    those `dropped` before.
    `remarks`: what the person should know beside the findings.
    """

    call: Callable[..., StudyResult]
    args: tuple[Any, ...]
    take: Take
    prompts: tuple[str, ...]
    units: tuple[str, ...]
    what: str = TEXTS
    read: Read | None = None
    texts: int | None = None
    dropped: Mapping[str, int] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()


def called(
    function: Callable[[*Arguments], StudyResult] | Callable[[*Arguments, JobContext], StudyResult],
    /,
    *args: *Arguments,
) -> tuple[Callable[..., StudyResult], tuple[Any, ...]]:
    """A function for the compute process, and its arguments but for `ctx`. A type checker sees that they fit."""
    return function, args


def whole(ctx: JobContext, prepared: Prepared, compute: ComputeProcess) -> StudyResult:
    """The findings of all its rows."""
    result: StudyResult = compute.call(prepared.call, *prepared.args, ctx=ctx)
    rows = result.rows + sum(prepared.dropped.values()) if prepared.texts is None else prepared.texts
    return replace(result, rows=rows, dropped={**result.dropped, **prepared.dropped})


def taken(columns: Mapping[str, Any], places: Sequence[int]) -> dict[str, Any]:
    """Columns with these rows alone; one that is empty stays so."""
    return {name: picked(column, places) for name, column in columns.items()}


def picked(column: Any, places: Sequence[int]) -> Any:
    """The values of a list, tuple or array at these places."""
    if len(column) == 0:
        return column
    if isinstance(column, tuple):
        return tuple(column[place] for place in places)
    return [column[place] for place in places] if isinstance(column, list) else column[list(places)]


def units_or_prompts(units: Iterable[str], prompts: Iterable[str]) -> tuple[str, ...]:
    """The unit of each row; its prompt where it has none."""
    return tuple(unit or prompt for unit, prompt in zip(units, prompts, strict=True))
