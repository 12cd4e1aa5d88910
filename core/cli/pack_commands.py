"""impact: impact ratios of a table of people; pack make, pack verify: the evidence of an audit in one signed folder."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biasprint.core.cli.console import check_target, job, named, note, print_json, print_table, say
from biasprint.core.cli.data_commands import Encoding, HeaderRow, Map, Sheet, tell_table
from biasprint.core.cli.project_commands import AsJson
from biasprint.core.errors import AppError

if TYPE_CHECKING:
    from biasprint.core.report.impact import ImpactTable

# ---- impact


def add_impact_to(app: typer.Typer) -> None:
    app.command()(impact)


def impact(
    table: Annotated[Path, typer.Argument(help="A table with a row for each person: sex, race, selected or score.")],
    mapping: Map = None,
    encoding: Encoding = None,
    sheet: Sheet = "",
    header_row: HeaderRow = None,
    out: Annotated[Path | None, typer.Option(help="Also write the tables: html, pdf, md or tex.")] = None,
    as_json: AsJson = False,
) -> None:
    """Impact ratios as Local Law 144 asks for them: by sex, by race and by both, from a table of people."""
    from biasprint.core.report.audit import ENDINGS, write_audit_report
    from biasprint.core.report.impact import FIELDS, RACE, SEX, impact_report, impact_tables, outcomes_of, to_json
    from biasprint.core.tables.fields import columns_there, parse_map_options
    from biasprint.core.tables.headers import HeaderPlace
    from biasprint.core.tables.read import read_records

    if out is not None:
        check_target(out, ENDINGS, [table])
    asked = parse_map_options(mapping or [])
    with job("Computing impact ratios") as ctx:
        read = read_records(table, FIELDS, asked, encoding, place=HeaderPlace(sheet, header_row), ctx=ctx)
        rows = [record.values for record in read.rows]
        outcomes = outcomes_of(rows)
        tables = impact_tables({name: [row.get(name, "") for row in rows] for name in (SEX, RACE)}, outcomes)
    # People may be alike in all that a table says of them: equal rows are no copies.
    tell_table(replace(read, problems=tuple(problem for problem in read.problems if not problem.kept)))
    if not tables:
        lacking = "selected or score" if not outcomes else f"{SEX} or {RACE}"
        raise AppError(
            f"“{table.name}” has no column with {lacking} that can be read.",
            hint=f"Map one: --map {lacking.split()[0]}=COLUMN. {columns_there(read.columns)}",
        )
    if out is not None:
        about = f"Table “{table.name}”, {len(rows):,} rows."
        with job("Writing") as ctx:
            write_audit_report(out, impact_report(tables, about), ctx)
        note(f"The tables are in {named(out)}.")
    if as_json:
        print_json({"table": str(table), "rows": len(rows), "tables": [to_json(each) for each in tables]})
    else:
        _tell_impact(tables)


def _tell_impact(tables: "list[ImpactTable]") -> None:
    from biasprint.core.report.impact import LIMITS, header_of, rows_of, sentences_of

    for table in tables:
        say(table.title, bold=True)
        header = header_of(table)
        print_table(header, rows_of(table), right=header[1:6])
        for sentence in sentences_of(table):
            say(sentence)
        say("")
    for sentence in LIMITS:
        say(sentence)
