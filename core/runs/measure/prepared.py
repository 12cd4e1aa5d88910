"""What a study's measure is called with: columns gathered once, measured whole, and again without some of their rows.

Measuring again without some rows is how generators are compared (`core.runs.measure.between`). It scores nothing, and
gives estimates alone (`biasprint.core.metrics.result.only_estimates`).
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVarTuple

from biasprint.core.compute import ComputeProcess
from biasprint.core.findings import StudyResult
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.studies.study import MeasureOptions, named
from biasprint.core.tables.rows import TableRead

Answer = tuple[StudyResult, list[str]]  # the findings, and what the person should know beside them


class Measuring(Protocol):
    """The interface of a study's `gather` module.

    `CHOICES`: the roles whose scorer a person may choose. `AXES`: may a person name axes? `kind_of`: which kind of
    table a file is. `needed`: the scorers whose stored values its measures read, where nobody chooses others; light.
    A study whose revealed sessions are measured also in a project without it has `of_judged`; one whose generators can
    be compared has `prepared`, called as `of_project` is, which gives what can be compared: of its texts, and of
    judgments where there are any.
    """

    @property
    def CHOICES(self) -> tuple[str, ...]: ...
    @property
    def AXES(self) -> bool: ...

    needed: Callable[[], Sequence[ScorerInfo]]
    kind_of: Callable[[Path, Mapping[str, str]], str]
    of_tables: Callable[[JobContext, Sequence[tuple[str, TableRead]], MeasureOptions, ComputeProcess], Answer]
    of_project: Callable[[JobContext, Project, int, MeasureOptions, ComputeProcess], Answer]


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


def take_plain(args: tuple[Any, ...], places: Sequence[int]) -> tuple[Any, ...]:
    """In the compute process: some of the rows of a study that is gathered by field: place, columns, seed, scores."""
    place, columns, seed, scores = args
    some = {role: picked(list(values), places) for role, values in scores.items()}
    return place, taken(columns, places), seed, some


def measure_declared(
    place: str, columns: Mapping[str, Any], seed: int, scores: Mapping[str, Any], ctx: JobContext
) -> StudyResult:
    """In the compute process: the measure that a study, such as a plug-in's, declares as "module:function"."""
    measure = named(place)
    context = {"ctx": ctx} if "ctx" in inspect.signature(measure).parameters else {}
    result: StudyResult = measure(columns, seed, scores, **context)
    return result
