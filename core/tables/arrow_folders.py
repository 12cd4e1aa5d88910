"""Folders that `datasets` saved with `save_to_disk`, and single Arrow files: record batches, one after another."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.tables.encoding import UTF8, misfit
from biasprint.core.tables.json_files import Parsed, RecordsFile
from biasprint.core.tables.rows import Fault, excerpt
from biasprint.core.tables.typed_files import plain_text

STATE, SPLITS = "state.json", "dataset_dict.json"
BATCH_ROWS = 2000


def is_arrow_folder(path: Path) -> bool:
    """Return whether `datasets` saved this folder."""
    return path.is_dir() and ((path / STATE).is_file() or (path / SPLITS).is_file())


def open_arrow(path: Path) -> RecordsFile:
    """Open a folder of Arrow files, or one file; rows of several splits have a column `split`."""
    files = _files(path)
    if missing := next((file for _, file in files if not file.is_file()), None):
        raise AppError(f"“{path.name}” lacks its part “{missing.name}”.", hint="Copy the whole folder again.")
    if not files:
        raise AppError(f"“{path.name}” has no Arrow file.", hint="Copy the whole folder again.")
    return RecordsFile.open(path, UTF8, lambda ctx: _records(path, files, ctx))


def _files(path: Path) -> list[tuple[str, Path]]:
    if path.is_file():
        return [("", path)]
    if (path / SPLITS).is_file():
        splits = _json(path / SPLITS).get("splits", [])
        return [(split, file) for split in splits for _, file in _files(path / Path(str(split)).name)]
    return [("", path / Path(str(item["filename"])).name) for item in _json(path / STATE).get("_data_files", [])]


def _json(path: Path) -> Any:
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise AppError(f"“{path}” cannot be read.", hint="Copy the whole folder again.", details=str(error)) from error
    return whole if isinstance(whole, dict) else {}


def _records(path: Path, files: list[tuple[str, Path]], ctx: JobContext | None) -> Iterator[tuple[int, Parsed]]:
    number = 0
    for place, (split, file) in enumerate(files):
        for batch in _batches(file):
            if ctx:
                ctx.step(place, len(files), note=f"reading {path.name}")
            for record in batch.to_pylist():
                number += 1
                plain = {**({"split": split} if split else {}), **{key: _plain(value) for key, value in record.items()}}
                bad = next((cell for cell in plain.values() if isinstance(cell, str) and misfit(cell, UTF8)), None)
                yield number, plain if bad is None else Fault("wrong encoding", misfit(bad, UTF8), excerpt(bad))


def _batches(file: Path) -> Iterator[Any]:
    """The record batches of a stream, which `datasets` writes, or of a file with a footer."""
    from pyarrow import ArrowException, ipc, memory_map

    try:
        with memory_map(str(file)) as source:
            try:
                reader = ipc.open_stream(source)
            except ArrowException:
                source.seek(0)
                opened = ipc.open_file(source)
                batches = (opened.get_batch(place) for place in range(opened.num_record_batches))
            else:
                batches = iter(reader)
            for batch in batches:
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    yield batch.slice(start, BATCH_ROWS)
    except (ArrowException, UnicodeDecodeError, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        hint = "Check that it was copied completely, or save the data set as parquet."
        raise AppError(f"“{file.name}” is broken, or not an Arrow file.", hint=hint, details=str(error)) from error


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list) else plain_text(value)
