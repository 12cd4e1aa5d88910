"""A checked letter on paper: a note to its writer that fits on a page, and the full report; as PDF or docx.

Whoever calls has the reading. Heavy: the writers are loaded at the first call, so the window asks the compute process.

The note to the writer of a letter: what was changed and what could be, before and after, with a reason for each.
"""

import io
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from biasprint import core
from biasprint.core.errors import UsageError
from biasprint.core.language import tr
from biasprint.core.letters.categories import categories
from biasprint.core.letters.kinds import KINDS, said_of_kind
from biasprint.core.letters.passages import without_doubted
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.report.full import PileReport, full_report, pile_report
from biasprint.core.letters.request import HouseList, ReadingRequest
from biasprint.core.letters.suggestions import Suggestion, suggestion_words, suggestions_for, suggestions_of
from biasprint.core.letters.twins import without_dismissed
from biasprint.core.letters.values import (
    CATEGORIES,
    CHECKED_WORDS,
    PASTED,
    Document,
    Mark,
    Reading,
    Sentence,
    TwinDifference,
)
from biasprint.core.letters.verdict import LetterVerdict, by_harm, harm, verdict_of
from biasprint.core.letters.word.edits import TextEdit, edits
from biasprint.core.machine.files import write_whole
from biasprint.core.report.blocks import (
    SOFT,
    Block,
    Cell,
    Heading,
    NewPage,
    ReportParagraph,
    ReportTable,
    Run,
    colour_of,
    in_language,
    printable,
    runs_of,
    said,
    shortened,
)
from biasprint.core.report.pdf import column_widths, page_count, pdf_bytes
from biasprint.core.text import sha256_text

BESIDE = 3  # words that are quoted before and after what changes
LONGEST = 150  # characters of a quotation
CHANGES_SHARE = 0.6  # of the page, where suggestions want room too
VERSIONS = {  # by what they are versions of
    "Words": "marks", "Whether they are meant so": CHECKED_WORDS, "Grammar": "grammar", "Sentences": "segmenter",
    "Balance of praise": "balance",
}  # fmt: skip
_WORD, _BLANKS = re.compile(r"\S+"), re.compile(r"\s+")


class NoteRow(NamedTuple):
    """Words of the letter, the present or possible wording, and the reason."""

    before: Cell
    after: Cell
    reason: str


# ---- What was changed since the letter was opened


def changes_made(original: Document, reading: Reading, house: HouseList | None) -> tuple[NoteRow, ...]:
    """The changes from the letter as it was opened to the letter that was read, those of one sentence together.

    A reason is that of the mark whose words were changed; "" where none was there.
    """
    old, new = original.text, reading.document.text
    was = read_letter(original, ReadingRequest({}, person=reading.person, house=house, kind=reading.read_as.kind))
    if not reading.by_words_alone:
        by_grammar = not was.no_grammar
        listed = [mark for mark in was.marks if mark.category in CATEGORIES]
        others = [mark for mark in was.marks if mark.category not in CATEGORIES]
        meant = without_doubted(was.sentences, listed, was.person, by_grammar=by_grammar)
        was = replace(was, marks=(*meant, *others))
    rows, shift = [], 0
    for group in _by_sentence(edits(old, new), was.sentences):
        start, end = group[0].start, group[-1].end
        grown = sum(len(edit.text) - (edit.end - edit.start) for edit in group)
        first, last = _around(start, end, was.sentences)
        before = _quoted(old, start, end, first, last)
        after = _quoted(new, start + shift, end + shift + grown, first + shift, last + shift + grown)
        rows.append(NoteRow(before or "(nothing)", after or "(left out)", _reason_of(was, start, end)))
        shift += grown
    return tuple(rows)


def _by_sentence(edits: Sequence[TextEdit], sentences: Sequence[Sentence]) -> Iterator[list[TextEdit]]:
    group: list[TextEdit] = []
    for edit in edits:
        if group and edit.end > _around(group[0].start, group[0].end, sentences)[1]:
            yield group
            group = []
        group.append(edit)
    if group:
        yield group


def _around(start: int, end: int, sentences: Sequence[Sentence]) -> tuple[int, int]:
    """Return the sentence that contains the characters; the characters alone where they are more, or in none."""
    at = bisect_right(sentences, start, key=lambda sentence: sentence.start) - 1
    inside = at >= 0 and end <= sentences[at].end
    return (sentences[at].start, sentences[at].end) if inside else (start, end)


def _reason_of(was: Reading, start: int, end: int) -> str:
    marks = [mark for mark in was.marks if mark.start < end and start < mark.end]
    for mark in by_harm(marks):
        sentence = was.sentence(mark.sentence)
        suggestions = suggestions_for(sentence, [mark], was.person)
        return next(
            (suggestion.why for suggestion in suggestions if not suggestion.mark_key.startswith("name:")),
            mark.reason,
        )
    return ""


# ---- What could be changed


def suggestions_left(reading: Reading, dismissed: Collection[str]) -> tuple[NoteRow, ...]:
    """Return one suggestion per mark that nobody dismissed, the weightiest first, and one for the candidate's name.

    Of praise only what has another wording: that it is warm is no reason to change it.
    """
    if reading.stopped:
        return ()
    ranked: list[tuple[int, int, NoteRow]] = []
    taken: list[tuple[int, int]] = []
    hinted: set[tuple[int, str]] = set()  # a sentence has a hint once
    offers = suggestions_of(reading)
    for mark in by_harm(_open_marks(reading, dismissed)):
        sentence = reading.sentence(mark.sentence)
        offer = _offer(sentence, mark, offers.get(mark.sentence, ())) or _of_house(sentence, mark)
        if offer is None or any(offer.start < end and start < offer.end for start, end in taken):
            continue
        if offer.new is None:
            if (categories()[mark.category].praise and not mark.of_house) or (mark.sentence, offer.reason) in hinted:
                continue
            hinted.add((mark.sentence, offer.reason))
        taken.append((offer.start, offer.end))
        ranked.append((harm(mark), offer.start, _row(reading.document.text, sentence, offer)))
    return (*(row for *_, row in sorted(ranked, key=lambda item: item[:2])), *_naming(reading, dismissed))


def _open_marks(reading: Reading, dismissed: Collection[str]) -> Iterator[Mark]:
    for mark in reading.marks:
        if mark.key(reading.sentence(mark.sentence).text) not in dismissed:
            yield mark


def _offer(sentence: Sentence, mark: Mark, offers: Sequence[Suggestion]) -> Suggestion | None:
    """The first that can be used as it is, else the hint."""
    key = mark.key(sentence.text)
    near = [offer for offer in offers if offer.mark_key == key and offer.start < mark.end and mark.start < offer.end]
    return next((suggestion for suggestion in near if suggestion.new is not None), near[0] if near else None)


def _of_house(sentence: Sentence, mark: Mark) -> Suggestion | None:
    """Return the house list's entry on words that it always marks, as a suggestion; None for other marks."""
    if not mark.of_house:
        return None
    return Suggestion(mark.key(sentence.text), mark.start, mark.end, mark.words, None, mark.reason, mark.source)


def _row(text: str, sentence: Sentence, offer: Suggestion) -> NoteRow:
    before = _quoted(text, offer.start, offer.end, sentence.start, sentence.end)
    if offer.new is None:
        return NoteRow(before, offer.do, offer.why)
    if not (offer.new or sentence.text.replace(offer.old, "").strip()):
        return NoteRow(before, "Leave the sentence out", offer.reason)
    changed = text[: offer.start] + offer.new + text[offer.end :]
    grown = len(offer.new) - len(offer.old)
    after = _quoted(changed, offer.start, offer.end + grown, sentence.start, sentence.end + grown)
    return NoteRow(before, after, offer.reason)


def _naming(reading: Reading, dismissed: Collection[str]) -> Iterator[NoteRow]:
    person, words = reading.person, suggestion_words()
    if not reading.first_name_alone or reading.naming_key in dismissed:
        return
    times = f"“{person.first_name}” ({reading.naming.first} times)" if reading.naming.first > 1 else person.first_name
    if person.title and person.last_name:
        yield NoteRow(times, f"“{person.title} {person.last_name}”", words.name_reason)
    else:
        yield NoteRow(times, "Title and surname", words.name_hint)


def _quoted(text: str, start: int, end: int, low: int, high: int) -> Cell:
    """The characters in bold, with some words beside them from within `low` to `high`; "" where nothing is there."""
    before = [match.start() for match in _WORD.finditer(text, low, max(low, start))]
    after = [match.end() for match in _WORD.finditer(text, min(end, high), high)]
    first = before[-BESIDE] if len(before) > BESIDE else low
    last = after[BESIDE - 1] if len(after) > BESIDE else high
    if not text[first:last].strip():
        return ""
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    ahead, behind = _BLANKS.sub(" ", text[first:start]).lstrip(), _BLANKS.sub(" ", text[end:last]).rstrip()
    runs = (
        Run(f"“{'… ' if first > low else ''}{ahead}", quoted=True),
        Run(shortened(text[start:end], LONGEST), bold=True, quoted=True),
        Run(f"{behind}{' …' if last < high else ''}”", quoted=True),
    )
    return tuple(run for run in runs if run.text)


# ---- The page

OF_A_PERSON = (
    "Some words in {texts} can be read otherwise than they are meant. These are suggestions about wording; they say "
    "nothing about you or about the person you write for, and you know best what is true."
)
OF_AN_ADVERT = (
    "Some words in adverts keep people away who were not meant. These are suggestions about wording; they say nothing "
    "about you, and you know best what the work demands."
)


def note(
    reading: Reading,
    verdict: LetterVerdict | None,
    made: Sequence[NoteRow],
    left: Sequence[NoteRow],
    day: str,
    most: int,
    *,
    edited: bool,
) -> Iterator[Block]:
    """The note, with at most `most` rows in all. `day`: when, in words."""
    about, kind = reading.person.full_name, KINDS[reading.read_as.kind]
    whom = f" {'for' if kind.compared else 'of'} {about}" if about else ""
    yield Heading(f"A note on your {kind.word}{whom}", 0)
    name = "A pasted text" if reading.document.kind == PASTED else shortened(reading.document.name, 80)
    state = "edited since it was opened" if edited else "as it was opened"
    yield said(f"{name}, {state} · {day}", soft=True)
    if reading.stopped:
        yield said(reading.stopped)
        return
    if read_as := said_of_kind(reading.read_as):
        yield said(read_as, soft=True)
    if verdict is not None:
        yield said(" ".join(verdict.sentences))
    whole = reading.balance.line_for_writer if reading.balance is not None and reading.balance.leans else ""
    if not made and not left and not whole:
        return
    yield said(
        OF_A_PERSON.format(texts="references" if kind.compared else "reviews") if kind.of_person else OF_AN_ADVERT
    )
    if whole:
        yield Heading("The letter as a whole")
        yield said(whole)
    changed = min(len(made), max(most - len(left), round(most * CHANGES_SHARE)), most)
    yield from _table("Changed already", f"Your {kind.word} said", "It says now", made[:changed])
    yield from _table("To consider", f"Your {kind.word} says", "What would help", left[: most - changed])
    over = len(made) + len(left) - most
    if over:
        yield said(f"Not on this page: {over:,} more. The full report lists every mark.", soft=True)


def _table(title: str, before: str, after: str, rows: Sequence[NoteRow]) -> Iterator[Block]:
    if rows:
        yield Heading(title)
        yield ReportTable((before, after, "Why"), tuple(_without_repeats(rows)), (0.34, 0.3, 0.36))


def _without_repeats(rows: Iterable[NoteRow]) -> Iterator[tuple[Cell, Cell, str]]:
    last = ""
    for row in rows:
        yield row.before, row.after, "As above." if row.reason and row.reason == last else row.reason
        last = row.reason


def appendix_of(
    reading: Reading, original: Document | None, house: HouseList | None, dismissed: int
) -> Iterator[Block]:
    """Versions and hashes, for whoever wants to repeat the note."""
    yield NewPage()
    yield Heading("Versions and hashes")
    yield said(f"Biasprint {core.__version__}", bullet=True)
    for title, key in VERSIONS.items():
        if key in reading.versions and not (key == CHECKED_WORDS and reading.by_words_alone):
            yield _version(title, reading.versions[key])
    yield said(f"House list: {house.version if house is not None and house.version else 'none'}", bullet=True)
    yield said(f"Marks put aside by a person: {dismissed:,}", bullet=True)
    if original is not None:
        yield said(f"The text as it was opened, SHA-256: {sha256_text(original.text)}", bullet=True)
    yield said(f"The text that this note is about, SHA-256: {sha256_text(reading.document.text)}", bullet=True)
    for use in reading.scorers:
        yield _version(use.role.capitalize(), f"{use.name} {use.version}", stand_in=use.stand_in)


def _version(title: str, version: str, *, stand_in: bool = False) -> ReportParagraph:
    """A version is a code, which stays as it is in every language."""
    after = (Run(" (stand-in)"),) if stand_in else ()
    return ReportParagraph((Run(f"{title}: "), Run(version, quoted=True), *after), bullet=True)


# ---- A report as docx


def docx_bytes(blocks: Iterable[Block], title: str) -> bytes:
    """The docx. A new page begins with the block after it, so that no empty paragraph can take a page of its own."""
    from docx import Document
    from docx.shared import Cm, Pt

    document = Document()
    document.styles["Normal"].font.size = Pt(10.5)
    document.styles["Title"].font.size = Pt(20)
    document.core_properties.author = ""
    document.core_properties.title = tr(title)
    page = document.sections[0]
    page.page_width, page.page_height = Cm(21), Cm(29.7)
    page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = Cm(2)
    new_page = False
    for block in in_language(blocks):
        if isinstance(block, Heading):
            heading = document.add_heading(printable(block.text), block.level)
            heading.paragraph_format.page_break_before = new_page
            new_page = False
        elif isinstance(block, ReportParagraph):
            _docx_paragraph(document, block)
        elif isinstance(block, ReportTable):
            _docx_table(document, block)
        elif isinstance(block, NewPage):
            new_page = True
    stream = io.BytesIO()
    document.save(stream)
    return stream.getvalue()


def _docx_paragraph(document: Any, paragraph: ReportParagraph) -> None:
    from docx.shared import Pt, RGBColor

    made = document.add_paragraph(style="List Bullet" if paragraph.bullet else None)
    for run in paragraph.runs:
        piece = made.add_run(printable(run.text))
        piece.bold = bool(run.bold or run.category)
        piece.underline = run.category is not None
        if run.category:
            piece.font.color.rgb = RGBColor(*colour_of(run.category))
        elif paragraph.soft:
            piece.font.color.rgb = RGBColor(*SOFT)
        if run.tag:
            tag = made.add_run(f" [{printable(run.tag)}]")
            tag.font.size = Pt(7)


def _docx_table(document: Any, table: ReportTable) -> None:
    from docx.enum.table import WD_TABLE_ALIGNMENT
    from docx.oxml import OxmlElement
    from docx.shared import Cm, Pt

    made = document.add_table(rows=1, cols=len(table.header))
    made.style, made.alignment, made.autofit = "Table Grid", WD_TABLE_ALIGNMENT.LEFT, False
    widths = column_widths(table)
    for column, width in zip(made.columns, widths, strict=True):
        column.width = Cm(17 * width)
    for row in (table.header, *table.rows):
        made_row = made.rows[0] if row is table.header else made.add_row()
        # A header stands on each page, and above a row; a row stays whole.
        made_row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader" if row is table.header else "w:cantSplit"))
        for cell, text, width in zip(made_row.cells, row, widths, strict=True):
            cell.width = Cm(17 * width)
            cell.paragraphs[0].paragraph_format.keep_with_next = row is table.header or None
            for piece in runs_of(text):
                run = cell.paragraphs[0].add_run(printable(piece.text))
                run.font.size = Pt(9)
                run.bold = piece.bold or row is table.header
    document.add_paragraph().paragraph_format.space_after = Pt(2)


REPORT_SUFFIXES = (".pdf", ".docx")
MOST_ROWS = 40  # of a note: a page has no room for more, however short they are


def write_report(
    path: Path,
    reading: Reading,
    twin: TwinDifference | None = None,
    dismissed: Collection[str] = (),
    original: Document | None = None,
) -> None:
    """Write the full report, as PDF or docx by its ending. Raises `UsageError` for another one.

    `dismissed`: the keys of marks (`Mark.key`), and of the balance, that a person put aside: they are not listed.
    `original`: the letter as it was opened, where it may have been edited since.
    """
    left = reading.without(dismissed)
    asking = without_dismissed(twin, dismissed) if twin is not None else None
    blocks = full_report(
        left,
        verdict_of(reading, dismissed),
        asking,
        f"{_now():%d %B %Y, %H:%M}",
        len(reading.marks) - len(left.marks),
        edited=_edited(reading, original),
    )
    _write(path, blocks, "Letter check")


def write_note(
    path: Path,
    reading: Reading,
    dismissed: Collection[str] = (),
    original: Document | None = None,
    house: HouseList | None = None,
    appendix: bool = False,
) -> None:
    """Write the note to the writer, one page, as PDF or docx by its ending. Raises `UsageError` for another one.

    `dismissed`, `original`: as for `write_report`; `house`: the list that the reading respected. `appendix`: versions
    and hashes on a page of their own.
    """
    edited = original if original is not None and _edited(reading, original) else None
    made = changes_made(edited, reading, house) if edited is not None else ()
    left = suggestions_left(reading, dismissed)
    day = f"{_now():%d %B %Y}"
    verdict = verdict_of(replace(reading, support=()), dismissed)  # claims are for whoever has the CV
    page = partial(note, reading.without(dismissed), verdict, made, left, day, edited=edited is not None)
    blocks = list(page(_most_on_a_page(page, min(len(made) + len(left), MOST_ROWS))))
    if appendix:
        blocks += appendix_of(reading, edited, house, len(reading.marks) - len(reading.without(dismissed).marks))
    _write(path, blocks, "A note on your letter")


def write_pile_report(path: Path, report: PileReport) -> None:
    """Write the report of a pile, as PDF or docx by its ending. Raises `UsageError` for another one."""
    _write(path, pile_report(report), "Letter check")


def _most_on_a_page(page: Callable[[int], Iterable[Block]], every: int) -> int:
    """Return how many of its rows fit a page: most often all of them, else found by halves."""
    fits, asked, too_many = 0, every, every + 1
    while too_many - fits > 1:
        if page_count(page(asked)) == 1:
            fits = asked
        else:
            too_many = asked
        asked = (fits + too_many) // 2
    return fits


def _write(path: Path, blocks: Iterable[Block], title: str) -> None:
    check_report_path(path)
    write_whole(path, pdf_bytes(blocks, title) if path.suffix.lower() == ".pdf" else docx_bytes(blocks, title))


def check_report_path(path: Path) -> None:
    """Raise `UsageError` for a file that no report is written to."""
    if path.suffix.lower() not in REPORT_SUFFIXES:
        raise UsageError(f"A report is a {' or a '.join(REPORT_SUFFIXES)} file, not “{path.name}”.")


def _edited(reading: Reading, original: Document | None) -> bool:
    return original is not None and original.text != reading.document.text


def _now() -> datetime:
    return datetime.now().astimezone()
