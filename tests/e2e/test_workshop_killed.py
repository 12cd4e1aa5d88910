"""A workshop that is killed: the ordinary window comes back, shows nobody's answers, and counts no unfinished ones."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from workshop_people import PATIENCE, make_project

from biasprint.core.jobs import JobContext
from biasprint.core.judging.session import offer_plans, open_judging
from biasprint.core.judging.store import ProjectStore
from biasprint.core.judging.workshop import attendance
from biasprint.core.project.project import Project
from biasprint.core.runs.fingerprint import raters_with_fingerprint
from biasprint.desktop import theme
from biasprint.desktop.app import create_window, start
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.settings import Settings

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL there")


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One person has finished, a second was killed after three answers and a note."""
    folder = tmp_path_factory.mktemp("killed")
    file = folder / "zqfile.biasprint"
    make_project(file, comparisons=6)
    script = Path(__file__).with_name("workshop_job.py")
    home = {"HOME": str(folder), "USERPROFILE": str(folder), "BIASPRINT_HOME": str(folder / "home")}
    with subprocess.Popen(
        [sys.executable, str(script), str(file), str(folder / "settings.json")],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **home},
    ) as child:
        assert child.stdout is not None
        try:
            assert child.stdout.readline() == "judging\n"
        finally:
            child.send_signal(signal.SIGKILL)
    return file


@pytest.fixture
def file(killed: Path, tmp_path: Path) -> Path:
    """A copy of what the killed window left, with its hot journal if there is one."""
    for each in killed.parent.glob(f"{killed.name}*"):
        shutil.copy(each, tmp_path / each.name)
    return tmp_path / killed.name


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, tmp_path: Path, file: Path) -> Iterator[MainWindow]:
    theme.apply(qapp, "light", 1.0)
    made = create_window(Settings(tmp_path / "settings.json"))
    made.show()
    start(made, file)
    qtbot.waitUntil(lambda: made.project is not None and bool(made.current), timeout=PATIENCE)
    yield made
    freed: list[bool] = []
    made.session.close(lambda: freed.append(True))
    qtbot.waitUntil(lambda: bool(freed) and not made.jobs.active(), timeout=PATIENCE)
    assert made.jobs.close()
    made.deleteLater()


@pytest.mark.soak
def test_the_ordinary_window_comes_back_and_shows_nobodys_answers(qtbot: QtBot, window: MainWindow):
    assert window.kiosk is None
    assert not window.isFullScreen()
    assert window.rail.isVisible()
    assert window.current == "home"
    window.show_panel("fingerprint")
    panel = window.panels["fingerprint"]
    qtbot.waitUntil(lambda: panel.raters is not None, timeout=PATIENCE)  # type: ignore[attr-defined]
    assert panel.raters.offered == ()  # type: ignore[attr-defined]
    assert panel.raters.still_open == 0  # type: ignore[attr-defined]


def test_the_unfinished_session_stays_uncounted_and_keeps_its_answers(file: Path):
    with Project.open(file) as project:
        (plan,) = project.judging.plans()
        found = attendance(project, plan.id)
        assert (found.started, found.finished) == (2, 1)
        (unfinished,) = (row for row in project.judging.sessions() if row.revealed_at is None)
        assert len(project.judging.judgments(unfinished.id)) == 3
        assert raters_with_fingerprint(JobContext(), project).offered == ()


def test_judging_in_the_ordinary_window_does_not_go_on_with_a_participants_session(file: Path):
    with Project.open(file) as project:
        codes = {row.code for row in project.judging.raters()}
        door = open_judging(ProjectStore(project))
        info = door.ask(offer_plans).result()
        door.close(5)
    assert info.code not in codes
    assert info.offers == (), "a workshop's set is for the workshop"
