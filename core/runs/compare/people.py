"""Whom a letter is about, from the fields beside it, and whom its swap twin is about."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.project.project import Project
from core.prompts import Identity, available_axes, load_axis
from core.swap import HE_AND_SHE, Person

NO_NAME = "the name of whom it is about is not known"
NO_PRONOUN = "it is not known whether it is about him or her"
NO_OTHER = "there is no name of the other gender to give its twin"


@dataclass(frozen=True)
class Swapping:
    """The two people of a letter and its twin, and their groups; `problem` says why there is no twin, or is ""."""

    about: Person | None = None
    other: Person | None = None
    groups: tuple[str, str] = ("", "")
    problem: str = ""


class People:
    """Finds the other person: the first group of the same axis that has the other pronoun, and one of its names."""

    def __init__(self, project: Project) -> None:
        own = [tuple(_identity(one) for one in row.definition["identities"]) for row in project.axes.latest().values()]
        self._axes = [*own, *(load_axis(key).identities for key in available_axes())]

    def of(self, fields: Mapping[str, str], text: str) -> Swapping:
        """`fields`: a letter's name, group and, where known, pronouns."""
        first, _, last = fields.get("name", "").strip().partition(" ")
        if not first:
            return Swapping(problem=NO_NAME)
        group = fields.get("group", "").strip()
        identities = self._axis_of(group)
        own = next((one for one in identities if _is(one, group)), None)
        pronoun = fields.get("pronouns", "") or (own.pronouns if own else "")
        if own is None or pronoun not in HE_AND_SHE:
            return Swapping(problem=NO_PRONOUN)
        other = next((one for one in identities if one.pronouns in HE_AND_SHE and one.pronouns != pronoun), None)
        name = _name(own, other, first, text) if other else ""
        if other is None or not name:
            return Swapping(problem=NO_OTHER)
        # The family name stays: it tells origins, and only the gender is to differ.
        people = (
            Person(first, last.strip(), pronoun=HE_AND_SHE[pronoun]),
            Person(name, last.strip(), pronoun=HE_AND_SHE[other.pronouns]),
        )
        return Swapping(*people, (group, other.key))

    def _axis_of(self, group: str) -> tuple[Identity, ...]:
        """The identities of the first axis on which this group has a pronoun."""
        for identities in self._axes:
            if any(_is(one, group) and one.pronouns for one in identities):
                return identities
        return ()


def _is(identity: Identity, group: str) -> bool:
    return bool(group) and group.casefold() in (identity.key, identity.label.casefold())


def _name(own: Identity, other: Identity, first: str, text: str) -> str:
    """The name that stands where `first` does in its group's list, else one that its own letters choose.

    A name that the text has already would make two people one.
    """
    names = [name for name in other.names if name.casefold() not in text.casefold()]
    if not names:
        return ""
    if first in own.names and own.names.index(first) < len(other.names):
        same = other.names[own.names.index(first)]
        if same in names:
            return same
    return names[int(hashlib.sha256(first.encode()).hexdigest(), 16) % len(names)]


def _identity(one: Mapping[str, Any]) -> Identity:
    """A stored identity; projects keep definitions as they were, and some lack what a new one must have."""
    known = {name: one[name] for name in ("phrase", "words", "names", "pronouns") if name in one}
    key = str(one["key"])
    return Identity(key=key, label=one.get("label", key), **{"phrase": key, **known})
