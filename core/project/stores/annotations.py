"""Statements beside the judgments: criterion ratings, perceptibility, decisions. They are only ever added."""

import json
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from core.project.changes import Changes
from core.project.rows import AnnotationRow
from core.project.specs import AnnotationSpec
from core.project.stores.common import Part, canonical_json, new_uuid, utc_now
from core.project.tables import Annotation, table

annotation = table(Annotation)


class Annotations(Part):
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
