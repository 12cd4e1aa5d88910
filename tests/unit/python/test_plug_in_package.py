"""The sample plug-in of docs/how-to/add-a-scorer.md, installed by pip: its scorer, backend, study and page."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest
import songs_plug_in
from cli_support import biasprint, refused
from docs_pages import blocks

ROOT = Path(__file__).parents[3]
SOURCE = ROOT / "tests" / "data" / "diary_plug_in"
PAGE = ROOT / "docs" / "how-to" / "add-a-scorer.md"
# Shares 1, ½, 1, ½ of girls and 0, ½, 0, 0 of boys, and one text with no sentence's end.
ENTRIES = [("A! B!", "girl"), ("A! B.", "girl"), ("A!", "girl"), ("A! B.", "girl")]
ENTRIES += [("A. B.", "boy"), ("A! B.", "boy"), ("A.", "boy"), ("A. B.", "boy"), ("no end", "boy")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pip installed it, without an index: setuptools builds it from a copy, which it writes into."""
    folder = tmp_path_factory.mktemp("plug_in")
    shutil.copytree(SOURCE, folder / "source")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "--target", folder / "site", folder / "source"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture
def diaries(site: Path) -> Iterator[None]:
    with songs_plug_in.found_in(site):
        yield


@pytest.mark.usefixtures("diaries")
def test_its_study_finds_what_its_backend_planted(tmp_path: Path) -> None:
    file, report = tmp_path / "study.biasprint", tmp_path / "report.html"
    assert biasprint("new", file, "--study", "diaries", "--json").json["studies"] == {"diaries": 14}
    writing = ("generate", file, "--study", "diaries", "--backend", "phrasebook", "--samples", 20, "--json")
    assert biasprint(*writing, "--model", "excited").json["done"] == 280

    measured = biasprint("measure", "diaries", file, "--json", "--report", report).json

    (finding,) = measured["findings"]
    assert (finding["id"], finding["groups"], finding["n"]) == ("diaries.excitement", ["girl", "boy"], 280)
    assert finding["interval"]["low"] < 0.6 - 0.2 < finding["interval"]["high"]
    assert "Who sounds excited" in report.read_text(encoding="utf-8")
    assert "Are girls made to sound more excited than boys?" in report.read_text(encoding="utf-8")


@pytest.mark.usefixtures("diaries")
def test_its_scorer_scores_a_table(tmp_path: Path) -> None:
    table = tmp_path / "texts.csv"
    table.write_text("text\nA! B.\nno end\n")
    answer = biasprint("score", table, "--scorer", "exclamations", "--json").json
    assert [row["exclamations"] for row in answer["scores"]] == [0.5, None]


@pytest.mark.usefixtures("diaries")
def test_its_backend_refuses_what_it_does_not_have(tmp_path: Path) -> None:
    file = tmp_path / "study.biasprint"
    biasprint("new", file, "--study", "diaries")
    wrong = ("generate", file, "--study", "diaries", "--backend", "phrasebook", "--model", "loud")
    assert "Choose: plain, excited." in refused(*wrong, code=2, says="The phrasebook has no model “loud”.")


def test_beside_a_package_that_owns_core_it_is_measured_from_a_script_without_a_guard(
    site: Path, installed_site: Path, tmp_path: Path
) -> None:
    script = f"""
        import json
        import biasprint, core
        texts, groups = zip(*{ENTRIES!r})
        measured = biasprint.measure("diaries", {{"text": texts, "group": groups}})
        print(json.dumps([core.OWNER, measured.to_json()]))
    """
    (tmp_path / "script.py").write_text(textwrap.dedent(script))
    done = subprocess.run(
        [sys.executable, tmp_path / "script.py"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (installed_site, site)))},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    owner, measured = json.loads(done.stdout)
    (finding,) = measured["findings"]
    assert owner == "somebody else, core"
    assert (measured["rows"], measured["dropped"], finding["n_by_group"]) == (9, {"no score": 1}, {"girl": 4, "boy": 4})
    assert finding["estimate"] == pytest.approx(0.75 - 0.125)
    # Variances 1/12 and 1/16, so s.e. = √(7/192), d.f. = 3 · (7/192)² / ((1/48)² + (1/64)²) = 5.88; t(.975) = 2.459
    assert finding["interval"]["low"] == pytest.approx(0.625 - 2.459 * (7 / 192) ** 0.5, abs=1e-3)


def test_the_page_shows_what_the_package_is() -> None:
    declared = (SOURCE / "pyproject.toml").read_text(encoding="utf-8")
    (shown,) = [block.text for block in blocks(PAGE) if block.language == "toml"]
    for line in filter(None, shown.splitlines()):
        assert line in declared.splitlines()
    for name in re.findall(r"`(biasprint_diaries/\w+\.py|pyproject\.toml)`", PAGE.read_text(encoding="utf-8")):
        assert (SOURCE / name).is_file()
