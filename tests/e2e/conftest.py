"""Projects that several end-to-end tests start from, each made once: a test works on a copy."""

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from cli_support import biasprint, judge, open_session

from core.prompts import letters

THEMES = ("stars", "sun", "rain", "trees", "joy", "fear")


@pytest.fixture(scope="session")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks and six themes on three axes, and 120 letters, all written; comparisons on two axes, judged."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIASPRINT_HOME", str(folder / "home"))
        file = folder / "study.biasprint"
        themes = [f"--theme={theme}" for theme in THEMES]
        biasprint("new", file)
        biasprint("prompts", file, "--study", "creativity", "--task", "haiku", "--task", "song", *themes)
        biasprint("prompts", file, "--study", "letters")
        for study in ("creativity", "letters"):
            biasprint("generate", file, "--study", study, "--backend", "synthetic", "--model", "large", "--seed", 5)
        for axis in ("gender", "orientation"):
            biasprint("compare", file, "--axis", axis, "--seed", 3, "--repeats", 0.2)
            judge(file)
        open_session(file)
    return file


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A project without studies."""
    file = tmp_path / "empty.biasprint"
    biasprint("new", file)
    return file


@pytest.fixture
def study_file(_made: Path, tmp_path: Path) -> Path:
    """A copy of the project that has everything but scores and findings."""
    return Path(shutil.copy(_made, tmp_path / "study.biasprint"))


@pytest.fixture(scope="session")
def _scored(_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scored")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BIASPRINT_HOME", str(folder / "home"))
        file = Path(shutil.copy(_made, folder / "study.biasprint"))
        biasprint("score", file, "--scorer", "textblob")
        for study in ("letters", "creativity"):
            (folder / f"{study}.json").write_text(biasprint("measure", study, file, "--json").out, encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def scored_texts(_scored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The texts of the measured project with their scores, and nobody's judgments; to be copied."""
    file = Path(shutil.copy(_scored, tmp_path_factory.mktemp("texts") / "study.biasprint"))
    with closing(sqlite3.connect(file)) as connection, connection:
        for table in ("finding", "annotation", "draft", "judgment", "session", "comparison", "plan", "rater"):
            connection.execute(f"DELETE FROM {table}")
    return file


@pytest.fixture
def measured_file(_scored: Path, tmp_path: Path) -> Path:
    """A copy of the project with scores and findings."""
    return Path(shutil.copy(_scored, tmp_path / "measured.biasprint"))


@pytest.fixture
def findings_of(_scored: Path) -> Callable[[str], str]:
    """What `measure STUDY --json` printed of the measured project."""
    return lambda study: (_scored.parent / f"{study}.json").read_text(encoding="utf-8")


@pytest.fixture
def few_letters(monkeypatch: pytest.MonkeyPatch) -> int:
    """Letters are asked for in four occupations instead of twelve: where it does not matter how many; their number."""
    design = letters.letter_design()
    few = replace(design, occupations=design.occupations[:4])
    monkeypatch.setattr(letters, "letter_design", lambda: few)
    return len(few.occupations) * len(few.ages) * 2
