"""The window's names for studies, tasks, themes, axes and identities."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from biasprint.core.studies.kit.declared import StudyWords
from biasprint.desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from biasprint.core.project.project import Project


@dataclass(frozen=True)
class Titles:
    """Titles by key. A key without one is shown itself, its underscores as blanks. Themes are bare words."""

    tasks: Mapping[str, str] = field(default_factory=dict)
    themes: Mapping[str, str] = field(default_factory=dict)
    axes: Mapping[str, str] = field(default_factory=dict)
    identities: Mapping[tuple[str, str], str] = field(default_factory=dict)  # by axis and identity

    def task(self, key: str) -> str:
        return self.tasks.get(key) or _words(key)

    def theme(self, key: str) -> str:
        return self.themes.get(key) or key.replace("_", " ")

    def axis(self, keys: str) -> str:
        """Return the title of one axis, or of a plan's: "gender+race" as "Gender, Race"."""
        return ", ".join(self.axes.get(key) or _words(key) for key in keys.split("+") if key)

    def identity(self, axis: str, key: str) -> str:
        return self.identities.get((axis, key)) or _words(key)

    def axis_and_identity(self, axis: str, key: str) -> str:
        """Return "Race · Black"; the identity alone where there is no axis."""
        return " · ".join(part for part in (self.axes.get(axis) or _words(axis), self.identity(axis, key)) if part)

    def about(self, task: str, theme: str) -> str:
        """Return "Haiku · stars", without missing parts."""
        return " · ".join(part for part in (self.task(task), self.theme(theme)) if part)


def read_titles(project: "Project") -> Titles:
    """Read the titles of tasks and themes, the program's and a person's own, and of the project's axes."""
    from biasprint.core.judging.wording import own_words
    from biasprint.core.prompts.cogs import cogs_tasks, cogs_themes

    axes = project.axes.in_use()
    tasks, themes = own_words(project)
    return Titles(
        tasks={key: task.title for key, task in tasks.items()} | {task.key: task.title for task in cogs_tasks()},
        themes=themes | {theme.key: theme.text for theme in cogs_themes()},
        axes={key: axis.title for key, axis in axes.items()},
        identities={
            (key, identity["key"]): identity["label"]
            for key, axis in axes.items()
            for identity in axis.definition["identities"]
        },
    )


def _words(key: str) -> str:
    words = key.replace("_", " ")
    return words[:1].upper() + words[1:]


@dataclass(frozen=True)
class StudyWording(StudyWords):
    """The window's words for a study and its texts, as the study declares them."""

    @property
    def next_step(self) -> str:
        """The next step for imported texts, in words."""
        scored = tr("Next, the texts are scored and compared between the groups, on this computer.")
        return scored if self.scored else tr("Next, the replies are counted and compared, on this computer.")

    @property
    def action(self) -> str:
        return tr("Score and measure") if self.scored else tr("Measure")

    def counted(self, n: int) -> str:
        """Return the number of texts in words: "12 letters"."""
        return plural(n, self.one, self.many)


def study_kinds() -> tuple[str, ...]:
    """Return the studies whose texts can be imported and measured, in the order of the boxes that offer them."""
    from biasprint.core.studies.registry import studies

    imported = [study for study in studies().values() if study.imported]
    return tuple(study.kind for study in sorted(imported, key=lambda study: study.words.place))


def words_of(kind: str) -> StudyWording:
    """Return the words of a study; general ones for several, and for an unknown one."""
    from biasprint.core.studies.registry import studies

    known = studies().get(kind)
    words = known.words if known else StudyWords()
    return StudyWording(**{**vars(words), "rows": words.rows or (known.title if known else kind)})
