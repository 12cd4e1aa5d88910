"""The strip of the models panel that installs the local-model engine."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_installation import FakeInstallation
from pytestqt.qtbot import QtBot

from biasprint.core.backends.llama_cpp import options
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.desktop.dialogs.parts import ENGINE, EngineNotice
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels import PANELS
from biasprint.desktop.panels.models import ModelsPanel

ENTRIES = tuple(entry for entry in PANELS if entry.key == "models")
PATIENCE = 60_000


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> threading.Event:
    """A computer without the engine, until this is set."""
    here = threading.Event()
    monkeypatch.setenv("BIASPRINT_HOME", str(own_home / "program"))
    monkeypatch.setattr(options, "installed", here.is_set)
    monkeypatch.setattr(options, "why_not", lambda: "")
    return here


@pytest.fixture
def window(make_window: Callable[..., MainWindow]) -> MainWindow:
    return make_window(ENTRIES, panel="models")


def strip(qtbot: QtBot, window: MainWindow) -> EngineNotice:
    panel = window.panels["models"]
    assert isinstance(panel, ModelsPanel)
    qtbot.waitUntil(lambda: bool(panel.catalogue.view.rows), timeout=PATIENCE)
    return panel.engine


def test_it_is_installed_from_the_panel(
    qtbot: QtBot, make_window: Callable[..., MainWindow], here: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_end = threading.Event()

    def install(ctx: JobContext) -> None:
        while not may_end.wait(0.05):
            ctx.report(1, note="compiling it")
        here.set()

    monkeypatch.setattr(options, "install", install)
    notice = strip(qtbot, make_window(ENTRIES, panel="models"))
    qtbot.waitUntil(notice.isVisible, timeout=PATIENCE)
    assert "C++ compiler" in notice.more.text()
    notice.install.click()
    assert notice.install.isHidden()
    assert notice.cancel.isVisible()
    qtbot.waitUntil(lambda: "compiling it" in notice.more.text(), timeout=PATIENCE)
    may_end.set()
    qtbot.waitUntil(notice.isHidden, timeout=PATIENCE)


def test_it_can_be_cancelled_and_tried_again(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    def install(ctx: JobContext) -> None:
        while True:
            ctx.check()
            threading.Event().wait(0.05)

    monkeypatch.setattr(options, "install", install)
    notice = strip(qtbot, window)
    qtbot.waitUntil(notice.isVisible, timeout=PATIENCE)
    notice.install.click()
    notice.cancel.click()
    qtbot.waitUntil(notice.install.isVisible, timeout=PATIENCE)
    assert notice.cancel.isHidden()


def test_a_failure_is_said_and_it_can_be_tried_again(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    def install(ctx: JobContext) -> None:
        raise AppError("The local-model engine could not be installed: the disk is full.")

    shown: list[AppError] = []
    monkeypatch.setattr(options, "install", install)
    monkeypatch.setattr(window, "show_error", shown.append)
    notice = strip(qtbot, window)
    qtbot.waitUntil(notice.isVisible, timeout=PATIENCE)
    notice.install.click()
    qtbot.waitUntil(lambda: bool(shown) and notice.install.isVisible(), timeout=PATIENCE)
    assert "the disk is full" in shown[0].message


def test_where_it_cannot_be_installed_only_the_reason_is_shown(
    qtbot: QtBot, make_window: Callable[..., MainWindow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(options, "why_not", lambda: "this Python has no pip")
    notice = strip(qtbot, make_window(ENTRIES, panel="models"))
    qtbot.waitUntil(notice.isVisible, timeout=PATIENCE)
    assert "this Python has no pip" in notice.more.text()
    assert notice.install.isHidden()
    assert notice.cancel.isHidden()


def test_where_it_is_here_nothing_is_said(
    qtbot: QtBot, make_window: Callable[..., MainWindow], here: threading.Event
) -> None:
    here.set()
    notice = strip(qtbot, make_window(ENTRIES, panel="models"))
    assert notice.isHidden()


def test_while_it_comes_with_the_rest_of_the_program_it_is_not_installed_a_second_time(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch, here: threading.Event
) -> None:
    fake = FakeInstallation(monkeypatch)
    window.preparation.begin()
    qtbot.waitUntil(lambda: window.preparation.stage == "working")
    notice = strip(qtbot, window)
    window.panels["models"].refresh()
    qtbot.waitUntil(lambda: notice.parts.isVisible())
    assert notice.install.isHidden()
    assert "still being prepared" in notice.more.text()
    notice.parts.click()
    assert window.parts_page.isVisible()
    here.set()
    for part in fake.left():
        fake.comes(part)
    qtbot.waitUntil(notice.isHidden)


def test_in_the_light_edition_it_does_not_come_by_itself_and_can_be_installed(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeInstallation(monkeypatch)
    fake.make_light()
    window.preparation.begin()
    qtbot.waitUntil(lambda: window.preparation.stage == "working")
    notice = strip(qtbot, window)
    window.panels["models"].refresh()
    qtbot.waitUntil(notice.install.isVisible, timeout=PATIENCE)
    assert notice.parts.isHidden()
    fake.end()


def test_it_says_why_it_does_not_come_yet_or_did_not_come(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch, here: threading.Event
) -> None:
    fake = FakeInstallation(monkeypatch)
    window.preparation.begin()
    notice = strip(qtbot, window)
    qtbot.waitUntil(lambda: "behind your work" in notice.more.text())
    window.preparation.pause()
    qtbot.waitUntil(lambda: "preparing it is paused" in notice.more.text())
    window.preparation.resume()
    qtbot.waitUntil(lambda: fake.prepared == 2 and "behind your work" in notice.more.text())
    window.connections.switch(True)
    qtbot.waitUntil(lambda: "when the offline switch is off" in notice.more.text())
    window.connections.switch(False)
    qtbot.waitUntil(lambda: fake.prepared == 3)
    why = "The local-model engine could not be prepared: it could not be compiled. It needs a C++ compiler and CMake."
    fake.fails(ENGINE, why)
    qtbot.waitUntil(lambda: notice.more.text() == why)
    assert notice.install.isVisible()
