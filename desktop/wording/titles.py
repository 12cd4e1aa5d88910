"""What tasks, themes, axes and identities are called, wherever a key would be shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.project.project import Project


@dataclass(frozen=True)
class Titles:
    """Titles by key. A key that has none stands for itself, its underscores as blanks. Themes are bare words."""

    tasks: Mapping[str, str] = field(default_factory=dict)
    themes: Mapping[str, str] = field(default_factory=dict)
    axes: Mapping[str, str] = field(default_factory=dict)
    identities: Mapping[tuple[str, str], str] = field(default_factory=dict)  # by axis and identity

    def task(self, key: str) -> str:
        return self.tasks.get(key) or _words(key)

    def theme(self, key: str) -> str:
        return self.themes.get(key) or key.replace("_", " ")

    def identity(self, axis: str, key: str) -> str:
        return self.identities.get((axis, key)) or _words(key)

    def axis_and_identity(self, axis: str, key: str) -> str:
        """ "Race · Black"; the identity alone where there is no axis."""
        return " · ".join(part for part in (self.axes.get(axis) or _words(axis), self.identity(axis, key)) if part)

    def about(self, task: str, theme: str) -> str:
        """ "Haiku · stars"; what there is of it."""
        return " · ".join(part for part in (self.task(task), self.theme(theme)) if part)


def read_titles(project: "Project") -> Titles:
    """The titles of the program's own tasks and themes, and of the axes that the project has."""
    from core.prompts.cogs import cogs_tasks, cogs_themes

    axes = project.axes.latest()
    return Titles(
        tasks={task.key: task.title for task in cogs_tasks()},
        themes={theme.key: theme.text for theme in cogs_themes()},
        axes={key: axis.title for key, axis in axes.items()},
        identities={
            (key, one["key"]): one["label"] for key, axis in axes.items() for one in axis.definition["identities"]
        },
    )


def _words(key: str) -> str:
    words = key.replace("_", " ")
    return words[:1].upper() + words[1:]
