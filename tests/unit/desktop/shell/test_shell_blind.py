"""What the window does not say, and does not have, while a rater is blind. The whole search is in tests/e2e."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import board_scene as scene
import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.project.specs import PlanSpec, RaterSpec
from biasprint.core.project.stores.judging import LOOK
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.jobs import JobState
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.charts.dashboard import Wall
from biasprint.desktop.widgets import Button, Label, Notice
from biasprint.desktop.window_commands import file_menu

LOOKS_AT_HOME = True
SECRETS = ("castle", "llama", "race", "recent_study")


@pytest.fixture
def window(qtbot: QtBot, make_window: Callable[..., MainWindow], file: Path) -> MainWindow:
    """The window on the project castle.biasprint, before anybody rates."""
    made = make_window()
    with qtbot.waitSignal(made.session.opened):
        made.open_project(file)
    made.settings.add_recent(Path("/studies/recent_study.biasprint"))
    made.show_panel("judge")
    qtbot.waitUntil(lambda: not made.jobs.active())
    return made


@pytest.fixture
def charted(qtbot: QtBot, window: MainWindow) -> MainWindow:
    """The same after a look at the charts."""
    for panel in ("charts", "judge"):
        window.show_panel(panel)
    qtbot.waitUntil(lambda: not window.jobs.active())
    return window


@pytest.fixture
def rating(window: MainWindow) -> MainWindow:
    window.notify("castle is open")
    window.show_notice(Notice("Opened castle.biasprint"))
    window.set_blind(True)
    return window


@pytest.fixture
def held(window: MainWindow) -> Iterator[threading.Event]:
    """Set it, and the jobs that wait for it go on."""
    release = threading.Event()
    yield release
    release.set()


def everything_said(window: MainWindow) -> str:
    """Every text that can be seen in the window, on it, or heard by a screen reader."""
    said = [window.windowTitle()]
    for widget in window.findChildren(QWidget):
        if widget.isVisible():
            said += [widget.accessibleName(), widget.toolTip(), widget.accessibleDescription()]
            said.append(widget.text() if isinstance(widget, Label | QAbstractButton | QLineEdit) else "")
    return "\n".join(said)


def fail(ctx: JobContext) -> None:
    raise AppError("llama-3 did not answer.")


# what it says


def test_a_blind_window_names_nothing(rating: MainWindow):
    said = everything_said(rating)
    assert not [secret for secret in SECRETS if secret in said]
    assert rating.windowTitle() == "Biasprint"


def test_the_rail_folds_while_rating_and_comes_back(qtbot: QtBot, window: MainWindow):
    window.resize(1280, 800)
    wide = window.rail.width()
    window.set_blind(True)
    assert window.rail.width() < wide / 2
    assert window.rail.button("judge").accessibleName() == "Judge", "screen readers and keys still find it"
    window.set_blind(False)
    assert window.rail.width() == wide
    window.resize(820, 600)
    qtbot.waitUntil(lambda: window.rail.width() < wide / 2)
    window.set_blind(True)
    window.set_blind(False)
    assert window.rail.width() < wide / 2, "a narrow window folds it by itself"


def test_what_is_said_while_blind_names_nothing(qtbot: QtBot, rating: MainWindow, file: Path):
    with qtbot.waitSignal(rating.jobs.ended):
        rating.jobs.start("Generate with llama-3 on race", fail)
    with qtbot.waitSignal(rating.jobs.ended):
        rating.jobs.start("Import", lambda ctx: 1, done_text="llama-3 wrote for race.")
    rating.notify(f"Saved in {file}")
    rating.show_error(AppError(f"“{file}” cannot be written to.", hint="Look at castle.", details="race"))
    said = everything_said(rating)
    assert not [secret for secret in SECRETS if secret in said]
    assert "“the project” cannot be written to. Look at the project." in said


def test_only_the_whole_name_of_a_project_is_masked(rating: MainWindow):
    rating.show_error(AppError("Sandcastles are no castle."))
    assert rating.banners.texts() == ["Sandcastles are no the project."]


def test_errors_held_back_while_blind_are_shown_afterwards(qtbot: QtBot, rating: MainWindow):
    with qtbot.waitSignal(rating.jobs.ended):
        rating.jobs.start("Generate", fail)
    rating.set_blind(False)
    assert rating.banners.texts() == ["llama-3 did not answer."]
    assert rating.windowTitle() == "castle — Biasprint"


def test_a_project_that_cannot_be_opened_meanwhile_is_told_of_afterwards(
    qtbot: QtBot, rating: MainWindow, tmp_path: Path
):
    with qtbot.waitSignal(rating.session.failed):
        rating.open_project(tmp_path / "recent_study.biasprint")
    assert rating.blindfold.on
    assert rating.banners.texts() == []
    rating.set_blind(False)
    assert "recent_study" in rating.banners.texts()[0]


def test_read_only_banner_is_kept_without_name_or_the_way_to_it(qtbot: QtBot, window: MainWindow, file: Path):
    window.session.close()
    qtbot.waitUntil(lambda: not window.jobs.active())
    file.chmod(0o444)
    with qtbot.waitSignal(window.session.opened):
        window.session.open(file, read_only=True)
    window.project.read_only = f"“{file.name}” cannot be written to: it is open read-only."
    window.set_blind(True)
    assert window.banners.texts() == ["The project is open read-only."]
    assert [button.text() for button in window.banners.findChildren(Button) if button.isVisible()] == []
    window.set_blind(False)
    assert "castle.biasprint" in window.banners.texts()[0]
    assert "Save a copy…" in [button.text() for button in window.banners.findChildren(Button) if button.isVisible()]


def test_commands_and_menu_do_not_unblind(rating: MainWindow):
    rating.offer_commands()
    assert not [title for title in rating.palette_box.titles() if "recent" in title or "Open" in title]
    menu = file_menu(rating)
    usable = [action.text() for action in menu.actions() if action.isEnabled() and action.text()]
    assert not [text for text in usable if "Open" in text or "recent" in text]
    menu.deleteLater()


def test_nothing_that_is_dropped_is_taken_while_blind(rating: MainWindow, file: Path):
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file))])
    buttons, modifiers = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, data, buttons, modifiers)
    enter.ignore()
    QApplication.sendEvent(rating, enter)
    assert not enter.isAccepted()


# what it has


def test_the_project_is_out_of_reach_and_comes_back(window: MainWindow):
    project, recent = window.project, window.settings.recent()
    window.set_blind(True)
    assert window.project is None
    assert window.settings.recent() == []
    window.set_blind(False)
    assert window.project is project
    assert window.settings.recent() == recent
    assert not project.studies.all()  # and still answers


def test_panels_that_name_things_are_destroyed_and_built_anew_when_they_are_shown(charted: MainWindow):
    before = dict(charted.panels)
    charted.set_blind(True)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert {key for key, panel in before.items() if isValid(panel)} == {"judge"}
    assert set(charted.panels) == {"judge"}
    charted.set_blind(False)
    charted.show_panel("charts")
    assert charted.panels["charts"] is not before["charts"]
    assert charted.panels["charts"].project is charted.project


def test_the_wall_goes_when_a_rater_becomes_blind(qtbot: QtBot, charted: MainWindow):
    live = charted.panels["charts"].live
    live.show_data(scene.data(60))
    live.draw()
    live.toggle_wall()
    wall = live.wall
    assert wall.isVisible()
    charted.set_blind(True)
    assert not isValid(wall) or not wall.isVisible()  # at once: not when the loop comes to it
    assert not [one for one in QApplication.topLevelWidgets() if isinstance(one, Wall) and one.isVisible()]
    charted.set_blind(False)
    charted.show_panel("charts")
    assert charted.panels["charts"].live.wall is None


def test_writes_are_heard_of_again_after_the_rating(qtbot: QtBot, rating: MainWindow, file: Path):
    rating.set_blind(False)
    with qtbot.waitSignal(rating.session.changed):
        rating.project.events.add("test", {})
    rating.session.close()
    qtbot.waitUntil(lambda: not rating.jobs.active())
    Project.open(file).close()  # would raise ProjectInUse were it still held


def test_a_job_that_ends_meanwhile_is_told_of_afterwards(qtbot: QtBot, window: MainWindow, held: threading.Event):
    heard: list[object] = []
    handle = window.jobs.start(
        "Generate with llama", lambda ctx: held.wait() and "race", on_done=heard.append, done_text=lambda text: text
    )
    window.set_blind(True)
    assert handle.title == "A job"
    held.set()
    qtbot.waitUntil(lambda: not handle.active)
    assert (handle.state, handle.result, handle.result_text, heard) == (JobState.DONE, None, "", [])
    assert handle not in window.jobs.active()
    window.set_blind(False)
    qtbot.waitUntil(lambda: heard == ["race"])
    assert (handle.title, handle.result_text) == ("Generate with llama", "race")
    assert window.status.notice.whole_text() == "race"


def test_a_panel_that_was_destroyed_hears_nothing_of_the_job_it_started(
    qtbot: QtBot, charted: MainWindow, held: threading.Event
):
    charts, heard = charted.panels["charts"], []
    handle = charted.jobs.start("Reading", lambda ctx: held.wait(), on_done=lambda _: heard.append(charts))
    handle.changed.connect(lambda: heard.append(charts.title))
    charted.set_blind(True)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    held.set()
    qtbot.waitUntil(lambda: not handle.active)
    charted.set_blind(False)
    qtbot.waitUntil(lambda: handle.result is True)
    assert heard == []


def test_a_project_that_was_on_its_way_takes_the_place_after_the_rating(
    qtbot: QtBot, window: MainWindow, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: threading.Event
):
    other = tmp_path / "other.biasprint"
    Project.create(other).close()
    really_open = Project.open
    monkeypatch.setattr(Project, "open", lambda path, **how: held.wait() and really_open(path, **how))
    window.open_project(other)
    window.set_blind(True)
    held.set()
    qtbot.waitUntil(lambda: not window.jobs.active())
    assert window.project is None
    assert window.blindfold.on
    with qtbot.waitSignal(window.session.opened):
        window.set_blind(False)
    assert window.project.path == other
    qtbot.waitUntil(lambda: not window.jobs.active())
    monkeypatch.undo()
    Project.open(file).close()


# leaving


@pytest.fixture
def begun(rating: MainWindow) -> MainWindow:
    """R01 has begun."""

    def begin(project: Project) -> None:
        study = project.studies.add("creativity", "Creativity").number("study")
        plan = project.judging.add_plan(PlanSpec(study_id=study, title="race", axis="race", seed=1), [])
        rater = project.judging.add_rater(RaterSpec(code="R01")).uuid("rater")
        project.judging.open_session(plan.uuid("plan"), rater)

    rating.blindfold.with_project(begin)
    return rating


def question_of(qtbot: QtBot, window: MainWindow) -> Question:
    qtbot.waitUntil(lambda: window.findChild(Question) is not None)
    question = window.findChild(Question)
    assert question is not None
    return question


def test_a_look_from_a_rating_is_asked_about_and_escape_stays(qtbot: QtBot, begun: MainWindow):
    rating = begun
    qtbot.mouseClick(rating.rail.button("charts"), Qt.MouseButton.LeftButton)
    question = question_of(qtbot, rating)
    assert rating.current == "judge"
    assert rating.rail.button("judge").isChecked()
    qtbot.keyClick(question, Qt.Key.Key_Escape)
    assert rating.current == "judge"
    assert rating.blindfold.on


def test_one_can_look_anyway_and_it_is_written_down_first(qtbot: QtBot, begun: MainWindow):
    begun.show_panel("charts")
    question_of(qtbot, begun).risky_button.click()
    qtbot.waitUntil(lambda: begun.current == "charts")
    assert not begun.blindfold.on
    assert begun.project is not None
    assert [row.value for row in begun.project.annotations.of_kind(LOOK)] == [{"where": "charts"}]


def test_where_nobody_is_in_the_middle_of_rating_nothing_is_asked(qtbot: QtBot, rating: MainWindow):
    rating.show_panel("charts")
    qtbot.waitUntil(lambda: rating.current == "charts")
    assert not rating.blindfold.on


def test_home_names_no_identity_and_is_left_to_unasked(rating: MainWindow):
    rating.show_panel("home")
    assert (rating.current, rating.blindfold.on) == ("home", False)


def test_settings_can_be_seen_while_blind(rating: MainWindow):
    rating.show_panel("settings")
    assert rating.current == "settings"
    assert rating.blindfold.on
