"""The rows of a result folder, read page by page where they lie, and their texts, where the data are still there.

Called in a compute process: pyarrow is not loaded in the window's. (decision 0048)
"""

import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import ordinary_file
from biasprint.core.jobs import JobContext
from biasprint.core.machine.files import new_folder
from biasprint.core.project.connection import connect
from biasprint.core.project.project import Project
from biasprint.core.project.reader import Reader
from biasprint.core.project.schema import migrate
from biasprint.core.project.stores.findings import Findings
from biasprint.core.project.stores.studies import Studies
from biasprint.core.project.writer import Writer
from biasprint.core.runs.result_folder import MANIFEST, SCORES, VALUES, footer_of, manifest
from biasprint.core.runs.result_folder.measuring import MeasuredFolder, NoGroups, measure_folder
from biasprint.core.runs.result_folder.scoring import ScoringOrder
from biasprint.core.studies.registry import table_fields
from biasprint.core.tables.fields import guess_mapping

if TYPE_CHECKING:
    from pyarrow import parquet


# ---- The folder as a project

STUDY = "compare"
READ_ONLY = (
    "“{name}” is a result folder and is open read-only: to go on with its texts, import the data that were scored "
    "into a project."
)
MISSING = " {missing:,} of its {partitions:,} files have no scores yet, and are in no finding."


def measure_result_folder(folder: str, ctx: JobContext) -> MeasuredFolder | None:
    """Return the findings of a folder; None where no column holds groups. Called in the compute process."""
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
    findings = measure(folder)
    private = new_folder() / f"{folder.name}.biasprint"
    try:
        _write(private, folder.name, findings)
        why = READ_ONLY.format(name=folder.name)
        if findings is not None and findings.missing:
            why += MISSING.format(missing=len(findings.missing), partitions=findings.partitions)
        return Project(folder, lock=None, read_only=why, opened_as=private)
    except BaseException:
        shutil.rmtree(private.parent, ignore_errors=True)
        raise


def _write(private: Path, title: str, findings: MeasuredFolder | None) -> None:
    """Write the file directly: a project that is made would be remembered and backed up for the next time."""
    private.touch()
    with closing(connect(private, writable=True)) as connection:
        migrate(connection, present=0)
    reader, writer = Reader(private), Writer(private, lambda _: None, lambda: None)
    try:
        Studies(reader, writer).add(STUDY, title)
        if findings is not None:
            recipe = {"rows": findings.result.rows, "left_out": dict(findings.result.dropped)}
            Findings(reader, writer).replace(STUDY, "whole study", recipe, findings.result.findings)
    finally:
        writer.close()
        reader.close()


Flags = NDArray[np.bool_]
BATCH_ROWS = 20_000
MOST_BYTES = 64_000_000  # of texts that are read for a page: a Parquet file gives no less than a whole row group


@dataclass(frozen=True)
class FinishedPartition:
    """A partition that is scored, by its name, and how many rows it has."""

    name: str
    rows: int


@dataclass(frozen=True)
class ResultRow:
    """A row as people read it. `text`: None where it cannot be read, and `why`. `columns`: what was kept and scored."""

    group: str
    text: str | None
    why: str
    columns: tuple[tuple[str, str], ...]


def finished_partitions(folder: str) -> list[FinishedPartition]:
    """Return the finished partitions in the manifest's order. Raises `UsageError` for a folder that is none, `AppError`
    where nothing is scored.
    """
    stated = _stated_manifest(Path(folder))
    footers = {str(name): footer_of(Path(folder) / SCORES / str(name)) for name in stated["partitions"]}
    finished = [FinishedPartition(name, int(footer["rows"])) for name, footer in footers.items() if footer is not None]
    if not finished:
        raise AppError(f"No file of “{folder}” is scored yet.", hint="Go on with the command that began it.")
    return finished


def rows_of_partition(folder: str, name: str, places: Sequence[int]) -> list[ResultRow]:
    """Return the rows of a partition by their places in it, in that order."""
    from pyarrow import parquet

    stated = _stated_manifest(Path(folder))
    with parquet.ParquetFile(Path(folder) / SCORES / name) as file:
        shown = [column_name for column_name in file.schema_arrow.names if not column_name.endswith(VALUES)]
        group = _group_column(file.schema_arrow.names)
        cells = _columns_at(file, shown, places)
    texts, why = _texts_at(stated, name, places)
    return [
        ResultRow(
            _word(cells[group][at]) if group else "",
            texts[at] if texts is not None else None,
            why,
            tuple((column, _word(values[at])) for column, values in cells.items()),
        )
        for at in range(len(places))
    ]


def places_in_partition(folder: str, name: str, group: str | None, wanted: str | None) -> NDArray[np.int64]:
    """Return the places of the rows of a group in a partition whose text holds a word, ignoring case."""
    from pyarrow import parquet

    stated = _stated_manifest(Path(folder))
    with parquet.ParquetFile(Path(folder) / SCORES / name) as file:
        column, rows = _group_column(file.schema_arrow.names), file.metadata.num_rows
        matches = np.ones(rows, bool)
        if group is not None:
            matches &= _rows_of_group(file, column, group)
    if wanted is not None:
        needle, text = wanted.casefold(), str(stated["text"])
        try:
            with parquet.ParquetFile(_source(stated, name)) as file:
                matches &= _containing(file, text, needle)
        except (AppError, OSError, ValueError) as error:
            raise AppError(
                "The texts of this folder are not on this computer as they were scored: they cannot be searched here.",
                details=str(error),
            ) from error
    return np.flatnonzero(matches).astype(np.int64)


def _stated_manifest(folder: Path) -> Mapping[str, Any]:
    stated = manifest(folder)
    if stated is None:
        raise UsageError(f"“{folder}” is no result folder.", hint=f"One has a file “{MANIFEST}” in it.")
    return stated


def _source(stated: Mapping[str, Any], name: str) -> Path:
    """Return the file that the texts were in. Raises `AppError` for what is no ordinary file: opening a pipe would
    never end.
    """
    order = ScoringOrder(Path(stated["data"]), Path(), str(stated["text"]), ())
    source = order.source(name)
    ordinary_file(source, follow=source == order.data)
    return source


def _group_column(names: Sequence[str]) -> str:
    return guess_mapping(names, [], table_fields("compare")).get("group", "")


def _texts_at(stated: Mapping[str, Any], name: str, places: Sequence[int]) -> tuple[list[str] | None, str]:
    """Return the texts, or why they are not here."""
    import pyarrow
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(_source(stated, name)) as file:
            if any(_group_bytes(file, at) > MOST_BYTES for at in _row_groups(file, places)):
                return None, "not read: its row group in the data is too large"
            return [_word(value) for value in _columns_at(file, [str(stated["text"])], places)[str(stated["text"])]], ""
    except (AppError, OSError, KeyError, IndexError, pyarrow.ArrowException):
        return None, "not on this computer: the data are not where they were scored"


def _group_bytes(file: "parquet.ParquetFile", at: int) -> int:
    return int(file.metadata.row_group(at).total_byte_size)


def _row_groups(file: "parquet.ParquetFile", places: Sequence[int]) -> dict[int, int]:
    """Return the row groups with these places, each with the place of its first row. IndexError for one behind
    the end.
    """
    groups: dict[int, int] = {}
    first, left = 0, set(places)
    for at in range(file.metadata.num_row_groups):
        rows = file.metadata.row_group(at).num_rows
        here = {place for place in left if first <= place < first + rows}
        if here:
            groups[at] = first
        left -= here
        first += rows
    if left:
        raise IndexError(max(left))
    return groups


def _columns_at(file: "parquet.ParquetFile", names: Sequence[str], places: Sequence[int]) -> dict[str, list[Any]]:
    values: dict[str, dict[int, Any]] = {name: {} for name in names}
    for at, first in _row_groups(file, places).items():
        table = file.read_row_group(at, columns=list(names), use_threads=False)
        here = [place for place in places if first <= place < first + table.num_rows]
        taken = table.take([place - first for place in here])
        for name in names:
            values[name] |= dict(zip(here, taken.column(name).to_pylist(), strict=True))
    return {name: [cells[place] for place in places] for name, cells in values.items()}


def _rows_of_group(file: "parquet.ParquetFile", column: str, group: str) -> Flags:
    """Return which rows are of a group; each distinct value is compared once."""
    if column not in file.schema_arrow.names:
        return np.zeros(file.metadata.num_rows, bool)
    matches = []
    for batch in file.iter_batches(BATCH_ROWS, columns=[column], use_threads=False):
        coded = batch.column(column).dictionary_encode()
        fits = np.array([*(_word(value) == group for value in coded.dictionary.to_pylist()), group == ""], bool)
        matches.append(fits[coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)])  # the last is for no value
    return np.concatenate(matches) if matches else np.zeros(0, bool)


def _containing(file: "parquet.ParquetFile", column: str, needle: str) -> Flags:
    batches = file.iter_batches(BATCH_ROWS, columns=[column], use_threads=False)
    return np.array(
        [needle in _word(value).casefold() for batch in batches for value in batch.column(column).to_pylist()], bool
    )


def _word(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)
