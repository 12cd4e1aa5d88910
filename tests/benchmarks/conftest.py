"""Benchmarks share one home folder for the program and one folder for large projects, on the disk under test."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = str(Path(__file__).parent)
OWN_HOME = Path(os.environ.get("BIASPRINT_HOME", ""))  # of whoever measures
if HERE not in sys.path:
    sys.path.insert(0, HERE)


@pytest.fixture(scope="session", autouse=True)
def bench_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The program's own folder: one for all, so that a project closed here is known when it is opened again."""
    home = tmp_path_factory.mktemp("bench-home")
    bring_models(home)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIASPRINT_HOME", str(home))
        yield home
    shutil.rmtree(home / "backups", ignore_errors=True)  # copies of large projects


def bring_models(home: Path) -> None:
    """Have the models of whoever measures in the benchmarks' home too, if BIASPRINT_HOME names theirs."""
    if not OWN_HOME.is_absolute() or not (OWN_HOME / "models").is_dir():
        return
    (home / "models").symlink_to(OWN_HOME / "models")
    for records in ("records.json", "hashes.json"):
        shutil.copy(OWN_HOME / records, home / records)


# ---- The table of the page


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--ratios", type=Path, default=None, help="The page whose table the measured ratios are written to."
    )


@pytest.fixture
def record() -> "Callable[[Ratio], None]":
    """Report a row of the page's table."""
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    path = config.getoption("--ratios", default=None)
    if path is not None and reported:
        terminalreporter.section("ratios")
        for line in keep(path, reported):
            terminalreporter.write_line(line)


from figures import report, reported  # noqa: E402  (beside this file, which the path is told of above)
from ratios import Ratio, keep  # noqa: E402
