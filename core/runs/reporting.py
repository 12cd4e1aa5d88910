"""A study's report: from the findings that a project holds, or from what was measured just now."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from biasprint.core.draw import digits
from biasprint.core.errors import AppError, UsageError
from biasprint.core.project.project import Project
from biasprint.core.project.rows import FindingRow, PromptSetRow
from biasprint.core.project.stores.common import chunks
from biasprint.core.project.stores.runs import OutputFilter
from biasprint.core.prompts.template import prompt_patterns
from biasprint.core.report.audit import AskedSet, Audited
from biasprint.core.runs.analysis_plan import analysis_plan
from biasprint.core.runs.measure import MeasuredStudy, texts_of_study
from biasprint.core.studies.registry import studies
from biasprint.core.tables.rows import TableRead
from biasprint.core.texts.generators import IMPORTED, generators_of, imported_name, texts_of, texts_read


def measured_studies(project: Project) -> list[str]:
    """Return the studies that have findings, in the order of the project."""
    known = dict.fromkeys([*(study.kind for study in project.studies.all()), *studies()])
    return [kind for kind in known if project.findings.last(kind) is not None]


def only_measured(project: Project) -> str:
    """Return the one study that has findings. Raises `UsageError` where there are several, `AppError` where there is
    none.
    """
    kinds = measured_studies(project)
    if len(kinds) == 1:
        return kinds[0]
    if kinds:
        raise UsageError(
            f"{len(kinds)} studies were measured: {', '.join(kinds)}.", hint="Say which: --study " + kinds[0] + "."
        )
    raise AppError("Nothing was measured in this project yet.", hint="Measure a study first, then write its report.")


def audited(project: Project, study: str) -> Audited:
    """Return what the report of a study is made from. Raises `AppError` where it was not measured."""
    rows = project.findings.all(study)
    if not rows:
        raise AppError("This study has not been measured yet.", hint="Measure it, then write its report.")
    last = rows[-1]
    return Audited(
        study=study,
        texts=texts_name(study),
        findings=tuple(row.finding for row in rows),
        recipe=last.recipe,
        origin=_origin(project),
        measured_at=_day(datetime.fromisoformat(last.created_at)),
        stale=_stale(project, study, last),
        generators=_generators(project, study, last.recipe),
        asked=_asked_sets(project, texts_of_study(last.recipe, study)),
        plan=analysis_plan(project, study),
    )


def audited_now(measured: MeasuredStudy, where: Project | Sequence[Path], *, title: str = "") -> Audited:
    """Return the report's content for what was measured just now, in a project or in tables."""
    study = measured.result.study
    project = where if isinstance(where, Project) else None
    return Audited(
        study=study,
        texts=texts_name(study),
        findings=measured.result.findings,
        recipe=measured.recipe,
        origin=_origin(where),
        measured_at=_day(datetime.now(UTC)),
        generators=_generators(project, study, measured.recipe) if project else tuple(_writers(measured.tables)),
        asked=_asked_sets(project, texts_of_study(measured.recipe, study)) if project else (),
        title=title,
        plan=analysis_plan(project, study) if project else None,
    )


def texts_name(study: str) -> str:
    """Return the name of a study's texts, such as “Reference letters”."""
    known = studies().get(study)
    return (known.words.rows or known.title) if known else study


def _origin(where: Project | Sequence[Path]) -> str:
    if isinstance(where, Project):
        return f"Project “{where.path.stem}”"
    return f"{'Table' if len(where) == 1 else 'Tables'} {', '.join(f'“{path.name}”' for path in where)}"


def _generators(project: Project, study: str, recipe: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return the generators as the recipe has them; for older recipes that name none, as the project has them now."""
    if "generators" in recipe:
        return tuple(recipe["generators"])
    study_row = project.studies.of_kind(texts_of_study(recipe, study))
    return tuple(generator.to_json() for generator in generators_of(project, study_row.id)) if study_row else ()


def _writers(tables: Iterable[TableRead]) -> Iterator[dict[str, Any]]:
    """Return the writers of the texts of tables, where these name them."""
    rows = [
        row.values for table in tables for row in table.rows if row.values.get("text") or row.values.get("response")
    ]
    models = {_writer(row): row.get("model", "") for row in rows if _writer(row)}
    for name, n in Counter(_writer(row) for row in rows if _writer(row)).items():
        yield {"name": name, "backend": IMPORTED, "model": models[name], "n": n}


def _writer(row: Mapping[str, str]) -> str:
    return row.get("written_by") or (imported_name(row["model"]) if row.get("model") else "")


def _asked_sets(project: Project, study: str) -> tuple[AskedSet, ...]:
    """Return the prompt sets that were answered; where no run says which, all."""
    study_row = project.studies.of_kind(study)
    if study_row is None:
        return ()
    sets = [prompt_set for prompt_set in project.prompts.sets(study_row.id) if "imported" not in prompt_set.recipe]
    written = project.outputs.written(study_row.id)
    answered = {run.prompt_set_id for run in project.runs.all() if run.id in written}
    return tuple(_asked_set(project, prompt_set) for prompt_set in sets if not answered or prompt_set.id in answered)


def _asked_set(project: Project, prompt_set: PromptSetRow) -> AskedSet:
    rows = chunks(lambda after, limit: project.prompts.page(prompt_set.id, after, limit), lambda row: row.id)
    return AskedSet(
        prompt_set.name,
        prompt_set.version,
        project.prompts.count(prompt_set.id),
        prompt_set.sha256,
        prompt_patterns(rows),
    )


def _stale(project: Project, study: str, last: FindingRow) -> str:
    """Return why the findings are out of date, in a sentence; empty where they are current."""
    study_row = project.studies.of_kind(texts_of_study(last.recipe, study))
    if study_row is None:
        return ""
    at = last.created_at
    read, texts = texts_read(last.recipe), texts_of(project, study_row.id)
    if read is None:  # measured by a program that did not say what it read
        new = project.outputs.count(OutputFilter(study_id=study_row.id, written_after=at, status="done"))
        new += project.sources.count(study_row.id, at)
    else:
        new = max(0, texts - read)
    plans = {plan.id for plan in project.judging.plans() if plan.study_id == study_row.id}
    revealed = sum(
        session.plan_id in plans and (session.revealed_at or "") > at for session in project.judging.sessions()
    )  # fmt: skip
    parts = [*_counted(new, "text"), *_counted(revealed, "rating session")]
    if not parts:
        return ""
    were = f"They were measured on {digits.count(max(0, texts - new))} of {digits.count(texts)} texts. " if new else ""
    return (
        f"These findings are stale. {were}{' and '.join(parts)} {'is' if new + revealed == 1 else 'are'} not in them."
    )


def _counted(number: int, what: str) -> Sequence[str]:
    return [f"{digits.count(number)} {what}{'' if number == 1 else 's'}"] if number else []


def _day(when: datetime) -> str:
    return f"{when:%d %B %Y}".lstrip("0")
