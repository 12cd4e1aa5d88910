"""A project's audit as a file: the prompt sets that were answered, who answered, and how each study was measured last.

It does in a new project what was done in this one; where the generators write the same again, its numbers are the same.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from core.errors import AppError
from core.jobs import JobContext
from core.project.project import Project
from core.project.rows import PromptSetRow, RunRow
from core.prompts.resource_files import toml_text
from core.runs.audit import Audit, checked
from core.runs.audit_gates import BETWEEN
from core.runs.generators import ENDPOINT, IMPORTED, SYSTEM, generator_names
from core.runs.measure import measuring
from core.scorers.registry import describe
from core.studies.study import ALL

NOT_WRITTEN = (IMPORTED, "written")  # backends of texts that nothing here wrote
HEAD = "# An audit of Biasprint. “biasprint run {name}” does it; docs/audits.md explains the keys.\n"


def saved_audit(ctx: JobContext, project: Project, path: Path) -> str:
    """The text of an audit file at `path`. Raises `AppError` where no generator wrote anything in the project."""
    generators, names = project.runs.generators(), generator_names(project)
    kinds = {study.id: study.kind for study in project.studies.all()}
    runs = [run for run in project.runs.all() if generators[run.generator_id].backend not in NOT_WRITTEN]
    if not runs:
        raise AppError(
            "Nothing was written by a generator in this project, so there is no audit to do again.",
            hint="Write texts first; imported ones are imported again.",
        )
    answered = {run.prompt_set_id for run in runs}
    sets = [row for row in project.prompts.sets() if row.id in answered]
    called = {row.id: _set_name(row, sets, kinds) for row in sets}
    found: dict[str, Any] = {
        "audit": 1,
        "title": path.stem,
        "prompts": [_asked(row, kinds[row.study_id], called[row.id], project, path) for row in sets],
        "generators": list(_writers(project, runs, names, called)),
        "measure": [how for kind in dict.fromkeys(kinds[row.study_id] for row in sets) if (how := _how(project, kind))],
        "outputs": {
            "project": f"{path.stem}.biasprint" if path.stem != project.path.stem else f"{path.stem}-again.biasprint",
            "json": f"{path.stem}.json",
            "report": f"{path.stem}.html",
        },
    }  # fmt: skip
    ctx.check()
    return HEAD.format(name=path.name) + as_toml(checked(found, path.name))


def _set_name(row: PromptSetRow, sets: list[PromptSetRow], kinds: Mapping[int, str]) -> str:
    alone = [one.study_id for one in sets].count(row.study_id) == 1
    return kinds[row.study_id] if alone else f"{row.name}@{row.version}"


def _asked(row: PromptSetRow, kind: str, called: str, project: Project, path: Path) -> dict[str, Any]:
    source = os.path.relpath(project.path.resolve(), path.resolve().parent)
    own = {} if called == kind else {"name": called}
    return {"study": kind, **own, "set": f"{row.name}@{row.version}", "from": Path(source).as_posix()}


def _writers(
    project: Project, runs: list[RunRow], names: Mapping[int, str], called: Mapping[int, str]
) -> Iterator[dict[str, Any]]:
    """Each generator once for each seed and number of samples; its first entry has its name."""
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


def _how(project: Project, kind: str) -> dict[str, Any] | None:
    """How the study was measured last, by the recipe of its findings; None where it was not."""
    last = project.findings.last(kind)
    if last is None:
        return None
    recipe = last.recipe
    found: dict[str, Any] = {
        "study": kind, "seed": recipe.get("seed", 0), "adjust": recipe.get("adjust", "holm"),
        "axes": list(recipe.get("axes", ())), "scorers": _scorers(kind, recipe.get("scorers", ())),
    }  # fmt: skip
    if recipe.get("pooled"):
        found["pool"] = True
    if recipe.get("seen"):
        found["keep_seen"] = True
    if any(row.body["id"].endswith(BETWEEN) for row in project.findings.all(kind)):
        found["compare"] = list(recipe.get("compare", ())) or _compared(project, kind)
    return found


def _compared(project: Project, kind: str) -> list[str]:
    """Whom differences are between: the first with each other one, or every pair."""
    pairs = dict.fromkeys(
        tuple(row.body["groups"]) for row in project.findings.all(kind) if row.body["id"].endswith(BETWEEN)
    )
    firsts = list(dict.fromkeys(one for one, _ in pairs))
    return [ALL] if len(firsts) > 1 else [firsts[0], *(other for _, other in pairs)]


def _scorers(kind: str, used: list[str]) -> dict[str, str]:
    """Of the roles whose scorer may be chosen, the one that was used."""
    known = {(info.role, info.name) for info in describe()}
    found: dict[str, list[str]] = {}
    for entry in used:
        role, _, rest = entry.partition("=")
        name = rest.rpartition(" ")[0]
        if role in measuring(kind).CHOICES and (role, name) in known:
            found.setdefault(role, []).append(name)
    return {role: names[0] for role, names in found.items() if len(names) == 1}


def as_toml(audit: Audit) -> str:
    """The audit as TOML, which `core.runs.audit.read_audit` reads back as the same audit."""
    return toml_text(audit.to_json())
