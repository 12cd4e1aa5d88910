"""Score one Parquet file, on whatever machine: read batch by batch, and written whole or not at all.

The output keeps every plain column but the text, in the same rows, and adds the text's SHA-256 and two columns for each
scorer: `NAME`, the score's one number (null where there is none), and `NAME.values`, all its numbers.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasprint import core
from biasprint.core.errors import AppError
from biasprint.core.given import ordinary_file
from biasprint.core.machine.files import not_written, whole_file
from biasprint.core.runs.result_folder import FOOTER, TEXT_HASH, VALUES
from biasprint.core.runs.result_folder.planning import ScoringOrder
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import info_of, score_each
from biasprint.core.text import sha256_file

if TYPE_CHECKING:
    import pyarrow

BATCH_ROWS = 2000  # of which a machine holds the texts and scores at once


@dataclass(frozen=True)
class ScoredPartition:
    """The result of scoring a partition. `failed`: texts that a scorer broke on, `error` its message on the first of
    them; `refused`: why nothing was written, empty where it was.
    """

    name: str
    rows: int = 0
    failed: int = 0
    error: str = ""
    refused: str = ""


def why_not(order: ScoringOrder) -> str:
    """Return why this machine must not score it: its program or a scorer differs from the order's."""
    if order.version != core.__version__:
        return f"Biasprint is {core.__version__} there, and {order.version} here"
    for asked in order.scorers:
        try:
            info = info_of(asked.name)
        except AppError as error:
            return str(error)
        if info.unavailable:
            return f"{asked.name} cannot be used there: {info.unavailable}"
        if (info.version, info.sha256) != (asked.version, asked.sha256):
            return f"{asked.name} is {info.version} there, and {asked.version} here"
    return ""


def score_partition(order: ScoringOrder, name: str) -> ScoredPartition:
    """Score a partition and write its output, in place of one that was there. A failure is stated in `refused`."""
    import pyarrow

    source = order.source(name)
    try:
        ordinary_file(source, follow=source == order.data)
        return _scored(order, name, source)
    except AppError as error:
        return ScoredPartition(name, refused=str(error))
    except pyarrow.ArrowException as error:
        return ScoredPartition(name, refused=f"it cannot be read as a Parquet file ({_line(error)})")
    except OSError as error:
        if error.filename is not None and not source.exists():
            return ScoredPartition(name, refused=f"there is no “{source}” on the machine that was to score it")
        if error.errno is None:  # pyarrow's, of bytes that are not as they should be
            return ScoredPartition(name, refused=f"it cannot be read as a Parquet file ({_line(error)})")
        return ScoredPartition(name, refused=not_written(order.target(name), error).message)
    except MemoryError:
        return ScoredPartition(name, refused="it needs more memory than the machine has")


def _scored(order: ScoringOrder, name: str, source: Path) -> ScoredPartition:
    from pyarrow import parquet

    before = source.stat()
    digest = sha256_file(source)
    target = order.target(name)
    target.parent.mkdir(parents=True, exist_ok=True)
    tally = _Tally()
    with parquet.ParquetFile(source) as file, whole_file(target) as out:
        columns = _kept_columns(order, file.schema_arrow)
        writer = None
        try:
            for batch in file.iter_batches(BATCH_ROWS, columns=[order.text, *columns], use_threads=False):
                table = _with_scores(order, batch, columns, tally)
                writer = writer or parquet.ParquetWriter(out, table.schema)
                writer.write_table(table)
            if writer is None:
                writer = parquet.ParquetWriter(
                    out, _with_scores(order, _nothing(file, order, columns), columns, tally).schema
                )
            after = source.stat()
            if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
                raise AppError("it was changed while it was read")
            made_from = {"sha256": digest, "bytes": before.st_size, "changed_ns": before.st_mtime_ns}
            footer = {"input": made_from, "rows": tally.rows, "failed": tally.failed, "order": order.stated()}
            writer.add_key_value_metadata({FOOTER: json.dumps(footer)})
        finally:
            if writer is not None:
                writer.close()
    return ScoredPartition(name, tally.rows, tally.failed, tally.error)


@dataclass
class _Tally:
    rows: int = 0
    failed: int = 0
    error: str = ""


def _kept_columns(order: ScoringOrder, schema: "pyarrow.Schema") -> list[str]:
    """Return the plain columns beside the text. Raises `AppError` where the text's is missing or a name is taken
    twice.
    """
    import pyarrow

    if order.text not in schema.names:
        raise AppError(f"it has no column “{order.text}”")
    nested = pyarrow.types.is_nested
    names = [field.name for field in schema if field.name != order.text and not nested(field.type)]
    ours = {TEXT_HASH, *(scorer.name for scorer in order.scorers), *(scorer.name + VALUES for scorer in order.scorers)}
    if taken := sorted(ours & set(names)):
        raise AppError(f"it has a column “{taken[0]}”, which is the name of a result")
    return names


def _nothing(file: Any, order: ScoringOrder, columns: Sequence[str]) -> "pyarrow.RecordBatch":
    import pyarrow

    fields = [file.schema_arrow.field(name) for name in (order.text, *columns)]
    return pyarrow.RecordBatch.from_pylist([], schema=pyarrow.schema(fields))


def _with_scores(
    order: ScoringOrder, batch: "pyarrow.RecordBatch", kept_columns: Sequence[str], tally: _Tally
) -> "pyarrow.Table":
    import pyarrow

    texts = [_text(value) for value in batch.column(order.text).to_pylist()]
    columns: dict[str, Any] = {name: batch.column(name) for name in kept_columns}
    columns[TEXT_HASH] = pyarrow.array([sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts],
                                       pyarrow.string())  # fmt: skip
    for scorer in order.scorers:
        columns |= dict(_columns_of(scorer, texts, tally))
    tally.rows += len(texts)
    return pyarrow.table(columns)


def _columns_of(scorer: ScorerInfo, texts: Sequence[str], tally: _Tally) -> Iterator[tuple[str, Any]]:
    import pyarrow

    values, failed = score_each(scorer.name, texts)[1:] if texts else ([], {})
    tally.failed += len(failed)
    tally.error = tally.error or next(iter(failed.values()), "")
    yield scorer.name, pyarrow.array([value.summary for value in values], pyarrow.float64())
    yield (
        scorer.name + VALUES,
        pyarrow.array([value.values.tolist() for value in values], pyarrow.list_(pyarrow.float32())),
    )


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else str(value)


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:150]
