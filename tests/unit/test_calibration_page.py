"""The page on calibration repeats rows of the table that `biasprint calibrate` writes: they are the same."""

import csv
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "calibration.md"
TABLE = ROOT / "docs" / "tables" / "calibration.csv"
ROW = re.compile(
    r"^\| `(?P<finding>[\w.]+)` (?P<label>\w+)(?: \((?P<dims>[^)]*)\))? \| (?P<n>\d+) \| (?P<shares>.+) \|$",
    re.MULTILINE,
)
PLANTED = {"none": "false_alarms", "small": "power", "medium": "power", "large": "power"}


def test_the_detection_rates_are_the_tables() -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        rates = {
            (row["finding"], row["label"], row["dims"], row["n"], row["planted"]): row for row in csv.DictReader(file)
        }
    rows = list(ROW.finditer(PAGE.read_text(encoding="utf-8")))
    assert len(rows) > 20
    for row in rows:
        key = (row["finding"], row["label"], row["dims"] or "", row["n"])
        expected = [f"{float(rates[*key, planted][column]):.0%}" for planted, column in PLANTED.items()]
        assert row["shares"].split(" | ") == expected, key
