"""Paragraphs of a docx: body, tables, text boxes; deleted text of tracked changes left out, inserted text kept."""

from collections.abc import Iterator
from typing import Any

from core.documents.files.packed import Packed

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"  # a text box stands there twice
_LEFT_OUT = {f"{W}del", f"{W}moveFrom", f"{W}instrText", f"{W}footnoteReference", f"{W}commentReference", _FALLBACK}
BODY = "word/document.xml"


def paragraphs_of(data: bytes, name: str) -> tuple[list[str], tuple[str, ...]]:
    """The paragraphs in reading order, those of the first page's header first; and what was left out, in words."""
    packed = Packed(data, name)
    found = list(_paragraphs(packed.xml(BODY)))
    headers = [part for part in packed.names() if part.startswith("word/header") and part.endswith(".xml")]
    above = [text for part in sorted(headers)[:3] for text in _paragraphs(packed.xml(part)) if text.strip()]
    notes: list[str] = []
    if any(part.startswith(("word/footnotes", "word/endnotes", "word/comments")) for part in packed.names()):
        notes.append("Footnotes and comments were left out.")
    return [*dict.fromkeys(above), *found], tuple(notes)


def _paragraphs(root: Any) -> Iterator[str]:
    for paragraph in root.iter(f"{W}p"):
        if not any(above.tag in _LEFT_OUT for above in paragraph.iterancestors()):
            yield "".join(_pieces(paragraph))


def _pieces(element: Any) -> Iterator[str]:
    for child in element:
        if child.tag in _LEFT_OUT or child.tag == f"{W}p" or not isinstance(child.tag, str):
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
            yield from _pieces(child)
