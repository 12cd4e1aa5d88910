"""Saving findings as a table."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from core.findings import Finding
from core.jobs import JobContext
from desktop.operations.base import Operation
from desktop.widgets.words import plural, tr

if TYPE_CHECKING:
    from core.report.export import ExportReport

ENDINGS = ("xlsx", "csv", "jsonl", "parquet")


def save_findings(*, findings: "Sequence[Finding]", path: Path) -> "Operation[ExportReport]":
    """Write findings to a csv, jsonl, xlsx or parquet file, in the columns that `biasprint export` has."""

    def work(ctx: JobContext) -> "ExportReport":
        from core.report.export import export_rows
        from core.runs.exporting import FINDING, finding_row

        rows = (finding_row(finding) for finding in findings)
        return export_rows(rows, path, FINDING, ctx=ctx, total=len(findings))

    return Operation(tr("Saving “{name}”").format(name=path.name), work, _saved)


def _saved(report: "ExportReport") -> str:
    rows = plural(report.rows, "1 finding is", "%n findings are")
    return " ".join([tr("{rows} in “{name}”.").format(rows=rows, name=report.path.name), *report.notices()])
