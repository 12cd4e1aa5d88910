"""An audit file done from its first line to its report: for “biasprint run” and for `biasprint.run` in Python."""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biasprint.core.cli import console
from biasprint.core.cli.console import LookAnyway, named, note, say
from biasprint.core.cli.data_commands import tell_table
from biasprint.core.cli.measure_command import JUNIT, print_result, tell_gates
from biasprint.core.cli.project_commands import AsJson, File
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext

if TYPE_CHECKING:
    from biasprint.core.project.project import Project
    from biasprint.core.report.audit import Audited
    from biasprint.core.runs.audit.doing import AuditResult
    from biasprint.core.runs.audit.file import Audit


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
