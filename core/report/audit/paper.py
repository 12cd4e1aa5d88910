"""A report as PDF: its first page stays one page."""

from collections.abc import Iterator
from dataclasses import replace

from biasprint.core.jobs import JobContext
from biasprint.core.report.audit.audited import AuditPage, AuditReport
from biasprint.core.report.blocks import Block, ReportFigure
from biasprint.core.report.pdf import page_count, pdf_bytes

SHARES = (0.76, 0.66, 0.56, 0.46, 0.0)  # of the page's width, for the picture


def paper_of(report: AuditReport, foot: str, ctx: JobContext | None = None) -> bytes:
    first, *others = report.pages
    fitting = next((one for one in _smaller(first) if _is_one_page(replace(report, pages=(one,)))), first)
    return pdf_bytes(replace(report, pages=(fitting, *others)).blocks(), report.title, foot, ctx)


def _smaller(page: AuditPage) -> Iterator[AuditPage]:
    """The page with smaller and smaller pictures, and without one at last."""
    for share in SHARES:
        yield replace(page, blocks=tuple(_with_share(block, share) for block in page.blocks if share or _stays(block)))


def _with_share(block: Block, share: float) -> Block:
    return replace(block, share=share) if isinstance(block, ReportFigure) else block


def _stays(block: Block) -> bool:
    return not isinstance(block, ReportFigure)


def _is_one_page(report: AuditReport) -> bool:
    return page_count(report.blocks()) == 1
