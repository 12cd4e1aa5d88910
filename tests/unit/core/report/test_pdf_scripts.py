"""Texts in other scripts on paper: each sign from a typeface that has it, right-to-left as it is read, or named."""

import io
import itertools

import pytest
from pdfminer.high_level import extract_text

from biasprint.core.errors import JobCancelled
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.report.blocks import Heading, ReportParagraph, ReportTable, Run, said
from biasprint.core.report.pdf import page_count, pdf_bytes
from biasprint.core.report.pdf_canvas import joined

ARABIC, HEBREW, CHINESE, KOREAN = "محمد", "שלום", "推荐信", "추천서"


def words_of(*blocks: Heading | ReportParagraph | ReportTable) -> tuple[str, bytes]:
    written = pdf_bytes(blocks, "T", "")
    return extract_text(io.BytesIO(written)), written


def test_letters_take_the_form_that_their_neighbours_ask_for() -> None:
    # By the code charts of Unicode: initial, medial, medial, final; final lam and alef are one sign.
    assert joined(ARABIC) == "\ufee3\ufea4\ufee4\ufeaa"
    assert joined("سلام") == "\ufeb3\ufefc\ufee1"
    assert joined("a ا b") == "a \ufe8d b"
    assert joined(HEBREW) == HEBREW


def test_every_script_is_drawn_and_nothing_is_named_a_box() -> None:
    table = ReportTable((CHINESE, "n"), ((f"{KOREAN} 😀", "1"),), (0.5, 0.5))
    text, written = words_of(Heading(ARABIC, 0), said(f"Name {HEBREW} {ARABIC} too."), table)
    assert "no typeface" not in text
    for drawn in (CHINESE, KOREAN, "😀"):
        assert drawn in text
    # From left to right on the page: what is read last comes first.
    seen = f"Name {joined(ARABIC)[::-1]} {HEBREW[::-1]} too."
    assert seen in " ".join(text.split())
    assert len(written) < 60_000  # of each typeface only what is used


def test_a_sign_that_no_typeface_has_is_named() -> None:
    text, _ = words_of(said("Well done 🎉 and again 🎉"))
    assert "Well done □ and again □" in text
    assert "drawn as boxes: U+1F389 PARTY POPPER." in " ".join(text.split())


def test_text_without_spaces_is_broken_into_lines_and_a_row_higher_than_a_page_goes_on() -> None:
    text, _ = words_of(said("推" * 100), said("w" * 200))
    lines = [line for line in text.splitlines() if line]
    assert sum(line.count("推") for line in lines) == 100
    assert sum(line.count("w") for line in lines) == 200
    assert max(map(len, lines)) < 120
    high = ReportTable(("What", "n"), ((" ".join(f"word{at}" for at in range(300)), "end"),), (0.12, 0.88))
    assert page_count([high]) > 1
    told, _ = words_of(high)
    assert all(f"word{at}" in told.split() for at in range(300))
    assert told.count("What") == page_count([high])  # the head stands above each part


def test_a_word_over_a_border_of_runs_is_not_broken() -> None:
    filler = "x" * 71 + " "
    text, _ = words_of(ReportParagraph((Run(filler), Run("half", bold=True), Run("way-and-more-of-it"))))
    assert "halfway-and-more-of-it" in text


def test_laying_out_tells_how_many_rows_are_done_and_stops_where_it_is_cancelled() -> None:
    heard: list[Progress] = []
    seconds = itertools.count()
    table = ReportTable(("What", "n"), tuple((f"row {at}", "1") for at in range(40)), (0.8, 0.2))
    blocks = (Heading("Rows", 0), table, said("That is all."))
    written = pdf_bytes(blocks, "T", "", JobContext(heard.append, lambda: float(next(seconds))))
    assert [(one.done, one.total) for one in heard] == [(done, 42) for done in range(1, 43)]
    assert "row 39" in extract_text(io.BytesIO(written))
    cancelled = JobContext(lambda progress: cancelled.cancel())
    with pytest.raises(JobCancelled):
        pdf_bytes(blocks, "T", "", cancelled)
