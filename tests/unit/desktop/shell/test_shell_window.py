"""The window: its rail, its messages, its keys, and what is dropped on it."""

import pkgutil
import sqlite3
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest
from left_behind import PATIENCE, put_away
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSize, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QFileDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from biasprint import core, desktop
from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import Question, TextDialog
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels import PANELS, PanelEntry
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.settings import Settings
from biasprint.desktop.warm_up import is_importing
from biasprint.desktop.widgets import Button, Label, PrimaryButton
from biasprint.desktop.window_commands import (
    EVERYWHERE,
    AboutDialog,
    HelpDialog,
    help_pages,
    help_text,
    window_commands,
)

MODULE = "panels_of_the_shell_test"


class Recorded(Panel):
    """A panel that writes down what happens to it."""

    concerns: ClassVar[frozenset[str]] = frozenset({"output"})

    def build(self) -> None:
        self.log = ["build"]
        self.body.addWidget(Label("work"))
        self.body.addWidget(PrimaryButton("Do it"))

    def refresh(self) -> None:
        self.log.append("refresh")

    def changed(self, changes: Changes) -> None:
        self.log.append(f"changed {sorted(changes.of('output'))}")

    def opened_with(self, **what: Any) -> None:
        self.log.append(f"with {what}")

    def project_opened(self, project: Project) -> None:
        self.log.append(f"opened {project.path.stem}")

    def project_closed(self) -> None:
        self.log.append("closed")


class First(Recorded):
    key, title = "home", "Home"


class Judge(Recorded):
    key, title = "judge", "Judge"


class Charts(Recorded):
    key, title = "charts", "Charts"


ENTRIES = (
    PanelEntry("home", "Home", "home", f"{MODULE}:First", needs_project=False),
    PanelEntry("judge", "Judge", "judge", f"{MODULE}:Judge", blind_safe=True),
    PanelEntry("charts", "Charts", "charts", f"{MODULE}:Charts"),
    *(entry for entry in PANELS if entry.key == "settings"),
)


@pytest.fixture(autouse=True)
def panel_module(monkeypatch: pytest.MonkeyPatch):
    module = ModuleType(MODULE)
    for panel in (First, Judge, Charts):
        setattr(module, panel.__name__, panel)
    monkeypatch.setitem(sys.modules, MODULE, module)


@pytest.fixture
def window(make_window: Callable[..., MainWindow]) -> MainWindow:
    return make_window(ENTRIES)


@pytest.fixture
def project(qtbot: QtBot, window: MainWindow, file: Path) -> Project:
    with qtbot.waitSignal(window.session.opened):
        window.open_project(file)
    assert window.project is not None
    return window.project


def log_of(window: MainWindow, key: str) -> list[str]:
    panel = window.panels[key]
    assert isinstance(panel, Recorded)
    return panel.log


# the rail and the panels


@pytest.mark.parametrize("entry", PANELS, ids=lambda entry: entry.key)
def test_each_panel_of_the_rail_is_there_and_says_the_same_of_itself(entry: PanelEntry):
    panel = entry.load()
    assert issubclass(panel, Panel)
    assert (panel.key, panel.title) == (entry.key, entry.title)


def test_a_mistyped_panel_is_an_error(qtbot: QtBot, make_window: Callable[..., MainWindow]):
    window = make_window((*ENTRIES, PanelEntry("ghost", "Ghost", "home", "biasprint.desktop.panels.ghost:GhostPanel")))
    qtbot.waitUntil(lambda: not is_importing(), timeout=10_000)  # as the first window of a process lets it
    with pytest.raises(ModuleNotFoundError, match="ghost"):
        window.show_panel("ghost")


def test_rail_shows_the_panels_of_a_project_once_one_is_open(window: MainWindow, project: Project):
    assert window.rail.shown() == ["home", "judge", "charts", "settings"]


def test_a_panel_is_built_at_its_first_show(window: MainWindow, project: Project):
    assert set(window.panels) == {"home"}
    window.show_panel("charts")
    assert log_of(window, "charts") == ["build", "opened castle", "refresh"]
    window.show_panel("home")
    window.show_panel("charts")
    assert log_of(window, "charts") == ["build", "opened castle", "refresh"]


def test_a_panel_is_told_what_it_was_sent_about(window: MainWindow, project: Project):
    window.show_panel("charts", finding=3)
    assert log_of(window, "charts")[-1] == "with {'finding': 3}"


def test_a_click_on_the_rail_goes_there(qtbot: QtBot, window: MainWindow, project: Project):
    qtbot.mouseClick(window.rail.button("charts"), Qt.MouseButton.LeftButton)
    assert window.current == "charts"
    assert window.stack.currentWidget() is window.panels["charts"]


def test_changes_reach_only_whom_they_concern_and_wait_for_who_is_hidden(window: MainWindow, project: Project):
    window.show_panel("charts")
    home, charts = log_of(window, "home"), log_of(window, "charts")
    home.clear()
    charts.clear()
    window.session.changed.emit(Changes.to("event", [1]))
    assert (home, charts) == ([], [])
    window.session.changed.emit(Changes.to("output", [7]))
    assert (home, charts) == ([], ["changed [7]"])
    window.show_panel("home")
    assert home == ["refresh"]


def test_what_a_panel_says_of_itself_goes_with_it(window: MainWindow, project: Project):
    window.show_panel("judge")
    window.set_status("Active time 5 min")
    window.show_panel("judge")
    assert window.status.panel.whole_text() == "Active time 5 min"
    window.show_panel("charts")
    assert window.status.panel.whole_text() == ""


def test_closing_the_project_goes_home(qtbot: QtBot, window: MainWindow, project: Project):
    window.show_panel("charts")
    with qtbot.waitSignal(window.session.closed):
        window.session.close()
    assert window.current == "home"
    assert window.rail.shown() == ["home", "settings"]
    assert log_of(window, "charts")[-1] == "closed"
    assert log_of(window, "home")[-2:] == ["closed", "refresh"]
    assert window.windowTitle() == "Biasprint"


def test_window_and_status_line_name_the_project(qtbot: QtBot, window: MainWindow, project: Project):
    assert window.windowTitle() == "castle — Biasprint"
    assert window.status.project.whole_text() == "castle"
    assert window.status.saved.text() == "Project saved"
    qtbot.waitUntil(lambda: window.status.offline.whole_text() == "Connects only when asked")


def test_an_opened_project_is_among_the_recent_ones(window: MainWindow, project: Project):
    assert window.settings.recent() == [project.path]


# messages


def test_a_project_that_is_not_there_is_said_and_forgotten(qtbot: QtBot, window: MainWindow, tmp_path: Path):
    gone = tmp_path / "gone.biasprint"
    window.settings.add_recent(gone)
    with qtbot.waitSignal(window.session.failed):
        window.open_project(gone)
    assert "gone.biasprint" in window.banners.texts()[0]
    assert window.settings.recent() == []


def test_read_only_project_says_so_until_it_is_closed(qtbot: QtBot, window: MainWindow, file: Path):
    with qtbot.waitSignal(window.session.opened):
        window.session.open(file, read_only=True)
    assert any("read-only" in text for text in window.banners.texts())
    assert not window.status.saved.isVisible()
    with qtbot.waitSignal(window.session.closed):
        window.session.close()
    assert window.banners.texts() == []


def test_damaged_rows_that_a_panel_meets_are_told_of_once(qtbot: QtBot, window: MainWindow, file: Path):
    with Project.open(file) as project:
        project.studies.add("letters", "Whole")
        project.studies.add("news", "Damaged")
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE study SET settings = '{' WHERE title = 'Damaged'")
    with qtbot.waitSignal(window.session.opened):
        window.open_project(file)
    assert window.project is not None
    for _ in range(2):
        assert "Damaged" not in {study.title for study in window.project.studies.all()}
    said = "1 row of this project is damaged and left out of everything: study 2."
    qtbot.waitUntil(lambda: [text.partition(" The rest")[0] for text in window.banners.texts()] == [said])
    with qtbot.waitSignal(window.session.closed):
        window.session.close()
    assert window.banners.texts() == []


def test_save_a_copy_of_a_read_only_project_goes_on_with_the_copy(
    qtbot: QtBot, window: MainWindow, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with qtbot.waitSignal(window.session.opened):
        window.session.open(file, read_only=True)
    target = tmp_path / "mine"
    monkeypatch.setattr("biasprint.desktop.dialogs.question.QFileDialog.getSaveFileName", lambda *_: (str(target), ""))
    save = next(button for button in window.banners.findChildren(Button) if button.text() == "Save a copy…")
    with qtbot.waitSignal(window.session.opened):
        save.click()
    assert window.project is not None
    assert window.project.path == tmp_path / "mine.biasprint"
    assert not window.project.read_only
    assert window.banners.texts() == []


def test_error_of_a_job_is_shown_in_the_one_place(qtbot: QtBot, window: MainWindow):
    def fail(ctx: JobContext) -> None:
        raise AppError("The model file is missing.", hint="Get it under Models.")

    with qtbot.waitSignal(window.jobs.ended):
        window.jobs.start("Generate", fail)
    assert window.banners.texts() == ["The model file is missing. Get it under Models."]


def test_a_finished_job_leaves_one_quiet_notice(qtbot: QtBot, window: MainWindow):
    with qtbot.waitSignal(window.jobs.ended):
        window.jobs.start("Import", lambda ctx: 3, done_text="3 letters were imported.")
    assert window.status.notice.whole_text() == "3 letters were imported."
    assert window.banners.texts() == []


def test_setting_that_cannot_be_saved_is_said_and_holds(
    qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch
):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("biasprint.desktop.settings.os.replace", full)
    with qtbot.waitSignal(window.jobs.failed):
        window.settings.set("theme", "dark")
    assert "could not be saved" in window.banners.texts()[0]
    assert theme.current().name == "dark"


# keyboard and accessibility


@pytest.mark.parametrize("key", ["home", "charts", "settings"])
def test_every_control_is_named(window: MainWindow, project: Project, key: str):
    window.show_panel(key)
    window.show_error(AppError("Something happened.", hint="Do this."))
    unnamed = [
        widget
        for widget in window.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and isinstance(widget, QAbstractButton | QLineEdit)
        and not (widget.accessibleName() or (isinstance(widget, QAbstractButton) and widget.text()))
    ]
    assert unnamed == []


def test_every_part_is_reached_by_f6(qtbot: QtBot, window: MainWindow, project: Project):
    window.show_error(AppError("Something happened."))
    window.activateWindow()
    reached = []
    for _ in range(3):
        qtbot.keyClick(window, Qt.Key.Key_F6)
        focused = QApplication.focusWidget()
        parts = (window.rail, window.banners, window.stack)
        reached.append(next(part for part in parts if part.isAncestorOf(focused)))
    assert set(reached) == {window.rail, window.banners, window.stack}


def test_every_control_of_the_window_is_reached_by_tab(qtbot: QtBot, window: MainWindow, project: Project):
    window.activateWindow()
    wanted = {window.rail.brand, *(window.rail.button(key) for key in ("home", "settings"))}
    wanted.add(window.panels["home"].findChild(PrimaryButton))
    seen = set()
    window.rail.brand.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(20):
        seen.add(QApplication.focusWidget())
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
    # The rail's entries are one group: Tab reaches the chosen one, the arrows the others.
    assert {window.rail.brand, window.rail.button("home"), window.panels["home"].findChild(PrimaryButton)} <= seen


def test_the_keyboard_shows_where_it_is(qtbot: QtBot, window: MainWindow):
    window.activateWindow()
    button = window.rail.button("home")
    before = button.grab().toImage()
    button.setFocus(Qt.FocusReason.TabFocusReason)
    assert button.grab().toImage() != before


def test_no_control_wears_the_ring_before_the_keyboard_is_used(qtbot: QtBot, window: MainWindow):
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)
    assert QApplication.focusWidget() is window.panels["home"], "the page as a whole, which wears none"


def test_numbered_keys_go_to_panels(qtbot: QtBot, window: MainWindow, project: Project):
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)
    assert window.current == "charts"


def test_palette_finds_and_runs_a_command(qtbot: QtBot, window: MainWindow, project: Project):
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    assert window.palette_box.isVisible()
    qtbot.keyClicks(window.palette_box.field, "charts")
    assert window.palette_box.titles() == ["Go to Charts"]
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    assert window.current == "charts"
    assert window.palette_box.isHidden()


def test_palette_goes_away_on_escape(qtbot: QtBot, window: MainWindow):
    window.offer_commands()
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Escape)
    assert window.palette_box.isHidden()


@pytest.mark.parametrize("way", ["escape", "command"])
def test_the_palette_gives_the_keyboard_back(qtbot: QtBot, window: MainWindow, project: Project, way: str):
    window.activateWindow()
    button = window.panels["home"].findChild(PrimaryButton)
    button.setFocus()
    window.offer_commands()
    assert QApplication.focusWidget() is window.palette_box.field
    if way == "escape":
        qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Escape)
    else:
        qtbot.keyClicks(window.palette_box.field, "theme: dark")
        qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    assert QApplication.focusWidget() is button


def test_f1_opens_help_for_the_panel_one_is_in(qtbot: QtBot, window: MainWindow, project: Project):
    window.show_panel("judge")
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_F1)
    (page,) = window.findChildren(TextDialog)
    qtbot.waitUntil(page.isVisible)
    assert page.windowTitle() == "Help: Judge"
    assert "B / Ctrl+Z   Go back and revise" in page.text.toPlainText()
    qtbot.keyClick(page, Qt.Key.Key_Escape)


def test_every_key_is_on_one_sheet(qtbot: QtBot, window: MainWindow, project: Project):
    window.show_panel("judge")
    window.activateWindow()
    qtbot.keyClick(window, Qt.Key.Key_F1, Qt.KeyboardModifier.ShiftModifier)
    (page,) = window.findChildren(TextDialog)
    qtbot.waitUntil(page.isVisible)
    *_, everywhere, judging = page.text.toPlainText().split("\n\n")
    assert {f"{one.keys}   {one.title}" for one in window_commands(window) if one.keys} <= set(everywhere.splitlines())
    assert "B / Ctrl+Z   Go back and revise" in judging
    qtbot.keyClick(page, Qt.Key.Key_Escape)


@pytest.mark.parametrize("entry", PANELS, ids=lambda entry: entry.key)
def test_every_panel_has_help(window: MainWindow, entry: PanelEntry):
    assert len(help_text(entry.key, window)) > len(EVERYWHERE) + 80


def dialogs() -> set[type[QDialog]]:
    """Every dialog of the program that does more than show a text, ask one question, or ask for a file."""
    for module in pkgutil.walk_packages(desktop.__path__, f"{desktop.__name__}."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    seen: set[type[QDialog]] = set()
    waiting = [QDialog]
    while waiting:
        subclasses = [one for one in waiting.pop().__subclasses__() if one.__module__.startswith(desktop.__name__)]
        waiting += subclasses
        seen |= set(subclasses)
    explained = (TextDialog, Question, QFileDialog)
    return {one for one in seen if not issubclass(one, explained) and not one.__subclasses__()}


def test_every_dialog_has_help_and_no_page_is_of_nothing():
    listed = {one.__name__ for one in dialogs()}
    assert {"NewAuditDialog", "ImportDialog", "HouseDialog"} <= listed
    assert set(help_pages()) == listed | {entry.key for entry in PANELS}


class BackupsDialog(QDialog):
    """A dialog of the name that has a page, over the window."""


@pytest.mark.parametrize("modal", [True, False], ids=["modal", "beside the window"])
def test_f1_in_a_dialog_opens_its_page_and_a_second_one_takes_its_place(qtbot: QtBot, window: MainWindow, modal: bool):
    dialog = BackupsDialog(window)
    dialog.setWindowTitle("Backups")
    field = QLineEdit(dialog)
    dialog.setModal(modal)
    dialog.show()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_F1)
    qtbot.waitUntil(lambda: [page.windowTitle() for page in window.findChildren(HelpDialog)] == ["Help: Backups"])
    qtbot.waitUntil(lambda: window.findChildren(HelpDialog)[0].isActiveWindow())
    page = window.findChildren(HelpDialog)[0]
    assert help_pages()["BackupsDialog"][0] in page.text.toPlainText()
    qtbot.keyClick(page.text, Qt.Key.Key_F1)
    assert window.findChildren(HelpDialog) == [page], "help has no help of its own"
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    dialog.close()


def test_f1_in_a_question_opens_the_page_of_the_panel(qtbot: QtBot, window: MainWindow, project: Project):
    window.show_panel("judge")
    question = Question(window, title="Sure?", text="Really?", safe="No", risky="Yes", on_risky=lambda: None)
    question.open()
    qtbot.waitUntil(question.isActiveWindow)
    question.safe_button.setFocus()
    qtbot.keyClick(question.safe_button, Qt.Key.Key_F1)
    qtbot.waitUntil(lambda: [page.windowTitle() for page in window.findChildren(HelpDialog)] == ["Help: Judge"])
    question.close()


def test_palette_says_when_there_is_no_such_command(qtbot: QtBot, window: MainWindow):
    window.offer_commands()
    qtbot.keyClicks(window.palette_box.field, "zzz")
    assert window.palette_box.titles() == []
    qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)
    assert window.palette_box.isVisible()


def test_text_grows_and_shrinks_by_key_within_its_limits(qtbot: QtBot, window: MainWindow):
    window.activateWindow()
    for _ in range(15):
        qtbot.keyClick(window, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert theme.current().scale == 2.0
    for _ in range(15):
        qtbot.keyClick(window, Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier)
    assert theme.current().scale == 0.8


# layout


@pytest.mark.parametrize("percent", [80, 100, 150, 200])
def test_layout_fits_1280_by_720(qtbot: QtBot, window: MainWindow, project: Project, percent: int):
    window.resize(1280, 720)
    window.settings.set("font_percent", percent)
    QApplication.processEvents()
    assert window.size().toTuple() == (1280, 720), "the window had to grow"
    for key in window.rail.shown():
        button = window.rail.button(key)
        assert button.height() >= button.sizeHint().height()
        assert window.rail.rect().contains(button.geometry())
    buttons = [window.rail.button(key) for key in window.rail.shown()]
    tops = [button.mapTo(window, QPoint()).y() for button in buttons]
    assert all(below >= above + button.height() for above, below, button in zip(tops, tops[1:], buttons, strict=False))
    header = window.panels["home"].header
    assert header.title.height() >= header.title.fontMetrics().height()
    assert window.stack.width() >= 0.75 * 1280


@pytest.mark.parametrize("screen", [(720, 450), (1024, 600), (1280, 720)])
def test_the_window_opens_no_larger_than_its_screen(
    qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, screen: tuple[int, int]
):
    """The first is one of 1440×900 at scale 2."""
    monkeypatch.setattr(MainWindow, "screen", lambda _: SimpleNamespace(availableSize=lambda: QSize(*screen)))
    window = MainWindow(Settings(tmp_path / "settings.json"))
    for size in (window.size(), window.minimumSize()):
        assert size.width() <= screen[0]
        assert size.height() <= screen[1] - 20, "its title is on the screen, too"
    put_away(qtbot, window, PATIENCE)


def test_a_panel_has_the_keyboard_when_one_comes_to_it_and_keeps_it_when_a_page_of_it_goes(
    qtbot: QtBot, window: MainWindow
):
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for key in ("settings", "home"):
        window.show_panel(key)
        panel, focused = window.panels[key], QApplication.focusWidget()
        assert focused is panel or panel.isAncestorOf(focused)
    going = QLineEdit(window.panels["home"])
    going.show()
    going.setFocus()
    going.hide()
    assert not window.rail.brand.hasFocus()


def test_whoever_goes_through_the_rail_by_the_keyboard_stays_there(qtbot: QtBot, window: MainWindow):
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    entry = window.rail.button("settings")
    entry.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(entry, Qt.Key.Key_Return)
    assert window.current == "settings"
    assert entry.hasFocus()


def test_rail_keeps_its_names_until_they_take_the_room_of_the_work(window: MainWindow):
    window.resize(1280, 720)
    wide = window.rail.width()
    window.resize(800, 600)
    QApplication.processEvents()
    assert window.rail.width() < wide / 2
    assert window.rail.button("home").toolTip() == "Home"
    window.resize(1280, 720)
    QApplication.processEvents()
    assert window.rail.width() == wide


# files from outside


def dropped(window: MainWindow, *paths: Path) -> bool:
    """Drag files over the window and drop them; whether they were welcome."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    buttons, modifiers = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, data, buttons, modifiers)
    enter.ignore()
    QApplication.sendEvent(window, enter)
    if not enter.isAccepted():
        return False
    QApplication.sendEvent(window, QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, data, buttons, modifiers))
    return True


def test_a_dropped_project_is_opened(qtbot: QtBot, window: MainWindow, file: Path):
    with qtbot.waitSignal(window.session.opened):
        assert dropped(window, file)
    assert window.project is not None
    assert window.project.path == file


def test_only_files_of_this_computer_are_taken(window: MainWindow, tmp_path: Path):
    assert not dropped(window, tmp_path)  # a folder
    assert not dropped(window, tmp_path / "gone.csv")


# leaving


def wait_for_cancel(ctx: JobContext) -> None:
    while True:
        ctx.check()
        time.sleep(0.001)


@pytest.fixture
def quits(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    told: list[bool] = []
    monkeypatch.setattr("biasprint.desktop.main_window.QApplication.quit", lambda: told.append(True))
    return told


def test_closing_lets_go_of_the_project_and_keeps_the_settings(
    qtbot: QtBot, window: MainWindow, project: Project, quits: list[bool]
):
    window.settings.set("theme", "dark")
    window.close()
    qtbot.waitUntil(lambda: quits == [True])
    assert window.isHidden()
    Project.open(project.path).close()  # the file is free
    assert Settings(window.settings.path).get("theme") == "dark"


def test_closing_while_jobs_run_is_asked_about(qtbot: QtBot, window: MainWindow, quits: list[bool]):
    handle = window.jobs.start("Generate", wait_for_cancel)
    window.close()
    question = window.findChild(Question)
    assert question is not None
    qtbot.keyClick(question, Qt.Key.Key_Escape)
    assert window.isVisible()
    assert handle.active
    handle.cancel()
    qtbot.waitUntil(lambda: not handle.active)
    assert quits == []


def test_quitting_cancels_the_jobs_first(qtbot: QtBot, window: MainWindow, project: Project, quits: list[bool]):
    handle = window.jobs.start("Generate", wait_for_cancel)
    window.close()
    window.findChild(Question).risky_button.click()
    qtbot.waitUntil(lambda: quits == [True])
    assert not handle.active  # it ends only where it is cancelled


def test_quitting_does_not_wait_for_a_stubborn_job(qtbot: QtBot, window: MainWindow, quits: list[bool]):
    release = threading.Event()
    window.jobs.start("Stubborn", lambda ctx: release.wait(20))
    window.leaving.begin()
    qtbot.waitUntil(lambda: quits == [True], timeout=15_000)
    assert window.jobs.active()
    release.set()
    qtbot.waitUntil(lambda: not window.jobs.active())
    assert quits == [True]


def test_the_page_about_the_program_lists_licences_and_can_be_closed(qtbot: QtBot, window: MainWindow) -> None:
    (command,) = (each for each in window_commands(window) if each.title == "About and licences…")
    command.run()
    dialog = window.findChild(AboutDialog)
    assert dialog is not None
    qtbot.waitUntil(dialog.isVisible)
    text = dialog.text.toPlainText()
    assert text.startswith(f"Biasprint {core.__version__}\n")
    assert f"pyside6-essentials {version('PySide6-Essentials')}: LGPL-3.0-only" in text
    assert dialog.text.isReadOnly()
    assert not dialog.isModal()
    with qtbot.waitSignal(dialog.destroyed):
        dialog.close_button.click()
