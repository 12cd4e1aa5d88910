"""Findings, events, readings and annotations."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from core.findings import Finding
from core.project.changes import Changes
from core.project.rows import AnnotationRow, EventRow, FindingRow
from core.project.schema import table
from core.project.specs import AnnotationSpec
from core.project.stores.common import StorePart, canonical_json, chunks, insert_one, new_uuid, utc_now

# ---- Findings with the recipe that made them, and the log of events

finding = table("finding")
event = table("event")


class Findings(StorePart):
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


class Events(StorePart):
    def add(self, kind: str, body: dict[str, Any]) -> Changes:
        values = {"kind": kind, "body": canonical_json(body), "created_at": utc_now()}
        return self._writer.write(lambda connection: insert_one(connection, event, values))

    def recent(self, limit: int = 100) -> tuple[EventRow, ...]:
        statement = sa.select(event).order_by(event.c.id.desc()).limit(limit)
        return self._all(statement, lambda row: EventRow(row.id, row.kind, json.loads(row.body), row.created_at))


def _finding(row: Any) -> FindingRow:
    return FindingRow(row.id, row.study, row.measurement, json.loads(row.body), json.loads(row.recipe), row.created_at)


# ---- Readings of letters that a person chose to keep. A reading is never changed; checking again adds another

reading = table("reading")


@dataclass(frozen=True)
class ReadingRow:
    """A stored check of a letter, with its `result`. `source_id`: its text; None where only the reading was kept."""

    id: str
    source_id: int | None
    title: str
    document_sha256: str
    result: Mapping[str, Any]
    created_at: str


class Readings(StorePart):
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


def _row(row: Any) -> ReadingRow:
    result = json.loads(row.result)
    return ReadingRow(row.id, row.source_id, row.title, row.document_sha256, result, row.created_at)


# ---- Statements beside the judgments: criterion ratings, perceptibility, decisions. They are only ever added

annotation = table("annotation")


class Annotations(StorePart):
    def add(self, spec: AnnotationSpec) -> Changes:
        """Add a statement, at once; on disk when this returns."""
        return self.add_many([spec])

    def add_many(self, specs: Sequence[AnnotationSpec]) -> Changes:
        """Add statements. One whose id is here already stays as it is, so that merging again adds nothing."""
        rows = [_values(spec) for spec in specs]

        def write(connection: Connection) -> Changes:
            added = [
                row["id"]
                for row in rows
                if connection.execute(insert(annotation).values(row).on_conflict_do_nothing(["id"])).rowcount
            ]
            return Changes.to("annotation", added)

        return self._writer.write(write, urgent=True)

    def of_kind(
        self, kind: str, *, target: str | None = None, rater_id: str | None = None, superseded: bool = False
    ) -> tuple[AnnotationRow, ...]:
        """Statements of one kind in the order of time; those that a later one superseded only where asked for."""
        later = annotation.alias("later")
        statement = sa.select(annotation).where(annotation.c.kind == kind)
        if target is not None:
            statement = statement.where(annotation.c.target == target)
        if rater_id is not None:
            statement = statement.where(annotation.c.rater_id == rater_id)
        if not superseded:
            statement = statement.where(~sa.exists().where(later.c.supersedes == annotation.c.id))
        return self._all(statement.order_by(annotation.c.created_at, annotation.c.id), annotation_row)


def _values(spec: AnnotationSpec) -> dict[str, Any]:
    return spec.model_dump() | {
        "id": spec.id or new_uuid(),
        "value": canonical_json(spec.value),
        "created_at": spec.created_at or utc_now(),
    }


def annotation_row(row: Any) -> AnnotationRow:
    return AnnotationRow(
        row.id, row.kind, row.target, row.rater_id, json.loads(row.value), row.supersedes, row.created_at
    )
