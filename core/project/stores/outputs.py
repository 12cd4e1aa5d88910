"""Outputs: unique by (run, prompt, sample), so that nothing is ever there twice."""

import json
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from core.project.changes import Changes
from core.project.exact_text import restore_text, store_text
from core.project.rows import OutputRow
from core.project.specs import OutputSpec
from core.project.stores.common import Part, canonical_json, chunks, utc_now
from core.project.tables import Generator, Output, Prompt, Run, table

generator = table(Generator)
run = table(Run)
prompt = table(Prompt)
output = table(Output)

COLUMNS = (
    output.c.id,
    output.c.run_id,
    output.c.prompt_id,
    output.c.sample,
    output.c.seed,
    output.c.status,
    output.c.text,
    output.c.escaped,
    output.c.finish_reason,
    output.c.error,
    output.c.seconds,
    output.c.failure,
    output.c.detail,
    prompt.c.key,
    prompt.c.task,
    prompt.c.theme,
    prompt.c.axis,
    prompt.c.identity,
    prompt.c.fields,
    generator.c.backend,
    generator.c.model,
)

# Made once: making it anew for every row took most of a row's time, which a job takes from the window.
NEW = insert(output).on_conflict_do_nothing(["run_id", "prompt_id", "sample"]).returning(output.c.id)


@dataclass(frozen=True)
class OutputFilter:
    """Which outputs; a field that is None does not narrow."""

    study_id: int | None = None
    run_id: int | None = None
    task: str | None = None
    identity: str | None = None
    status: str | None = None
    contains: str | None = None
    written_after: str | None = None  # a time as the store writes it


class Outputs(Part):
    def record(self, spec: OutputSpec) -> "Future[Changes]":
        """Store an output with the next group commit. One that is there already stays: it was acknowledged."""
        return self._writer.submit(lambda connection: _insert(connection, [spec]))

    def record_many(self, specs: Sequence[OutputSpec]) -> Changes:
        """Store outputs and wait until they are on disk."""
        return self._writer.write(lambda connection: _insert(connection, specs))

    def forget_failures(self, run_id: int, kinds: Collection[str] | None = None) -> Changes:
        """Remove the outputs that are failures, all or of these kinds, so that the next start asks for them again."""

        def write(connection: Connection) -> Changes:
            failed = (output.c.run_id == run_id) & (output.c.status == "error")
            if kinds is not None:
                failed &= output.c.failure.in_(kinds)
            ids = connection.execute(sa.select(output.c.id).where(failed)).scalars().all()
            connection.execute(sa.delete(output).where(failed))
            return Changes.to("output", ids)

        return self._writer.write(write, urgent=True)

    def count(self, where: OutputFilter | None = None) -> int:
        if where is None or where == OutputFilter():
            return self._number(sa.select(sa.func.count()).select_from(output))
        return self._number(_narrow(sa.select(sa.func.count()).select_from(_joined()), where))

    def page(self, after_id: int = 0, limit: int = 500, where: OutputFilter | None = None) -> tuple[OutputRow, ...]:
        """The next outputs by id."""
        statement: sa.Select[Any] = sa.select(*COLUMNS).select_from(_joined()).where(output.c.id > after_id)
        statement = _narrow(statement, where or OutputFilter()).order_by(output.c.id).limit(limit)
        return self._all(statement, _row)

    def each(self, where: OutputFilter | None = None) -> Iterator[OutputRow]:
        """Every output, up to the last one there is now, read in short transactions."""
        last = self._number(sa.select(sa.func.coalesce(sa.func.max(output.c.id), 0)))
        for row in chunks(lambda after, limit: self.page(after, limit, where), lambda row: row.id):
            if row.id > last:
                return
            yield row

    def ids(self, where: OutputFilter | None = None, after_id: int = 0) -> list[int]:
        """The ids alone, for a table that fetches its rows as it scrolls."""

        def page(after: int, limit: int) -> Sequence[int]:
            source = _joined() if where and where != OutputFilter() else output
            statement = sa.select(output.c.id).select_from(source).where(output.c.id > after)
            statement = _narrow(statement, where or OutputFilter()).order_by(output.c.id).limit(limit)
            return [row[0] for row in self._reader.rows(statement)]

        return list(chunks(page, int, first=after_id))

    def get(self, output_id: int) -> OutputRow | None:
        statement = sa.select(*COLUMNS).select_from(_joined()).where(output.c.id == output_id)
        return self._one(statement, _row)

    def texts(self, ids: Sequence[int]) -> dict[int, str]:
        """The texts of some outputs."""
        statement = sa.select(output.c.id, output.c.text, output.c.escaped).where(output.c.id.in_(ids))
        return {row.id: restore_text(row.text, row.escaped) for row in self._reader.rows(statement)}


def _joined() -> sa.FromClause:
    return (
        output.join(prompt, prompt.c.id == output.c.prompt_id)
        .join(run, run.c.id == output.c.run_id)
        .join(generator, generator.c.id == run.c.generator_id)
    )


def _narrow(statement: "sa.Select[Any]", where: OutputFilter) -> "sa.Select[Any]":
    pairs = (
        (run.c.study_id, where.study_id),
        (output.c.run_id, where.run_id),
        (prompt.c.task, where.task),
        (prompt.c.identity, where.identity),
        (output.c.status, where.status),
    )
    for column, value in pairs:
        if value is not None:
            statement = statement.where(column == value)
    if where.contains:
        statement = statement.where(output.c.text.icontains(where.contains, autoescape=True))
    if where.written_after:
        statement = statement.where(output.c.created_at > where.written_after)
    return statement


def _insert(connection: Connection, specs: Sequence[OutputSpec]) -> Changes:
    added: list[int] = []
    for spec in specs:
        values = spec.model_dump() | vars(store_text(spec.text))
        values |= {
            "usage": canonical_json(spec.usage),
            "detail": canonical_json(spec.detail),
            "created_at": utc_now(),
        }
        added += connection.execute(NEW, values).scalars()
    return Changes.to("output", added)


def _row(row: Any) -> OutputRow:
    return OutputRow(
        id=row.id,
        run_id=row.run_id,
        prompt_id=row.prompt_id,
        sample=row.sample,
        seed=row.seed,
        status=row.status,
        text=restore_text(row.text, row.escaped),
        finish_reason=row.finish_reason,
        error=row.error,
        seconds=row.seconds,
        prompt_key=row.key,
        task=row.task,
        theme=row.theme,
        axis=row.axis,
        identity=row.identity,
        fields=json.loads(row.fields),
        backend=row.backend,
        model=row.model,
        failure=row.failure,
        detail=json.loads(row.detail),
    )
