"""analysis-plan new, lock, show: findings of interest written down and hashed before texts are scored."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biasprint.core.cli.console import (
    LookAnyway,
    add_group,
    check_target,
    complain,
    named,
    open_for_writing,
    open_to_look,
    print_json,
    print_table,
    say,
)
from biasprint.core.cli.project_commands import AsJson, File
from biasprint.core.errors import AppError, UsageError

if TYPE_CHECKING:
    from biasprint.core.findings import Finding
    from biasprint.core.project.project import Project
    from biasprint.core.report.planned import StudyPlan

OfStudy = Annotated[str | None, typer.Option("--study", help="Of which study; needed where there are several.")]


def add_analysis_plan_to(app: typer.Typer) -> None:
    add_group(
        app,
        "analysis-plan",
        "Findings of interest, margins and exclusions, locked before texts are scored.",
        {"new": new, "lock": lock, "show": show},
    )


def new(
    file: File,
    out: Annotated[Path, typer.Option(help="The plan to write (.toml).")],
    study: OfStudy = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace the file if it is there.")] = False,
    look_anyway: LookAnyway = False,
) -> None:
    """Write an example of an analysis plan for a project's study, to be changed: it can be locked as it is."""
    from biasprint.core.report.whole_file import write_whole
    from biasprint.core.runs.analysis_plan import example_plan

    check_target(out, (".toml",))
    if out.exists() and not replace:
        raise AppError(
            f"There is a file {out} already.", kept="It was left as it is.", hint="Choose another name, or --replace."
        )
    with open_to_look(file, look_anyway, "analysis-plan new") as project:
        text = example_plan(project, study or _only_study(project))
    write_whole(out, text.encode("utf-8"))
    say(f"Wrote {out}: change it, then lock it with “biasprint analysis-plan lock {named(file)} {out}”.")


def lock(
    file: File,
    plan: Annotated[Path, typer.Argument(help="An analysis plan (.toml).")],
    as_json: AsJson = False,
) -> None:
    """Lock a plan: it is stored with its hash, the time, and how much was scored. Another lock never replaces it."""
    from biasprint.core.report.planned import known_words, when_words
    from biasprint.core.runs.analysis_plan import lock_plan, read_plan

    asked, text = read_plan(plan)
    with open_for_writing(file) as project:
        locked = lock_plan(project, asked, text)
    if as_json:
        print_json({"study": asked.study, **locked.to_json()})
        return
    say(f"Locked on {when_words(locked.at)}, {known_words(locked.known)}")
    say(f"SHA-256 of {plan.name}: {locked.sha256}")
    say("Send this hash to somebody, or publish it: then nobody can doubt later what was planned.")


def show(
    file: File,
    plan: Annotated[Path | None, typer.Argument(help="A plan file to compare with the locked one.")] = None,
    study: OfStudy = None,
    look_anyway: LookAnyway = False,
    as_json: AsJson = False,
) -> None:
    """Show what was planned, when it was locked, and what came out. Exit code 1 where PLAN is not the locked plan."""
    from biasprint.core.report.planned import planned_json
    from biasprint.core.runs.analysis_plan import analysis_plan, locked_studies, why_edited

    with open_to_look(file, look_anyway, "analysis-plan show") as project:
        studies = locked_studies(project)
        if study is None and len(studies) > 1:
            raise UsageError(f"Plans were locked for: {', '.join(studies)}.", hint="Say which: --study.")
        kind = study or next(iter(studies), "")
        locked = analysis_plan(project, kind) if kind else None
        rows = project.findings.all(kind) if locked else ()
    if locked is None:
        raise AppError(
            "No analysis plan was locked in this project.", hint="Write one: biasprint analysis-plan new FILE."
        )
    findings = [row.finding for row in rows]
    recipe = rows[-1].recipe if rows else None
    if as_json:
        answer = planned_json(locked, findings, recipe or {})
        print_json({"study": kind, "text": locked.last.text, **answer["planned"]})
    else:
        tell_plan(locked, findings, recipe)
        if not findings:
            say(locked.last.text.rstrip("\n"))
    if plan is not None and (why := why_edited(locked, plan)):
        complain(why)
        raise typer.Exit(1)


def tell_plan(plan: "StudyPlan", findings: "Sequence[Finding]", recipe: Mapping[str, Any] | None) -> None:
    """Say when a plan was locked, what came of each planned finding, and how many others there are."""
    from biasprint.core.report.planned import exploratory_sentence, planned_rows, state_sentences

    for sentence in state_sentences(plan, recipe):
        say(sentence)
    if findings:
        print_table(("planned", "estimate and interval", "p adjusted", "result"), planned_rows(plan, findings))
        say(exploratory_sentence(plan, findings))


def _only_study(project: "Project") -> str:
    kinds = [study.kind for study in project.studies.all()]
    if len(kinds) == 1:
        return kinds[0]
    if not kinds:
        raise AppError("This project has no study yet.", hint="Make prompts or import texts first, or say --study.")
    raise UsageError(f"This project has: {', '.join(kinds)}.", hint=f"Say which: --study {kinds[0]}.")
