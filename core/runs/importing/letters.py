"""Letters of a table become sources: texts that no prompt of this project made."""

from itertools import islice

from core.jobs import JobContext
from core.project.project import Project
from core.project.specs import SourceSpec
from core.runs.setup import added_study
from core.tables.rows import Record, TableRead

CHUNK = 200


def store(ctx: JobContext, project: Project, study_id: int | None, origin: str, table: TableRead) -> int:
    """How many letters were added."""
    study_id = study_id or added_study(project, "letters")
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
