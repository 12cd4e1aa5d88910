"""The parts of the program come behind the window: a quiet line, a page, and what was missing works without a start."""

import inspect
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from fake_installation import MEASURING, FakeInstallation
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError, NotInstalledYet
from biasprint.core.jobs import JobContext
from biasprint.core.machine import installation, offline
from biasprint.desktop.dialogs.parts import PartsPage
from biasprint.desktop.jobs import JobState
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.widgets import LinkButton

pytestmark = pytest.mark.usefixtures("own_computer")

FAILURE = "Measuring could not be prepared: the disk is full. Make room and try again."


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeInstallation]:
    made = FakeInstallation(monkeypatch)
    yield made
    made.end()  # before the window waits for its jobs


def begin(qtbot: QtBot, window: MainWindow) -> None:
    window.show_panel("settings")
    window.preparation.begin()
    qtbot.waitUntil(lambda: window.preparation.stage == "working")


def line(window: MainWindow) -> str:
    """What the line at the foot says; empty where it is not seen."""
    return window.parts_line.text() if window.parts_line.isVisible() else ""


def all_come(fake: FakeInstallation) -> None:
    for part in fake.left():
        fake.comes(part)


def all_are_ready(fake: FakeInstallation) -> None:
    for part in fake.left():
        fake.set(part, "ready")


def page_of_light_edition(qtbot: QtBot, window: MainWindow, fake: FakeInstallation) -> PartsPage:
    """The page in a window of a light edition of which all is there."""
    fake.make_light()
    all_are_ready(fake)
    window.show_panel("settings")
    window.preparation.begin()
    window.show_parts()
    page = window.parts_page
    qtbot.waitUntil(lambda: len(page.rows()) == 8)
    return page


def add(qtbot: QtBot, page: PartsPage, title: str) -> None:
    """Press the button that adds a part, by the keyboard."""
    row = next(row for row in page.rows() if row.title.text() == title)
    row.add.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(row.add, Qt.Key.Key_Space)


def row_words(page: PartsPage) -> dict[str, str]:
    return {row.title.text(): row.state.text() for row in page.rows()}


def test_the_line_says_what_is_prepared_and_goes_when_all_is_there(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation
):
    begin(qtbot, window)
    qtbot.waitUntil(lambda: line(window).startswith("Preparing: Measuring"))
    assert "1 of 8 ready" in line(window)
    fake.comes(MEASURING)
    qtbot.waitUntil(lambda: "2 of 8 ready" in line(window))
    all_come(fake)
    qtbot.waitUntil(lambda: not line(window))
    assert window.status.notice.whole_text() == "All parts of the program are ready."
    assert window.preparation.stage == "ready"


def test_a_rater_who_begins_at_once_does_not_keep_the_rest_from_coming(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation
):
    restore: list[Callable[[], object]] = []
    window.show_panel("settings")
    window.preparation.conceal(restore.append)
    window.preparation.begin()
    qtbot.waitUntil(lambda: fake.prepared == 1)
    assert window.preparation.states == ()
    assert not line(window)
    restore[0]()
    qtbot.waitUntil(lambda: window.preparation.stage == "working")


def test_nothing_is_installed_or_said_where_run_py_did_not_open_the_window(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation
):
    fake.unasked = False
    window.show_panel("settings")
    window.preparation.begin()
    qtbot.waitUntil(lambda: window.preparation.stage == "stopped")
    qtbot.waitUntil(lambda: not window.jobs.active())
    assert fake.prepared == 0
    assert not line(window)
    window.show_parts()
    qtbot.mouseClick(window.parts_page.again, Qt.MouseButton.LeftButton)  # a person may
    qtbot.waitUntil(lambda: fake.prepared == 1)


def test_nothing_is_said_where_all_is_there(qtbot: QtBot, window: MainWindow, fake: FakeInstallation):
    for part in fake.states:
        fake.set(part, "ready")
    window.show_panel("settings")
    with qtbot.waitSignal(window.preparation.changed):
        window.preparation.begin()
    qtbot.waitUntil(lambda: window.preparation.stage == "ready")
    assert fake.prepared == 0
    assert not line(window)
    assert not window.status.notice.whole_text()


def test_the_light_edition_asks_for_no_more_and_the_page_says_what_it_leaves_out(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation
):
    fake.make_light()
    begin(qtbot, window)
    qtbot.waitUntil(lambda: "1 of 4 ready" in line(window))
    all_come(fake)
    qtbot.waitUntil(lambda: not line(window))
    assert window.status.notice.whole_text() == "All parts of the program are ready."
    window.show_parts()
    page = window.parts_page
    assert page.stage.text() == "All of the light edition is here."
    assert page.again.isHidden()
    assert list(row_words(page).values()) == ["ready"] * 4 + ["not here"] * 4
    assert not page.rows()[0].add.isVisible()
    assert page.rows()[-1].add.isVisible()
    assert page.rows()[-1].add.accessibleName() == "Add: The local-model engine"


def test_a_part_that_the_light_edition_leaves_out_is_added_by_its_button(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation
):
    fake.unasked = False
    page = page_of_light_edition(qtbot, window, fake)
    add(qtbot, page, "Scorers that are models")
    qtbot.waitUntil(lambda: row_words(page)["Scorers that are models"] == "being prepared")
    assert QApplication.focusWidget() in (page.pause, page.close_button), "its button is gone"
    add(qtbot, page, "The local-model engine")  # while the other is at work, which does not know of it
    assert row_words(page)["The local-model engine"] == "waiting"
    assert fake.states["engine"].state == "left out"
    all_come(fake)
    qtbot.waitUntil(lambda: row_words(page)["The local-model engine"] == "being prepared")
    assert row_words(page)["Scorers that are models"] == "ready"
    all_come(fake)
    qtbot.waitUntil(lambda: page.stage.text() == "All of the light edition is here.")
    assert fake.prepared == 2
    assert row_words(page)["The local-model engine"] == "ready"


def test_a_part_that_is_asked_for_waits_for_the_offline_switch(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation
):
    page = page_of_light_edition(qtbot, window, fake)
    window.connections.switch(True)
    qtbot.waitUntil(lambda: window.connections.offline)
    add(qtbot, page, "The local-model engine")
    qtbot.waitUntil(lambda: window.preparation.stage == "offline")
    assert line(window) == "1 part waits for the offline switch"
    assert fake.prepared == 0
    window.connections.switch(False)
    qtbot.waitUntil(lambda: fake.prepared == 1)


def test_a_package_cannot_be_added_to(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    last = page_of_light_edition(qtbot, window, fake).rows()[-1]
    assert not last.add.isVisible()
    assert last.sentence.isVisible()
    assert last.sentence.text() == "“The local-model engine” is not in the light edition."


def test_a_part_that_failed_says_why_and_is_tried_again(qtbot: QtBot, window: MainWindow, fake: FakeInstallation):
    begin(qtbot, window)
    fake.fails(MEASURING, FAILURE)
    qtbot.waitUntil(lambda: line(window) == "1 part could not be prepared")
    qtbot.waitUntil(lambda: not window.jobs.active())
    assert fake.prepared == 1  # not again by itself
    qtbot.mouseClick(window.parts_line, Qt.MouseButton.LeftButton)
    page = window.parts_page
    qtbot.waitUntil(lambda: row_words(page).get("Measuring") == "not prepared")
    row = next(row for row in page.rows() if row.title.text() == "Measuring")
    assert row.sentence.isVisible()
    assert row.sentence.text() == FAILURE
    assert FAILURE in row.accessibleName()
    qtbot.mouseClick(page.again, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: fake.prepared == 2)
    qtbot.waitUntil(lambda: row_words(page).get("Measuring") == "being prepared")
    all_come(fake)
    qtbot.waitUntil(lambda: page.stage.text() == "Everything is here.")


def test_what_stops_everything_is_said_on_the_page(qtbot: QtBot, window: MainWindow, fake: FakeInstallation):
    begin(qtbot, window)
    fake.stops(AppError("The installation stopped: the disk is full.", hint="Make room."))
    qtbot.waitUntil(lambda: "could not be prepared" in line(window))
    window.show_parts()
    assert window.parts_page.stage.text() == "The installation stopped: the disk is full. Make room."


def test_it_pauses_and_goes_on(qtbot: QtBot, window: MainWindow, fake: FakeInstallation):
    begin(qtbot, window)
    window.show_parts()
    page = window.parts_page
    qtbot.mouseClick(page.pause, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: fake.cancelled == 1)
    qtbot.waitUntil(lambda: line(window) == "Paused: 7 parts are still to come")
    assert page.pause.text() == "Go on"
    qtbot.mouseClick(page.pause, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: fake.prepared == 2)
    qtbot.waitUntil(lambda: line(window).startswith("Preparing"))


def test_going_on_before_the_pause_has_taken_effect_is_not_lost(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation
):
    begin(qtbot, window)
    window.preparation.pause()
    window.preparation.resume()
    qtbot.waitUntil(lambda: fake.prepared == 2)
    assert fake.cancelled == 1


def test_going_on_between_the_end_of_the_job_and_what_it_tells_is_not_lost(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation
):
    begin(qtbot, window)
    window.preparation.pause()
    working = next(job for job in window.jobs.active() if job.cancelling)
    working.state = JobState.CANCELLED  # the runner heard of it first
    window.preparation.resume()
    qtbot.waitUntil(lambda: fake.prepared == 2)


def test_it_waits_for_the_offline_switch(qtbot: QtBot, window: MainWindow, fake: FakeInstallation):
    begin(qtbot, window)
    window.connections.switch(True)
    qtbot.waitUntil(lambda: fake.cancelled == 1)
    qtbot.waitUntil(lambda: line(window) == "7 parts wait for the offline switch")
    window.connections.switch(False)
    qtbot.waitUntil(lambda: fake.prepared == 2)
    qtbot.waitUntil(lambda: line(window).startswith("Preparing"))


def test_it_does_not_begin_while_the_switch_is_on(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv(offline.VARIABLE, "1")
    window.show_panel("settings")
    window.preparation.begin()
    qtbot.waitUntil(lambda: line(window) == "7 parts wait for the offline switch")
    qtbot.waitUntil(lambda: not window.jobs.active())
    assert fake.prepared == 0


def test_a_later_start_says_that_it_goes_on(qtbot: QtBot, window: MainWindow, fake: FakeInstallation):
    fake.set(MEASURING, "ready")
    begin(qtbot, window)
    assert window.status.notice.whole_text() == "Going on with The sentence encoder."


def test_the_first_start_does_not_say_that_it_goes_on(qtbot: QtBot, window: MainWindow, fake: FakeInstallation):
    begin(qtbot, window)
    assert not window.status.notice.whole_text()


def test_while_a_rater_is_blind_it_is_silent_and_works_on(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation, file: Path
):
    window.open_project(file)
    qtbot.waitUntil(lambda: window.project is not None)
    begin(qtbot, window)
    window.show_parts()
    window.show_panel("judge")
    window.set_blind(True)
    assert not line(window)
    assert not window.parts_page.isVisible()
    assert not window.parts_page.rows()
    assert not window.preparation.states  # a part names a model
    all_come(fake)
    qtbot.waitUntil(lambda: all(each.state == "ready" for each in fake.status()))
    assert not line(window)
    assert not window.preparation.states
    window.set_blind(False)
    qtbot.waitUntil(lambda: window.preparation.stage == "ready")
    assert not line(window)


def test_it_never_takes_the_keyboard(qtbot: QtBot, window: MainWindow, fake: FakeInstallation):
    begin(qtbot, window)
    qtbot.waitUntil(lambda: bool(line(window)))
    before = QApplication.focusWidget()
    fake.comes(MEASURING)
    qtbot.waitUntil(lambda: "2 of 8 ready" in line(window))
    assert QApplication.focusWidget() is before


def test_the_page_opens_by_keyboard_and_gives_the_keyboard_back(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation
):
    begin(qtbot, window)
    qtbot.waitUntil(lambda: bool(line(window)))
    window.parts_line.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(window.parts_line, Qt.Key.Key_Space)
    page = window.parts_page
    qtbot.waitUntil(lambda: QApplication.focusWidget() is page.pause)
    assert list(row_words(page).values()).count("ready") == 1
    assert page.rows()[0].title.text() == "The window"
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert not page.isVisible()
    assert QApplication.focusWidget() is window.parts_line


def test_a_click_elsewhere_closes_the_page(qtbot: QtBot, window: MainWindow, fake: FakeInstallation):
    begin(qtbot, window)
    window.show_parts()
    qtbot.mouseClick(window.ground, Qt.MouseButton.LeftButton, pos=window.ground.rect().topLeft())
    assert not window.parts_page.isVisible()


def test_what_was_missing_is_not_said_any_more_when_a_part_comes(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation
):
    begin(qtbot, window)
    missing = NotInstalledYet("This needs “Measuring”, a part of the program that is still being prepared.")

    def measure(ctx: JobContext) -> None:
        raise missing

    handle = window.jobs.start("Measuring", measure, shown_after=0)
    qtbot.waitUntil(lambda: not handle.active)
    window.show_error(AppError("Something else went wrong."))
    assert len(window.banners.texts()) == 2
    fake.comes(MEASURING)
    qtbot.waitUntil(lambda: window.banners.texts() == ["Something else went wrong."])
    assert not [row for row in window.drawer.rows() if row.handle is handle]


def test_what_is_missing_leads_to_the_parts(qtbot: QtBot, window: MainWindow, fake: FakeInstallation):
    begin(qtbot, window)
    window.show_error(NotInstalledYet("This needs “Measuring”, a part of the program that is still being prepared."))
    (action,) = window.banners.findChildren(LinkButton)
    qtbot.waitUntil(action.isVisible)
    qtbot.mouseClick(action, Qt.MouseButton.LeftButton)
    assert window.parts_page.isVisible()


def test_panels_look_again_when_a_part_comes(
    qtbot: QtBot, window: MainWindow, fake: FakeInstallation, monkeypatch: pytest.MonkeyPatch
):
    window.show_panel("models")
    looked: list[str] = []
    panel = window.panels["models"]
    monkeypatch.setattr(panel, "refresh", lambda: looked.append("models"))
    begin(qtbot, window)
    window.show_panel("models")
    looked.clear()
    fake.comes(MEASURING)
    qtbot.waitUntil(lambda: looked == ["models"])


def test_the_next_call_finds_what_was_installed(qtbot: QtBot, window: MainWindow, fake: FakeInstallation):
    from biasprint.core.compute import models, quick, shared

    renewed: list[str] = []
    begin(qtbot, window)
    with pytest.MonkeyPatch.context() as patch:
        for process in (shared, models, quick):
            patch.setattr(process(), "renew", partial(renewed.append, process.__name__))
        fake.comes(MEASURING)
        qtbot.waitUntil(lambda: sorted(renewed) == ["models", "quick", "shared"])


def test_closing_the_window_ends_it_without_a_question(qtbot: QtBot, window: MainWindow, fake: FakeInstallation):
    begin(qtbot, window)
    assert all(handle.quiet for handle in window.jobs.active())
    window.jobs.cancel_all()
    qtbot.waitUntil(lambda: fake.cancelled == 1)


def test_the_fake_is_asked_as_the_room_is():
    for name in ("status", "goes_on_unasked", "prepare"):
        own = list(inspect.signature(getattr(FakeInstallation, name)).parameters)[1:]
        assert own == list(inspect.signature(getattr(installation, name)).parameters)[: len(own)]
