"""check and rescue: whether a project is what was stored, and what can be saved of one that is not."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from core.cli.console import job, new_path, print_json, print_table, say
from core.cli.project_commands import AsJson, File

if TYPE_CHECKING:
    from core.project.damaged import Problem

SHOWN = 200  # rows that a person is shown; the rest is in --json


def add_check_to(app: typer.Typer) -> None:
    for command in (check, rescue):
        app.command()(command)


def check(file: File, as_json: AsJson = False) -> None:
    """Check a project file: its structure, its references, and every row against the hash that was stored with it."""
    from core.project.backup import backups
    from core.project.check import check_project

    with job("Checking") as ctx:
        report = check_project(file, ctx)
    kept = [str(backup) for backup in backups(file)]
    if as_json:
        problems = _as_json(report.problems)
        print_json(
            {"file": str(file), "sound": report.sound, "rows": report.rows, "problems": problems, "backups": kept}
        )
    elif report.sound:
        say(f"{file} is sound: {_counted(report.rows)}.")
    else:
        _print(report.problems)
        say("The newest backups:" if kept else "There is no backup of it on this machine.")
        for backup in kept:
            say(f"  {backup}")
        say(f"“biasprint rescue {file.name} --out NEW.biasprint” saves what is sound.")
    if not report.sound:
        raise typer.Exit(1)


def rescue(
    file: File,
    out: Annotated[Path, typer.Option(help="The new project file to make.")],
    as_json: AsJson = False,
) -> None:
    """Save all that is sound of a damaged project in a new file, and list what was lost. The file is only read."""
    from core.project.rescue import rescue_project

    with job("Saving what is sound") as ctx:
        saved = rescue_project(file, new_path(out), ctx)
    if as_json:
        print_json({"file": str(file), "out": str(out), "rows": saved.saved, "lost": _as_json(saved.lost)})
        return
    say(f"Saved in {out}: {_counted(saved.saved) or 'nothing'}.")
    if saved.lost:
        _print(saved.lost)
    else:
        say("Nothing was lost.")


def _as_json(problems: "tuple[Problem, ...]") -> list[dict[str, Any]]:
    return [vars(problem) for problem in problems]


def _print(problems: "tuple[Problem, ...]") -> None:
    shown = [(problem.table, problem.key, problem.what) for problem in problems[:SHOWN]]
    print_table(("table", "row", "what"), shown)
    if len(problems) > SHOWN:
        say(f"and {len(problems) - SHOWN:,} more; --json lists them all.")


def _counted(rows: dict[str, int]) -> str:
    """The tables that have rows, in words."""
    return ", ".join(f"{count:,} of {table.replace('_', ' ')}" for table, count in rows.items() if count)
