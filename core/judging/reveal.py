"""The counts that a rater sees after the reveal. Shares, intervals and tests are the creativity study's."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from core.judging.blind import AxisSummary, IdentityCount, Revelation
from core.judging.store import AxisNames
from core.judging.work import Said
from core.project.rows import ComparisonRow, TextKey


def revelation(
    rows: Sequence[ComparisonRow], said: Mapping[int, Said], names: Callable[[str], AxisNames]
) -> Revelation:
    """Count `said` (judgments in force by index of the row) for each axis. Hidden repeats are counted apart."""
    by_axis: dict[str, list[int]] = {}
    for index, row in enumerate(rows):
        if row.repeat_of is None and row.axis:  # a packet does not know its axes: it has nothing to reveal
            by_axis.setdefault(row.axis, []).append(index)
    repeats = _repeats(rows, said)
    return Revelation(
        axes=tuple(_axis(rows, said, by_axis[axis], names(axis)) for axis in sorted(by_axis)),
        repeats=len(repeats),
        repeats_same=sum(repeats),
    )


def _axis(
    rows: Sequence[ComparisonRow], said: Mapping[int, Said], indexes: Sequence[int], names: AxisNames
) -> AxisSummary:
    outcomes = Counter(said[index].outcome if index in said else "undone" for index in indexes)
    chosen: Counter[str] = Counter()
    for index in indexes:
        for item in rows[index].items:
            chosen[item.identity] += 0
        answer = said.get(index)
        if answer is not None and answer.chosen is not None:
            chosen[rows[index].items[answer.chosen].identity] += 1
    return AxisSummary(
        axis=rows[indexes[0]].axis,
        title=names.title,
        identities=tuple(IdentityCount(key, names.labels.get(key, key), number) for key, number in chosen.items()),
        choices=outcomes["choice"],
        ties=outcomes["tie"],
        none=outcomes["none"],
        skipped=outcomes["skip"],
        left=outcomes["undone"],
    )


def _repeats(rows: Sequence[ComparisonRow], said: Mapping[int, Said]) -> list[bool]:
    """For each hidden repeat answered both times: whether the answers agree."""
    index_of = {row.id: index for index, row in enumerate(rows)}
    agree = []
    for index, row in enumerate(rows):
        if row.repeat_of is not None and row.repeat_of in index_of:
            first, second = (_meant(rows, said, one) for one in (index_of[row.repeat_of], index))
            if first is not None and second is not None:
                agree.append(first == second)
    return agree


def _meant(rows: Sequence[ComparisonRow], said: Mapping[int, Said], index: int) -> tuple[str, TextKey | None] | None:
    """An answer that does not depend on the order of the items; None where there is none."""
    answer = said.get(index)
    if answer is None or answer.outcome in ("skip", "undone"):
        return None
    return answer.outcome, None if answer.chosen is None else rows[index].items[answer.chosen].key
