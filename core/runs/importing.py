"""Bringing a table of texts into a project.

Letters become sources; texts of the other studies become outputs of prompts that represent the ones that were asked.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from biasprint.core.errors import UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.studies.registry import studies, study
from biasprint.core.tables.rows import TableRead

NAME_SHOWN = 150  # characters of a file's name that say where a text came from


@dataclass(frozen=True)
class ImportResult:
    """The outcome of an import; `present` rows were there already from an earlier import of the same file."""

    table: TableRead
    added: int
    present: int


def check_importable(kind: str) -> None:
    """Raise `UsageError` for a study whose texts cannot be imported."""
    importable = [study_type.kind for study_type in studies().values() if study_type.imported]
    if kind not in importable:
        raise UsageError(f"“{kind}” has no import.", hint=f"Import is there for: {', '.join(importable)}.")


def import_table(
    ctx: JobContext, project: Project, study_id: int | None, kind: str, path: Path, table: TableRead
) -> ImportResult:
    """Store the usable rows of a table that was read from `path`.

    `study_id` None: in the project's study of this kind, which is added where there is none. A table that cannot be
    stored is refused before anything is.
    """
    check_importable(kind)
    origin = f"{path.name[:NAME_SHOWN]} {_digest(path)}"
    added = study(kind).store(ctx, project, study_id, origin, table)
    return ImportResult(table, added, len(table.rows) - added)


def _digest(path: Path) -> str:
    """The digest of a file, or of the digests of a folder's files."""
    if path.is_dir():
        parts = [f"{file.name} {_digest(file)}" for file in sorted(path.rglob("*")) if file.is_file()]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:12]
