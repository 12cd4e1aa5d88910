"""The reader of letter files: a file becomes a `Document` of its paragraphs. Read in a child process with limits.

The formats are `core.letters.kinds`. Bytes go to the child and paragraphs come back: no part of a letter is
written to disk on the way.
"""

import atexit
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from pathlib import Path

from biasprint.core.compute import ComputeCrashed, ComputeProcess, ComputeStopped
from biasprint.core.errors import AppError
from biasprint.core.given import ordinary_file
from biasprint.core.jobs import JobContext
from biasprint.core.letters.kinds import format_of
from biasprint.core.letters.readers.lines import UnreadText, cleaned, of_lines, of_markdown, of_plain, written_in_tags
from biasprint.core.letters.readers.markup import is_mail, of_html, of_mail, of_mail_text, of_rtf
from biasprint.core.letters.readers.office import of_docx, of_odt
from biasprint.core.letters.values import PASTED, Comment, Document, Extracted, WordFile
from biasprint.core.letters.word import write_word
from biasprint.core.machine.child import limit_once
from biasprint.core.machine.processor import raise_out_of_memory

# ---- In the reading process

MOST_CHARACTERS = 1_000_000  # of text


def _of_pdf(data: bytes, name: str) -> Extracted:
    from biasprint.core.letters.readers.pages import of_pdf  # heavy

    return of_pdf(data, name)


# Each gives a file's paragraphs by its bytes and its name.
READERS = {
    "docx": of_docx, "odt": of_odt, "pdf": _of_pdf, "rtf": of_rtf, "eml": of_mail, "html": of_html, "md": of_markdown,
    "txt": of_plain,
}  # fmt: skip


def parse_letter_file(data: bytes, name: str) -> Document:
    """The document in `data`. Raises `AppError` with one sentence for the person."""
    limit_once()
    letter_format = format_of(data, name)
    try:
        extracted = READERS[letter_format.kind](data, name)
    except AppError:
        raise
    except Exception as error:  # whatever a broken file drives a reader into
        raise_out_of_memory(error)
        raise AppError(
            f"“{name}” is damaged or cut off.",
            hint="Ask for a fresh copy, or paste the letter’s text.",
            details=f"{type(error).__name__}: {error}",
        ) from error
    return _document(name, letter_format.kind, extracted)


def document_of_text(text: str) -> Document:
    """The document in a text that was pasted."""
    if is_mail(text):
        return _document("Pasted text", PASTED, of_mail_text(text, "The pasted text"))
    unread = UnreadText()
    return _document("Pasted text", PASTED, Extracted(of_lines(text, unread), notes=unread.notes()))


def _document(name: str, kind: str, extracted: Extracted) -> Document:
    paragraphs = [text for text in map(cleaned, extracted.paragraphs) if text]
    if not paragraphs:
        raise AppError(f"“{name}” holds no text.", hint="Choose the file that holds the letter, or paste its text.")
    if sum(map(len, paragraphs)) > MOST_CHARACTERS:
        raise AppError(
            f"“{name}” holds far more text than a letter.", hint="Save the letter alone as a file, and try again."
        )
    unseen = UnreadText(hidden=[written_in_tags(text) for text in extracted.paragraphs])
    return Document(name, kind, tuple(paragraphs), extracted.pages, (*extracted.notes, *unseen.notes()))


# A file that needs more is no letter, and may be an attack.
MOST_BYTES = 30_000_000
MOST_ANSWERED = 64_000_000  # bytes that the reading process may answer with
SECONDS = 10.0
START_SECONDS = 20.0  # what a slow machine may take to start the process, on top of the reading


def read_file(path: Path, ctx: JobContext | None = None) -> Document:
    """The document in a file. Raises `AppError`: one sentence about this file and what to do."""
    try:
        if path.is_dir():
            raise AppError(f"“{path.name}” is a folder.", hint="Check it as a pile of letters.")
        _check_size(ordinary_file(path, follow=True).st_size, path.name)
        data = path.read_bytes()
    except FileNotFoundError:
        raise AppError(f"There is no file “{path}”.", hint="Check the name.") from None
    except OSError as error:
        raise AppError(
            f"“{path.name}” could not be read.", hint="See that you may read it, and that its drive is there.",
            details=str(error),
        ) from error  # fmt: skip
    return read_bytes(data, path.name, ctx)


def read_bytes(data: bytes, name: str, ctx: JobContext | None = None) -> Document:
    """The document in `data`, which is called `name`. The bytes tell its format."""
    _check_size(len(data), name)
    said = f"“{name}” takes more time or memory to read than a letter may, and was left."
    with _too_much(said, "", "Paste the letter’s text instead."):
        return _process().call(parse_letter_file, data, name, ctx=ctx, timeout=SECONDS + _starting())


def written_as_word(
    data: bytes | None, document: Document, after: str, comments: "Sequence[Comment]", *, tracked: bool = True,
    when: datetime | None = None, ctx: JobContext | None = None,
) -> "WordFile":  # fmt: skip
    """`core.letters.word.word_file` in the reading process. `data`: the docx that `document` was read from, or None.

    Raises `AppError` where that takes more than a letter may.
    """
    said = f"“{document.name}” takes more time or memory to write than a letter may."
    with _too_much(said, "Nothing was written.", "Copy the text into a new document."):
        return _process().call(
            write_word, data, document.name, document.text, after, comments, tracked, when, ctx=ctx,
            timeout=SECONDS + _starting(),
        )  # fmt: skip


@contextmanager
def _too_much(message: str, kept: str, hint: str) -> Iterator[None]:
    """Say so of a file that the process broke down over; where somebody stopped the process, it was not the file."""
    try:
        yield
    except ComputeStopped:
        raise
    except ComputeCrashed as error:
        raise AppError(message, kept=kept, hint=hint, details=f"{error.message} {error.details}") from error


def read_pasted(text: str) -> Document:
    """The document in pasted text, which may hold anything but is only text: it needs no process of its own."""
    _check_size(len(text), "The pasted text")
    return document_of_text(text)


def _check_size(size: int, name: str) -> None:
    if size > MOST_BYTES:
        raise AppError(
            f"“{name}” has {size / 1e6:.0f} MB: a letter has far less.", hint="Choose the file that holds the letter."
        )


@cache
def _process() -> ComputeProcess:
    process = ComputeProcess(niceness=0, most=MOST_ANSWERED)  # somebody waits to see the letter
    atexit.register(process.close)
    return process


def _starting() -> float:
    return 0.0 if _process().pid is not None else START_SECONDS
