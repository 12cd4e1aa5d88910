"""Axes and identities are data: one TOML file per axis, shipped in `resources/axes` or a person's own.

An axis has two or more identities. Nothing about which axes or how many identities there are is in code.
A crossed axis says which two it `crosses`; what it does not say of an identity (“Black woman”) it takes from both.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, model_validator
from pydantic.dataclasses import dataclass

from biasprint.core.errors import AppError, UsageError
from biasprint.core.prompts.name_sets import NameSet, load_name_set
from biasprint.core.prompts.resource_files import packaged, read_toml, validated
from biasprint.core.prompts.template import Template

_STRICT = ConfigDict(extra="forbid", str_strip_whitespace=True)

# Keys are part of prompt keys ("cogs/haiku/stars/race/black"), so they hold no slash and no blank.
Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[-_][a-z0-9]+)*$", max_length=60)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=2000)]


@dataclass(frozen=True, config=_STRICT)
class Identity:
    """A group on an axis.

    `label` is for people, `phrase` for prompts ("being {phrase}"), `words` are what refers to the group in a text,
    `names` given names of the group, `pronouns` the set to write about such a person with, where one applies. `of`: on
    a crossed axis the keys of the two identities it is made of, in the order of `crosses`.
    """

    key: Key
    label: Text
    phrase: Text
    words: tuple[Text, ...] = ()
    names: tuple[Text, ...] = ()
    pronouns: Literal["", "he", "she", "they"] = ""
    of: tuple[Key, ...] = ()


@dataclass(frozen=True, config=_STRICT)
class Harm:
    """The direction of a finding that harms a group: finding id, label (empty = all), direction, words."""

    finding: Text
    harmed: Key
    direction: Literal["higher", "lower"]
    words: Text
    label: str = ""


@dataclass(frozen=True, config=_STRICT)
class Axis:
    """An axis and its identities. `reported_as` is the axis id in prompts and findings where it is not the key.

    `crosses`: the ids of the two axes that a crossed axis is made of, else empty.
    """

    key: Key
    title: Text
    version: Annotated[int, Field(ge=1)]
    identities: Annotated[tuple[Identity, ...], Field(min_length=1)]
    harm: tuple[Harm, ...] = ()
    source: str = ""
    note: str = ""
    reported_as: Key | Literal[""] = ""
    crosses: tuple[Key, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> "Axis":
        keys = [identity.key for identity in self.identities]
        if len(keys) < 2:
            raise ValueError(f"an axis needs at least two identities to compare, and this one has {len(keys)}")
        for key in keys:
            if keys.count(key) > 1:
                raise ValueError(f"two identities have the key “{key}”")
        if "default" in keys:
            raise ValueError("an identity cannot have the key 'default', which stands for prompts without an identity")
        for identity in self.identities:
            if len(identity.of) != len(self.crosses):
                raise ValueError(f"“{identity.key}” must say of which identities of {len(self.crosses)} axes it is")
        for harm in self.harm:
            if harm.harmed not in keys:
                raise ValueError(f"harm names “{harm.harmed}”, which is no identity of this axis")
        return self

    @property
    def id(self) -> str:
        return self.reported_as or self.key

    def identity(self, key: str) -> Identity:
        """Return the identity with this key; `UsageError` where there is none."""
        for identity in self.identities:
            if identity.key == key:
                return identity
        known = ", ".join(identity.key for identity in self.identities)
        raise UsageError(f"The axis {self.key} has no identity {key}.", hint=f"Its identities: {known}.")

    def definition(self) -> dict[str, Any]:
        """Return plain data, for storing in a project; `Axis(**definition)` gives the axis back."""
        plain = asdict(self)
        if not self.crosses:  # what an axis was before axes could be crossed, so that its hash stays
            del plain["crosses"]
            for identity in plain["identities"]:
                del identity["of"]
        return plain

    @property
    def sha256(self) -> str:
        """SHA-256 (hex) of the definition as canonical JSON: the same content gives the same hash on any machine."""
        canonical = json.dumps(self.definition(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()


@cache  # the files of the program do not change while it runs
def available_axes() -> tuple[str, ...]:
    """Return the keys of the shipped axes, in alphabetical order."""
    names = (entry.name for entry in packaged("axes").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_axis(source: str | Path) -> Axis:
    """Return a shipped axis by its key, or an axis file by its path (a `Path`, or a string that ends in ".toml")."""
    if isinstance(source, Path) or source.endswith(".toml"):
        path = Path(source)
        return axis_from(read_toml(path), f"The axis file {path}", path.parent)
    if source not in available_axes():
        hint = f"Shipped axes: {', '.join(available_axes())}. Your own axis is given by the path of its .toml file."
        raise UsageError(f"There is no axis “{source}”.", hint=hint)
    return _shipped(source)


@cache
def _shipped(key: str) -> Axis:
    return axis_from(read_toml(packaged("axes", f"{key}.toml")), f"The shipped axis {key}")


def axis_from(data: Mapping[str, Any], where: str, folder: Path = Path()) -> Axis:
    """Return the axis that a file's data describe. `where` says whose data they are, `folder` where files named in it
    are.
    """
    return validated(Axis, _written(dict(data), where, folder), where)


def resolve_axes(axes: Sequence[str | Path | Axis]) -> tuple[Axis, ...]:
    """Load axes by key or path, or take them as given; an axis that comes twice is refused."""
    resolved = tuple(axis if isinstance(axis, Axis) else load_axis(axis) for axis in axes)
    ids = [axis.id for axis in resolved]
    for axis_id in ids:
        if ids.count(axis_id) > 1:
            raise UsageError(f"The axis {axis_id} is given twice.", hint="Name each axis once.")
    return resolved


def with_names(axis: Axis, names: NameSet) -> Axis:
    """Return the axis with the names of a set in the place of its own. Raises `UsageError` where an identity
    has none.
    """
    identities = []
    for identity in axis.identities:
        asked = dict(zip(axis.crosses, identity.of, strict=True)) or {axis.id: identity.key}
        given_names = names.names_of(asked)
        if not given_names:
            known = "; ".join(cell.label for cell in names.cells)
            message = f"The set of names {names.key} has none for {identity.label} ({axis.id})."
            raise UsageError(message, hint=f"It has names for: {known}.")
        identities.append(replace(identity, names=given_names))
    return replace(axis, identities=tuple(identities))


# ---- Crossed axes


def crossed_axis(
    first: Axis,
    second: Axis,
    *,
    key: str = "",
    title: str = "",
    version: int = 1,
    phrase: str = "",
    names: NameSet | None = None,
) -> Axis:
    """Return an axis of every pair of an identity of `first` and one of `second`, with phrases, words, names and
    pronouns from both.

    `phrase`: a template with the ids of both axes; by default the second axis's phrase precedes the first's (“black
    woman”). Words: each word of the one with each of the other, in the same order, without pronouns. Names: those of
    the set, else those that both identities have. Raises `AppError` for what is no axis, as for keys too long.
    """
    if first.id == second.id or first.crosses or second.crosses:
        message = f"{first.key} and {second.key} cannot be crossed."
        raise UsageError(message, hint="Two different axes are crossed, neither of them a crossed one.")
    places = {_placeholder(axis): axis for axis in (first, second)}
    template = Template(phrase or f"{{{_placeholder(second)}}} {{{_placeholder(first)}}}")
    template.require(known=places, needed=places)
    order = [places[name] for name in template.names]
    made = {
        "key": key or f"{first.id}_{second.id}",
        "title": title or f"{first.title} × {second.title.lower()}",
        "version": version,
        "identities": [
            _crossed(dict(zip((first.id, second.id), pair, strict=True)), order, template, names)
            for pair in product(first.identities, second.identities)
        ],
        "source": f"{first.key}, version {first.version}; {second.key}, version {second.version}"
        + (f"; names: {names.key}, version {names.version}" if names else ""),
        "crosses": (first.id, second.id),
    }
    return validated(Axis, made, f"The axis of {first.key} and {second.key}")


def _crossed(
    of: Mapping[str, Identity], order: Sequence[Axis], template: Template, names: NameSet | None
) -> dict[str, Any]:
    """Return one identity of two. `of`: by axis id; `order`: of the axes in the phrase."""
    first, other = of.values()
    written = [of[axis.id] for axis in order]
    own = names.names_of({axis: identity.key for axis, identity in of.items()}) if names else ()
    pronouns = _pronouns()
    words = [[word for word in identity.words if word.casefold() not in pronouns] for identity in written]
    return {
        "key": "-".join(identity.key for identity in written),
        "label": f"{written[0].label} {written[1].label[:1].lower()}{written[1].label[1:]}",
        "phrase": template.render({_placeholder(axis): of[axis.id].phrase for axis in order}),
        "words": tuple(" ".join(pair) for pair in product(*words)),
        "names": own or tuple(name for name in first.names if name in other.names),
        "pronouns": first.pronouns or other.pronouns,
        "of": (first.key, other.key),
    }


@cache
def _pronouns() -> frozenset[str]:
    """Return the words that take no adjective: nobody says “black her”."""
    return frozenset(read_toml(packaged("perceptibility", "words.toml"))["pronouns"])


def _placeholder(axis: Axis) -> str:
    return axis.id.replace("-", "_")


def _written(data: dict[str, Any], where: str, folder: Path) -> dict[str, Any]:
    """Return the content of an axis file, with what a crossed axis takes from its two.

    A file is refused where a list is empty, or two identities could not be distinguished. Axes that projects hold
    already are not.
    """
    _check_distinct(where, _tables(data))
    for identity in _tables(data):
        for column in ("words", "names"):
            if identity.get(column) == []:
                what = identity.get("label") or identity.get("key") or identity.get("of")
                hint = f"Write at least one, or leave the line “{column} = []” out."
                raise AppError(f"{where} is not valid: the list of {column} of “{what}” is empty.", hint=hint)
    crosses = data.get("crosses")
    if crosses is None or any("key" in identity and "of" in identity for identity in _tables(data)):
        return data
    if not isinstance(crosses, list) or len(crosses) != 2 or not all(isinstance(each, str) for each in crosses):
        raise AppError(
            f"{where} is not valid: crosses names two axes.", hint='For example: crosses = ["gender", "race"]'
        )
    chosen = data.get("names", "")
    if not isinstance(chosen, str):
        hint = 'For example: names = "us". Names of one identity stand in its own table.'
        raise AppError(f"{where} is not valid: names is one set of names, by its key or file.", hint=hint)
    first, second = (load_axis(near(each, folder)) for each in crosses)
    made = crossed_axis(
        first, second, phrase=str(data.get("phrase", "")),
        names=load_name_set(near(chosen, folder)) if chosen else None,
    ).definition()  # fmt: skip
    plain = {name: value for name, value in data.items() if name not in ("phrase", "names", "identities")}
    identities = _changed(made, data, where)
    _check_distinct(where, identities)
    return {**made, **plain, "crosses": made["crosses"], "identities": identities}


def _check_distinct(where: str, identities: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a label or a given name of two identities."""
    _once(where, "two identities have the label", [identity.get("label") for identity in identities])
    names = [identity.get("names") for identity in identities]
    _once(where, "a name is there twice:", [name for own in names if isinstance(own, list | tuple) for name in own])


def _tables(data: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    tables = data.get("identities", ())
    return [each for each in tables if isinstance(each, Mapping)] if isinstance(tables, list) else []


def _changed(made: Mapping[str, Any], data: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """Return the identities of a crossed axis, each with what the file says of it; `of` says which one is meant."""
    identities = {tuple(identity["of"]): dict(identity) for identity in made["identities"]}
    for own in _tables(data):
        crossed_keys = own.get("of", [])
        of = tuple(map(str, crossed_keys)) if isinstance(crossed_keys, list) else (str(crossed_keys),)
        if of not in identities:
            known = ", ".join(str(list(each)) for each in identities)
            raise AppError(f"{where} is not valid: there is no identity of {list(of)}.", hint=f"There are: {known}.")
        identities[of].update(own)
    return list(identities.values())


def near(named: str, folder: Path) -> str:
    """Resolve a file that a file names: relative to that file's folder."""
    return str(folder / named) if named.endswith(".toml") else named


def _once(where: str, what: str, values: Sequence[Any]) -> None:
    seen: set[str] = set()
    for value in (value for value in values if isinstance(value, str)):
        if value.casefold() in seen:
            hint = "Give each once: what stands for two groups tells neither."
            raise AppError(f"{where} is not valid: {what} “{value}”.", hint=hint)
        seen.add(value.casefold())
