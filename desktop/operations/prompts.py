"""Prompts: what a choice expands to, adding it to a project, and which sets a project has."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.jobs import JobContext
from desktop.operations.base import Operation
from desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from core.project.project import Project
    from core.prompts import PromptSetDraft
    from core.runs.setup import AddedPrompts


@dataclass(frozen=True)
class CogsChoice:
    """Keys of the creative tasks, themes and axes that were checked."""

    tasks: tuple[str, ...]
    themes: tuple[str, ...]
    axes: tuple[str, ...]


@dataclass(frozen=True)
class LettersChoice:
    """The letters' axis with the names of each of its groups, ages and occupations, as they were typed."""

    axis: str
    names: Mapping[str, tuple[str, ...]]
    ages: tuple[str, ...]
    occupations: tuple[str, ...]


@dataclass(frozen=True)
class StoredSet:
    """A prompt set of the project."""

    id: int
    study: str  # the study's title
    name: str
    version: int
    prompts: int
    created_at: str


STUDY_OF = {CogsChoice: "creativity", LettersChoice: "letters"}


def expand(choice: CogsChoice | LettersChoice) -> "PromptSetDraft":
    """Every prompt of a choice. Raises `UsageError` for one that makes no set."""
    from core.errors import UsageError
    from core.prompts import cogs_set, letters_context_less_set

    if isinstance(choice, CogsChoice):
        if not choice.axes:
            raise UsageError(tr("No axis was chosen."), hint=tr("Check at least one axis to compare on."))
        return cogs_set(choice.tasks, choice.themes, choice.axes)
    ages = []
    for age in choice.ages:
        if not age.isdecimal():
            raise UsageError(tr("“{age}” is not an age.").format(age=age), hint=tr("Ages are whole numbers."))
        ages.append(int(age))
    return letters_context_less_set(names=choice.names, ages=ages, occupations=choice.occupations, axis=choice.axis)


def add_prompts(*, project: "Project", choice: CogsChoice | LettersChoice) -> "Operation[AddedPrompts]":
    """Store the prompts; the same content is the version that is there, other content the next one."""

    def work(ctx: JobContext) -> "AddedPrompts":
        from core.runs.setup import store_set

        return store_set(project, STUDY_OF[type(choice)], expand(choice))

    return Operation(tr("Adding prompts"), work, _told)


def stored_sets(ctx: JobContext, project: "Project") -> tuple[StoredSet, ...]:
    """The project's prompt sets, newest first, without those that stand for an imported table's."""
    studies = {study.id: study.title for study in project.studies.all()}
    return tuple(
        StoredSet(row.id, studies[row.study_id], row.name, row.version, project.prompts.count(row.id), row.created_at)
        for row in reversed(project.prompts.sets())
        if "imported" not in row.recipe
    )


def _told(added: "AddedPrompts") -> str:
    count = plural(added.prompts, "1 prompt", "%n prompts")
    return tr("{name}, version {n}: {count}.").format(name=added.name, n=added.version, count=count)
