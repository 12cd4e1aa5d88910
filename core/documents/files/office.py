"""Paragraphs of office files, docx and odt: zips of XML files, of which only what is needed is unpacked."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

from core.documents.values import Extracted
from core.errors import AppError

# A file that needs more is no letter, and may be an attack.
MOST_UNPACKED = 64_000_000  # bytes of a docx or odt once unpacked
MOST_PARTS = 5_000  # files inside one

# ---- A docx or odt is a zip of XML files. Only what is needed is unpacked, and never more than a letter can hold


class Packed:
    """The files inside. Every one is read through a limit on what all of them together may unpack to."""

    def __init__(self, data: bytes, name: str) -> None:
        self._name = name
        self._left = MOST_UNPACKED
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
            raise self._damaged(error) from error
        parts = self._archive.infolist()
        if len(parts) > MOST_PARTS or len({part.filename for part in parts}) < len(parts):
            raise AppError(f"“{name}” is not built like a letter, and was not read.", hint=_HINT)
        if any(part.flag_bits & 1 for part in parts):
            raise AppError(f"“{name}” is protected by a password.", hint="Save it without one, and try again.")

    def names(self) -> list[str]:
        return self._archive.namelist()

    def xml(self, part: str) -> Any:
        """The root of one XML file; no entity is resolved, and nothing is loaded from anywhere."""
        from lxml import etree

        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            root = etree.fromstring(self._bytes(part), parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            raise self._damaged(error) from error
        tree: Any = None if root is None else root.getroottree()
        if tree is None or tree.docinfo.doctype:
            raise AppError(f"“{self._name}” is not built like a letter, and was not read.", hint=_HINT)
        return root

    def _bytes(self, part: str) -> bytes:
        try:
            with self._archive.open(part) as stream:
                data = stream.read(self._left + 1)
        except (
            KeyError,
            zipfile.BadZipFile,
            EOFError,
            OSError,
            NotImplementedError,
            RuntimeError,
            ValueError,
        ) as error:
            raise self._damaged(error) from error
        except Exception as error:  # zlib.error and its like
            raise self._damaged(error) from error
        self._left -= len(data)
        if self._left < 0:
            raise AppError(f"“{self._name}” unpacks to far more than a letter holds, and was not read.", hint=_HINT)
        return data

    def _damaged(self, error: Exception) -> AppError:
        return AppError(
            f"“{self._name}” is damaged or cut off.", hint=_HINT, details=f"{type(error).__name__}: {error}"
        )


_HINT = "Ask for a fresh copy, or paste the letter's text."


# ---- Paragraphs of a docx: body, tables, text boxes; deleted text of tracked changes left out, inserted text kept

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # a text box stands there twice
_NOT_IN_DOCX = {f"{W}del", f"{W}moveFrom", f"{W}instrText", f"{W}footnoteReference", f"{W}commentReference", _FALLBACK}
BODY = "word/document.xml"


def of_docx(data: bytes, name: str) -> Extracted:
    """The paragraphs in reading order, those of the first page's header first; and what was left out, in words."""
    packed = Packed(data, name)
    found = list(_docx_paragraphs(packed.xml(BODY)))
    headers = [part for part in packed.names() if part.startswith("word/header") and part.endswith(".xml")]
    above = [text for part in sorted(headers)[:3] for text in _docx_paragraphs(packed.xml(part)) if text.strip()]
    notes: list[str] = []
    if any(part.startswith(("word/footnotes", "word/endnotes", "word/comments")) for part in packed.names()):
        notes.append("Footnotes and comments were left out.")
    return Extracted([*dict.fromkeys(above), *found], notes=tuple(notes))


def _docx_paragraphs(root: Any) -> Iterator[str]:
    for paragraph in root.iter(f"{W}p"):
        if not any(above.tag in _NOT_IN_DOCX for above in paragraph.iterancestors()):
            yield "".join(_docx_pieces(paragraph))


def _docx_pieces(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag in _NOT_IN_DOCX or child.tag == f"{W}p" or not isinstance(child.tag, str):
            continue  # a paragraph within one is a text box, and stands by itself
        if child.tag == f"{W}t":
            yield child.text or ""
        elif child.tag == f"{W}tab":
            yield "\t" if element.tag == f"{W}r" else ""
        elif child.tag in (f"{W}br", f"{W}cr"):
            yield "\n"
        elif child.tag in (f"{W}noBreakHyphen", f"{W}softHyphen"):
            yield "-" if child.tag == f"{W}noBreakHyphen" else ""
        else:
            yield from _docx_pieces(child)


# ---- Paragraphs of an OpenDocument text

TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_NOT_IN_ODT = {f"{TEXT}tracked-changes", f"{TEXT}note", f"{OFFICE}annotation", f"{TEXT}table-of-content"}
_BLOCKS = (f"{TEXT}p", f"{TEXT}h")


def of_odt(data: bytes, name: str) -> Extracted:
    """The paragraphs and headings in reading order; notes and comments left out."""
    root = Packed(data, name).xml("content.xml")
    body = root.find(f".//{OFFICE}text")
    return Extracted([] if body is None else list(_odt_paragraphs(body)))


def _odt_paragraphs(root: Any) -> Iterator[str]:
    for block in root.iter(*_BLOCKS):
        if not any(above.tag in _NOT_IN_ODT for above in block.iterancestors()):
            yield "".join(_odt_pieces(block))


def _odt_pieces(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag == f"{TEXT}s":
            yield " " * min(int(child.get(f"{TEXT}c", "1") or 1), 80)
        elif child.tag == f"{TEXT}tab":
            yield "\t"
        elif child.tag == f"{TEXT}line-break":
            yield "\n"
        elif child.tag not in _NOT_IN_ODT and child.tag not in _BLOCKS and isinstance(child.tag, str):
            yield from _odt_pieces(child)
        yield child.tail or ""
