"""The text of a docx as the letter check reads it, and where in the file each of its characters stands.

A place is told by a marker: an element put between two runs, which are parted for it. Markers are set from the end of
the text to its beginning, for what is parted moves only what comes later, and are removed when the work is done.
"""

import copy
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from biasprint.core.letters.files.cleaning import kept
from biasprint.core.letters.files.readers import BODY, NOT_IN_DOCX, W, docx_paragraphs, header_parts
from biasprint.core.letters.word.package import Package

MARKER = f"{W}marker"
PARAGRAPH, RUN, TEXT, RUN_PROPERTIES, PROPERTIES = f"{W}p", f"{W}r", f"{W}t", f"{W}rPr", f"{W}pPr"
_PROPERTIES = {RUN_PROPERTIES, PROPERTIES, f"{W}sdtPr", f"{W}sdtEndPr", f"{W}smartTagPr", f"{W}customXmlPr"}
SPACE = "{http://www.w3.org/XML/1998/namespace}space"


class Origin(NamedTuple):
    """A character: the element it stands in, and which of its characters it is."""

    element: Any
    offset: int


class Told(NamedTuple):
    """A paragraph of the text: its element, its first character's place, and where its characters stand."""

    element: Any
    start: int
    text: str
    origins: Sequence[Origin]
    in_header: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class Story:
    """The paragraphs with a blank line between them, as `Document.text`; headers first, none of them twice."""

    def __init__(self, package: Package) -> None:
        self.paragraphs: list[Told] = []
        start = 0
        for element, raw, pieces, in_header in _raw(package):
            text, places = kept(raw)
            if not text:
                continue
            origins = [Origin(one, offset) for one, words in pieces for offset in range(len(words))]
            self.paragraphs.append(Told(element, start, text, [origins[place] for place in places], in_header))
            start += len(text) + 2

    @property
    def text(self) -> str:
        return "\n\n".join(told.text for told in self.paragraphs)

    def at(self, place: int) -> int:
        """Which paragraph holds a place; the break after one is its own."""
        from bisect import bisect_right

        return max(0, bisect_right([told.start for told in self.paragraphs], place) - 1)

    def before(self, told: Told, offset: int) -> Any:
        """A marker before a character of a paragraph; after its last for the offset at its end."""
        if offset >= len(told.text):
            return self.after(told, len(told.text) - 1)
        run = _parted(told.origins[offset], after=False)
        run.addprevious(marker := run.makeelement(MARKER))
        return marker

    def after(self, told: Told, offset: int) -> Any:
        """A marker right after a character."""
        run = _parted(told.origins[offset], after=True)
        run.addnext(marker := run.makeelement(MARKER))
        return marker


def _raw(package: Package) -> Iterator[tuple[Any, str, list[tuple[Any, str]], bool]]:
    seen: set[str] = set()
    for part in header_parts(package.names()):
        for element, pieces in docx_paragraphs(package.xml(part)):
            raw = "".join(text for _, text in pieces)
            if raw.strip() and raw not in seen:
                seen.add(raw)
                yield element, raw, pieces, True
    for element, pieces in docx_paragraphs(package.xml(BODY)):
        yield element, "".join(text for _, text in pieces), pieces, False


def _parted(origin: Origin, *, after: bool) -> Any:
    """The run that ends with the character (`after`) or begins with it; runs are parted where it is needed."""
    element, offset = origin.element, origin.offset + after
    run = element.getparent()
    text = element.text or "" if element.tag == TEXT else ""
    if 0 < offset < len(text):
        rest = copy.deepcopy(element)
        element.text, rest.text = text[:offset], text[offset:]
        for one in (element, rest):
            one.set(SPACE, "preserve")
        element.addnext(rest)
    inside = [child for child in run if child.tag not in _PROPERTIES]
    cut = inside.index(element) + (1 if offset else 0)
    if after:
        _cut(run, inside[cut:])
        return run
    return run if cut == 0 else _cut(run, inside[cut:])


def _cut(node: Any, moved: Sequence[Any]) -> Any:
    """What is moved goes to a copy of the node, after it; None where there is nothing to move."""
    if not moved:
        return None
    other = node.makeelement(node.tag, dict(node.attrib))
    for child in node:
        if child.tag in _PROPERTIES:
            other.append(copy.deepcopy(child))
    other.extend(moved)
    node.addnext(other)
    return other


def lift(marker: Any, out_of: frozenset[str] | None) -> None:
    """Take a marker out of the elements around it with these names, or of all up to its paragraph, parting them."""
    while (around := marker.getparent()) is not None and around.tag != PARAGRAPH:
        if out_of is not None and around.tag not in out_of:
            return
        _cut(around, list(marker.itersiblings()))
        around.addnext(marker)
        if not any(child.tag not in _PROPERTIES for child in around):
            around.getparent().remove(around)


def runs_between(first: Any, last: Any) -> list[Any]:
    """The runs between two markers of what is one paragraph, without those that are deleted or in a text box in it."""
    paragraph = next(one for one in first.iterancestors() if one.tag == PARAGRAPH)
    found: list[Any] = []
    inside = False
    while paragraph is not None:
        for element in paragraph.iter():
            if element is first:
                inside = True
            elif element is last:
                return found
            elif inside and element.tag == RUN and not _hidden(element, paragraph):
                found.append(element)
        paragraph = next(paragraph.itersiblings(PARAGRAPH), None)
    return found


def _hidden(run: Any, paragraph: Any) -> bool:
    for around in run.iterancestors():
        if around is paragraph:
            return False
        if around.tag in NOT_IN_DOCX or around.tag == PARAGRAPH:
            return True
    return True


def remove_markers(root: Any) -> None:
    for marker in list(root.iter(MARKER)):
        marker.getparent().remove(marker)
