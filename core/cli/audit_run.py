"""Commands of an audit: its file done to its report, impact ratios of a table of people, and the signed evidence
pack.

The run is the same for “biasprint run” and for `biasprint.run` in Python.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biasprint.core.cli import console
from biasprint.core.cli.console import (
    LookAnyway,
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
from biasprint.core.cli.measure_command import JUNIT, FailOn, gates_json, print_result, tell_gates
from biasprint.core.cli.project_commands import AsJson, File
from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.report.audit import Audited
    from biasprint.core.report.impact import ImpactTable
    from biasprint.core.runs.audit.doing import AuditResult
    from biasprint.core.runs.audit.file import Audit
    from biasprint.core.runs.audit.gates import Gate

ANSWERS = (".json",)
Tell = Callable[[str], object]


@dataclass(frozen=True)
class AuditAnswer:
    """Outcome of an audit file. `answer`: as JSON; `undone`: a sentence for each part that could not be done."""

    result: "AuditResult"
    answer: dict[str, Any]
    undone: tuple[str, ...]
    project: Path
    reports: tuple[Path, ...]

    @property
    def exit_code(self) -> int:
        return self.result.exit_code or int(bool(self.undone))


def do_audit(
    ctx: JobContext, file: Path, tell: Tell, *, retry_failures: bool = False, look_anyway: bool = False
) -> AuditAnswer:
    """Do what the file says and write what it wants written. `tell`: called with a sentence as each part begins.

    Raises `AppError` before anything is done, where the file is wrong or its project cannot be written to.
    """
    from biasprint.core.compute import models, shared
    from biasprint.core.machine import keys
    from biasprint.core.report.audit import answer_json
    from biasprint.core.runs.audit.doing import AuditRun
    from biasprint.core.runs.audit.gates import write_junit
    from biasprint.core.runs.audit.reading import read_audit
    from biasprint.core.runs.reporting import audited_now

    audit, digest = read_audit(file)
    _check_outputs(audit, file)
    with _project_of(audit, look_anyway) as project:
        work = AuditRun(project, audit, models(), shared(), keys.session_keys(), tell)
        result = work(ctx, retry_failures=retry_failures)
        studies = [audited_now(measured, project, title=audit.title) for measured in result.measured.values()]
    undone = list(result.undone)
    reports = [path for study in studies if (path := _report(ctx, audit, study, len(studies), undone, tell))]
    about = {"file": file.name, "sha256": digest, "title": audit.title, "project": audit.outputs.project.name}
    written = {"report": [path.name for path in reports]}
    answers = [
        measured.result.to_json() | answer_json(of)
        for measured, of in zip(result.measured.values(), studies, strict=True)
    ]
    answer = {**result.to_json(), "studies": answers, "audit": about, "undone": list(undone), "outputs": written}
    if audit.outputs.junit:
        _try(undone, audit.outputs.junit, lambda to: write_junit(to, result.gates))
    if audit.outputs.json_:
        _write_answer(audit.outputs.json_, answer, undone)
    return AuditAnswer(result, answer, tuple(undone), audit.outputs.project, tuple(reports))


def _check_outputs(audit: "Audit", file: Path) -> None:
    from biasprint.core.report.audit import ENDINGS

    console.new_path(audit.outputs.project)
    outputs = audit.outputs
    for path, endings in ((outputs.json_, ANSWERS), (outputs.report, ENDINGS), (outputs.junit, JUNIT)):
        if path is not None:
            console.check_target(path, endings, [file, audit.outputs.project])


def _project_of(audit: "Audit", look_anyway: bool) -> "Project":
    """The project that the audit is done in: made where there is none."""
    from biasprint.core.project.project import Project

    path = audit.outputs.project
    if not path.exists():
        return Project.create(path)
    console.open_for_writing(path).close()  # it says so where it cannot be written to
    return console.open_to_look(path, look_anyway, "run", measuring=True)


def _report(
    ctx: JobContext, audit: "Audit", about: "Audited", studies: int, undone: list[str], tell: Tell
) -> Path | None:
    """Write the report of a study, where one is wanted; its file."""
    from biasprint.core.report.audit import write_study_report

    path = audit.outputs.report
    if path is None:
        return None
    path = path if studies == 1 else path.with_stem(f"{path.stem}-{about.study}")
    if not _try(undone, path, lambda to: write_study_report(to, about, ctx)):
        return None
    tell(f"The report is in {path}.")
    return path


def _write_answer(path: Path, answer: dict[str, Any], undone: list[str]) -> None:
    from biasprint.core.machine.files import write_whole

    text = json.dumps(answer, indent=1, ensure_ascii=False, allow_nan=False)
    _try(undone, path, lambda to: write_whole(to, text.encode("utf-8", "replace")))


def _try(undone: list[str], path: Path, write: Callable[[Path], object]) -> bool:
    """Write a file, in a folder that is made for it; a failure is a sentence, for the findings are there by now."""
    try:
        with suppress(OSError):  # what writes says why it cannot
            path.parent.mkdir(parents=True, exist_ok=True)
        write(path)
    except AppError as error:
        undone.append(str(error))
        return False
    return True


# ---- run, audit-file

AUDITS = (".toml",)


def run(
    file: Annotated[Path, typer.Argument(help="An audit file (.toml).")],
    retry_failures: Annotated[bool, typer.Option(help="Ask again for what failed before.")] = False,
    look_anyway: LookAnyway = False,
    as_json: AsJson = False,
) -> None:
    """Do a whole audit from a file: prompts, texts, scores, findings, gates, report. Stopped, it goes on from there."""
    with console.job(file.stem) as ctx:
        done = do_audit(ctx, file, note, retry_failures=retry_failures, look_anyway=look_anyway)
    if as_json:
        console.print_json(done.answer)
    else:
        _tell(done.result)
    for sentence in done.undone:
        console.complain(sentence)
    tell_gates(done.result.gates, as_json=as_json)
    if done.exit_code:
        raise typer.Exit(done.exit_code)


def _tell(result: "AuditResult") -> None:
    from biasprint.core.runs.generate import cut_words
    from biasprint.core.scorers.refusal import REFUSAL

    for texts in result.texts:
        if texts.table is not None:
            tell_table(texts.table)
        say(f"{texts.source}: {texts.added:,} new texts for {texts.study}.")
    for run in result.runs:
        done, wanted = run.result.done, run.result.wanted
        say(f"{run.called}: {done:,} of {wanted:,} texts for {run.prompts}, {run.result.added:,} of them new.")
        if run.result.failed:
            refused = run.result.failures.get(REFUSAL, 0)
            other = run.result.failed - refused
            if refused:
                say(f"  {refused:,} refused; a refusal is an answer and is not asked for again.")
            if other:
                say(f"  {other:,} failed; --retry-failures asks for them again.")
        if words := cut_words(run.result.cut):
            say(f"  {words}")
    for judged in result.judged:
        replies = sum(judged.result.read.values())
        say(f"{judged.called}: {replies:,} of {judged.result.wanted:,} replies on {judged.plan}.")
    for measured in result.measured.values():
        for remark in measured.remarks:
            note(remark)
        print_result(measured.result)


def audit_file(
    file: File,
    out: Annotated[Path, typer.Option(help="Where to: a .toml file.")],
    look_anyway: LookAnyway = False,
    as_json: AsJson = False,
) -> None:
    """Write a project's prompts, generators and measures as an audit file, for “run”."""
    from biasprint.core.machine.files import write_whole
    from biasprint.core.runs.audit.reading import saved_audit

    console.check_target(out, AUDITS)
    with console.open_to_look(file, look_anyway, "audit-file") as project, console.job("Writing") as ctx:
        text = saved_audit(ctx, project, out)
    write_whole(out, text.encode("utf-8"))
    if as_json:
        console.print_json({"file": str(out)})
    else:
        say(f"The audit is in {named(out)}.")


# ---- impact


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
