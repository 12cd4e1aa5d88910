"""What the pages of the generate panel show of a project, read together in a thread."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.jobs import JobContext
from desktop.operations.generating import RunLine, ScorerLine, read_runs, read_scorers
from desktop.operations.prompts import StoredSet, stored_sets

if TYPE_CHECKING:
    from core.project.project import Project


@dataclass(frozen=True)
class Contents:
    sets: tuple[StoredSet, ...] = ()
    runs: tuple[RunLine, ...] = ()
    scorers: tuple[ScorerLine, ...] = ()


def read_contents(ctx: JobContext, project: "Project") -> Contents:
    return Contents(stored_sets(ctx, project), read_runs(ctx, project), read_scorers(ctx, project))
