"""README and docs: links lead somewhere, named paths are there, and reference pages say what the program declares."""

import re
from collections.abc import Sequence
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from runpy import run_path

import pytest
from docs_pages import DOCS, ROOT, name_of, pages
from PIL import Image

import biasprint
from biasprint.core.backends.registry import known
from biasprint.core.findings import Finding
from biasprint.core.project.schema import migration_text
from biasprint.core.scorers.registry import describe
from biasprint.core.studies.registry import studies
from biasprint.core.texts.exporting import FINDING, JUDGMENT, JUDGMENT_END, OUTPUT, OUTPUT_END, PROMPT, SCORE

PAGES = pages()
OTHERS = [ROOT / "CONTEXT.md", ROOT / "CHANGELOG.md", *DOCS.glob("tables/*.md"), *ROOT.glob("models/*/card.md")]
REFERENCE = DOCS / "reference"
FINDINGS = (REFERENCE / "findings.md").read_text(encoding="utf-8")
TABLES = (REFERENCE / "tables.md").read_text(encoding="utf-8")
CODE = re.compile(r"^( *)```.*?^\1```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"`((?:core|desktop|resources|models|tests|docs)(?:/[\w./-]+)?)`")


def prose(page: Path) -> str:
    return CODE.sub("", page.read_text(encoding="utf-8"))


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [*PAGES, *sorted(OTHERS)], ids=name_of)
def test_the_links_of_a_page_lead_to_files_and_headings(page: Path) -> None:
    broken = []
    for link in LINK.findall(prose(page)):
        if link.startswith("https://"):
            continue
        where, _, anchor = link.partition("#")
        target = (page.parent / where).resolve() if where else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_a_page_can_be_read_without_seeing_it(page: Path) -> None:
    """Pictures have words in their place, and no level of heading is left out."""
    assert "![](" not in prose(page)
    levels = [len(signs) for signs in re.findall(r"^(#+) ", prose(page), re.MULTILINE)]
    assert levels[:1] == [1]
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_paths_that_a_page_names_are_there(page: Path) -> None:
    assert [path for path in PATH.findall(page.read_text(encoding="utf-8")) if not (ROOT / path).exists()] == []


def test_the_list_of_pages_names_every_page() -> None:
    listed = {(DOCS / link).resolve() for link in LINK.findall((DOCS / "README.md").read_text(encoding="utf-8"))}
    decisions = DOCS / "contributing" / "decisions"
    assert [name_of(page) for page in PAGES[2:] if page not in listed and page.parent != decisions] == []


def test_the_page_about_the_sample_gives_the_findings_of_the_sample(tmp_path: Path) -> None:
    page = (DOCS / "explanation" / "sample-project.md").read_text(encoding="utf-8")
    with biasprint.sample(tmp_path / "sample.biasprint") as project:
        for study, finding_id, label in (
            ("letters", "letters.lexicon.odds_ratio", "agentic"),
            ("creativity", "creativity.rbs", "gender"),
            ("completion", "completion.tau_b", "tau_b"),
        ):
            found = [
                finding
                for finding in project.findings(study).of(finding_id, label)
                if finding.variant == "default"
                and finding.dims.get("generator", "qwen").startswith("qwen")
                and not {"task", "topic", "pronoun"} & set(finding.dims)
            ]
            assert found
            for finding in found:
                digits = 3 if study == "creativity" else 2
                low, high = (f"{bound:.{digits}f}" for bound in (finding.interval.low, finding.interval.high))
                shown = f"{finding.estimate:.{digits}f} ({low} to {high})".replace("-", "−")
                assert shown in page
                if finding.floor:
                    assert f"{finding.floor.p95:.3f}, p = {finding.p_adjusted:.3f}" in page


def test_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100


# A newcomer's question → the page that answers it, and words of the answer.
QUESTIONS = {
    "how do I measure my own table of letters": ("how-to/measure-my-table.md", "biasprint measure letters letters.csv"),
    "where is the noise floor of ABS computed": ("contributing/where-do-i-change.md", "the noise floor of ABS"),
    "how do I add an endpoint by hand": ("how-to/use-an-endpoint.md", "biasprint endpoints add"),
    "how do I add a scorer": ("how-to/add-a-scorer.md", "biasprint.scorers"),
    "how do I add a study": ("how-to/add-a-study.md", "biasprint.studies"),
    "how do packets stay blind": ("explanation/blinding.md", "## Packets"),
    "what does an exit code mean": ("reference/command-line.md", "## Exit codes"),
    "how do I gate a build": ("how-to/gate-a-build.md", "exit code 3"),
    "how do I run the tests": ("contributing/tests.md", "python run.py test"),
    "where is a choice written to disk": ("contributing/architecture.md", "## From a key to the disk"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_readme_links_to_the_answers_of_a_newcomers_questions(question: str) -> None:
    name, words = QUESTIONS[question]
    readme = ROOT / "README.md"
    linked = {(ROOT / link.partition("#")[0]).resolve() for link in LINK.findall(prose(readme))}
    assert DOCS / name in linked
    assert words in (DOCS / name).read_text(encoding="utf-8")


# ---- the command line


def test_the_command_line_page_is_what_the_program_declares() -> None:
    declared = run_path(str(DOCS / "make_reference_pages.py"))["command_line_page"]()
    page = (REFERENCE / "command-line.md").read_text(encoding="utf-8")
    assert page == declared, "run: python docs/make_reference_pages.py"


# ---- findings, fields, columns


def section(page: str, title: str) -> str:
    return page.split(f"\n## {title}\n")[1].split("\n## ")[0]


def line_of(title: str, row: str) -> str:
    """Return the row of a table of fields or columns that begins with `row`, without its first cell."""
    (line,) = re.findall(rf"^\| {re.escape(row)} \|(.*)\|$", section(TABLES, title), re.MULTILINE)
    return str(line)


@pytest.mark.parametrize(
    ("what", "columns"),
    [
        ("prompts", PROMPT),
        ("outputs", (*OUTPUT, *OUTPUT_END)),
        ("scores", SCORE),
        ("judgments", (*JUDGMENT, *JUDGMENT_END)),
        ("findings", FINDING),
    ],
)
def test_the_page_lists_the_exported_columns(what: str, columns: Sequence[str]) -> None:
    assert re.findall(r"`([^`]+)`", line_of("Exported columns", what)) == list(columns)


def test_the_page_lists_every_key_of_a_finding() -> None:
    keys = re.findall(r"^\| `(\w+)` \|", section(FINDINGS, "Keys of a finding"), re.MULTILINE)
    assert sorted(keys) == sorted(field.name for field in fields(Finding))


def test_the_page_lists_every_finding() -> None:
    listed = {name.replace("…", "*") for name in re.findall(r"`([a-z_]+\.[a-z_.…]+)`", FINDINGS)}
    for study in studies().values():
        for declared in study.findings:
            start = declared.removesuffix("*")
            assert declared in listed or any(name.startswith(start) for name in listed), f"{declared} is not listed"


def test_the_page_lists_every_scorer_and_backend() -> None:
    page = (REFERENCE / "scorers-and-backends.md").read_text(encoding="utf-8")
    names = [*(info.name for info in describe()), *(info.name for info in known())]
    assert [name for name in names if f"`{name}`" not in page] == []


@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("letters", "letters"),
        ("outputs", "creativity, outputs"),
        ("judgments", "creativity, judgments"),
        ("news", "news"),
        ("completion", "completion"),
        ("compare", "compare"),
    ],
)
def test_the_page_lists_the_fields_that_each_study_reads(kind: str, row: str) -> None:
    (table,) = [table for study in studies().values() for table in study.inputs if table.name == kind]
    words = re.findall(r"`([^`]+)`", re.sub(r";.*", "", line_of("Fields", row)))
    assert words[: len(table.required)] == list(table.required)
    assert set(words) == {*table.required, *table.optional}


def test_the_page_lists_every_table_of_a_project_file() -> None:
    page = (REFERENCE / "project-file.md").read_text(encoding="utf-8")
    tables = re.findall(r"^CREATE TABLE (\w+)", migration_text(1), re.MULTILINE)
    assert len(tables) > 15
    assert [table for table in tables if f"`{table}`" not in page] == []


@pytest.mark.parametrize("name", sorted({file.stem.removesuffix("-still") for file in (DOCS / "tours").iterdir()}))
def test_a_recorded_tour_is_small_can_be_read_and_moves_only_when_asked(name: str) -> None:
    moving, still = DOCS / "tours" / f"{name}.webp", DOCS / "tours" / f"{name}-still.webp"
    assert moving.stat().st_size < 2_000_000
    with Image.open(moving) as tour, Image.open(still) as first:
        assert (tour.size, getattr(first, "n_frames", 1)) == ((1024, 764), 1)
        for frame in range(tour.n_frames):
            tour.seek(frame)
            tour.load()
            assert tour.info["duration"] >= 2_500, f"stop {frame + 1} is gone before it is read"
        assert tour.n_frames >= 7
    linked = [page for page in pages() if f"tours/{name}.webp" in page.read_text(encoding="utf-8")]
    assert len(linked) >= 3, "README, the list of pages, and the page of its task"
    embedded = re.compile(r"!\[[^\]]*\]\([^)]*tours/\w+\.webp\)")
    assert [name_of(page) for page in pages() if embedded.search(page.read_text(encoding="utf-8"))] == []


def test_the_recorded_tours_are_small_together() -> None:
    assert sum(file.stat().st_size for file in (DOCS / "tours").iterdir()) < 4_000_000
