"""The house list in the window: what is added holds for the letter in hand at once; files come in and go out."""

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from letters_scene import PATIENCE, kinds, opened, words
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from biasprint.core.jobs import JobContext
from biasprint.core.letters import mark_categories
from biasprint.core.letters.request import HouseList, entry, house_list, keep, path_of_list, read_list
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations import Operation
from biasprint.desktop.panels.letters import LettersPanel, house
from biasprint.desktop.panels.letters.house import House, HouseDialog

pytestmark = pytest.mark.usefixtures("own_computer")


@pytest.fixture
def dialog(qtbot: QtBot, window: MainWindow) -> HouseDialog:
    made = HouseDialog(window, window)
    qtbot.waitUntil(lambda: made.category.count() == 1 + len(mark_categories()), timeout=PATIENCE)  # all, and each
    return made


def cells(dialog: HouseDialog) -> list[tuple[str, ...]]:
    return [row.cells for row in dialog.table.table.rows]


def wait(qtbot: QtBot, holds: Callable[[], bool]) -> None:
    qtbot.waitUntil(holds, timeout=PATIENCE)


def test_entries_are_added_and_taken_away_and_kept(qtbot: QtBot, dialog: HouseDialog) -> None:
    assert not dialog.add.isEnabled()
    assert not dialog.send.isEnabled()
    dialog.words.setText("warm")
    dialog.add.click()
    wait(qtbot, lambda: cells(dialog) == [("warm", "never", "all", "")])
    assert dialog.words.text() == ""
    dialog.words.setText("culture fit")
    dialog.what.setCurrentIndex(1)
    assert not dialog.add.isEnabled()  # what is always marked needs a category
    assert dialog.add.toolTip()
    dialog.category.setCurrentIndex(dialog.category.findData("doubt"))
    dialog.reason.setText("It says nothing.")
    dialog.add.click()
    wait(qtbot, lambda: len(cells(dialog)) == 2)
    assert cells(dialog)[1] == ("culture fit", "always", "Doubt-raising", "It says nothing.")
    assert house_list().found == HouseList(
        (entry("warm", "ignore"), entry("culture fit", "mark", "doubt", "It says nothing."))
    )
    dialog.table.select("0")
    dialog.remove.click()
    wait(qtbot, lambda: [one[0] for one in cells(dialog)] == ["culture fit"])


def test_the_list_is_no_larger_than_a_small_window(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    window.resize(960, 540)  # of a screen of 1920 × 1080 pixels at 200 %
    made = HouseDialog(window, window)
    made.show()
    (tmp_path / "list.csv").write_text("words,what,category,reason\nwarm,ignore,,\n,ignore,,\n")
    made.take_file(tmp_path / "list.csv")
    wait(qtbot, made.told.isVisible)
    assert made.height() <= window.height()
    made.reject()


def test_what_cannot_be_added_is_said_and_stays_to_be_mended(qtbot: QtBot, dialog: HouseDialog) -> None:
    dialog.words.setText("(warm)")
    dialog.add.click()
    wait(qtbot, lambda: not dialog.trouble.isHidden())
    assert "That cannot be added" in dialog.trouble.text.text()
    assert dialog.words.text() == "(warm)"
    assert cells(dialog) == []


def test_a_file_is_imported_with_its_bad_lines_named_and_exported(
    qtbot: QtBot, dialog: HouseDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(HouseList((entry("warm", "ignore", "", "ours"),)))
    given, out = tmp_path / "theirs.csv", tmp_path / "out"
    given.write_text("words,what,category,reason\nwarm,ignore,,theirs\nkind,hide,,\n", encoding="utf-8")
    dialog.take_file(given)
    wait(qtbot, lambda: cells(dialog) == [("warm", "never", "all", "theirs")])
    assert dialog.told.text.text() == "1 entry was imported."
    assert "Line 3 was left out" in dialog.told.more.text()
    monkeypatch.setattr("PySide6.QtWidgets.QFileDialog.getSaveFileName", lambda *_: (str(out), ""))
    dialog.send.click()
    wait(qtbot, out.with_suffix(".csv").exists)
    assert read_list(out.with_suffix(".csv")).found == house_list().found


def test_an_import_says_what_was_on_the_list_already(qtbot: QtBot, dialog: HouseDialog, tmp_path: Path) -> None:
    keep(HouseList((entry("warm", "ignore", "", "ours"),)))
    given = tmp_path / "ours.csv"
    given.write_text("words,what,category,reason\nwarm,ignore,,ours\n", encoding="utf-8")
    dialog.take_file(given)
    wait(qtbot, lambda: dialog.told.text.text() == "1 entry was on the list already.")
    given.write_text("words,what,category,reason\nwarm,ignore,,ours\nkind,ignore,,\n", encoding="utf-8")
    dialog.take_file(given)
    wait(qtbot, lambda: dialog.told.text.text() == "1 entry was imported.")
    assert dialog.told.more.text() == "1 entry was on the list already."
    given.write_text("words,what,category,reason\n", encoding="utf-8")
    dialog.take_file(given)
    wait(qtbot, lambda: dialog.told.text.text() == "The file has no entries.")
    assert cells(dialog) == [("warm", "never", "all", "ours"), ("kind", "never", "all", "")]


def test_a_first_look_that_comes_late_takes_nothing_back(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, look = Event(), house.see_house_list()

    def work(ctx: JobContext) -> House:
        before = look.work(ctx)
        looks.wait(60)
        return before

    late = Operation(look.title, work, quiet=True)
    monkeypatch.setattr(house, "see_house_list", lambda: late)
    made = HouseDialog(window, window)
    given = tmp_path / "theirs.csv"
    given.write_text("words,what,category,reason\nwarm,ignore,,\n", encoding="utf-8")
    made.show()
    made.take_file(given)
    wait(qtbot, made.told.isVisible)
    looks.set()
    wait(qtbot, lambda: not window.jobs.active())
    assert made.told.isVisible()
    assert cells(made) == [("warm", "never", "all", "")]
    made.reject()


def test_a_damaged_list_is_said_and_never_written_over(qtbot: QtBot, window: MainWindow) -> None:
    path_of_list().parent.mkdir(parents=True, exist_ok=True)
    path_of_list().write_bytes(b"nonsense")
    dialog = HouseDialog(window, window)
    wait(qtbot, lambda: not dialog.trouble.isHidden())
    dialog.words.setText("warm")
    assert not dialog.add.isEnabled()
    assert path_of_list().read_bytes() == b"nonsense"


def test_the_chosen_mark_is_offered_and_its_letter_read_again(qtbot: QtBot, window: MainWindow) -> None:
    panel: LettersPanel = opened(qtbot, window)
    assert words(panel, "communal") == ["warm", "caring"]
    panel.review.select(next(item.key for item in panel.review.board.found.model.items if item.words == "“warm”"))
    panel.open_house_list()
    dialog = next(one for one in QApplication.topLevelWidgets() if isinstance(one, HouseDialog) and one.isVisible())
    wait(qtbot, lambda: dialog.category.count() > 0)
    assert dialog.words.text() == "warm"
    assert dialog.category.currentData() == "communal"
    QTest.mouseClick(dialog.add, Qt.MouseButton.LeftButton)
    wait(qtbot, lambda: words(panel, "communal") == ["caring"])
    assert "doubt" in kinds(panel)
    dialog.close_button.click()
