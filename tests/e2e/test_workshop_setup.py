"""Setting a workshop up in the real window: what it is held with, what it can show, and what stands in the way."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from outside_results import potato_answers
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot
from workshop_people import PATIENCE, People, always_one, make_project

from biasprint.core.compute import ComputeProcess
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.project.project import Project
from biasprint.desktop import theme
from biasprint.desktop.app import create_window, start
from biasprint.desktop.settings import Settings
from biasprint.desktop.widgets import Label


@pytest.fixture
def workshop() -> bool:
    return False


@pytest.fixture
def people(qtbot: QtBot, qapp: QApplication, tmp_path: Path, workshop: bool) -> Iterator[People]:
    theme.apply(qapp, "light", 1.0)
    file = tmp_path / "study.biasprint"
    make_project(file, comparisons=8, workshop=workshop)
    window = create_window(Settings(tmp_path / "settings.json"))
    window.resize(1280, 800)
    window.show()
    start(window, file)
    qtbot.waitUntil(lambda: window.project is not None and bool(window.current), timeout=PATIENCE)
    yield People(qtbot, window)
    freed: list[bool] = []
    window.session.close(lambda: freed.append(True))
    qtbot.waitUntil(lambda: bool(freed) and not window.jobs.active(), timeout=PATIENCE)
    assert window.jobs.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.unfreeze()


def words_of(widget: QWidget) -> list[str]:
    return [label.text() for label in widget.findChildren(Label)]


def test_comparisons_are_drawn_for_the_workshop_with_its_consent_and_without_notes(people: People):
    people.window.show_panel("fingerprint")
    setup = people.setup()
    people.wait(lambda: "of 20 people" in setup.power.text())
    assert setup.power.text().startswith("8 comparisons on one axis. A clear preference can stay unseen"), (
        "of eight themes no twenty can be drawn, so twenty are not promised"
    )
    setup.form.comparisons.setValue(6)
    setup.form.consent.setPlainText("You may stop.")
    setup.form.name.setText("Class 10b")
    people.wait(lambda: "6 comparisons" in setup.power.text())
    project = people.window.project
    people.click(setup.start)
    people.wait(lambda: people.room is not None)
    (plan,) = project.judging.plans()
    asked = PlanSettings.of(plan.settings)
    assert (asked.workshop, asked.consent_text, asked.notes) == (True, "You may stop.", False)
    assert plan.title == "Class 10b"
    assert project.judging.count(plan.id) == 6
    assert people.room.welcome.consent.text() == "You may stop."
    del project


def test_the_welcome_promises_for_what_was_drawn_not_for_what_was_asked(people: People):
    """There are eight themes, so twenty comparisons cannot be had."""
    people.window.show_panel("fingerprint")
    setup = people.setup()
    people.wait(lambda: "8 comparisons" in setup.power.text())
    people.click(setup.start)
    people.wait(lambda: people.room is not None)
    assert "8 times" in people.room.welcome.about.text()
    assert "11 of 20" not in people.room.welcome.power.text.text()


@pytest.mark.parametrize("workshop", [True])
def test_phones_get_their_seats_from_the_page_of_who_leads_and_their_answers_come_back(
    people: People, workshop: bool, tmp_path: Path, monkeypatch
):
    people.window.show_panel("fingerprint")
    setup = people.setup()
    people.wait(lambda: setup.start_seats.isEnabled())
    people.click(setup.start_seats)
    people.wait(lambda: people.room is not None and people.page is people.room.facilitator)
    box = people.room.facilitator.seats
    shared = tmp_path / "shared"
    shared.mkdir()
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(shared))
    box.seats.setValue(2)
    box.tool.setCurrentIndex(box.tool.findData("potato"))
    assert "slips with the codes" in box.about.text()
    people.click(box.make)
    people.wait(lambda: box.said.text() == "2 seats are in the folder “potato” there. Read its README.")
    codes = [
        line.split()[-1] for line in (shared / "potato" / "slips.txt").read_text().splitlines() if "Log in" in line
    ]
    potato_answers(shared / "potato", codes[0], lambda task: "B")
    people.click(box.collect)
    people.wait(lambda: box.said.text() == "1 seat is finished.")
    people.wait(lambda: people.counts() == "1 session was begun. 1 was finished.")
    assert not any(code in words for code in codes for words in words_of(people.window)), "nobody is told apart"
    people.click(people.room.facilitator.end)
    people.wait(lambda: people.room is None)


@pytest.mark.parametrize("workshop", [True])
def test_a_short_pin_is_refused_and_nothing_begins(people: People, workshop: bool):
    people.window.show_panel("fingerprint")
    setup = people.setup()
    people.wait(lambda: setup.start.isEnabled())
    setup.pin.setText("abc")
    people.click(setup.start)
    assert people.room is None
    assert any("at least 4 characters" in text for text in people.window.banners.texts())


@pytest.mark.parametrize("workshop", [True])
def test_a_place_that_cannot_be_opened_is_said_and_can_be_tried_again(people: People, workshop: bool, monkeypatch):
    from biasprint.core.judging import workshop as rules

    def full(*_: object) -> None:
        raise AppError("The disk is full.", hint="Free some space.")

    people.hold()
    with monkeypatch.context() as failing:
        failing.setattr(rules.WorkshopStore, "session", full)
        people.click(people.room.welcome.start)
        people.wait(lambda: people.room._told is not None)
    assert people.page is people.room.welcome
    assert "was not opened" in people.room._told.accessibleName()
    people.sit_down()
    people.judge(always_one, most=1)
    assert people.seat.control.view.progress.done == 1


@pytest.mark.parametrize("workshop", [True])
def test_a_picture_that_cannot_be_drawn_is_said_and_the_next_person_can_start(
    people: People, workshop: bool, monkeypatch
):
    def crash(*_: object, ctx: JobContext | None = None) -> None:
        raise AppError("The statistics stopped.", hint="Try again.")

    people.hold()
    people.sit_down()
    people.judge(always_one)
    monkeypatch.setattr(ComputeProcess, "call", crash)
    people.press("\r")
    picture = people.seat.picture
    people.wait(lambda: picture.pages.currentWidget() is picture.failed)
    assert "The statistics stopped." in picture.failed.text.text()
    people.next_person()


@pytest.mark.parametrize("workshop", [True])
def test_a_read_only_project_holds_no_workshop(people: People, workshop: bool, monkeypatch):
    people.window.show_panel("fingerprint")
    setup = people.setup()
    people.wait(lambda: setup.start.isEnabled())
    monkeypatch.setattr(people.window.project, "read_only", "Somebody else has it open.")
    people.click(setup.start)
    assert people.room is None
    assert any("read-only" in text for text in people.window.banners.texts())


def test_without_outputs_it_says_what_to_do(people: People, tmp_path: Path):
    Project.create(tmp_path / "empty.biasprint").close()
    people.window.open_project(tmp_path / "empty.biasprint")
    people.wait(lambda: people.window.project is not None and people.window.project.path.name == "empty.biasprint")
    people.window.show_panel("fingerprint")
    setup = people.setup()
    people.wait(lambda: "Generate some first" in setup.nothing.text())
    assert not setup.start.isEnabled()
