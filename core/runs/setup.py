"""Setting a project up: studies, axes, prompt sets drafted from what a person narrows them to, generators, and texts
from a table.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from biasprint.core.backends.registry import open_backend
from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import ordinary_file
from biasprint.core.jobs import JobContext
from biasprint.core.machine.models import catalogue
from biasprint.core.project.project import Project
from biasprint.core.project.rows import PromptSetRow, StudyRow
from biasprint.core.project.specs import GeneratorSpec, PromptSetSpec, PromptSpec
from biasprint.core.prompts import PromptSetDraft, load_axis
from biasprint.core.prompts.axes import with_names
from biasprint.core.prompts.drafts import mitigated, named_from
from biasprint.core.prompts.from_template import TAKEN, TemplateRow, TemplateTable, template_set
from biasprint.core.prompts.name_sets import load_name_set
from biasprint.core.prompts.wordings import AS_IT_IS, TemplateWords, in_wordings
from biasprint.core.runs.writing import describe_generator, whole_path
from biasprint.core.studies.kit.choice import PromptChoice, WordedChoice
from biasprint.core.studies.kit.importing import store_axis
from biasprint.core.studies.registry import studies, study, table_fields
from biasprint.core.studies.registry import study as known_study
from biasprint.core.tables.fields import FieldSpec, guess_mapping, parse_map_options
from biasprint.core.tables.read import read_columns as read_all_columns
from biasprint.core.tables.rows import TableRead
from biasprint.core.texts.values import original_source

# ---- Prompt sets from a template and a table

STUDIES = ("compare", "letters")  # they read the group, block and name of a text from its prompt's columns
LONGEST = 1_000_000  # characters of a template
LONGEST_NAME = 200
OTHER_FIELDS = ("theme", "task")


def draft_template(
    ctx: JobContext,
    study: str,
    template: Path,
    table: Path | None,
    *,
    fields: Mapping[str, str],
    name: str = "",
    axis: str = "",
    name_set: str = "",
    words: TemplateWords = AS_IT_IS,
) -> PromptSetDraft:
    """Return the prompts of a template for a study. `fields`: field → column, where the column's name does not show
    it.
    """
    if study not in STUDIES:
        raise UsageError(f"The prompts of {study} are made from no template.", hint=f"Studies: {', '.join(STUDIES)}.")
    if table is None:
        raise UsageError("A template needs a table to be filled from.", hint="Give it with --table FILE.")
    called = (name or template.stem).strip()
    if len(called) > LONGEST_NAME:
        raise UsageError("The name of the prompt set is too long.", hint=f"At most {LONGEST_NAME} characters.")
    loaded, taken = load_axis(axis) if axis else None, load_name_set(name_set) if name_set else None
    if taken is not None:
        if loaded is None:
            raise UsageError("A set of names is for the identities of an axis.", hint="Name it with --axis.")
        loaded = with_names(loaded, taken)
    rows = read_columns(ctx, table, study, fields)
    task = "letter" if study == "letters" else study
    text = words.of("template", _text(template))
    return named_from(template_set(text, rows, name=called, task=task, axis=loaded), taken)


def _text(path: Path) -> str:
    try:
        ordinary_file(path, follow=True)
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise AppError(f"The template {path} could not be read.", hint="Check its path.", details=str(error)) from error
    except UnicodeDecodeError as error:
        raise AppError(f"The template {path} is not text in UTF-8.", hint="Save it as UTF-8.") from error
    if not text.strip() or len(text) > LONGEST:
        trouble = "too long to be a template" if text.strip() else "empty"
        raise AppError(f"The template {path} is {trouble}.", hint="Write the prompt, with {column} for what varies.")
    return text.replace("\r\n", "\n").strip("\n")


def read_columns(ctx: JobContext, path: Path, study: str, fields: Mapping[str, str]) -> TemplateTable:
    """Return all columns of a table. Raises `AppError` for the first row that cannot be read whole."""
    read = read_all_columns(path, ctx, kept="No prompts were made.")
    columns, source = read.columns, f"“{path.name}”"
    known = [spec for spec in table_fields(study) if spec.name not in TAKEN]
    _check_fields(fields, columns, known, source)
    guessed = guess_mapping([column for column in columns if column not in fields.values()], [], known)
    mapped = {**{each: column for each, column in guessed.items() if each not in fields}, **fields}
    mapped_columns = {each: column for each, column in mapped.items() if column}
    rows = tuple(TemplateRow(record.number, record.values) for record in read.rows)
    return TemplateTable(columns, rows, mapped_columns, source)


def _check_fields(fields: Mapping[str, str], columns: tuple[str, ...], known: list[FieldSpec], source: str) -> None:
    names = [*(spec.name for spec in known), *OTHER_FIELDS]
    for each, column in fields.items():
        if each not in names:
            raise UsageError(f"There is no field “{each}”.", hint=f"Fields: {', '.join(names)}.")
        if column and column not in columns:
            available = ", ".join(columns)
            raise UsageError(f"{source} has no column “{column}”, asked for as {each}.", hint=f"Columns: {available}.")


# ---- Drafting prompt sets

BY_TEMPLATE = {"template", "table", "columns", "set_name"}
OF_ALL = ("mitigation", "instruction", "wordings")  # choices that the prompts of any study may have


def draft_prompts(ctx: JobContext, project: Project | None, study: str, choice: PromptChoice) -> PromptSetDraft:
    """Return the drafted set, for a project that may not be there yet.

    Raises `UsageError` for a choice that this study would otherwise silently leave aside.
    """
    draw = drafter(study, choice)
    if choice.wordings is None:
        draft = draw(ctx, project, choice)
    else:
        shipped = "" if choice.template else choice.design or study
        draft = in_wordings(lambda words: draw(ctx, project, WordedChoice.of(choice, words)), choice.wordings, shipped)
    if choice.instruction and not choice.mitigation:
        raise UsageError("An instruction needs a name.", hint="Name it with --mitigation.")
    return mitigated(draft, choice.mitigation, choice.instruction or "") if choice.mitigation else draft


def first_look(ctx: JobContext, project: Project | None, study: str, wordings: str | None = None) -> PromptSetDraft:
    """Return the prompts of a study narrowed to a set small enough for a first finding.

    `wordings`: how many each prompt has, as `PromptChoice` takes it.
    """
    return draft_prompts(ctx, project, study, PromptChoice(**known_study(study).first_look, wordings=wordings))


Drafter = Callable[[JobContext, Project | None, PromptChoice], PromptSetDraft]


def drafter(kind: str, choice: PromptChoice) -> Drafter:
    """Return the function that drafts the prompts of a study. Raises `UsageError` for a choice that it cannot
    follow.
    """
    if kind not in studies():
        raise UsageError(f"There is no study “{kind}” to start.", hint=f"Studies: {', '.join(studies())}.")
    study = known_study(kind)
    if choice.given & BY_TEMPLATE:
        return lambda ctx, project, choice: draft_by_template(ctx, kind, choice)
    if foreign := sorted(choice.given - {*study.narrowed_by, *OF_ALL}):
        by = ", ".join(study.narrowed_by) or "nothing"
        raise UsageError(f"The prompts of {kind} have no {', '.join(foreign)}.", hint=f"They are narrowed by {by}.")
    if not study.has_prompts:
        raise UsageError(f"The study {kind} has no prompts to start with.", hint="Its texts are imported.")
    return study.draft


def draft_by_template(ctx: JobContext, kind: str, choice: PromptChoice) -> PromptSetDraft:
    if choice.template is None:
        raise UsageError("A table alone makes no prompts.", hint="Give the template with --template FILE.")
    if foreign := sorted(choice.given - {*BY_TEMPLATE, "axes", "name_set", *OF_ALL}):
        raise UsageError(
            f"Prompts of a template have no {', '.join(foreign)}.", hint="They have the columns of their table."
        )
    if len(choice.axes or ()) > 1:
        raise UsageError("A template's prompts are on one axis.", hint="Cross two with “biasprint axis cross”.")
    return draft_template(
        ctx, kind, choice.template, choice.table, fields=parse_map_options(choice.columns or ()),
        name=choice.set_name or "", axis=(choice.axes or ("",))[0], name_set=choice.name_set or "",
        words=choice.words,
    )  # fmt: skip


# ---- Storing prompt sets

OPENING_SECONDS = 600.0  # a large model from a slow disk takes minutes; a broken one must not take for ever


@dataclass(frozen=True)
class AddedPrompts:
    """The prompt set that is in the project now; `hints` are sentences for whoever plans with it."""

    set_id: int
    name: str
    version: int
    prompts: int
    hints: tuple[str, ...]


def check_studies(names: Sequence[str]) -> None:
    """Raise `UsageError` for a study that has no prompts to start with."""
    for name in names:
        drafter(name, PromptChoice())


def add_study(project: Project, name: str) -> AddedPrompts:
    """Return a study with its whole default prompt set."""
    return add_prompts(project, name)


def add_prompts(project: Project, study: str, *, ctx: JobContext | None = None, **choice: Any) -> AddedPrompts:
    """Return a prompt set, narrowed to or made from what `choice` says (the fields of `PromptChoice`)."""
    return store_set(project, study, draft_prompts(ctx or JobContext(), project, study, PromptChoice(**choice)))


def store_set(project: Project, study: str, draft: PromptSetDraft) -> AddedPrompts:
    """Store a drafted prompt set with copies of its axes, and its originals, in the project's study of that kind."""
    for axis in draft.axes:
        store_axis(project, axis)
    study_id = added_study(project, study)
    prompts = tuple(
        PromptSpec(
            key=item.key, text=item.text, task=item.task, theme=item.theme, axis=item.axis, identity=item.identity,
            fields=dict(item.fields),
        )
        for item in draft.prompts
    )  # fmt: skip
    spec = PromptSetSpec(name=draft.name, recipe=dict(draft.recipe), prompts=prompts)
    set_id = project.prompts.add_set(study_id, spec).number("prompt_set")
    originals = [
        original_source(
            original.origin, number, original.text, {"headline": original.headline, "domain": original.domain}
        )
        for number, original in enumerate(draft.originals, start=1)
    ]
    project.sources.add_many(study_id, originals)
    stored = next(row for row in project.prompts.sets(study_id) if row.id == set_id)
    return AddedPrompts(set_id, stored.name, stored.version, len(prompts), draft.hints)


def added_study(project: Project, kind: str) -> int:
    """Return the id of the project's study of this kind, added where there is none."""
    return known_study(kind).added_to(project)


def study_of(project: Project, kind: str) -> StudyRow:
    """Return the project's study of a kind, or what to do to have one."""
    row = project.studies.of_kind(kind)
    if row is None:
        raise AppError(
            f"The project has no {kind} study.", hint=f"Add it with “biasprint prompts FILE --study {kind}”."
        )
    return row


def newest_set(project: Project, study: str, name: str | None = None) -> PromptSetRow:
    """Return the newest prompt set of a study; the newest version of the one with this name; or what NAME@VERSION
    names.
    """
    study_row = project.studies.of_kind(study)
    if study_row is None:
        known_study(study)
    sets = (
        [row for row in project.prompts.sets(study_row.id) if not row.name.startswith("imported: ")]
        if study_row
        else []
    )
    for row in reversed(sets):
        if name in (None, row.name, f"{row.name}@{row.version}"):
            return row
    if name is not None and sets:
        available = ", ".join(f"{row.name}@{row.version}" for row in sets)
        raise UsageError(f"There is no prompt set “{name}”.", hint=f"There are: {available}.")
    raise AppError(
        f"The project has no prompts for {study}.", hint=f"Make them with “biasprint prompts FILE --study {study}”."
    )


def recommended(backend: str, model: str, purpose: str) -> dict[str, Any]:
    """Return the parameters that the catalogue recommends for a local model and a study, or for judging; else none."""
    preset = catalogue.preset(model, purpose) if backend == "llama_cpp" else None
    return dict(preset.parameters) if preset else {}


def generator_spec(
    backend: str,
    model: str,
    parameters: Mapping[str, Any],
    compute: ComputeProcess | None = None,
    *,
    ctx: JobContext | None = None,
    keys: Mapping[str, str] | None = None,
) -> GeneratorSpec:
    """Return a generator as it is recorded. Raises `AppError` where the backend or model cannot be used.

    It is opened in the model process `compute`, where it stays open; without one here, for what is light.
    """
    if compute is not None:
        info = compute.call(
            describe_generator, backend, whole_path(backend, model), dict(parameters), dict(keys or {}),
            ctx=ctx, timeout=OPENING_SECONDS,
        )  # fmt: skip
    else:
        writer = open_backend(backend, model, dict(parameters))
        try:
            info = writer.describe()
        finally:
            writer.close()
    return GeneratorSpec(
        backend=info.backend, model=info.model, parameters=dict(info.parameters), revision=info.revision
    )


# ---- Texts from a table: letters become sources, others outputs of prompts that represent the ones that were asked

NAME_SHOWN = 150  # characters of a file's name that say where a text came from


@dataclass(frozen=True)
class ImportResult:
    """The outcome of an import; `present` rows were there already from an earlier import of the same file."""

    table: TableRead
    added: int
    present: int


def check_importable(kind: str) -> None:
    """Raise `UsageError` for a study whose texts cannot be imported."""
    importable = [study_type.kind for study_type in studies().values() if study_type.imported]
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
    added = study(kind).work().store(ctx, project, study_id, origin, table)
    return ImportResult(table, added, len(table.rows) - added)


def _digest(path: Path) -> str:
    """The digest of a file, or of the digests of a folder's files."""
    if path.is_dir():
        parts = [f"{file.name} {_digest(file)}" for file in sorted(path.rglob("*")) if file.is_file()]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:12]
