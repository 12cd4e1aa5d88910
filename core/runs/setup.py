"""Setting a project up: studies, axes and prompt sets, from what ships with the program."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.backends.registry import open_backend
from core.compute import ComputeProcess
from core.errors import AppError, UsageError
from core.jobs import JobContext
from core.project.project import Project
from core.project.rows import PromptSetRow, StudyRow
from core.project.specs import AxisSpec, GeneratorSpec, PromptSetSpec, PromptSpec
from core.prompts import Axis, PromptSetDraft, available_axes, load_axis
from core.runs.drafting import PromptChoice, draft_prompts, drafter
from core.studies.registry import study as known_study

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
    """A study with its whole default prompt set."""
    return add_prompts(project, name)


def add_prompts(project: Project, study: str, *, ctx: JobContext | None = None, **choice: Any) -> AddedPrompts:
    """A prompt set, narrowed to or made from what `choice` says (the fields of `PromptChoice`)."""
    return store_set(project, study, draft_prompts(ctx or JobContext(), project, study, PromptChoice(**choice)))


def store_set(project: Project, study: str, draft: PromptSetDraft) -> AddedPrompts:
    """Store a drafted prompt set with copies of its axes, in the project's study of that kind."""
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
    stored = next(row for row in project.prompts.sets(study_id) if row.id == set_id)
    return AddedPrompts(set_id, stored.name, stored.version, len(prompts), draft.hints)


def added_study(project: Project, kind: str) -> int:
    """The id of the project's study of this kind, added where there is none."""
    found = project.studies.of_kind(kind)
    return found.id if found else project.studies.add(kind, known_study(kind).title).number("study")


def shipped_axes(identities: Collection[str]) -> dict[str, list[str]]:
    """The shipped axes that these identities belong to, with all of theirs: every axis with at least two of them."""
    found: dict[str, list[str]] = {}
    for key in available_axes():
        axis = load_axis(key)
        names = [identity.key for identity in axis.identities]
        if not axis.reported_as and len(set(names).intersection(identities)) >= 2:
            found[key] = names
    return found


def store_axis(project: Project, axis: Axis) -> None:
    """A copy of an axis as it is now; an edited one becomes the next version."""
    project.axes.add(AxisSpec(key=axis.key, title=axis.title, definition=axis.definition()))


def study_of(project: Project, kind: str) -> StudyRow:
    """The project's study of a kind, or what to do to have one."""
    found = project.studies.of_kind(kind)
    if found is None:
        raise AppError(
            f"The project has no {kind} study.", hint=f"Add it with “biasprint prompts FILE --study {kind}”."
        )
    return found


def newest_set(project: Project, study: str, name: str | None = None) -> PromptSetRow:
    """The newest prompt set of a study; the newest version of the one with this name; or what NAME@VERSION names."""
    found = project.studies.of_kind(study)
    if found is None:
        known_study(study)
    sets = [row for row in project.prompts.sets(found.id) if not row.name.startswith("imported: ")] if found else []
    for row in reversed(sets):
        if name in (None, row.name, f"{row.name}@{row.version}"):
            return row
    if name is not None and sets:
        there = ", ".join(f"{row.name}@{row.version}" for row in sets)
        raise UsageError(f"There is no prompt set “{name}”.", hint=f"There are: {there}.")
    raise AppError(
        f"The project has no prompts for {study}.", hint=f"Make them with “biasprint prompts FILE --study {study}”."
    )


def generator_spec(
    backend: str,
    model: str,
    parameters: Mapping[str, Any],
    compute: ComputeProcess | None = None,
    *,
    ctx: JobContext | None = None,
    keys: Mapping[str, str] | None = None,
) -> GeneratorSpec:
    """A generator as it is recorded. Raises `AppError` where the backend or model cannot be used.

    It is opened in the model process `compute`, where it stays open; without one here, for what is light.
    """
    if compute is not None:
        info = compute.call(
            "core.runs.writing:describe", backend, model, dict(parameters), dict(keys or {}), ctx=ctx,
            timeout=OPENING_SECONDS,
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
