"""Text files, and tables in them with separators: csv and tsv.

The encoding is UTF-8 unless the bytes say otherwise, and never a silent guess. Bytes that do not decode become
U+DC00 + byte, so that one bad row can be named while the rest is read. No clean file holds those characters: the
decoders of UTF-8, UTF-16 and UTF-32 reject lone surrogates.
"""

import codecs
import csv
import io
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO, TextIO, cast

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.tables.rows import (
    ANYWHERE,
    EMPTY_ROW,
    UNDECODED,
    Fault,
    HeaderPlace,
    RawRow,
    about_titles,
    excerpt,
    titles_above,
)

HANDLER = "biasprint.undecoded"
SAMPLE_BYTES = 64 * 1024
# Another page than Windows-1252 is believed only if a language is recognised at least this clearly (0 to 1).
LEAST_COHERENCE = 0.3
LEGACY_PAGES = ["cp1250", "cp1251", "cp1252", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "koi8_r"]
LEGACY_PAGES += ["mac_roman", "cp932", "euc_jp", "gb18030", "big5", "cp949"]
BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose little-endian mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
BINARY_KINDS = (
    (b"PK\x03\x04", "an Office file or a zip archive"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"%PDF", "a PDF"),
    (b"SQLite format 3\x00", "a database or a Biasprint project"),
    (b"PAR1", "a parquet file"),
    (b"\x1f\x8b", "a gzip archive"),
)
CONTROL_BYTES = set(range(32)) - set(b"\t\n\v\f\r\x1b")
# What Windows-1252 makes of other pages: signs between letters, and the letters that only Icelandic has.
_NOT_WESTERN = re.compile("(?<=[a-zA-ZÀ-ÿ])[ˆ˜¨¯´¸¹²³¿¡¼½¾¥¦¤¢£¬µ¶×÷†‡ƒ‰º](?=[a-zÀ-ÿ])|[ðýþÐÝÞ]")
_ACCENTED_WORD = re.compile(r"[^\W\d_]*[À-ÿŒœŠšŽžŸ][^\W\d_]*")


@dataclass(frozen=True)
class Encoding:
    """A Python codec name, how many bytes of mark to skip, whether it was guessed, and what to tell the person."""

    name: str
    skip: int = 0
    guessed: bool = False
    notice: str = ""


UTF8 = Encoding("utf-8")


def _carry_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(chr(0xDC00 + byte) for byte in error.object[error.start : error.end]), error.end


codecs.register_error(HANDLER, _carry_bytes)


def open_text(path: Path, encoding: Encoding, newline: str) -> io.TextIOWrapper:
    """The decoded stream; `newline` as for `open`. Bytes that do not decode are carried, never dropped."""
    raw = path.open("rb")
    raw.seek(encoding.skip)
    return io.TextIOWrapper(raw, encoding=encoding.name, errors=HANDLER, newline=newline)


def watch(stream: io.TextIOWrapper, path: Path, number: int, ctx: JobContext | None) -> None:
    """Every thousand rows, stop if the person cancelled, and report how many bytes of the file have been read."""
    if ctx and number % 1000 == 0:
        ctx.step(cast(BinaryIO, stream.buffer).tell(), path.stat().st_size, note=f"reading {path.name}")


def misfit(text: str, encoding: Encoding) -> str:
    """Return why `text` is not really in the encoding that it was read in; "" if it may be."""
    if text.isascii():
        return ""
    if UNDECODED.search(text):
        return f"bytes that are not {encoding.name}"
    if encoding.guessed and not encoding.name.startswith("utf"):
        try:
            text.encode(encoding.name).decode("utf-8")
        except UnicodeError:
            return ""
        return f"UTF-8 inside a file that is {encoding.name}"
    return ""


def find_encoding(path: Path, asked: str | None = None) -> Encoding:
    """Return the encoding of the file: the requested one, else its byte order mark, UTF-8, or a guess with a notice.

    Raises `AppError` for a file that holds no text at all, `UsageError` for an encoding that does not exist.
    """
    with path.open("rb") as file:
        head = file.read(SAMPLE_BYTES)
        if kind := next((kind for start, kind in BINARY_KINDS if head.startswith(start)), None):
            raise _not_text(path, kind)
        marked = next((Encoding(name, len(bom)) for bom, name in BOMS if head.startswith(bom)), None)
        if asked is not None:
            return _as_asked(asked, marked)
        if marked:
            return marked
        if wide := _utf16_without_mark(head):
            return Encoding(wide, guessed=True, notice=f"The file carries no mark of its encoding; read as {wide}.")
        file.seek(0)
        if _is_utf8(file):
            return Encoding("utf-8")
        if sum(head.count(byte) for byte in CONTROL_BYTES) > 0.1 * len(head):
            raise _not_text(path, "a binary file")
        file.seek(0)
        return _guess(file)


def _as_asked(asked: str, marked: Encoding | None) -> Encoding:
    try:
        io.TextIOWrapper(io.BytesIO(), encoding=asked)  # refuses codecs that are no encodings of text, too
    except LookupError:
        raise UsageError(f"There is no encoding “{asked}”.", hint="Well-known ones: utf-8, utf-16, cp1252.") from None
    name = codecs.lookup(asked).name
    return marked if marked and marked.name.startswith(name.removesuffix("-sig")) else Encoding(name)


def _utf16_without_mark(head: bytes) -> str | None:
    """A header in Latin letters has a zero in every second byte in UTF-16."""
    zeros = [byte == 0 for byte in head[:8]]
    if zeros == [False, True] * 4:
        return "utf-16-le"
    return "utf-16-be" if zeros == [True, False] * 4 else None


def _not_text(path: Path, kind: str) -> AppError:
    return AppError(
        f"“{path.name}” is not a text table: it looks like {kind}.",
        hint="Open it in the program that made it and save it as csv in UTF-8.",
    )


def _is_utf8(chunks: io.BufferedReader) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while chunk := chunks.read(1 << 20):
            decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _guess(lines: Iterable[bytes]) -> Encoding:
    """Guess the encoding of a file that is not all UTF-8: mostly UTF-8 with bad lines, or another throughout."""
    valid = invalid = 0
    sample = bytearray()
    for line in lines:
        if line.isascii():
            continue
        try:
            line.decode("utf-8")
            valid += 1
        except UnicodeDecodeError:
            invalid += 1
            if len(sample) < SAMPLE_BYTES:
                sample += line[:SAMPLE_BYTES]
    if valid < invalid and (page := _legacy_page(bytes(sample))):
        title = "Windows-1252 (Western European)" if page == "cp1252" else page
        notice = f"The file is not UTF-8; it was read as {title}. If letters look wrong, save it as UTF-8."
        return Encoding(page, guessed=True, notice=notice)
    notice = f"The file was read as UTF-8, and lines that are not UTF-8 were left out ({invalid})."
    return Encoding("utf-8", guessed=True, notice=notice)


def _legacy_page(sample: bytes) -> str | None:
    """Return the code page of the sample, or None where none can be identified with confidence."""
    if _is_western(sample):
        return "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=LEGACY_PAGES).best()
    return best.encoding if best is not None and best.coherence >= LEAST_COHERENCE else None


def _is_western(sample: bytes) -> bool:
    """True if Windows-1252 gives plausible words. (Detectors confuse the Latin pages on short texts.)"""
    try:
        text = sample.decode("cp1252")
    except UnicodeDecodeError:
        return False
    if _NOT_WESTERN.search(text):
        return False
    words = "".join(_ACCENTED_WORD.findall(text))
    # Cyrillic or Greek read as Windows-1252 gives words of accented letters alone.
    return not words or sum(not letter.isascii() for letter in words) < 0.6 * len(words)


# ---- csv and tsv: the separator, the columns, and every row, sound or not


SEPARATORS = ",;\t|"
SNIFFED_LINES = 200
_SEPARATOR_LINE = re.compile("\ufeff?sep=(.)", re.IGNORECASE)  # a first line of Excel's, which names the separator
csv.field_size_limit(2**31 - 1)  # the default refuses cells above 128 kB; the limit is a C long, 32 bits on Windows


@dataclass(frozen=True)
class CsvFile:
    """A csv or tsv file whose header has been read."""

    path: Path
    encoding: Encoding
    separator: str
    columns: tuple[str, ...]
    before: int = 0  # parsed rows before the first data row

    @classmethod
    def open(cls, path: Path, encoding: Encoding, place: HeaderPlace = ANYWHERE) -> "CsvFile":
        """Find the separator and the header. Raises `AppError` if there is none."""
        with open_text(path, encoding, newline="") as stream:
            lines = list(itertools.islice(stream, SNIFFED_LINES))
        named = _SEPARATOR_LINE.fullmatch(lines[0].strip()) if lines else None
        first = 1 if named else 0
        separator = named[1] if named else _find_separator(lines, path.suffix.lower())
        with open_text(path, encoding, newline="") as stream:
            most = max(SNIFFED_LINES, place.row or 0)
            parsed = [cells for _, cells in itertools.islice(_parse(stream, separator), most)]
        above = [cells if isinstance(cells, list) else [] for cells in parsed[first:]]
        at = place.row - 1 if place.row else first + titles_above(above)
        header = parsed[at] if at < len(parsed) else None
        if not header or any(isinstance(cells, Fault) for cells in parsed[first : at + 1]):
            where = f"Row {place.row}" if place.row else "The first line"
            raise AppError(
                f"The header of “{path.name}” cannot be read.",
                hint=f"{where} must name the columns, separated by commas, semicolons or tabs.",
            )
        notice = " ".join(filter(None, (encoding.notice, about_titles(above, at - first))))
        columns = tuple(name.strip() for name in above[at - first])
        return cls(path, replace(encoding, notice=notice), separator, columns, at + 1)

    def rows(self, wanted: Sequence[str], ctx: JobContext | None = None) -> Iterator[RawRow]:
        """Yield every data row with the wanted columns' cells; an unusable one carries its fault instead."""
        places = [self.columns.index(column) for column in wanted]
        with open_text(self.path, self.encoding, newline="") as stream:
            parsed = itertools.islice(_parse(stream, self.separator), self.before, None)
            for number, (line, cells) in enumerate(parsed, start=1):
                watch(stream, self.path, number, ctx)
                if isinstance(cells, Fault):
                    yield RawRow(number, line, fault=cells)
                    continue
                fault = self._fault(cells, places)
                dropped = fault is not None and not fault.kept
                yield RawRow(number, line, () if dropped else tuple([cells[place] for place in places]), fault)

    def _fault(self, cells: list[str], places: Sequence[int]) -> Fault | None:
        width = len(self.columns)
        if not any(cells):
            return Fault(EMPTY_ROW)
        if len(cells) < width:
            return Fault("too few cells", f"{len(cells)} where the header has {width}", excerpt(cells[0]))
        if len(cells) > width and any(cells[width:]):
            return Fault("too many cells", f"{len(cells)} where the header has {width}", excerpt(cells[width]))
        if "".join(cells).isascii():
            return None
        for place, cell in enumerate(cells):
            if why := misfit(cell, self.encoding):
                # A column that nobody asked for must not cost the row, but the row is named all the same.
                return Fault("wrong encoding", why, excerpt(cell), kept=place not in places)
        return None


def _parse(stream: TextIO, separator: str) -> Iterator[tuple[int, list[str] | Fault]]:
    """Yield each row's first line in the file and its cells; blank lines give no cells.

    Strict, because the lenient parser changes texts with stray quotes silently.
    """
    reader = csv.reader(stream, delimiter=separator, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            lines = f"lines {line} to {reader.line_num}" if reader.line_num > line else "this line"
            yield line, Fault("unbalanced quotes", f"{lines} could not be told apart")
        else:
            yield line, cells


def _find_separator(lines: list[str], suffix: str) -> str:
    """The separator that gives the most rows as wide as the header; a tab in a .tsv, if it has any."""
    if suffix == ".tsv" and any("\t" in line for line in lines):
        return "\t"

    def fit(separator: str) -> tuple[float, int]:
        rows = list(csv.reader(lines, delimiter=separator))
        filled = [row for row in rows[titles_above(rows) :] if row]
        width = len(filled[0]) if filled else 0
        return (sum(len(row) == width for row in filled) / len(filled), width) if width > 1 else (0.0, 0)

    return max(SEPARATORS, key=fit)  # the first of equals: the comma
