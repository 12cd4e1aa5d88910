"""Reading an audit file: whatever is wrong in it is one sentence each, before anything is done.

A project's audit as a file: the prompt sets that were answered, who answered, the texts that were imported, and how
each study was measured last.

It does in a new project what was done in this one; where the generators write the same again, its numbers are the same.
"""

import os
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import is_there, ordinary_file, path_of
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.rows import GeneratorRow, PromptSetRow, RunRow
from biasprint.core.prompts.resource_files import parsed_toml, toml_text
from biasprint.core.runs.audit.again import options_of, scorers_of
from biasprint.core.runs.audit.file import (
    JUDGED,
    AskedComparisons,
    AskedGenerator,
    AskedJudge,
    AskedMeasure,
    AskedOutputs,
    AskedPrompts,
    AskedTexts,
    Audit,
    saved_judging,
)
from biasprint.core.runs.measure import asked_again
from biasprint.core.scorers.lexicon import OWN_WORDS
from biasprint.core.scorers.registry import describe
from biasprint.core.studies.registry import study as known_study
from biasprint.core.texts.generators import ENDPOINT, NOT_WRITTEN, SYSTEM, generator_names

PARTS: Mapping[str, type[BaseModel]] = {
    "prompts": AskedPrompts, "texts": AskedTexts, "generators": AskedGenerator, "comparisons": AskedComparisons,
    "judges": AskedJudge, "measure": AskedMeasure, "outputs": AskedOutputs,
}  # fmt: skip
# What the library says of these names its own classes.
EXPECTED = {
    "path_type": "it is no path",
    "model_type": "it needs keys of its own, such as a table has",
    "dataclass_type": "it needs keys of its own, such as a table has",
}
FILES = (".toml", ".csv", ".tsv", ".txt")  # endings of a word that is a path
WORDS = ("name", "set", "set_name", "mitigation", "instruction", "names", "columns")  # never a path
Part = TypeVar("Part", bound=BaseModel)
Model = TypeVar("Model", AskedGenerator, AskedJudge)
HEAD = "# An audit of Biasprint. “biasprint run {name}” does it; docs/reference/audit-files.md explains the keys.\n"


def read_audit(path: Path) -> tuple[Audit, str]:
    """Return the audit of a file, its paths from where the file lies, and the file's SHA-256. Raises `UsageError`."""
    try:
        ordinary_file(path, follow=True)
        data = path.read_bytes()
        content = parsed_toml(data.decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"The audit file {path.name} cannot be read ({error.strerror}).") from None
    except RecursionError:
        raise UsageError(f"{path.name} is nested too deeply to be read.") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"{path.name} is not a TOML file: {error}.", hint="docs/tutorials/audit-a-model.md has an example."
        ) from None
    return _resolved(checked(content, path.name), path.resolve().parent), sha256(data).hexdigest()


def checked(values: Mapping[str, Any], called: str) -> Audit:
    """Return the audit that was read from the file so called. Raises `UsageError`."""
    try:
        audit = Audit.model_validate(values)
    except ValidationError as wrong:
        sentences = [_sentence(each["type"], each["loc"], each["msg"]) for each in wrong.errors()]
        raise UsageError(" ".join([f"{called}: {sentences[0]}", *sentences[1:]]), kept="Nothing was done.") from None
    if sentences := list(_at_odds(audit)):
        raise UsageError(" ".join([f"{called}: {sentences[0]}", *sentences[1:]]), kept="Nothing was done.")
    audit.held()
    compared = [part.study for part in audit.comparisons]
    for kind in (*audit.studies, *(part.study for part in audit.measure), *compared):
        known_study(kind)
    return audit


# ---- Errors in words


def _at_odds(audit: Audit) -> Iterator[str]:
    """Yield a sentence for each pair of parts that do not fit together."""
    sets = [part.called for part in audit.prompts]
    own = (("prompt sets", sets), ("generators", [part.called for part in audit.generators]))
    for what, names in (*own, ("judges", [part.called for part in audit.judges])):
        for twice in sorted({name for name in names if names.count(name) > 1}):
            yield f"Two {what} are called “{twice}”: give each a name of its own."
    for writer in audit.generators:
        for name in writer.prompts or ():
            if name not in sets:
                yield f"The generator “{writer.called}” answers “{name}”, which is no prompt set here: {_list(sets)}."
    for model in (*audit.generators, *audit.judges):
        for double in sorted({"endpoint", "system"} & model.parameters.keys()):
            yield f"The {double} of “{model.called}” is a key of its own, not one of its parameters."
    yield from _sources_at_odds(audit)
    yield from _judging_at_odds(audit)
    measured = [part.study for part in audit.measure]
    for kind in dict.fromkeys(measured):
        texts = next(part.texts_of for part in audit.measure if part.study == kind) or kind
        if texts not in audit.studies and not (texts == JUDGED and audit.comparisons):
            yield f"“{texts}” is to be measured, and has no prompts or texts here: {_list(audit.studies)}."
        if measured.count(kind) > 1:
            yield f"“{kind}” is to be measured twice."
    for how in audit.measure:
        if how.pool and how.compare:
            yield f"“{how.study}” is to be pooled and compared: what is pooled cannot be compared."


def _judging_at_odds(audit: Audit) -> Iterator[str]:
    """Yield contradictions between what is compared and who judges it."""
    judges = [judge.called for judge in audit.judges]
    for asked in audit.comparisons:
        if asked.study not in audit.studies:
            yield f"Texts of “{asked.study}” are to be judged, and there are none here: {_list(audit.studies)}."
        for name in asked.judges or ():
            if name not in judges:
                yield f"“{name}” is to judge and is none of the judges here: {_list(judges) or 'none'}."
    if audit.comparisons and not audit.judges:
        yield "There are comparisons and nobody to judge them: give [[judges]]."
    if audit.judges and not audit.comparisons:
        yield "There are judges and nothing to judge: give [[comparisons]]."


def _sources_at_odds(audit: Audit) -> Iterator[str]:
    """Yield contradictions in where prompts and texts come from."""
    if not audit.studies:
        yield "Nothing is asked and nothing is read: give [[prompts]] with [[generators]], or [[texts]]."
    if audit.prompts and not audit.generators and not audit.texts:
        yield "There are prompts and nobody to answer them: give [[generators]]."
    for asked in audit.prompts:
        if asked.of and not asked.set:
            yield f"The prompts “{asked.called}” are from a project: say which set of it."
        if asked.set and asked.choice():
            yield f"The prompts “{asked.called}” are a set that there is: leave out {_list(sorted(asked.choice()))}."
    for texts in audit.texts:
        if (texts.table is None) == (texts.of is None):
            yield f"The texts for {texts.study} are from a table or from a project: give one of “table” and “from”."
        if texts.of and (given := sorted(texts.model_fields_set - {"study", "of"})):
            yield f"The texts for {texts.study} are from a project: leave out {_list(given)}."


def _sentence(kind: str, place: Sequence[str | int], message: str) -> str:
    *where, name = place
    inside = _list_of_path(where)
    if kind == "extra_forbidden":
        near = get_close_matches(str(name), _keys(where), 1)
        offered = f" Is “{near[0]}” meant?" if near else f" There are: {_list(_keys(where))}."
        return f"There is no key “{name}”{f' in {inside}' if inside else ''}.{offered}"
    if kind == "missing":
        return f"“{name}” is missing{f' in {inside}' if inside else ''}."
    should = EXPECTED.get(kind) or f"{message[:1].lower()}{message[1:]}"
    return f"“{_list_of_path(place)}” is not as it should be: {should}."


def _list_of_path(place: Sequence[str | int]) -> str:
    """Return the place in the file, such as "generators 2" or "outputs", counted from 1."""
    return " ".join(str(part + 1) if isinstance(part, int) else part for part in place)


def _keys(place: Sequence[str | int]) -> list[str]:
    model = PARTS.get(str(place[0]), Audit) if place else Audit
    return [field.alias or name for name, field in model.model_fields.items()]


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)


# ---- Paths relative to the folder of the file


def _resolved(audit: Audit, folder: Path) -> Audit:
    return audit.model_copy(
        update={
            "prompts": [_resolved_part(part, folder) for part in audit.prompts],
            "texts": [_resolved_part(part, folder) for part in audit.texts],
            "generators": [_with_model(part, folder) for part in audit.generators],
            "judges": [_with_model(part, folder) for part in audit.judges],
            "measure": [_with_words(part, folder) for part in audit.measure],
            "outputs": _resolved_part(audit.outputs, folder),
        }
    )


def _with_model(writer: Model, folder: Path) -> Model:
    """Return a model that is a file, or a folder which is there, as it is from the folder; called as it was."""
    place = folder / path_of(writer.model)
    if not (
        writer.model.endswith(".gguf") or (is_there(place) and place.is_dir() and len(Path(writer.model).parts) > 1)
    ):
        return writer
    return writer.model_copy(update={"model": str(place), "name": writer.called})


def _with_words(how: AskedMeasure, folder: Path) -> AskedMeasure:
    """Resolve one's own word lists among the scorers relative to the folder."""
    scorers = {
        role: ",".join(_resolved_word(name.strip(), folder) for name in names.split(","))
        for role, names in how.scorers.items()
    }
    return how.model_copy(update={"scorers": scorers}) if scorers else how


def _resolved_word(name: str, folder: Path) -> str:
    if not name.startswith(OWN_WORDS):
        return name
    return f"{OWN_WORDS}{folder / path_of(name.removeprefix(OWN_WORDS))}"


def _resolved_part(part: Part, folder: Path) -> Part:
    """Return a part of the file with its paths, and its words that name a file, as they are from the folder."""
    given = {name: getattr(part, name) for name in part.model_fields_set if name not in WORDS}
    return part.model_copy(update={name: _path(value, folder) for name, value in given.items()})


def _path(value: Any, folder: Path) -> Any:
    if isinstance(value, list):
        return [_path(each, folder) for each in value]
    if isinstance(value, str) and value.endswith(FILES):
        return str(folder / value)
    return folder / value if isinstance(value, Path) else value


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
