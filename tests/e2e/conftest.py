"""Projects that several end-to-end tests start from, each made once: a test works on a copy."""

import gc
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cli_support import JUDGED, biasprint, forget, judge, open_session

from biasprint.core.findings import Finding
from biasprint.core.project.project import Project
from biasprint.core.prompts import letters

if TYPE_CHECKING:
    from PySide6.QtWidgets import QApplication
    from pytestqt.qtbot import QtBot

    from biasprint.desktop.main_window import MainWindow

try:
    import fcntl
except ImportError:  # on Windows each process makes its own
    fcntl = None  # type: ignore[assignment]

WINDOW_PATIENCE = 60_000  # milliseconds
THEMES = ("stars", "sun", "rain", "trees", "joy", "fear")


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder of that name with what `make` puts into it; of several test processes the first one makes it for all."""
    place = factory.getbasetemp()
    folder = (place.parent if "PYTEST_XDIST_WORKER" in os.environ and fcntl else place) / f"{name}-once"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock, pytest.MonkeyPatch.context() as patch:
        if fcntl:
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "made").exists():
            patch.setenv("BIASPRINT_HOME", str(folder / "home"))
            make(folder / "study.biasprint")
            (folder / "made").touch()
    return folder / "study.biasprint"


@pytest.fixture(scope="module", autouse=True)
def frozen_again() -> Iterator[None]:
    """Tests of the whole window thaw all objects: later tests' collections of garbage would look through them all."""
    yield
    if not gc.get_freeze_count():
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="session")
def _made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks and six themes on three axes, and 120 letters, all written; comparisons on two axes, judged."""

    def make(file: Path) -> None:
        file.unlink(missing_ok=True)  # of one that failed
        themes = [f"--theme={theme}" for theme in THEMES]
        biasprint("new", file)
        biasprint("prompts", file, "--study", "creativity", "--task", "haiku", "--task", "trivia", *themes)
        biasprint("prompts", file, "--study", "letters")
        for study in ("creativity", "letters"):
            biasprint("generate", file, "--study", study, "--backend", "synthetic", "--model", "large", "--seed", 5)
        for axis in ("gender", "orientation"):
            biasprint("compare", file, "--axis", axis, "--seed", 3, "--repeats", 0.2)
            judge(file)
        open_session(file)

    return made_once(tmp_path_factory, "written", make)


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
    def make(file: Path) -> None:
        shutil.copy(_made, file)
        biasprint("score", file, "--scorer", "textblob")
        for study in ("letters", "creativity"):
            found = biasprint("measure", study, file, "--json").out
            file.with_name(f"{study}.json").write_text(found, encoding="utf-8")

    return made_once(tmp_path_factory, "scored", make)


@pytest.fixture(scope="session")
def scored_texts(_scored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The texts of the measured project with their scores, and nobody's judgments; to be copied."""
    file = Path(shutil.copy(_scored, tmp_path_factory.mktemp("texts") / "study.biasprint"))
    forget(file, "finding", *JUDGED, "comparison", "plan")
    return file


@pytest.fixture
def measured_file(_scored: Path, tmp_path: Path) -> Path:
    """A copy of the project with scores and findings."""
    return Path(shutil.copy(_scored, tmp_path / "measured.biasprint"))


@pytest.fixture(scope="session")
def everything(_made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a row in every table: scores, a finding, packets, a saved letter, a rater left out, a locked
    plan; to be copied.
    """

    def make(file: Path) -> None:
        shutil.copy(_made, file)
        biasprint("score", file, "--scorer", "length")
        title = "Success of letters about men"
        finding = Finding("letters.success_rate", "male", title, ("male",), 0.5, unit="proportion", n=120)
        with Project.open(file) as project:
            project.findings.replace("letters", "whole study", {}, [finding])
        (file.parent / "letter.txt").write_text(
            "Ms Reed is a kind and dependable colleague, who led two teams.\n", encoding="utf-8"
        )
        (file.parent / "table.csv").write_text("text,group\nA letter.,male\n", encoding="utf-8")
        biasprint("saved-letters", "add", file, file.parent / "letter.txt")
        with Project.open(file) as project:
            plan = project.judging.plans()[0].id
        raters = ("--rater", "R01", "--rater", "R02")
        biasprint("packet", "make", file, "--plan", plan, "--out", file.parent / "packets", *raters)
        biasprint("raters", "exclude", file, "gender-0", "--reason", "she was asleep for half of it")
        biasprint(
            "analysis-plan", "new", file, "--study", "letters", "--out", file.parent / "plan.toml", "--look-anyway"
        )
        biasprint("analysis-plan", "lock", file, file.parent / "plan.toml", code=None)

    return made_once(tmp_path_factory, "rotten", make)


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


@pytest.fixture
def window(qtbot: "QtBot", qapp: "QApplication", tmp_path: Path) -> "Iterator[MainWindow]":
    """The window as the program makes it, at Home."""
    from left_behind import put_away

    from biasprint.desktop import theme
    from biasprint.desktop.app import create_window
    from biasprint.desktop.settings import Settings

    theme.apply(qapp, "light", 1.0)
    made = create_window(Settings(tmp_path / "settings.json"))
    made.resize(1280, 800)
    made.show()
    made.show_panel("home")
    yield made
    put_away(qtbot, made, WINDOW_PATIENCE)
