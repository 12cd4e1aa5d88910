"""What a study's report says, page by page."""

from collections.abc import Iterator, Mapping, Sequence

from biasprint import core
from biasprint.core.draw import digits
from biasprint.core.draw.figure import Figure
from biasprint.core.report.audit.audited import Audited, AuditPage, AuditReport
from biasprint.core.report.audit.first_page import first_page
from biasprint.core.report.audit.methods import methods_page
from biasprint.core.report.audit.tables import all_findings, findings_table, reasons
from biasprint.core.report.blocks import Block, ReportFigure, ReportParagraph, Run, said
from biasprint.core.report.figures import figures_of
from biasprint.core.report.questions import evidence, question_of

ALL_FINDINGS = "All findings"
MOST_LEADS = 12  # findings on the page of a question


def audit_report(audited: Audited) -> AuditReport:
    """The report of what was measured."""
    measured = f"measured {audited.measured_at}" if audited.measured_at else ""
    about = " · ".join(part for part in (audited.origin, measured, f"Biasprint {core.__version__}") if part)
    pages = [
        AuditPage("In short", tuple(first_page(audited))),
        *_question_pages(audited),
        *([AuditPage(ALL_FINDINGS, tuple(all_findings(audited)))] if audited.whole else []),
        AuditPage("How it was measured", tuple(methods_page(audited))),
    ]
    return AuditReport(audited.title or f"Bias in {audited.texts.lower()}", about, tuple(pages))


def _question_pages(audited: Audited) -> Iterator[AuditPage]:
    drawn = _figures_by_question(audited)
    further: list[Figure] = []
    for one in audited.questions:
        leads = evidence(audited.study, one).strongest_first
        figures = drawn.get(one.question, ())
        further += figures[1:]
        blocks: list[Block] = [ReportParagraph((Run(one.answer, bold=True),)), *map(ReportFigure, figures[:1])]
        if leads:
            blocks += [findings_table(leads[:MOST_LEADS]), *reasons(leads[:MOST_LEADS])]
        else:
            blocks += reasons(one.findings)
        if (more := len(one.findings) - len(leads[:MOST_LEADS])) > 0:
            where = f"see “{ALL_FINDINGS}”" if audited.whole else "they are in the project and in its export"
            blocks.append(said(f"{digits.count(more)} more findings belong to it: {where}.", soft=True))
        yield AuditPage(one.question, tuple(blocks))
    if further:
        yield AuditPage("More figures", tuple(map(ReportFigure, further)))


def _figures_by_question(audited: Audited) -> Mapping[str, Sequence[Figure]]:
    """Each figure beside the question that most of its findings answer."""
    drawn: dict[str, list[Figure]] = {}
    for figure in figures_of(audited.study, audited.findings):
        asked = [question_of(audited.study, finding.id).ask for finding in figure.findings]
        if asked:
            drawn.setdefault(max(dict.fromkeys(asked), key=asked.count), []).append(figure)
    return drawn
