"""The comparisons of a plan that each rater is asked, and their order.

Every rater is asked all of them in the plan's order unless the plan says otherwise. `own_order`: in an order of the
rater's own, drawn from the plan's seed and the code: what tires or teaches a rater then falls on other comparisons with
each of them. `split`: the comparisons are divided among so many raters, but for the share `overlap`, which all of them
judge and agreement is measured on. Models are asked everything. A plan that grew by rounds is dealt out and ordered
round by round: what was asked before stays as it was.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, overload

from biasprint.core.judging.card_order import rater_number, secret_of, stable_hash
from biasprint.core.judging.plan import CHECK, REPEAT_DISTANCE, PlanSettings
from biasprint.core.project.project import Project
from biasprint.core.project.rows import ComparisonItem, ComparisonRow, PlanRow, RaterRow


class _Facts(NamedTuple):
    """The fields of a comparison that decide its place, as plain values: a hundred thousand are read quickly."""

    id: str
    axis: str
    task: str
    repeat_of: str | None
    round: int = 1


def assigned(rows: Iterable[ComparisonRow], settings: PlanSettings, *, secret: str, code: str) -> tuple[int, ...]:
    """Return the places in `rows` of the comparisons that the rater with this code is asked, in the rater's order.

    `rows`: all of a plan, in its order. Raters 1, 2, … (R01, R02, …) have the parts 1, 2, …; where there are more
    raters than parts, the next one begins with part 1 again. Hidden checks are asked of everybody, and a hidden repeat
    of whoever is asked its original.
    """
    facts = [
        _Facts(row.id, row.axis, row.task, row.repeat_of, settings.round_of(place)) for place, row in enumerate(rows)
    ]
    mine = _part(facts, settings, secret, code) if settings.split else list(range(len(facts)))
    if not settings.own_order:
        return tuple(mine)
    ordered: list[int] = []
    for number in range(1, max(1, len(settings.rounds)) + 1):
        again = () if number == 1 else (str(number),)
        of_round = [place for place in mine if facts[place].round == number]
        ordered += _own_order(facts, of_round, random.Random(stable_hash("order", secret, code, *again)))
    return tuple(ordered)


def asked_in(project: Project, plan: PlanRow, rater: RaterRow) -> frozenset[str]:
    """Return the comparisons of a plan that a rater is asked. A model is asked no hidden repeat and no hidden check."""
    rows = project.judging.comparisons(plan.id)
    if rater.kind == "model":
        return frozenset(row.id for row in rows if row.repeat_of is None and row.axis != CHECK)
    mine = assigned(rows, PlanSettings.of(plan.settings), secret=secret_of(plan), code=rater.code)
    return frozenset(rows[place].id for place in mine)


def asked_number(project: Project, plan: PlanRow, rater: RaterRow) -> int:
    """Count the comparisons that a rater is asked, without reading them where possible."""
    if rater.kind == "model" or PlanSettings.of(plan.settings).split:
        return len(asked_in(project, plan, rater))
    return project.judging.count(plan.id)


def _part(rows: Sequence[_Facts], settings: PlanSettings, secret: str, code: str) -> list[int]:
    """Deal out the comparisons task by task, so that every part has each task equally often, as nearly as that can
    be.
    """
    own = (rater_number(code) - 1) % settings.split
    cells: defaultdict[tuple[int, str, str], list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        if row.repeat_of is None and row.axis != CHECK:
            cells[row.round, row.axis, row.task].append(place)
    mine, asked, shared, dealt = set[str](), 0, 0, 0
    for cell in sorted(cells):
        number, *of_round = cell
        rng = random.Random(stable_hash("split", secret, *of_round, *((str(number),) if number > 1 else ())))
        for place in rng.sample(cells[cell], len(cells[cell])):
            asked += 1
            if shared < round(settings.overlap * asked):
                shared += 1
                mine.add(rows[place].id)
                continue
            if dealt % settings.split == own:
                mine.add(rows[place].id)
            dealt += 1
    return [
        place
        for place, row in enumerate(rows)
        if row.axis == CHECK or (row.id if row.repeat_of is None else row.repeat_of) in mine
    ]


def _own_order(rows: Sequence[_Facts], mine: Sequence[int], rng: random.Random) -> list[int]:
    """Shuffle within each axis, the axes in turn; repeats some way behind their originals, checks anywhere.

    So whoever stops early has judged each axis equally often, as in the plan's own order.
    """
    by_axis: defaultdict[str, list[int]] = defaultdict(list)
    for place in mine:
        if rows[place].repeat_of is None and rows[place].axis != CHECK:
            by_axis[rows[place].axis].append(place)
    turns: list[tuple[float, float, int]] = []
    for axis in sorted(by_axis):
        shuffled = rng.sample(by_axis[axis], len(by_axis[axis]))
        turns += [(turn, rng.random(), place) for turn, place in enumerate(shuffled)]
    originals = [place for _, _, place in sorted(turns)]
    last = len(originals)
    at: dict[str, int] = {rows[place].id: number for number, place in enumerate(originals)}
    keyed = [(float(number), 0.0, place) for number, place in enumerate(originals)]
    for place in mine:
        row = rows[place]
        if row.axis == CHECK:
            keyed.append((rng.randint(1, max(1, last - 1)) - 0.5, rng.random(), place))  # not the very first
        elif row.repeat_of is not None:
            first = min(at.get(row.repeat_of, 0) + REPEAT_DISTANCE, last)
            keyed.append((rng.randint(first, last) - 0.5, rng.random(), place))
    return [place for _, _, place in sorted(keyed)]


# ---- Comparisons of a plan held small: a hundred thousand rows must not make the garbage collector halt the window
#
# The collector walks every object that can hold others, in one go, on whichever thread sets it off; with a hundred
# thousand rows as objects that took a third of a second. Plain tuples of strings and numbers it leaves alone.

_Flat = tuple[str, str, int, str, str, str, tuple[int, ...], tuple[str, ...], str, str | None]


class CompactRows(Sequence[ComparisonRow]):
    """A sequence of rows that are made when they are asked for."""

    def __init__(self, rows: Iterable[ComparisonRow]) -> None:
        shared: dict[object, object] = {}  # plans repeat a few keys and identities all over

        def share(value: object) -> object:
            return shared.setdefault(value, value)

        self._flat: list[_Flat] = []
        for row in rows:
            # A source is held as a negative number, so that a row stays a tuple of plain values.
            cards = tuple(-number if kind == "source" else number for kind, number in (item.key for item in row.items))
            identities = share(tuple(item.identity for item in row.items))
            self._flat.append(
                (row.id, share(row.plan_id), row.position, share(row.axis), share(row.task), share(row.theme), cards,
                 identities, row.texts_sha256, row.repeat_of)  # type: ignore[arg-type]
            )  # fmt: skip

    def __len__(self) -> int:
        return len(self._flat)

    @overload
    def __getitem__(self, index: int) -> ComparisonRow: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[ComparisonRow]: ...

    def __getitem__(self, index: int | slice) -> ComparisonRow | Sequence[ComparisonRow]:
        if isinstance(index, slice):
            return [_row(flat) for flat in self._flat[index]]
        return _row(self._flat[index])

    def __iter__(self) -> Iterator[ComparisonRow]:
        return map(_row, self._flat)

    def ids(self) -> Iterator[str]:
        return (flat[0] for flat in self._flat)

    def picked(self, places: Sequence[int]) -> "CompactRows":
        """Return these rows alone, in this order."""
        picked = CompactRows(())
        picked._flat = [self._flat[place] for place in places]
        return picked


def _row(flat: _Flat) -> ComparisonRow:
    key, plan_id, position, axis, task, theme, cards, identities, texts_sha256, repeat_of = flat
    items = tuple(
        ComparisonItem(None, identity, source=-card) if card < 0 else ComparisonItem(card, identity)
        for card, identity in zip(cards, identities, strict=True)
    )
    return ComparisonRow(key, plan_id, position, axis, task, theme, items, texts_sha256, repeat_of)
