"""Where a project's backups are."""

from pathlib import Path

from core.machine.home import home
from core.text import sha256_text


def backup_folder(project: Path) -> Path:
    """The folder of a project's backups, by the place the project is at."""
    real = project.resolve()
    return home() / "backups" / f"{real.stem}-{sha256_text(str(real))[:10]}"
