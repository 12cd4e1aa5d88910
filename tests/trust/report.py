"""The rows of the page, how their tests ended, and the page."""

import json
import platform
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal, Protocol

ROWS = Path(__file__).with_name("rows.toml")
MOST_NAMED = 2  # tests that were not run, in a row
FIGURE, DONE = "figure", "done"  # of a test's user properties
Verdict = Literal["held", "held so far", "held in part", "MISSED", "not measured"]


class Figure(Protocol):
    """The fixture by which a test tells what it measured. `done`: how many of what its row counts, such as kills."""

    def __call__(self, said: str, done: int = 0) -> None: ...


@dataclass(frozen=True)
class Ended:
    """One test that was run. `outcome`: passed, failed or skipped; `why`: of one that was skipped."""

    test: str
    outcome: str
    figures: tuple[str, ...] = ()
    why: str = ""
    seconds: float = 0.0
    done: int = 0

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, line: str) -> "Ended":
        found = json.loads(line)
        return cls(**{**found, "figures": tuple(found["figures"])})


@dataclass(frozen=True)
class Row:
    """Something that must never go wrong. `tests`: ids, or their beginnings. `open`: what no test shows yet.

    `wanted`: how many `counted` (such as kills) it takes until it is held; 0 where nothing is counted.
    """

    threat: str
    required: str
    tests: tuple[str, ...] = ()
    open: str = ""
    wanted: int = 0
    counted: str = ""

    def has(self, test: str) -> bool:
        return any(matches(test, one) for one in self.tests)


@dataclass
class RowResult:
    """A row with its tests as they ended."""

    row: Row
    ended: list[Ended] = field(default_factory=list)

    @property
    def verdict(self) -> Verdict:
        if any(one.outcome == "failed" for one in self.ended):
            return "MISSED"
        passed = [one.test for one in self.ended if one.outcome == "passed"]
        if not passed:
            return "not measured"
        whole = all(one.outcome == "passed" for one in self.ended)
        shown = whole and all(any(matches(test, one) for test in passed) for one in self.row.tests)
        if not shown or self.row.open:
            return "held in part"
        return "held" if self.done >= self.row.wanted else "held so far"

    @property
    def done(self) -> int:
        return sum(one.done for one in self.ended if one.outcome == "passed")

    @property
    def told(self) -> str:
        """The verdict, with what was done of what is required."""
        counted = f" ({self.done:,} of {self.row.wanted:,} {self.row.counted})" if self.row.wanted else ""
        return f"**{self.verdict}**{counted if self.verdict.startswith('held') else ''}"

    @property
    def said(self) -> str:
        """What was measured, in words."""
        passed = sum(one.outcome == "passed" for one in self.ended)
        failed = [f"failed: {_short(one.test)}" for one in self.ended if one.outcome == "failed"]
        skipped = [f"not run: {_short(one.test)} ({one.why})" for one in self.ended if one.outcome == "skipped"]
        if len(skipped) > MOST_NAMED:
            skipped = [*skipped[:MOST_NAMED], f"and {len(skipped) - MOST_NAMED} more not run"]
        count = [f"{passed} of {len(self.ended)} tests passed"] if self.ended else []
        figures = list(dict.fromkeys(figure for one in self.ended for figure in one.figures))
        still = [f"open: {self.row.open}"] if self.row.open else []
        return "; ".join(figures + count + failed + skipped + still)


def matches(test: str, wanted: str) -> bool:
    """Whether a test's id is the wanted one, one of its cases, or in the wanted file."""
    return test == wanted or test.startswith((f"{wanted}[", f"{wanted}::"))


def rows() -> tuple[Row, ...]:
    found = tomllib.loads(ROWS.read_text(encoding="utf-8"))["row"]
    return tuple(Row(**{**each, "tests": tuple(each.get("tests", ()))}) for each in found)


def results(ended: Iterable[Ended], of: Iterable[Row]) -> list[RowResult]:
    every = list(ended)
    return [RowResult(row, [one for one in every if row.has(one.test)]) for row in of]


def page(found: Iterable[RowResult], about: dict[str, Any]) -> str:
    """The page in Markdown. `about`: how the run was made."""
    return "\n".join([*_head(about), *map(_line, found), ""])


def _head(about: dict[str, Any]) -> Iterator[str]:
    form = "the short form, without the tests that take hours" if about["short"] else "the whole of it"
    yield from (
        "# Trust table: what must never go wrong, and what was measured",
        "",
        "Written by `python run.py soak`. “Held”: every test of the row passed, and as much was tried as is required.",
        "“Held so far”: all that was tried was held, but less was tried than is required. “Held in part”: what ran",
        "passed, but something did not run, or no test shows it yet. “Not measured”: nothing ran. A row that is MISSED",
        "ends the command with an error.",
        "",
        f"This run: {date.today().isoformat()}, {form}; {about['tests']} tests, which took "
        f"{about['minutes']:.0f} minutes, on {platform.system()}, Python {platform.python_version()}.",
        f"Damaged inputs: {about['fuzz_seconds']:.0f} s for each kind, from seed {about['fuzz_seed']}.",
        "",
        "| what could go wrong | required | measured | verdict |",
        "|---|---|---|---|",
    )


def _line(found: RowResult) -> str:
    cells = (found.row.threat, found.row.required, found.said or "nothing", found.told)
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _short(test: str) -> str:
    return test.rpartition("::")[2] or test
