"""Writes docs/tables/conformance.md from how the tests of tests/trust/conformance.toml end.

`python docs/make_conformance.py` runs them; with JUnit files as arguments it reads how they ended there. The page has
the form of a VPAT 2.5, and says of a criterion only what a test showed.
"""

import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
ROWS = ROOT / "tests" / "trust" / "conformance.toml"
PAGE = ROOT / "docs" / "tables" / "conformance.md"
Outcomes = Mapping[str, bool]  # by the key of [tests]: whether all of them ran and passed; absent where one did not run

HEAD = """# Accessibility conformance report

In the form of a VPAT 2.5, international edition: WCAG 2.2 at levels A and AA, EN 301 549, and the revised Section 508
standards, for the desktop program on Linux. Written by `python docs/make_conformance.py` on {day} from how
{passed} of {all} groups of tests ended.

“Supports”: every test of the criterion passed, or a look that is named below found it met. “Partially Supports”: so
too, and the remark names what is missing. “Does Not Support”: one failed, or it is known not to be met. “Not
Evaluated”: nothing shows it, or a test did not run. No person with a disability has tried the program for this report.

{counts}
"""


def main(files: Iterable[str]) -> None:
    """Write the page, from JUnit files or from tests that are run now."""
    rows = tomllib.loads(ROWS.read_text("utf-8"))
    reports = [Path(file) for file in files] or [run(rows["tests"])]
    PAGE.write_text(page(rows, outcomes(rows["tests"], reports)), "utf-8")
    print(PAGE.relative_to(ROOT))


def run(tests: Mapping[str, list[str]]) -> Path:
    """Run the tests, and return the file of how they ended."""
    report = Path(tempfile.mkdtemp(prefix="biasprint-")) / "junit.xml"
    names = sorted({name for group in tests.values() for name in group})
    asked = ["-q", "-m", "soak or not soak", f"--junitxml={report}", *names]
    subprocess.run([sys.executable, "-m", "pytest", *asked], cwd=ROOT, check=False)
    return report


def outcomes(tests: Mapping[str, list[str]], reports: Iterable[Path]) -> Outcomes:
    """Return how the groups of tests ended."""
    ended: dict[str, list[bool | None]] = {}
    for report in reports:
        for case in ElementTree.parse(report).iter("testcase"):
            kinds = {child.tag for child in case}
            passed = None if "skipped" in kinds else not kinds & {"failure", "error"}
            file = case.get("classname", "").replace(".", "/") + ".py"
            name = case.get("name", "").partition("[")[0]
            for key in (file, f"{file}::{name}"):
                ended.setdefault(key, []).append(passed)
    found = {}
    for key, names in tests.items():
        results = [result for name in names for result in ended.get(name, [None])]
        if False in results or None not in results:
            found[key] = False not in results
    return found


def verdict(row: Mapping[str, Any], ended: Outcomes) -> tuple[str, str]:
    """Return what is said of a criterion, and the remark."""
    if why := row.get("absent"):
        return "Not Applicable", why
    if why := row.get("fails"):
        return "Does Not Support", why
    by, looks = row.get("by", []), row.get("look", [])
    if failed := [key for key in by if ended.get(key) is False]:
        return "Does Not Support", f"Failed: {', '.join(failed)}."
    if not by + looks or any(key not in ended for key in by):
        return "Not Evaluated", ""
    told = ("Shown by the tests: ", by), ("Looked at: ", looks)
    shown = " ".join(f"{how}{', '.join(keys)}." for how, keys in told if keys)
    return ("Partially Supports", f"{row['limit']} {shown}") if "limit" in row else ("Supports", shown)


def page(rows: Mapping[str, Any], ended: Outcomes) -> str:
    """Return the whole page."""
    tables = [
        *((f"WCAG 2.2, level {level}", found) for level, found in rows["wcag"].items()),
        *((f"EN 301 549, {title}", found) for title, found in rows["en301549"].items()),
        *((f"Section 508, {title}", found) for title, found in rows["section508"].items()),
    ]
    said = {title: {name: verdict(row, ended) for name, row in found.items()} for title, found in tables}
    counted = Counter(verdict for found in said.values() for verdict, _ in found.values())
    counts = "; ".join(f"{word}: {count}" for word, count in counted.most_common()) + "."
    passed = sum(ended.values())
    parts = [HEAD.format(day=date.today().isoformat(), passed=passed, all=len(rows["tests"]), counts=counts)]
    for title, found in said.items():
        parts.append(f"## {title}\n\n| criterion | conformance | remarks |\n|---|---|---|")
        parts.append("\n".join(f"| {name} | {word} | {remark} |" for name, (word, remark) in found.items()) + "\n")
    parts.append("## Groups of tests\n\n| group | tests | ended |\n|---|---|---|")
    for key, names in rows["tests"].items():
        how = {True: "passed", False: "failed", None: "not run"}[ended.get(key)]
        parts.append(f"| {key} | {'; '.join(f'`{name}`' for name in names)} | {how} |")
    parts.append("\n## Looks\n\n| look | when, by whom, at what |\n|---|---|")
    parts += [f"| {key} | {what} |" for key, what in rows["looks"].items()]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
