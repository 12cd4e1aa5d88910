"""Bringing a table of texts into a project: letters become sources, creativity texts outputs of their prompts."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.errors import AppError, UsageError
from core.jobs import JobContext
from core.project.project import Project
from core.project.specs import (
    GeneratorSpec,
    OutputSpec,
    PromptSetSpec,
    PromptSpec,
    RunSpec,
    SourceSpec,
)
from core.tables.formats import read_format
from core.tables.read import Duplicates, read_records
from core.tables.rows import Record, TableRead
from core.tables.study_fields import fields_of

CHUNK = 200
IMPORTABLE = ("letters", "creativity")


@dataclass(frozen=True)
class ImportResult:
    """What was read and stored; `present` rows were there already from an earlier import of the same file."""

    table: TableRead
    added: int
    present: int


def read_table(
    ctx: JobContext,
    path: Path,
    kind: str,
    *,
    layout: str | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
    duplicates: Duplicates = "report",
) -> TableRead:
    """A table of a study's fields, in a known outside layout or with a column mapping."""
    if layout:
        if mapping:
            raise UsageError("A known format brings its own columns.", hint="Give --format or --map, not both.")
        return read_format(path, layout, encoding=encoding, duplicates=duplicates, ctx=ctx)
    return read_records(path, fields_of(kind), mapping, encoding, duplicates=duplicates, ctx=ctx)


def import_table(
    ctx: JobContext, project: Project, study_id: int, kind: str, path: Path, table: TableRead
) -> ImportResult:
    """Store the usable rows of a table that was read from `path`."""
    origin = f"{path.name} {_digest(path)}"
    if kind == "letters":
        added = _letters(ctx, project, study_id, origin, table)
    elif kind == "creativity":
        added = _creativity(ctx, project, study_id, origin, table)
    else:
        raise UsageError(f"“{kind}” has no import yet.", hint=f"Import is there for: {', '.join(IMPORTABLE)}.")
    return ImportResult(table, added, len(table.rows) - added)


def _letters(ctx: JobContext, project: Project, study_id: int, origin: str, table: TableRead) -> int:
    added = 0
    rows = iter(table.rows)
    while chunk := list(islice(rows, CHUNK)):
        ctx.check()
        specs = [_letter(origin, record, table.line_break) for record in chunk]
        added += len(project.sources.add_many(study_id, specs).of("source"))
        ctx.report(chunk[-1].number, table.total)
    return added


def _letter(origin: str, record: Record, line_break: str) -> SourceSpec:
    fields = {name: value for name, value in record.values.items() if name != "text"}
    if line_break:
        fields["line_break"] = line_break  # the text itself is kept exactly as it came
    return SourceSpec(kind="letter", origin=origin, row=record.number, text=record.values["text"], fields=fields)


def _creativity(ctx: JobContext, project: Project, study_id: int, origin: str, table: TableRead) -> int:
    axis_of = identity_axes(project)
    unknown = {record.values["identity"] for record in table.rows} - set(axis_of) - {"default"}
    if unknown:
        raise AppError(
            f"The table has identities that the project does not know: {', '.join(sorted(unknown)[:8])}.",
            kept="Nothing was imported.",
            hint=f"The project's identities: default, {', '.join(sorted(axis_of))}.",
        )
    prompts = _imported_prompts(project, study_id, origin, table.rows, axis_of)
    added = 0
    for model in sorted({record.values.get("model", "") for record in table.rows}):
        rows = [record for record in table.rows if record.values.get("model", "") == model]
        added += _imported_outputs(ctx, project, study_id, model, rows, prompts)
    return added


def identity_axes(project: Project) -> dict[str, str]:
    """The axis of each identity the project knows."""
    return {
        identity["key"]: key
        for key, axis in project.axes.latest().items()
        for identity in axis.definition["identities"]
    }


def _key(record: Record, axis_of: Mapping[str, str]) -> str:
    identity = record.values["identity"]
    where = f"{axis_of[identity]}/{identity}" if identity != "default" else identity
    return f"imported/{record.values['task']}/{record.values['theme']}/{where}"


def _imported_prompts(
    project: Project, study_id: int, origin: str, rows: Sequence[Record], axis_of: Mapping[str, str]
) -> tuple[int, dict[str, int]]:
    """A prompt set that stands for the prompts nobody kept; their texts are empty, and the recipe says why."""
    keys = {_key(record, axis_of): record.values for record in rows}
    prompts = tuple(
        PromptSpec(
            key=key, text="", task=values["task"], theme=values["theme"],
            axis=axis_of.get(values["identity"], ""), identity=values["identity"],
        )
        for key, values in sorted(keys.items())
    )  # fmt: skip
    recipe = {"imported": origin, "note": "The prompts were not part of the imported table."}
    spec = PromptSetSpec(name=f"imported: {origin}", recipe=recipe, prompts=prompts)
    set_id = project.prompts.add_set(study_id, spec).number("prompt_set")
    return set_id, project.prompts.by_key(set_id, sorted(keys))


def _imported_outputs(
    ctx: JobContext,
    project: Project,
    study_id: int,
    model: str,
    rows: Sequence[Record],
    prompts: tuple[int, dict[str, int]],
) -> int:
    set_id, by_key = prompts
    axis_of = identity_axes(project)
    generator = project.runs.add_generator(GeneratorSpec(backend="imported", model=model)).number("generator")
    numbers = _samples(rows, axis_of)
    samples = max(numbers) + 1
    spec = RunSpec(study_id=study_id, prompt_set_id=set_id, generator_id=generator, seed=0, samples=samples)
    run = project.runs.start(spec).number("run")
    added, rest = 0, iter(zip(rows, numbers, strict=True))
    while chunk := list(islice(rest, CHUNK)):
        ctx.check()
        specs = [
            OutputSpec(
                run_id=run, prompt_id=by_key[_key(record, axis_of)], sample=number, seed=0,
                text=record.values["text"], finish_reason="imported",
            )
            for record, number in chunk
        ]  # fmt: skip
        added += len(project.outputs.record_many(specs).of("output"))
        ctx.report(added, len(rows))
    return added


def _samples(rows: Sequence[Record], axis_of: Mapping[str, str]) -> list[int]:
    """The sample number of each row: its own, or, where the table has none, its place among rows of the same prompt."""
    seen: dict[tuple[str, int], int] = {}
    counted: Counter[str] = Counter()
    numbers: list[int] = []
    for record in rows:
        key = _key(record, axis_of)
        given = record.values.get("sample", "").strip()
        number = _whole(record, given) if given else counted[key]
        counted[key] += 1
        if (first := seen.setdefault((key, number), record.number)) != record.number:
            raise AppError(
                f"Row {record.number} is sample {number} of the same prompt and model as row {first}.",
                kept="Nothing was imported.",
                hint="Give each a sample number of its own, or leave the column out to have them counted.",
            )
        numbers.append(number)
    return numbers


def _whole(record: Record, given: str) -> int:
    if not given.isdecimal():
        raise AppError(
            f"Row {record.number}: “{given}” is not a sample number.",
            kept="Nothing was imported.",
            hint="Samples are whole numbers from 0.",
        )
    return int(given)


def _digest(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:12]
