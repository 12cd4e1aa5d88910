"""In the reading process: bytes become paragraphs. Everything a file can do to its reader, it does here."""

import re
from collections.abc import Sequence
from functools import cache

from core.documents.files.kinds import kind_of
from core.documents.files.limits import MOST_CHARACTERS, limit_this_process
from core.documents.values import Document, Kind
from core.errors import AppError

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
    from core.documents.files import lines

    return _document("Pasted text", "pasted", lines.paragraphs_of(text), None, ())


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
    from core.documents.files import docx_file, html_file, lines, odt_file, pdf_file, plain_file, rtf_file

    if kind == "docx":
        paragraphs, notes = docx_file.paragraphs_of(data, name)
        return paragraphs, None, notes
    if kind == "pdf":
        paragraphs, pages = pdf_file.paragraphs_of(data, name)
        return paragraphs, pages, ()
    if kind == "odt":
        return odt_file.paragraphs_of(data, name), None, ()
    if kind == "rtf":
        return rtf_file.paragraphs_of(data, name), None, ()
    text = plain_file.decoded(data, name)
    if kind == "html":
        return html_file.paragraphs_of(text), None, ()
    return (plain_file.of_markdown(text) if kind == "md" else lines.paragraphs_of(text)), None, ()


def _clean(paragraph: str) -> str:
    """Blanks as one blank, lines without blanks around them; nothing else of the text is changed."""
    text = _UNSEEN.sub("", paragraph.replace("\x00", "").replace("\v", "\n"))
    lines = [_BLANKS.sub(" ", line).strip() for line in text.split("\n")]
    return "\n".join(line for line in lines if line)
