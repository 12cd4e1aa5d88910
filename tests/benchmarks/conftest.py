"""Benchmarks share one home folder for the program and one folder for large projects, on the disk under test."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)


@pytest.fixture(scope="session", autouse=True)
def bench_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The program's own folder: one for all, so that a project closed here is known when it is opened again."""
    home = tmp_path_factory.mktemp("bench-home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIASPRINT_HOME", str(home))
        yield home
    shutil.rmtree(home / "backups", ignore_errors=True)  # copies of large projects
