"""Measuring a study: from a project's texts and judgments, or from tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

import core
from core.compute import ComputeProcess
from core.errors import UsageError
from core.findings import StudyResult
from core.jobs import JobContext
from core.project.project import Project
from core.runs.setup import study_of
from core.runs.tables import read_table
from core.runs.values import best_scorer
from core.scorers.protocol import ScorerInfo
from core.scorers.registry import describe
from core.studies.study import MeasureOptions
from core.tables.fields import fields_of
from core.tables.rows import TableRead

Answer = tuple[StudyResult, list[str]]  # the findings, and what the person should know beside them


class Measuring(Protocol):
    """What a study's module in this package gives.

    `CHOICES`: the roles whose scorer a person may choose. `AXES`: may a person name axes? `kind_of`: which kind of
    table a file is (a key of core/tables/study_fields.toml).
    """

    CHOICES: tuple[str, ...]
    AXES: bool
    kind_of: Callable[[Path, Mapping[str, str]], str]
    of_tables: Callable[[JobContext, Sequence[tuple[str, TableRead]], MeasureOptions, ComputeProcess], Answer]
    of_project: Callable[[JobContext, Project, int, MeasureOptions, ComputeProcess], Answer]


OWN = ("news", "completion", "creativity", "letters")


@dataclass(frozen=True)
class Measured:
    """The findings, how the tables were read, and what the person should know beside them."""

    result: StudyResult
    recipe: Mapping[str, Any]
    tables: tuple[TableRead, ...] = ()
    remarks: tuple[str, ...] = ()


def measure_project(
    ctx: JobContext, project: Project, study: str, options: MeasureOptions, compute: ComputeProcess
) -> Measured:
    """Measure what a project holds of a study, and store the findings with their recipe unless it is read-only."""
    _check(study, options)
    judged_elsewhere = study == "creativity" and project.studies.of_kind(study) is None and project.judging.sessions()
    if judged_elsewhere:  # letters or news may be compared and judged in a project without creative writing
        from core.runs.measure.creativity import of_judged

        result, remarks = of_judged(ctx, project, options, compute)
    else:
        found = study_of(project, study)
        result, remarks = measuring(study).of_project(ctx, project, found.id, options, compute)
    result = _adjusted(result, options)
    recipe = recipe_of(options, result)
    if not project.read_only:
        project.findings.replace(study, "whole study", recipe, result.findings)
    return Measured(result, recipe, remarks=tuple(remarks))


def measure_tables(
    ctx: JobContext,
    paths: Sequence[Path],
    study: str,
    options: MeasureOptions,
    compute: ComputeProcess,
    *,
    layout: str | None = None,
    mapping: Mapping[str, str] | None = None,
    encoding: str | None = None,
) -> Measured:
    """Measure tables without a project; nothing is stored."""
    _check(study, options)
    module = measuring(study)
    tables = [(module.kind_of(path, mapping or {}), path) for path in paths]
    fields = {kind: {spec.name for spec in fields_of(kind)} for kind, _ in tables}
    everywhere = {name for name in mapping or {} if not any(name in names for names in fields.values())}
    read = []
    for kind, path in tables:
        # A field of one kind of table is left out for another; one of no kind is refused by whoever reads it.
        own = {name: column for name, column in (mapping or {}).items() if name in fields[kind] | everywhere}
        read.append((kind, read_table(ctx, path, kind, layout=layout, mapping=own, encoding=encoding)))
    result, remarks = module.of_tables(ctx, read, options, compute)
    result = _adjusted(result, options)
    return Measured(result, recipe_of(options, result), tuple(table for _, table in read), tuple(remarks))


def _adjusted(result: StudyResult, options: MeasureOptions) -> StudyResult:
    """Findings come adjusted by Holm's rule."""
    if options.adjust == "holm":
        return result
    from core.studies.findings import with_benjamini_hochberg

    return replace(result, findings=tuple(with_benjamini_hochberg(result.findings)))


def recipe_of(options: MeasureOptions, result: StudyResult) -> dict[str, Any]:
    """What is needed to get the same numbers again."""
    uses = {use for finding in result.findings for use in finding.scorers}
    scorers = sorted(f"{use.role}={use.name} {use.version}" for use in uses)
    return {
        "program_version": core.__version__,
        "seed": options.seed,
        "adjust": options.adjust,
        "axes": list(options.axes),
        "scorers": scorers,
    }


def measuring(study: str) -> Measuring:
    """The module of this package that measures a study. Raises `UsageError` for one that has none."""
    if study not in OWN:
        raise UsageError(f"“{study}” cannot be measured.", hint=f"Choose from: {', '.join(OWN)}.")
    return cast(Measuring, import_module(f"core.runs.measure.{study}"))


def scorers_needed(study: str) -> list[ScorerInfo]:
    """The scorers whose stored values a study's measures read, where nobody chooses others; light.

    A role that no scorer can fill here has none. A study that is not measured by this package needs none.
    """
    from core.runs.measure import creativity, letters, news
    from core.runs.measure.letters import STYLES

    always: Mapping[str, Sequence[str]] = {
        "letters": letters.COUNTERS,
        "creativity": (creativity.embedder(MeasureOptions()).name,),
    }
    roles: Mapping[str, Sequence[str]] = {"letters": STYLES, "news": news.CHOICES}
    found = [info for info in describe() if info.name in always.get(study, ())]
    chosen = [info for role in roles.get(study, ()) if (info := best_scorer(role))]
    return found + [info for info in chosen if study != "news" or news.PER_SENTENCE in info.shape]


def _check(study: str, options: MeasureOptions) -> None:
    """Raise `UsageError` for an option that this study would otherwise silently leave aside."""
    module = measuring(study)
    if options.axes and not module.AXES:
        raise UsageError(f"The study {study} is not measured by axis.", hint="Leave --axis out.")
    for role in options.scorers:
        if role not in module.CHOICES:
            hint = ", ".join(module.CHOICES) or "none; leave --scorer out"
            raise UsageError(f"The study {study} has no scorer to choose for “{role}”.", hint=f"Roles: {hint}.")
