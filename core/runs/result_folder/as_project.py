"""A result folder shown as a read-only project: its findings in a private file, its rows where they lie."""

import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.leftovers import new_folder
from biasprint.core.project.connection import connect
from biasprint.core.project.project import Project
from biasprint.core.project.reader import Reader
from biasprint.core.project.schema import migrate
from biasprint.core.project.stores.findings import Findings
from biasprint.core.project.stores.studies import Studies
from biasprint.core.project.writer import Writer
from biasprint.core.runs.result_folder.files import MANIFEST
from biasprint.core.runs.result_folder.measuring import MeasuredFolder, NoGroups, measure_folder

STUDY = "compare"
READ_ONLY = (
    "“{name}” is a result folder and is open read-only: to go on with its texts, import the data that were scored "
    "into a project."
)
MISSING = " {missing:,} of its {partitions:,} files have no scores yet, and are in no finding."


def measure_result_folder(folder: str, ctx: JobContext) -> MeasuredFolder | None:
    """The findings of a folder; None where no column holds groups. Called in the compute process."""
    if not (Path(folder) / MANIFEST).is_file():
        raise UsageError(f"“{Path(folder).name}” is no result folder.", hint=f"One has a file “{MANIFEST}” in it.")
    try:
        return measure_folder(ctx, Path(folder))
    except NoGroups:
        return None


def open_result_folder(folder: Path, measure: Callable[[Path], MeasuredFolder | None]) -> Project:
    """Open it with what `measure` finds, which may raise `AppError` for a folder that is none or has no scores.

    The findings are in a file of a temporary folder, which is removed when the project is closed; the result folder is
    only read.
    """
    found = measure(folder)
    private = new_folder() / f"{folder.name}.biasprint"
    try:
        _write(private, folder.name, found)
        why = READ_ONLY.format(name=folder.name)
        if found is not None and found.missing:
            why += MISSING.format(missing=len(found.missing), partitions=found.partitions)
        return Project(folder, lock=None, read_only=why, opened_as=private)
    except BaseException:
        shutil.rmtree(private.parent, ignore_errors=True)
        raise


def _write(private: Path, title: str, found: MeasuredFolder | None) -> None:
    """Not as a project that is made: that is remembered, and backed up, for the next time."""
    private.touch()
    with closing(connect(private, writable=True)) as connection:
        migrate(connection, present=0)
    reader, writer = Reader(private), Writer(private, lambda _: None, lambda: None)
    try:
        Studies(reader, writer).add(STUDY, title)
        if found is not None:
            recipe = {"rows": found.result.rows, "left_out": dict(found.result.dropped)}
            Findings(reader, writer).replace(STUDY, "whole study", recipe, found.result.findings)
    finally:
        writer.close()
        reader.close()
