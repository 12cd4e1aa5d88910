"""Opening what the person named: a project to change, a project to read, or a table."""

from collections.abc import Collection, Sequence
from pathlib import Path

from core.cli.answers import note
from core.errors import UsageError
from core.project.failures import NotSaved
from core.project.lock import ProjectInUse
from core.project.project import Project

PROJECT = ".biasprint"
PAGES = (".html", ".htm")


def is_project(path: Path) -> bool:
    """By its name: a project is always called that."""
    return path.suffix.lower() == PROJECT


def open_for_writing(path: Path) -> Project:
    """The project, or a plain refusal where it cannot be written to, or is a packet: another row would spoil it."""
    from core.judging.packets.inside import packet_info

    project = Project.open(path)
    if packet_info(project) is not None:
        project.close()
        raise UsageError(
            f"“{path.name}” is a packet: it is rated in the window, and nothing else is written to it.",
            hint=f"Rate it with “biasprint gui {path.name}”, or name the project that it was made from.",
        )
    if project.read_only:
        why = project.read_only
        project.close()
        raise NotSaved(why, kept="Nothing was changed.", hint="Copy it to a folder that you may write to.")
    return project


def open_for_measuring(path: Path) -> Project:
    """The project, read-only where another window is writing to it: measuring needs no more."""
    try:
        project = Project.open(path)
    except ProjectInUse as error:
        note(f"{error.message} It is read here; findings are not stored in it.")
        return Project.open(path, read_only=True)
    if project.read_only:
        note(f"{project.read_only} Findings are not stored in it.")
    return project


def check_target(target: Path, endings: Collection[str], sources: Sequence[Path] = ()) -> None:
    """Raise `UsageError`, before any work, for a file that has none of the endings or is one of the `sources`."""
    if target.suffix.lower() not in endings:
        raise UsageError(f"“{target.name}” has no ending to write to.", hint=f"Endings: {', '.join(endings)}.")
    if target.exists() and any(source.exists() and target.samefile(source) for source in sources):
        raise UsageError(f"“{target.name}” would take the place of what it is made from.", hint="Name another file.")


def new_path(path: Path) -> Path:
    if not is_project(path):
        raise UsageError(f"A project file ends in {PROJECT}.", hint=f"For example: {path.with_suffix(PROJECT).name}")
    return path
