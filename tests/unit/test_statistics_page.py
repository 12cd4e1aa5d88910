"""The page on statistics repeats figures of the simulation tables: they are the same."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "statistics.md"
TABLES = ROOT / "docs" / "tables" / "statistics-simulations.md"
SIMULATED = re.compile(
    r"^\| .* \| [\d,]+ \| (?P<method>.*?) \| (?P<coverage>[\d.]*).*? \| (?P<alarms>[\d.]*).*? ?\|$", re.MULTILINE
)
SUMMARY = re.compile(
    r"^\| (?P<method>[^|]+) \| (?P<coverage>[\d.]+–[\d.]+|–) \| (?P<alarms>[\d.]+–[\d.]+|–) \|$", re.MULTILINE
)
WATCHED = re.compile(r"\| ([\d.]+)% \([^)]*\)(?: ▾)? \| ([\d.]+)% \([^)]*\) \|$", re.MULTILINE)


def ranges(column: str) -> dict[str, str]:
    """Return the lowest and the highest figure of each method over all designs."""
    figures: dict[str, list[float]] = {}
    for row in SIMULATED.finditer(TABLES.read_text(encoding="utf-8")):
        figures.setdefault(row["method"], []).extend([float(row[column])] if row[column] else [])
    return {method: f"{min(values)}–{max(values)}" if values else "–" for method, values in figures.items()}


def test_the_summary_has_the_ranges_of_the_simulation_tables() -> None:
    coverage, alarms = ranges("coverage"), ranges("alarms")
    summary = list(SUMMARY.finditer(PAGE.read_text(encoding="utf-8")))
    assert len(summary) > 30
    for row in summary:
        method = row["method"]
        assert (row["coverage"], row["alarms"]) == (coverage[method], alarms[method]), method


def test_the_range_of_live_bands_is_the_tables() -> None:
    rows = WATCHED.findall(TABLES.read_text(encoding="utf-8"))
    bands, intervals = ([float(row[side]) for row in rows] for side in (0, 1))
    text = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"In {len(rows)} simulated designs the bands held in {min(bands)} to {max(bands):.0f} % of sequences" in text
    assert f"ordinary 95 % intervals in {min(intervals)} to {max(intervals)} %" in text
