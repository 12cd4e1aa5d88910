"""The title of a comparison and the criteria that it is judged by, from the task's own words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from biasprint.core.errors import UsageError
from biasprint.core.judging.blind import RatingCriterion
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.project.project import Project
from biasprint.core.prompts.cogs import OWN_TASKS, cogs_tasks, cogs_themes
from biasprint.core.prompts.letters import letter_design

# ---- The rubric of a file

LONGEST_INSTRUCTIONS, LONGEST_QUESTION = 20_000, 120
MOST_CRITERIA, LONGEST_NAME, LONGEST_EXPLANATION = 12, 60, 400
KEPT = "No plan was made."


def rubric_of(text: str) -> tuple[tuple[str, str], ...]:
    """Parse criteria, a line each: “Imagery: it shows instead of telling”. Empty lines are none; an empty text has
    none.

    Raises UsageError, with the line, for one without a name, one that is too long, a name twice, and too many.
    """
    criteria: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        name, _, explanation = (part.strip() for part in line.partition(":"))
        if not name or len(name) > LONGEST_NAME or len(explanation) > LONGEST_EXPLANATION:
            raise UsageError(
                f"Line {number} of the rubric is no criterion.", kept=KEPT,
                hint=f"Write “Name: explanation”, the name in at most {LONGEST_NAME} characters and the explanation in "
                f"at most {LONGEST_EXPLANATION}.",
            )  # fmt: skip
        if name in criteria:
            raise UsageError(f"The rubric names “{name}” twice.", kept=KEPT, hint="Each criterion has one line.")
        criteria[name] = explanation
    if len(criteria) > MOST_CRITERIA:
        raise UsageError(
            f"The rubric has {len(criteria)} criteria.", kept=KEPT, hint=f"Raters can hold {MOST_CRITERIA} at most."
        )
    return tuple(criteria.items())


def rubric_text(rubric: Sequence[tuple[str, str]]) -> str:
    """Return the inverse of `rubric_of`."""
    return "\n".join(f"{name}: {explanation}" if explanation else name for name, explanation in rubric)


def question_of(text: str) -> str:
    """Return a question in one line. Raises UsageError where it is too long to be shown above the texts."""
    question = " ".join(text.split())
    if len(question) > LONGEST_QUESTION:
        raise UsageError(
            "The question is too long.", kept=KEPT, hint=f"Ask in at most {LONGEST_QUESTION} characters; the rest "
            "belongs in the instructions.",
        )  # fmt: skip
    return question


def instructions_of(text: str) -> str:
    """Return instructions as they are written. Raises UsageError where nobody would read them."""
    if len(text.strip()) > LONGEST_INSTRUCTIONS:
        raise UsageError(
            "The instructions are too long.", kept=KEPT, hint=f"Write at most {LONGEST_INSTRUCTIONS:,} characters."
        )
    return text.strip()


UNNAMED = "Texts"  # where task and theme say nothing that may be said


@dataclass(frozen=True)
class TaskWords:
    title: str
    criteria: tuple[RatingCriterion, ...] = ()


class ComparisonWording:
    """Titles and criteria by task and theme key; an unknown key is used as it is, its underscores as blanks."""

    def __init__(self, tasks: Mapping[str, TaskWords], themes: Mapping[str, str] | None = None) -> None:
        self._tasks = tasks
        self._themes = themes or {}

    def extended(self, tasks: Mapping[str, TaskWords], themes: Mapping[str, str]) -> "ComparisonWording":
        """Return the wording with more tasks and themes; the existing ones stay unchanged."""
        return ComparisonWording({**tasks, **self._tasks}, {**themes, **self._themes})

    def title(self, task: str, theme: str) -> str:
        """Return task and theme, such as "Short poem · castle": themes are bare words, and take no article."""
        words = self._tasks.get(task)
        named = words.title if words is not None else task.replace("_", " ").capitalize()
        return " · ".join(part for part in (named, self._themes.get(theme, theme.replace("_", " "))) if part) or UNNAMED

    def criteria(self, task: str) -> tuple[RatingCriterion, ...]:
        words = self._tasks.get(task)
        return words.criteria if words is not None else ()


class OwnRubric(ComparisonWording):
    """Another wording's titles, with a plan's own criteria for every task."""

    def __init__(self, wording: ComparisonWording, rubric: Sequence[tuple[str, str]]) -> None:
        super().__init__({})
        self._inner = wording
        self._rubric = tuple(RatingCriterion(name, explanation) for name, explanation in rubric)

    def title(self, task: str, theme: str) -> str:
        return self._inner.title(task, theme)

    def criteria(self, task: str) -> tuple[RatingCriterion, ...]:
        return self._rubric


def plan_wording(wording: ComparisonWording, settings: PlanSettings) -> ComparisonWording:
    """Return the wording of a plan's comparisons: with its own rubric, where it has one."""
    return OwnRubric(wording, settings.rubric) if settings.rubric else wording


def wording_of(project: Project) -> ComparisonWording:
    """Return the shipped wording, with the tasks, documents and themes of a person's own as they were when prompts were
    made.

    It reads the project.
    """
    return shipped_wording().extended(*own_words(project))


def own_words(project: Project) -> tuple[dict[str, TaskWords], dict[str, str]]:
    """Return the tasks that do not ship, by key, and every theme that was asked for. It reads the project.

    Of several versions the newest that texts were written for counts.
    """
    written = {run.prompt_set_id for run in project.runs.all()}
    tasks: dict[str, TaskWords] = {}
    themes: dict[str, str] = {}
    for prompt_set in sorted(project.prompts.sets(), key=lambda row: (row.id in written, row.id)):
        for key, words in prompt_set.recipe.get(OWN_TASKS, {}).items():
            tasks[key] = TaskWords(words["title"], tuple(RatingCriterion(*each) for each in words["rubric"]))
        own = prompt_set.recipe.get("themes", {})
        themes |= own if isinstance(own, dict) else {}
    return tasks, themes


def shipped_wording() -> ComparisonWording:
    """Return the wording of the tasks and themes that come with the program, of every study.

    Letters are distinguished by occupation (“Reference letter · chef”), news by the headline that both articles were
    written for. A theme that would name what is compared was left empty when the comparison was drawn.
    """
    tasks = {
        task.key: TaskWords(
            task.title, tuple(RatingCriterion(criterion.name, criterion.explanation) for criterion in task.rubric)
        )
        for task in cogs_tasks()
    }
    tasks |= {key: TaskWords(document.title) for key, document in letter_design().documents.items()}
    tasks["news"] = TaskWords("News article")
    return ComparisonWording(tasks, {theme.key: theme.text for theme in cogs_themes()})
