"""What the pages of the generate panel show of a project, read together in a thread."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from core.jobs import JobContext
from desktop.operations.generating import ScorerLine, read_scorers
from desktop.operations.generating_runs import RunLine, read_runs
from desktop.operations.generating_writers import refusals
from desktop.operations.prompts import StoredSet, stored_sets
from desktop.operations.studies import StudyFacts, study_facts

if TYPE_CHECKING:
    from core.project.project import Project


@dataclass(frozen=True)
class Contents:
    """`refused`: set and backend → why that backend cannot write it. `kinds`: the study's kind by set."""

    sets: tuple[StoredSet, ...] = ()
    refused: Mapping[tuple[int, str], str] = field(default_factory=dict)
    runs: tuple[RunLine, ...] = ()
    scorers: tuple[ScorerLine, ...] = ()
    studies: tuple[StudyFacts, ...] = ()
    kinds: Mapping[int, str] = field(default_factory=dict)


def read_contents(ctx: JobContext, project: "Project") -> Contents:
    sets = stored_sets(ctx, project)
    refused = refusals(ctx, project, sets)
    studies = {row.id: row.kind for row in project.studies.all()}
    kinds = {row.id: studies[row.study_id] for row in project.prompts.sets()}
    return Contents(
        sets, refused, read_runs(ctx, project), read_scorers(ctx, project), study_facts(ctx, project), kinds
    )
