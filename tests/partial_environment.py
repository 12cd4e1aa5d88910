"""An environment that has only some parts of the program: the real packages, linked from the one the tests run in."""

import sys
import venv
from pathlib import Path

from biasprint.core.machine.installation import parts, state


class PartialEnvironment:
    """`site` is where its packages lie, `full` where those of the tests' own environment do."""

    def __init__(self, prefix: Path, full: Path) -> None:
        self.prefix, self.full = prefix, full
        if not prefix.exists():
            venv.create(prefix, symlinks=True)
        self.python = prefix / "bin" / "python"
        (self.site,) = prefix.glob("lib/python*/site-packages")

    def add(self, *ids: str) -> None:
        """Put in what these parts need, as pip would."""
        installed = state.InstalledPackages([str(self.full)])
        for part in parts():
            if part.id in ids:
                folders = state.examined(part, installed)
                assert folders is not None, f"the tests' own environment lacks “{part.title}”"
                for folder in folders:
                    self._link(folder)

    def _link(self, folder: str) -> None:
        record = (self.full / folder / "RECORD").read_text(encoding="utf-8")
        for name in {line.partition("/")[0].partition(",")[0] for line in record.splitlines()}:
            link = self.site / name
            if name not in ("", "..", "__pycache__", "bin") and not link.is_symlink():
                link.symlink_to(self.full / name)


def full_site() -> Path:
    return next(Path(entry) for entry in sys.path if (Path(entry) / "PySide6").is_dir())
