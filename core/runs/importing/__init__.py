"""Bringing a table of texts into a project. Each study has a module here with `store(ctx, project, study_id, …)`."""

import hashlib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from core.errors import UsageError
from core.jobs import JobContext
from core.project.project import Project
from core.tables.rows import TableRead

NAME_SHOWN = 150  # characters of a file's name that say where a text came from
IMPORTABLE = ("news", "completion", "creativity", "letters")


@dataclass(frozen=True)
class ImportResult:
    """What was read and stored; `present` rows were there already from an earlier import of the same file."""

    table: TableRead
    added: int
    present: int


def check_importable(kind: str) -> None:
    """Raise `UsageError` for a study whose texts cannot be imported."""
    if kind not in IMPORTABLE:
        raise UsageError(f"“{kind}” has no import.", hint=f"Import is there for: {', '.join(IMPORTABLE)}.")


def import_table(
    ctx: JobContext, project: Project, study_id: int | None, kind: str, path: Path, table: TableRead
) -> ImportResult:
    """Store the usable rows of a table that was read from `path`.

    `study_id` None: in the project's study of this kind, which is added where there is none. A table that cannot be
    stored is refused before anything is.
    """
    check_importable(kind)
    origin = f"{path.name[:NAME_SHOWN]} {_digest(path)}"
    store = import_module(f"core.runs.importing.{kind}").store
    added = store(ctx, project, study_id, origin, table)
    return ImportResult(table, added, len(table.rows) - added)


def _digest(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:12]
