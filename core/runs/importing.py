"""Bringing a table of texts into a project: letters become sources, creativity texts outputs of their prompts."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
from core.prompts import load_axis
from core.report.export_cells import without_guard
from core.runs.exporting import is_own_export
from core.runs.setup import added_study, shipped_axes, store_axis
from core.tables.formats import read_format
from core.tables.read import Duplicates, read_records
from core.tables.rows import Record, TableRead
from core.tables.study_fields import fields_of

CHUNK = 200
SEPARATED = (".csv", ".tsv")
LONGEST_KEY = 200
NAME_SHOWN = 150  # characters of a file's name that say where a text came from
MOST_SAMPLES = 10_000
IMPORTABLE = ("letters", "creativity")

Numbered = Sequence[tuple[Record, int]]  # rows with their sample numbers


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
    """A table of a study's fields, in a known outside layout or with a column mapping.

    In a csv that this program exported, texts that look like formulas stand behind an apostrophe: it is taken off.
    """
    if layout:
        if mapping:
            raise UsageError("A known format brings its own columns.", hint="Give --format or --map, not both.")
        return read_format(path, layout, encoding=encoding, duplicates=duplicates, ctx=ctx)
    table = read_records(path, fields_of(kind), mapping, encoding, duplicates=duplicates, ctx=ctx)
    return _unguarded(table) if path.suffix.lower() in SEPARATED and is_own_export(table.columns) else table


def check_importable(kind: str) -> None:
    """Raise `UsageError` for a study whose texts cannot be imported."""
    if kind not in IMPORTABLE:
        raise UsageError(f"“{kind}” has no import.", hint=f"Import is there for: {', '.join(IMPORTABLE)}.")


def import_table(
    ctx: JobContext, project: Project, study_id: int | None, kind: str, path: Path, table: TableRead
) -> ImportResult:
    """Store the usable rows of a table that was read from `path`.

    `study_id` None: in the project's study of this kind, which is added where there is none. A table that cannot be
    stored is refused before anything is.
    """
    check_importable(kind)
    origin = f"{path.name[:NAME_SHOWN]} {_digest(path)}"
    if kind == "letters":
        added = _letters(ctx, project, study_id or added_study(project, kind), origin, table)
    else:
        axis_of = _known_axes(project, table.rows)
        by_model = _by_model(table.rows, axis_of)
        added = _creativity(ctx, project, study_id or added_study(project, kind), origin, by_model, axis_of)
    return ImportResult(table, added, len(table.rows) - added)


def _unguarded(table: TableRead) -> TableRead:
    rows = (
        replace(record, values={name: without_guard(value) for name, value in record.values.items()})
        for record in table.rows
    )
    return replace(table, rows=tuple(rows))


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


def _known_axes(project: Project, rows: Sequence[Record]) -> dict[str, str]:
    """The axis of each identity: the project's own, and shipped ones for identities that it has not met yet."""
    own = {
        identity["key"]: key
        for key, axis in project.axes.latest().items()
        if not axis.definition.get("reported_as")
        for identity in axis.definition["identities"]
    }
    new = {record.values["identity"] for record in rows} - set(own) - {"default"}
    shipped = {identity: axis for axis, identities in shipped_axes(new).items() for identity in identities}
    if unknown := new - set(shipped):
        raise AppError(
            f"The table has identities of no known axis: {', '.join(sorted(unknown)[:8])}.",
            kept="Nothing was imported.",
            hint=f"Known here: {', '.join(['default', *own])}; and the shipped axes, with two identities or more.",
        )
    return {**shipped, **own}


def _by_model(rows: Sequence[Record], axis_of: Mapping[str, str]) -> dict[str, Numbered]:
    """The rows of each model with their sample numbers. Raises `AppError` for a row that cannot have one, or a key."""
    by_model: dict[str, list[Record]] = {}
    for record in rows:
        if len(_key(record, axis_of)) > LONGEST_KEY:
            raise AppError(
                f"Row {record.number}: task and theme are too long to name a prompt.",
                kept="Nothing was imported.",
                hint="Shorten them to 150 characters together.",
            )
        by_model.setdefault(record.values.get("model", ""), []).append(record)
    return {model: list(zip(found, _samples(found, axis_of), strict=True)) for model, found in sorted(by_model.items())}


def _creativity(
    ctx: JobContext,
    project: Project,
    study_id: int,
    origin: str,
    by_model: Mapping[str, Numbered],
    axis_of: Mapping[str, str],
) -> int:
    rows = [record for numbered in by_model.values() for record, _ in numbered]
    used = {axis_of[row.values["identity"]] for row in rows if row.values["identity"] != "default"}
    for axis in sorted(used - set(project.axes.latest())):
        store_axis(project, load_axis(axis))
    prompts = _imported_prompts(project, study_id, origin, rows, axis_of)
    return sum(
        _imported_outputs(ctx, project, study_id, model, numbered, prompts, axis_of)
        for model, numbered in by_model.items()
    )


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
    rows: Numbered,
    prompts: tuple[int, dict[str, int]],
    axis_of: Mapping[str, str],
) -> int:
    set_id, by_key = prompts
    generator = project.runs.add_generator(GeneratorSpec(backend="imported", model=model)).number("generator")
    samples = max(number for _, number in rows) + 1
    spec = RunSpec(study_id=study_id, prompt_set_id=set_id, generator_id=generator, seed=0, samples=samples)
    run = project.runs.start(spec).number("run")
    added, rest = 0, iter(rows)
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
    if not given.isdecimal() or int(given) >= MOST_SAMPLES:
        raise AppError(
            f"Row {record.number}: “{given}” is not a sample number.",
            kept="Nothing was imported.",
            hint=f"Samples are whole numbers from 0 to {MOST_SAMPLES - 1}.",
        )
    return int(given)


def _digest(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:12]
