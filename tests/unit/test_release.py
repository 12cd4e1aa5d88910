"""A release can be made again by others, is called the same everywhere, and says how to cite and to report."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from biasprint.core import __version__

ROOT = Path(__file__).parents[2]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
FORMS = sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml"))
PAGES = ("CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "PRIVACY.md", "paper.md")
BUILT = ("core", "desktop", "models", "resources", "LICENSE", "README.md", "pyproject.toml")


def test_the_version_is_written_in_one_place() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["project"]["dynamic"] == ["version"]
    assert project["tool"]["hatch"]["version"]["path"] == "core/__init__.py"
    assert CITATION["version"] == __version__


def test_the_citation_has_what_a_reader_of_it_needs() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["type"] == "software"
    assert CITATION["license"] == "Apache-2.0"
    assert CITATION["title"] == "Biasprint"
    assert CITATION["authors"]
    assert CITATION["message"]


@pytest.mark.skipif(shutil.which("cffconvert") is None, reason="cffconvert is not installed")
def test_cffconvert_takes_the_citation() -> None:
    done = subprocess.run(["cffconvert", "--validate"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.stem)
def test_a_form_for_issues_asks_something(form: Path) -> None:
    asked = yaml.safe_load(form.read_text(encoding="utf-8"))
    assert asked["name"]
    assert asked["description"]
    fields = [field for field in asked["body"] if field["type"] != "markdown"]
    assert all(field["attributes"]["label"] for field in fields)
    assert any(field.get("validations", {}).get("required") for field in fields)


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_links_to_is_there(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    assert [link for link in links if not (ROOT / link.partition("#")[0]).exists()] == []


def test_the_paper_cites_works_of_the_bibliography_alone() -> None:
    text = (ROOT / "paper.md").read_text(encoding="utf-8")
    head = yaml.safe_load(text.split("---")[1])
    assert {"title", "authors", "affiliations", "tags"} <= set(head)
    books = (ROOT / head["bibliography"]).read_text(encoding="utf-8")
    cited = set(re.findall(r"@([a-z]+[0-9]{4}[a-z]*)", text))
    assert len(cited) >= 8
    assert cited <= set(re.findall(r"^@\w+\{([^,]+),", books, re.MULTILINE))


def test_the_site_is_made_without_a_network_and_asks_for_nothing(tmp_path: Path) -> None:
    """In strict mode, so that a link that leads nowhere ends it."""
    command = [sys.executable, "-P", "-m", "mkdocs", "build", "--quiet", "--site-dir", str(tmp_path / "site")]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "https_proxy": "http://127.0.0.1:9"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 100
    fetched = re.compile(r"""<(?:script|img|link|iframe)[^>]*(?:src|href)=["']?(?:https?:)?//""")
    assert [page.name for page in pages if fetched.search(page.read_text(encoding="utf-8"))] == []
    glossary = (tmp_path / "site" / "glossary.html").read_text(encoding="utf-8")
    assert "Glossary" in glossary or "glossary" in glossary
    assert [page.name for page in pages if "```" in page.read_text(encoding="utf-8")] == [], (
        "a block of code that is none"
    )
    letter = (tmp_path / "site" / "tutorials" / "check-a-letter.html").read_text(encoding="utf-8")
    assert '<span class="filename">letter.txt</span>' in letter
    assert (tmp_path / "site" / "tours" / "letter.webp").stat().st_size > 0


def test_a_wheel_that_is_built_again_elsewhere_has_the_same_bytes(tmp_path: Path) -> None:
    there = tmp_path / "another folder"
    there.mkdir()
    for name in BUILT:
        source = ROOT / name
        ignored = shutil.ignore_patterns("__pycache__")
        if source.is_dir():
            shutil.copytree(source, there / name, ignore=ignored, copy_function=shutil.copyfile)  # times of now
        else:
            shutil.copyfile(source, there / name)
    wheels = []
    for number, tree in enumerate((ROOT, there)):
        place = tmp_path / str(number)
        command = [sys.executable, "-P", "-m", "hatchling", "build", "-t", "wheel", "-d", str(place)]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        wheels.append(next(place.glob("*.whl")))
    assert wheels[0].name == wheels[1].name == f"biasprint-{__version__}-py3-none-any.whl"
    assert wheels[0].read_bytes() == wheels[1].read_bytes()
