"""The report of a study: what it says as data, and its writers.

`audit_report` says it page by page; `report_bytes` writes it as html, pdf, md or tex. Heavy where it draws: the window
asks the compute process.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.machine.files import write_whole
from biasprint.core.report.audit.audited import AskedSet, Audited, AuditReport, answer_json
from biasprint.core.report.audit.content import audit_report
from biasprint.core.report.pdf import figure_pdf

ENDINGS = (".html", ".htm", ".pdf", ".md", ".tex")
FOOT = "These numbers are about what was measured. They do not say whether a law is kept."


def check_report_ending(path: Path) -> None:
    """Raise `UsageError` for a file that no report is written to."""
    if path.suffix.lower() not in ENDINGS:
        raise UsageError(f"A report is a {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]} file, not “{path.name}”.")


def report_bytes(report: AuditReport, ending: str, ctx: JobContext | None = None) -> bytes:
    """The report in the format of an ending."""
    if ending == ".pdf":
        from biasprint.core.report.audit.page import paper_of

        return paper_of(report, FOOT, ctx)
    if ending in (".html", ".htm"):
        from biasprint.core.report.audit.page import page_of

        return page_of(report).encode("utf-8", "replace")
    if ending == ".md":
        from biasprint.core.report.audit.page import markdown_of

        return markdown_of(report).encode("utf-8", "replace")
    from biasprint.core.report.audit.page import latex_of

    return latex_of(report).encode("utf-8", "replace")


def write_audit_report(path: Path, report: AuditReport, ctx: JobContext | None = None) -> None:
    """Write the report whole or not at all, in the format of the file's ending."""
    check_report_ending(path)
    write_whole(path, report_bytes(report, path.suffix.lower(), ctx))


def write_study_report(path: Path, audited: Audited, ctx: JobContext | None = None) -> None:
    """Word the report and write it, in the compute process."""
    write_audit_report(path, audit_report(audited), ctx)


def write_figures(folder: Path, report: AuditReport, ctx: JobContext | None = None) -> Sequence[Path]:
    """Write each figure as a PDF of its own; the folder is made where it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AppError(
            f"The folder “{folder}” could not be made.", hint="Choose another place.", details=str(error)
        ) from error
    written = []
    for number, figure in enumerate(report.figures, start=1):
        name = re.sub(r"[^\w.-]+", "-", figure.name).strip("-")[:80]
        path = folder / f"{number:02d}-{name}.pdf"
        write_whole(path, figure_pdf(figure))
        written.append(path)
        if ctx is not None:
            ctx.step(number, len(report.figures), note="figures drawn")
    return written
