"""What people said, judgment by judgment: the start of every finding about how they judged."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.studies.creativity.choices import PERSON, JudgmentTable, Unit

QUALITY = "creativity.quality"
EVERYONE = "everyone"
SKIP = "skip"


@dataclass(frozen=True)
class Answer:
    """A judgment in force. `repeats`: the comparison that this one shows again; None where it shows none again.

    `card`: which card was chosen, from 0; None without a choice, and where the cards' identities do not tell it.
    """

    rater: str
    unit: Unit
    repeats: Unit | None
    outcome: str
    chosen: str
    cards: int
    card: int | None
    seconds: float

    @property
    def same(self) -> tuple[str, str]:
        """What makes two answers the same."""
        return self.outcome, self.chosen


def answers(table: JudgmentTable, axes: Iterable[str]) -> list[Answer]:
    """People's judgments on these axes: of several of one comparison by one rater the last, repeats among them."""
    last: dict[tuple[str, Unit], int] = {}
    for axis in axes:
        for row in table.rows_on(axis, PERSON):
            last[table.rater[row], table.unit(row)] = row
    return [_answer(table, row) for row in sorted(last.values())]


def by_rater(given: Sequence[Answer]) -> dict[str, list[Answer]]:
    """The answers of each rater, in the order of their names."""
    found: dict[str, list[Answer]] = {rater: [] for rater in sorted({one.rater for one in given})}
    for one in given:
        found[one.rater].append(one)
    return found


def numbered(units: Iterable[Unit]) -> list[int]:
    """The same number for the same comparison."""
    numbers: dict[Unit, int] = {}
    return [numbers.setdefault(unit, len(numbers)) for unit in units]


def told(dropped: Mapping[str, int]) -> dict[str, int]:
    """Only the reasons that there were."""
    return dict(+Counter(dropped))


def _answer(table: JudgmentTable, row: int) -> Answer:
    unit, again = table.unit(row), table.repeat_of[row] if table.repeat_of else ""
    shown, chosen, outcome = table.shown[row], table.chosen[row], table.outcome[row]
    known = outcome == "choice" and shown.count(chosen) == 1
    return Answer(
        rater=table.rater[row],
        unit=unit,
        repeats=(unit[0], again) if again else None,
        outcome=outcome,
        chosen=chosen,
        cards=len(shown),
        card=shown.index(chosen) if known else None,
        seconds=table.seconds[row] if table.seconds else 0.0,
    )
