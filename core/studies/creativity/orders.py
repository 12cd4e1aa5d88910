"""What the order of the cards did to a model that judged, and what it left unanswered: by axis and model.

`creativity.agreement.flips`: of the comparisons in which a model chose in every order, the share in which not every
order gave the same output. `creativity.agreement.position`: the share of those choices that fell on each card.
`creativity.agreement.unanswered`: the share of all replies that are refusals, unreadable or failed.

Source: beyond the paper (METHODS, Creativity: a model asked in several orders).
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from core.findings import Finding
from core.metrics.affinity import permuted_totals
from core.metrics.proportions import clustered_proportion, clustered_share, design_effect, wilson
from core.metrics.resampling import generator
from core.studies.creativity.choices import MODEL, UNREAD, JudgmentTable, Unit
from core.studies.findings import interval, with_holm

AGREEMENT = "creativity.agreement"
FLIPS, POSITION, UNANSWERED = f"{AGREEMENT}.flips", f"{AGREEMENT}.position", f"{AGREEMENT}.unanswered"
SOURCE = "beyond the paper: a model is asked in several orders of the cards"
PLACES = ("first", "second", "third")
ONE_ORDER = "no comparison with a choice in several orders"


@dataclass(frozen=True)
class Orders:
    """One model's replies on an axis: `replies` in force by comparison; `complete`, where each is a choice."""

    axis: str
    rater: str
    replies: Mapping[Unit, Sequence[int]]
    complete: Mapping[Unit, Sequence[int]]

    @property
    def dims(self) -> dict[str, str]:
        return {"axis": self.axis, "rater": self.rater}


def of_orders(table: JudgmentTable, axes: Mapping[str, Sequence[str]], seed: int, resamples: int) -> list[Finding]:
    """The findings of every model that judged on these axes."""
    findings: list[Finding] = []
    for axis, identities in axes.items():
        rows = table.rows_on(axis, MODEL)
        for rater in dict.fromkeys(table.rater[row] for row in rows):
            asked = _asked(table, axis, rater, [row for row in rows if table.rater[row] == rater])
            findings.append(_flips(table, asked))
            findings += _positions(table, asked, len(identities), seed, resamples)
            findings += _unanswered(table, asked)
    return findings


def _asked(table: JudgmentTable, axis: str, rater: str, rows: Sequence[int]) -> Orders:
    last: dict[Unit, dict[tuple[str, ...], int]] = {}
    for row in rows:
        if not (table.repeat_of and table.repeat_of[row]):
            last.setdefault(table.unit(row), {})[table.shown[row]] = row
    replies = {unit: list(orders.values()) for unit, orders in last.items()}
    complete = {
        unit: orders
        for unit, orders in replies.items()
        if len(orders) > 1 and all(table.outcome[row] == "choice" for row in orders)
    }
    return Orders(axis, rater, replies, complete)


def _flips(table: JudgmentTable, asked: Orders) -> Finding:
    flipped = sum(len({table.chosen[row] for row in rows}) > 1 for rows in asked.complete.values())
    n = len(asked.complete)
    left_out = len(asked.replies) - n
    return Finding(
        id=FLIPS,
        label=asked.rater,
        title=f"Choices that turn with the order of the cards: {asked.axis}, {asked.rater}",
        groups=(asked.rater,),
        estimate=flipped / n if n else None,
        reason=None if n else ONE_ORDER,
        unit="proportion",
        interval=interval(wilson(flipped, n)),
        n=n,
        dims=asked.dims,
        dropped={"without a choice in several orders": left_out} if left_out else {},
        source=SOURCE,
        note="Of the comparisons with a choice in every order: those in which it was not always the same.",
    )


def _positions(table: JudgmentTable, asked: Orders, cards: int, seed: int, resamples: int) -> Iterator[Finding]:
    """The share of the choices on each card, against chance: preferences cancel out over the orders."""
    counts = np.zeros((len(asked.complete), cards), dtype=np.int64)
    for line, rows in enumerate(asked.complete.values()):
        for row in rows:
            if table.chosen[row] in table.shown[row] and len(table.shown[row]) == cards:
                counts[line, table.shown[row].index(table.chosen[row])] += 1
    counts = counts[counts.sum(axis=1) > 0]
    n, chance = int(counts.sum()), 1 / cards
    names = PLACES[:cards]
    if n == 0:
        yield _position(asked, names[0], names, None, n, counts, cards)
        return
    null = permuted_totals(counts, generator(seed, POSITION, asked.axis, asked.rater), resamples)
    effect = design_effect(counts)
    found = []
    for place, name in enumerate(names):
        result = clustered_share(int(counts[:, place].sum()), n, chance, effect, null[:, place])
        about = _position(asked, name, names, result.value, n, counts, cards)
        found.append(replace(about, interval=interval(result.interval), p=result.p))
    yield from with_holm(found, f"{POSITION}, axis {asked.axis}, {asked.rater}, {cards} cards")


def _position(
    asked: Orders, name: str, names: Sequence[str], value: float | None, n: int, counts: np.ndarray, cards: int
) -> Finding:
    return Finding(
        id=POSITION,
        label=name,
        title=f"Choices that fell on the {name} card: {asked.axis}, {asked.rater}",
        groups=tuple(names),
        estimate=value,
        reason=ONE_ORDER if value is None else None,
        unit="proportion",
        n=n,
        dims=asked.dims,
        n_by_group=dict(zip(names, map(int, counts.sum(axis=0)), strict=True)),
        contrast=None if value is None else {name: value - 1 / cards},
        source=SOURCE,
        note=f"Chance is {1 / cards:.3f}; p: cards permuted within each comparison. n counts replies.",
    )


def _unanswered(table: JudgmentTable, asked: Orders) -> Iterator[Finding]:
    """Of all replies, those that are no answer, by how they were read. Replies to one comparison go together."""
    units = [place for place, rows in enumerate(asked.replies.values()) for _ in rows]
    read = [table.read_as[row] if table.read_as else "" for rows in asked.replies.values() for row in rows]
    if not any(read):
        return  # a table that does not say how replies were read says nothing of those that were not
    counted = Counter(read)
    for name in UNREAD:
        found = clustered_proportion(np.array([one == name for one in read]), np.array(units, dtype=np.int64))
        yield Finding(
            id=UNANSWERED,
            label=name,
            title=f"Replies that are {name}: {asked.axis}, {asked.rater}",
            groups=(name,),
            estimate=found.value,
            reason="no reply" if found.value is None else None,
            unit="proportion",
            interval=interval(found.interval),
            n=found.n,
            dims=asked.dims,
            n_by_group={one: counted[one] for one in UNREAD},
            source=SOURCE,
            note="Replies that were no answer are counted and never guessed at.",
        )
