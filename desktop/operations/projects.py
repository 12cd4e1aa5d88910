"""Making, opening, copying and closing a project."""

from pathlib import Path
from typing import TYPE_CHECKING

from core.jobs import JobContext
from desktop.operations.base import Operation
from desktop.widgets.words import tr

if TYPE_CHECKING:
    from core.project.project import Project

OPENING_SHOWN_AFTER_MILLISECONDS = 2_000  # whoever opens a project waits for it anyway: no need to say so at once


def open_project(*, path: Path, read_only: bool = False) -> "Operation[Project]":
    """Open a project file; upgraded, checked and locked as the store does."""

    def work(ctx: JobContext) -> "Project":
        from core.project.project import Project  # the store is imported here, off the window's thread

        return Project.open(path, read_only=read_only)

    title = tr("Opening “{name}”").format(name=path.name)
    return Operation(title, work, shown_after=OPENING_SHOWN_AFTER_MILLISECONDS)


def create_project(*, path: Path) -> "Operation[Project]":
    """Make a new, empty project file. A file that is there is never overwritten."""

    def work(ctx: JobContext) -> "Project":
        from core.project.project import Project

        return Project.create(path)

    title = tr("Making “{name}”").format(name=path.name)
    return Operation(title, work, shown_after=OPENING_SHOWN_AFTER_MILLISECONDS)


def save_copy(*, project: "Project", target: Path) -> Operation[Path]:
    """Write a whole copy of the project elsewhere."""
    return Operation(
        tr("Saving a copy as “{name}”").format(name=target.name),
        lambda ctx: project.save_copy(target),
        done_text=lambda path: tr("A copy was saved as “{name}”.").format(name=path.name),
    )


def close_project(*, project: "Project") -> Operation[None]:
    """Finish what is being written and let go of the file."""
    return Operation(tr("Closing the project"), lambda ctx: project.close(), quiet=True)
