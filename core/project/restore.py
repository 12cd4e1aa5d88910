"""Putting a backup back in a project's place. What it replaces is kept beside it, whatever state it is in."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from biasprint.core.errors import AppError, UsageError
from biasprint.core.given import ordinary_file
from biasprint.core.jobs import JobContext
from biasprint.core.machine.storage import put_in_place, remove_for_good
from biasprint.core.project import gate
from biasprint.core.project.backup import Backup, State, backups, problems_of, same_backup
from biasprint.core.project.connection import FileDamaged, connect
from biasprint.core.project.copies import free_name, has_journal, roll_back, whole_part
from biasprint.core.project.drives import journal_of, lacking
from biasprint.core.project.lock import ProjectLock
from biasprint.core.project.working_copy import refuse_where_worked_on

COUNTED = ("prompt", "output", "judgment")


@dataclass(frozen=True)
class BackupContents:
    """A backup and what it holds: its size, and rows by table, None where they cannot be counted."""

    backup: Backup
    size: int
    rows: dict[str, int] | None


@dataclass(frozen=True)
class Restored:
    """The result of restoring. `kept`: where the previous project is now; None where there was none."""

    backup: Backup
    kept: Path | None


def held(project: Path, ctx: JobContext) -> list[BackupContents]:
    """Return the backups of a project, newest first, each with what it holds; what nobody checked yet is
    checked now.
    """
    held_backups = []
    for backup in backups(project):
        try:
            held_backups.append(_contents_of(backup, ctx))
        except FileNotFoundError:
            held_backups.append(_contents_of(_as_it_is_now(project, backup), ctx))
    return held_backups


def choose(project: Path, name: str = "") -> Backup:
    """Return the backup of that number or file name, or any other file; without one the newest that is not known as
    damaged.

    Raises `AppError` where there is none.
    """
    present = backups(project)
    if not name:
        newest = next((backup for backup in present if backup.state is not State.DAMAGED), None)
        if newest is None:
            raise AppError(
                f"There is no sound backup of “{project.name}” on this machine.",
                kept="Nothing was changed.",
                hint=f"Save what is sound of the project itself: {gate.RESCUE}" if project.exists() else "",
            )
        return newest
    for backup in present:
        if same_backup(backup, name) or (name.isdigit() and int(name) == backup.number):
            return backup
    if Path(name).is_file():  # a backup of another machine, or of a place where the project was before
        return Backup(Path(name), 0, None, "0", State.UNCHECKED)
    raise UsageError(
        f"“{project.name}” has no backup “{name}”.",
        kept="Nothing was changed.",
        hint=f"“biasprint restore {project.name} --list” lists them.",
    )


def restore(project: Path, backup: Backup, ctx: JobContext | None = None) -> Restored:
    """Put a backup, which is checked first, in the project's place; what was there is kept beside it.

    Raises `ProjectInUse` where it is open, `FileDamaged` where the backup is not sound.
    """
    project = project.resolve()
    ctx = ctx or JobContext()
    backup = _as_it_is_now(project, backup)
    if problems := problems_of(backup, ctx):
        raise FileDamaged(
            f"The backup “{backup.path.name}” is damaged, and was not put back.",
            kept="The project is as it was.",
            hint="Choose another backup, or save what is sound of this one with “biasprint rescue”.",
            details="\n".join(f"{problem.table} {problem.key} {problem.what}" for problem in problems[:5]),
        )
    project.parent.mkdir(parents=True, exist_ok=True)
    refuse_where_worked_on(project)
    try:
        lock = None if lacking(project.parent) else ProjectLock.acquire(project)
        try:
            with whole_part(backup.path, project) as part:
                ctx.check()
                copy = _set_aside(project, backup)
                # Its journal has been kept with it: beside another file it would be played into that.
                remove_for_good(journal_of(project))
                put_in_place(part, project)
            gate.remember(project)
        finally:
            if lock is not None:
                lock.release()
    except OSError as error:
        raise AppError(
            f"“{project.name}” could not be put back from its backup.",
            kept="The project and its backups are as they were.",
            hint="Free some space, or see to it that you may write there, and try again.",
            details=str(error),
        ) from error
    return Restored(backup, copy)


def _as_it_is_now(project: Path, backup: Backup) -> Backup:
    """Return the same backup, by the name that it may have got since it was listed."""
    if backup.path.exists():
        return backup
    for other in backups(project):
        if other.number == backup.number and backup.number:
            return other
    raise AppError(
        f"The backup “{backup.path.name}” is not there any more.", kept="Nothing was changed.", hint="List them again."
    )


def _contents_of(backup: Backup, ctx: JobContext) -> BackupContents:
    ctx.check()
    if backup.state is State.UNCHECKED:
        state = State.DAMAGED if problems_of(backup, ctx) else State.SOUND
        with suppress(OSError):  # a data folder that may not be written to, or Windows while it is read elsewhere
            backup = backup.renamed(state)
        backup = replace(backup, state=state)
    return BackupContents(backup, backup.path.stat().st_size, _counted(backup.path))


def _counted(path: Path) -> dict[str, int] | None:
    try:
        with closing(connect(path, writable=False)) as connection:
            return {
                table: int(connection.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0]) for table in COUNTED
            }
    except (sqlite3.Error, AppError):
        return None


def _set_aside(project: Path, backup: Backup) -> Path | None:
    """Keep the file that is there, under another name, while it stays where it is too."""
    try:
        ordinary_file(project)
    except FileNotFoundError:
        return None
    with suppress(AppError, OSError):
        if has_journal(project) and not lacking(project.parent):
            roll_back(project)
    when = f" {backup.made.astimezone():%Y-%m-%d %H-%M}" if backup.made is not None else ""
    target = free_name(project, f"before restoring{when}")
    _either(os.link, shutil.copyfile)(project, target)
    if os.path.lexists(journal_of(project)):
        _either(os.link, shutil.copyfile)(journal_of(project), journal_of(target))
    return target


def _either(first: Callable[[Path, Path], object], second: Callable[[Path, Path], object]) -> Callable[..., object]:
    """Return the first way, or the second where a drive does not know it."""

    def do(source: Path, target: Path) -> object:
        try:
            return first(source, target)
        except OSError:
            return second(source, target)

    return do
