"""docs/tables/papers-figures.md names every number of the papers, every figure, and only what exists."""

import re
from fnmatch import fnmatch
from pathlib import Path

import pytest

from biasprint.core.studies.registry import OWN

ROOT = Path(__file__).resolve().parents[4]
HEADINGS = {
    "news": "News articles", "completion": "Fill in the blank", "creativity": "Creative writing",
    "letters": "Reference letters",
}  # fmt: skip
# Counted in the papers: equations, figures, tables.
NUMBERED = {
    "news": {
        "Eq.": [*range(1, 10)], "Fig.": [*range(1, 11), "A.1", "A.2"], "Table": [*range(1, 5), "B.1", "B.2"],
    },
    "completion": {"Fig.": [*range(1, 4)], "Table": [*range(1, 11)]},
    "creativity": {"Eq.": [*range(1, 13)], "Fig.": [*range(1, 21)], "Table": [*range(1, 7)]},
    "letters": {"Eq.": [1], "Fig.": [1, 2], "Table": [*range(1, 19)]},
}  # fmt: skip
STUDIES = {study.kind: study for study in OWN}


def rows(kind: str) -> list[list[str]]:
    """The cells of a paper's table: number, what it shows, computed by, figure, remark."""
    page = (ROOT / "docs" / "tables" / "papers-figures.md").read_text(encoding="utf-8")
    (own,) = re.findall(rf"^## {HEADINGS[kind]}.*?(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    lines = [line for line in own.splitlines() if line.startswith("| ")][1:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    assert {len(one) for one in cells} == {5}
    return cells


def numbers(cell: str) -> list[str]:
    """ "Fig. 12–14" → Fig. 12, Fig. 13, Fig. 14; nothing for what has no number."""
    kind, _, asked = cell.partition(" ")
    if kind not in ("Eq.", "Fig.", "Table"):
        assert cell in ("not numbered", "beyond")
        return []
    first, _, last = asked.partition("–")
    return [f"{kind} {number}" for number in (range(int(first), int(last) + 1) if last else [first])]


def named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.mark.parametrize("kind", HEADINGS)
def test_every_number_of_the_paper_has_one_row(kind: str) -> None:
    wanted = [f"{what} {number}" for what, all_of_it in NUMBERED[kind].items() for number in all_of_it]
    assert sorted(number for row in rows(kind) for number in numbers(row[0])) == sorted(wanted)


@pytest.mark.parametrize("kind", HEADINGS)
def test_the_page_names_the_figures_of_the_study_and_no_other(kind: str) -> None:
    assert {key for row in rows(kind) for key in named(row[3])} == set(STUDIES[kind].figures)


@pytest.mark.parametrize("kind", HEADINGS)
def test_every_file_and_finding_that_the_page_names_is_there(kind: str) -> None:
    findings = STUDIES[kind].findings
    for row in rows(kind):
        for name in named(row[2]) + [one for one in named(row[4]) if "/" in one]:
            if "/" in name:
                assert (ROOT / name).is_file(), name
            else:
                assert any(fnmatch(name, pattern) for pattern in findings), name


@pytest.mark.parametrize("kind", HEADINGS)
def test_what_computes_nothing_says_why(kind: str) -> None:
    for number, _, computed, figure, remark in rows(kind):
        assert computed or figure or remark, number


@pytest.mark.parametrize("kind", HEADINGS)
def test_every_finding_of_the_study_stands_somewhere(kind: str) -> None:
    told = [name for row in rows(kind) for name in named(row[2])]
    for pattern in STUDIES[kind].findings:
        assert any(fnmatch(name, pattern) for name in told), pattern
