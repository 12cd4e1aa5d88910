"""What is written out of a private project is as private as the project, and the data folder is its owner's alone."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_support import biasprint
from test_strangers_folder import LETTER

from biasprint.core.compute import shared

pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows has no such modes")

STUDY = "study.biasprint"
OTHERS = 0o077
MADE = (
    f"new {STUDY}",
    f"prompts {STUDY} --study creativity --task haiku --theme stars --axis gender",
    f"generate {STUDY} --study creativity --backend synthetic --model large --seed 5",
    f"compare {STUDY} --axis gender --seed 3",
)
WRITTEN = (
    *(f"export {STUDY} outputs --study creativity --out out/outputs.{ending}" for ending in ("csv", "xlsx", "jsonl")),
    f"export {STUDY} outputs --study creativity --out out/outputs.parquet",
    f"packet make {STUDY} --out out/packets --rater R01",
    f"packet make {STUDY} --out out/page --rater R02 --to html",
    f"packet make {STUDY} --out out/potato --rater R03 --to potato",
    f"measure creativity {STUDY} --report out/measured.html",
    f"report {STUDY} --out out/report.html",
    f"report {STUDY} --out out/report.pdf",
    f"pack make {STUDY} --out out/pack",
    f"audit-file {STUDY} --out out/audit.toml",
    f"analysis-plan new {STUDY} --study creativity --out out/plan.toml",
    f"rescue {STUDY} --out out/rescued.biasprint",
    "letter letter.txt --report out/checked.pdf --word out/checked.docx --note out/note.pdf",
)


@pytest.fixture(autouse=True)
def files_for_all() -> Iterator[None]:
    """As for most people, files are made so that others may read them."""
    os.umask(0o022)  # set back with what else a test reads privately: tests/conftest.py
    yield
    shared().close()  # it writes for the owner alone from here on


def run(folder: Path, home: Path, commands: tuple[str, ...]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("BIASPRINT_HOME", str(home))
        for words in commands:
            biasprint(*words.split())


def open_to_others(folder: Path) -> list[str]:
    return sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*") if stat.S_IMODE(path.stat().st_mode) & OTHERS
    )


def test_what_leaves_a_private_project_is_as_private(tmp_path: Path) -> None:
    folder, home = tmp_path / "work", tmp_path / "home"
    (folder / "out").mkdir(parents=True)
    home.mkdir(mode=0o755)
    (home / "locks").mkdir()  # as an older version left it
    (home / "known-projects.json").write_text("{}", encoding="utf-8")
    (folder / "letter.txt").write_text(LETTER, encoding="utf-8")
    run(folder, home, MADE)
    for private in (folder / STUDY, folder / "letter.txt"):
        private.chmod(0o600)

    run(folder, home, WRITTEN)

    assert open_to_others(folder / "out") == []
    assert len(list((folder / "out").rglob("*"))) > len(WRITTEN)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert stat.S_IMODE((home / "known-projects.json").stat().st_mode) == 0o600


def test_what_leaves_a_project_for_a_group_is_for_the_group(tmp_path: Path) -> None:
    run(tmp_path, tmp_path / "home", MADE[:3])
    (tmp_path / STUDY).chmod(0o640)

    run(tmp_path, tmp_path / "home", (f"export {STUDY} outputs --study creativity --out outputs.csv",))

    assert stat.S_IMODE((tmp_path / "outputs.csv").stat().st_mode) == 0o640
    assert stat.S_IMODE((tmp_path / "home").stat().st_mode) == 0o700
