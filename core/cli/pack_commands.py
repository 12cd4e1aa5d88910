"""impact: impact ratios of a table of people; pack make, pack verify: the evidence of an audit in one signed folder."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biasprint.core.cli.console import (
    LookAnyway,
    add_group,
    check_target,
    job,
    named,
    note,
    open_to_look,
    print_json,
    print_table,
    say,
)
from biasprint.core.cli.data_commands import Encoding, HeaderRow, Map, Sheet, tell_table
from biasprint.core.cli.measure_command import FailOn, gates_json, tell_gates
from biasprint.core.cli.project_commands import AsJson, File
from biasprint.core.errors import AppError, UsageError

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.report.impact import ImpactTable
    from biasprint.core.runs.audit.gates import Gate

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
    from biasprint.core.tables.read import read_records
    from biasprint.core.tables.rows import HeaderPlace

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


# ---- pack


def add_pack_to(app: typer.Typer) -> None:
    add_group(
        app, "pack", "The evidence of an audit in one signed folder: make, verify.", {"make": make, "verify": verify}
    )


def make(
    file: File,
    out: Annotated[Path, typer.Option(help="The folder to make.")],
    texts: Annotated[
        bool, typer.Option("--texts/--hashes", help="With the texts and prompts, or with their hashes alone.")
    ] = False,
    fail_on: FailOn = None,
    look_anyway: LookAnyway = False,
    as_json: AsJson = False,
) -> None:
    """Make an evidence pack: reports, findings, recipes, texts or their hashes, pages for others; signed."""
    from biasprint.core.compute import shared
    from biasprint.core.runs.pack.making import make_pack

    with open_to_look(file, look_anyway, "pack make") as project, job("Making the pack") as ctx:
        gates = _gates(project, fail_on or [])
        made = make_pack(ctx, project, out, shared(), whole=texts, gates=gates)
    for sentence in made.stale:
        note(sentence)
    if as_json:
        print_json(
            {"folder": str(out), "files": made.signed.files, "fingerprint": made.signed.fingerprint,
             "studies": list(made.studies), "texts": made.texts, "texts_are": "whole" if texts else "hashes",
             "stale": list(made.stale), **gates_json(made.gates)}
        )  # fmt: skip
    else:
        say(f"The pack is in {named(out)}: {made.signed.files:,} files, signed.")
        say(f"The fingerprint of your key is {made.signed.fingerprint}. Tell it by another way than the folder goes.")
    if code := tell_gates(made.gates, as_json=as_json):
        raise typer.Exit(code)


def _gates(project: "Project", texts: Sequence[str]) -> "list[Gate]":
    if not texts:
        return []
    from biasprint.core.report.planned import unknown
    from biasprint.core.runs.audit.gates import parse_gate
    from biasprint.core.runs.reporting import measured_studies

    gates, kinds = [parse_gate(text) for text in texts], measured_studies(project)
    for gate in gates:
        if sentence := unknown(gate, kinds):
            raise UsageError(sentence)
    return gates


def verify(
    folder: Annotated[Path, typer.Argument(help="The folder of an evidence pack.")],
    signer: Annotated[
        str, typer.Option(help="The fingerprint that the sender gave you: exit code 1 if another key signed.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Check that no file of an evidence pack was changed, added, removed or renamed since it was signed. Offline."""
    from biasprint.core.runs.pack.signing import verify_pack

    sound = verify_pack(folder, signer)
    if as_json:
        print_json({"folder": str(folder), "files": sound.files, "fingerprint": sound.fingerprint, "sound": True})
        return
    say(f"All {sound.files:,} files are as they were signed with the key {sound.fingerprint}.")
    if not signer:
        note(
            "Anybody can sign: compare this fingerprint with the one that the sender told you, or give it as --signer."
        )
