"""Axes and identities, templates, and the prompt sets that they expand to."""

from collections.abc import Callable

from core.errors import UsageError
from core.prompts.axes import Axis, Harm, Identity, available_axes, load_axis
from core.prompts.cogs import cogs_set
from core.prompts.drafts import DEFAULT_IDENTITY, PromptDraft, PromptSetDraft
from core.prompts.letters import letters_context_less_set
from core.prompts.tasks import Criterion, Task, Theme, cogs_tasks, cogs_themes, rubric, topic_titles
from core.prompts.template import Placeholder, Template, TemplateError

__all__ = [
    "DEFAULT_IDENTITY",
    "Axis",
    "Criterion",
    "Harm",
    "Identity",
    "Placeholder",
    "PromptDraft",
    "PromptSetDraft",
    "Task",
    "Template",
    "TemplateError",
    "Theme",
    "available_axes",
    "cogs_set",
    "cogs_tasks",
    "cogs_themes",
    "default_set",
    "letters_context_less_set",
    "load_axis",
    "rubric",
    "topic_titles",
]

_DEFAULT_SETS: dict[str, Callable[[], PromptSetDraft]] = {
    "creativity": cogs_set,
    "letters": letters_context_less_set,
}


def default_set(study: str) -> PromptSetDraft:
    """A study's whole default prompt set; `UsageError` for a study that has none."""
    if study not in _DEFAULT_SETS:
        hint = f"Studies with a default prompt set: {', '.join(_DEFAULT_SETS)}."
        raise UsageError(f"There is no default prompt set for “{study}”.", hint=hint)
    return _DEFAULT_SETS[study]()
