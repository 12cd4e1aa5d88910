"""The first minutes: the window is there with the sample, and the rest of the program comes behind it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import warm_children
from cli_support import JUDGED, forget
from fake_installation import MEASURING, WINDOW, FakeInstallation
from partial_environment import PartialEnvironment, full_site
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from biasprint.core.compute import shared
from biasprint.core.machine import offline
from biasprint.core.project.project import Project
from biasprint.core.runs.sample import unpack_sample
from biasprint.desktop import theme
from biasprint.desktop.app import create_window, start
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations import letters
from biasprint.desktop.panels.letters import LettersPanel
from biasprint.desktop.settings import Settings

PATIENCE = 120_000  # a first reading loads what it needs
FAILURE = "Measuring could not be prepared: the package index could not be reached. Check the network connection."
LETTER = "Dear all,\n\nI recommend Emily Stone. She is a warm and caring engineer.\n\nSincerely,\n\nJohn Field"


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> FakeInstallation:
    """A computer on which run.py has installed the window and nothing more; no scorer of style is there."""
    monkeypatch.setenv("BIASPRINT_HOME", str(own_home / "program"))
    monkeypatch.delenv(offline.VARIABLE, raising=False)
    letters.forget_scorers()
    made = FakeInstallation(monkeypatch)

    def scorers() -> dict[str, str]:
        return {"formality": "formality_f"} if made.states[MEASURING].state == "ready" else {}

    monkeypatch.setattr(letters, "scorers_for_letters", scorers)
    return made


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, fake: FakeInstallation, tmp_path: Path) -> Iterator[MainWindow]:
    theme.apply(qapp, "light", 1.0)
    sample = tmp_path / "Sample.biasprint"
    unpack_sample(sample)
    made = create_window(Settings(tmp_path / "settings.json"))
    made.resize(1280, 720)
    made.show()
    start(made, sample, prepare=True)
    yield made
    fake.end()
    made.session.close()
    qtbot.waitUntil(lambda: not made.jobs.active(), timeout=PATIENCE)
    assert made.jobs.close()
    made.deleteLater()
    shared().close()
    letters.forget_scorers()


@pytest.fixture
def wait(qtbot: QtBot) -> Callable[[Callable[[], bool]], None]:
    return lambda condition: qtbot.waitUntil(condition, timeout=PATIENCE)


def line(window: MainWindow) -> str:
    return window.parts_line.text() if window.parts_line.isVisible() else ""


def test_the_line_is_there_behind_the_open_sample_and_goes_when_all_has_come(
    window: MainWindow, fake: FakeInstallation, wait: Callable[..., None]
) -> None:
    wait(lambda: line(window).startswith("Preparing: Measuring"))
    assert window.project is not None  # not before it
    for part in fake.left():
        fake.comes(part)
    wait(lambda: not line(window))
    assert fake.prepared == 1


@pytest.mark.soak
def test_a_letter_has_its_marks_at_once_and_the_rest_by_itself(
    window: MainWindow, fake: FakeInstallation, wait: Callable[..., None]
) -> None:
    wait(lambda: bool(line(window)))
    window.show_panel("letters")
    panel = window.panels["letters"]
    assert isinstance(panel, LettersPanel)
    panel.open_pasted(LETTER)
    wait(lambda: panel.review.check.checked is not None)
    first = panel.review.check.checked
    assert first is not None
    assert {LETTER[mark.start : mark.end] for mark in first.reading.marks} >= {"warm", "caring"}
    said = panel.review.board.compared.missing
    assert said.isVisible()
    assert (
        "formality, positivity, agency by its scorer, the balance of praise and whether marked words are meant so"
        in said.text()
    )
    fake.comes(MEASURING)
    wait(lambda: panel.review.check.checked is not first)
    rest = (
        ": positivity, agency by its scorer, the balance of praise and whether marked words are meant so, "
        "what a CV supports."
    )
    wait(lambda: said.text().endswith(rest))
    second = panel.review.check.checked
    assert second is not None
    formal = second.reading.figure("formality")
    assert formal is not None
    assert formal.value is not None


@pytest.mark.soak
def test_a_part_that_fails_says_why_and_comes_at_another_try(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation, wait: Callable[..., None]
) -> None:
    wait(lambda: line(window).startswith("Preparing"))
    fake.fails(MEASURING, FAILURE)
    wait(lambda: line(window) == "1 part could not be prepared")
    qtbot.mouseClick(window.parts_line, Qt.MouseButton.LeftButton)
    page = window.parts_page
    wait(lambda: any(row.sentence.isVisible() and row.sentence.text() == FAILURE for row in page.rows()))
    qtbot.mouseClick(page.again, Qt.MouseButton.LeftButton)
    wait(lambda: line(window).startswith("Preparing: Measuring"))
    for part in fake.left():
        fake.comes(part)
    wait(lambda: not line(window))
    assert page.stage.text() == "Everything is here."


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right of their own there")
@pytest.mark.soak
def test_with_the_first_part_alone_one_works_and_the_rest_works_when_it_has_come(
    measured_file: Path, tmp_path: Path, own_home: Path
) -> None:
    """The program itself, in an environment that really lacks the packages of the other parts."""
    sample, full = Path(shutil.copy(measured_file, tmp_path / "Sample.biasprint")), full_site()
    forget(sample, *JUDGED)
    environment = PartialEnvironment(tmp_path / "environment", full)
    environment.add(WINDOW)
    here = Path(__file__).parent
    variables = os.environ | {"BIASPRINT_HOME": str(own_home / "program"), "QT_QPA_PLATFORM": "offscreen"}
    variables.pop(warm_children.LENT, None)  # what computes is of that environment too
    variables["PYTHONPATH"] = os.pathsep.join(map(str, (here, here.parent, here.parents[1] / "core" / "python")))
    done = subprocess.run(
        [str(environment.python), str(here / "first_part.py"), str(sample), str(full)],
        capture_output=True, text=True, timeout=280, check=False, env=variables,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["ready at first"] == [WINDOW]
    assert found["figures"] > 0
    assert {"warm", "caring"} <= set(found["marked"])
    assert "formality" in found["still to come"]
    (said,) = found["said"]
    assert "a part of the program that is not installed yet" in said
    assert found["ready then"] == [WINDOW, MEASURING, "encoder"]
    assert found["said then"] == []
    assert count_judgments(sample) == 2


def count_judgments(file: Path) -> int:
    with Project.open(file, read_only=True) as project:
        return len(project.judging.judgments())
