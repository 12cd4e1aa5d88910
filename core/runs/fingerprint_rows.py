"""The rows behind a fingerprint: what was asked on each axis, what was answered, and how the axes are called."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.judging.fingerprint import Asked
from core.judging.plan import MODEL, ORIGIN, TITLES, TWIN, CompareSet, keys_of_sets
from core.project.project import Project
from core.project.rows import ComparisonRow, SessionRow
from core.prompts import available_axes, load_axis
from core.runs.measure.creativity_columns import Columns, judgment_columns

# Who wrote a text is no identity that it was written for. A packet names no axis at all.
NO_IDENTITIES = ("", MODEL, ORIGIN)


@dataclass(frozen=True)
class Gathered:
    """`table`: the columns of a `JudgmentTable`. `asked`: the axes, by name."""

    asked: tuple[Asked, ...]
    table: Mapping[str, tuple[Any, ...]]


@dataclass(frozen=True)
class _Definition:
    key: str
    title: str
    labels: Mapping[str, str]  # by identity, in the axis's order


def gather(project: Project, sessions: Sequence[SessionRow]) -> Gathered:
    """What these sessions were asked and answered on axes of identities. Hidden repeats are not asked.

    Where an axis was compared in several sets of identities (two of its three, say), each set is an axis of its own:
    chance differs between them.
    """
    rows = {plan: asked_rows(project, plan) for plan in dict.fromkeys(session.plan_id for session in sessions)}
    every = [row for of_plan in rows.values() for row in of_plan]
    keys = keys_of_sets(map(compare_set, every))
    columns = judgment_columns(project, sessions, compared=False)
    answered = set(zip(columns["comparison"], columns["rater"], strict=True))
    codes = {rater.id: rater.code for rater in project.judging.raters()}
    planned = dict.fromkeys(keys, 0)
    left = dict.fromkeys(keys, 0)
    for session in sessions:
        for row in rows[session.plan_id]:
            planned[compare_set(row)] += 1
            left[compare_set(row)] += (row.id, codes[session.rater_id]) not in answered
    definitions = _definitions(project)
    asked = [
        _asked(one, keys[one], definitions, planned[one], left[one])
        for one in sorted(keys, key=lambda one: (one[0], sorted(one[1])))
    ]
    return Gathered(tuple(asked), _own(columns, {row.id: keys[compare_set(row)] for row in every}))


def asked_of(project: Project, plan_id: str) -> frozenset[str]:
    """The comparisons of a plan that a fingerprint is of."""
    return frozenset(row.id for row in asked_rows(project, plan_id))


def answered_in(project: Project, session: SessionRow) -> frozenset[str]:
    """The comparisons that have an answer in a session; a withdrawn one is none."""
    judgments = project.judging.judgments(session.id)
    return frozenset(row.comparison_id for row in judgments if row.outcome != "undone")


def asked_rows(project: Project, plan_id: str) -> list[ComparisonRow]:
    """A plan's comparisons between identities, without hidden repeats."""
    rows = project.judging.comparisons(plan_id)
    return [row for row in rows if row.repeat_of is None and row.axis not in NO_IDENTITIES]


def compare_set(row: ComparisonRow) -> CompareSet:
    """What was compared: the axis with the identities on the cards."""
    return row.axis, frozenset(item.identity for item in row.items)


def _asked(
    compared: CompareSet, key: str, definitions: Mapping[str, Sequence[_Definition]], planned: int, left: int
) -> Asked:
    """The axis in the words of the definition that knows its identities."""
    axis, identities = compared
    # A letter and its twin differ in the groups of whatever axis has them.
    known = [one for each in definitions.values() for one in each] if axis == TWIN else definitions.get(axis, ())
    found = next((one for one in known if identities <= set(one.labels)), known[0] if known else None)
    labels = found.labels if found is not None else {}
    ordered = [*(one for one in labels if one in identities), *sorted(identities - set(labels))]
    pairs = tuple((one, labels.get(one, one)) for one in ordered)
    plain = TITLES.get(axis, axis.replace("_", " ").capitalize())
    title = found.title if found is not None and axis not in TITLES else plain
    if key != axis:
        title = f"{title} ({', '.join(label for _, label in pairs)})"
    return Asked(key, title, pairs, planned, left)


def _definitions(project: Project) -> dict[str, list[_Definition]]:
    """The definitions of an axis by the name that comparisons call it: its own, those reported as it, the shipped."""
    found: dict[str, list[_Definition]] = {}
    rows = project.axes.latest().values()
    for row in sorted(rows, key=lambda row: bool(row.definition.get("reported_as"))):
        labels = {str(one["key"]): str(one.get("label", one["key"])) for one in row.definition.get("identities", ())}
        found.setdefault(str(row.definition.get("reported_as") or row.key), []).append(
            _Definition(row.key, row.title, labels)
        )
    for shipped in map(load_axis, available_axes()):
        labels = {one.key: one.label for one in shipped.identities}
        found.setdefault(shipped.reported_as or shipped.key, []).append(_Definition(shipped.key, shipped.title, labels))
    return found


def _own(columns: Columns, known: Mapping[str, str]) -> dict[str, tuple[Any, ...]]:
    """The columns with the axes' keys, without hidden repeats and what is on no axis of identities."""
    kept = [place for place, comparison in enumerate(columns["comparison"]) if comparison in known]
    table = {name: tuple(values[place] for place in kept) for name, values in columns.items()}
    return table | {"axis": tuple(known[comparison] for comparison in table["comparison"])}
