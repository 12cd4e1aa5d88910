"""A report as one HTML page that loads nothing from anywhere."""

from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import groupby
from typing import Any

from biasprint.core.draw.svg import page_style, svg
from biasprint.core.report.audit.audited import AuditReport
from biasprint.core.report.audit.tables import FIGURE_COLUMNS, table_beside
from biasprint.core.report.blocks import Block, Heading, ReportFigure, ReportParagraph, ReportTable, runs_of

TEMPLATE = "audit.html.j2"


def page_of(report: AuditReport) -> str:
    """The page. Every text is escaped: what a model or a file wrote is never markup."""
    from markupsafe import Markup

    page: str = _template().render(
        title=report.title,
        about=report.about,
        palette=Markup(page_style()),
        pages=[{"title": one.title, "blocks": list(_parts(one.blocks))} for one in report.pages],
    )
    return page


def _parts(blocks: Sequence[Block]) -> Iterator[dict[str, Any]]:
    """What the template writes; bullets that follow each other are one list."""
    for listed, same in groupby(blocks, key=lambda block: isinstance(block, ReportParagraph) and block.bullet):
        if listed:
            yield {"kind": "list", "runs_of": [one.runs for one in same if isinstance(one, ReportParagraph)]}
        else:
            yield from (part for block in same if (part := _part(block)))


def _part(block: Block) -> dict[str, Any]:
    if isinstance(block, Heading):
        return {"kind": "heading", "text": block.text}
    if isinstance(block, ReportParagraph):
        return {"kind": "paragraph", "runs": block.runs, "soft": block.soft}
    if isinstance(block, ReportTable):
        rows = [["".join(run.text for run in runs_of(cell)) for cell in row] for row in block.rows]
        return {"kind": "table", "header": block.header, "rows": rows, "widths": block.widths}
    if isinstance(block, ReportFigure):
        from markupsafe import Markup

        # The drawing escapes every text that it holds.
        drawn = Markup(svg(block.figure, theme="page", alone=False))
        rows = [list(row.values()) for row in table_beside(block.figure)]
        header = list(FIGURE_COLUMNS.values())
        return {"kind": "figure", "drawn": drawn, "title": block.figure.title, "header": header, "rows": rows}
    return {}


def _template() -> Any:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    def read(file: str) -> str:
        return files("biasprint.resources").joinpath("report", file).read_text(encoding="utf-8")

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(read)
    )
    return environment.get_template(TEMPLATE)
