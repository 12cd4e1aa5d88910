"""run, audit-file: an audit from a file, without a person; and a project's audit as such a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from biasprint.core.cli import console
from biasprint.core.cli.audit_run import do_audit
from biasprint.core.cli.console import LookAnyway, named, note, say
from biasprint.core.cli.data_commands import tell_table
from biasprint.core.cli.gates import tell_gates
from biasprint.core.cli.measure_command import print_result
from biasprint.core.cli.project_commands import AsJson, File

if TYPE_CHECKING:
    from biasprint.core.runs.audit.doing import AuditResult

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
    for texts in result.texts:
        if texts.table is not None:
            tell_table(texts.table)
        say(f"{texts.source}: {texts.added:,} new texts for {texts.study}.")
    for one in result.runs:
        done, wanted = one.result.done, one.result.wanted
        say(f"{one.called}: {done:,} of {wanted:,} texts for {one.prompts}, {one.result.added:,} of them new.")
        if one.result.failed:
            say(f"  {one.result.failed:,} failed; --retry-failures asks for them again.")
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
    from biasprint.core.report.whole_file import write_whole
    from biasprint.core.runs.audit.saved import saved_audit

    console.check_target(out, AUDITS)
    with console.open_to_look(file, look_anyway, "audit-file") as project, console.job("Writing") as ctx:
        text = saved_audit(ctx, project, out)
    write_whole(out, text.encode("utf-8"))
    if as_json:
        console.print_json({"file": str(out)})
    else:
        say(f"The audit is in {named(out)}.")
