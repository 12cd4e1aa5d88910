"""Texts that no prompt of ours asked for: originals, CVs, imported letters."""

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from core.project.changes import Changes
from core.project.exact_text import restore_text, store_text
from core.project.rows import SourceRow
from core.project.specs import SourceSpec
from core.project.stores.common import Part, canonical_json, utc_now
from core.project.tables import Source, table

source = table(Source)
# Texts that were made to be judged: twins of letters, and the cards of a packet. They are no texts of the study.
FOR_JUDGING = ("twin", "card")


class Sources(Part):
    def add_many(self, study_id: int, specs: Sequence[SourceSpec]) -> Changes:
        """Store texts. A row of an origin that is here already stays as it is, so that importing again adds nothing."""
        rows = [_values(study_id, spec) for spec in specs]

        def write(connection: Connection) -> Changes:
            last = connection.execute(sa.select(sa.func.coalesce(sa.func.max(source.c.id), 0))).scalar_one()
            if rows:
                connection.execute(insert(source).on_conflict_do_nothing(["study_id", "origin", "row"]), rows)
            added = connection.execute(sa.select(source.c.id).where(source.c.id > last)).scalars()
            return Changes.to("source", added)

        return self._writer.write(write)

    def count(self, study_id: int, written_after: str = "") -> int:
        """How many texts the study has, or how many came after a time."""
        wanted = _of(study_id, None) & (source.c.created_at > written_after)
        return self._number(sa.select(sa.func.count()).where(wanted))

    def texts(self, ids: Sequence[int]) -> dict[int, str]:
        """The texts of some sources."""
        statement = sa.select(source.c.id, source.c.text, source.c.escaped).where(source.c.id.in_(ids))
        return {row.id: restore_text(row.text, row.escaped) for row in self._reader.rows(statement)}

    def page(
        self, study_id: int, after_id: int = 0, limit: int = 500, *, kind: str | None = None
    ) -> tuple[SourceRow, ...]:
        """The study's texts in order; those of one kind where it is named, which may also be one of FOR_JUDGING."""
        statement = (
            sa.select(source).where(_of(study_id, kind), source.c.id > after_id).order_by(source.c.id).limit(limit)
        )
        return self._all(statement, _row)


def _of(study_id: int, kind: str | None) -> "sa.ColumnElement[bool]":
    own = source.c.kind.not_in(FOR_JUDGING) if kind is None else source.c.kind == kind
    return sa.and_(source.c.study_id == study_id, own)


def _values(study_id: int, spec: SourceSpec) -> dict[str, Any]:
    values = spec.model_dump() | vars(store_text(spec.text))
    return values | {"study_id": study_id, "fields": canonical_json(spec.fields), "created_at": utc_now()}


def _row(row: Any) -> SourceRow:
    text = restore_text(row.text, row.escaped)
    return SourceRow(row.id, row.study_id, row.kind, row.origin, row.row, text, json.loads(row.fields))
