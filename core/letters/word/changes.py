"""Edits written into a docx as tracked changes: words deleted, words inserted, paragraphs parted and put together."""

import copy
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from biasprint.core.letters.files.readers import W, end_is_deleted
from biasprint.core.letters.word.edits import TextEdit
from biasprint.core.letters.word.story import (
    PARAGRAPH,
    PROPERTIES,
    RUN,
    RUN_PROPERTIES,
    SPACE,
    TEXT,
    Story,
    Told,
    lift,
    runs_between,
)

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
        numbers = (one.get(_ID, "") for root in roots for one in root.iter(*_NUMBERED))
        self._next = max((int(number) for number in numbers if re.fullmatch(r"\d{1,9}", number)), default=0)
        self.made: list[Any] = []
        self.left_out = 0

    def write(self, edits: Sequence[TextEdit]) -> None:
        """All of them, the last one first."""
        for edit in reversed(edits):
            self._write(edit)

    def number(self, roots: Sequence[Any]) -> None:
        """A change of somebody else's that was parted is two now, with a number each."""
        seen = set()
        for one in (one for root in roots for one in root.iter(*_NUMBERED)):
            if one.get(_ID) in seen:
                self._next += 1
                one.set(_ID, str(self._next))
            seen.add(one.get(_ID))

    def _write(self, edit: TextEdit) -> None:
        first, last = self._story.at(edit.start), self._story.at(max(edit.start, edit.end))
        told = self._story.paragraphs
        place = None
        for number in range(last, first - 1, -1):
            one = told[number]
            start, end = max(edit.start - one.start, 0), min(edit.end - one.start, len(one.text))
            if number < last:
                self._join(one, told[number + 1])
            if start < end:
                place = self._delete(one, start, end)
        if not edit.text:
            return
        one = told[first]
        offset = min(edit.start - one.start, len(one.text))
        properties = self._look(one, offset)
        if place is None or offset == len(one.text):  # nothing of this paragraph is deleted
            place = self._story.after(one, offset - 1) if offset else self._story.before(one, 0)
        self._insert(place, edit.text, properties)

    def _delete(self, told: Told, start: int, end: int) -> Any:
        """The marker after what is deleted."""
        last = self._story.before(told, end)
        first = self._story.before(told, start)
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
        """Everything before the marker, and the words, become a paragraph of their own, before this one."""
        paragraph = place.getparent()
        before = paragraph.makeelement(paragraph.tag)
        own = paragraph.find(PROPERTIES)
        if own is not None:
            copied = copy.deepcopy(own)
            for inner in copied.findall(f"{W}sectPr"):
                copied.remove(inner)  # the section ends once, with the last of its paragraphs
            for inner in copied.findall(RUN_PROPERTIES):
                for change in [one for one in inner if one.tag in _CHANGED]:
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

    def _join(self, told: Told, following: Told) -> None:
        """Delete the ends of paragraphs from this one to before the following."""
        ends = list(_until(told.element, following.element))
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

    def _look(self, told: Told, offset: int) -> Any:
        """How inserted words look: as what they stand for, or as what comes before them."""
        origin = told.origins[min(offset, len(told.text) - 1)] if offset < len(told.text) else told.origins[-1]
        found = origin.element.getparent().find(RUN_PROPERTIES)
        if found is None:
            return None
        found = copy.deepcopy(found)
        for change in [one for one in found if one.tag in _CHANGED or one.tag == f"{W}rPrChange"]:
            found.remove(change)
        return found


def accept(made: Sequence[Any]) -> None:
    """Make tracked changes as if they had never been tracked: a clean copy for somebody who wants no marks."""
    joined = []
    for change in made:
        around = change.getparent()
        if around.tag == RUN_PROPERTIES:
            if change.tag == DELETED:
                joined.append(next(one for one in around.iterancestors() if one.tag == PARAGRAPH))
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
    for paragraph in sorted(joined, key=lambda one: -_place(one)):
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
    found = [paragraph]
    for sibling in paragraph.itersiblings():
        if sibling is following:
            ends = any(one.find(f"{PROPERTIES}/{W}sectPr") is not None for one in found)
            return iter(() if ends else found)
        if sibling.tag == PARAGRAPH:
            found.append(sibling)
        elif sibling.tag in (f"{W}tbl", f"{W}sdt", f"{W}sectPr"):
            break
    return iter(())


def _only_words(run: Any) -> list[Any]:
    """The run parted into runs of words alone; pictures, notes and fields between them stay where they are."""
    groups: list[list[Any]] = []
    for child in [one for one in run if one.tag != RUN_PROPERTIES]:
        if groups and (groups[-1][-1].tag in _WORDS) == (child.tag in _WORDS):
            groups[-1].append(child)
        else:
            groups.append([child])
    found, look, after = [run] if groups else [], run.find(RUN_PROPERTIES), run
    for group in groups[1:]:
        other = run.makeelement(RUN, dict(run.attrib))
        if look is not None:
            other.append(copy.deepcopy(look))
        other.extend(group)
        after.addnext(other)
        found.append(other)
        after = other
    return [one for one, group in zip(found, groups, strict=True) if group[0].tag in _WORDS]


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
