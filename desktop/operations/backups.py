"""The backups of a project: what each holds, and one put back in its place."""

from pathlib import Path
from typing import TYPE_CHECKING

from biasprint.core.jobs import JobContext
from biasprint.desktop.operations import Operation
from biasprint.desktop.widgets.words import tr

if TYPE_CHECKING:
    from biasprint.core.project.backup import Backup
    from biasprint.core.project.restore import BackupContents, Restored


def see_backups(*, project: Path) -> "Operation[list[BackupContents]]":
    """Those on this machine, newest first; what was not checked yet is checked."""

    def work(ctx: JobContext) -> "list[BackupContents]":
        from biasprint.core.project.restore import held

        return held(project, ctx)

    return Operation(tr("Checking the backups"), work)


def put_back(*, project: Path, backup: "Backup") -> "Operation[Restored]":
    """One of them in the place of the project, which is not open; what was there is kept beside it."""

    def work(ctx: JobContext) -> "Restored":
        from biasprint.core.project.restore import restore

        return restore(project, backup, ctx)

    return Operation(tr("Putting the backup back"), work)
