"""Tables on paper: words stay whole, and a header or heading never ends a page."""

import io

import docx
import pytest
from docx.oxml.ns import qn
from pdfminer.high_level import extract_pages, extract_text
from pdfminer.layout import LTTextContainer

from biasprint.core.letters.report import docx_bytes
from biasprint.core.report.blocks import Block, Heading, ReportTable, said
from biasprint.core.report.pdf import column_widths, pdf_bytes

NARROW = ReportTable(
    ("File", "To look at", "CV", "Remark"),
    (("letters/01_Adler_Helen.docx", "appearance 3, contradicted claims 2", "", "A remark. " * 8),),
    (0.2, 0.09, 0.31, 0.4),
)
ROWS = ReportTable(("File", "Remark"), tuple((f"letter{place}", "a remark") for place in range(4)), (0.5, 0.5))


def pages(*blocks: Block) -> list[list[str]]:
    """The lines of each page, from its top."""
    return [
        [
            line.get_text().strip()
            for _, line in sorted(
                ((-line.y1, line) for box in page if isinstance(box, LTTextContainer) for line in box),  # type: ignore[attr-defined]
                key=lambda place: place[0],
            )
        ]
        for page in extract_pages(io.BytesIO(pdf_bytes(blocks, "T", "")))
    ]


def test_no_word_of_a_narrow_column_is_broken() -> None:
    text = extract_text(io.BytesIO(pdf_bytes([NARROW], "T", "")))
    for word in ("appearance", "contradicted", "look", "Adler_", "Helen."):
        assert word in text, word


def test_columns_with_room_give_it_to_those_whose_words_need_it() -> None:
    widths = column_widths(NARROW)
    assert sum(widths) == pytest.approx(1)
    assert widths[1] > 0.1 > 0.09  # “contradicted”
    assert widths[3] > 0.3, "who has the most gives the most, and keeps the most"


def test_a_word_longer_than_a_page_takes_at_most_its_share() -> None:
    table = ReportTable(("", ""), (("x" * 400, "words"),), (0.2, 0.8))
    assert column_widths(table)[0] < 0.5


@pytest.mark.parametrize("lines", range(36, 52))
def test_neither_a_header_nor_a_heading_ends_a_page(lines: int) -> None:
    filling = [said(f"line {place}") for place in range(lines)]
    for page in pages(*filling, Heading("The letters", 1), ROWS):
        assert page[-1] not in ("File", "Remark", "The letters"), (lines, page[-3:])


def test_a_word_file_repeats_a_header_and_keeps_it_with_its_rows() -> None:
    made = docx.Document(io.BytesIO(docx_bytes([NARROW], "T"))).tables[0]
    header, *rows = made.rows
    assert header._tr.trPr.find(qn("w:tblHeader")) is not None
    assert all(paragraph.paragraph_format.keep_with_next for cell in header.cells for paragraph in cell.paragraphs)
    assert all(row._tr.trPr.find(qn("w:cantSplit")) is not None for row in rows)
