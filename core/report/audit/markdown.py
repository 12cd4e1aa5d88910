"""A report as Markdown. A figure is the table of its numbers: nothing beside the file is needed to read it."""

import re
from collections.abc import Iterator, Sequence

from biasprint.core.report.audit.audited import AuditReport
from biasprint.core.report.audit.tables import FIGURE_COLUMNS, table_beside
from biasprint.core.report.blocks import (
    Block,
    Cell,
    Heading,
    ReportFigure,
    ReportParagraph,
    ReportTable,
    Run,
    parted,
    printable,
    runs_of,
)

MARKS = re.compile(r"([\\`*_\[\]<>|~#&])")  # what a reader of Markdown takes for mark-up
LISTS = re.compile(r"^(\s*\d*)([-+.)])(?=\s)")


def markdown_of(report: AuditReport) -> str:
    return "\n\n".join(part for block in report.blocks() for part in _written(block)) + "\n"


def _written(block: Block) -> Iterator[str]:
    if isinstance(block, Heading):
        yield f"{'#' * (block.level + 1)} {_plain(block.text)}"
    elif isinstance(block, ReportParagraph):
        text = "".join(map(_run, block.runs))
        yield f"- {text}" if block.bullet else LISTS.sub(r"\1\\\2", text)
    elif isinstance(block, ReportTable):
        yield _table(block.header, block.rows)
    elif isinstance(block, ReportFigure):
        yield f"**Figure: {_plain(block.figure.title)}** {_plain(block.figure.subtitle)}".rstrip()
        yield _table(tuple(FIGURE_COLUMNS.values()), [tuple(one.values()) for one in table_beside(block.figure)])


def _table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    lines = [header, ["---"] * len(header), *([_cell(cell) for cell in row] for row in rows)]
    shown = [list(map(_plain, header)), *(list(line) for line in lines[1:])]
    return "\n".join(f"| {' | '.join(line)} |" for line in shown)


def _cell(cell: Cell) -> str:
    return "".join(map(_run, runs_of(cell))) or " "


def _run(run: Run) -> str:
    text = _plain(run.text)
    return parted(run, f"**{text}**" if run.bold and text else text)


def _plain(text: str) -> str:
    return MARKS.sub(r"\\\1", " ".join(printable(text).split()))
