"""Edits written into a docx as tracked changes: words deleted, words inserted, paragraphs parted and put together."""

import copy
import io
import re
import zipfile
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from biasprint.core.letters.readers.lines import kept
from biasprint.core.letters.readers.office import NOT_IN_DOCX, STYLES, Packed, W, docx_story, end_is_deleted
from biasprint.core.letters.word.edits import TextEdit
from biasprint.core.letters.word.strangers import CONTENT_TYPES, Harmless

# ---- The files inside a docx

RELATIONS = "word/_rels/document.xml.rels"
COMMENTS = "word/comments.xml"
SETTINGS = "word/settings.xml"
_TYPES = "{http://schemas.openxmlformats.org/package/2006/content-types}"
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}"
_COMMENTS_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
_COMMENTS_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"
_DEFAULT: Any = {None: _RELATION[1:-1]}
_PROTECTED = ("1", "true", "on")


class Package:
    """A docx that is being changed. `xml` gives a part's root, which `write` puts back if `xml` gave it out."""

    def __init__(self, data: bytes, name: str) -> None:
        self._data, self._name = data, name
        self._packed = Packed(data, name)
        self._roots: dict[str, Any] = {}

    def names(self) -> list[str]:
        return self._packed.names()

    def has(self, part: str) -> bool:
        return part in self.names()

    def xml(self, part: str) -> Any:
        """The root of a part. Raises `AppError` where it cannot be read."""
        if part not in self._roots:
            self._roots[part] = self._packed.xml(part)
        return self._roots[part]

    def styles(self, part: str = STYLES) -> Any:
        """The root of the styles, to look at; None where there are none."""
        return self._packed.xml(part) if self.has(part) else None

    def comments(self) -> Any:
        """The root of the comments, made and made known to the document where there were none."""
        from lxml import etree

        part = self._comments_part()
        if part in self._roots or self.has(part):
            return self.xml(part)
        self._roots[part] = etree.Element(f"{W}comments", nsmap={"w": W[1:-1]})
        etree.SubElement(self.xml(CONTENT_TYPES), f"{_TYPES}Override", PartName=f"/{part}", ContentType=_COMMENTS_TYPE)
        relations = self.xml(RELATIONS) if self.has(RELATIONS) else self._first_relations()
        taken = {relation.get("Id") for relation in relations}
        number = next(n for n in range(1, len(taken) + 2) if f"rId{n}" not in taken)
        etree.SubElement(
            relations, f"{_RELATION}Relationship", Id=f"rId{number}", Type=_COMMENTS_RELATION, Target="comments.xml"
        )
        return self._roots[part]

    def protected(self) -> bool:
        """Return whether only somebody who lifts the document's protection may edit it."""
        protection = self._packed.xml(SETTINGS).find(f"{W}documentProtection") if self.has(SETTINGS) else None
        return protection is not None and protection.get(f"{W}enforcement") in _PROTECTED

    def write(self, kind: type[Harmless]) -> tuple[bytes, tuple[str, ...]]:
        """Return the file, with the parts that `xml` gave out as they are now, and a remark on what was left out."""
        from lxml import etree

        once_more = Packed(self._data, self._name)

        def look(part: str) -> Any:
            return self._roots[part] if part in self._roots else once_more.xml(part)

        harmless = kind([*self.names(), *(part for part in self._roots if not self.has(part))], look)
        left = {part: root for part, root in (self._roots | harmless.roots).items() if part in harmless.kept}
        stream, packed = io.BytesIO(), Packed(self._data, self._name)
        with zipfile.ZipFile(io.BytesIO(self._data)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
            for info in old.infolist():  # its time and name stay
                if info.filename in harmless.kept:
                    root = left.pop(info.filename, None)
                    new.writestr(info, packed.read(info.filename) if root is None else _bytes(etree, root))
            for part, root in left.items():
                new.writestr(part, _bytes(etree, root))
        return stream.getvalue(), harmless.notes

    def _comments_part(self) -> str:
        """Return the part with the document's comments; nearly always `COMMENTS`."""
        relations = self.xml(RELATIONS) if self.has(RELATIONS) else ()
        target = next(
            (relation.get("Target", "") for relation in relations if relation.get("Type") == _COMMENTS_RELATION), ""
        )
        if not target or not re.fullmatch(r"/?[\w./-]+\.xml", target) or ".." in target:
            return COMMENTS
        return target[1:] if target.startswith("/") else f"word/{target}"

    def _first_relations(self) -> Any:
        from lxml import etree

        self._roots[RELATIONS] = etree.Element(f"{_RELATION}Relationships", nsmap=_DEFAULT)
        return self._roots[RELATIONS]


def _bytes(etree: Any, root: Any) -> bytes:
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


# ---- The paragraphs of a docx

MARKER = f"{W}marker"
PARAGRAPH, RUN, TEXT, RUN_PROPERTIES, PROPERTIES = f"{W}p", f"{W}r", f"{W}t", f"{W}rPr", f"{W}pPr"
_PROPERTIES = {RUN_PROPERTIES, PROPERTIES, f"{W}sdtPr", f"{W}sdtEndPr", f"{W}smartTagPr", f"{W}customXmlPr"}
SPACE = "{http://www.w3.org/XML/1998/namespace}space"


class Origin(NamedTuple):
    """The origin of a character: its element, and its number among the element's characters."""

    element: Any
    offset: int


class Told(NamedTuple):
    """A paragraph of the text: its element, the place of its first character, and the origins of its characters."""

    element: Any
    start: int
    text: str
    origins: Sequence[Origin]
    in_header: bool

    @property
    def end(self) -> int:
        return self.start + len(self.text)


class Story:
    """The paragraphs with a blank line between them, as `Document.text`; headers first, none of them twice.

    Hidden runs are set apart in the tree until `put_back`.
    """

    def __init__(self, package: Package) -> None:
        self.paragraphs: list[Told] = []
        start = 0
        for element, pieces, in_header, raw in docx_story(package.names(), package.xml, package.styles()):
            text, places = kept(raw)
            if not text:
                continue
            origins = [Origin(piece, offset) for piece, words in pieces for offset in range(len(words))]
            self.paragraphs.append(Told(element, start, text, [origins[place] for place in places], in_header))
            start += len(text) + 2

    @property
    def text(self) -> str:
        return "\n\n".join(paragraph.text for paragraph in self.paragraphs)

    def at(self, place: int) -> int:
        """Return the number of the paragraph that holds a place; the break after one is its own."""
        return max(0, bisect_right([paragraph.start for paragraph in self.paragraphs], place) - 1)

    def before(self, paragraph: Told, offset: int) -> Any:
        """A marker before a character of a paragraph; after its last for the offset at its end."""
        if offset >= len(paragraph.text):
            return self.after(paragraph, len(paragraph.text) - 1)
        run = _parted(paragraph.origins[offset], after=False)
        run.addprevious(marker := run.makeelement(MARKER))
        return marker

    def after(self, paragraph: Told, offset: int) -> Any:
        """A marker right after a character."""
        run = _parted(paragraph.origins[offset], after=True)
        run.addnext(marker := run.makeelement(MARKER))
        return marker


def _parted(origin: Origin, *, after: bool) -> Any:
    """The run that ends with the character (`after`) or begins with it; runs are parted where it is needed."""
    element, offset = origin.element, origin.offset + after
    run = element.getparent()
    text = element.text or "" if element.tag == TEXT else ""
    if 0 < offset < len(text):
        rest = copy.deepcopy(element)
        element.text, rest.text = text[:offset], text[offset:]
        for half in (element, rest):
            half.set(SPACE, "preserve")
        element.addnext(rest)
    inside = [child for child in run if child.tag not in _PROPERTIES]
    cut = inside.index(element) + (1 if offset else 0)
    if after:
        _cut(run, inside[cut:])
        return run
    return run if cut == 0 else _cut(run, inside[cut:])


def _cut(node: Any, moved: Sequence[Any]) -> Any:
    """Move `moved` to a copy of the node, after it, and return the copy; None where there is nothing to move."""
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
    paragraph = next(ancestor for ancestor in first.iterancestors() if ancestor.tag == PARAGRAPH)
    runs: list[Any] = []
    inside = False
    while paragraph is not None:
        for element in paragraph.iter():
            if element is first:
                inside = True
            elif element is last:
                return runs
            elif inside and element.tag == RUN and not _hidden(element, paragraph):
                runs.append(element)
        paragraph = next(paragraph.itersiblings(PARAGRAPH), None)
    return runs


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


INSERTED, DELETED = f"{W}ins", f"{W}del"
_ID, _AUTHOR, _DATE = f"{W}id", f"{W}author", f"{W}date"
_CHANGED = frozenset((INSERTED, DELETED, f"{W}moveTo", f"{W}moveFrom"))
_NUMBERED = (*_CHANGED, f"{W}rPrChange", f"{W}pPrChange")
# What may stand in a deleted run. A picture, a note's number or a field is no word, and stays.
_WORDS = {TEXT, f"{W}tab", f"{W}br", f"{W}cr", f"{W}noBreakHyphen", f"{W}softHyphen", f"{W}lastRenderedPageBreak"}
_AFTER_RUN_PROPERTIES = (f"{W}sectPr", f"{W}pPrChange")
_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BREAK = re.compile(r"\n{2,}")


class TrackedChanges:
    """Writes edits of a story. `left_out` counts what a change cannot do: paragraphs of two cells are never joined."""

    def __init__(self, story: Story, roots: Sequence[Any], author: str, when: datetime | None) -> None:
        self._story = story
        self._author, self._when = author, when
        numbers = (element.get(_ID, "") for root in roots for element in root.iter(*_NUMBERED))
        self._next = max((int(number) for number in numbers if re.fullmatch(r"\d{1,9}", number)), default=0)
        self.made: list[Any] = []
        self.left_out = 0

    def write(self, edits: Sequence[TextEdit]) -> None:
        """Write all edits, the last one first."""
        for edit in reversed(edits):
            self._write(edit)

    def number(self, roots: Sequence[Any]) -> None:
        """A change of somebody else's that was parted is two now, with a number each."""
        seen = set()
        for element in (element for root in roots for element in root.iter(*_NUMBERED)):
            if element.get(_ID) in seen:
                self._next += 1
                element.set(_ID, str(self._next))
            seen.add(element.get(_ID))

    def _write(self, edit: TextEdit) -> None:
        first, last = self._story.at(edit.start), self._story.at(max(edit.start, edit.end))
        paragraphs = self._story.paragraphs
        place = None
        for number in range(last, first - 1, -1):
            paragraph = paragraphs[number]
            start, end = max(edit.start - paragraph.start, 0), min(edit.end - paragraph.start, len(paragraph.text))
            if number < last:
                self._join(paragraph, paragraphs[number + 1])
            if start < end:
                place = self._delete(paragraph, start, end)
        if not edit.text:
            return
        paragraph = paragraphs[first]
        offset = min(edit.start - paragraph.start, len(paragraph.text))
        properties = self._look(paragraph, offset)
        if place is None or offset == len(paragraph.text):  # none of this paragraph is deleted
            place = self._story.after(paragraph, offset - 1) if offset else self._story.before(paragraph, 0)
        self._insert(place, edit.text, properties)

    def _delete(self, paragraph: Told, start: int, end: int) -> Any:
        """The marker after what is deleted."""
        last = self._story.before(paragraph, end)
        first = self._story.before(paragraph, start)
        for run in runs_between(first, last):
            for words in _only_words(run):
                for text in words.iter(TEXT):
                    text.tag = f"{W}delText"
                    text.set(SPACE, "preserve")
                self._wrap(words, DELETED)
        return last

    def _insert(self, place: Any, text: str, properties: Any) -> None:
        lift(place, _CHANGED)
        *parted, rest = _BREAK.split(_IN_XML.sub("", text))
        for words in parted:
            lift(place, None)
            self._part(place, words, properties)
        if rest:
            self._put(place, rest, properties)

    def _part(self, place: Any, words: str, properties: Any) -> None:
        """Make everything before the marker, and the words, a paragraph of their own, before this one."""
        paragraph = place.getparent()
        before = paragraph.makeelement(paragraph.tag)
        own = paragraph.find(PROPERTIES)
        if own is not None:
            copied = copy.deepcopy(own)
            for inner in copied.findall(f"{W}sectPr"):
                copied.remove(inner)  # the section ends once, with the last of its paragraphs
            for inner in copied.findall(RUN_PROPERTIES):
                for change in [element for element in inner if element.tag in _CHANGED]:
                    inner.remove(change)
            before.append(copied)
        before.extend([child for child in place.itersiblings(preceding=True) if child.tag != PROPERTIES][::-1])
        paragraph.addprevious(before)
        if words:
            run = _run(before, words, properties)
            before.append(run)
            self._wrap(run, INSERTED)
        self._mark_end(before, INSERTED)

    def _put(self, place: Any, words: str, properties: Any) -> None:
        run = _run(place, words, properties)
        place.addnext(run)
        self._wrap(run, INSERTED)

    def _join(self, ending: Told, following: Told) -> None:
        """Delete the ends of paragraphs from this one to before the following."""
        ends = list(_until(ending.element, following.element))
        if not ends:
            self.left_out += 1
        for paragraph in ends:
            if not end_is_deleted(paragraph):
                self._mark_end(paragraph, DELETED)

    def _mark_end(self, paragraph: Any, kind: str) -> None:
        own = paragraph.find(PROPERTIES)
        if own is None:
            paragraph.insert(0, own := paragraph.makeelement(PROPERTIES))
        look = own.find(RUN_PROPERTIES)
        if look is None:
            look = own.makeelement(RUN_PROPERTIES)
            later = next((child for child in own if child.tag in _AFTER_RUN_PROPERTIES), None)
            own.append(look) if later is None else later.addprevious(look)
        changes = [child for child in look if child.tag in _CHANGED]
        look.insert(len(changes), self._change(look, kind))

    def _wrap(self, run: Any, kind: str) -> None:
        change = self._change(run, kind)
        run.addprevious(change)
        change.append(run)

    def _change(self, near: Any, kind: str) -> Any:
        self._next += 1
        change = near.makeelement(kind, {_ID: str(self._next), _AUTHOR: self._author})
        if self._when is not None:
            change.set(_DATE, self._when.strftime("%Y-%m-%dT%H:%M:%SZ"))
        self.made.append(change)
        return change

    def _look(self, paragraph: Told, offset: int) -> Any:
        """Return the run properties of inserted words: of the text that they replace, or of the text before them."""
        origin = (
            paragraph.origins[min(offset, len(paragraph.text) - 1)]
            if offset < len(paragraph.text)
            else paragraph.origins[-1]
        )
        properties = origin.element.getparent().find(RUN_PROPERTIES)
        if properties is None:
            return None
        properties = copy.deepcopy(properties)
        for change in [element for element in properties if element.tag in _CHANGED or element.tag == f"{W}rPrChange"]:
            properties.remove(change)
        return properties


def accept(made: Sequence[Any]) -> None:
    """Make tracked changes as if they had never been tracked: a clean copy for somebody who wants no marks."""
    joined = []
    for change in made:
        around = change.getparent()
        if around.tag == RUN_PROPERTIES:
            if change.tag == DELETED:
                joined.append(next(ancestor for ancestor in around.iterancestors() if ancestor.tag == PARAGRAPH))
            around.remove(change)
            for empty in (around, around.getparent()):
                if not len(empty):
                    empty.getparent().remove(empty)
        elif change.tag == DELETED:
            around.remove(change)
        else:
            for child in list(change):
                change.addprevious(child)
            around.remove(change)
    for paragraph in sorted(joined, key=lambda each: -_place(each)):
        following = paragraph.getnext()
        while following is not None and following.tag != PARAGRAPH:
            following = following.getnext()
        content = [child for child in paragraph if child.tag != PROPERTIES]
        at = 1 if following.find(PROPERTIES) is not None else 0
        for child in reversed(content):
            following.insert(at, child)
        paragraph.getparent().remove(paragraph)


def _place(paragraph: Any) -> int:
    return int(paragraph.getparent().index(paragraph))


def _until(paragraph: Any, following: Any) -> Iterator[Any]:
    """The paragraphs from one to before another, where nothing but empty ones lies between them; else none."""
    paragraphs = [paragraph]
    for sibling in paragraph.itersiblings():
        if sibling is following:
            ends = any(each.find(f"{PROPERTIES}/{W}sectPr") is not None for each in paragraphs)
            return iter(() if ends else paragraphs)
        if sibling.tag == PARAGRAPH:
            paragraphs.append(sibling)
        elif sibling.tag in (f"{W}tbl", f"{W}sdt", f"{W}sectPr"):
            break
    return iter(())


def _only_words(run: Any) -> list[Any]:
    """The run parted into runs of words alone; pictures, notes and fields between them stay where they are."""
    groups: list[list[Any]] = []
    for child in [part for part in run if part.tag != RUN_PROPERTIES]:
        if groups and (groups[-1][-1].tag in _WORDS) == (child.tag in _WORDS):
            groups[-1].append(child)
        else:
            groups.append([child])
    runs, look, after = [run] if groups else [], run.find(RUN_PROPERTIES), run
    for group in groups[1:]:
        other = run.makeelement(RUN, dict(run.attrib))
        if look is not None:
            other.append(copy.deepcopy(look))
        other.extend(group)
        after.addnext(other)
        runs.append(other)
        after = other
    return [part for part, group in zip(runs, groups, strict=True) if group[0].tag in _WORDS]


def _run(near: Any, words: str, properties: Any) -> Any:
    run = near.makeelement(RUN)
    if properties is not None:
        run.append(copy.deepcopy(properties))
    for piece in re.split(r"([\n\t])", words):
        if piece in ("\n", "\t"):
            run.append(run.makeelement(f"{W}br" if piece == "\n" else f"{W}tab"))
        elif piece:
            text = run.makeelement(TEXT)
            text.text = piece
            text.set(SPACE, "preserve")
            run.append(text)
    return run
