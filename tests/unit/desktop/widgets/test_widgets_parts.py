"""The small parts: plain text only, named for screen readers, in the theme's looks."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QSlider, QWidget
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError
from biasprint.desktop import theme
from biasprint.desktop.widgets import (
    Banners,
    Button,
    Chip,
    ElidedLabel,
    IconButton,
    KeyHint,
    Label,
    Notice,
    PrimaryButton,
    ProgressThin,
    QuietButton,
    StandInBadge,
    choice,
    spelled_seconds,
)
from biasprint.desktop.widgets.buttons import ChoiceButton
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.frame import Rail, RailButton, StatusLine
from biasprint.desktop.widgets.safe_text import safe_line
from biasprint.desktop.widgets.small_table import TableColumn, TextTable

MARKUP = "<b>bold</b><img src=x>"


@pytest.mark.parametrize("make", [Label, ElidedLabel, Chip, StandInBadge, KeyHint])
def test_labels_never_render_markup(qtbot: QtBot, make: type[Label]):
    label = make(MARKUP)
    qtbot.addWidget(label)
    assert label.textFormat() == Qt.TextFormat.PlainText


def test_elided_label_says_the_whole_in_its_tooltip(qtbot: QtBot):
    label = ElidedLabel("A very long name of a project that does not fit")
    qtbot.addWidget(label)
    label.resize(80, 20)
    label.show()
    assert label.text().endswith("…")
    assert label.toolTip() == label.accessibleName() == "A very long name of a project that does not fit"
    label.resize(2000, 20)
    assert label.text() == label.whole_text()
    assert label.toolTip() == ""


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_enter_presses_a_button_that_has_the_keyboard(qtbot: QtBot, key: Qt.Key):
    for button in (Button("One", key="1"), IconButton("close", "Close"), RailButton("Home", "home")):
        qtbot.addWidget(button)
        button.show()
        with qtbot.waitSignal(button.clicked):
            qtbot.keyClick(button, key)


@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_the_answer_that_was_given_looks_like_a_primary_button(qtbot: QtBot, qapp: QApplication, name: str):
    theme.apply(qapp, name)
    given, primary, quiet = ChoiceButton("Tie", key="0"), PrimaryButton("Tie", key="0"), QuietButton("Tie", key="0")
    frame = QWidget()
    qtbot.addWidget(frame)
    for place, button in enumerate((given, primary, quiet)):
        button.setParent(frame)
        button.setGeometry(0, 50 * place, 140, 40)

    def looks_like(other: Button) -> bool:
        seen = [frame.grab(button.geometry()).toImage() for button in (given, other)]  # a button alone has no corners
        return seen[0] == seen[1]

    assert looks_like(quiet)
    given.setChecked(True)
    assert looks_like(primary)
    qtbot.mouseClick(given, Qt.MouseButton.LeftButton)
    assert given.isChecked(), "a click only asks: who hears of it says what was answered"
    for button in (given, primary):
        button.setEnabled(False)
    assert looks_like(primary)
    theme.apply(qapp, "light")


def test_nothing_runs_to_and_fro_where_motion_is_reduced(qtbot: QtBot):
    bar = ProgressThin()
    qtbot.addWidget(bar)
    theme.set_reduced_motion(True)
    bar.set_progress(5, None)
    theme.set_reduced_motion(False)
    assert bar.maximum() > 0


def test_the_wheel_passes_over_a_field_that_nobody_went_to(qtbot: QtBot):
    slider = QSlider(Qt.Orientation.Horizontal)
    qtbot.addWidget(slider)
    guard_wheel(slider)
    slider.show()
    point, no_buttons = QPointF(5, 5), Qt.MouseButton.NoButton
    turn = QWheelEvent(
        point,
        point,
        QPoint(),
        QPoint(0, 120),
        no_buttons,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(slider, turn)
    assert slider.value() == 0
    assert not turn.isAccepted()
    slider.activateWindow()
    slider.setFocus()
    qtbot.waitUntil(slider.hasFocus)
    QApplication.sendEvent(slider, turn)
    assert slider.value() > 0


def error() -> AppError:
    return AppError(
        "The disk is full: <b>nothing</b> was saved.",
        kept="Your rating is kept.",
        hint="Free some space.",
        details="errno 28",
    )


def test_error_banner_says_what_happened_what_was_kept_what_to_do(qtbot: QtBot):
    banners = Banners()
    qtbot.addWidget(banners)
    notice = banners.show_error(error())
    assert notice.text.text() == "The disk is full: <b>nothing</b> was saved."
    assert notice.text.textFormat() == Qt.TextFormat.PlainText
    assert notice.more.text() == "Your rating is kept. Free some space."
    copy = next(button for button in notice.findChildren(Button) if button.accessibleName() == "Copy details")
    copy.click()
    assert "errno 28" in QGuiApplication.clipboard().text()
    assert "The disk is full" in QGuiApplication.clipboard().text()


def test_the_same_error_is_not_said_twice(qtbot: QtBot):
    banners = Banners()
    qtbot.addWidget(banners)
    banners.show_error(error())
    banners.show_error(error())
    assert len(banners.texts()) == 1


def test_two_banners_at_most_and_the_newest_on_top(qtbot: QtBot):
    banners = Banners()
    qtbot.addWidget(banners)
    for text in ("first", "second", "third"):
        banners.show_notice(Notice(text))
    assert banners.texts() == ["third", "second"]


def test_a_lasting_banner_is_not_pushed_out(qtbot: QtBot):
    banners = Banners()
    qtbot.addWidget(banners)
    banners.show_notice(Notice("It is open read-only.", closable=False), key="read-only")
    for text in ("first", "second", "third"):
        banners.show_notice(Notice(text))
    assert banners.texts() == ["third", "It is open read-only."]


def test_status_line_never_says_saved_by_itself(qtbot: QtBot):
    status = StatusLine()
    qtbot.addWidget(status)
    status.show()
    assert not status.saved.isVisible()
    for state, words in (("saved", "Saved"), ("saving", "Saving…"), ("failed", "Not saved")):
        status.set_saved(state)
        assert status.saved.isVisible()
        assert status.saved.text() == words
    status.set_saved("saved", "Saved 12:04")
    assert status.saved.text() == "Saved 12:04"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (59.4, "59 s"), (90, "2 min"), (3600, "1 h 0 min"), (7800, "2 h 10 min")]
)
def test_durations_are_spelled_short(seconds: float, words: str):
    assert spelled_seconds(seconds) == words


def test_labels_in_the_window_cannot_be_flooded():
    assert len(safe_line("x" * 10**6)) <= 1000


def test_no_choice_is_shown_in_a_box_that_cuts_its_text_off() -> None:
    root = Path(choice.__file__).parents[1]
    assert [path.name for path in root.rglob("*.py") if "QComboBox" in path.read_text("utf-8")] == ["choice.py"]


def test_the_entries_of_a_rail_share_a_low_window_alike(qtbot: QtBot, qapp: QApplication):
    theme.apply(qapp, "light", 2.0)
    rail = Rail()
    qtbot.addWidget(rail)
    entries = [rail.add(f"panel {n}", f"Panel {n}", "home", at_bottom=n == 11) for n in range(12)]
    for height in (720, 1400):
        rail.resize(rail.width(), height)
        rail.show()
        qapp.processEvents()
        assert rail.height() == height, "its entries need more"
        heights = {entry.height() for entry in (rail.brand, *entries)}
        assert max(heights) - min(heights) <= 1
        assert all(rail.rect().contains(entry.geometry()) for entry in entries)
    assert heights == {rail.brand.sizeHint().height()}, "there is room for all"
    assert [entry.y() for entry in entries] == sorted(entry.y() for entry in entries)
    assert entries[-1].geometry().bottom() > rail.height() - 20


def test_a_column_that_is_shown_again_has_room_for_its_title(qtbot: QtBot, qapp: QApplication):
    title = "A title that is wider than its column"
    table = TextTable("Findings", (TableColumn("Finding"), TableColumn(title, 40)))
    qtbot.addWidget(table)
    for width in (200, 900):  # without room for it, and with it
        table.resize(width, 300)
        table.show()
        qapp.processEvents()
        assert table.isColumnHidden(1) == (width == 200)
    assert table.columnWidth(1) >= table.fontMetrics().horizontalAdvance(title)
