"""In the reading process: bytes become paragraphs. Everything a file can do to its reader, it does here."""

from functools import cache

from biasprint.core.errors import AppError
from biasprint.core.letters.files.cleaning import cleaned
from biasprint.core.letters.files.readers import of_lines
from biasprint.core.letters.formats import format_of
from biasprint.core.letters.values import PASTED, Document, Extracted

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


@cache
def limit_once() -> None:
    """As the first thing of whatever this process is asked for."""
    limit_this_process()


def parse_letter_file(data: bytes, name: str) -> Document:
    """The document in `data`. Raises `AppError` with one sentence for the person."""
    limit_once()
    found = format_of(data, name)
    return _document(name, found.kind, found.read(data, name))


def document_of_text(text: str) -> Document:
    """The document in a text that was pasted."""
    return _document("Pasted text", PASTED, Extracted(of_lines(text)))


def _document(name: str, kind: str, found: Extracted) -> Document:
    paragraphs = [text for text in map(cleaned, found.paragraphs) if text]
    if not paragraphs:
        raise AppError(f"“{name}” holds no text.", hint="Choose the file that holds the letter, or paste its text.")
    if sum(map(len, paragraphs)) > MOST_CHARACTERS:
        raise AppError(
            f"“{name}” holds far more text than a letter.", hint="Save the letter alone as a file, and try again."
        )
    return Document(name, kind, tuple(paragraphs), found.pages, found.notes)
