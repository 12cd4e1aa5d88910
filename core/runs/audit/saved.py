"""A project's audit as a file: the prompt sets that were answered, who answered, the texts that were imported, and how
each study was measured last.

It does in a new project what was done in this one; where the generators write the same again, its numbers are the same.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import GeneratorRow, PromptSetRow, RunRow
from biasprint.core.prompts.resource_files import toml_text
from biasprint.core.runs.audit.again import options_of, scorers_of
from biasprint.core.runs.audit.file import JUDGED, Audit
from biasprint.core.runs.audit.judged import saved_judging
from biasprint.core.runs.audit.reading import checked
from biasprint.core.runs.measure import asked_again
from biasprint.core.scorers.registry import describe
from biasprint.core.texts.generators import ENDPOINT, NOT_WRITTEN, SYSTEM, generator_names

HEAD = "# An audit of Biasprint. “biasprint run {name}” does it; docs/reference/audit-files.md explains the keys.\n"


def saved_audit(ctx: JobContext, project: Project, path: Path) -> str:
    """Return the text of an audit file at `path`. Raises `AppError` where the project holds no text."""
    generators, names = project.runs.generators(), generator_names(project)
    studies = project.studies.all()
    kinds = {study.id: study.kind for study in studies}
    runs = [run for run in project.runs.all() if generators[run.generator_id].backend not in NOT_WRITTEN]
    texts = [study.kind for study in studies if _has_texts(project, study.id, generators)]
    if not runs and not texts:
        raise AppError(
            "There is no text in this project, so there is no audit to do again.", hint="Write or import texts first."
        )
    answered = {run.prompt_set_id for run in runs}
    sets = [row for row in project.prompts.sets() if row.id in answered]
    called = {row.id: _set_name(row, sets, kinds) for row in sets}
    source = _from_folder(project.path.resolve(), path.resolve().parent)
    own = [kinds[row.study_id] for row in sets]
    judging = saved_judging(project)
    judged = [JUDGED] if judging["comparisons"] else []
    measured = [
        how
        for kind in dict.fromkeys([*own, *texts, *_others(project), *judged])
        if (how := _measured_by(project, kind))
    ]
    fields: dict[str, Any] = {
        "audit": 1,
        "title": path.stem,
        "prompts": [_asked_prompts(row, kinds[row.study_id], called[row.id], source) for row in sets],
        "texts": [{"study": kind, "from": source} for kind in texts],
        "generators": list(_writers(project, runs, names, called)),
        **judging,
        "scorers": _extra_scorers(project),
        "measure": measured,
        "outputs": {
            "project": f"{path.stem}.biasprint" if path.stem != project.path.stem else f"{path.stem}-again.biasprint",
            "json": f"{path.stem}.json",
            "report": f"{path.stem}.html",
        },
    }  # fmt: skip
    ctx.check()
    return HEAD.format(name=path.name) + as_toml(checked(fields, path.name))


def _from_folder(path: Path, folder: Path) -> str:
    """Return a path as a file in `folder` names it; whole where it is on another drive."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.as_posix()


def _has_texts(project: Project, study_id: int, generators: Mapping[int, GeneratorRow]) -> bool:
    """Return whether the study has texts that no generator wrote here."""
    runs = [run for run in project.runs.all() if run.study_id == study_id]
    imported = any(generators[run.generator_id].backend in NOT_WRITTEN for run in runs)
    return imported or project.sources.count(study_id) > 0


def _set_name(row: PromptSetRow, sets: list[PromptSetRow], kinds: Mapping[int, str]) -> str:
    alone = [other.study_id for other in sets].count(row.study_id) == 1
    return kinds[row.study_id] if alone else f"{row.name}@{row.version}"


def _asked_prompts(row: PromptSetRow, kind: str, called: str, source: str) -> dict[str, Any]:
    own = {} if called == kind else {"name": called}
    return {"study": kind, **own, "set": f"{row.name}@{row.version}", "from": source}


def _writers(
    project: Project, runs: list[RunRow], names: Mapping[int, str], called: Mapping[int, str]
) -> Iterator[dict[str, Any]]:
    """Yield each generator once for each seed and number of samples; its first entry has its name."""
    rows = project.runs.generators()
    answers: dict[tuple[int, int, int], list[str]] = {}
    for run in runs:
        answers.setdefault((run.generator_id, run.seed, run.samples), []).append(called[run.prompt_set_id])
    used: set[str] = set()
    for (key, seed, samples), answered in answers.items():
        row, name = rows[key], names[key]
        parameters = {each: value for each, value in row.parameters.items() if value is not None}
        apart = {each: parameters.pop(each) for each in (ENDPOINT, SYSTEM) if parameters.get(each)}
        for each in (ENDPOINT, SYSTEM):
            parameters.pop(each, None)
        own = name if name not in used else f"{name}, seed {seed}"
        own = own if own not in used else f"{own}, {samples} samples"
        used.add(own)
        yield {
            "name": own, "backend": row.backend, "model": row.model, **apart, "seed": seed, "samples": samples,
            "preset": False, "prompts": list(dict.fromkeys(answered)), "parameters": parameters,
        }  # fmt: skip


def _others(project: Project) -> list[str]:
    """Return the studies that were asked of another study's texts."""
    kinds = [study.kind for study in project.studies.all()]
    return [kind for kind in kinds if (last := project.findings.last(kind)) and asked_again(last.recipe).texts_of]


def _extra_scorers(project: Project) -> list[str]:
    """Return the scorers that the texts were scored by and no finding needed."""
    recipes = [last.recipe for study in project.studies.all() if (last := project.findings.last(study.kind))]
    used = {info.name for recipe in recipes for info in scorers_of(recipe.get("scorers", ()))}
    by = {name for name, _, _ in project.scores.known()}
    return [info.name for info in describe() if info.name in by - used]


def _measured_by(project: Project, kind: str) -> dict[str, Any] | None:
    """Return how the study was measured last, by the recipe of its findings; None where it was not."""
    last = project.findings.last(kind)
    if last is None:
        return None
    options = options_of(project, kind, last.recipe)
    fields: dict[str, Any] = {
        "study": kind, "seed": options.seed, "adjust": options.adjust, "axes": list(options.axes),
        "scorers": dict(options.scorers), "generators": list(options.generators), "compare": list(options.compare),
        "pool": options.pool, "keep_seen": options.seen, "columns": dict(options.columns),
        "texts_of": options.texts_of,
    }  # fmt: skip
    return fields if options.margin is None else {**fields, "margin": options.margin}


def as_toml(audit: Audit) -> str:
    """Return the audit as TOML, which `biasprint.core.runs.audit.reading.read_audit` reads back as the same audit."""
    return toml_text(audit.to_json())
