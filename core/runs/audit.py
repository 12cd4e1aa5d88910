"""An audit as a file: what is asked, of whom, what is measured and compared, and under which findings it fails.

A TOML file that a person writes or the window saves; docs/audits.md explains its keys. Paths in it are meant from its
folder.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import UsageError
from core.given import ordinary_file
from core.runs.audit_gates import Gate, parse_gate
from core.studies.registry import study as known_study

SUFFIX = ".toml"
Seed = Annotated[int, Field(ge=0, le=2**63 - 1)]
Words = Annotated[str, Field(min_length=1)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class AskedPrompts(_Part):
    """A prompt set: made from choices, as `biasprint prompts` makes it; or `set` (NAME@VERSION) of the project `from`.

    `name`: how generators of the file call it; its study where it has none.
    """

    study: Words
    name: str = ""
    set: str | None = None
    of: Path | None = Field(None, alias="from")
    tasks: list[str] | None = None
    themes: list[str] | None = None
    axes: list[str] | None = None
    preset: str | None = None
    names: list[str] | None = None
    names_in_turn: Annotated[int, Field(ge=1)] | None = None
    document: str | None = None
    biographies: Path | None = None
    versions: Annotated[int, Field(ge=1)] | None = None
    headlines: Path | None = None
    ideology: str | None = None
    base_model: bool = False
    domains: list[str] | None = None
    directions: list[str] | None = None
    mitigation: str | None = None
    instruction: str | None = None

    @property
    def called(self) -> str:
        return self.name or self.study

    def choice(self) -> dict[str, Any]:
        """The fields of `PromptChoice` that are given."""
        own = {"study", "name", "set", "of"}
        return {name: value for name in self.model_fields_set - own if (value := getattr(self, name)) is not None}


class AskedGenerator(_Part):
    """Who writes. `name`: how the file calls it; its model where it has none. `system`: its system prompt.

    `prompts`: names of the prompt sets that it answers; all where not given. `preset`: begin with what the catalogue
    recommends for a local model.
    """

    backend: Words
    model: Words
    name: str = ""
    endpoint: str | None = None
    system: str | None = None
    parameters: dict[str, str | int | float | bool] = {}
    prompts: list[str] | None = None
    seed: Seed | None = None
    samples: Annotated[int, Field(ge=1, le=10_000)] = 1
    preset: bool = True

    @property
    def called(self) -> str:
        return self.name or self.model

    def given(self) -> dict[str, Any]:
        """Its parameters as a backend takes them."""
        named = {"endpoint": self.endpoint, "system": self.system}
        return dict(self.parameters) | {name: value for name, value in named.items() if value is not None}


class AskedMeasure(_Part):
    """How a study is measured: the options of `biasprint measure`. `scorers`: role → name.

    `generators`, `compare`: by their names in the file, or as `measure` takes them.
    """

    study: Words
    seed: Seed | None = None
    adjust: Literal["holm", "bh"] = "holm"
    axes: list[str] = []
    scorers: dict[str, str] = {}
    generators: list[str] = []
    compare: list[str] = []
    pool: bool = False
    keep_seen: bool = False


class AskedOutputs(_Part):
    """Where to: the project file, and beside it the answer as JSON and a report of each study."""

    project: Path
    json_: Path | None = Field(None, alias="json")
    report: Path | None = None


class Audit(_Part):
    """The whole file. `seed`: of writing and measuring, where a part has none. `scorers`: beyond what measures need."""

    audit: Literal[1] = 1
    title: str = ""
    seed: Seed = 0
    prompts: Annotated[list[AskedPrompts], Field(min_length=1)]
    generators: list[AskedGenerator] = []
    scorers: list[str] = []
    measure: list[AskedMeasure] = []
    gates: list[str] = []
    outputs: AskedOutputs

    @property
    def studies(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one.study for one in self.prompts))

    def measures(self) -> tuple[AskedMeasure, ...]:
        """How each of the studies is measured."""
        said = {one.study: one for one in self.measure}
        return tuple(said.get(kind) or AskedMeasure(study=kind) for kind in self.studies)

    def held(self) -> tuple[Gate, ...]:
        return tuple(parse_gate(text) for text in self.gates)

    def to_json(self) -> dict[str, Any]:
        """As the file has it, without what is as it would be anyway."""
        found: dict[str, Any] = self.model_dump(mode="json", by_alias=True, exclude_defaults=True, exclude_none=True)
        return {"audit": self.audit, **found}


def read_audit(path: Path) -> tuple[Audit, str]:
    """The audit of a file, its paths from where the file lies, and the file's SHA-256.

    Raises `UsageError`, one sentence for each thing that is wrong, before anything is done.
    """
    try:
        ordinary_file(path, follow=True)
        data = path.read_bytes()
        found = tomllib.loads(data.decode("utf-8-sig"))
    except OSError as error:
        raise UsageError(f"The audit file {path.name} cannot be read ({error.strerror}).") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path.name} is not a TOML file: {error}.", hint="docs/audits.md has an example.") from None
    return _beside(checked(found, path.name), path.resolve().parent), sha256(data).hexdigest()


def checked(found: Mapping[str, Any], called: str) -> Audit:
    """The audit that was read from the file so called. Raises `UsageError`."""
    try:
        audit = Audit.model_validate(found)
    except ValidationError as wrong:
        told = [_sentence(each["type"], each["loc"], each["msg"]) for each in wrong.errors()]
        raise UsageError(" ".join([f"{called}: {told[0]}", *told[1:]]), kept="Nothing was done.") from None
    if told := list(_at_odds(audit)):
        raise UsageError(" ".join([f"{called}: {told[0]}", *told[1:]]), kept="Nothing was done.")
    audit.held()
    for kind in audit.studies:
        known_study(kind)
    return audit


def _at_odds(audit: Audit) -> Iterator[str]:
    """A sentence for each pair of parts that do not fit together."""
    for what, names in (
        ("prompt sets", [one.called for one in audit.prompts]),
        ("generators", [one.called for one in audit.generators]),
    ):
        for twice in sorted({name for name in names if names.count(name) > 1}):
            yield f"Two {what} are called “{twice}”: give each a name of its own."
    sets = [one.called for one in audit.prompts]
    for writer in audit.generators:
        for name in writer.prompts or ():
            if name not in sets:
                yield f"The generator “{writer.called}” answers “{name}”, which is no prompt set here: {_list(sets)}."
        for double in sorted({"endpoint", "system"} & writer.parameters.keys()):
            yield f"The {double} of “{writer.called}” is a key of its own, not one of its parameters."
    measured = [one.study for one in audit.measure]
    for kind in dict.fromkeys(measured):
        if kind not in audit.studies:
            yield f"“{kind}” is to be measured, and has no prompts here: {_list(audit.studies)}."
        if measured.count(kind) > 1:
            yield f"“{kind}” is to be measured twice."
    for asked in audit.prompts:
        if asked.of and not asked.set:
            yield f"The prompts “{asked.called}” are from a project: say which set of it."
        if asked.set and asked.choice():
            yield f"The prompts “{asked.called}” are a set that there is: leave out {_list(sorted(asked.choice()))}."


def _sentence(kind: str, place: Sequence[str | int], message: str) -> str:
    *where, name = place
    inside = _list_of_path(where)
    if kind == "extra_forbidden":
        near = get_close_matches(str(name), _keys(where), 1)
        offered = f" Is “{near[0]}” meant?" if near else f" There are: {_list(_keys(where))}."
        return f"There is no key “{name}”{f' in {inside}' if inside else ''}.{offered}"
    if kind == "missing":
        return f"“{name}” is missing{f' in {inside}' if inside else ''}."
    return f"“{_list_of_path(place)}” is not as it should be: {message[:1].lower()}{message[1:]}."


def _list_of_path(place: Sequence[str | int]) -> str:
    """ "generators 2", "outputs": where in the file, counted from 1."""
    return " ".join(str(part + 1) if isinstance(part, int) else part for part in place)


def _keys(place: Sequence[str | int]) -> list[str]:
    parts: dict[str, type[BaseModel]] = {
        "prompts": AskedPrompts, "generators": AskedGenerator, "measure": AskedMeasure, "outputs": AskedOutputs,
    }  # fmt: skip
    model = parts.get(str(place[0]), Audit) if place else Audit
    return [field.alias or name for name, field in model.model_fields.items()]


def _list(names: Sequence[str]) -> str:
    return ", ".join(names)


def _beside(audit: Audit, folder: Path) -> Audit:
    """With the paths as they are from the folder of the file."""

    def there(path: Path | None) -> Path | None:
        return None if path is None else folder / path

    prompts = [
        one.model_copy(update={name: there(path) for name in ("of", "biographies", "headlines")
                               if (path := getattr(one, name)) is not None})
        for one in audit.prompts
    ]  # fmt: skip
    outputs = audit.outputs.model_copy(
        update={name: there(getattr(audit.outputs, name)) for name in ("project", "json_", "report")}
    )
    return audit.model_copy(update={"prompts": prompts, "outputs": outputs})
