"""run, audit-file: an audit from a file, without a person; and a project's audit as such a file."""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli import console
from core.cli.console import LookAnyway, note, say
from core.cli.data_commands import tell_table
from core.cli.gates import tell_gates
from core.cli.measure_command import print_result
from core.cli.project_commands import AsJson, File
from core.errors import AppError

if TYPE_CHECKING:
    from core.project.project import Project
    from core.report.audit import Audited
    from core.runs.audit.doing import AuditResult
    from core.runs.audit.file import Audit

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
    from core.runs.audit.doing import AuditRun
    from core.runs.audit.reading import read_audit
    from core.runs.reporting import audited_now

    audit, digest = read_audit(file)
    _check_outputs(audit, file)
    with _project_of(audit, look_anyway) as project, console.job(audit.title or file.stem) as ctx:
        work = AuditRun(project, audit, models(), shared(), keys.session_keys(), note)
        result = work(ctx, retry_failures=retry_failures)
        studies = [audited_now(one, project, title=audit.title) for one in result.measured.values()]
    about = {"file": file.name, "sha256": digest, "title": audit.title, "project": audit.outputs.project.name}
    answer, undone = _written(audit, result, studies, {**result.to_json(), "audit": about})
    if as_json:
        console.print_json(answer)
    else:
        _tell(result)
    for sentence in (*result.undone, *undone):
        console.complain(sentence)
    tell_gates(result.gates, as_json=as_json)
    if code := result.exit_code or int(bool(undone)):
        raise typer.Exit(code)


def _check_outputs(audit: "Audit", file: Path) -> None:
    from core.report.audit import ENDINGS

    console.new_path(audit.outputs.project)
    for path, endings in ((audit.outputs.json_, ANSWERS), (audit.outputs.report, ENDINGS)):
        if path is not None:
            console.check_target(path, endings, [file, audit.outputs.project])


def _project_of(audit: "Audit", look_anyway: bool) -> "Project":
    """The project that the audit is done in: made where there is none."""
    from core.project.project import Project

    path = audit.outputs.project
    if not path.exists():
        return Project.create(path)
    console.open_for_writing(path).close()  # it says so where it cannot be written to
    return console.open_to_look(path, look_anyway, "run", measuring=True)


def _written(
    audit: "Audit", result: "AuditResult", studies: "Sequence[Audited]", answer: dict[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Write a report of each study and the answer as a file; the whole answer, and what could not be written."""
    from core.report.whole_file import write_whole

    undone: list[str] = []
    pages = [name for one in studies if (name := _report(audit, one, len(studies), undone))]
    answer = {**answer, "undone": [*result.undone, *undone], "outputs": {"report": pages}}
    if audit.outputs.json_:
        text = json.dumps(answer, indent=1, ensure_ascii=False, allow_nan=False)
        _try(undone, audit.outputs.json_, lambda path: write_whole(path, text.encode("utf-8", "replace")))
    return answer, undone


def _report(audit: "Audit", about: "Audited", studies: int, undone: list[str]) -> str:
    """Write the report of a study, where one is wanted; the name of its file."""
    from core.report.audit import write_study_report

    path = audit.outputs.report
    if path is None:
        return ""
    path = path if studies == 1 else path.with_stem(f"{path.stem}-{about.study}")
    if not _try(undone, path, lambda to: write_study_report(to, about)):
        return ""
    note(f"The report is in {path}.")
    return path.name


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


def _tell(result: "AuditResult") -> None:
    for texts in result.texts:
        if texts.table is not None:
            tell_table(texts.table)
        say(f"{texts.source}: {texts.added:,} new texts for {texts.study}.")
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
    from core.runs.audit.saved import saved_audit

    console.check_target(out, AUDITS)
    with console.open_to_look(file, look_anyway, "audit-file") as project, console.job("Writing") as ctx:
        text = saved_audit(ctx, project, out)
    write_whole(out, text.encode("utf-8"))
    if as_json:
        console.print_json({"file": str(out)})
    else:
        say(f"The audit is in {out}.")
