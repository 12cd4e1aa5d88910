"""The part of pytest: which tests show a row, how they ended, and the verdicts behind them."""

import time
from pathlib import Path
from typing import Any

import pytest

from trust.report import DONE, FIGURE, Ended, Figure, page, results, rows

OPTIONS: dict[str, dict[str, Any]] = {
    "--trust": {"type": Path, "metavar": "FILE", "help": "run what shows that nothing goes wrong; write the page"},
    "--short": {"action": "store_true", "help": "with --trust: leave out what takes long and has no budget"},
    "--goes-on": {"type": Path, "metavar": "FILE", "help": "keep how tests ended there, and do not run those again"},
    "--fuzz-seconds": {"type": float, "default": 60.0, "help": "for each kind of damaged input"},
    "--fuzz-seed": {"type": int, "default": int(time.time()), "help": "of the first damaged input of each kind"},
}


def add_options(parser: pytest.Parser) -> None:
    for name, how in OPTIONS.items():
        parser.addoption(name, **how)


@pytest.fixture
def figure(request: pytest.FixtureRequest) -> Figure:
    """Tells what the test measured, and how many of what its row wants so many of."""

    def tell(said: str, done: int = 0) -> None:
        request.node.user_properties += [(FIGURE, said), (DONE, done)]

    return tell


class TrustReport:
    """Chooses the tests of the rows, and reports on them."""

    def __init__(self, config: pytest.Config) -> None:
        self._options = config.option
        self._rows = rows()
        self._ended: dict[str, Ended] = {}
        self._is_worker = hasattr(config, "workerinput")  # of several test processes, the first hears of all
        self._kept: Path | None = config.option.goes_on
        if self._kept is not None and self._kept.exists():
            lines = self._kept.read_text(encoding="utf-8").splitlines()
            self._ended = {one.test: one for one in map(Ended.from_json, lines)}
        self._before = frozenset(self._ended)
        self._due: list[str] = []

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if self._is_chosen(item)]
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen
        self._due = [item.nodeid for item in chosen]

    def _is_chosen(self, item: pytest.Item) -> bool:
        if item.nodeid in self._before:
            return False
        soak = item.get_closest_marker("soak")
        if soak is not None:
            return not self._options.short or bool(soak.kwargs.get("budgeted"))
        return any(row.has(item.nodeid) for row in self._rows)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.passed:
            return
        figures = tuple(str(value) for name, value in report.user_properties if name == FIGURE)
        done = sum(int(str(value)) for name, value in report.user_properties if name == DONE)
        why = str(report.longrepr[2]) if report.skipped and isinstance(report.longrepr, tuple) else ""
        before = self._ended.get(report.nodeid)
        if before is None or before.outcome != "failed":  # a failure in the tear-down counts too
            self._ended[report.nodeid] = ended = Ended(
                report.nodeid, report.outcome, figures, why.removeprefix("Skipped: "), report.duration, done
            )
            self._keep(ended)

    def _keep(self, ended: Ended) -> None:
        if self._kept is not None and not self._is_worker:
            with self._kept.open("a", encoding="utf-8") as stream:
                stream.write(ended.to_json() + "\n")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        stopped = [Ended(test, "skipped", why="stopped before") for test in self._due if test not in self._ended]
        found = results([*self._ended.values(), *stopped], self._rows)
        terminalreporter.section("what must never go wrong")
        for one in found:
            terminalreporter.line(f"{one.verdict:13} {one.row.threat}: {one.said or 'nothing was run'}")
        minutes = sum(one.seconds for one in self._ended.values()) / 60
        about = {
            "short": self._options.short, "tests": len(self._ended), "minutes": minutes,
            "fuzz_seconds": self._options.fuzz_seconds, "fuzz_seed": self._options.fuzz_seed,
        }  # fmt: skip
        self._options.trust.write_text(page(found, about), encoding="utf-8")
        terminalreporter.line(f"Written to {self._options.trust}.")
