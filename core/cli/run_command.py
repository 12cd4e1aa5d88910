"""run, audit-file: an audit from a file, without a person; and a project's audit as such a file."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli.console import (
    PAGES,
    LookAnyway,
    check_target,
    complain,
    job,
    new_path,
    note,
    open_for_writing,
    open_to_look,
    print_json,
    say,
)
from core.cli.gates import tell_gates
from core.cli.measure_command import print_result
from core.cli.project_commands import AsJson, File

if TYPE_CHECKING:
    from core.project.project import Project
    from core.runs.audit import Audit
    from core.runs.audit_run import AuditResult

ANSWERS, AUDITS = (".json",), (".toml",)


def add_run_to(app: typer.Typer) -> None:
    app.command()(run)
    app.command("audit-file")(audit_file)


def run(
    file: Annotated[Path, typer.Argument(help="An audit file (.toml).")],
    retry_failures: Annotated[bool, typer.Option(help="Ask again for what failed before.")] = False,
    look_anyway: LookAnyway = False,
    as_json: AsJson = False,
) -> None:
    """Do a whole audit from a file: prompts, texts, scores, findings, gates, report. Stopped, it goes on from there."""
    from core.compute import models, shared
    from core.machine import keys
    from core.runs.audit import read_audit
    from core.runs.audit_run import AuditRun

    audit, digest = read_audit(file)
    _check_outputs(audit, file)
    with _project_of(audit, look_anyway) as project, job(audit.title or file.stem) as ctx:
        result = AuditRun(project, audit, models(), shared(), keys.session_keys(), note)(
            ctx, retry_failures=retry_failures
        )
    about = {"file": file.name, "sha256": digest, "title": audit.title, "project": audit.outputs.project.name}
    answer = {**result.to_json(), "audit": about, "outputs": _reports(audit, result)}
    if audit.outputs.json_:
        from core.report.whole_file import write_whole

        write_whole(audit.outputs.json_, json.dumps(answer, indent=1, ensure_ascii=False, allow_nan=False).encode())
    if as_json:
        print_json(answer)
    else:
        _tell(result)
    for sentence in result.undone:
        complain(sentence)
    tell_gates(result.gates, as_json=as_json)
    if result.exit_code:
        raise typer.Exit(result.exit_code)


def _check_outputs(audit: "Audit", file: Path) -> None:
    new_path(audit.outputs.project)
    for path, endings in ((audit.outputs.json_, ANSWERS), (audit.outputs.report, PAGES)):
        if path is not None:
            check_target(path, endings, [file, audit.outputs.project])


def _project_of(audit: "Audit", look_anyway: bool) -> "Project":
    """The project that the audit is done in: made where there is none."""
    from core.project.project import Project

    path = audit.outputs.project
    if not path.exists():
        return Project.create(path)
    open_for_writing(path).close()  # it says so where it cannot be written to
    return open_to_look(path, look_anyway, "run", measuring=True)


def _reports(audit: "Audit", result: "AuditResult") -> dict[str, Any]:
    """Write a report of each study; where they are."""
    written: dict[str, Any] = {"report": []}
    if audit.outputs.report is not None:
        from core.report.html import write_report

        for kind, measured in result.measured.items():
            path = audit.outputs.report
            path = path if len(result.measured) == 1 else path.with_stem(f"{path.stem}-{kind}")
            write_report(measured.result, path, title=audit.title or f"Bias in {kind}", recipe=measured.recipe)
            note(f"The report is in {path}.")
            written["report"].append(path.name)
    return written


def _tell(result: "AuditResult") -> None:
    for one in result.runs:
        done, wanted = one.result.done, one.result.wanted
        say(f"{one.called}: {done:,} of {wanted:,} texts for {one.prompts}, {one.result.added:,} of them new.")
        if one.result.failed:
            say(f"  {one.result.failed:,} failed; --retry-failures asks for them again.")
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
    from core.report.whole_file import write_whole
    from core.runs.audit_saved import saved_audit

    check_target(out, AUDITS)
    with open_to_look(file, look_anyway, "audit-file") as project, job("Writing") as ctx:
        text = saved_audit(ctx, project, out)
    write_whole(out, text.encode("utf-8"))
    if as_json:
        print_json({"file": str(out)})
    else:
        say(f"The audit is in {out}.")
