"""Decides tracked changes in a docx as a word processor would, by code that shares nothing with the program's."""

import io
import zipfile
from typing import Any

from lxml import etree

from core.documents.files.cleaning import cleaned
from core.documents.files.readers import of_docx
from core.documents.word import AUTHOR

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


def text_of(data: bytes) -> str:
    return "\n\n".join(text for text in map(cleaned, of_docx(data, "letter.docx").paragraphs) if text)


def body(data: bytes) -> Any:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return etree.fromstring(archive.read("word/document.xml"))


def decided(data: bytes, *, accepted: bool) -> bytes:
    """The file after somebody accepted, or rejected, every change of ours in a word processor."""
    root = body(data)
    gone, stays = (f"{W}del", f"{W}ins") if accepted else (f"{W}ins", f"{W}del")
    for change in [one for one in root.iter(gone, stays) if one.get(f"{W}author") == AUTHOR]:
        around = change.getparent()
        if around.tag == f"{W}rPr":  # the end of a paragraph
            paragraph = around.getparent().getparent()
            around.remove(change)
            if not len(around):
                around.getparent().remove(around)
            if change.tag == gone:
                paragraph.set("joined", "1")
        elif change.tag == gone:
            around.remove(change)
        else:
            for run in list(change):
                change.addprevious(run)
            around.remove(change)
            for words in (one for one in run.iter(f"{W}delText") if change.tag == f"{W}del"):
                words.tag = f"{W}t"
    for paragraph in reversed(list(root.iter(f"{W}p"))):
        if paragraph.attrib.pop("joined", ""):
            following = paragraph.getnext()
            for run in reversed([one for one in paragraph if one.tag != f"{W}pPr"]):
                following.insert(0 if following.find(f"{W}pPr") is None else 1, run)
            paragraph.getparent().remove(paragraph)
    return replaced(data, root)


def replaced(data: bytes, root: Any) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(stream, "w") as new:
        for part in old.namelist():
            new.writestr(part, etree.tostring(root) if part == "word/document.xml" else old.read(part))
    return stream.getvalue()
