"""Bringing creative texts into a project, with the axes of the identities that they were written for."""

from collections.abc import Mapping, Sequence

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import PromptSpec
from biasprint.core.prompts.axes import load_axis
from biasprint.core.studies.kit.importing import (
    ImportedText,
    check_key,
    sample_numbers,
    shipped_axes,
    store_axis,
    store_outputs,
)
from biasprint.core.studies.kit.study import Study
from biasprint.core.tables.rows import Record, TableRead

KEPT = ("temperature",)  # what is known of how an output was made, besides its model


def store_creative_texts(
    study: Study, ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead
) -> int:
    """The number of outputs added. A table that cannot be stored is refused before anything is."""
    axis_of = _known_axes(project, table.rows)
    for record in table.rows:
        check_key(record, _creative_key(record, axis_of), "task and theme")
    samples = sample_numbers(table.rows, lambda row: (_creative_key(row, axis_of), row.values.get("model", "")))
    items = [
        ImportedText(_creative_prompt(record, axis_of), record.values.get("model", ""), sample, record.values["text"])
        for record, sample in zip(table.rows, samples, strict=True)
    ]
    study_id = study_id or study.added_to(project)
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
