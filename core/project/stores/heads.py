"""Which judgments are in force where files of one packet came back more than once.

A row that no other supersedes is a head. Two heads of one comparison in one session come from two copies of a packet:
with equal answers the smallest (time, id) is in force, with different ones none is, until the coordinator decides. A
decision holds only while the heads are among those it names. So the state is a function of the rows alone, and the
order in which files are merged cannot matter.
"""

from collections.abc import Iterable, Mapping, Sequence

from core.project.rows import AnnotationRow, JudgmentRow

DECISION = "decision"
Place = tuple[str, str]  # session, comparison


def place_of(row: JudgmentRow) -> Place:
    return (row.session_id, row.comparison_id)


def decision_target(place: Place) -> str:
    """What a decision's annotation is about."""
    return "/".join(place)


def contested(heads: Iterable[JudgmentRow]) -> dict[Place, list[JudgmentRow]]:
    """The comparisons that have several heads, each with its heads by (time, id)."""
    first: dict[Place, JudgmentRow] = {}
    several: dict[Place, list[JudgmentRow]] = {}
    for row in heads:
        before = first.setdefault(place_of(row), row)
        if before is not row:
            several.setdefault(place_of(row), [before]).append(row)
    return {place: sorted(rows, key=_age) for place, rows in several.items()}


def equal_answers(heads: Sequence[JudgmentRow]) -> bool:
    return len({(row.outcome, row.chosen) for row in heads}) == 1


def decision_for(heads: Sequence[JudgmentRow], decisions: Iterable[AnnotationRow]) -> AnnotationRow | None:
    """The newest decision that names all of these heads and one of them, or none of them, as the one in force."""
    present = {row.id for row in heads}
    holding = [
        decision
        for decision in decisions
        if present <= set(decision.value["heads"]) and (decision.value["judgment"] or "") in {"", *present}
    ]
    replaced = {decision.supersedes for decision in holding}
    newest = [decision for decision in holding if decision.id not in replaced]
    return max(newest, key=lambda decision: (decision.created_at, decision.id), default=None)


def in_force(
    heads: Sequence[JudgmentRow],
    several: Mapping[Place, Sequence[JudgmentRow]],
    decisions: Mapping[str, Sequence[AnnotationRow]],
) -> tuple[JudgmentRow, ...]:
    """The heads that count. `several` are the contested ones among them, `decisions` what was decided, by target."""
    kept: dict[Place, str | None] = {}
    for place, rows in several.items():
        if equal_answers(rows):
            kept[place] = rows[0].id
        else:
            decision = decision_for(rows, decisions.get(decision_target(place), ()))
            kept[place] = None if decision is None else decision.value["judgment"]
    return tuple(row for row in heads if place_of(row) not in kept or kept[place_of(row)] == row.id)


def _age(row: JudgmentRow) -> tuple[str, str]:
    return (row.created_at, row.id)
