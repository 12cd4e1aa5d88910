"""Texts in other scripts on paper: each sign from a typeface that has it, right-to-left as it is read, or named."""

import io
import itertools
from importlib.resources import files
from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from pdfminer.high_level import extract_pages, extract_text
from pdfminer.layout import LTChar, LTTextContainer

from biasprint.core.draw.figure import Figure
from biasprint.core.errors import JobCancelled
from biasprint.core.jobs import JobContext, Progress
from biasprint.core.report.blocks import Heading, ReportParagraph, ReportTable, Run, said
from biasprint.core.report.pdf import FONTS, figure_pdf, glyphs, page_count, pdf_bytes

ARABIC, HINDI, HEBREW, CHINESE, KOREAN = "محمد", "सत्यजीत त्रिपाठी", "שלום", "推荐信", "추천서"


def words_of(*blocks: Heading | ReportParagraph | ReportTable) -> tuple[str, bytes]:
    written = pdf_bytes(blocks, "T", "")
    return extract_text(io.BytesIO(written)), written


def glyphs_in(written: bytes) -> list[int]:
    """The widths of a page's glyphs, from left to right, as hundredths of their height."""
    page = next(extract_pages(io.BytesIO(written)))
    signs = [sign for box in page if isinstance(box, LTTextContainer) for line in box for sign in line]  # type: ignore[attr-defined]
    return [round(100 * sign.width / sign.height) for sign in signs if isinstance(sign, LTChar)]


def glyphs_of(block: str | ReportTable) -> list[int]:
    return glyphs_in(pdf_bytes([said(block) if isinstance(block, str) else block], "T", ""))


def test_arabic_letters_are_joined_and_lam_with_alef_is_one_sign() -> None:
    # Joined, the word is narrower than its letters one by one; lam and alef are one glyph.
    assert sum(glyphs_of(ARABIC)) < sum(sum(glyphs_of(letter)) for letter in ARABIC)
    assert len(glyphs_of("سلام")) == 3


def test_hindi_signs_form_conjuncts() -> None:
    # क + virama + ष is one glyph; the vowel sign of कि stands before its consonant.
    assert len(glyphs_of("क्ष")) == 1
    assert glyphs_of("कि")[1:] == glyphs_of("क")
    narrow = ReportTable(("", ""), (("विश्वविद्यालय", ""),), (0.1, 0.9))
    assert len(glyphs_of(narrow)) == len(glyphs_of("विश्वविद्यालय"))


def test_a_figure_shapes_its_texts_as_the_page_does() -> None:
    surname = HINDI.split()[1]
    on_page = glyphs_of(surname)
    drawn = glyphs_in(figure_pdf(Figure("shares", "news", surname, "", "intervals", ())))
    assert drawn[: len(on_page)] == on_page


@pytest.mark.parametrize("file", FONTS.values())
def test_the_signs_of_a_font_are_those_that_fonttools_reads(file: str) -> None:
    path = files("biasprint.resources").joinpath("fonts", file)
    font = TTFont(str(path))
    assert glyphs(path.read_bytes()) == {code: font.getGlyphID(name) for code, name in font.getBestCmap().items()}


def test_the_same_report_is_the_same_file() -> None:
    blocks = (Heading("A", 0), said(ARABIC))
    assert pdf_bytes(blocks, "T") == pdf_bytes(blocks, "T")


def test_every_script_is_drawn_and_nothing_is_named_a_box() -> None:
    table = ReportTable((CHINESE, "n"), ((f"{KOREAN} {HINDI} 😀", "1"),), (0.5, 0.5))
    text, written = words_of(Heading(ARABIC, 0), said(f"Name {HEBREW} {ARABIC} too."), table)
    assert "no typeface" not in text
    for drawn in (CHINESE, KOREAN, "😀"):
        assert drawn in text
    # From left to right on the page: what is read last comes first.
    assert {ARABIC[::-1], HEBREW[::-1]} <= set(text.split())
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
    text, _ = words_of(ReportParagraph((Run(filler), Run("half", bold=True), Run("wayAndMoreOfIt"))))
    assert "halfwayAndMoreOfIt" in text


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


def test_a_pdf_is_written_also_where_the_current_folder_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert words_of(Heading("A letter"))[0].startswith("A letter")
