"""Generators and runs. A run is one generator over one prompt set with one seed; starting it again resumes it."""

import json
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

import core
from core.project.changes import Changes
from core.project.rows import GeneratorRow, Pending, RunCounts, RunRow
from core.project.specs import GeneratorSpec, RunSpec
from core.project.stores.common import Part, canonical_json, insert_one, json_sha256, utc_now
from core.project.stores.prompts import prompt_row
from core.project.tables import Generator, Output, Prompt, Run, table

generator = table(Generator)
run = table(Run)
prompt = table(Prompt)
output = table(Output)


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
        by_status = (
            sa.select(output.c.status, sa.func.count()).where(output.c.run_id == run_id).group_by(output.c.status)
        )
        found: dict[str, int] = {row[0]: row[1] for row in self._reader.rows(by_status)}
        return RunCounts(prompts * this.samples, found.get("done", 0), found.get("error", 0))

    def pending(self, run_id: int, after: tuple[int, int] = (0, -1), limit: int = 500) -> tuple[Pending, ...]:
        """The next prompts and samples without an output, in the order (prompt, sample), after the one given."""
        this = self.get(run_id)
        prompt_id, sample = after
        numbers = sa.select(sa.literal(0).label("sample")).cte("numbers", recursive=True)
        numbers = numbers.union_all(sa.select(numbers.c.sample + 1).where(numbers.c.sample + 1 < this.samples))
        present = sa.select(output.c.id).where(
            output.c.run_id == run_id, output.c.prompt_id == prompt.c.id, output.c.sample == numbers.c.sample
        )
        statement = (
            sa.select(prompt, numbers.c.sample)
            .select_from(prompt.join(numbers, sa.true()))
            .where(prompt.c.prompt_set_id == this.prompt_set_id, prompt.c.id >= prompt_id)
            .where((prompt.c.id > prompt_id) | (numbers.c.sample > sample))
            .where(~present.correlate(prompt, numbers).exists())
            .order_by(prompt.c.id, numbers.c.sample)
            .limit(limit)
        )
        return self._all(statement, lambda row: Pending(prompt_row(row), row.sample))


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
