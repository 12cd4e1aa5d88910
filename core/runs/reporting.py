"""A study's report from the findings that a project holds: nothing is measured again."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from core.draw import digits
from core.errors import AppError, UsageError
from core.findings import Finding
from core.project.project import Project
from core.project.rows import FindingRow
from core.project.stores.runs import OutputFilter
from core.report.audit import Audited
from core.runs.generators import generators_of, texts_of, texts_read
from core.studies.registry import studies


def measured_studies(project: Project) -> list[str]:
    """The studies that have findings, in the order of the project."""
    known = dict.fromkeys([*(study.kind for study in project.studies.all()), *studies()])
    return [kind for kind in known if project.findings.last(kind) is not None]


def only_measured(project: Project) -> str:
    """The one study that has findings. Raises `UsageError` where there are several, `AppError` where there is none."""
    kinds = measured_studies(project)
    if len(kinds) == 1:
        return kinds[0]
    if kinds:
        raise UsageError(
            f"{len(kinds)} studies were measured: {', '.join(kinds)}.", hint="Say which: --study " + kinds[0] + "."
        )
    raise AppError("Nothing was measured in this project yet.", hint="Measure a study first, then write its report.")


def audited(project: Project, study: str) -> Audited:
    """What the report of a study is made from. Raises `AppError` where it was not measured."""
    rows = project.findings.all(study)
    if not rows:
        raise AppError("This study has not been measured yet.", hint="Measure it, then write its report.")
    last = rows[-1]
    known = studies().get(study)
    texts = (known.words.rows or known.title) if known else study
    return Audited(
        study=study,
        texts=texts,
        findings=tuple(Finding.from_json(row.body) for row in rows),
        recipe=last.recipe,
        origin=f"Project “{project.path.stem}”",
        measured_at=_day(last.created_at),
        stale=_stale(project, study, last),
        generators=_generators(project, study, last),
        prompts=_prompts(project, study),
    )


def _generators(project: Project, study: str, last: FindingRow) -> tuple[dict[str, Any], ...]:
    """As the recipe has them; of findings from before recipes named them, as the project has them now."""
    if "generators" in last.recipe:
        return tuple(last.recipe["generators"])
    found = project.studies.of_kind(study)
    return tuple(one.to_json() for one in generators_of(project, found.id)) if found else ()


def _prompts(project: Project, study: str) -> tuple[str, ...]:
    found = project.studies.of_kind(study)
    sets = project.prompts.sets(found.id) if found else ()
    return tuple(
        f"{' and '.join(_counted(project.prompts.count(one.id), 'prompt'))} of “{one.name}”, version {one.version}."
        for one in sets
        if "imported" not in one.recipe
    )


def _stale(project: Project, study: str, last: FindingRow) -> str:
    """Why the findings are not of today's texts, in a sentence; empty where they are."""
    found = project.studies.of_kind(study)
    if found is None:
        return ""
    at = last.created_at
    read, texts = texts_read(last.recipe), texts_of(project, found.id)
    if read is None:  # measured by a program that did not say what it read
        new = project.outputs.count(OutputFilter(study_id=found.id, written_after=at, status="done"))
        new += project.sources.count(found.id, at)
    else:
        new = max(0, texts - read)
    plans = {plan.id for plan in project.judging.plans() if plan.study_id == found.id}
    revealed = sum(
        one.plan_id in plans and (one.revealed_at or "") > at for one in project.judging.sessions()
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


def _day(when: str) -> str:
    return f"{datetime.fromisoformat(when):%d %B %Y}".lstrip("0")
