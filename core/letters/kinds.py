"""The kinds of file that a letter can be, the kinds of document, and the guess of one by what a text says of itself.

Messages and file dialogs are made from one table of files. A new kind takes its row here, and its reader in
`biasprint.core.letters.files`. Words and numbers of the guess are data:
resources/letters/kinds/signs.toml.
"""

import io
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

from biasprint.core.errors import AppError, UsageError
from biasprint.core.letters.parts import looks_like_cv
from biasprint.core.letters.values import DOCUMENT_KINDS, Document, DocumentKind, Part, ReadAs
from biasprint.core.prompts.resource_files import from_resources, strict_data

LOOKED_AT = 20_000  # characters from the start
NAMED = 3  # signs in a reason
MOST_OF_SOMEBODY = 2
NEEDED_MORE = 2  # points of an advert, of what has the headings of a CV
_OF_SOMEBODY = re.compile(
    r"(?<!/)\b(?:he|she|him|her|his|hers|me|my|i)\b(?!\s*(?:/|or (?:her|his|she|he|him)\b))", re.IGNORECASE
)
LONGEST = 40  # characters of a sign that are quoted


@dataclass(frozen=True)
class KindWords:
    """The words for a kind: `title`, `noun` with its article, and `word` alone. `of_person`: it is about somebody.

    `compared`: with reference letters, and by the balance of praise, which was measured on letters.
    """

    title: str
    noun: str
    word: str
    of_person: bool = True
    compared: bool = True


KINDS: Mapping[DocumentKind, KindWords] = {
    "reference": KindWords("Letter of reference", "a letter of reference", "letter"),
    "recommendation": KindWords("Short recommendation", "a short recommendation", "recommendation"),
    "review": KindWords("Performance review", "a performance review", "review", compared=False),
    "peer": KindWords("Peer evaluation", "a peer evaluation", "evaluation", compared=False),
    "advert": KindWords("Job advert", "a job advert", "advert", of_person=False, compared=False),
}


@strict_data
class _SignsFile:
    version: str
    short: int
    needs: int
    needs_alone: int
    of_somebody: int
    signs: dict[DocumentKind, tuple[str, ...]]


class _Sign(NamedTuple):
    words: str
    points: int


def kind_of(document: Document, parts: Sequence[Part]) -> ReadAs:
    """Guess the kind of a document, with the reason, by the signs that it has."""
    text = document.text[:LOOKED_AT]
    head = f"{re.sub(r'[_.-]+', ' ', document.name)}\n{text.lstrip().partition(chr(10))[0]}"
    found = {
        kind: [sign for sign in (_sign(one, head, text) for one in signs) if sign is not None]
        for kind, signs in _patterns().items()
    }
    points = {kind: sum(sign.points for sign in signs) for kind, signs in found.items() if kind != "recommendation"}
    persons = len(_OF_SOMEBODY.findall(text))
    if persons > MOST_OF_SOMEBODY:
        points["advert"] -= _signs().of_somebody
    best = max(points, key=lambda kind: points[kind])
    is_letter = points["reference"] or {part.kind for part in parts} & {"salutation", "closing"}
    needs = _signs().needs if is_letter and persons else _signs().needs_alone
    needs += NEEDED_MORE if best == "advert" and looks_like_cv(document, parts) else 0
    if best != "reference" and points[best] >= needs and points[best] > points["reference"]:
        return ReadAs(best, guessed=True, reason=_because(found[best]))
    if found["recommendation"] and _is_short(document.text, parts):
        words = len(document.text.split())
        return ReadAs(
            "recommendation", guessed=True,
            reason=f"it has {words} words, no greeting and no closing, and says {_quoted(found['recommendation'])}",
        )  # fmt: skip
    return ReadAs("reference", guessed=True, reason=_because(found["reference"]) if found["reference"] else "")


def said_of_kind(read_as: ReadAs) -> str:
    """Return the sentence on the kind that a document is read as; "" for a letter that was guessed to be one."""
    if read_as == ReadAs(read_as.kind, guessed=False):
        return f"Read as {KINDS[read_as.kind].noun}."
    if read_as.kind == "reference":
        return ""
    return f"Read as {KINDS[read_as.kind].noun}, a guess: {read_as.reason}."


def kind_called(name: str) -> DocumentKind:
    """Return the kind of this name or title. Raises `UsageError` for one that there is not."""
    wanted = name.strip().lower().replace("-", " ").replace("_", " ")
    for kind, words in KINDS.items():
        if wanted in (kind, words.title.lower()):
            return kind
    raise UsageError(f"“{name}” is no kind of document.", hint=f"Choose {', '.join(DOCUMENT_KINDS)}.")


def _sign(sign: tuple[re.Pattern[str], bool], head: str, text: str) -> _Sign | None:
    """Return the words of a sign and what they count, by whether it is strong, and in the name or first line."""
    pattern, strong = sign
    in_head = pattern.search(head)
    match = in_head or pattern.search(text)
    if match is None:
        return None
    return _Sign(" ".join(match.group().split()).strip(" :–-"), 1 + strong * (1 + (in_head is not None)))


def _is_short(text: str, parts: Sequence[Part]) -> bool:
    kinds = {part.kind for part in parts}
    return len(text.split()) <= _signs().short and not kinds & {"salutation", "closing"}


def _because(signs: Sequence[_Sign]) -> str:
    return f"it says {_quoted(sorted(signs, key=lambda sign: -sign.points))}"


def _quoted(signs: Sequence[_Sign]) -> str:
    said = [sign.words for sign in signs]
    apart = [words for words in dict.fromkeys(said) if not any(words != other and words in other for other in said)]
    words = [f"“{words[:LONGEST]}”" for words in apart][:NAMED]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


@cache
def _signs() -> _SignsFile:
    return from_resources(_SignsFile, "letters", "kinds", "signs.toml")


@cache
def _patterns() -> Mapping[DocumentKind, tuple[tuple[re.Pattern[str], bool], ...]]:
    """Return the signs of each kind, and whether each is strong."""
    return {
        kind: tuple(
            (re.compile(rf"(?<!\w)(?:{sign.removeprefix('! ')})", re.IGNORECASE | re.MULTILINE), sign.startswith("! "))
            for sign in signs
        )
        for kind, signs in _signs().signs.items()
    }


# ---- The kinds of file

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
    """`endings`: of its files, the usual one first. `core.letters.files` has the reader of each kind.

    `known`: recognised by the first bytes. A kind of plain text is recognised by its ending alone, and has none.
    """

    kind: str
    endings: tuple[str, ...]
    known: Callable[[Head], bool] | None = None


# Asked in this order. A zip that cannot be opened goes to the reader of docx, which says so.
FORMATS: tuple[LetterFormat, ...] = (
    LetterFormat("docx", ("docx",), lambda head: head.has("word/") or (head.is_zip and head.inside is None)),
    LetterFormat("odt", ("odt",), lambda head: {"content.xml", "mimetype"} <= (head.inside or frozenset())),
    LetterFormat("pdf", ("pdf",), lambda head: b"%PDF-" in head.start[:1024]),
    LetterFormat("rtf", ("rtf",), lambda head: head.start.lstrip().startswith(b"{\\rtf")),
    LetterFormat("eml", ("eml",), lambda head: head.is_mail),
    LetterFormat("html", ("html", "htm", "xhtml")),
    LetterFormat("md", ("md", "markdown")),
    LetterFormat("txt", ("txt",)),
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
