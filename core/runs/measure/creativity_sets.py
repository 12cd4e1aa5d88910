"""What was compared besides the project's axes, and in which sets of identities."""

from core.judging.plan import keys_of_sets
from core.project.project import Project
from core.runs.measure.creativity_columns import Columns

Axes = dict[str, list[str]]


def compared_axes(project: Project, known: Axes) -> Axes:
    """Axes of comparisons that no definition names, with their identities in the order of the cards' items."""
    found: dict[str, dict[str, None]] = {}
    for plan in project.judging.plans():
        if set(plan.axis.split("+")) <= {"", *known}:
            continue
        for row in project.judging.comparisons(plan.id):
            if row.axis and row.axis not in known:
                found.setdefault(row.axis, {}).update(dict.fromkeys(item.identity for item in row.items))
    return {axis: list(identities) for axis, identities in sorted(found.items())}


def by_set(columns: Columns, axes: Axes) -> tuple[Columns, Axes]:
    """Judgments with each set of identities that an axis was compared in as an axis of its own.

    Where there is one set, the axis keeps its key and has these identities (two of its three, say); see
    `core.judging.plan`. Rows that show an identity twice, or one alone, stay with the whole axis, and drop out there.
    """
    rows = list(zip(columns["axis"], columns["shown"], strict=True))
    sets = [(axis, frozenset(shown)) if len(set(shown)) == len(shown) > 1 else None for axis, shown in rows]
    keys = keys_of_sets(one for one in sets if one is not None and one[0] in axes)
    named = [keys.get(one, axis) if one is not None else axis for one, (axis, _) in zip(sets, rows, strict=True)]
    split = {
        key: [*(name for name in axes[axis] if name in identities), *sorted(identities - set(axes[axis]))]
        for (axis, identities), key in sorted(keys.items(), key=lambda item: item[1])
    }
    order = list(axes)
    whole = {axis: split.get(axis, axes[axis]) for axis in order}
    return {**columns, "axis": named}, whole | split
