"""Readings of letters that a person chose to keep. A reading is never changed; checking again adds another."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from core.project.changes import Changes
from core.project.stores.common import Part, canonical_json, insert_one, new_uuid, utc_now
from core.project.tables import Reading, table

reading = table(Reading)


@dataclass(frozen=True)
class ReadingRow:
    """What was found in a letter, as `result`. `source_id`: its text; None where only the reading was kept."""

    id: str
    source_id: int | None
    title: str
    document_sha256: str
    result: Mapping[str, Any]
    created_at: str


class Readings(Part):
    """Readings by id. Nothing comes here but by the person's own act."""

    def add(self, title: str, document_sha256: str, result: Mapping[str, Any], source_id: int | None) -> Changes:
        """Keep a reading, as JSON values, of the letter with this hash, whose text may be a source of the project."""
        values = {
            "id": new_uuid(),
            "source_id": source_id,
            "title": title,
            "document_sha256": document_sha256,
            "result": canonical_json(result),
            "created_at": utc_now(),
        }
        return self._writer.write(lambda connection: insert_one(connection, reading, values), urgent=True)

    def all(self) -> tuple[ReadingRow, ...]:
        """Every reading, the oldest first."""
        return self._all(sa.select(reading).order_by(reading.c.created_at, reading.c.id), _row)

    def of_source(self, source_id: int) -> tuple[ReadingRow, ...]:
        """The readings of one text, the oldest first."""
        statement = sa.select(reading).where(reading.c.source_id == source_id).order_by(reading.c.created_at)
        return self._all(statement, _row)


def _row(row: Any) -> ReadingRow:
    result = json.loads(row.result)
    return ReadingRow(row.id, row.source_id, row.title, row.document_sha256, result, row.created_at)
