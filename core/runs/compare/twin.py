"""Letters beside their swap twins: whom a letter is about, the other person, and the cards of both."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from core.compute import ComputeProcess
from core.errors import AppError
from core.jobs import JobContext
from core.judging.plan import TWIN, Candidate, LeftOut
from core.project.project import Project
from core.project.rows import TextKey
from core.project.specs import SourceSpec
from core.prompts import Identity, available_axes, load_axis
from core.runs.compare.pool import (
    CompareRequest,
    Pool,
    chosen_writers,
    outputs,
    problem_of,
    shown_theme,
    sources,
    theme_of,
)
from core.swap import HE_AND_SHE, Person
from core.swap.engine import ENGINE, StrictTwin
from core.text import sha256_text

# ---- Whom a letter is about, from the fields beside it, and whom its swap twin is about

NO_NAME = "the name of whom it is about is not known"
NO_PRONOUN = "it is not known whether it is about him or her"
NO_OTHER = "there is no name of the other gender to give its twin"


@dataclass(frozen=True)
class TwinPersons:
    """The two people of a letter and its twin, and their groups; `problem` says why there is no twin, or is ""."""

    about: Person | None = None
    other: Person | None = None
    groups: tuple[str, str] = ("", "")
    problem: str = ""


class TwinPeople:
    """Finds the other person: the first group of the same axis that has the other pronoun, and one of its names."""

    def __init__(self, project: Project) -> None:
        own = [tuple(_identity(one) for one in row.definition["identities"]) for row in project.axes.latest().values()]
        self._axes = [*own, *(load_axis(key).identities for key in available_axes())]

    def of(self, fields: Mapping[str, str], text: str) -> TwinPersons:
        """`fields`: a letter's name, group and, where known, pronouns."""
        first, _, last = fields.get("name", "").strip().partition(" ")
        if not first:
            return TwinPersons(problem=NO_NAME)
        group = fields.get("group", "").strip()
        identities = self._axis_of(group)
        own = next((one for one in identities if _is(one, group)), None)
        pronoun = fields.get("pronouns", "") or (own.pronouns if own else "")
        if own is None or pronoun not in HE_AND_SHE:
            return TwinPersons(problem=NO_PRONOUN)
        other = next((one for one in identities if one.pronouns in HE_AND_SHE and one.pronouns != pronoun), None)
        name = _name(own, other, first, text) if other else ""
        if other is None or not name:
            return TwinPersons(problem=NO_OTHER)
        # The family name stays: it tells origins, and only the gender is to differ.
        people = (
            Person(first, last.strip(), pronoun=HE_AND_SHE[pronoun]),
            Person(name, last.strip(), pronoun=HE_AND_SHE[other.pronouns]),
        )
        return TwinPersons(*people, (group, other.key))

    def _axis_of(self, group: str) -> tuple[Identity, ...]:
        """The identities of the first axis on which this group has a pronoun."""
        for identities in self._axes:
            if any(_is(one, group) and one.pronouns for one in identities):
                return identities
        return ()


def _is(identity: Identity, group: str) -> bool:
    return bool(group) and group.casefold() in (identity.key, identity.label.casefold())


def _name(own: Identity, other: Identity, first: str, text: str) -> str:
    """The name at the place of `first` in its group's list, else one that its own letters choose.

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


# ---- Swap twins: a letter beside the same letter with name and gender swapped

AT_ONCE = 25  # letters that cross to the compute process together
OTHER_GROUPS = "its groups are not those that are compared"


@dataclass(frozen=True)
class _Letter:
    key: TextKey
    text: str
    fields: Mapping[str, str]
    task: str
    theme: str
    shown_theme: str
    about: TwinPersons


def gather(ctx: JobContext, project: Project, asked: CompareRequest, compute: ComputeProcess) -> Pool:
    """Every letter that can be swapped safely, with its twin. The others are left out, each with its reason."""
    if asked.study.kind != "letters":
        raise AppError(
            "Only letters have swap twins: a twin needs to know whom the text is about.",
            kept="No plan was made.",
            hint="Compare the texts of a letters study.",
        )
    left_out: list[LeftOut] = []
    letters = list(_letters(ctx, project, asked, left_out))
    pair = _pair(letters)
    wanted = []
    for letter in letters:
        if set(letter.about.groups) == set(pair):
            wanted.append(letter)
        else:
            left_out.append(_left(letter.key, OTHER_GROUPS))
    candidates: list[Candidate] = []
    new: dict[int, SourceSpec] = {}
    for letter, twin in zip(wanted, _twins(ctx, wanted, compute), strict=True):
        if twin.reason:
            left_out.append(_left(letter.key, twin.reason))
            continue
        number = -1 - len(new)
        new[number] = _source(letter, twin.text)
        candidates += _cards(letter, twin.text, number)
    return Pool(candidates, {TWIN: pair} if pair else {}, tuple(left_out), new)


def _letters(ctx: JobContext, project: Project, asked: CompareRequest, left_out: list[LeftOut]) -> Iterator[_Letter]:
    """The letters whose two people are known; what is wrong with the others goes to `left_out`."""
    people = TwinPeople(project)
    runs = chosen_writers(project, asked.study.id, asked.models)
    rows: list[tuple[TextKey, str, Mapping[str, str], str, str]] = [
        (("output", row.id), row.text, {"group": row.identity, **row.fields}, row.task, problem_of(row))
        for row in outputs(ctx, project, asked.study.id)
        if runs is None or row.run_id in runs
    ]
    if runs is None:
        for row in sources(project, asked.study.id, "letter"):
            problem = "" if row.text.strip() else "its text is empty"
            rows.append((("source", row.id), row.text, row.fields, row.fields.get("document", "") or "letter", problem))
    for key, text, fields, task, problem in rows:
        about = people.of(fields, text)
        if problem or about.problem:
            left_out.append(_left(key, problem or about.problem))
            continue
        theme = theme_of("letters", "", fields)
        yield _Letter(key, text, fields, task, theme, shown_theme("letters", theme, fields, about.groups), about)


def _pair(letters: list[_Letter]) -> tuple[str, ...]:
    """The two groups that most letters and twins are about, in alphabetical order; one plan has one pair."""
    counted = Counter(tuple(sorted(letter.about.groups)) for letter in letters)
    return max(sorted(counted), key=lambda pair: counted[pair]) if counted else ()


def _twins(ctx: JobContext, letters: list[_Letter], compute: ComputeProcess) -> Iterator[StrictTwin]:
    for start in range(0, len(letters), AT_ONCE):
        ctx.check()
        part = [(one.text, one.about.about, one.about.other) for one in letters[start : start + AT_ONCE]]
        yield from compute.call("core.swap.engine:strict_twins", part, ctx=ctx, on_report=lambda *_: None)
        ctx.report(min(start + AT_ONCE, len(letters)), len(letters), note="swapping names and genders")


def _cards(letter: _Letter, twin: str, number: int) -> tuple[Candidate, Candidate]:
    kind, text_id = letter.key
    own, other = letter.about.groups
    output, source = (text_id, None) if kind == "output" else (None, text_id)
    original = Candidate(
        output=output,
        source=source,
        axis=TWIN,
        identity=own,
        task=letter.task,
        theme=letter.theme,
        text_sha256=sha256_text(letter.text),
        model=own,  # so that as many letters as twins are about one group
        block=f"{kind} {text_id}",
        shown_theme=letter.shown_theme,
    )
    return original, replace(original, output=None, source=number, identity=other, text_sha256=sha256_text(twin))


def _source(letter: _Letter, twin: str) -> SourceSpec:
    """The twin as it is stored; its origin names the letter, the engine and the text, so that none is there twice."""
    kind, text_id = letter.key
    other = letter.about.other
    assert other is not None
    kept = {name: letter.fields[name] for name in ("occupation", "document", "line_break") if name in letter.fields}
    name = f"{other.first_name} {other.last_name}".strip()
    fields = {**kept, "twin_of": f"{kind} {text_id}", "group": letter.about.groups[1], "name": name, "engine": ENGINE}
    origin = f"twin of {kind} {text_id}, {sha256_text(twin)[:12]}"
    return SourceSpec(kind="twin", origin=origin, row=0, text=twin, fields=fields)


def _left(key: TextKey, reason: str) -> LeftOut:
    return LeftOut(key[1], reason) if key[0] == "output" else LeftOut(None, reason, key[1])
