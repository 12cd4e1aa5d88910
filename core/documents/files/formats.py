"""What kind of file this is, by its first bytes; the name decides only between kinds of plain text."""

import io
import re
import zipfile
from typing import Literal

from core.documents.values import Kind
from core.errors import AppError

Found = Kind | Literal["picture", "old office", "program", "archive", "spreadsheet", "slides", "project", "empty"]

_PICTURES = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\x00", b"MM\x00*", b"BM")
_HTML = re.compile(rb"<\s*(?:!doctype\s+html|html|head|body|p|div|meta)\b", re.IGNORECASE)
_BY_ENDING: dict[str, Kind] = {"md": "md", "markdown": "md", "html": "html", "htm": "html", "xhtml": "html"}
_WHY: dict[str, tuple[str, str]] = {
    "picture": ("is a picture, not a text", "A photo or scan has to go through text recognition (OCR) first."),
    "old office": (
        "is an Office file from before 2007, or is protected by a password",
        "Open it in your word processor, and save it as docx without a password.",
    ),
    "program": ("is a program, not a letter", "Choose a docx, odt, pdf, rtf, html, md or txt file."),
    "archive": ("is an archive", "Check it as a pile of letters, or unpack it first."),
    "spreadsheet": ("is a spreadsheet, not a letter", "Letters in a table come in with “biasprint import”."),
    "slides": ("is a set of slides, not a letter", "Choose a docx, odt, pdf, rtf, html, md or txt file."),
    "project": ("is a Biasprint project or a database, not a letter", "Open a project with File, Open."),
    "empty": ("is empty", "Choose the file that holds the letter."),
}


def kind_of(data: bytes, name: str) -> Kind:
    """The kind of a letter's file. Raises `AppError` for what is none, in a sentence that names the file."""
    found = _found(data, name)
    if found in _WHY:
        why, hint = _WHY[found]
        raise AppError(f"“{name}” {why}.", hint=hint)
    return found  # type: ignore[return-value]


def _found(data: bytes, name: str) -> Found:
    head = data[:2048]
    if not data.strip(b"\x00 \t\r\n\xef\xbb\xbf"):
        return "empty"
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if head.startswith(b"PK\x03\x04"):
        return _of_zip(data)
    if head.lstrip().startswith(b"{\\rtf"):
        return "rtf"
    if head.startswith(_PICTURES) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP") or head[4:8] == b"ftyp":
        return "picture"
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return "old office"
    if head.startswith((b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe")):
        return "program"
    if head.startswith((b"SQLite format 3\x00",)):
        return "project"
    if head.startswith((b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"BZh", b"\xfd7zXZ")):
        return "archive"
    ending = name.rpartition(".")[2].lower()
    if ending in _BY_ENDING:
        return _BY_ENDING[ending]
    return "html" if _HTML.match(head.lstrip(b"\xef\xbb\xbf \t\r\n")) else "txt"


def _of_zip(data: bytes) -> Found:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = set(archive.namelist())
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError, RuntimeError):
        return "docx"  # broken: its reader says so
    if "word/document.xml" in names or any(name.startswith("word/") for name in names):
        return "docx"
    if "content.xml" in names and "mimetype" in names:
        return "odt"
    if any(name.startswith("xl/") for name in names):
        return "spreadsheet"
    if any(name.startswith("ppt/") for name in names):
        return "slides"
    return "archive"
