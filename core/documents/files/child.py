"""In the reading process: bytes become paragraphs. Everything a file can do to its reader, it does here."""

import re
from functools import cache

from core.documents.files.readers import of_lines
from core.documents.formats import format_of
from core.documents.values import PASTED, Document, Extracted
from core.errors import AppError

MOST_CHARACTERS = 1_000_000  # of text
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


def parse(data: bytes, name: str) -> Document:
    """The document in `data`. Raises `AppError` with one sentence for the person."""
    _limit_once()
    found = format_of(data, name)
    return _document(name, found.kind, found.read(data, name))


def document_of_text(text: str) -> Document:
    """The document in a text that was pasted."""
    return _document("Pasted text", PASTED, Extracted(of_lines(text)))


def _document(name: str, kind: str, found: Extracted) -> Document:
    cleaned = [text for text in map(_clean, found.paragraphs) if text]
    if not cleaned:
        raise AppError(f"“{name}” holds no text.", hint="Choose the file that holds the letter, or paste its text.")
    if sum(map(len, cleaned)) > MOST_CHARACTERS:
        raise AppError(
            f"“{name}” holds far more text than a letter.", hint="Save the letter alone as a file, and try again."
        )
    return Document(name, kind, tuple(cleaned), found.pages, found.notes)


def _clean(paragraph: str) -> str:
    """Blanks as one blank, lines without blanks around them; nothing else of the text is changed."""
    text = _UNSEEN.sub("", paragraph.replace("\x00", "").replace("\v", "\n"))
    lines = [_BLANKS.sub(" ", line).strip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line)
