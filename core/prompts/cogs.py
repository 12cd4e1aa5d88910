"""The creativity suite (CoGS): tasks × themes, without an identity and with each identity of each axis.

In full 12 × 30 = 360 default prompts and × 8 identities 2,880 more: 3,240 (Kumar et al., section 2, tables 4 to 6).
"""

import difflib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from core.errors import UsageError
from core.prompts.axes import Axis, resolve_axes
from core.prompts.drafts import PromptDraft, PromptSetDraft
from core.prompts.resource_files import packaged, read_toml
from core.prompts.tasks import Task, Theme, cogs_tasks, cogs_themes
from core.prompts.template import Template

PAPER_AXES = ("race", "gender", "orientation")


class _Keyed(Protocol):
    @property
    def key(self) -> str: ...


K = TypeVar("K", bound=_Keyed)


def cogs_set(
    tasks: Sequence[str] | None = None,
    themes: Sequence[str] | None = None,
    axes: Sequence[str | Path | Axis] | None = None,
) -> PromptSetDraft:
    """The prompt set for these task keys, theme keys and axes; None means all (for axes: the paper's three).

    Prompts of one task and theme stand together, the default first, so that a run that stops early has complete
    blocks. Raises `UsageError` for a key that does not exist.
    """
    chosen_tasks = _choose("task", cogs_tasks(), tasks)
    chosen_themes = _choose("theme", cogs_themes(), themes)
    chosen_axes = resolve_axes(PAPER_AXES if axes is None else axes)
    identity_text = read_toml(packaged("prompts", "cogs.toml"))["identity"]
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
    return PromptSetDraft("CoGS", recipe, prompts, chosen_axes)


def _block(task: Task, theme: Theme, axes: Sequence[Axis], identity_template: Template) -> Iterator[PromptDraft]:
    """The default prompt of a task and theme, then one per identity."""
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


def _choose(what: str, known: Sequence[K], wanted: Sequence[str] | None) -> list[K]:
    """The known items that are wanted, in the suite's order."""
    if wanted is None:
        return list(known)
    if not wanted:
        raise UsageError(f"No {what} was chosen.", hint=f"Name at least one {what}.")
    keys = [each.key for each in known]
    for key in wanted:
        if key not in keys:
            close = difflib.get_close_matches(key, keys, n=1)
            hint = f"Did you mean {close[0]}?" if close else f"There are: {', '.join(keys)}."
            raise UsageError(f"There is no {what} “{key}”.", hint=hint)
    return [each for each in known if each.key in wanted]
