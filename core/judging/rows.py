"""Comparisons of a plan held small: a hundred thousand rows must not make Python's garbage collector halt the window.

The collector walks every object that can hold others, in one go, on whichever thread sets it off; with a hundred
thousand rows as objects that took a third of a second. Plain tuples of strings and numbers it leaves alone.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import overload

from core.project.rows import ComparisonRow, Item

_Flat = tuple[str, str, int, str, str, str, tuple[int, ...], tuple[str, ...], str, str | None]


class CompactRows(Sequence[ComparisonRow]):
    """A sequence of rows that are made when they are asked for."""

    def __init__(self, rows: Iterable[ComparisonRow]) -> None:
        shared: dict[object, object] = {}  # plans repeat a few keys and identities all over

        def one(value: object) -> object:
            return shared.setdefault(value, value)

        self._flat: list[_Flat] = []
        for row in rows:
            # A source is held as a negative number, so that a row stays a tuple of plain values.
            cards = tuple(-number if kind == "source" else number for kind, number in (item.key for item in row.items))
            identities = one(tuple(item.identity for item in row.items))
            self._flat.append(
                (row.id, one(row.plan_id), row.position, one(row.axis), one(row.task), one(row.theme), cards,
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


def _row(flat: _Flat) -> ComparisonRow:
    key, plan_id, position, axis, task, theme, cards, identities, texts_sha256, repeat_of = flat
    items = tuple(
        Item(None, identity, source=-card) if card < 0 else Item(card, identity)
        for card, identity in zip(cards, identities, strict=True)
    )
    return ComparisonRow(key, plan_id, position, axis, task, theme, items, texts_sha256, repeat_of)
