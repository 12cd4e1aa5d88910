"""Studies, axis definitions, prompt sets and sources."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from biasprint.core.errors import JobCancelled
from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.project.connection import driver_connection
from biasprint.core.project.rows import AxisRow, PromptRow, PromptSetRow, SourceRow, StudyRow, WrittenTexts
from biasprint.core.project.schema import table
from biasprint.core.project.specs import AxisSpec, PromptSetSpec, PromptSpec, SourceSpec
from biasprint.core.project.stores.common import (
    StorePart,
    canonical_json,
    canonical_texts,
    chunks,
    following,
    insert_one,
    json_object,
    json_part,
    json_sha256,
    made,
    none_of,
    quoted,
    utc_now,
)
from biasprint.core.text import restore_text, sha256_text, store_text

# ---- Studies and the versions of their axes

study = table("study")
axis = table("axis_definition")
prompt_set = table("prompt_set")
run, output = table("run"), table("output")


class Studies(StorePart):
    """Studies: a kind (news, completion, creativity, letters or a plug-in's) and a title."""

    def add(self, kind: str, title: str, settings: dict[str, Any] | None = None) -> Changes:
        values = {"kind": kind, "title": title, "settings": canonical_json(settings or {}), "created_at": utc_now()}
        return self._insert(study, values)

    def keep_setting(self, study_id: int, name: str, value: Any) -> Changes:
        """Keep one of the study's settings, such as the layout of its board; the others stay as they are."""

        def write(connection: Connection) -> Changes:
            this = study.c.id == study_id
            stored = json_object(connection.execute(sa.select(study.c.settings).where(this)).scalar_one())
            settings = canonical_json({**stored, name: value})
            connection.execute(sa.update(study).where(this).values(settings=settings))
            return Changes.to("study", [study_id])

        return self._writer.write(write)

    def all(self) -> tuple[StudyRow, ...]:
        return self._all(sa.select(study).order_by(study.c.id), _study)

    def of_kind(self, kind: str) -> StudyRow | None:
        """Return the first study of a kind."""
        return self._one(sa.select(study).where(study.c.kind == kind).order_by(study.c.id), _study)


class Axes(StorePart):
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
        """Return every version, the newest of each key last."""
        return self._all(sa.select(axis).order_by(axis.c.key, axis.c.version), _axis)

    def latest(self) -> dict[str, AxisRow]:
        """Return the newest version of each."""
        return {row.key: row for row in self.all()}

    def in_use(self) -> dict[str, AxisRow]:
        """Return the newest version of each axis that texts were written for; the newest of all where there are none.

        So an axis that was edited since stays as it was for the texts that are there.
        """
        every = self.all()
        newest = {row.key: row for row in every}
        if len(every) == len(newest):
            return newest
        written = sa.exists().where(run.c.prompt_set_id == prompt_set.c.id, output.c.run_id == run.c.id)
        recipes = self._all(sa.select(prompt_set.c.recipe).where(written), lambda row: json_object(row.recipe))
        used = {
            (key, axis["sha256"])
            for recipe in recipes
            for key, axis in (recipe.get("axes") or {}).items()
            if isinstance(axis, dict)
        }
        return newest | {row.key: row for row in every if (row.key, _prompts_sha256(row.definition)) in used}


def _prompts_sha256(definition: Mapping[str, Any]) -> str:
    """Return the hash by which recipes of prompt sets name an axis, see `biasprint.core.prompts.axes.Axis.sha256`."""
    return sha256_text(json.dumps(definition, sort_keys=True, separators=(",", ":"), ensure_ascii=False))


_study, _axis = made(StudyRow), made(AxisRow)
# ---- Prompt sets and their prompts. A set never changes: other content under the same name is its next version

prompt = table("prompt")
WATCHED = 1000  # rows of one statement, after which a cancel is looked for
_NEW_PROMPT = (
    "INSERT INTO prompt (prompt_set_id, key, text, text_sha256, escaped, task, theme, axis, identity, fields) VALUES "
    "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)

_NO_TEXT = store_text("")
prompt_row = made(PromptRow)


class Prompts(StorePart):
    def add_set(self, study_id: int, spec: PromptSetSpec, ctx: JobContext | None = None) -> Changes:
        """Store a prompt set; the same content is the version that is there already. A job that is cancelled meanwhile
        leaves no part of it.
        """
        fields = [canonical_texts(item.fields) for item in spec.prompts]
        digest = _set_sha256(spec, fields)

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
                rows = _watched(map(_values, repeat(set_id), spec.prompts, fields), len(spec.prompts), ctx)
                driver_connection(connection).executemany(_NEW_PROMPT, rows)
            return changes

        return self._writer.write(write, urgent=True)

    def sets(self, study_id: int | None = None) -> tuple[PromptSetRow, ...]:
        """Return the prompt sets, oldest first."""
        statement = sa.select(prompt_set).order_by(prompt_set.c.id)
        if study_id is not None:
            statement = statement.where(prompt_set.c.study_id == study_id)
        return self._all(statement, _set)

    def count(self, set_id: int) -> int:
        return self._number(sa.select(sa.func.count()).where(prompt.c.prompt_set_id == set_id))

    def page(self, set_id: int, after_id: int = 0, limit: int = 500) -> tuple[PromptRow, ...]:
        mine = sa.select(prompt).where(prompt.c.prompt_set_id == set_id)
        return self._all(following(mine, prompt.c.id, after_id, limit), prompt_row)

    def topics(self) -> dict[str, str]:
        """Return the topic of each theme, as the newest prompt that has one states."""
        topic = json_part(prompt.c.fields, "$.topic")
        statement = (
            sa.select(prompt.c.theme, topic.label("topic"))
            .where(prompt.c.theme != "", topic != "")
            .group_by(prompt.c.theme, topic)
            .order_by(sa.func.max(prompt.c.id))
        )
        return dict(self._all(statement, lambda row: (row.theme, row.topic)))

    def by_key(self, set_id: int, keys: list[str]) -> dict[str, int]:
        """Return the ids of prompts by their keys."""
        ids: dict[str, int] = {}
        for start in range(0, len(keys), 500):
            statement = sa.select(prompt.c.key, prompt.c.id).where(
                prompt.c.prompt_set_id == set_id, prompt.c.key.in_(keys[start : start + 500])
            )
            ids.update({row.key: row.id for row in self._reader.rows(statement)})
        return ids

    def ids(self, set_id: int) -> dict[str, int]:
        """Return the ids of a set's prompts by their keys."""
        statement = sa.select(prompt.c.key, prompt.c.id).where(prompt.c.prompt_set_id == set_id)
        return dict(tuple(row) for row in self._reader.rows(statement))


def _watched(rows: Iterable[Any], total: int, ctx: JobContext | None) -> Iterator[Any]:
    """Yield rows that are being written, reporting them, until the job is cancelled. It never rests meanwhile, as
    `check` does: the writer would rest with it.
    """
    for number, row in enumerate(rows):
        if ctx and number % WATCHED == 0:
            if ctx.cancelled:
                raise JobCancelled
            ctx.report(number, total, note="storing prompts")
        yield row


def _set_sha256(spec: PromptSetSpec, fields: Sequence[str]) -> str:
    """Return the hash of a set: of its recipe and its prompts as canonical JSON. `fields`: those of each prompt."""
    prompts = (
        f'{{"axis":{quoted(item.axis)},"fields":{own},"identity":{quoted(item.identity)},"key":{quoted(item.key)},'
        f'"task":{quoted(item.task)},"text":{quoted(item.text)},"theme":{quoted(item.theme)}}}'
        for item, own in zip(spec.prompts, fields, strict=True)
    )
    return sha256_text(f"[{canonical_json(spec.recipe)},[{','.join(prompts)}]]")


def _values(set_id: int, spec: PromptSpec, fields: str) -> tuple[int | str, ...]:
    stored = store_text(spec.text) if spec.text else _NO_TEXT  # as all imported prompts have
    return (
        set_id, spec.key, stored.text, stored.text_sha256, stored.escaped, spec.task, spec.theme, spec.axis,
        spec.identity, fields,
    )  # fmt: skip


_set = made(PromptSetRow)


# ---- Sources: texts that no prompt of ours asked for, such as originals, CVs and imported letters

source = table("source")
# Texts that were made to be judged: twins of letters, and the cards of a packet. They are no texts of the study.
FOR_JUDGING = ("twin", "card")


class Sources(StorePart):
    only: tuple[str, tuple[str, ...]] | None = None  # a kind whose texts are read where they name one of these models
    model: str | None = None  # that all sources are read to name
    copies: frozenset[int] = frozenset()  # sources that `each` leaves out
    left_out: frozenset[int] = frozenset()  # the ids of sources that are not read

    def without(self, ids: Collection[int]) -> "Sources":
        """Return the same sources, read as if there were none of these."""
        return self._view(left_out=self.left_out | frozenset(ids))

    def of_models(self, kind: str, models: Collection[str]) -> "Sources":
        """Return the same sources, read as if there were those of this kind alone whose field “model” is one
        of these.
        """
        return self._view(only=(kind, tuple(models)))

    def as_of(self, model: str) -> "Sources":
        """Return the same sources, read as if the field “model” of each were this."""
        return self._view(model=model)

    def without_copies(self, copies: frozenset[int]) -> "Sources":
        """Return the same sources, of which `each` leaves these out."""
        return self._view(copies=copies)

    def written(self, study_id: int, kind: str) -> dict[str, WrittenTexts]:
        """Return the number of texts of a kind, and when they came, by their field “model” (empty for none)."""
        model = _model_field()
        when = (sa.func.min(source.c.created_at), sa.func.max(source.c.created_at))
        wanted = _of(study_id, kind) & none_of(source.c.id, self.left_out)
        statement = sa.select(model, sa.func.count(), *when).where(wanted).group_by(model)
        rows = self._reader.rows(statement)
        return {row[0]: WrittenTexts(row[1], row[2], row[3]) for row in sorted(rows, key=lambda row: str(row[0]))}

    def add_many(self, study_id: int, specs: Sequence[SourceSpec]) -> Changes:
        """Store texts. A row of an origin that is here already stays as it is, so that importing again adds nothing."""
        rows = [_source_values(study_id, spec) for spec in specs]

        def write(connection: Connection) -> Changes:
            last = connection.execute(sa.select(sa.func.coalesce(sa.func.max(source.c.id), 0))).scalar_one()
            if rows:
                connection.execute(insert(source).on_conflict_do_nothing(["study_id", "origin", "row"]), rows)
            added = connection.execute(sa.select(source.c.id).where(source.c.id > last)).scalars()
            return Changes.to("source", added)

        return self._writer.write(write)

    def count(self, study_id: int, written_after: str = "") -> int:
        """Return how many texts the study has, or how many came after a time."""
        wanted = _of(study_id, None) & (source.c.created_at > written_after) & none_of(source.c.id, self.left_out)
        return self._number(sa.select(sa.func.count()).where(wanted))

    def texts(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the texts of some sources."""
        statement = sa.select(source.c.id, source.c.text, source.c.escaped).where(source.c.id.in_(ids))
        return {row.id: restore_text(row.text, row.escaped) for row in self._reader.rows(statement)}

    def page(
        self, study_id: int, after_id: int = 0, limit: int = 500, *, kind: str | None = None
    ) -> tuple[SourceRow, ...]:
        """Return the study's texts in order; those of one kind where it is named, which may also be one of
        FOR_JUDGING.
        """
        wanted = sa.select(source).where(_of(study_id, kind) & none_of(source.c.id, self.left_out))
        statement = following(wanted, source.c.id, after_id, limit)
        if self.only is not None:
            statement = statement.where(sa.or_(source.c.kind != self.only[0], _model_field().in_(self.only[1])))
        rows = self._all(statement, _row)
        if self.model is None:
            return rows
        return tuple(replace(row, fields={**row.fields, "model": self.model}) for row in rows)

    def each(self, study_id: int, *, kind: str | None = None) -> Iterator[SourceRow]:
        """Yield the study's texts in order, read in short transactions."""
        rows = chunks(lambda after, limit: self.page(study_id, after, limit, kind=kind), lambda row: row.id)
        return (row for row in rows if row.id not in self.copies)


def _model_field() -> "sa.ColumnElement[str]":
    return sa.func.coalesce(json_part(source.c.fields, "$.model"), "")


def _of(study_id: int, kind: str | None) -> "sa.ColumnElement[bool]":
    own = source.c.kind.not_in(FOR_JUDGING) if kind is None else source.c.kind == kind
    return sa.and_(source.c.study_id == study_id, own)


def _source_values(study_id: int, spec: SourceSpec) -> dict[str, Any]:
    values = spec.model_dump() | vars(store_text(spec.text))
    return values | {"study_id": study_id, "fields": canonical_json(spec.fields), "created_at": utc_now()}


_row = made(SourceRow)
