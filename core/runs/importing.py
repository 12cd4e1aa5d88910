"""Bringing a table of texts into a project.

Letters become sources; texts of the other studies become outputs of prompts that stand for the ones that were asked."""

import hashlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, PromptSetSpec, PromptSpec, RunSpec, SourceSpec
from biasprint.core.prompts import load_axis
from biasprint.core.prompts.news import TASK, UNBIASED
from biasprint.core.runs.setup import added_study, shipped_axes, store_axis
from biasprint.core.runs.values import ORIGINAL_KEY, original_key, original_source
from biasprint.core.studies.registry import studies, study
from biasprint.core.studies.study import named
from biasprint.core.tables.fields import columns_there
from biasprint.core.tables.rows import Record, TableRead
from biasprint.core.text import sha256_text

# ---- Texts that models wrote elsewhere, as outputs

CHUNK = 200
LONGEST_KEY = 200
MOST_SAMPLES = 10_000


@dataclass(frozen=True)
class ImportedText:
    """One output: the prompt it answers, what wrote it, and which of several answers it is."""

    prompt: PromptSpec
    model: str
    sample: int
    text: str


def store_outputs(
    ctx: JobContext, project: Project, study_id: int, origin: str, items: Sequence[ImportedText], note: str
) -> int:
    """Store the outputs in runs of a generator "imported" for each model; how many were not there already.

    `note` says in the prompt set's recipe what is known of the prompts.
    """
    prompts = {item.prompt.key: item.prompt for item in items}
    recipe = {"imported": origin, "note": note}
    spec = PromptSetSpec(
        name=f"imported: {origin}", recipe=recipe, prompts=tuple(prompts[key] for key in sorted(prompts))
    )
    set_id = project.prompts.add_set(study_id, spec).number("prompt_set")
    by_key = project.prompts.by_key(set_id, sorted(prompts))
    by_model: dict[str, list[ImportedText]] = {}
    for item in items:
        by_model.setdefault(item.model, []).append(item)
    return sum(
        _of_model(ctx, project, study_id, set_id, by_key, model, found) for model, found in sorted(by_model.items())
    )


def _of_model(
    ctx: JobContext,
    project: Project,
    study_id: int,
    set_id: int,
    by_key: dict[str, int],
    model: str,
    items: Sequence[ImportedText],
) -> int:
    generator = project.runs.add_generator(GeneratorSpec(backend="imported", model=model)).number("generator")
    samples = max(item.sample for item in items) + 1
    spec = RunSpec(study_id=study_id, prompt_set_id=set_id, generator_id=generator, seed=0, samples=samples)
    run = project.runs.start(spec).number("run")
    added, rest = 0, iter(items)
    while chunk := list(islice(rest, CHUNK)):
        ctx.check()
        specs = [
            OutputSpec(
                run_id=run, prompt_id=by_key[item.prompt.key], sample=item.sample, seed=0, text=item.text,
                finish_reason="imported",
            )
            for item in chunk
        ]  # fmt: skip
        added += len(project.outputs.record_many(specs).of("output"))
        ctx.report(added, len(items))
    return added


def check_key(record: Record, key: str, what: str) -> None:
    """Raise `AppError` for a row whose fields (`what`, in words) are too long to name a prompt."""
    if len(key) > LONGEST_KEY:
        raise AppError(
            f"Row {record.number}: {what} are too long to name a prompt.",
            kept="Nothing was imported.",
            hint="Shorten them to 150 characters together.",
        )


def sample_numbers(rows: Sequence[Record], prompt_of: Callable[[Record], Hashable]) -> list[int]:
    """The sample number of each row: its own, or, where the table has none, its place among rows of the same prompt.

    `prompt_of`: what rows of the same prompt and model have in common.
    """
    seen: dict[tuple[Hashable, int], int] = {}
    counted: dict[Hashable, int] = {}
    numbers: list[int] = []
    for record in rows:
        key = prompt_of(record)
        given = record.values.get("sample", "").strip()
        number = _whole(record, given) if given else counted.get(key, 0)
        counted[key] = counted.get(key, 0) + 1
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


# ---- Completion

REPLY, MODEL, SAMPLE, TEXT = "response", "model", "sample", "text"
REPLIES_NOTE = "The items were part of the imported table, the wording of the question was not."


def store_replies(ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead) -> int:
    """The number of replies added. A table that cannot be stored is refused before anything is."""
    check_replies(table)
    samples = sample_numbers(table.rows, lambda row: (_reply_key(row), row.values.get(MODEL, "")))
    items = [
        ImportedText(_item(record), record.values.get(MODEL, ""), sample, record.values[REPLY])
        for record, sample in zip(table.rows, samples, strict=True)
    ]
    study_id = study_id or added_study(project, "completion")
    return store_outputs(ctx, project, study_id, origin, items, REPLIES_NOTE)


def check_replies(table: TableRead) -> None:
    """Raise `AppError` where no column holds the replies: single replies may be empty, so reading does not ask."""
    if REPLY not in table.mapping:
        raise AppError(
            "No column was recognised as response (what the model answered).",
            hint=f"Map one with response=column. {columns_there(table.columns)}",
        )


def _item(record: Record) -> PromptSpec:
    fields = _item_fields(record.values)
    return PromptSpec(key=_reply_key(record), text="", task="completion", theme=fields["domain"][:200], fields=fields)


def _reply_key(record: Record) -> str:
    fields = _item_fields(record.values)
    return f"imported/completion/{sha256_text(repr(sorted(fields.items())))[:32]}"


def _item_fields(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name not in (REPLY, MODEL, SAMPLE)}


# ---- Creativity

KEPT = ("temperature",)  # what is known of how an output was made, besides its model


def store_creative_texts(ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead) -> int:
    """The number of outputs added. A table that cannot be stored is refused before anything is."""
    axis_of = _known_axes(project, table.rows)
    for record in table.rows:
        check_key(record, _creative_key(record, axis_of), "task and theme")
    samples = sample_numbers(table.rows, lambda row: (_creative_key(row, axis_of), row.values.get("model", "")))
    items = [
        ImportedText(_creative_prompt(record, axis_of), record.values.get("model", ""), sample, record.values["text"])
        for record, sample in zip(table.rows, samples, strict=True)
    ]
    study_id = study_id or added_study(project, "creativity")
    for axis in sorted({item.prompt.axis for item in items} - {""} - set(project.axes.latest())):
        store_axis(project, load_axis(axis))
    note = "The prompts were not part of the imported table."
    return store_outputs(ctx, project, study_id, origin, items, note)


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


def _creative_prompt(record: Record, axis_of: Mapping[str, str]) -> PromptSpec:
    """It stands for the prompt that nobody kept, so its text is empty."""
    values = record.values
    known = {name: values[name] for name in KEPT if values.get(name, "").strip()}
    return PromptSpec(
        key=_creative_key(record, axis_of), text="", task=values["task"], theme=values["theme"],
        axis=axis_of.get(values["identity"], ""), identity=values["identity"], fields=known,
    )  # fmt: skip


def _creative_key(record: Record, axis_of: Mapping[str, str]) -> str:
    identity = record.values["identity"]
    where = f"{axis_of[identity]}/{identity}" if identity != "default" else identity
    told = "".join(f"/{record.values[name].strip()}" for name in KEPT if record.values.get(name, "").strip())
    return f"imported/{record.values['task']}/{record.values['theme']}/{where}{told}"


def store_letters(ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead) -> int:
    """The number of letters added."""
    study_id = study_id or added_study(project, "letters")
    added, rows = 0, iter(table.rows)
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


# ---- News: originals become sources, generated articles outputs

GENERATED = "generated"
ARTICLES_NOTE = "The prompts were not part of the imported table; prompt_kind says of which kind they were."


def store_articles(ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead) -> int:
    """The number of generated articles added. A table that cannot be stored is refused before anything is."""
    check_generated(table)
    samples = sample_numbers(table.rows, lambda row: (_article_prompt(row).key, row.values.get("model", "")))
    items = [
        ImportedText(_article_prompt(record), record.values.get("model", ""), sample, record.values[GENERATED])
        for record, sample in zip(table.rows, samples, strict=True)
    ]
    study_id = study_id or added_study(project, "news")
    _store_originals(ctx, project, study_id, origin, table)
    return store_outputs(ctx, project, study_id, origin, items, ARTICLES_NOTE)


def check_generated(table: TableRead) -> None:
    """Raise `AppError` where no column holds the generated articles: one may be empty, so reading does not ask."""
    if GENERATED not in table.mapping:
        raise AppError(
            "No column was recognised as generated (the article that a model wrote for the same headline).",
            hint=f"Map one with generated=column. {columns_there(table.columns)}",
        )


def _store_originals(ctx: JobContext, project: Project, study_id: int, origin: str, table: TableRead) -> None:
    """Each original once, however many articles were generated beside it."""
    first = {original_key(record.values["original"]): record for record in reversed(table.rows)}
    rest = iter(sorted(first.values(), key=lambda record: record.number))
    while chunk := list(islice(rest, CHUNK)):
        ctx.check()
        specs = [original_source(origin, one.number, one.values["original"], one.values) for one in chunk]
        project.sources.add_many(study_id, specs)


def _article_prompt(record: Record) -> PromptSpec:
    """It stands for a prompt that nobody kept, so its text is empty."""
    values = record.values
    fields = {
        "headline": values.get("headline", ""),
        "domain": values.get("domain", ""),
        "prompt_kind": values.get("prompt_kind", "").strip() or UNBIASED,
        ORIGINAL_KEY: original_key(values["original"]),
    }
    key = f"imported/news/{sha256_text(repr(sorted(fields.items())))[:32]}"
    return PromptSpec(key=key, text="", task=TASK, theme=fields["domain"][:200], fields=fields)


# ---- A third party's study that says no other way


def store_rows(
    ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead, kind: str
) -> int:
    """Each row's `text` as an output of a prompt that has the row's other fields; how many were added."""
    items = []
    samples = sample_numbers(table.rows, lambda row: (_row_key(row, kind), row.values.get(MODEL, "")))
    for record, sample in zip(table.rows, samples, strict=True):
        fields = _row_fields(record)
        asked = {name: fields.get(name, "")[:200] for name in ("task", "theme", "axis", "identity")}
        if kind == "compare":
            asked["identity"] = fields.get("group", "")[:200]  # a prompt about two groups has none
        prompt = PromptSpec(key=_row_key(record, kind), text="", fields=fields, **asked)
        items.append(ImportedText(prompt, record.values.get(MODEL, ""), sample, record.values.get(TEXT, "")))
    return store_outputs(
        ctx, project, study_id or added_study(project, kind), origin, items,
        "The prompts were not part of the imported table.",
    )  # fmt: skip


def store_compared(ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead) -> int:
    """The number of texts added; their group is the prompt's identity."""
    return store_rows(ctx, project, study_id, origin, table, "compare")


def _row_key(record: Record, kind: str) -> str:
    return f"imported/{kind}/{sha256_text(repr(sorted(_row_fields(record).items())))[:32]}"


def _row_fields(record: Record) -> dict[str, str]:
    return {name: value for name, value in record.values.items() if name not in (TEXT, MODEL, SAMPLE)}


# ---- Import of a table

NAME_SHOWN = 150  # characters of a file's name that say where a text came from


@dataclass(frozen=True)
class ImportResult:
    """The outcome of an import; `present` rows were there already from an earlier import of the same file."""

    table: TableRead
    added: int
    present: int


def check_importable(kind: str) -> None:
    """Raise `UsageError` for a study whose texts cannot be imported."""
    importable = [one.kind for one in studies().values() if one.imported]
    if kind not in importable:
        raise UsageError(f"“{kind}” has no import.", hint=f"Import is there for: {', '.join(importable)}.")


def import_table(
    ctx: JobContext, project: Project, study_id: int | None, kind: str, path: Path, table: TableRead
) -> ImportResult:
    """Store the usable rows of a table that was read from `path`.

    `study_id` None: in the project's study of this kind, which is added where there is none. A table that cannot be
    stored is refused before anything is.
    """
    check_importable(kind)
    origin = f"{path.name[:NAME_SHOWN]} {_digest(path)}"
    importer = study(kind).importer
    if importer:
        added: int = named(importer)(ctx, project, study_id, origin, table)
    else:
        added = store_rows(ctx, project, study_id, origin, table, kind)
    return ImportResult(table, added, len(table.rows) - added)


def _digest(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:12]
