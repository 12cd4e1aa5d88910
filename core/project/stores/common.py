"""The base of the store's parts, and how values are written: times, keys, canonical JSON."""

import json
import secrets
import uuid
from collections import Counter, abc
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, Self, TypeVar, get_origin, get_type_hints

import sqlalchemy as sa
from sqlalchemy import Connection

from biasprint.core.project.changes import Changes
from biasprint.core.project.connection import NotSaved
from biasprint.core.project.reader import ROWS_AT_ONCE, Reader
from biasprint.core.project.writer import Writer
from biasprint.core.text import restore_text, sha256_text

Row = TypeVar("Row")
COUNTED_AT_ONCE = 2_000


quoted: Callable[[str], str] = json.encoder.encode_basestring_ascii  # a text as JSON
_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def utc_now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def new_uuid() -> str:
    return str(uuid.uuid4())


def new_secret() -> str:
    """Return 128 random bits, as 32 hexadecimal digits."""
    return secrets.token_hex(16)


def canonical_json(value: Any) -> str:
    """Return one text for one value: sorted keys, no blanks. Not-a-number is refused: JSON has none."""
    return _CANONICAL.encode(value)


def canonical_texts(values: Mapping[str, str]) -> str:
    """Return `canonical_json` of texts by name, in half of the time. Raises TypeError for what is no text."""
    return "{" + ",".join([f"{quoted(name)}:{quoted(values[name])}" for name in sorted(values)]) + "}"


def json_object(text: str) -> dict[str, Any]:
    """Return the JSON object of a column; an empty one, the usual case, is not parsed, which took half of a row's time.

    Raises ValueError for anything else, as `json_list` does.
    """
    if text == "{}":
        return {}
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("this column holds objects")
    return value


def json_list(text: str) -> list[Any]:
    value = json.loads(text)
    if not isinstance(value, list):
        raise ValueError("this column holds lists")
    return value


def json_part(column: "sa.ColumnElement[Any]", path: str) -> "sa.ColumnElement[Any]":
    """Return a part of a JSON column; none where the column holds no JSON: SQLite would refuse the whole statement."""
    return sa.case((sa.func.json_valid(column) == 1, sa.func.json_extract(column, path)))


def json_sha256(value: Any) -> str:
    return sha256_text(canonical_json(value))


def made(kind: Callable[..., Row]) -> Callable[[Any], Row]:
    """Return what makes a frozen row of the store from a row with its columns: their names are its fields' names.

    Columns that a mapping is kept in are decoded; a text is as it was received.
    """
    hints = get_type_hints(kind)
    names = tuple(hints)
    mappings = [place for place, name in enumerate(names) if get_origin(hints[name]) is abc.Mapping]
    text = names.index("text") if "text" in names else None
    values_of = attrgetter(*names)

    def make(row: Any) -> Row:
        values = list(values_of(row))
        for place in mappings:
            values[place] = json_object(values[place])
        if text is not None:
            values[text] = restore_text(row.text, row.escaped)
        return kind(*values)

    return make


def following(statement: "sa.Select[Any]", key: "sa.ColumnElement[Any]", after: int, limit: int) -> "sa.Select[Any]":
    """Return the statement for the next rows by a key, which is never empty."""
    return statement.where(key > after).order_by(key).limit(limit)


class StorePart:
    """A part of the store."""

    def __init__(self, reader: Reader, writer: Writer | None) -> None:
        self._reader = reader
        self._maybe_writer = writer

    @property
    def _writer(self) -> Writer:
        if self._maybe_writer is None:
            raise NotSaved(
                "The project is open read-only: nothing was saved.",
                hint="Save a copy where you may write, and work on that.",
            )
        return self._maybe_writer

    def _all(
        self, statement: "sa.Select[Any]", build: Callable[[Any], Row], values: Mapping[str, Any] | None = None
    ) -> tuple[Row, ...]:
        """Return every row of a table that stays small; `values`: of the statement's named parameters."""
        return self._reader.around_damage(lambda: tuple(build(row) for row in self._reader.rows(statement, values)))

    def _one(self, statement: "sa.Select[Any]", build: Callable[[Any], Row]) -> Row | None:
        def read() -> Row | None:
            row = self._reader.run(lambda connection: connection.execute(statement).first())
            return None if row is None else build(row)

        return self._reader.around_damage(read)

    def _view(self, **attributes: object) -> Self:
        """Return the same part of the store, with other attributes."""
        view = copy(self)
        vars(view).update(attributes)
        return view

    def _insert(self, into: sa.Table, values: dict[str, Any], *, urgent: bool = True) -> Changes:
        return self._writer.write(lambda connection: insert_one(connection, into, values), urgent=urgent)

    def _execute(
        self, statement: "sa.Insert | sa.Update", of: sa.Table, keys: Iterable[int | str], *, urgent: bool = True
    ) -> Changes:
        """Execute a statement that changes the rows of these keys."""

        def write(connection: Connection) -> Changes:
            connection.execute(statement)
            return Changes.to(of.name, keys)

        return self._writer.write(write, urgent=urgent)

    def _number(self, statement: "sa.Select[Any]") -> int:
        return int(self._reader.run(lambda connection: connection.execute(statement).scalar_one()))

    def _pieces(self, of: sa.Table) -> "Iterator[sa.ColumnElement[bool]]":
        """Yield conditions that divide a large table, as it is now, so that no read transaction is long."""
        plain = sa.table(of.name, sa.column("id", sa.Integer), schema="main")
        after = -(2**63)
        while True:
            piece = sa.select(plain.c.id).where(plain.c.id > after).order_by(plain.c.id).limit(COUNTED_AT_ONCE)
            (last,) = self._reader.rows(sa.select(sa.func.max(piece.subquery().c.id)))[0]
            if last is None:
                return
            yield of.c.id.between(after + 1, last)
            after = last

    def _counted(self, statement: "sa.Select[Any]", of: sa.Table) -> int:
        """Return the sum of what a statement counts in the pieces of a large table."""
        return sum(self._number(statement.where(piece)) for piece in self._pieces(of))

    def _grouped(
        self, of: sa.Table, columns: Sequence["sa.Column[Any]"], where: "sa.ColumnElement[bool] | None" = None
    ) -> Counter[tuple[str, ...]]:
        """Count the rows of a large table by the values of some columns."""
        counts: Counter[tuple[str, ...]] = Counter()
        for piece in self._pieces(of):
            here = piece if where is None else piece & where
            rows = self._reader.rows(sa.select(*columns, sa.func.count()).where(here).group_by(*columns))
            counts.update({tuple(row[:-1]): row[-1] for row in rows})
        return counts


def chunks(page: Callable[[int, int], Sequence[Row]], key: Callable[[Row], int], first: int = 0) -> Iterator[Row]:
    """Yield every row of a large table, read in pages by key so that no read transaction is long."""
    after = first
    while True:
        rows = page(after, ROWS_AT_ONCE)
        yield from rows
        if len(rows) < ROWS_AT_ONCE:
            return
        after = key(rows[-1])


def none_of(column: "sa.ColumnElement[int]", ids: Collection[int]) -> "sa.ColumnElement[bool]":
    """Return a condition: the id is none of these, however many they are."""
    listed = sa.func.json_each(canonical_json(sorted(ids))).table_valued("value")
    return column.not_in(sa.select(listed.c.value)) if ids else sa.true()


def insert_one(connection: Connection, into: sa.Table, values: dict[str, Any]) -> Changes:
    """Insert a row; its key is the values' own or the one SQLite gave."""
    result = connection.execute(sa.insert(into).values(values))
    assert result.inserted_primary_key is not None
    return Changes.to(into.name, [result.inserted_primary_key[0]])
