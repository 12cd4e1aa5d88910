"""Prompt sets and their prompts. A set never changes: other content under the same name is its next version."""

import json
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from core.project.changes import Changes
from core.project.exact_text import restore_text, store_text
from core.project.rows import PromptRow, PromptSetRow
from core.project.specs import PromptSetSpec, PromptSpec
from core.project.stores.common import Part, canonical_json, insert_one, json_sha256, utc_now
from core.project.tables import Prompt, PromptSet, table

prompt_set = table(PromptSet)
prompt = table(Prompt)


class Prompts(Part):
    def add_set(self, study_id: int, spec: PromptSetSpec) -> Changes:
        """Store a prompt set; the same content is the version that is there already."""
        digest = json_sha256([spec.recipe, [item.model_dump() for item in spec.prompts]])

        def write(connection: Connection) -> Changes:
            named = (prompt_set.c.study_id == study_id) & (prompt_set.c.name == spec.name)
            same = sa.select(prompt_set.c.id).where(named, prompt_set.c.sha256 == digest)
            if (present := connection.execute(same).scalar()) is not None:
                return Changes.to("prompt_set", [present])
            last = sa.select(sa.func.coalesce(sa.func.max(prompt_set.c.version), 0)).where(named)
            values = {
                "study_id": study_id,
                "name": spec.name,
                "version": connection.execute(last).scalar_one() + 1,
                "recipe": canonical_json(spec.recipe),
                "sha256": digest,
                "created_at": utc_now(),
            }
            changes = insert_one(connection, prompt_set, values)
            set_id = changes.number("prompt_set")
            if spec.prompts:
                connection.execute(sa.insert(prompt), [_values(set_id, item) for item in spec.prompts])
            return changes

        return self._writer.write(write, urgent=True)

    def sets(self, study_id: int | None = None) -> tuple[PromptSetRow, ...]:
        """The prompt sets, oldest first."""
        statement = sa.select(prompt_set).order_by(prompt_set.c.id)
        if study_id is not None:
            statement = statement.where(prompt_set.c.study_id == study_id)
        return self._all(statement, _set)

    def count(self, set_id: int) -> int:
        return self._number(sa.select(sa.func.count()).where(prompt.c.prompt_set_id == set_id))

    def page(self, set_id: int, after_id: int = 0, limit: int = 500) -> tuple[PromptRow, ...]:
        statement = (
            sa.select(prompt)
            .where(prompt.c.prompt_set_id == set_id, prompt.c.id > after_id)
            .order_by(prompt.c.id)
            .limit(limit)
        )
        return self._all(statement, prompt_row)

    def by_key(self, set_id: int, keys: list[str]) -> dict[str, int]:
        """The ids of prompts by their keys."""
        found: dict[str, int] = {}
        for start in range(0, len(keys), 500):
            statement = sa.select(prompt.c.key, prompt.c.id).where(
                prompt.c.prompt_set_id == set_id, prompt.c.key.in_(keys[start : start + 500])
            )
            found.update({row.key: row.id for row in self._reader.rows(statement)})
        return found


def prompt_row(row: Any) -> PromptRow:
    """A prompt from a row that has all of its columns."""
    return PromptRow(
        row.id,
        row.prompt_set_id,
        row.key,
        restore_text(row.text, row.escaped),
        row.task,
        row.theme,
        row.axis,
        row.identity,
        json.loads(row.fields),
    )


def _values(set_id: int, spec: PromptSpec) -> dict[str, Any]:
    stored = store_text(spec.text)
    values = spec.model_dump() | vars(stored) | {"prompt_set_id": set_id}
    return values | {"fields": canonical_json(spec.fields)}


def _set(row: Any) -> PromptSetRow:
    return PromptSetRow(row.id, row.study_id, row.name, row.version, json.loads(row.recipe), row.sha256, row.created_at)
