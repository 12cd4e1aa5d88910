"""Studies and the versions of their axes."""

import json
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from core.project.changes import Changes
from core.project.rows import AxisRow, StudyRow
from core.project.specs import AxisSpec
from core.project.stores.common import Part, canonical_json, insert_one, json_sha256, utc_now
from core.project.tables import AxisDefinition, Study, table

study = table(Study)
axis = table(AxisDefinition)


class Studies(Part):
    """What is studied: a kind (news, completion, creativity, letters or a plug-in's) and a title."""

    def add(self, kind: str, title: str, settings: dict[str, Any] | None = None) -> Changes:
        values = {"kind": kind, "title": title, "settings": canonical_json(settings or {}), "created_at": utc_now()}
        return self._writer.write(lambda connection: insert_one(connection, study, values), urgent=True)

    def all(self) -> tuple[StudyRow, ...]:
        return self._all(sa.select(study).order_by(study.c.id), _study)

    def of_kind(self, kind: str) -> StudyRow | None:
        """The first study of a kind."""
        return self._one(sa.select(study).where(study.c.kind == kind).order_by(study.c.id), _study)


class Axes(Part):
    """Axes as they were when prompts were made from them: editing one makes a new version."""

    def add(self, spec: AxisSpec) -> Changes:
        """Store an axis; the same content is the version that is there already."""
        digest = json_sha256([spec.title, spec.definition])

        def write(connection: Connection) -> Changes:
            same = sa.select(axis.c.id).where(axis.c.key == spec.key, axis.c.sha256 == digest)
            if (present := connection.execute(same).scalar()) is not None:
                return Changes.to("axis_definition", [present])
            last = sa.select(sa.func.coalesce(sa.func.max(axis.c.version), 0)).where(axis.c.key == spec.key)
            values = {
                "key": spec.key,
                "version": connection.execute(last).scalar_one() + 1,
                "title": spec.title,
                "definition": canonical_json(spec.definition),
                "sha256": digest,
                "created_at": utc_now(),
            }
            return insert_one(connection, axis, values)

        return self._writer.write(write, urgent=True)

    def all(self) -> tuple[AxisRow, ...]:
        """Every version, the newest of each key last."""
        return self._all(sa.select(axis).order_by(axis.c.key, axis.c.version), _axis)

    def latest(self) -> dict[str, AxisRow]:
        return {row.key: row for row in self.all()}


def _study(row: Any) -> StudyRow:
    return StudyRow(row.id, row.kind, row.title, json.loads(row.settings), row.created_at)


def _axis(row: Any) -> AxisRow:
    return AxisRow(row.id, row.key, row.version, row.title, json.loads(row.definition), row.sha256)
