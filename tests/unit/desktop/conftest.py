"""What every test of the window shares: the usual look, garbage collected on this thread, and nothing left behind."""

import gc
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from empty_home import WITH_EMPTY_HOME
from left_behind import PATIENCE, close_what_is_open, put_away, threads_of_ours
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from biasprint.core.compute import models
from biasprint.core.machine import keys, offline
from biasprint.core.project.project import Project
from biasprint.desktop import jobs, theme
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations import session
from biasprint.desktop.panels import PANELS, PanelEntry
from biasprint.desktop.panels import home as home_panel
from biasprint.desktop.panels import outputs as outputs_panel
from biasprint.desktop.panels import prompts as prompts_panel
from biasprint.desktop.panels.findings import board as findings_board
from biasprint.desktop.panels.judge import setup as judge_setup
from biasprint.desktop.panels.judge import start as judge_start
from biasprint.desktop.panels.letters import review as letter_review
from biasprint.desktop.panels.letters.pile import table as pile_table
from biasprint.desktop.panels.letters.pile import view as pile_view
from biasprint.desktop.panels.prompts import template as prompts_template
from biasprint.desktop.panels.prompts import template_table
from biasprint.desktop.panels.workshop import setup as workshop_setup
from biasprint.desktop.settings import Settings

MUCH_GARBAGE = 20_000  # objects; collecting after each of many small tests would take longer than they do

# What the window waits for before it goes on, so that whoever types or turns a number is not disturbed.
SHORT_PAUSES = {
    "PAUSE_MILLISECONDS": (letter_review, pile_view, prompts_panel, prompts_template, template_table),
    "SEARCH_AFTER_MILLISECONDS": (outputs_panel, findings_board),
    "COMPARE_MILLISECONDS": (pile_view,),
    "COUNT_MILLISECONDS": (pile_view,),
    "COUNT_AGAIN_MILLISECONDS": (home_panel,),
    "SORT_AGAIN_MILLISECONDS": (pile_table,),
    "ASK_AFTER_MILLISECONDS": (workshop_setup,),
    "CODE_MILLISECONDS": (judge_start,),
    "WAIT_MILLISECONDS": (judge_setup,),
}
PAUSE_MILLISECONDS = 20
SECONDS_BETWEEN_READINGS = 0.005

MakeWindow = Callable[..., MainWindow]


@pytest.fixture
def qtbot(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> QtBot:
    """A part that a test shows by itself is dressed as it would be in the window."""
    add = qtbot.addWidget

    def dress_and_add(widget: QWidget, **more: Any) -> None:
        if widget.parentWidget() is None and not widget.styleSheet():
            theme.dress(widget)
        add(widget, **more)

    monkeypatch.setattr(qtbot, "addWidget", dress_and_add)
    return qtbot


@pytest.fixture(autouse=True)
def usual_look(qapp: QApplication) -> Iterator[None]:
    theme.apply(qapp, "light", 1.0)
    yield
    theme.apply(qapp, "light", 1.0)


@pytest.fixture
def right_to_left(qapp: QApplication, usual_look: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A program that runs from right to left from its start."""
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    monkeypatch.setattr(theme, "_sheet", "")  # so that it is made for this direction
    theme.apply(qapp, "light", 1.0)
    yield
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


@pytest.fixture
def pauses_as_for_people() -> None:
    """The pauses themselves are looked at."""


@pytest.fixture(autouse=True)
def short_pauses(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody types here: the window goes on soon, but for a test of the pauses themselves."""
    if "pauses_as_for_people" not in request.fixturenames:
        for name, modules in SHORT_PAUSES.items():
            for module in modules:
                monkeypatch.setattr(module, name, PAUSE_MILLISECONDS)


@pytest.fixture
def read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What changed in a project is read again sooner than ten times a second."""
    monkeypatch.setattr(jobs, "SHORTEST_SECONDS", SECONDS_BETWEEN_READINGS)
    monkeypatch.setattr(session, "REFRESH_SECONDS", SECONDS_BETWEEN_READINGS)


@pytest.fixture(autouse=True)
def collected_on_this_thread() -> Iterator[None]:
    """As in the program (biasprint.desktop.app): a collection in a job's thread would delete widgets there."""
    gc.disable()
    yield
    if gc.get_count()[0] > MUCH_GARBAGE:
        gc.collect()
    gc.enable()


@pytest.fixture(autouse=True)
def nothing_left_behind(qtbot: QtBot) -> Iterator[None]:
    """A test that leaves a window open or a thread running fails itself, not the next one."""
    earlier = set(threads_of_ours())
    yield
    shown = close_what_is_open()

    def running() -> list[str]:
        return [thread.name for thread in threads_of_ours() if thread not in earlier]

    qtbot.waitUntil(lambda: not running(), timeout=PATIENCE)
    assert not shown, f"windows were left open: {shown}"


def usual_settings(path: Path) -> Settings:
    """The defaults, but that a run does not load the scorers' models: the tests of scoring put that on."""
    settings = Settings(path)
    settings.set("score_at_once", False)
    return settings


def usual_panels(request: pytest.FixtureRequest) -> tuple[PanelEntry, ...]:
    """The program's, with its Home only where the module has LOOKS_AT_HOME."""
    return PANELS if getattr(request.module, "LOOKS_AT_HOME", False) else WITH_EMPTY_HOME


@pytest.fixture
def window(request: pytest.FixtureRequest, qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    """A window of the usual size. At its end its jobs must end by themselves, within the module's own patience."""
    made = MainWindow(usual_settings(tmp_path / "settings.json"), usual_panels(request))
    made.resize(1280, 720)
    made.show()
    yield made
    put_away(qtbot, made, getattr(request.module, "PATIENCE", PATIENCE))


@pytest.fixture
def own_computer(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> None:
    """A computer of its own: no key, no offline switch, no endpoint."""
    monkeypatch.setenv("BIASPRINT_HOME", str(own_home / "program"))
    monkeypatch.delenv(offline.VARIABLE, raising=False)
    monkeypatch.delenv(keys.ENVIRONMENT, raising=False)


@pytest.fixture(scope="module")
def models_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The program's folder of a module's model process."""
    models().close()
    yield tmp_path_factory.mktemp("models") / "program"
    models().close()


@pytest.fixture
def shared_models(own_computer: None, models_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The tests of a module share a model process, and so one computer; each finds it without any endpoint."""
    monkeypatch.setenv("BIASPRINT_HOME", str(models_home))
    yield
    shutil.rmtree(models_home, ignore_errors=True)


@pytest.fixture
def make_window(request: pytest.FixtureRequest, qtbot: QtBot, tmp_path: Path) -> Iterator[MakeWindow]:
    """Makes windows that are shown, and closes them as the program would, without ending it."""
    made: list[MainWindow] = []

    def make(entries: tuple[PanelEntry, ...] = (), *, panel: str = "") -> MainWindow:
        settings = usual_settings(tmp_path / f"settings-{len(made)}.json")
        window = MainWindow(settings, entries or usual_panels(request))
        made.append(window)
        window.resize(1280, 800)
        window.show()
        window.show_panel(panel or window.rail.shown()[0])
        return window

    # Not left to qtbot: it closes windows before this, and closing one of these means quitting the program.
    with ExitStack() as windows:
        yield make
        for window in made:
            windows.callback(put_away, qtbot, window)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An empty project."""
    path = tmp_path / "castle.biasprint"
    Project.create(path).close()
    return path
