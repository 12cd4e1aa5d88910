"""Decisions are short, numbered without gaps, and all in their index."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "contributing" / "decisions"
PAGES = sorted(page for page in FOLDER.glob("*.md") if page.name != "README.md")
INDEX = FOLDER / "README.md"
LONGEST = 25  # lines
PARTS = ("**Context.**", "**Decision.**", "**Consequences.**", "**Rejected.**")
READ = {".py", ".sql", ".toml"}
MENTIONED = re.compile(r"\bdecision (\d{4})\b")


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def test_decisions_are_numbered_from_one_without_a_gap() -> None:
    assert PAGES
    assert [page.name[:5] for page in PAGES] == [f"{number:04}-" for number in range(1, len(PAGES) + 1)]
    assert [text(page).split(". ")[0] for page in PAGES] == [f"# {number}" for number in range(1, len(PAGES) + 1)]


def test_a_decision_has_at_most_25_lines_and_all_four_parts() -> None:
    assert {page.name: len(text(page).splitlines()) for page in PAGES if len(text(page).splitlines()) > LONGEST} == {}
    assert {page.name for page in PAGES if not all(part in text(page) for part in PARTS)} == set()


def test_the_index_has_one_line_with_the_title_of_each_decision() -> None:
    titles = {page.name: text(page).splitlines()[0].partition(". ")[2] for page in PAGES}
    expected = [f"- [{name[:4]}]({name}) {title}" for name, title in titles.items()]
    assert [line for line in text(INDEX).splitlines() if line.startswith("- ")] == expected


def test_every_decision_that_the_program_names_exists() -> None:
    sources = [path for room in ("core", "desktop") for path in (ROOT / room).rglob("*") if path.suffix in READ]
    named = {
        number: path.relative_to(ROOT).as_posix()
        for path in [*sources, ROOT / "pyproject.toml", ROOT / "build.spec"]
        for number in MENTIONED.findall(text(path))
    }
    assert len(named) > 5
    assert {number: path for number, path in named.items() if int(number) not in range(1, len(PAGES) + 1)} == {}
