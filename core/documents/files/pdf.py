"""Paragraphs of a PDF from its text layer. A scan has none, and says so."""

import io
import re
from collections.abc import Iterator
from typing import Any

from core.documents.values import Extracted
from core.errors import AppError

_HINT = "Ask for a fresh copy, or paste the letter's text."
MOST_PAGES = 50  # a letter has one or two
# Lines of one paragraph lie at most this many line heights apart.
LINE_MARGIN = 0.55


def of_pdf(data: bytes, name: str) -> Extracted:
    """The paragraphs in reading order and the number of pages. `AppError` in a sentence for what cannot be read."""
    from pdfminer.pdfdocument import PDFDocument, PDFPasswordIncorrect, PDFTextExtractionNotAllowed
    from pdfminer.pdfpage import PDFPage
    from pdfminer.pdfparser import PDFParser

    try:
        document = PDFDocument(PDFParser(io.BytesIO(data)))
        pages = []
        for page in PDFPage.create_pages(document):
            pages.append(page)
            if len(pages) > MOST_PAGES:
                raise AppError(
                    f"“{name}” has more than {MOST_PAGES} pages: that is no letter.",
                    hint="Save the pages that hold the letter as a file of their own.",
                )
        laid_out = list(_blocks(pages))
    except (PDFPasswordIncorrect, PDFTextExtractionNotAllowed) as error:
        raise AppError(f"“{name}” is protected by a password.", hint="Save it without one, and try again.") from error
    except (AppError, MemoryError):
        raise
    except Exception as error:  # whatever a broken file drives the parser into
        raise AppError(
            f"“{name}” is damaged or cut off.", hint=_HINT, details=f"{type(error).__name__}: {error}"
        ) from error
    paragraphs = _joined(laid_out)
    if not any(paragraph.strip() for paragraph in paragraphs):
        what = "has no text in it: it is probably a scan" if pages else "has no pages"
        raise AppError(f"“{name}” {what}.", hint="Put it through text recognition (OCR) first, or paste the text.")
    return Extracted(paragraphs, len(pages))


def _blocks(pages: list[Any]) -> Iterator[list[tuple[str, float, float]]]:
    """For each block of text its lines: the text, where it ends and how wide the block is."""
    from pdfminer.converter import PDFPageAggregator
    from pdfminer.layout import LAParams, LTTextBox, LTTextLine
    from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager

    resources = PDFResourceManager()
    device = PDFPageAggregator(resources, laparams=LAParams(line_margin=LINE_MARGIN, boxes_flow=None))
    interpreter = PDFPageInterpreter(resources, device)
    for page in pages:
        interpreter.process_page(page)
        for box in device.get_result():
            if isinstance(box, LTTextBox):
                lines = [line for line in box if isinstance(line, LTTextLine) and line.get_text().strip()]
                if lines:
                    yield [(line.get_text().strip("\n"), line.x1 - box.x0, box.x1 - box.x0) for line in lines]


def _joined(blocks: list[list[tuple[str, float, float]]]) -> list[str]:
    """Lines that fill their block are put together; short ones, as in an address, keep their ends.

    A paragraph that a page ends in the middle of goes on with the next block.
    """
    widest = max((width for block in blocks for *_, width in block), default=1.0)
    paragraphs: list[str] = []
    for lines in blocks:
        text = ""
        for place, (line, *_) in enumerate(lines):
            if place == 0:
                text = line.strip()
                continue
            full = lines[place - 1][1] > 0.7 * widest
            if full and re.search(r"[a-z]-$", text) and line[:1].islower():
                text = text[:-1] + line.strip()
            else:
                text += (" " if full else "\n") + line.strip()
        goes_on = paragraphs and re.search(r"[a-z,]$", paragraphs[-1]) and text[:1].islower()
        if goes_on:
            paragraphs[-1] += " " + text
        else:
            paragraphs.append(text)
    return paragraphs
