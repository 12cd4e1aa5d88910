"""Bringing letters into a project: each becomes a source, its text exactly as it came."""

from itertools import islice

from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import SourceSpec
from biasprint.core.studies.kit.importing import CHUNK
from biasprint.core.studies.kit.study import Study
from biasprint.core.tables.rows import Record, TableRead


def store_letters(
    study: Study, ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead
) -> int:
    """The number of letters added."""
    study_id = study_id or study.added_to(project)
    added, rows = 0, iter(table.rows)
    while chunk := list(islice(rows, CHUNK)):
        ctx.check()
        specs = [_letter(origin, record, table.line_break) for record in chunk]
        added += len(project.sources.add_many(study_id, specs).of("source"))
        ctx.report(chunk[-1].number, table.total)
    return added


def _letter(origin: str, record: Record, line_break: str) -> SourceSpec:
    fields = {name: value for name, value in record.values.items() if name != "text"}
    if line_break:
        fields["line_break"] = line_break  # the text itself is kept exactly as it came
    return SourceSpec(kind="letter", origin=origin, row=record.number, text=record.values["text"], fields=fields)
