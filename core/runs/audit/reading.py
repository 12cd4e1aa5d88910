"""Reading an audit file: whatever is wrong in it is one sentence each, before anything is done."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from biasprint.core.errors import UsageError
from biasprint.core.given import is_there, ordinary_file, path_of
from biasprint.core.prompts.resource_files import parsed_toml
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
)
from biasprint.core.scorers.lexicon import OWN_WORDS
from biasprint.core.studies.registry import study as known_study

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
