"""A checked letter as an OpenDocument text: what was changed as tracked changes, what was marked as annotations.

Only `content.xml` is written; every other file of the odt stays as it is. Edits are written from the last to the first,
so that no place moves that is still to come. OpenDocument keeps deleted words apart, under `text:tracked-changes`.
"""

import copy
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import count
from typing import Any, NamedTuple

from biasprint.core.letters.readers.lines import kept
from biasprint.core.letters.readers.office import ODT_BLOCKS, OFFICE, TEXT, OdtPiece, odt_paragraphs, odt_pieces
from biasprint.core.letters.word.edits import TextEdit

DC = "{http://purl.org/dc/elements/1.1/}"
XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
_NAME, _CHANGE_ID, _ID, _COUNT = f"{OFFICE}name", f"{TEXT}change-id", f"{TEXT}id", f"{TEXT}c"
_BREAK = re.compile(r"\n{2,}")
_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_WORDS = {f"{TEXT}span", f"{TEXT}a", f"{TEXT}s", f"{TEXT}tab", f"{TEXT}line-break"}


class OdtTold(NamedTuple):
    """A paragraph of the text: its element, its first character's place, and its characters' places in it as it was."""

    element: Any
    start: int
    text: str
    raw: Sequence[int]

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class OdtStory:
    """The paragraphs with a blank line between them, as `Document.text`."""

    def __init__(self, root: Any) -> None:
        self.paragraphs: list[OdtTold] = []
        start = 0
        for element, pieces in odt_paragraphs(root.find(f".//{OFFICE}text")):
            text, places = kept("".join(piece.text for piece in pieces))
            if text:
                self.paragraphs.append(OdtTold(element, start, text, places))
                start += len(text) + 2

    @property
    def text(self) -> str:
        return "\n\n".join(paragraph.text for paragraph in self.paragraphs)

    def at(self, place: int) -> int:
        """Return the number of the paragraph that holds a place; the break after one is its own."""
        return max(0, bisect_right(self.paragraphs, place, key=lambda paragraph: paragraph.start) - 1)


# ---- Characters of one paragraph, counted as they stand in the file


def put(element: Any, raw: int, added: Any) -> None:
    """Put a node before a character of a paragraph; after its last for the place at its end."""
    at = 0
    pieces = [piece for piece in odt_pieces(element) if piece.text]
    for piece in pieces:
        if raw < at + len(piece.text):
            _put_into(piece, raw - at, added)
            return
        at += len(piece.text)
    if pieces:
        _put_into(pieces[-1], len(pieces[-1].text), added)
    else:
        element.insert(0, added)


def _put_into(piece: OdtPiece, offset: int, added: Any) -> None:
    node, where, text = piece
    if where == "text":
        node.text, added.tail = text[:offset], text[offset:]
        node.insert(0, added)
    elif where == "tail":
        node.tail, added.tail = text[:offset], text[offset:]
        node.getparent().insert(node.getparent().index(node) + 1, added)
    elif offset == 0:
        node.getparent().insert(node.getparent().index(node), added)
    else:
        if offset < len(text):  # several blanks in one sign are two signs now
            rest = node.makeelement(node.tag, {_COUNT: str(len(text) - offset)})
            node.set(_COUNT, str(offset))
            after(node, rest)
        after(node, added)


def after(node: Any, added: Any) -> None:
    """Put a node right behind another, before what follows that."""
    added.tail, node.tail = node.tail, None
    node.getparent().insert(node.getparent().index(node) + 1, added)


def remove(element: Any, first: int, last: int) -> None:
    """Take the characters `first` to `last` out of a paragraph."""
    end = sum(len(piece.text) for piece in odt_pieces(element))
    for node, where, text in reversed(list(odt_pieces(element))):
        start = end - len(text)
        low, high = max(first, start) - start, min(last, end) - start
        end = start
        if low >= high:
            continue
        if where == "sign":
            if high - low < len(text):
                node.set(_COUNT, str(len(text) - (high - low)))
            else:
                _drop(node)
        elif where == "text":
            node.text = node.text[:low] + node.text[high:]
        else:
            node.tail = node.tail[:low] + node.tail[high:]  # as it is now: what followed a sign may be behind it


def _drop(node: Any) -> None:
    """Remove a node and keep what follows it."""
    parent, before = node.getparent(), node.getprevious()
    if before is not None:
        before.tail = (before.tail or "") + (node.tail or "")
    else:
        parent.text = (parent.text or "") + (node.tail or "")
    parent.remove(node)


def part(marker: Any) -> Any:
    """Make everything from the marker on a paragraph after this one, the marker first."""
    first = marker
    while True:
        around = first.getparent()
        other = around.makeelement(around.tag, {key: value for key, value in around.attrib.items() if key != XML_ID})
        other.extend([first, *first.itersiblings()])
        after(around, other)
        if around.tag in ODT_BLOCKS:
            return other
        first = other


def length(element: Any) -> int:
    return sum(len(piece.text) for piece in odt_pieces(element))


# ---- Edits as tracked changes


class OdtChanges:
    """Writes edits of a story. `left_out` counts what a change cannot do: paragraphs of two cells are never joined."""

    def __init__(self, root: Any, author: str, when: datetime, *, tracked: bool) -> None:
        self._text = root.find(f".//{OFFICE}text")
        self._author, self._when, self._tracked = author, when, tracked
        self._taken = {element.get(key) for element in root.iter() for key in (_ID, XML_ID)}
        self._numbers = count()
        self.left_out = 0

    def write(self, story: OdtStory, edits: Sequence[TextEdit]) -> None:
        """Write all edits, the last one first."""
        for edit in reversed(edits):
            first, last = story.at(edit.start), story.at(max(edit.start, edit.end))
            paragraphs = story.paragraphs[first : last + 1]
            place = _raw_before(paragraphs[0], edit.start - paragraphs[0].start)
            if edit.start < edit.end:
                self._delete(paragraphs, place, edit)
            if edit.text:
                self._insert(paragraphs[0].element, place, _IN_XML.sub("", edit.text))

    def _delete(self, paragraphs: Sequence[OdtTold], place: int, edit: TextEdit) -> None:
        if len(paragraphs) > 1 and not _beside(paragraphs):
            self.left_out += 1
            for paragraph in reversed(paragraphs):
                low, high = max(edit.start - paragraph.start, 0), min(edit.end - paragraph.start, len(paragraph.text))
                if low < high:
                    self._delete(
                        [paragraph],
                        _raw_before(paragraph, low),
                        TextEdit(paragraph.start + low, paragraph.start + high, ""),
                    )
            return
        last = paragraphs[-1]
        end = _raw_after(last, edit.end - last.start)
        change = self._text.makeelement(f"{TEXT}change")
        if len(paragraphs) == 1:
            gone = [_only(last.element, place, end)]
            remove(last.element, place, end)
            put(last.element, place, change)
        else:
            element, between = paragraphs[0].element, _until(paragraphs[0].element, last.element)
            whole = length(element)
            gone = [
                _only(element, place, whole),
                *(_only(paragraph, 0, length(paragraph)) for paragraph in between),
                _only(last.element, 0, end),
            ]
            remove(element, place, whole)
            remove(last.element, 0, end)
            for paragraph in between:
                paragraph.getparent().remove(paragraph)
            change.tail = last.element.text
            element.append(change)
            element.extend(list(last.element))
            last.element.getparent().remove(last.element)
        if self._tracked:
            change.set(_CHANGE_ID, self._region("deletion", gone))
        else:
            _drop(change)

    def _insert(self, element: Any, place: int, text: str) -> None:
        key = self._region("insertion", ()) if self._tracked else ""
        start = element.makeelement(f"{TEXT}change-start", {_CHANGE_ID: key})
        end = element.makeelement(f"{TEXT}change-end", {_CHANGE_ID: key})
        put(element, place, start)
        after(start, end)
        *parted, rest = _BREAK.split(text)
        for words in parted:
            _say(end, words)
            part(end)
        _say(end, rest)
        if self._tracked:
            _out_of_an_insertion(start, end)
        if not self._tracked:
            _drop(start)
            _drop(end)

    def _region(self, kind: str, gone: Sequence[Any]) -> str:
        """A change that can be accepted or rejected; its id. `gone`: the paragraphs that it deletes."""
        regions = self._text.find(f"{TEXT}tracked-changes")
        if regions is None:
            regions = self._text.makeelement(f"{TEXT}tracked-changes")
            forms = self._text.find(f"{OFFICE}forms")
            self._text.insert(0 if forms is None else 1 + self._text.index(forms), regions)
        key = next(name for number in self._numbers if (name := f"bc{number}") not in self._taken)
        region = regions.makeelement(f"{TEXT}changed-region", {XML_ID: key, _ID: key})
        change, info = region.makeelement(f"{TEXT}{kind}"), region.makeelement(f"{OFFICE}change-info")
        info.extend(by(info, self._author, self._when))
        change.append(info)
        change.extend(gone)
        region.append(change)
        regions.append(region)
        return key


def by(near: Any, author: str, when: datetime) -> Iterator[Any]:
    """Yield the author and the date: without a date LibreOffice takes the deleted words for a part of the letter."""
    creator, date = near.makeelement(f"{DC}creator"), near.makeelement(f"{DC}date")
    creator.text, date.text = author, when.strftime("%Y-%m-%dT%H:%M:%S")
    yield from (creator, date)


def _raw_before(paragraph: OdtTold, offset: int) -> int:
    """The place of a character in the paragraph as it is in the file; after its last for the offset at its end."""
    return paragraph.raw[offset] if offset < len(paragraph.raw) else paragraph.raw[-1] + 1


def _raw_after(paragraph: OdtTold, offset: int) -> int:
    return paragraph.raw[min(offset, len(paragraph.raw)) - 1] + 1 if offset > 0 else paragraph.raw[0]


def _say(marker: Any, words: str) -> None:
    """Put words before a marker."""
    for piece in re.split(r"([\n\t])", words):
        before = marker.getprevious()
        if piece in ("\n", "\t"):
            sign = marker.makeelement(f"{TEXT}line-break" if piece == "\n" else f"{TEXT}tab")
            marker.getparent().insert(marker.getparent().index(marker), sign)
        elif before is not None:
            before.tail = (before.tail or "") + piece
        else:
            marker.getparent().text = (marker.getparent().text or "") + piece


def _only(element: Any, first: int, last: int) -> Any:
    """A copy of a paragraph with these characters alone, as they look; pictures and notes stay where they are."""
    copied = copy.deepcopy(element)
    copied.tail = None
    copied.attrib.pop(XML_ID, None)
    end = length(copied)
    remove(copied, last, end)
    remove(copied, 0, first)
    for node in list(copied.iterdescendants()):
        if node.tag not in _WORDS and node.getparent() is not None:
            _drop(node)
    text = "".join(piece.text for piece in odt_pieces(copied))
    for place in sorted({0, len(text) - 1}, reverse=True):  # a blank at a paragraph's end is none, but as a sign
        if text[place : place + 1] == " ":
            remove(copied, place, place + 1)
            put(copied, place, copied.makeelement(f"{TEXT}s"))
    return copied


def _beside(paragraphs: Sequence[OdtTold]) -> bool:
    """Return whether nothing but paragraphs lies between the first and the last of them."""
    node = paragraphs[0].element
    while node is not None and node is not paragraphs[-1].element:
        node = node.getnext()
        if node is not None and node.tag not in ODT_BLOCKS:
            return False
    return node is not None


def _out_of_an_insertion(start: Any, end: Any) -> None:
    """A change at the very beginning of somebody's insertion goes before it: LibreOffice makes a muddle of the two."""
    change = start.getprevious()
    first = change if change is not None and change.tag == f"{TEXT}change" and not change.tail else start
    other = first.getprevious()
    if other is not None and other.tag == f"{TEXT}change-start" and not other.tail:
        other.getparent().remove(other)
        after(end, other)


def _until(first: Any, last: Any) -> list[Any]:
    elements = []
    while (first := first.getnext()) is not last:
        elements.append(first)
    return elements


# ---- Marks as annotations


def annotate(story: OdtStory, number: int, start: int, end: int, text: str, author: str, when: datetime) -> None:
    """Annotate the characters `start` to `end` of the story, which are in one paragraph."""
    around = story.paragraphs[story.at(start)]
    name = f"Biasprint-{number}"
    note = around.element.makeelement(f"{OFFICE}annotation", {_NAME: name})
    note.extend(by(note, author, when))
    for line in text.split("\n"):
        paragraph = note.makeelement(f"{TEXT}p")
        paragraph.text = line
        note.append(paragraph)
    put(
        around.element,
        _raw_after(around, end - around.start),
        note.makeelement(f"{OFFICE}annotation-end", {_NAME: name}),
    )
    put(around.element, _raw_before(around, start - around.start), note)
