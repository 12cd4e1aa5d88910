"""check, rescue and restore: whether a project is what was stored, what is saved of one that is not, its backups."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from biasprint.core.cli.console import job, named, new_path, print_json, print_table, say
from biasprint.core.cli.project_commands import AsJson, File
from biasprint.core.errors import UsageError

if TYPE_CHECKING:
    from biasprint.core.project.backup import Backup
    from biasprint.core.project.damaged import Problem
    from biasprint.core.project.restore import BackupContents

SHOWN = 200  # rows that a person is shown; the rest is in --json


def add_check_to(app: typer.Typer) -> None:
    for command in (check, rescue, restore):
        app.command()(command)


def check(file: File, as_json: AsJson = False) -> None:
    """Check a project file: its structure, its references, and every row against the hash that was stored with it."""
    from biasprint.core.project.backup import backups
    from biasprint.core.project.check import check_project

    with job("Checking") as ctx:
        report = check_project(file, ctx)
    backup_paths = [str(backup.path) for backup in backups(file)]
    if as_json:
        problems = _as_json(report.problems)
        print_json(
            {
                "file": str(file),
                "sound": report.sound,
                "rows": report.rows,
                "problems": problems,
                "backups": backup_paths,
            }
        )
    elif report.sound:
        say(f"{named(file)} is sound: {_counted(report.rows)}.")
    else:
        _print(report.problems)
        say("The newest backups:" if backup_paths else "There is no backup of it on this machine.")
        for backup in backup_paths:
            say(f"  {backup}")
        if backup_paths:
            say(
                f"“biasprint restore {named(file.name)} --list” says what each holds, and without --list puts one back."
            )
        say(f"“biasprint rescue {named(file.name)} --out NEW.biasprint” saves what is sound.")
    if not report.sound:
        raise typer.Exit(1)


def rescue(
    file: File,
    out: Annotated[Path, typer.Option(help="The new project file to make.")],
    as_json: AsJson = False,
) -> None:
    """Save all that is sound of a damaged project in a new file, and list what was lost. The file is only read."""
    from biasprint.core.project.rescue import rescue_project

    with job("Saving what is sound") as ctx:
        saved = rescue_project(file, new_path(out), ctx)
    if as_json:
        print_json({"file": str(file), "out": str(out), "rows": saved.saved, "lost": _as_json(saved.lost)})
        return
    say(f"Saved in {named(out)}: {_counted(saved.saved) or 'nothing'}.")
    if saved.lost:
        _print(saved.lost)
    else:
        say("Nothing was lost.")


def restore(
    file: File,
    list_: Annotated[bool, typer.Option("--list", help="Only say what each backup holds.")] = False,
    from_: Annotated[str, typer.Option("--from", metavar="BACKUP", help="Its number or name, or any file.")] = "",
    as_json: AsJson = False,
) -> None:
    """Put a backup, the newest sound one or another, in a project's place. What it replaces is kept beside it."""
    from biasprint.core.project.restore import choose, held, restore

    with job("Checking the backups") as ctx:
        contents = held(file, ctx)
    if list_ and from_:
        raise UsageError("“--list” only lists, and “--from” puts one back.", hint="Give one of the two.")
    if list_:
        _list(file, contents, as_json)
        return
    chosen = choose(file, from_)
    with job("Putting the backup back") as ctx:
        done = restore(file, chosen, ctx)
    if as_json:
        replaced = None if done.kept is None else str(done.kept)
        print_json({"file": str(file), "from": str(done.backup.path), "kept": replaced})
        return
    source = f"its backup {chosen.number} of {_when(chosen)}" if chosen.number else f"“{named(chosen.path.name)}”"
    say(f"{named(file)} is now as {source}.")
    if done.kept is not None:
        say(f"What it was is kept as “{named(done.kept)}”.")


def _list(file: Path, contents: "list[BackupContents]", as_json: bool) -> None:
    if as_json:
        print_json({"file": str(file), "backups": [_held_as_json(backup) for backup in contents]})
    elif not contents:
        say(f"There is no backup of {named(file)} on this machine.")
    else:
        columns = ("number", "made", "MB", "prompts", "outputs", "judgments", "state")
        print_table(columns, [_held_as_row(backup) for backup in contents], right=columns[:1] + columns[2:-1])


def _held_as_json(contents: "BackupContents") -> dict[str, Any]:
    backup = contents.backup
    made = None if backup.made is None else backup.made.isoformat()
    facts = {"number": backup.number, "made": made, "bytes": contents.size, "state": str(backup.state)}
    return {**facts, "rows": contents.rows, "path": str(backup.path)}


def _held_as_row(backup: "BackupContents") -> tuple[str, ...]:
    rows = ["?"] * 3 if backup.rows is None else [f"{count:,}" for count in backup.rows.values()]
    return (
        str(backup.backup.number),
        _when(backup.backup),
        f"{backup.size / 1e6:.1f}",
        *rows,
        str(backup.backup.state),
    )


def _when(backup: "Backup") -> str:
    """Return the time of a backup in the reader's time zone."""
    return "an unknown time" if backup.made is None else f"{backup.made.astimezone():%Y-%m-%d %H:%M:%S}"


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
