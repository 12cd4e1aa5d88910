"""Benchmarks share one home folder for the program and one folder for large projects, on the disk under test."""

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
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


# ---- Ratios that are kept in the page

MEASURED = pytest.StashKey[list]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--ratios", type=Path, default=None, help="The page that keeps ratios to peers and bounds.")


@pytest.fixture
def record(request: pytest.FixtureRequest) -> "Callable[[Ratio], None]":
    """Keeps a row for the page, with the day and the machine, and prints it."""
    rows = request.config.stash.setdefault(MEASURED, [])

    def keep_row(row: "Ratio") -> None:
        rows.append(replace(row, measured=f"{date.today().isoformat()}, {processor()}, load {load()}"))
        print(f"  {rows[-1].line()}")

    return keep_row


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    path, rows = config.getoption("--ratios", default=None), config.stash.get(MEASURED, [])
    if path is not None and rows:
        terminalreporter.section("ratios")
        for line in keep(path, rows):
            terminalreporter.write_line(line)


from figures import load, processor  # noqa: E402  (beside this file, which the path is told of above)
from ratios import Ratio, keep  # noqa: E402
