"""Tables brought into a project that is gone afterwards: what a project alone can be asked can be asked of tables."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.leftovers import temporary_folder
from biasprint.core.project.project import Project
from biasprint.core.runs.importing import import_table
from biasprint.core.runs.measure.by_generator import MODEL, WRITTEN_BY
from biasprint.core.tables.rows import Record, TableRead


@contextmanager
def brought_in(ctx: JobContext, study: str, tables: Sequence[tuple[str, Path, TableRead]]) -> Iterator[Project]:
    """A project with the rows of these tables, each with its kind and its file. Their generators are named by their
    column written_by where they have one, else by model."""
    for kind, path, _ in tables:
        if kind != study:
            raise UsageError(
                f"“{path.name}” is a table of {kind}, whose generators are compared in a project alone.",
                hint="Bring it into a project, or leave out what names generators.",
            )
    with temporary_folder() as folder, Project.create(Path(folder, "tables.biasprint")) as made:
        for _, path, table in tables:
            import_table(ctx, made, None, study, path, replace(table, rows=tuple(map(_by_writer, table.rows))))
        yield made


def _by_writer(row: Record) -> Record:
    writer = row.values.get(WRITTEN_BY, "")
    return replace(row, values={**row.values, MODEL: writer}) if writer else row
