"""A checked letter on paper: a note to its writer that fits on a page, and the full report; as PDF or docx.

Whoever calls has the reading. Heavy: the writers are loaded at the first call, so the window asks the compute process.
"""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path

from biasprint.core.errors import UsageError
from biasprint.core.letters.asked import without_dismissed
from biasprint.core.letters.house import HouseList
from biasprint.core.letters.report.full import full_report
from biasprint.core.letters.report.letters import PileReport, pile_report
from biasprint.core.letters.report.note import appendix_of, changes_made, note, suggestions_left
from biasprint.core.letters.report.word import docx_bytes
from biasprint.core.letters.values import Document, Reading, TwinDifference
from biasprint.core.report.blocks import Block
from biasprint.core.report.pdf import page_count, pdf_bytes
from biasprint.core.report.whole_file import write_whole

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
    left = _without(reading, dismissed)
    asking = without_dismissed(twin, dismissed) if twin is not None else None
    blocks = full_report(
        left,
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
    page = partial(note, _without(reading, dismissed), made, left, day, edited=edited is not None)
    blocks = list(page(_most_on_a_page(page, min(len(made) + len(left), MOST_ROWS))))
    if appendix:
        blocks += appendix_of(reading, edited, house, len(reading.marks) - len(_without(reading, dismissed).marks))
    _write(path, blocks, "A note on your letter")


def write_pile_report(path: Path, found: PileReport) -> None:
    """Write the report of a pile, as PDF or docx by its ending. Raises `UsageError` for another one."""
    _write(path, pile_report(found), "Letter check")


def _most_on_a_page(page: Callable[[int], Iterable[Block]], every: int) -> int:
    """With how many of its rows a page is one page: most often with all of them, else found by halves."""
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


def _without(reading: Reading, dismissed: Collection[str]) -> Reading:
    kept = tuple(mark for mark in reading.marks if mark.key(reading.sentence(mark.sentence).text) not in dismissed)
    aside = reading.balance is not None and reading.balance.key in dismissed
    return replace(reading, marks=kept, balance=None if aside else reading.balance)


def _edited(reading: Reading, original: Document | None) -> bool:
    return original is not None and original.text != reading.document.text


def _now() -> datetime:
    return datetime.now().astimezone()


__all__ = ["REPORT_SUFFIXES", "PileReport", "check_report_path", "write_note", "write_pile_report", "write_report"]
