"""The window's names for studies, tasks, themes, axes and identities."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from desktop.widgets.words import plural, tr

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


@dataclass(frozen=True)
class StudyWords:
    """`rows`: what the rows of an imported table are. `one`, `many`: so many of the study's texts. `scored`: are its
    texts scored before they are measured? `panel`, `section`: where its findings are seen.
    """

    rows: str
    one: str
    many: str
    scored: bool = True
    panel: str = "findings"
    section: str = ""

    @property
    def next_step(self) -> str:
        """What happens to texts that came in, in words."""
        scored = tr("Next, the texts are scored and compared between the groups, on this computer.")
        return scored if self.scored else tr("Next, the replies are counted and compared, on this computer.")

    @property
    def action(self) -> str:
        return tr("Score and measure") if self.scored else tr("Measure")

    def counted(self, n: int) -> str:
        """ "12 letters"."""
        return plural(n, self.one, self.many)


# In the order of the tabs and boxes that offer them.
STUDIES: Mapping[str, StudyWords] = MappingProxyType(
    {
        "letters": StudyWords("Reference letters", "1 letter", "%n letters", panel="charts", section="letters"),
        "creativity": StudyWords(
            "Creative texts", "1 creative text", "%n creative texts", panel="charts", section="distance"
        ),
        "news": StudyWords("News articles with their originals", "1 news article", "%n news articles"),
        "completion": StudyWords("Fill-in-the-blank replies", "1 reply", "%n replies", scored=False),
    }
)


def words_of(kind: str) -> StudyWords:
    """The words of a study; general ones for several, and for a third party's study."""
    return STUDIES.get(kind) or StudyWords(kind, "1 text", "%n texts")
