"""The kinds of file that a letter can be. Readers, messages and file dialogs are made from this one table.

A new kind takes its reader, in `biasprint.core.letters.readers`, and its row here.
"""

import io
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from biasprint.core.errors import AppError, UsageError
from biasprint.core.letters.values import Extracted

_HTML = re.compile(rb"<\s*(?:!doctype\s+html|html|head|body|p|div|meta)\b", re.IGNORECASE)
_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\x00", b"MM\x00*", b"BM")
_PROGRAMS = (b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")
MOST_HEADERS = 65_536  # bytes of a mail's headers that are looked at
_ARCHIVES = (b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"BZh", b"\xfd7zXZ")


class Head:
    """The evidence for a file's kind: its first bytes, and, of a zip, the names of the files inside."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self.start = data[:2048]

    @property
    def is_empty(self) -> bool:
        return not self._data.strip(b"\x00 \t\r\n\xef\xbb\xbf")

    @property
    def is_zip(self) -> bool:
        return self.start.startswith(b"PK\x03\x04")

    @cached_property
    def inside(self) -> frozenset[str] | None:
        """The names inside a zip; `None` where it is none or is broken."""
        try:
            with zipfile.ZipFile(io.BytesIO(self._data)) as archive:
                return frozenset(archive.namelist()) if self.is_zip else None
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError):
            return None

    @cached_property
    def is_mail(self) -> bool:
        """True if the file begins with the headers of a mail."""
        from biasprint.core.letters.readers.markup import is_mail

        return self.start.lstrip(b"\xef\xbb\xbf \r\n")[:1].isalpha() and is_mail(
            self._data[:MOST_HEADERS].decode("latin-1")
        )

    def has(self, folder: str) -> bool:
        return any(name.startswith(folder) for name in self.inside or ())


@dataclass(frozen=True)
class LetterFormat:
    """`endings`: of its files, the usual one first. `read`: bytes and the file's name → its paragraphs.

    `known`: recognised by the first bytes. A kind of plain text is recognised by its ending alone, and has none.
    """

    kind: str
    endings: tuple[str, ...]
    read: Callable[[bytes, str], Extracted]
    known: Callable[[Head], bool] | None = None


def _docx(data: bytes, name: str) -> Extracted:
    from biasprint.core.letters.readers.office import of_docx

    return of_docx(data, name)


def _odt(data: bytes, name: str) -> Extracted:
    from biasprint.core.letters.readers.office import of_odt

    return of_odt(data, name)


def _pdf(data: bytes, name: str) -> Extracted:
    from biasprint.core.letters.readers.pages import of_pdf

    return of_pdf(data, name)


def _rtf(data: bytes, name: str) -> Extracted:
    from biasprint.core.letters.readers.markup import of_rtf

    return of_rtf(data, name)


def _mail(data: bytes, name: str) -> Extracted:
    from biasprint.core.letters.readers.markup import of_mail

    return of_mail(data, name)


def _html(data: bytes, name: str) -> Extracted:
    from biasprint.core.letters.readers.markup import of_html

    return of_html(data, name)


def _markdown(data: bytes, name: str) -> Extracted:
    from biasprint.core.letters.readers.lines import of_markdown

    return of_markdown(data, name)


def _plain(data: bytes, name: str) -> Extracted:
    from biasprint.core.letters.readers.lines import of_plain

    return of_plain(data, name)


# Asked in this order. A zip that cannot be opened goes to the reader of docx, which says so.
FORMATS: tuple[LetterFormat, ...] = (
    LetterFormat("docx", ("docx",), _docx, lambda head: head.has("word/") or (head.is_zip and head.inside is None)),
    LetterFormat("odt", ("odt",), _odt, lambda head: {"content.xml", "mimetype"} <= (head.inside or frozenset())),
    LetterFormat("pdf", ("pdf",), _pdf, lambda head: b"%PDF-" in head.start[:1024]),
    LetterFormat("rtf", ("rtf",), _rtf, lambda head: head.start.lstrip().startswith(b"{\\rtf")),
    LetterFormat("eml", ("eml",), _mail, lambda head: head.is_mail),
    LetterFormat("html", ("html", "htm", "xhtml"), _html),
    LetterFormat("md", ("md", "markdown"), _markdown),
    LetterFormat("txt", ("txt",), _plain),
)
# A checked letter of these kinds goes back into its own file, which is written with one of these endings.
GOES_BACK = {"docx": (".docx",), "odt": (".odt",)}
ENDINGS = tuple(ending for one in FORMATS for ending in one.endings)
NAMES = f"{', '.join(one.kind for one in FORMATS[:-1])} or {FORMATS[-1].kind}"
CHOOSE = f"Choose a {NAMES} file."
IMPORT = "Letters in a table come in with “biasprint import”, or with Import texts… in the window."
TABLE_ENDINGS = ("csv", "tsv", "json", "jsonl", "ndjson", "parquet", "arrow")  # spreadsheets are known by their bytes


@dataclass(frozen=True)
class _NoLetter:
    known: Callable[[Head], bool]
    why: str
    hint: str


_NO_LETTERS = (
    _NoLetter(lambda head: head.is_empty, "is empty", "Choose the file that holds the letter."),
    _NoLetter(
        lambda head: head.has("xl/"), "is a spreadsheet, not a letter",
        IMPORT,
    ),
    _NoLetter(lambda head: head.has("ppt/"), "is a set of slides, not a letter", CHOOSE),
    _NoLetter(
        lambda head: head.is_zip or head.start.startswith(_ARCHIVES), "is an archive",
        "Check it as a pile of letters, or unpack it first.",
    ),
    _NoLetter(
        lambda head: head.start.startswith(_PICTURES)
        or (head.start[:4] == b"RIFF" and head.start[8:12] == b"WEBP")
        or head.start[4:8] == b"ftyp",
        "is a picture, not a text", "A photo or scan has to go through text recognition (OCR) first.",
    ),
    _NoLetter(
        lambda head: head.start.startswith(b"\xd0\xcf\x11\xe0"),
        "is an Office file from before 2007, or is protected by a password",
        "Open it in your word processor, and save it as docx without a password.",
    ),
    _NoLetter(lambda head: head.start.startswith(_PROGRAMS), "is a program, not a letter", CHOOSE),
    _NoLetter(
        lambda head: head.start.startswith(b"SQLite format 3\x00"),
        "is a Biasprint project or a database, not a letter", "Open a project with File, Open.",
    ),
)  # fmt: skip


def format_of(data: bytes, name: str) -> LetterFormat:
    """The format of a letter's file. Raises `AppError` for what is none, in a sentence that names the file."""
    head = Head(data)
    known = next(
        (letter_format for letter_format in FORMATS if letter_format.known is not None and letter_format.known(head)),
        None,
    )
    if known is not None:
        return known
    wrong = next((letter_format for letter_format in _NO_LETTERS if letter_format.known(head)), None)
    if wrong is not None:
        raise AppError(f"“{name}” {wrong.why}.", hint=wrong.hint)
    ending = name.rpartition(".")[2].lower()
    if ending in TABLE_ENDINGS:
        raise AppError(f"“{name}” is a table, not a letter.", hint=IMPORT)
    by_ending = next(
        (letter_format for letter_format in FORMATS if letter_format.known is None and ending in letter_format.endings),
        None,
    )
    return by_ending or format_called("html" if _HTML.match(head.start.lstrip(b"\xef\xbb\xbf \t\r\n")) else "txt")


def format_called(kind: str) -> LetterFormat:
    """The format of this kind. Raises `KeyError` where there is none."""
    return {letter_format.kind: letter_format for letter_format in FORMATS}[kind]


def goes_back_into(kind: str, path: Path) -> bool:
    """Return whether a letter of this kind goes back into its own file there; else a plain docx is written.

    Raises `UsageError` for an odt of another kind of letter.
    """
    suffix = path.suffix.lower()
    if suffix in GOES_BACK.get(kind, ()):
        return True
    if suffix in GOES_BACK["odt"]:
        raise UsageError(
            "Only a letter that came as odt is written as odt.", hint="Name a file that ends in .docx."
        )  # fmt: skip
    return False
