"""Creative texts of a table become outputs of their prompts."""

from collections.abc import Mapping, Sequence

from core.errors import AppError
from core.jobs import JobContext
from core.project.project import Project
from core.project.specs import PromptSpec
from core.prompts import load_axis
from core.runs.importing.outputs import Imported, check_key, sample_numbers, store_outputs
from core.runs.setup import added_study, shipped_axes, store_axis
from core.tables.rows import Record, TableRead

KEPT = ("temperature",)  # what is known of how an output was made, besides its model


def store(ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead) -> int:
    """How many outputs were added. A table that cannot be stored is refused before anything is."""
    axis_of = _known_axes(project, table.rows)
    for record in table.rows:
        check_key(record, _key(record, axis_of), "task and theme")
    samples = sample_numbers(table.rows, lambda row: (_key(row, axis_of), row.values.get("model", "")))
    items = [
        Imported(_prompt(record, axis_of), record.values.get("model", ""), sample, record.values["text"])
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


def _prompt(record: Record, axis_of: Mapping[str, str]) -> PromptSpec:
    """It stands for the prompt that nobody kept, so its text is empty."""
    values = record.values
    known = {name: values[name] for name in KEPT if values.get(name, "").strip()}
    return PromptSpec(
        key=_key(record, axis_of), text="", task=values["task"], theme=values["theme"],
        axis=axis_of.get(values["identity"], ""), identity=values["identity"], fields=known,
    )  # fmt: skip


def _key(record: Record, axis_of: Mapping[str, str]) -> str:
    identity = record.values["identity"]
    where = f"{axis_of[identity]}/{identity}" if identity != "default" else identity
    told = "".join(f"/{record.values[name].strip()}" for name in KEPT if record.values.get(name, "").strip())
    return f"imported/{record.values['task']}/{record.values['theme']}/{where}{told}"
