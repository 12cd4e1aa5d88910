"""The scoring of a result folder: which files still have to be scored, and one Parquet file, on whatever machine.

It can be begun, interrupted and gone on with: what has a sound output, by its footer, need not be scored again. A file
is read batch by batch, and its scores are written whole or not at all. The output keeps every plain column but the
text, in the same rows, and adds the text's SHA-256 and two columns for each scorer: `NAME`, the score's one number
(null where there is none), and `NAME.values`, all its numbers.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from biasprint import core
from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import ordinary_file
from biasprint.core.machine.files import not_written, whole_file, write_whole
from biasprint.core.runs.result_folder import FOOTER, FORMAT, MANIFEST, SCORES, TEXT_HASH, VALUES, footer_of, manifest
from biasprint.core.scorers.protocol import ScorerInfo
from biasprint.core.scorers.registry import info_of, score_each
from biasprint.core.studies.registry import table_fields
from biasprint.core.tables.fields import guess_mapping
from biasprint.core.tables.read import look_at
from biasprint.core.text import sha256_file

if TYPE_CHECKING:
    import pyarrow

ENDING, PART = ".parquet", ".part"


@dataclass(frozen=True)
class ScoringOrder:
    """An order to score texts with scorers. It goes to each machine, where both folders have the same paths.

    `data`: a Parquet file or a folder of them. `scorers`: as they are where the order was given. `text`: the column.
    """

    data: Path
    out: Path
    text: str
    scorers: tuple[ScorerInfo, ...]
    version: str = core.__version__

    def source(self, name: str) -> Path:
        """Return the input file of a partition."""
        return self.data if self.data.is_file() else self.data / name

    def target(self, name: str) -> Path:
        """Return the output file of a partition."""
        return self.out / SCORES / name

    def stated(self) -> dict[str, Any]:
        """Return what the manifest and every output file state of the order; it must be equal to resume."""
        return {"format": FORMAT, "text": self.text, "scorers": [stated(scorer) for scorer in self.scorers]}


def stated(scorer: ScorerInfo) -> dict[str, Any]:
    """Return a scorer as a result folder keeps it."""
    values = asdict(scorer)
    return {name: value for name, value in values.items() if name not in ("note", "unavailable")} | {
        "labels": list(scorer.labels)
    }


@dataclass(frozen=True)
class ScoringPlan:
    """The partitions that are left to score. `names`: all partitions. `done`: those with a sound output, and its
    footer. `again`: outputs found broken.
    """

    order: ScoringOrder
    names: tuple[str, ...]
    done: dict[str, dict[str, Any]]
    again: tuple[str, ...] = ()
    new: tuple[str, ...] = ()

    @property
    def left(self) -> list[str]:
        return [name for name in self.names if name not in self.done]


def plan(data: Path, out: Path, scorers: Sequence[str], text: str | None = None) -> ScoringPlan:
    """Return what is left to score. Writes the manifest where the folder is begun; unfinished files are removed.

    Raises `UsageError` and `AppError`: no Parquet files, an unknown column, and a folder that was begun with something
    else (another scorer, version or column, an input file that is another or is gone).
    """
    data, out = data.resolve(), out.resolve()
    names = partitions(data)
    if out == data or data in out.parents or out in data.parents:
        raise UsageError("The result folder and the data lie in each other.", hint="Name another folder with --out.")
    infos = tuple(info_of(name) for name in scorers)
    for info in infos:
        if info.unavailable:
            raise AppError(f"The scorer “{info.name}” cannot be used here.", hint=info.unavailable)
    begun = manifest(out)
    column = text or (str(begun["text"]) if begun else None) or _text_column(data, names)
    order = ScoringOrder(data, out, column, infos)
    listed = _as_begun(order, begun, names) if begun else ()
    _remove_unfinished(out)
    done, again = _finished(order, names)
    new = tuple(name for name in names if begun and name not in listed)
    write_manifest(order, names)
    return ScoringPlan(order, names, done, again, new)


def partitions(data: Path) -> tuple[str, ...]:
    """Return the Parquet files of a folder, by their relative names with “/”; those that begin with “.” or “_” are no
    data.
    """
    if data.is_file():
        return (data.name,)
    if not data.is_dir():
        raise UsageError(f"There is no “{data}”.", hint="Name a Parquet file, or a folder of them.")
    paths = sorted(path.relative_to(data) for path in data.rglob(f"*{ENDING}") if not path.is_dir())
    names = tuple(file.as_posix() for file in paths if not any(part[0] in "._" for part in file.parts))
    if not names:
        raise UsageError(f"There is no Parquet file in “{data}”.", hint=f"Their names end in {ENDING}.")
    return names


def write_manifest(order: ScoringOrder, names: Sequence[str], failed: Sequence[tuple[str, str]] = ()) -> None:
    """State the order, all partitions, and those that could not be scored and why."""
    (order.out / SCORES).mkdir(parents=True, exist_ok=True)
    content = {"biasprint": order.version, **order.stated(), "data": str(order.data), "partitions": list(names)}
    content["failed"] = [{"partition": name, "why": why} for name, why in failed]
    write_whole(order.out / MANIFEST, (json.dumps(content, indent=1) + "\n").encode())


def _text_column(data: Path, names: Sequence[str]) -> str:
    """Return the column with the texts, by the first file that can be read."""
    whys: list[AppError] = []
    for name in names:
        try:
            table = look_at(data if data.is_file() else data / name)
        except AppError as error:
            whys.append(error)
            continue
        guessed = guess_mapping(table.columns, table.sample_rows, table_fields("texts"))
        if guessed.get("text") not in table.columns:
            raise UsageError(f"No column of “{name}” looks like texts.", hint="Say which it is: --map text=COLUMN.")
        return guessed["text"]
    raise whys[0]


def _as_begun(order: ScoringOrder, begun: dict[str, Any], names: Sequence[str]) -> tuple[str, ...]:
    """Return the partitions that the folder was begun with. Raises `AppError` where it is not this order's."""
    before, now = {own["name"]: own for own in begun["scorers"]}, order.stated()["scorers"]
    other = "Name another folder with --out; this one stays as it is."
    for own in now:
        known = before.get(own["name"])
        if known is not None and (known["version"], known.get("sha256")) != (own["version"], own["sha256"]):
            raise AppError(
                f"“{order.out.name}” was begun with {own['name']} {known['version']}, and here it is {own['version']}"
                f"{'' if known['version'] != own['version'] else ' with other weights'}.", hint=other,
            )  # fmt: skip
    if list(before) != [own["name"] for own in now]:
        raise AppError(f"“{order.out.name}” was begun with other scorers: {', '.join(before)}.", hint=other)
    if begun["text"] != order.text:
        raise AppError(f"“{order.out.name}” was begun with the texts of column “{begun['text']}”.", hint=other)
    listed: tuple[str, ...] = tuple(begun["partitions"])
    if gone := [name for name in listed if name not in set(names)]:
        more = f" and {len(gone) - 1:,} more" if len(gone) > 1 else ""
        raise AppError(
            f"“{order.out.name}” was begun with “{gone[0]}”{more}, which the data no longer have.", hint=other
        )
    return listed


def _finished(order: ScoringOrder, names: Sequence[str]) -> tuple[dict[str, dict[str, Any]], tuple[str, ...]]:
    """Return the partitions whose output is sound, and those whose output is not. `AppError` where an input has changed
    since.
    """
    done: dict[str, dict[str, Any]] = {}
    again = []
    for name in names:
        if not order.target(name).exists():
            continue
        footer = footer_of(order.target(name))
        if footer is None or footer.get("order") != order.stated():
            again.append(name)
            continue
        if not _same_input(order.source(name), footer["input"]):
            raise AppError(
                f"“{name}” is not what “{order.out.name}” was begun with: it has changed since.",
                hint="Name another folder with --out, or put the file back.",
            )
        done[name] = footer
    return done, tuple(again)


def _same_input(path: Path, known: dict[str, Any]) -> bool:
    """Return whether a file is unchanged, by size and time; where the time alone differs (a copy), by its bytes."""
    status = path.stat()
    if status.st_size != known["bytes"]:
        return False
    return bool(status.st_mtime_ns == known["changed_ns"] or sha256_file(path) == known["sha256"])


def _remove_unfinished(out: Path) -> None:
    """Remove the unfinished files of lost machines: only below `scores`, where nobody else writes."""
    for path in _unfinished(out):
        path.unlink(missing_ok=True)


def _unfinished(out: Path) -> Iterator[Path]:
    if (out / SCORES).is_dir():
        yield from (out / SCORES).rglob(f".*{PART}")


# ---- One file

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
