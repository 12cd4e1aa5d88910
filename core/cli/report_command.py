"""report: writes what was found in a study, from the findings that a project holds."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from biasprint.core.cli.console import (
    LookAnyway,
    check_target,
    is_project,
    job,
    named,
    note,
    open_to_look,
    print_json,
    say,
)
from biasprint.core.cli.project_commands import AsJson, File
from biasprint.core.errors import UsageError


def add_report_to(app: typer.Typer) -> None:
    app.command()(report)


def report(
    file: File,
    out: Annotated[Path, typer.Option(help="The file: html, pdf, md (Markdown) or tex (LaTeX tables).")],
    study: Annotated[str | None, typer.Option(help="Which study; needed where several were measured.")] = None,
    figures: Annotated[Path | None, typer.Option(help="Also write each figure as a PDF, into this folder.")] = None,
    without_findings: Annotated[bool, typer.Option(help="Leave out the page of all findings.")] = False,
    look_anyway: LookAnyway = False,
    as_json: AsJson = False,
) -> None:
    """Write the report of a study from its stored findings. Nothing is measured again; what is stale is said."""
    from biasprint.core.report.audit import ENDINGS, audit_report, write_audit_report, write_figures
    from biasprint.core.runs.reporting import audited, only_measured
    from biasprint.core.studies.registry import study as known_study

    check_target(out, ENDINGS, [file])
    if not is_project(file):
        raise UsageError(
            "A report is made from the findings of a project.", hint="For tables: measure STUDY TABLE --report FILE."
        )
    if study is not None:
        known_study(study)
    with open_to_look(file, look_anyway, "report") as project, job("Writing the report"):
        about = replace(audited(project, study or only_measured(project)), whole=not without_findings)
    made = audit_report(about)
    with job("Writing the report") as ctx:
        write_audit_report(out, made, ctx)
        drawn = write_figures(figures, made, ctx) if figures is not None else []
    if about.stale:
        note(about.stale)
    if as_json:
        pages = [page.title for page in made.pages]
        files = [str(path) for path in drawn]
        told = {"file": str(out), "study": about.study, "stale": about.stale, "pages": pages, "figures": files}
        print_json(told | {"questions": [{"question": one.question, "answer": one.answer} for one in about.questions]})
        return
    say(f"The report is in {named(out)}.")
    if figures is not None:
        say(f"{len(drawn)} {'figure is' if len(drawn) == 1 else 'figures are'} in {figures}.")
