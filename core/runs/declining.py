"""Declining to write for prompts that are worded with bias."""

from collections.abc import Iterator

from core.jobs import JobContext
from core.project.project import Project
from core.project.rows import PromptRow
from core.project.stores.common import chunks
from core.prompts.detector import decline


def decline_set(ctx: JobContext, project: Project, set_id: int) -> None:
    """Raise `AppError` that names the prompts of a set that are worded with bias, and what in them; else do nothing."""
    decline(_prompts(ctx, project, set_id))


def _prompts(ctx: JobContext, project: Project, set_id: int) -> Iterator[PromptRow]:
    for row in chunks(lambda after, limit: project.prompts.page(set_id, after, limit), lambda prompt: prompt.id):
        ctx.check()
        yield row
