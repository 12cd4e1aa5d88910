"""Generators and runs. A run is one generator over one prompt set with one seed; starting it again resumes it."""

import json
from collections import Counter
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

import core
from core.project.changes import Changes
from core.project.reader import ROWS_AT_ONCE
from core.project.rows import GeneratorRow, Pending, PromptRow, RunCounts, RunRow
from core.project.specs import GeneratorSpec, RunSpec
from core.project.stores.common import Part, canonical_json, insert_one, json_sha256, utc_now
from core.project.stores.prompts import prompt_row
from core.project.tables import Generator, Output, Prompt, Run, table

generator = table(Generator)
run = table(Run)
prompt = table(Prompt)
output = table(Output)

COUNTED_AT_ONCE = 2_000


class Runs(Part):
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
        found = self._one(sa.select(run).where(run.c.id == run_id), _run)
        if found is None:
            raise KeyError(run_id)
        return found

    def generators(self) -> dict[int, GeneratorRow]:
        rows = self._all(sa.select(generator).order_by(generator.c.id), _generator)
        return {row.id: row for row in rows}

    def counts(self, run_id: int) -> RunCounts:
        this = self.get(run_id)
        prompts = self._number(sa.select(sa.func.count()).where(prompt.c.prompt_set_id == this.prompt_set_id))
        found = self._by_outcome(run_id)
        failures = {failure: count for (status, failure), count in found.items() if status == "error"}
        return RunCounts(prompts * this.samples, found["done", ""], failures)

    def _by_outcome(self, run_id: int) -> Counter[tuple[str, str]]:
        """How many outputs a run has of each status and failure, counted piece by piece: a million takes seconds."""
        found: Counter[tuple[str, str]] = Counter()
        last = self._number(sa.select(sa.func.coalesce(sa.func.max(output.c.id), 0)))
        for first in range(0, last, COUNTED_AT_ONCE):
            # The zero keeps SQLite on the ids: by the run's index every piece would look at the whole run.
            here = output.c.id.between(first + 1, first + COUNTED_AT_ONCE) & (output.c.run_id + 0 == run_id)
            outcome = (output.c.status, output.c.failure)
            statement = sa.select(*outcome, sa.func.count()).where(here).group_by(*outcome)
            found.update({(row[0], row[1]): row[2] for row in self._reader.rows(statement)})
        return found

    def pending(self, run_id: int, after: tuple[int, int] = (0, -1), limit: int = 500) -> tuple[Pending, ...]:
        """The next prompts and samples without an output, in the order (prompt, sample), after the one given.

        Read a few prompts at a time. In one statement SQLite sorts everything that is missing first: with 3,240 prompts
        and 400 samples it read for half a second, and a person's choice waited as long for its commit.
        """
        this = self.get(run_id)
        found: list[Pending] = []
        first = after[0]
        while len(found) < limit:
            prompts, present = self._prompts_with_samples(this, first)
            if not prompts:
                break
            for row in prompts:
                wanted = ((row.id, sample) for sample in range(this.samples))
                found += [Pending(row, key[1]) for key in wanted if key > after and key not in present]
            first = prompts[-1].id + 1
        return tuple(found[:limit])

    def _prompts_with_samples(self, this: RunRow, first: int) -> tuple[list[PromptRow], set[tuple[int, int]]]:
        """A run's next prompts from the id `first` on, and the (prompt, sample) of the outputs that they have."""
        prompts = (
            sa.select(prompt)
            .where(prompt.c.prompt_set_id == this.prompt_set_id, prompt.c.id >= first)
            .order_by(prompt.c.id)
            .limit(max(1, ROWS_AT_ONCE // this.samples))
        )

        def read(connection: Connection) -> tuple[list[PromptRow], set[tuple[int, int]]]:
            rows = [prompt_row(row) for row in connection.execute(prompts)]
            ids = [row.id for row in rows]
            there = sa.select(output.c.prompt_id, output.c.sample).where(
                output.c.run_id == this.id, output.c.prompt_id.in_(ids)
            )
            return rows, {(row.prompt_id, row.sample) for row in connection.execute(there)}

        return self._reader.run(read)


def _run(row: Any) -> RunRow:
    return RunRow(
        row.id,
        row.study_id,
        row.prompt_set_id,
        row.generator_id,
        row.seed,
        row.samples,
        json.loads(row.recipe),
        row.program_version,
        row.created_at,
    )


def _generator(row: Any) -> GeneratorRow:
    return GeneratorRow(row.id, row.backend, row.model, json.loads(row.parameters), row.revision)
