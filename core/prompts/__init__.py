"""Axes and identities, templates, and the prompt sets that they expand to."""

from biasprint.core.prompts.axes import Axis, Harm, Identity, available_axes, load_axis
from biasprint.core.prompts.cogs import Task, TaskCriterion, Theme, cogs_set, cogs_tasks, cogs_themes, rubric
from biasprint.core.prompts.drafts import DEFAULT_IDENTITY, PromptDraft, PromptSetDraft
from biasprint.core.prompts.letters import letters_context_less_set
from biasprint.core.prompts.template import Placeholder, Template, TemplateError
