"""Definitions of a person's own, kept in the data folder of this computer: one TOML file each, and its versions.

`definitions/axes/hair.toml` is the axis as it is now, `hair@1.toml` version 1 as prompts were made from it. Whoever
edits what prompts were made from makes the next version; until then an edit changes the version that is there.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass as pydantic_dataclass

from biasprint.core.errors import AppError
from biasprint.core.machine import storage
from biasprint.core.machine.files import write_whole
from biasprint.core.prompts.axes import Axis, Key, Text
from biasprint.core.prompts.definition_kinds import AXIS, DOCUMENT, KINDS, NAMES, OCCUPATIONS, TASK, THEMES
from biasprint.core.prompts.definitions import RESERVED, DefinitionKind, Draft, completed
from biasprint.core.prompts.drafts import PromptSetDraft
from biasprint.core.prompts.name_sets import NameSet, load_name_set
from biasprint.core.prompts.resource_files import packaged, read_toml, toml_text, validated

LOCK = "definitions.lock"


@pydantic_dataclass(frozen=True)
class _Head:
    """The fields that every kind of definition begins with. The key is the name of its file."""

    key: Key
    title: Text
    version: Annotated[int, Field(ge=1)] = 1


@dataclass(frozen=True)
class Definition:
    """One definition as it is kept. `used`: prompts were made from this version. `shipped`: it is the program's."""

    kind: str
    data: Draft
    shipped: bool = False
    used: bool = False

    @property
    def key(self) -> str:
        return str(self.data["key"])

    @property
    def title(self) -> str:
        return str(self.data["title"])

    @property
    def version(self) -> int:
        return int(self.data.get("version", 1))


@dataclass(frozen=True)
class Library:
    """The own definitions by kind, by title; `troubles`: sentences about files that could not be read."""

    own: Mapping[str, tuple[Definition, ...]]
    troubles: tuple[str, ...] = ()

    def values(self, kind: DefinitionKind) -> tuple[Any, ...]:
        """Return the engine's values of a kind's definitions."""
        return tuple(kind.load(value.data) for value in self.own.get(kind.folder, ()))


def read_library() -> Library:
    """Return every own definition. One that cannot be read is omitted and reported."""
    own: dict[str, tuple[Definition, ...]] = {}
    troubles: list[str] = []
    for kind in KINDS.values():
        definitions = []
        for path in sorted(_folder(kind).glob("*.toml")):
            if "@" in path.name:
                continue
            try:
                definitions.append(_read(kind, path))
            except AppError as error:
                troubles.append(str(error))
        own[kind.folder] = tuple(sorted(definitions, key=lambda definition: definition.title.casefold()))
    return Library(own, tuple(troubles))


def own_value(kind: DefinitionKind, key: str) -> Any:
    """Return the engine's value of one's own definition; None where there is none of this key."""
    path = own_file(kind, key)
    return kind.load(_read(kind, path).data) if path is not None else None


def own_file(kind: DefinitionKind, key: str) -> Path | None:
    """Return the file of one's own definition; None where there is none of this key."""
    path = _folder(kind) / f"{key}.toml"
    return path if path.exists() else None


def name_set_called(key: str) -> NameSet:
    """Return one's own set of names of this key, else the shipped one."""
    name_set: NameSet | None = own_value(NAMES, key)
    return name_set if name_set is not None else load_name_set(key)


def keep_versions(draft: PromptSetDraft) -> None:
    """Keep the versions of one's own definitions that prompts were made from."""
    recipe = draft.recipe
    axes, tasks, themes = set(draft.axes), recipe.get("tasks", {}), recipe.get("themes", {})
    made_from: Mapping[str, Callable[[Any], bool]] = {
        AXIS.folder: lambda axis: axis in axes,
        NAMES.folder: lambda names: recipe.get("name_set", {}).get("key") == names.key,
        TASK.folder: lambda task: tasks.get(task.key) == task.template,
        THEMES.folder: lambda values: any(themes.get(theme.key) == theme.text for theme in values),
        DOCUMENT.folder: lambda document: recipe.get("document") == document.key,
        OCCUPATIONS.folder: lambda values: set(values) <= set(recipe.get("occupations", ())),
    }
    for folder, definitions in read_library().own.items():
        kind = KINDS[folder]
        for definition in definitions:
            if made_from[folder](kind.load(definition.data)):
                keep_version(kind, definition.key)


def shipped(kind: DefinitionKind) -> tuple[Definition, ...]:
    """Return the program's own definitions of a kind, to be copied."""
    return tuple(Definition(kind.folder, draft, shipped=True) for draft in kind.shipped())


def save(kind: DefinitionKind, draft: Draft) -> Definition:
    """Keep a draft: in place of the version that is there, or as the next one where prompts were made from that.

    A draft without a key is a new definition. Raises `AppError` where it is not valid.
    """
    with storage.locked(LOCK):
        taken = {shipped_value.key for shipped_value in shipped(kind)} | {
            _key(path) for path in _folder(kind).glob("*.toml")
        }
        data = completed(kind, draft, taken)
        _check(kind, data)
        path = _folder(kind) / f"{data['key']}.toml"
        before = _read(kind, path) if path.exists() else None
        if before is not None:
            data["version"] = before.version
            if dict(before.data) == data:
                return before
        if before is None or before.used:
            data["version"] = max(_versions(kind, data["key"]), default=0) + 1
        write_toml(path, data)
        return _read(kind, path)


def remove(definition: Definition) -> None:
    """Forget a definition; the versions that prompts were made from stay, so that its key never means another."""
    with storage.locked(LOCK):
        (_folder(KINDS[definition.kind]) / f"{definition.key}.toml").unlink(missing_ok=True)


def keep_version(kind: DefinitionKind, key: str) -> None:
    """Keep this version of a definition, as prompts were made from it. Does nothing for one that is not one's own."""
    with storage.locked(LOCK):
        path = _folder(kind) / f"{key}.toml"
        if path.exists():
            now = _read(kind, path)
            if not now.used:
                write_toml(_version_path(kind, key, now.version), now.data)


def read_definition(kind: DefinitionKind, path: Path) -> Draft:
    """Return a draft from a file. Raises `AppError` in words where it is none of this kind.

    It has the file's key where that is free or one's own. A shipped one's, or one that could name no file, is left out,
    so that saving finds another.
    """
    draft = _checked(kind, path)
    draft.setdefault("title", path.stem.replace("_", " ").capitalize())
    key = draft.get("key", "")
    if not isinstance(key, str) or key in {*RESERVED, *(shipped_value.key for shipped_value in shipped(kind))}:
        del draft["key"]
    return draft


def _readable(kind: DefinitionKind, path: Path) -> None:
    """Raise `AppError` in one sentence for what is no file of this kind by its name, or empty."""
    if path.suffix.lower().lstrip(".") not in kind.suffixes and not path.is_dir():
        endings = " or ".join(f".{each}" for each in kind.suffixes)
        raise AppError(f"“{path.name}” is no {kind.one}: its name ends in {endings}.", hint=_example_hint(kind))
    if path.is_file() and path.stat().st_size == 0:
        raise AppError(f"“{path.name}” is empty.", hint=_example_hint(kind))


def _example_hint(kind: DefinitionKind) -> str:
    return f"“Example…”, or “biasprint example {kind.folder}”, gives one with explanations."


def _checked(kind: DefinitionKind, path: Path) -> dict[str, Any]:
    _readable(kind, path)
    if path.suffix.lower() == ".toml":
        _of_this_kind(kind, read_toml(path), path.name)
    try:
        draft = kind.read(path) if kind.read is not None else read_toml(path)
    except AppError as error:
        if path.suffix.lower() == ".toml":  # it is TOML, so that what is wrong is what it says
            error.hint = _example_hint(kind)
        raise
    try:
        kind.load(completed(kind, draft, ()))
    except AppError as error:
        message = f"“{path.name}” is no {kind.one}. {error.message}"
        raise AppError(message, hint=_example_hint(kind), details=" ".join((error.hint, error.details))) from error
    return draft


def _of_this_kind(kind: DefinitionKind, data: Draft, name: str) -> None:
    """Raise `AppError` for a file that is one of another kind, or of several."""
    if kind.mark in data or "crosses" in data:
        return
    if kind is TASK and "task" in data:
        raise AppError(f"“{name}” holds several tasks.", hint="Give each a file of its own to bring it in here.")
    if other := next((each for each in KINDS.values() if each.mark in data), None):
        raise AppError(
            f"“{name}” is {'an' if other.one[0] in 'aeiou' else 'a'} {other.one}, no {kind.one}.",
            hint=f"Choose “{other.title}” to bring it in.",
        )


def write_definition(kind: DefinitionKind, draft: Draft, path: Path) -> None:
    """Write a definition to a file as the command line takes it."""
    if path.suffix == ".txt":
        write_text(path, "\n".join(map(str, kind.load(completed(kind, draft, ())))) + "\n")
    else:
        write_toml(path, completed(kind, draft, ()))


def example_of(kind: DefinitionKind) -> str:
    """Return an explained example of a kind, as the text of its file."""
    return packaged("examples", f"{kind.folder}.{kind.suffix}").read_text(encoding="utf-8")


def write_example(kind: DefinitionKind, path: Path) -> None:
    """Put the explained example in place of what the file held, whole or not at all."""
    write_text(path, example_of(kind))


def _read(kind: DefinitionKind, path: Path) -> Definition:
    data = read_toml(path)
    head = _check(kind, data)
    return Definition(kind.folder, data, used=_version_path(kind, _key(path), head.version).exists())


def _check(kind: DefinitionKind, data: Draft) -> _Head:
    """Raise `AppError` for what is no definition of this kind, or could have no file of its own."""
    identity = {name: data[name] for name in ("key", "title", "version") if name in data}
    head = validated(_Head, identity, f"This {kind.one}")
    kind.load(data)
    return head


def _folder(kind: DefinitionKind) -> Path:
    folder = storage.home() / "definitions" / kind.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage.not_writable(storage.home(), error) from error
    return folder


def _version_path(kind: DefinitionKind, key: str, version: int) -> Path:
    return _folder(kind) / f"{key}@{version}.toml"


def _versions(kind: DefinitionKind, key: str) -> list[int]:
    numbers = (path.stem.partition("@")[2] for path in _folder(kind).glob(f"{key}@*.toml"))
    return [int(number) for number in numbers if number.isdecimal()]


def _key(path: Path) -> str:
    return path.stem.partition("@")[0]


def write_toml(path: Path, draft: Draft) -> None:
    """Put a definition in place of what the file held, whole or not at all."""
    write_text(path, toml_text(dict(draft)))


def write_text(path: Path, text: str) -> None:
    """Put a text in place of what the file held, whole or not at all. Raises `AppError`."""
    write_whole(path, text.encode())


# ---- Axes as TOML files

HEAD = (
    "# An axis of Biasprint: change it, and give this file's path where an axis is asked for "
    "(docs/how-to/ask-about-your-own-people.md).\n"
)


def axis_text(axis: Axis) -> str:
    """Return the axis as a file, with everything said outright. What is empty is left out."""
    plain = _filled(axis.definition())
    plain["identities"] = [_filled(identity) for identity in plain["identities"]]
    if axis.harm:
        plain["harm"] = [_filled(harm) for harm in plain["harm"]]
    return HEAD + toml_text(plain)


def _filled(table: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in table.items() if value not in ("", (), [])}


def write_axis(axis: Axis, path: Path, *, replace: bool = False) -> None:
    """Write the axis's file, whole or not at all. `AppError` where there is one already, unless it may be replaced."""
    if not replace and os.path.lexists(path):
        raise AppError(
            f"There is a file {path} already.", kept="It was left as it is.", hint="Choose another name, or --replace."
        )
    write_text(path, axis_text(axis))
