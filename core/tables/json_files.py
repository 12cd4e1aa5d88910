"""Reading JSON: an object a line, a list of objects, and the logs of other programs. Values are kept as written."""

import json
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.tables.logs import (
    INSPECT_TITLE,
    LogFormat,
    check_inspect_header,
    format_of,
    part_missing,
    records_inside,
)
from biasprint.core.tables.rows import EMPTY_ROW, Fault, RawRow, as_text, at_path, excerpt, leaf_paths
from biasprint.core.tables.text_files import UTF8, Encoding, misfit, open_text, watch

HEADER_ROWS = 1000  # keys are looked for in this many first rows
MOST_PATHS = 1000  # of one row
MOST_BYTES = 1024**3  # of a document that is read as a whole
MOST_MEMBER_BYTES = 256 * 1024**2  # of one sample in an archive, unpacked
BLANK = Fault(EMPTY_ROW)

Parsed = Mapping[str, Any] | Fault
Source = Callable[[JobContext | None], Iterator[tuple[int, Parsed]]]


@dataclass(frozen=True)
class RecordsFile:
    """A file of records whose keys are known. `source` gives each with its line; `log`: what makes rows of them.

    `paths` are further places to map: dotted paths into the records as they were written.
    """

    path: Path
    encoding: Encoding
    columns: tuple[str, ...]
    source: Source
    log: LogFormat | None = None
    paths: tuple[str, ...] = ()

    @classmethod
    def open(cls, path: Path, encoding: Encoding, source: Source) -> "RecordsFile":
        """Collect the keys of the first rows and recognise a log. Raises `AppError` if no row is an object."""
        first = list(islice((parsed for _, parsed in source(None) if parsed != BLANK), HEADER_ROWS))
        records = [parsed for parsed in first if not isinstance(parsed, Fault)]
        if not first:
            raise AppError(f"“{path.name}” has no rows.", hint="Check that it was saved completely.")
        if not records:
            raise AppError(
                f"No line of “{path.name}” is a JSON object.",
                hint='Each line must hold one row, like {"text": "…", "group": "…"}.',
            )
        paths = _keys(islice(leaf_paths(record), MOST_PATHS) for record in records)
        log = format_of(records[0])
        if log is None:
            return cls(path, encoding, paths, source)
        notice = " ".join(filter(None, (encoding.notice, f"It was read as a file of {log.title}.")))
        file = cls(path, replace(encoding, notice=notice), (), source, log, paths)
        made = [made for _, _, made in islice(file._made(None), HEADER_ROWS) if not isinstance(made, Fault)]
        return replace(file, columns=_keys(made))

    def rows(self, wanted: Sequence[str], ctx: JobContext | None = None) -> Iterator[RawRow]:
        """Yield every row with the values of the wanted keys or paths ("" where one is absent or null)."""
        for number, (line, parsed, made) in enumerate(self._made(ctx), start=1):
            if isinstance(made, Fault):
                yield RawRow(number, line, fault=made)
                continue
            values = [made[name] if name in made else at_path(parsed, name) for name in wanted]
            odd = next((name for name, value in zip(wanted, values, strict=True) if isinstance(value, dict | list)), "")
            if odd:
                yield RawRow(number, line, fault=Fault("not a text", f"“{odd}” holds a list or an object"))
            else:
                yield RawRow(number, line, tuple([as_text(value) for value in values]))

    def _made(self, ctx: JobContext | None) -> Iterator[tuple[int, Mapping[str, Any], Parsed]]:
        """Yield line, record and the row, or fault, that is made of it; several rows of a record with several texts."""
        make = self.log.reader(self.path) if self.log else None
        for line, parsed in self.source(ctx):
            if isinstance(parsed, Fault):
                yield line, {}, parsed
            elif make is None or self.log is None:
                yield line, parsed, parsed
            elif not self.log.fits(parsed):
                yield line, parsed, Fault(f"not a record of {self.log.title}")
            else:
                try:
                    for made in make(parsed):
                        yield line, parsed, made
                except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
                    yield line, parsed, Fault(f"not a record of {self.log.title}", f"a part of it is odd ({error})")


def _keys(rows: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for row in rows for key in row))


# ---- Lines and whole documents


def open_lines(path: Path, encoding: Encoding) -> RecordsFile:
    """Open a file with one JSON object a line."""
    return RecordsFile.open(path, encoding, lambda ctx: _lines(path, encoding, ctx))


def open_json(path: Path, encoding: Encoding) -> RecordsFile:
    """Open a JSON document: a list of records, another program's log, or one object a line."""
    if path.stat().st_size > MOST_BYTES:
        raise AppError(
            f"“{path.name}” is too large to be read as one JSON document ({path.stat().st_size / 1024**3:.1f} GB).",
            hint="Save it as jsonl, with one record a line.",
        )
    with open_text(path, encoding, newline="\n") as stream:
        text = stream.read()
    try:
        whole = _DECODER.decode(text)
    except _KeyTwice as error:
        raise AppError(f"“{path.name}” gives the key {error} twice.", hint="Leave one of them out.") from None
    except (ValueError, RecursionError) as error:
        if any(isinstance(_parse_line(line, encoding), dict) for line in islice(text.split("\n"), 2)):
            return open_lines(path, encoding)
        hint = "Check that it was saved or copied completely."
        raise AppError(f"“{path.name}” is not valid JSON.", hint=hint, details=str(error)) from error
    records = _records_of(whole, path)
    return RecordsFile.open(path, encoding, lambda ctx: _listed(records, encoding, path, ctx))


def _records_of(whole: Any, path: Path) -> Sequence[Any]:
    if isinstance(whole, list):
        return whole
    if isinstance(whole, dict):
        if (inside := records_inside(whole, path)) is not None:
            return inside
        lists = [part for part in whole.values() if isinstance(part, list) and part and isinstance(part[0], dict)]
        if len(lists) == 1:
            return lists[0]
        if format_of(whole) is not None or not any(isinstance(part, dict | list) for part in whole.values()):
            return [whole]
    raise AppError(
        f"“{path.name}” is JSON, but no list of records was found in it.",
        hint='It must hold one, like [{"text": "…", "group": "…"}], or be a log of a program that is known.',
    )


def _listed(
    records: Sequence[Any], encoding: Encoding, path: Path, ctx: JobContext | None
) -> Iterator[tuple[int, Parsed]]:
    for number, record in enumerate(records, start=1):
        if ctx and number % 1000 == 0:
            ctx.step(number, len(records), note=f"reading {path.name}")
        if not isinstance(record, dict):
            yield number, Fault("not a JSON object", excerpt=excerpt(as_text(record)))
        elif why := misfit(text := as_text(record), encoding):
            yield number, Fault("wrong encoding", why, excerpt(text))
        else:
            yield number, record


def _lines(path: Path, encoding: Encoding, ctx: JobContext | None) -> Iterator[tuple[int, Parsed]]:
    with open_text(path, encoding, newline="\n") as stream:  # only \n ends a line: texts may hold U+2028 or \r
        for number, line in enumerate(stream, start=1):
            watch(stream, path, number, ctx)
            yield number, _parse_line(line, encoding)


def _parse_line(line: str, encoding: Encoding) -> dict[str, Any] | Fault:
    if not line.strip():
        return BLANK
    if why := misfit(line, encoding):
        return Fault("wrong encoding", why, excerpt(line))
    try:
        parsed = _DECODER.decode(line)
    except _KeyTwice as error:
        return Fault("key given twice", str(error), excerpt(line))
    except (ValueError, RecursionError) as error:
        return Fault("not valid JSON", str(error), excerpt(line))
    return parsed if isinstance(parsed, dict) else Fault("not a JSON object", excerpt=excerpt(line))


class _KeyTwice(Exception):
    """The parser would keep the last value and lose the first without a word."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _KeyTwice(next(f"“{key}”" for key in keys if keys.count(key) > 1))
    return result


# Numbers stay as they are written: no rounding, and no limit on their length.
_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=str, parse_float=str, parse_constant=str)


# ---- An archive of inspect_ai: one member for each sample, read one at a time

_HEADERS = ("header.json", "_journal/start.json")
_SAMPLES = "samples/"
ZSTD = 93  # a method of packing, of PKWARE's APPNOTE 4.4.5


def open_archive(path: Path) -> RecordsFile:
    """Open an `.eval` archive. Raises `AppError` for another archive, a broken one, and another version."""
    with _Archive(path) as archive:
        names = archive.namelist()
        header = next((name for name in _HEADERS if name in names), None)
        if header is None:
            raise part_missing(path, INSPECT_TITLE, "the header of the log")
        whole = _DECODER.decode(_member(path, archive, header))
        check_inspect_header(whole if isinstance(whole, dict) else {}, path)
        if not any(name.startswith(_SAMPLES) for name in names):
            raise part_missing(path, INSPECT_TITLE, "every sample")
    return RecordsFile.open(path, UTF8, lambda ctx: _samples(path, ctx))


def _samples(path: Path, ctx: JobContext | None) -> Iterator[tuple[int, Parsed]]:
    with _Archive(path) as archive:
        names = [name for name in archive.namelist() if name.startswith(_SAMPLES) and name.endswith(".json")]
        for number, name in enumerate(names, start=1):
            if ctx:
                ctx.step(number, len(names), note=f"reading {path.name}")
            yield number, _parse_line(_member(path, archive, name), UTF8)


class _Archive:
    """An opened archive. Whatever is broken in it becomes one sentence."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> zipfile.ZipFile:
        try:
            self.archive = zipfile.ZipFile(self.path)
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise _broken(self.path, error) from error
        return self.archive

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        self.archive.close()
        if isinstance(
            error, zipfile.BadZipFile | zlib.error | EOFError | NotImplementedError | UnicodeError | ValueError
        ):
            raise _broken(self.path, error) from error


def _member(path: Path, archive: zipfile.ZipFile, name: str) -> str:
    # Reading stops at the size that is declared, so a false declaration gains nothing.
    if archive.getinfo(name).file_size > MOST_MEMBER_BYTES:
        raise AppError(
            f"“{name}” in “{path.name}” would unpack to {archive.getinfo(name).file_size / 1024**2:,.0f} MB, which is "
            "more than a sample needs.",
            hint="Convert the log to JSON with inspect_ai if you trust where it comes from.",
        )
    part = archive.getinfo(name)
    packed = _unzstd(archive, part) if part.compress_type == ZSTD else archive.read(name)
    return packed.decode("utf-8")


def _unzstd(archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> bytes:
    """Unpack a member of a method that `zipfile` of this Python does not know, and check it as `zipfile` would."""
    from pyarrow import ArrowException, decompress

    assert archive.filename is not None
    with open(archive.filename, "rb") as file:
        file.seek(part.header_offset)
        header = file.read(30)
        if len(header) < 30 or not header.startswith(b"PK\x03\x04"):
            raise zipfile.BadZipFile(f"no header of “{part.filename}”")
        file.seek(int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little"), 1)
        packed = file.read(part.compress_size)
    try:
        whole: bytes = decompress(packed, part.file_size, codec="zstd", asbytes=True) if part.file_size else b""
    except (ArrowException, OSError) as error:
        raise zipfile.BadZipFile(str(error)) from error
    if zlib.crc32(whole) != part.CRC:
        raise zipfile.BadZipFile(f"Bad CRC-32 of “{part.filename}”")
    return whole


def _broken(path: Path, error: BaseException) -> AppError:
    hint = "Copy it again, or convert it to JSON with “inspect log convert --to json”."
    return AppError(f"“{path.name}” is broken, or not an archive of inspect_ai.", hint=hint, details=str(error))
