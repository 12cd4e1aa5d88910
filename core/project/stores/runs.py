"""Generators, runs and outputs."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from biasprint import core
from biasprint.core.project.changes import Changes
from biasprint.core.project.connection import driver_connection
from biasprint.core.project.reader import ROWS_AT_ONCE
from biasprint.core.project.rows import GeneratorRow, OutputRow, Pending, PromptRow, RunCounts, RunRow, WrittenTexts
from biasprint.core.project.schema import table
from biasprint.core.project.specs import GeneratorSpec, OutputSpec, RunSpec
from biasprint.core.project.stores.common import (
    StorePart,
    canonical_json,
    chunks,
    following,
    insert_one,
    json_sha256,
    made,
    none_of,
    utc_now,
)
from biasprint.core.project.stores.studies import prompt_row
from biasprint.core.scorers.refusal import REFUSAL
from biasprint.core.text import restore_text, store_text

# ---- Generators and runs. A run is one generator over one prompt set with one seed; starting it again resumes it

generator = table("generator")
run = table("run")
prompt = table("prompt")
output = table("output")

CUT = "length"  # the finish reason of a text that ends at the limit on tokens


class Runs(StorePart):
    def add_generator(self, spec: GeneratorSpec) -> Changes:
        """Store a backend with a model and parameters; the same one is stored once."""
        digest = json_sha256(spec.model_dump())
        values = spec.model_dump() | {
            "parameters": canonical_json(spec.parameters),
            "sha256": digest,
            "created_at": utc_now(),
        }

        def write(connection: Connection) -> Changes:
            present = connection.execute(sa.select(generator.c.id).where(generator.c.sha256 == digest)).scalar()
            return insert_one(connection, generator, values) if present is None else Changes.to("generator", [present])

        return self._writer.write(write, urgent=True)

    def start(self, spec: RunSpec) -> Changes:
        """Store a run, or find the one that is to be resumed; more samples than before widen it."""
        values = spec.model_dump() | {
            "recipe": canonical_json(spec.recipe),
            "program_version": core.__version__,
            "created_at": utc_now(),
        }
        same = (
            (run.c.prompt_set_id == spec.prompt_set_id)
            & (run.c.generator_id == spec.generator_id)
            & (run.c.seed == spec.seed)
        )

        def write(connection: Connection) -> Changes:
            present = connection.execute(sa.select(run.c.id, run.c.samples).where(same)).first()
            if present is None:
                return insert_one(connection, run, values)
            if spec.samples > present.samples:
                connection.execute(sa.update(run).where(run.c.id == present.id).values(samples=spec.samples))
            return Changes.to("run", [present.id])

        return self._writer.write(write, urgent=True)

    def all(self) -> tuple[RunRow, ...]:
        return self._all(sa.select(run).order_by(run.c.id), _run)

    def get(self, run_id: int) -> RunRow:
        row = self._one(sa.select(run).where(run.c.id == run_id), _run)
        if row is None:
            raise KeyError(run_id)
        return row

    def generators(self) -> dict[int, GeneratorRow]:
        rows = self._all(sa.select(generator).order_by(generator.c.id), _generator)
        return {row.id: row for row in rows}

    def counts(self, run_id: int) -> RunCounts:
        this = self.get(run_id)
        prompts = self._number(sa.select(sa.func.count()).where(prompt.c.prompt_set_id == this.prompt_set_id))
        outcomes = self._by_outcome(run_id)
        failures: Counter[str] = Counter()
        done = cut = 0
        for (status, failure, end), count in outcomes.items():
            if status == "error":
                failures[failure] += count
            elif status == "done":
                done, cut = done + count, cut + count * (end == CUT)
        return RunCounts(prompts * this.samples, done, dict(failures), cut)

    def _by_outcome(self, run_id: int) -> Counter[tuple[str, ...]]:
        """Return how many outputs a run has of each status, failure and end, counted piece by piece: a million takes
        seconds.
        """
        # The zero keeps SQLite on the ids: by the run's index every piece would look at the whole run.
        outcome = (output.c.status, output.c.failure, output.c.finish_reason)
        return self._grouped(output, outcome, output.c.run_id + 0 == run_id)

    def pending(self, run_id: int, after: tuple[int, int] = (0, -1), limit: int = 500) -> tuple[Pending, ...]:
        """Return the next prompts and samples without an output, in the order (prompt, sample), after the one given.

        Read a few prompts at a time. In one statement SQLite sorts everything that is missing first: with 3,240 prompts
        and 400 samples it read for half a second, and a person's choice waited as long for its commit.
        """
        this = self.get(run_id)
        pending: list[Pending] = []
        first = after[0]
        while len(pending) < limit:
            prompts, present = self._prompts_with_samples(this, first)
            if not prompts:
                break
            for row in prompts:
                wanted = ((row.id, sample) for sample in range(this.samples))
                pending += [Pending(row, key[1]) for key in wanted if key > after and key not in present]
            first = prompts[-1].id + 1
        return tuple(pending[:limit])

    def _prompts_with_samples(self, this: RunRow, first: int) -> tuple[list[PromptRow], set[tuple[int, int]]]:
        """Return a run's next prompts from the id `first` on, and the (prompt, sample) of the outputs that
        they have.
        """
        prompts = (
            sa.select(prompt)
            .where(prompt.c.prompt_set_id == this.prompt_set_id, prompt.c.id >= first)
            .order_by(prompt.c.id)
            .limit(max(1, ROWS_AT_ONCE // this.samples))
        )

        def read(connection: Connection) -> tuple[list[PromptRow], set[tuple[int, int]]]:
            rows = [prompt_row(row) for row in connection.execute(prompts)]
            ids = [row.id for row in rows]
            query = sa.select(output.c.prompt_id, output.c.sample).where(
                output.c.run_id == this.id, output.c.prompt_id.in_(ids)
            )
            return rows, {(row.prompt_id, row.sample) for row in connection.execute(query)}

        return self._reader.run(read)


_run, _generator = made(RunRow), made(GeneratorRow)


# ---- Outputs: unique by (run, prompt, sample), so that nothing is ever there twice

_OF_PROMPT = (prompt.c.task, prompt.c.theme, prompt.c.axis, prompt.c.identity, prompt.c.fields)
_OWN = tuple(column for column in output.c if column is not output.c.text_sha256)  # which no row of ours has
COLUMNS = (*_OWN, prompt.c.key.label("prompt_key"), *_OF_PROMPT, generator.c.backend, generator.c.model)

# Made once: making it for every row took most of a row's time, which a job takes from the window.
NEW = insert(output).on_conflict_do_nothing(["run_id", "prompt_id", "sample"]).returning(output.c.id)


ImportedOutput = tuple[int, int, str, str]  # prompt, sample, text, finish reason
_ONCE_SQL = (
    "INSERT INTO output (run_id, prompt_id, sample, seed, status, text, text_sha256, escaped, finish_reason, error, "
    "usage, seconds, created_at, failure, detail) VALUES (:run_id, :prompt_id, :sample, :seed, :status, :text, "
    ":text_sha256, :escaped, :finish_reason, :error, :usage, :seconds, :created_at, :failure, :detail) "
    "ON CONFLICT (run_id, prompt_id, sample) DO NOTHING"
)
_IMPORTED_SQL = (
    "INSERT INTO output (run_id, prompt_id, sample, text, text_sha256, escaped, finish_reason, created_at, seed, "
    "status, error, usage, seconds, failure, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 'done', '', '{}', 0.0, '', "
    "'{}') ON CONFLICT (run_id, prompt_id, sample) DO NOTHING"
)


@dataclass(frozen=True)
class OutputFilter:
    """A selection of outputs; a field that is None does not narrow it."""

    study_id: int | None = None
    run_id: int | None = None
    run_ids: tuple[int, ...] | None = None
    task: str | None = None
    identity: str | None = None
    status: str | None = None
    contains: str | None = None
    written_after: str | None = None  # a time as the store writes it


class Outputs(StorePart):
    only: tuple[int, ...] | None = None  # the runs whose outputs alone are read
    model: str | None = None  # that all outputs are read to be of
    copies: frozenset[int] = frozenset()  # outputs that `each` leaves out
    left_out: frozenset[int] = frozenset()  # the ids of outputs that are not read

    def of_runs(self, run_ids: Collection[int]) -> "Outputs":
        """Return the same outputs, read as if there were those of these runs alone."""
        return self._view(only=tuple(sorted(run_ids)))

    def as_of(self, model: str) -> "Outputs":
        """Return the same outputs, read as if this model had written them all."""
        return self._view(model=model)

    def without_copies(self, copies: frozenset[int]) -> "Outputs":
        """Return the same outputs, of which `each` leaves these out."""
        return self._view(copies=copies)

    def without(self, ids: Collection[int]) -> "Outputs":
        """Return the same outputs, read as if there were none of these."""
        return self._view(left_out=self.left_out | frozenset(ids))

    @property
    def whole(self) -> bool:
        """True where all outputs of the file are read."""
        return self.only is None and not self.left_out

    def _asked(self, where: OutputFilter | None) -> OutputFilter:
        where = where or OutputFilter()
        if self.only is None:
            return where
        both = self.only if where.run_ids is None else tuple(run for run in self.only if run in where.run_ids)
        return replace(where, run_ids=both)

    def record(self, spec: OutputSpec) -> "Future[Changes]":
        """Store an output with the next group commit. One that is there already stays: it was acknowledged."""
        return self._writer.submit(lambda connection: _insert(connection, [spec]))

    def record_many(self, specs: Sequence[OutputSpec]) -> Changes:
        """Store outputs and wait until they are on disk."""
        return self._writer.write(lambda connection: _insert(connection, specs))

    def record_imported(self, run_id: int, texts: Sequence[ImportedOutput]) -> Changes:
        """Store many texts of a run at once and wait until they are on disk; one that is there already stays."""
        now = utc_now()
        rows = [
            (run_id, prompt_id, sample, stored.text, stored.text_sha256, stored.escaped, finish_reason, now)
            for prompt_id, sample, text, finish_reason in texts
            for stored in (store_text(text),)
        ]

        def write(connection: Connection) -> Changes:
            last = connection.execute(sa.select(sa.func.coalesce(sa.func.max(output.c.id), 0))).scalar_one()
            driver_connection(connection).executemany(_IMPORTED_SQL, rows)  # SQLAlchemy's way took a third longer
            # Only this connection writes, and each new id is the next: all later ones are of this statement.
            newest = connection.execute(sa.select(sa.func.coalesce(sa.func.max(output.c.id), 0))).scalar_one()
            return Changes.to("output", range(last + 1, newest + 1))

        return self._writer.write(write)

    def forget_failures(self, run_id: int, kinds: Collection[str] | None = None) -> Changes:
        """Remove the outputs that are failures, so that the next start asks for them again: those of these kinds, or
        all but refusals. To ask a model until it answers would hide that it declined.
        """

        def write(connection: Connection) -> Changes:
            failed = (output.c.run_id == run_id) & (output.c.status == "error")
            failed &= output.c.failure != REFUSAL if kinds is None else output.c.failure.in_(kinds)
            ids = connection.execute(sa.select(output.c.id).where(failed)).scalars().all()
            connection.execute(sa.delete(output).where(failed))
            return Changes.to("output", ids)

        return self._writer.write(write, urgent=True)

    def count(self, where: OutputFilter | None = None) -> int:
        where = self._asked(where)
        source = _joined() if where != OutputFilter() else output
        statement = sa.select(sa.func.count()).select_from(source).where(none_of(output.c.id, self.left_out))
        return self._counted(_narrow(statement, where), output)

    def page(self, after_id: int = 0, limit: int = 500, where: OutputFilter | None = None) -> tuple[OutputRow, ...]:
        """Return the next outputs by id."""
        where = self._asked(where)
        # What is kept by the process names no identity and no text: a rater may sit down in this window next.
        statement = _page(replace(where, identity=None, contains=None))
        if where.identity or where.contains:
            statement = _narrow(statement, OutputFilter(identity=where.identity, contains=where.contains))
        if self.left_out:
            statement = statement.where(none_of(output.c.id, self.left_out))
        rows = self._all(statement, _row, {"after": after_id, "most": limit})
        return rows if self.model is None else tuple(replace(row, model=self.model) for row in rows)

    def last_id(self) -> int:
        return self._number(sa.select(sa.func.coalesce(sa.func.max(output.c.id), 0)))

    def each(self, where: OutputFilter | None = None) -> Iterator[OutputRow]:
        """Yield every output, up to the last one there is now, read in short transactions."""
        last = self.last_id()
        for row in chunks(lambda after, limit: self.page(after, limit, where), lambda row: row.id):
            if row.id > last:
                return
            if row.id not in self.copies:
                yield row

    def lengths(self, study_id: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield id, run, prompt and the number of characters of each finished text of a study, without reading it."""
        mine = sa.select(run.c.id).where(run.c.study_id == study_id)
        columns = (output.c.id, output.c.run_id, output.c.prompt_id, sa.func.length(output.c.text))
        for piece in self._pieces(output):
            here = piece & (output.c.run_id + 0).in_(mine)
            statement = sa.select(*columns).where(here, output.c.status == "done", none_of(output.c.id, self.left_out))
            statement = statement.order_by(output.c.id)
            for row in self._reader.rows(statement):
                if self.only is None or row[1] in self.only:
                    yield row[0], row[1], row[2], row[3] or 0

    def ids(self, where: OutputFilter | None = None, after_id: int = 0) -> list[int]:
        """Return the ids alone, for a table that fetches its rows as it scrolls."""

        asked = self._asked(where)

        def page(after: int, limit: int) -> Sequence[int]:
            source = _joined() if asked != OutputFilter() else output
            statement = sa.select(output.c.id).select_from(source).where(none_of(output.c.id, self.left_out))
            statement = following(_narrow(statement, asked), output.c.id, after, limit)
            return [row[0] for row in self._reader.rows(statement)]

        return list(chunks(page, int, first=after_id))

    def written(self, study_id: int) -> dict[int, WrittenTexts]:
        """Run → its finished texts, of a study's runs that have any; counted piece by piece, as `Runs.counts` is."""
        written: dict[int, WrittenTexts] = {}
        mine = sa.select(run.c.id).where(run.c.study_id == study_id)
        for piece in self._pieces(output):
            here = piece & (output.c.run_id + 0).in_(mine)
            when = (sa.func.min(output.c.created_at), sa.func.max(output.c.created_at))
            statement = (
                sa.select(output.c.run_id, sa.func.count(), *when)
                .where(here, output.c.status == "done", none_of(output.c.id, self.left_out))
                .group_by(output.c.run_id)
            )
            for row in self._reader.rows(statement):
                texts = WrittenTexts(row[1], row[2], row[3])
                written[row[0]] = written[row[0]].joined(texts) if row[0] in written else texts
        return {key: texts for key, texts in written.items() if self.only is None or key in self.only}

    def get(self, output_id: int) -> OutputRow | None:
        statement = sa.select(*COLUMNS).select_from(_joined()).where(output.c.id == output_id)
        return self._one(statement, _row)

    def several(self, ids: Sequence[int]) -> dict[int, OutputRow]:
        """Return these outputs, by id: those that are there."""
        statement = sa.select(*COLUMNS).select_from(_joined()).where(output.c.id.in_(ids))
        return {row.id: row for row in self._all(statement, _row)}

    def cut_off(self) -> frozenset[int]:
        """Return the ids of texts that end at the limit on tokens."""
        ids: list[int] = []
        for piece in self._pieces(output):
            here = piece & (output.c.finish_reason == CUT)
            ids += [row[0] for row in self._reader.rows(sa.select(output.c.id).where(here, output.c.status == "done"))]
        return frozenset(ids)

    def texts(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the texts of some outputs."""
        statement = sa.select(output.c.id, output.c.text, output.c.escaped).where(output.c.id.in_(ids))
        return dict(self._all(statement, lambda row: (row.id, restore_text(row.text, row.escaped))))

    def prompts(self, ids: Sequence[int]) -> dict[int, str]:
        """Return the prompts that some outputs answer, by output."""
        statement = (
            sa.select(output.c.id, prompt.c.text, prompt.c.escaped)
            .select_from(output.join(prompt, prompt.c.id == output.c.prompt_id))
            .where(output.c.id.in_(ids))
        )
        return dict(self._all(statement, lambda row: (row.id, restore_text(row.text, row.escaped))))


@lru_cache(maxsize=64)
def _page(where: OutputFilter) -> "sa.Select[Any]":
    """Return the statement, built once for each selection: a live board asks ten times a second, and building it took
    longer than its answer.
    """
    statement: sa.Select[Any] = sa.select(*COLUMNS).select_from(_joined()).where(output.c.id > sa.bindparam("after"))
    return _narrow(statement, where).order_by(output.c.id).limit(sa.bindparam("most"))


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
    if where.run_ids is not None:
        statement = statement.where(output.c.run_id.in_(where.run_ids))
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


_row = made(OutputRow)
