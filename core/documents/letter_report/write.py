"""Writing a report, whole or not at all."""

from datetime import datetime
from pathlib import Path

from core.documents.letter_report.content import blocks_of
from core.documents.letter_report.docx_report import docx_bytes
from core.documents.letter_report.pdf import pdf_bytes
from core.documents.reading.values import Reading
from core.documents.twin_values import TwinDifference
from core.errors import UsageError
from core.report.whole_file import write_whole

REPORT_SUFFIXES = (".pdf", ".docx")


def write_report(path: Path, reading: Reading, *, twin: TwinDifference | None = None) -> None:
    """Write the report to `path`, as PDF or docx by its ending. Raises `UsageError` for another one.

    Heavy: the writers are loaded at the first call, so the window asks the compute process.
    """
    suffix = path.suffix.lower()
    if suffix not in REPORT_SUFFIXES:
        raise UsageError(f"A report is a {' or a '.join(REPORT_SUFFIXES)} file, not “{path.name}”.")
    made = f"{datetime.now().astimezone():%d %B %Y, %H:%M}"
    blocks = blocks_of(reading, twin, made)
    write_whole(path, pdf_bytes(blocks) if suffix == ".pdf" else docx_bytes(blocks))
