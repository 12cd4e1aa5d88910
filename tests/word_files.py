"""Decides tracked changes in a docx as a word processor would, by code that shares nothing with the program's.

Also the edits that a letter of either kind, docx or odt, is tried with.
"""

import io
import random
import re
import zipfile
from typing import Any

from lxml import etree

from biasprint.core.letters.readers.lines import cleaned
from biasprint.core.letters.readers.office import of_docx
from biasprint.core.letters.word import AUTHOR

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


# Words of the rich letter that both kinds of file are made with, and what they become.
CHANGES = {
    "a word that two runs share": ("Kelly", "Kim"),
    "words around a footnote's number": ("Moreno for four", "M. for five"),
    "several blanks": ("is a warm and caring colleague", "is a colleague of drive"),
    "a word of somebody's own change": ("quiet and kind", "kind"),
    "another first word of somebody's own change": ("quiet and", "firm and"),
    "a word put into somebody's own change": ("quiet and", "quiet, firm and"),
    "a word of a link": ("her prints", "her many prints"),
    "a tab and a line break": ("twice\nand", "twice, and"),
    "a line break more": ("the press,", "the press,\nthe paper,"),
    "a word in a table": ("2017 to 2021", "2016 to 2021"),
    "the first word": ("Letter of", "A letter of"),
    "the last word": ("Field", "Field, PhD"),
    "a paragraph parted": ("years. She", "years.\n\nShe"),
    "a paragraph more": ("\n\nDr. Jonas", "\n\nI recommend her.\n\nSincerely,\n\nDr. Jonas"),
    "two paragraphs joined": ("see her prints.\n\nDr.", "see her prints. Dr."),
    "a paragraph less": ("Letter of recommendation\n\n", ""),
    "everything in a paragraph": ("I have worked with Kelly Moreno for four years.", "She worked here."),
}


def edited_by_chance(text: str, seed: int) -> str:
    """The text after one to six words became others, more, fewer, or paragraphs."""
    chance = random.Random(seed)
    words = re.split(r"(\s+)", text)
    for _ in range(chance.randint(1, 6)):
        at = 2 * chance.randrange(len(words) // 2)
        words[at] = chance.choice(["", "better", "old\nand new", f"{words[at]} indeed", "one.\n\nTwo", "‘x’"])
    return "\n\n".join(text for text in map(cleaned, "".join(words).split("\n\n")) if text)


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
