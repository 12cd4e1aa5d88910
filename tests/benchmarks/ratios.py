"""Figures as ratios to a peer or a bound within one run, and the part of docs/reference/benchmarks.md that is made of them."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

BEGIN, END = "<!-- ratios: begin, written by run.py bench -->", "<!-- ratios: end -->"
FEWEST = 5
WORSE = 0.2  # a ratio that fell by more than this share of the stored one is told
HEAD = "| what | ours | peer or bound | its figure | ours ahead by | n | same results | measured |"
CELLS = re.compile(r"(?<!\\)\|")


@dataclass(frozen=True)
class Ratio:
    """One row. `ratio` above 1: ours is ahead by so many times. `ours`, `theirs`: figures in words, with their unit.

    `same`: how far results were asserted to be equal; empty where the two do not measure the same.
    """

    name: str
    ours: str
    peer: str
    theirs: str
    ratio: float
    n: int
    same: str = ""
    measured: str = ""  # the day and the machine

    def line(self) -> str:
        cells = (
            self.name,
            self.ours,
            self.peer,
            self.theirs,
            f"{self.ratio:.3g}",
            str(self.n),
            self.same,
            self.measured,
        )
        return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"

    @classmethod
    def from_line(cls, line: str) -> "Ratio":
        cells = [cell.strip().replace("\\|", "|") for cell in CELLS.split(line)[1:-1]]
        name, ours, peer, theirs, ratio, n, same, measured = cells
        return cls(name, ours, peer, theirs, float(ratio.replace(",", "")), int(n), same, measured)


def measured_in_turn(
    work: Callable[[], Any], peer: Callable[[], Any], clock: Callable[[], float], rounds: int = FEWEST
) -> tuple[list[float], list[float], Any, Any]:
    """Seconds of each round of both, who goes first changing from round to round; and what each returned last."""
    if rounds < FEWEST:
        raise ValueError(f"a median of {rounds} rounds is none")
    spent: dict[bool, list[float]] = {True: [], False: []}
    found: dict[bool, Any] = {}
    for number in range(rounds):
        for ours in (True, False) if number % 2 else (False, True):
            began = clock()
            found[ours] = (work if ours else peer)()
            spent[ours].append(clock() - began)
    return spent[True], spent[False], found[True], found[False]


def faster(name: str, ours: Sequence[float], peer: str, theirs: Sequence[float], same: str = "") -> Ratio:
    """Of seconds: the median over rounds of theirs beside ours."""
    pairs = [other / own for own, other in zip(ours, theirs, strict=True)]
    return Ratio(name, seconds(median(ours)), peer, seconds(median(theirs)), median(pairs), len(pairs), same)


def more(name: str, ours: Sequence[float], peer: str, theirs: Sequence[float], unit: str, same: str = "") -> Ratio:
    """Of rates: the median over rounds of ours beside theirs."""
    pairs = [own / other for own, other in zip(ours, theirs, strict=True)]
    own, other = (f"{median(each):,.4g} {unit}" for each in (ours, theirs))
    return Ratio(name, own, peer, other, median(pairs), len(pairs), same)


def seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"


# ---- The page


def stored(page: str) -> dict[str, Ratio]:
    """By name, the rows that the page has; none where it has no such part."""
    if BEGIN not in page or END not in page:
        return {}
    lines = page[page.index(BEGIN) : page.index(END)].splitlines()
    rows = [Ratio.from_line(line) for line in lines if line.startswith("| ") and line != HEAD]
    return {row.name: row for row in rows}


def with_rows(page: str, rows: Iterable[Ratio]) -> str:
    """The page with these rows; those that were not measured this time stay as they were."""
    every = stored(page) | {row.name: row for row in rows}
    part = "\n".join(
        [BEGIN, "", HEAD, "|---|--:|---|--:|--:|--:|---|---|", *(row.line() for row in every.values()), "", END]
    )
    if BEGIN in page and END in page:
        return page[: page.index(BEGIN)] + part + page[page.index(END) + len(END) :]
    return f"{page.rstrip()}\n\n{part}\n"


def regressions(before: Mapping[str, Ratio], now: Iterable[Ratio]) -> list[str]:
    """A sentence for each ratio that is more than 20 % below the stored one."""
    worse = [row for row in now if row.name in before and row.ratio < (1 - WORSE) * before[row.name].ratio]
    was = [(row, before[row.name]) for row in worse]
    return [
        f"{row.name}: {row.ratio:.3g} times {row.peer}; it was {old.ratio:.3g} ({old.measured})" for row, old in was
    ]


def keep(path: Path, rows: Sequence[Ratio]) -> list[str]:
    """Write the rows into the page; what is to be said at the end."""
    page = path.read_text(encoding="utf-8")
    worse = regressions(stored(page), rows)
    path.write_text(with_rows(page, rows), encoding="utf-8", newline="\n")
    behind = [f"{row.name}: ours is behind {row.peer} ({row.ratio:.3g} times)" for row in rows if row.ratio < 1]
    told = [f"{len(rows)} ratios are in {path.name}."]
    told += [f"Behind: {len(behind)}.", *(f"  {line}" for line in behind)] if behind else []
    return told + (
        [f"More than {WORSE:.0%} worse than stored: {len(worse)}.", *(f"  {line}" for line in worse)] if worse else []
    )
