"""Findings with the recipe that made them, and the log of events."""

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from core.findings import Finding
from core.project.changes import Changes
from core.project.rows import EventRow, FindingRow
from core.project.stores.common import Part, canonical_json, chunks, insert_one, utc_now
from core.project.tables import Event, table
from core.project.tables import Finding as FindingTable

finding = table(FindingTable)
event = table(Event)


class Findings(Part):
    def replace(self, study: str, measurement: str, recipe: dict[str, Any], findings: Sequence[Finding]) -> Changes:
        """Store the findings of a measurement in place of what it found before."""
        rows = [
            {
                "study": study,
                "finding_id": item.id,
                "label": item.label,
                "variant": item.variant,
                "body": canonical_json(item.to_json()),
                "recipe": canonical_json(recipe),
                "measurement": measurement,
                "created_at": utc_now(),
            }
            for item in findings
        ]

        def write(connection: Connection) -> Changes:
            same = (finding.c.study == study) & (finding.c.measurement == measurement)
            connection.execute(sa.delete(finding).where(same))
            if rows:
                connection.execute(sa.insert(finding), rows)
            ids = connection.execute(sa.select(finding.c.id).where(same)).scalars().all()
            return Changes.to("finding", ids)

        return self._writer.write(write)

    def page(self, after_id: int, limit: int, study: str | None = None) -> tuple[FindingRow, ...]:
        """The next findings by id."""
        statement = sa.select(finding).where(finding.c.id > after_id).order_by(finding.c.id).limit(limit)
        if study is not None:
            statement = statement.where(finding.c.study == study)
        return self._all(statement, _finding)

    def all(self, study: str | None = None) -> tuple[FindingRow, ...]:
        """Every finding, read in short transactions: a study can have thousands.

        Read again where a measurement was replaced meanwhile, so that no two measurements are mixed.
        """
        state = self._state()
        while True:
            rows = tuple(chunks(lambda after, limit: self.page(after, limit, study), lambda row: row.id))
            before, state = state, self._state()
            if state == before:
                return rows

    def last(self, study: str) -> FindingRow | None:
        """The last finding of a study, for when and how it was measured."""
        statement = sa.select(finding).where(finding.c.study == study).order_by(finding.c.id.desc()).limit(1)
        return self._one(statement, _finding)

    def _state(self) -> tuple[Any, ...]:
        latest = sa.select(sa.func.count(), sa.func.max(finding.c.created_at)).select_from(finding)
        return tuple(self._reader.run(lambda connection: connection.execute(latest).one()))


class Events(Part):
    def add(self, kind: str, body: dict[str, Any]) -> Changes:
        values = {"kind": kind, "body": canonical_json(body), "created_at": utc_now()}
        return self._writer.write(lambda connection: insert_one(connection, event, values))

    def recent(self, limit: int = 100) -> tuple[EventRow, ...]:
        statement = sa.select(event).order_by(event.c.id.desc()).limit(limit)
        return self._all(statement, lambda row: EventRow(row.id, row.kind, json.loads(row.body), row.created_at))


def _finding(row: Any) -> FindingRow:
    return FindingRow(row.id, row.study, row.measurement, json.loads(row.body), json.loads(row.recipe), row.created_at)
