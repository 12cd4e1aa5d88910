"""In the reading process: bytes become paragraphs. Everything a file can do to its reader, it does here."""

import re
from collections.abc import Sequence
from functools import cache

from core.documents.files.formats import kind_of
from core.documents.values import Document, Kind
from core.errors import AppError

MOST_BYTES = 30_000_000  # of the file
MOST_UNPACKED = 64_000_000  # bytes of a docx or odt once unpacked
MOST_PARTS = 5_000  # files inside one
MOST_PAGES = 50  # of a PDF: a letter has one or two
MOST_CHARACTERS = 1_000_000  # of text
SECONDS = 10.0
MEMORY = 512 * 1024 * 1024  # bytes of address space of the reading process; Windows knows no such limit


def limit_this_process() -> None:
    """Hold the reading process to `MEMORY`, from here on. It never writes a file either."""
    try:
        import resource
    except ImportError:  # Windows: time and sizes are limited there, memory is not
        return
    for what, most in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CORE, 0)):
        _, hard = resource.getrlimit(what)
        resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u3000]+")
_UNSEEN = re.compile(r"[\u00ad\u200b\u2060\ufeff]")  # soft hyphens and blanks of no width: they would part words


@cache
def _limit_once() -> None:
    limit_this_process()


def parse(data: bytes, name: str, kind: Kind | None = None) -> Document:
    """The document in `data`. Raises `AppError` with one sentence for the person."""
    _limit_once()
    found = kind or kind_of(data, name)
    return _document(name, found, *_paragraphs(found, data, name))


def document_of_text(text: str) -> Document:
    """The document in a text that was pasted."""
    from core.documents.files import text as lines

    return _document("Pasted text", "pasted", lines.of_lines(text), None, ())


def _document(name: str, kind: Kind, paragraphs: Sequence[str], pages: int | None, notes: tuple[str, ...]) -> Document:
    cleaned = [text for text in map(_clean, paragraphs) if text]
    if not cleaned:
        raise AppError(f"“{name}” holds no text.", hint="Choose the file that holds the letter, or paste its text.")
    if sum(map(len, cleaned)) > MOST_CHARACTERS:
        raise AppError(
            f"“{name}” holds far more text than a letter.", hint="Save the letter alone as a file, and try again."
        )
    return Document(name, kind, tuple(cleaned), pages, notes)


def _paragraphs(kind: Kind, data: bytes, name: str) -> tuple[list[str], int | None, tuple[str, ...]]:
    from core.documents.files import office, pdf
    from core.documents.files import text as html_file
    from core.documents.files import text as lines
    from core.documents.files import text as plain_file
    from core.documents.files import text as rtf_file

    if kind == "docx":
        paragraphs, notes = office.of_docx(data, name)
        return paragraphs, None, notes
    if kind == "pdf":
        paragraphs, pages = pdf.paragraphs_of(data, name)
        return paragraphs, pages, ()
    if kind == "odt":
        return office.of_odt(data, name), None, ()
    if kind == "rtf":
        return rtf_file.of_rtf(data, name), None, ()
    text = plain_file.decoded(data, name)
    if kind == "html":
        return html_file.of_html(text), None, ()
    return (plain_file.of_markdown(text) if kind == "md" else lines.of_lines(text)), None, ()


def _clean(paragraph: str) -> str:
    """Blanks as one blank, lines without blanks around them; nothing else of the text is changed."""
    text = _UNSEEN.sub("", paragraph.replace("\x00", "").replace("\v", "\n"))
    lines = [_BLANKS.sub(" ", line).strip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line)
