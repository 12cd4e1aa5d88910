"""The axes on which texts of a study can be compared: from its prompts, from imported letters, from definitions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from core.errors import UsageError
from core.project.project import Project
from core.project.rows import StudyRow
from core.project.stores.common import chunks
from core.prompts import Axis, available_axes, load_axis
from core.prompts.drafts import DEFAULT_IDENTITY
from core.runs.compare.pool import sources

MOST_CARDS = 3
GROUPS = "group"  # the axis of imported letters whose groups belong to no axis that is known


@dataclass(frozen=True)
class Known:
    """An axis as comparisons and findings name it. `identities`: key → label, in its order.

    `written`: the identities that prompts or letters of the study have. `shipped`: its definition, where the project
    has no copy of it.
    """

    id: str
    title: str
    identities: Mapping[str, str]
    written: frozenset[str]
    shipped: Axis | None = None

    @property
    def hidden(self) -> set[str]:
        """What a title must not say while its comparisons are judged: the axis and what is compared on it."""
        return {self.id, self.title, *self.identities, *self.identities.values()}


def known_axes(project: Project, study: StudyRow) -> dict[str, Known]:
    """By id: the axes that the study's texts are written on, then those that the project has a copy of."""
    written = _written(project, study)
    found = {axis: _known(project, axis, identities) for axis, identities in written.items()}
    for row in project.axes.latest().values():
        axis = str(row.definition.get("reported_as") or row.key)
        found.setdefault(axis, _known(project, axis, frozenset()))
    return found


def chosen_axes(project: Project, study: StudyRow, wanted: Sequence[str]) -> dict[str, tuple[Known, tuple[str, ...]]]:
    """The axes that were asked for with the identities to compare, by id in alphabetical order.

    Raises UsageError for an axis or identity that is not there, and for more identities than a comparison shows.
    """
    known = known_axes(project, study)
    by_name = {**_keys_of_reported(project), **{axis: axis for axis in known}}
    chosen = {}
    for each in wanted:
        name, colon, some = each.partition(":")
        if name not in by_name:
            there = ", ".join(sorted(known)) or "none yet"
            raise UsageError(f"The project has no axis “{name}”.", hint=f"Its axes: {there}.")
        axis = known[by_name[name]]
        chosen[axis.id] = (axis, _some(axis, some) if colon else _whole(axis))
    return dict(sorted(chosen.items()))


def _whole(axis: Known) -> tuple[str, ...]:
    identities = tuple(axis.identities)
    written = tuple(name for name in identities if name in axis.written)
    if len(identities) > MOST_CARDS and 2 <= len(written) <= MOST_CARDS:
        return written
    if len(identities) > MOST_CARDS:
        example = ",".join(identities[:2])
        raise UsageError(
            f"The axis {axis.id} has {len(identities)} identities, and a comparison shows two or three.",
            hint=f"Choose which, for example {axis.id}:{example}. There are {', '.join(identities)}.",
        )
    return identities


def _some(axis: Known, listed: str) -> tuple[str, ...]:
    wanted = [name.strip() for name in listed.split(",") if name.strip()]
    for name in wanted:
        if name not in axis.identities:
            there = ", ".join(axis.identities)
            raise UsageError(f"The axis {axis.id} has no identity “{name}”.", hint=f"It has {there}.")
    if not 2 <= len(set(wanted)) <= MOST_CARDS:
        raise UsageError(
            f"A comparison shows two or three identities, not {len(set(wanted))}.",
            hint=f"For example {axis.id}:{','.join(list(axis.identities)[:2])}.",
        )
    return tuple(name for name in axis.identities if name in wanted)  # in the axis's order, whatever was typed


def _known(project: Project, axis: str, written: frozenset[str]) -> Known:
    """The axis by the definition that knows most of what was written: two axes may be reported under one name."""
    own = [
        row
        for row in project.axes.latest().values()
        if axis in (row.key, row.definition.get("reported_as")) and not _lacks(row.definition["identities"], written)
    ]
    if own:
        row = max(own, key=lambda row: (row.key == axis, row.id))
        labels = {str(one["key"]): str(one.get("label", one["key"])) for one in row.definition["identities"]}
        return Known(axis, row.title, labels, written)
    for definition in _shipped():
        if definition.id == axis and written <= {one.key for one in definition.identities}:
            labels = {one.key: one.label for one in definition.identities}
            return Known(axis, definition.title, labels, written, definition)
    return Known(axis, axis.replace("_", " ").capitalize(), {name: name for name in sorted(written)}, written)


def _lacks(identities: Sequence[Mapping[str, object]], written: Collection[str]) -> bool:
    return bool(set(written) - {str(one["key"]) for one in identities})


def _written(project: Project, study: StudyRow) -> dict[str, frozenset[str]]:
    """Axis → the identities that the study's prompts and imported letters have."""
    found: dict[str, set[str]] = {}
    for prompt_set in project.prompts.sets(study.id):
        page = chunks(lambda after, limit: project.prompts.page(prompt_set.id, after, limit), lambda row: row.id)  # noqa: B023
        for prompt in page:
            if prompt.axis and prompt.identity not in ("", DEFAULT_IDENTITY):
                found.setdefault(prompt.axis, set()).add(prompt.identity)
    groups = {row.fields.get("group", "") for row in sources(project, study.id, "letter")} - {""}
    if groups:
        found.setdefault(axis_of_groups(project, groups), set()).update(groups)
    return {axis: frozenset(identities) for axis, identities in sorted(found.items())}


def axis_of_groups(project: Project, groups: Collection[str]) -> str:
    """The axis that groups of imported letters belong to: one that knows them all, the project's own first."""
    for row in project.axes.latest().values():
        if not _lacks(row.definition["identities"], groups):
            return str(row.definition.get("reported_as") or row.key)
    for axis in _shipped():
        if set(groups) <= {one.key for one in axis.identities}:
            return axis.id
    return GROUPS


def _shipped() -> tuple[Axis, ...]:
    return tuple(load_axis(key) for key in available_axes())


def _keys_of_reported(project: Project) -> dict[str, str]:
    """The key of a definition → the axis that it is reported as."""
    rows = project.axes.latest().items()
    return {key: str(row.definition["reported_as"]) for key, row in rows if row.definition.get("reported_as")}
