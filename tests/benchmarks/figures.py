"""What a benchmark prints: a figure, the bound or the peer beside it, and their ratio; and the rows that it reports."""

import math
import platform
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from statistics import median

import psutil
from ratios import Ratio

reported: list[Ratio] = []  # rows for the table of docs/tables/benchmarks.md


@dataclass(frozen=True)
class Spread:
    """Several measurements of one thing: the middle, and how far they lie apart."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.values)

    def percentile(self, share: float) -> float:
        """The smallest value that at least this share of all values does not exceed (nearest rank)."""
        return sorted(self.values)[max(0, math.ceil(share * len(self.values)) - 1)]

    @property
    def p99(self) -> float:
        return self.percentile(0.99)

    @property
    def max(self) -> float:
        return max(self.values)

    def __str__(self) -> str:
        return f"{number(self.median)} ({number(min(self.values))} to {number(max(self.values))}, n={len(self.values)})"


def spread(values: Sequence[float]) -> Spread:
    return Spread(tuple(values))


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def title(text: str) -> None:
    print(f"\n\n{text}\n  {machine()}")


def figure(name: str, value: Spread | float, unit: str) -> None:
    shown = value if isinstance(value, Spread) else number(value)
    print(f"  {name:<58} {shown} {unit}")


def ratio(name: str, value: float, peer: float) -> None:
    print(f"  {name:<58} × {number(value / peer)}")


def report(row: Ratio) -> None:
    """Keep a row for the table, with the day and the machine, and print it."""
    reported.append(replace(row, machine=f"{date.today().isoformat()}, {processor()}, load {load()}"))
    print(f"  {reported[-1].line()}")


def at_most(name: str, value: float, bound: float, unit: str, row: str = "") -> None:
    """Print a figure as a share of its bound, and fail where it is above. `row`: its name in the table, if any."""
    if row:
        report(
            Ratio(
                row,
                f"{number(value)} {unit}",
                f"bound: at most {number(bound)} {unit}",
                bound / value if value else math.inf,
            )
        )
    print(f"  {name:<58} {number(value)} of at most {number(bound)} {unit} (× {value / bound:.2f})")
    assert value <= bound, f"{name}: {number(value)} {unit}, the bound is {number(bound)}"


def at_least(name: str, value: float, bound: float, unit: str, row: str = "") -> None:
    """Print a figure as a share of its bound, and fail where it is below. `row`: its name in the table, if any."""
    if row:
        report(Ratio(row, f"{number(value)} {unit}", f"bound: at least {number(bound)} {unit}", value / bound))
    print(f"  {name:<58} {number(value)} of at least {number(bound)} {unit} (× {value / bound:.2f})")
    assert value >= bound, f"{name}: {number(value)} {unit}, the bound is {number(bound)}"


def machine() -> str:
    loads = ", ".join(f"{one:.1f}" for one in psutil.getloadavg())
    python = platform.python_version()
    return f"{processor()}, {psutil.cpu_count()} cores, {platform.system()}; load {loads}; Python {python}"


def load() -> str:
    """Of the last minute: how many threads wanted a core."""
    return f"{psutil.getloadavg()[0]:.1f}"


def processor() -> str:
    about = Path("/proc/cpuinfo")
    lines = about.read_text("utf-8").splitlines() if about.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()
