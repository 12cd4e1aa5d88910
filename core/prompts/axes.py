"""Axes and identities are data: one TOML file per axis, shipped in `resources/axes` or a person's own.

An axis has two or more identities. Nothing about which axes or how many identities there are is in code.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, StringConstraints, model_validator
from pydantic.dataclasses import dataclass

from core.errors import UsageError
from core.prompts.resource_files import packaged, read_toml, validated

_STRICT = ConfigDict(extra="forbid", str_strip_whitespace=True)

# Keys are part of prompt keys ("cogs/haiku/stars/race/black"), so they hold no slash and no blank.
Key = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]+(?:[-_][a-z0-9]+)*$", max_length=60)]
Text = Annotated[str, StringConstraints(min_length=1, max_length=2000)]


@dataclass(frozen=True, config=_STRICT)
class Identity:
    """A group on an axis.

    `label` is for people, `phrase` for prompts ("being {phrase}"), `words` are what refers to the group in a text,
    `names` given names that stand for it, `pronouns` the set to write about such a person with, where one applies.
    """

    key: Key
    label: Text
    phrase: Text
    words: tuple[Text, ...] = ()
    names: tuple[Text, ...] = ()
    pronouns: Literal["", "he", "she", "they"] = ""


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
    """An axis and its identities. `reported_as` is the axis id in prompts and findings where it is not the key."""

    key: Key
    title: Text
    version: Annotated[int, Field(ge=1)]
    identities: Annotated[tuple[Identity, ...], Field(min_length=2)]
    harm: tuple[Harm, ...] = ()
    source: str = ""
    note: str = ""
    reported_as: Key | Literal[""] = ""

    @model_validator(mode="after")
    def _consistent(self) -> "Axis":
        keys = [identity.key for identity in self.identities]
        for key in keys:
            if keys.count(key) > 1:
                raise ValueError(f"two identities have the key “{key}”")
        if "default" in keys:
            raise ValueError("an identity cannot have the key 'default', which stands for prompts without an identity")
        for harm in self.harm:
            if harm.harmed not in keys:
                raise ValueError(f"harm names “{harm.harmed}”, which is no identity of this axis")
        return self

    @property
    def id(self) -> str:
        return self.reported_as or self.key

    def identity(self, key: str) -> Identity:
        """The identity with this key; `UsageError` where there is none."""
        for identity in self.identities:
            if identity.key == key:
                return identity
        known = ", ".join(identity.key for identity in self.identities)
        raise UsageError(f"The axis {self.key} has no identity {key}.", hint=f"Its identities: {known}.")

    def definition(self) -> dict[str, Any]:
        """Plain data, for storing in a project; `Axis(**definition)` gives the axis back."""
        return asdict(self)

    @property
    def sha256(self) -> str:
        """SHA-256 (hex) of the definition as canonical JSON: the same content gives the same hash on any machine."""
        canonical = json.dumps(self.definition(), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(canonical.encode()).hexdigest()


def available_axes() -> tuple[str, ...]:
    """The keys of the shipped axes, in alphabetical order."""
    names = (entry.name for entry in packaged("axes").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def load_axis(source: str | Path) -> Axis:
    """A shipped axis by its key, or an axis file by its path (a `Path`, or a string that ends in ".toml")."""
    if isinstance(source, Path) or source.endswith(".toml"):
        path = Path(source)
        return validated(Axis, read_toml(path), f"The axis file {path}")
    if source not in available_axes():
        hint = f"Shipped axes: {', '.join(available_axes())}. Your own axis is given by the path of its .toml file."
        raise UsageError(f"There is no axis “{source}”.", hint=hint)
    return validated(Axis, read_toml(packaged("axes", f"{source}.toml")), f"The shipped axis {source}")


def resolve_axes(axes: Sequence[str | Path | Axis]) -> tuple[Axis, ...]:
    """Axes by key, path or as they are; an axis that comes twice is refused."""
    found = tuple(axis if isinstance(axis, Axis) else load_axis(axis) for axis in axes)
    ids = [axis.id for axis in found]
    for axis_id in ids:
        if ids.count(axis_id) > 1:
            raise UsageError(f"The axis {axis_id} is given twice.", hint="Name each axis once.")
    return found
