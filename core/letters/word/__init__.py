"""A checked letter as a Word file or odt: what was changed as tracked changes, what was marked as comments.

A docx or odt keeps everything that is not changed: styles, tables, headers, notes, pictures, and others' tracked
changes. What could run or fetch something is left out (`strangers`). A letter that came in another way becomes a plain
docx first. Nothing here writes to a disk.
"""

import io
import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from biasprint.core.errors import AppError
from biasprint.core.language import tr
from biasprint.core.letters.readers.lines import kept
from biasprint.core.letters.readers.office import BODY, ODT_BODY, ODT_STYLES, W, header_parts, odt_set_apart, put_back
from biasprint.core.letters.values import MAY_BE, Comment, Mark, Reading, WordFile, how_said
from biasprint.core.letters.word.docx import (
    RUN,
    SPACE,
    TEXT,
    Package,
    Story,
    Told,
    TrackedChanges,
    accept,
    lift,
    remove_markers,
)
from biasprint.core.letters.word.edits import edits
from biasprint.core.letters.word.odt import OdtChanges, OdtStory, annotate
from biasprint.core.letters.word.strangers import HarmlessDocx, HarmlessOdt
from biasprint.core.machine.child import limit_once

AUTHOR = "Biasprint check"
INITIALS = "BC"
MOST_COMMENTS = 2_000
_CHANGED = frozenset(f"{W}{name}" for name in ("ins", "del", "moveTo", "moveFrom"))
_ID = f"{W}id"


class Shown(NamedTuple):
    """The characters of an edited text that are read: their places in it, and in the text as it is read."""

    edited: list[int]
    told: list[int]


def word_file(
    data: bytes | None,
    name: str,
    before: str,
    after: str,
    comments: Sequence[Comment] = (),
    *,
    tracked: bool = True,
    when: datetime | None = None,
) -> WordFile:
    """The letter's file with the text `after`, where the check read `before` in it, and with comments on `after`.

    `data`: the docx or odt, None where the letter came in another way. `tracked`: changes can be accepted or rejected
    one by one; without it the file has the new text as if it had always been so. `when`: written with each change and
    comment; without it they have no date in a docx, and today's in an odt. Raises `AppError` where `data` is not the
    letter that was read.
    """
    package = Package(_plain(before) if data is None else data, name)
    if package.has(ODT_BODY):
        return _odt_file(package, name, before, after, comments, tracked=tracked, when=when)
    story = Story(package)
    if story.text != before:
        raise _another(name)
    roots = [package.xml(part) for part in (*header_parts(package.names()), BODY)]
    changes = TrackedChanges(story, roots, AUTHOR, when)
    changes.write(edits(before, _cleaned(after)))
    if not tracked:
        accept(changes.made)
    for root in roots:
        remove_markers(root)
    read_story = Story(package)
    left_out = len(comments) - _comment(package, read_story, after, comments[:MOST_COMMENTS], when)
    for root in roots:
        remove_markers(root)
        put_back(root)
    changes.number(roots)
    written, harmless = package.write(HarmlessDocx)
    return WordFile(written, "docx", (*_notes(package, changes, left_out), *harmless))


def _odt_file(
    package: Package, name: str, before: str, after: str, comments: Sequence[Comment], tracked: bool,
    when: datetime | None,
) -> WordFile:  # fmt: skip
    root = package.xml(ODT_BODY)
    odt_set_apart(root, package.styles(ODT_STYLES))
    story, when = OdtStory(root), when or datetime.now(UTC)  # OpenDocument wants a date
    if story.text != before:
        raise _another(name)
    changes = OdtChanges(root, AUTHOR, when, tracked=tracked)
    changes.write(story, edits(before, _cleaned(after)))
    odt_story, shown = OdtStory(root), _shown(after)
    wanted = comments[:MOST_COMMENTS] if odt_story.text == _cleaned(after) else ()
    spans = [span for span in (_span(odt_story, shown, each) for each in wanted) if span is not None]
    # The last first, so that no place moves that is still to come; of two that begin together the longer outside.
    ordered = sorted(spans, key=lambda span: (span[1], -span[2]))
    for number, (comment, start, end) in reversed(list(enumerate(ordered))):
        annotate(odt_story, number, start, end, comment.text, AUTHOR, when)
    put_back(root)
    notes = ["Paragraphs that a table or section parts were not joined."] if changes.left_out else []
    if len(comments) > len(spans):
        notes.append(f"Marks without a comment: {len(comments) - len(spans):,}.")
    written, harmless = package.write(HarmlessOdt)
    return WordFile(written, "odt", (*notes, *harmless))


def _another(name: str) -> AppError:
    return AppError(
        f"“{name}” is not the letter that was opened.", kept="Nothing was written.", hint="Open it once more."
    )


def write_word(
    data: bytes | None, name: str, before: str, after: str, comments: Sequence[Comment], tracked: bool,
    when: datetime | None,
) -> WordFile:  # fmt: skip
    """`word_file` where a hostile file cannot take more than its share: it is read once more for this."""
    limit_once()
    return word_file(data, name, before, after, comments, tracked=tracked, when=when)


def _notes(package: Package, changes: TrackedChanges, without_comment: int) -> tuple[str, ...]:
    notes = []
    if changes.left_out:
        notes.append("Paragraphs that a table or section parts were not joined.")
    if without_comment:
        notes.append(f"Marks without a comment, for they stand where Word has none: {without_comment:,}.")
    if package.protected():
        notes.append("The document is protected: lift its protection in Word to accept or reject changes.")
    return tuple(notes)


def _plain(text: str) -> bytes:
    from docx import Document

    document = Document()
    for paragraph in text.split("\n\n"):
        document.add_paragraph(paragraph)
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _cleaned(text: str) -> str:
    """An edited text as it would be read from a file: no blank twice, no empty line."""
    return "\n\n".join(paragraph for paragraph, _ in _kept(text))


def _kept(text: str) -> list[tuple[str, list[int]]]:
    """The paragraphs that have text, cleaned, and for each of their characters its place in `text`."""
    paragraphs = []
    for paragraph in re.finditer(r"(?:[^\n]|\n(?!\n))+", text):
        shown, places = kept(paragraph.group())
        if shown:
            paragraphs.append((shown, [paragraph.start() + at for at in places]))
    return paragraphs


def _comment(package: Package, story: Story, after: str, comments: Sequence[Comment], when: datetime | None) -> int:
    """Write the comments; how many could be. Headers have none in Word, and neither has a place without a character."""
    if not comments or story.text != _cleaned(after):
        return 0
    shown = _shown(after)
    spans = [span for span in (_span(story, shown, comment) for comment in comments) if span is not None]
    if not spans:
        return 0
    root = package.comments()
    first = 1 + max(
        (int(element.get(_ID)) for element in root if re.fullmatch(r"\d{1,9}", element.get(_ID) or "")), default=-1
    )
    # Every place once, from the last to the first: what is parted moves only what comes later.
    wanted = {(end - 1, True) for _, _, end in spans} | {(start, False) for _, start, _ in spans}
    markers = {}
    for place, is_end in sorted(wanted, reverse=True):
        paragraph = story.paragraphs[story.at(place)]
        at = place - paragraph.start
        marker = story.after(paragraph, at) if is_end else story.before(paragraph, at)
        lift(marker, _CHANGED)
        markers[place, is_end] = marker
    for number, (comment, start, end) in enumerate(spans, first):
        _anchor(markers[start, False], markers[end - 1, True], number)
        root.append(_comment_of(root, number, comment.text, when))
    return len(spans)


def _span(story: "Story | OdtStory", shown: Shown, comment: Comment) -> tuple[Comment, int, int] | None:
    """Return the comment's characters in the story's text; None where it has none there, or they are in a header."""
    first, after = (bisect_left(shown.edited, place) for place in (comment.start, comment.end))
    if first == after:
        return None
    start, last = shown.told[first], shown.told[after - 1]
    paragraph = story.paragraphs[story.at(start)]
    end = min(last + 1, paragraph.end)
    in_header = isinstance(paragraph, Told) and paragraph.in_header
    return None if in_header or start >= end else (comment, start, end)


def _shown(after: str) -> Shown:
    edited: list[int] = []
    letter_places: list[int] = []
    start = 0
    for text, places in _kept(after):
        edited += places
        letter_places += range(start, start + len(text))
        start += len(text) + 2
    return Shown(edited, letter_places)


def _anchor(start: Any, end: Any, number: int) -> None:
    start.addprevious(start.makeelement(f"{W}commentRangeStart", {_ID: str(number)}))
    reference = end.makeelement(RUN)
    reference.append(end.makeelement(f"{W}commentReference", {_ID: str(number)}))
    end.addnext(reference)
    end.addnext(end.makeelement(f"{W}commentRangeEnd", {_ID: str(number)}))


def _comment_of(root: Any, number: int, text: str, when: datetime | None) -> Any:
    comment = root.makeelement(f"{W}comment", {_ID: str(number), f"{W}author": AUTHOR, f"{W}initials": INITIALS})
    if when is not None:
        comment.set(f"{W}date", when.strftime("%Y-%m-%dT%H:%M:%SZ"))
    for line in text.split("\n"):
        paragraph, run, words = (root.makeelement(tag) for tag in (f"{W}p", RUN, TEXT))
        words.text = line
        words.set(SPACE, "preserve")
        run.append(words)
        paragraph.append(run)
        comment.append(paragraph)
    return comment


# ---- Marks and claims as comments

_UNSUPPORTED = ("unsupported", "contradicted")


def comments_on(reading: Reading, dismissed: Collection[str] = ()) -> tuple[Comment, ...]:
    """A comment for each mark, with its reason and source, and for each claim that the context does not carry.

    `dismissed`: the keys of marks (`Mark.key`) that a person put aside. In the order of the letter.
    """
    by_index = {sentence.index: sentence for sentence in reading.sentences}
    comments = [
        Comment(mark.start, mark.end, tr(_of_mark(mark)))
        for mark in reading.marks
        if mark.key(by_index[mark.sentence].text) not in dismissed
    ]
    for support in reading.support:
        sentence = by_index[support.sentence]
        if support.verdict in _UNSUPPORTED:
            said = f"{reading.context_name}: {tr(support.reason)}"
            comments.append(Comment(sentence.start, sentence.end, said))
    return tuple(sorted(comments, key=lambda comment: (comment.start, comment.end)))


def _of_mark(mark: Mark) -> str:
    from biasprint.core.letters.categories import categories  # not above: the reading process needs none of it

    about = categories()[mark.category]
    if mark.passage:  # people without this program get the file: it does not speak of models
        return f"{about.title}, {MAY_BE}: {about.known_for}\nSource: {mark.source}"
    how = f" ({how_said(mark)})" if how_said(mark) else ""
    return f"{about.title}{how}: {mark.reason}\nSource: {mark.source}"
