"""Tasks, themes and rubrics of the creativity suite, read from `resources/tasks`."""

from functools import cache
from typing import Annotated, Literal

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass

from core.errors import UsageError
from core.prompts.axes import Key, Text
from core.prompts.resource_files import packaged, read_toml, validated

_STRICT = ConfigDict(extra="forbid", str_strip_whitespace=True)


@dataclass(frozen=True, config=_STRICT)
class Criterion:
    """One line of a rubric. `source` says whose the name is: the paper prints it, or this project wrote it.

    The explanation is this project's own sentence in either case.
    """

    name: Text
    explanation: Text
    source: Literal["paper", "ours"]


@dataclass(frozen=True, config=_STRICT)
class Task:
    """What a generator is asked to write; `template` has the one placeholder {theme}."""

    key: Key
    title: Text
    template: Text
    rubric: Annotated[tuple[Criterion, ...], Field(min_length=1)]


@dataclass(frozen=True, config=_STRICT)
class Theme:
    """What it is about; `text` is what stands in the prompt, `topic` the group of themes it belongs to."""

    key: Key
    text: Text
    topic: Key


@cache
def cogs_tasks() -> tuple[Task, ...]:
    """The twelve tasks in the order of the paper's Table 6, each with its rubric."""
    data = read_toml(packaged("tasks", "cogs.toml"))["task"]
    return validated(tuple[Task, ...], data, "The task file cogs.toml")


@cache
def cogs_themes() -> tuple[Theme, ...]:
    """The thirty themes in the order of the paper's Table 4, three to a topic."""
    topics = read_toml(packaged("tasks", "themes.toml"))["topic"]
    rows = [{**theme, "topic": topic["key"]} for topic in topics for theme in topic["theme"]]
    return validated(tuple[Theme, ...], rows, "The theme file themes.toml")


def topic_titles() -> dict[str, str]:
    """Topic key → its title."""
    return {topic["key"]: topic["title"] for topic in read_toml(packaged("tasks", "themes.toml"))["topic"]}


def rubric(task: str) -> tuple[Criterion, ...]:
    """The rubric of a task by its key; `UsageError` where there is no such task."""
    for known in cogs_tasks():
        if known.key == task:
            return known.rubric
    raise UsageError(f"There is no task “{task}”.", hint=f"Tasks: {', '.join(each.key for each in cogs_tasks())}.")
