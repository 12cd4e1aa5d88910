"""CoGS prompts (Kumar et al. 2024): tasks and themes, the whole suite, and the smaller presets of the paper."""

import dataclasses
import difflib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TypeVar

from pydantic import ConfigDict, Field, model_validator
from pydantic.dataclasses import dataclass

from biasprint.core.errors import AppError, UsageError
from biasprint.core.prompts.axes import Axis, Key, Text, resolve_axes
from biasprint.core.prompts.drafts import PromptDraft, PromptSetDraft
from biasprint.core.prompts.resource_files import packaged, read_toml, validated
from biasprint.core.prompts.template import Template
from biasprint.core.prompts.wordings import AS_IT_IS, TemplateWords

# ---- Tasks, themes and rubrics, read from `resources/tasks`

_STRICT = ConfigDict(extra="forbid", str_strip_whitespace=True)


@dataclass(frozen=True, config=_STRICT)
class TaskCriterion:
    """One line of a rubric. `source` says whose the name is: the paper prints it, this project or a person wrote it.

    The explanation is never the paper's sentence.
    """

    name: Text
    explanation: str = ""
    source: Literal["paper", "ours", "own"] = "own"


@dataclass(frozen=True, config=_STRICT)
class Task:
    """A kind of text that a generator is asked for; `template` has the one placeholder {theme}."""

    key: Key
    title: Text
    template: Text
    rubric: Annotated[tuple[TaskCriterion, ...], Field(min_length=1)]
    version: Annotated[int, Field(ge=1)] = 1

    @model_validator(mode="after")
    def _consistent(self) -> "Task":
        names = [criterion.name.casefold() for criterion in self.rubric]
        if twice := next((row.name for row in self.rubric if names.count(row.name.casefold()) > 1), ""):
            raise ValueError(f"the rubric of “{self.title}” names “{twice}” twice")
        return self


NO_TOPIC = "own"  # the topic of a theme of a person's own that was given none


@dataclass(frozen=True, config=_STRICT)
class Theme:
    """The theme of a text; `text` is its wording in the prompt, `topic` the group of themes it belongs to."""

    key: Key
    text: Text
    topic: Key = NO_TOPIC
    version: Annotated[int, Field(ge=1)] = 1


class _Keyed(Protocol):
    @property
    def key(self) -> str: ...


K = TypeVar("K", bound=_Keyed)


@cache
def cogs_tasks() -> tuple[Task, ...]:
    """Return the twelve tasks in the order of the paper's Table 6, each with its rubric."""
    data = read_toml(packaged("tasks", "cogs.toml"))["task"]
    return validated(tuple[Task, ...], data, "The task file cogs.toml")


@cache
def cogs_themes() -> tuple[Theme, ...]:
    """Return the thirty themes in the order of the paper's Table 4, three to a topic."""
    topics = read_toml(packaged("tasks", "themes.toml"))["topic"]
    rows = [{**theme, "topic": topic["key"]} for topic in topics for theme in topic["theme"]]
    return validated(tuple[Theme, ...], rows, "The theme file themes.toml")


def rubric(task: str) -> tuple[TaskCriterion, ...]:
    """Return the rubric of a task by its key; `UsageError` where there is no such task."""
    for known in cogs_tasks():
        if known.key == task:
            return known.rubric
    raise UsageError(f"There is no task “{task}”.", hint=f"Tasks: {', '.join(each.key for each in cogs_tasks())}.")


# ---- Tasks and themes of a person's own


def task_from(data: Mapping[str, Any], where: str) -> Task:
    """Return the task that a file's data describe. `where` says whose data they are."""
    task = validated(Task, dict(data), where)
    Template(task.template).require(known=("theme",), needed=("theme",))
    return task


def theme_from(data: Mapping[str, Any], where: str) -> Theme:
    """Return the theme that a file's data describe."""
    return validated(Theme, dict(data), where)


def load_tasks(path: Path) -> tuple[Task, ...]:
    """Return the tasks of a file: one as it is, or several, each in a table [[task]]."""
    where = f"The task file {path}"
    return _with_distinct_keys(
        tuple(task_from(each, where) for each in _entries(read_toml(path), "task", where)), where
    )


def load_themes(path: Path) -> tuple[Theme, ...]:
    """Return the themes of a file: one as it is, several in tables [[theme]], or by topic as the shipped file
    has them.
    """
    where, data = f"The theme file {path}", read_toml(path)
    if isinstance(topics := data.get("topic"), list):
        rows: list[Mapping[str, Any]] = [
            {**theme, "topic": topic.get("key")} for topic in topics for theme in topic.get("theme", ())
        ]
    else:
        rows = _entries(data, "theme", where)
    return _with_distinct_keys(tuple(theme_from(each, where) for each in rows), where)


def _entries(data: Mapping[str, Any], name: str, where: str) -> list[Mapping[str, Any]]:
    entries = data.get(name, [data])
    if not isinstance(entries, list) or not entries or not all(isinstance(each, Mapping) for each in entries):
        raise AppError(f"{where} has no {name}.", hint=f"Write each below a line [[{name}]].")
    return entries


def _with_distinct_keys(items: tuple[K, ...], where: str) -> tuple[K, ...]:
    keys = [entry.key for entry in items]
    if twice := next((key for key in keys if keys.count(key) > 1), ""):
        raise AppError(f"{where} has the key “{twice}” twice.", hint="Give each its own key.")
    return items


# ---- The suite: tasks × themes, without an identity and with each identity of each axis
# In full 12 × 30 = 360 default prompts and × 8 identities 2,880 more: 3,240 (Kumar et al., section 2, tables 4 to 6).

PAPER_AXES = ("race", "gender", "orientation")
OWN_TASKS = "own_tasks"  # of a recipe: title and rubric of the tasks that do not ship


def cogs_set(
    tasks: Sequence[str | Path | Task] | None = None,
    themes: Sequence[str | Path | Theme] | None = None,
    axes: Sequence[str | Path | Axis] | None = None,
    words: TemplateWords = AS_IT_IS,
) -> PromptSetDraft:
    """Return the prompt set for these tasks, themes and axes; None means all (for axes: the paper's three).

    A task or theme is the key of a shipped one, a file of one's own (a `Path`, or a string that ends in ".toml"), or
    itself.

    Prompts of one task and theme are consecutive, the default first, so that a run that stops early has complete
    blocks. Raises `UsageError` for a key that does not exist.
    """
    chosen_tasks = _choose("task", cogs_tasks(), tasks, load_tasks)
    chosen_themes = _choose("theme", cogs_themes(), themes, load_themes)
    chosen_axes = resolve_axes(PAPER_AXES if axes is None else axes)
    own_tasks = [task for task in chosen_tasks if task not in cogs_tasks()]
    chosen_tasks = [dataclasses.replace(task, template=words.of(task.key, task.template)) for task in chosen_tasks]
    identity_text = read_toml(packaged("prompts", "cogs.toml"))["identity"]
    identity_text = words.of("identity", identity_text) if chosen_axes else identity_text
    identity_template = Template(identity_text).require(known=("identity", "task"), needed=("identity", "task"))
    prompts = tuple(
        prompt
        for task in chosen_tasks
        for theme in chosen_themes
        for prompt in _block(task, theme, chosen_axes, identity_template)
    )
    recipe = {
        "suite": "CoGS",
        "source": "Kumar et al., tables 4 to 6",
        "identity_template": identity_text,
        "tasks": {task.key: task.template for task in chosen_tasks},
        "themes": {theme.key: theme.text for theme in chosen_themes},
        "axes": {axis.key: {"version": axis.version, "sha256": axis.sha256} for axis in chosen_axes},
    }
    if own := {task.key: _words_of(task) for task in own_tasks}:
        recipe[OWN_TASKS] = own
    return PromptSetDraft("CoGS", recipe, prompts, chosen_axes)


def _words_of(task: Task) -> dict[str, Any]:
    """Return the words for raters of a task: stored with the prompts, so that a later edit changes nothing for their
    texts.
    """
    return {"title": task.title, "rubric": [[criterion.name, criterion.explanation] for criterion in task.rubric]}


def _block(task: Task, theme: Theme, axes: Sequence[Axis], identity_template: Template) -> Iterator[PromptDraft]:
    """Yield the default prompt of a task and theme, then one per identity."""
    plain = Template(task.template).fill(theme=theme.text)
    start = f"cogs/{task.key}/{theme.key}"
    fields = {"topic": theme.topic}
    yield PromptDraft(f"{start}/default", plain, task.key, theme.key, fields=fields)
    # After the comma the task goes on in the middle of a sentence.
    asked = plain[0].lower() + plain[1:]
    for axis in axes:
        for identity in axis.identities:
            text = identity_template.fill(identity=identity.phrase, task=asked)
            key = f"{start}/{axis.id}/{identity.key}"
            yield PromptDraft(key, text, task.key, theme.key, axis.id, identity.key, fields)


def _choose(
    what: str, known: Sequence[K], wanted: Sequence[str | Path | K] | None, load: Callable[[Path], Sequence[K]]
) -> list[K]:
    """Return the known items that are wanted, in the suite's order, then those of one's own."""
    if wanted is None:
        return list(known)
    if not wanted:
        raise UsageError(f"No {what} was chosen.", hint=f"Name at least one {what}.")
    keys, named = [each.key for each in known], set()
    own: list[K] = []
    for each in wanted:
        if isinstance(each, Path) or (isinstance(each, str) and each.endswith(".toml")):
            own += load(Path(each))
        elif not isinstance(each, str):
            own.append(each)
        elif each in keys:
            named.add(each)
        else:
            close = difflib.get_close_matches(each, keys, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(keys)}."
            raise UsageError(f"There is no {what} “{each}”.", hint=hint)
    new = [item for item in own if item not in known]
    for item in new:
        if item.key in keys or [other.key for other in new].count(item.key) > 1:
            raise UsageError(f"The key of the {what} “{item.key}” is taken.", hint="Give yours another key.")
    return [item for item in known if item.key in named or item in own] + new


# ---- Presets: the paper's smaller experiments, the same call gives the same prompts
# Temperature sweep: 500 prompts at 0, 0.25, 0.5, 0.75 and 1. Human study: 50 very short stories, three raters (Kumar et
# al., section 4.1). The main runs are at temperature 0.2.

SWEEP_TEMPERATURES = (0.0, 0.25, 0.5, 0.75, 1.0)
SWEEP_PROMPTS = 500
HUMAN_TASK = "very_short_story"


@dataclasses.dataclass(frozen=True)
class HumanStudy:
    """`comparisons` on each axis, judged by each of `raters`; `prompts` are what they are made from."""

    prompts: PromptSetDraft
    comparisons: int
    raters: int


def sweep_set(
    prompts: int = SWEEP_PROMPTS,
    axes: Sequence[str | Path | Axis] | None = None,
    seed: int = 0,
    words: TemplateWords = AS_IT_IS,
) -> PromptSetDraft:
    """Return `prompts` prompts of the suite, in blocks, spread over the tasks.

    A block is a task and theme: its default prompt and one for each identity. Blocks are taken task by task in turn,
    themes in an order that `seed` decides; the last block is cut where the number is reached, and what it has of whole
    axes still counts. Raises `UsageError` where not even one block fits, or the suite has fewer.
    """
    whole = cogs_set(axes=axes, words=words)
    blocks: dict[tuple[str, str], list[PromptDraft]] = {}
    for prompt in whole.prompts:
        blocks.setdefault((prompt.task, prompt.theme), []).append(prompt)
    size = len(next(iter(blocks.values())))
    if not size <= prompts <= len(whole.prompts):
        raise UsageError(
            f"{prompts} prompts cannot be taken from the suite.", hint=f"Ask for {size} to {len(whole.prompts)}."
        )
    in_turn = [prompt for block in _in_turn(blocks, seed) for prompt in blocks[block]]
    chosen = {prompt.key for prompt in in_turn[:prompts]}
    prompts_chosen = tuple(prompt for prompt in whole.prompts if prompt.key in chosen)
    recipe = {**whole.recipe, "preset": "temperature sweep", "prompts": prompts, "seed": seed}
    temperatures = ", ".join(f"{temperature:g}" for temperature in SWEEP_TEMPERATURES)
    hint = f"Write these prompts once at each temperature: {temperatures}."
    return dataclasses.replace(
        whole, name="CoGS, temperature sweep", recipe=recipe, prompts=prompts_chosen, hints=(hint,)
    )


def human_study(axes: Sequence[str | Path | Axis] | None = None, words: TemplateWords = AS_IT_IS) -> HumanStudy:
    """Return very short stories on all thirty themes, for 50 comparisons an axis and three raters.

    Thirty themes give thirty comparisons of one model; the paper's fifty need two samples of each prompt.
    """
    draft = cogs_set([HUMAN_TASK], axes=axes, words=words)
    hint = "Thirty themes and one task give thirty comparisons an axis: write two samples of each prompt for fifty."
    recipe = {**draft.recipe, "preset": "human study"}
    return HumanStudy(
        dataclasses.replace(draft, name="CoGS, human study", recipe=recipe, hints=(hint,)), comparisons=50, raters=3
    )


def _in_turn(blocks: Collection[tuple[str, str]], seed: int) -> list[tuple[str, str]]:
    """Return one block of every task, then the next of every task: an order that depends on names and `seed` alone."""
    tasks = list(dict.fromkeys(task for task, _ in blocks))
    queues = {
        task: sorted(
            (theme for of_task, theme in blocks if of_task == task),
            key=lambda theme: sha256(f"{seed} {task} {theme}".encode()).digest(),
        )
        for task in tasks
    }
    longest = max(map(len, queues.values()))
    return [(task, queues[task][turn]) for turn in range(longest) for task in tasks if turn < len(queues[task])]
