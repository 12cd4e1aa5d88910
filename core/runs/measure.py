"""Measuring a study: from a project's texts and judgments, or from tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import core
from core.compute import ComputeProcess
from core.errors import UsageError
from core.findings import StudyResult
from core.jobs import JobContext
from core.project.project import Project
from core.runs import measure_creativity, measure_letters
from core.runs.importing import read_table
from core.runs.options import Options
from core.runs.setup import study_of
from core.tables.rows import TableRead
from core.tables.study_fields import fields_of

# The roles whose scorer a person may choose, by study.
CHOICES: Mapping[str, tuple[str, ...]] = {"creativity": ("embedding",)}


@dataclass(frozen=True)
class Measured:
    """The findings, how the tables were read, and what the person should know beside them."""

    result: StudyResult
    recipe: Mapping[str, Any]
    tables: tuple[TableRead, ...] = ()
    remarks: tuple[str, ...] = ()


def measure_project(
    ctx: JobContext, project: Project, study: str, options: Options, compute: ComputeProcess
) -> Measured:
    """Measure what a project holds of a study, and store the findings with their recipe unless it is read-only."""
    _check(study, options)
    found = study_of(project, study)
    measuring = {"letters": measure_letters.of_project, "creativity": measure_creativity.of_project}
    result, remarks = _known(measuring, study)(ctx, project, found.id, options, compute)
    recipe = recipe_of(options, result)
    if not project.read_only:
        project.findings.replace(study, "whole study", recipe, result.findings)
    return Measured(result, recipe, remarks=tuple(remarks))


def measure_tables(
    ctx: JobContext,
    paths: Sequence[Path],
    study: str,
    options: Options,
    compute: ComputeProcess,
    *,
    layout: str | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Measured:
    """Measure tables without a project; nothing is stored."""
    _check(study, options)
    kinds = {"letters": measure_letters.kind_of, "creativity": measure_creativity.kind_of}
    kind_of = _known(kinds, study)
    tables = [(kind_of(path, mapping or {}), path) for path in paths]
    fields = {kind: {spec.name for spec in fields_of(kind)} for kind, _ in tables}
    everywhere = {name for name in mapping or {} if not any(name in names for names in fields.values())}
    read = []
    for kind, path in tables:
        # A field of one kind of table is left out for another; one of no kind is refused by whoever reads it.
        own = {name: column for name, column in (mapping or {}).items() if name in fields[kind] | everywhere}
        read.append((kind, read_table(ctx, path, kind, layout=layout, mapping=own, encoding=encoding)))
    measuring = {"letters": measure_letters.of_tables, "creativity": measure_creativity.of_tables}
    result, remarks = _known(measuring, study)(ctx, read, options, compute)
    return Measured(result, recipe_of(options, result), tuple(table for _, table in read), tuple(remarks))


def recipe_of(options: Options, result: StudyResult) -> dict[str, Any]:
    """What is needed to get the same numbers again."""
    uses = {use for finding in result.findings for use in finding.scorers}
    scorers = sorted(f"{use.role}={use.name} {use.version}" for use in uses)
    return {"program_version": core.__version__, "seed": options.seed, "axes": list(options.axes), "scorers": scorers}


def _check(study: str, options: Options) -> None:
    """Raise `UsageError` for an option that this study would otherwise silently leave aside."""
    if options.axes and study == "letters":
        raise UsageError("Letters are compared by the groups they name.", hint="Leave --axis out.")
    for role in options.scorers:
        if role not in CHOICES.get(study, ()):
            hint = ", ".join(CHOICES.get(study, ())) or "none; leave --scorer out"
            raise UsageError(f"The study {study} has no scorer to choose for “{role}”.", hint=f"Roles: {hint}.")


def _known(measuring: Mapping[str, Any], study: str) -> Any:
    if study not in measuring:
        raise UsageError(f"“{study}” cannot be measured yet.", hint=f"Choose from: {', '.join(measuring)}.")
    return measuring[study]
