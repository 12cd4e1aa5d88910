"""Paragraphs of an OpenDocument text."""

from collections.abc import Iterator
from typing import Any

from core.documents.files.packed import Packed

TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_LEFT_OUT = {f"{TEXT}tracked-changes", f"{TEXT}note", f"{OFFICE}annotation", f"{TEXT}table-of-content"}
_BLOCKS = (f"{TEXT}p", f"{TEXT}h")


def paragraphs_of(data: bytes, name: str) -> list[str]:
    """The paragraphs and headings in reading order; notes and comments left out."""
    root = Packed(data, name).xml("content.xml")
    body = root.find(f".//{OFFICE}text")
    return [] if body is None else list(_paragraphs(body))


def _paragraphs(root: Any) -> Iterator[str]:
    for block in root.iter(*_BLOCKS):
        if not any(above.tag in _LEFT_OUT for above in block.iterancestors()):
            yield "".join(_pieces(block))


def _pieces(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if child.tag == f"{TEXT}s":
            yield " " * min(int(child.get(f"{TEXT}c", "1") or 1), 80)
        elif child.tag == f"{TEXT}tab":
            yield "\t"
        elif child.tag == f"{TEXT}line-break":
            yield "\n"
        elif child.tag not in _LEFT_OUT and child.tag not in _BLOCKS and isinstance(child.tag, str):
            yield from _pieces(child)
        yield child.tail or ""
