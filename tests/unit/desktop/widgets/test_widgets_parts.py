"""The small parts: plain text only, named for screen readers, in the theme's looks."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QListView, QSlider, QSpinBox, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError
from biasprint.desktop import theme
from biasprint.desktop.widgets import (
    Banners,
    Button,
    Card,
    Chip,
    ElidedLabel,
    EmptyState,
    FlowLayout,
    IconButton,
    KeyHint,
    Label,
    Notice,
    PrimaryButton,
    ProgressThin,
    QuietButton,
    StandInBadge,
    choice,
    plural,
    spelled_seconds,
)
from biasprint.desktop.widgets.buttons import ChoiceButton
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.frame import RailButton, StatusLine
from biasprint.desktop.widgets.safe_text import safe_line

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


def test_button_with_a_keycap_shows_both_and_is_clicked_anywhere(qtbot: QtBot):
    button = Button("Choose A", key="1")
    qtbot.addWidget(button)
    button.show()
    assert button.accessibleName() == "Choose A"
    assert button.sizeHint().width() > Button("Choose A").sizeHint().width()
    with qtbot.waitSignal(button.clicked):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton, pos=button.rect().center())
    button.set_key("Q")
    assert button.findChild(KeyHint).text() == "Q"


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_enter_presses_a_button_that_has_the_keyboard(qtbot: QtBot, key: Qt.Key):
    for button in (Button("One", key="1"), IconButton("close", "Close"), RailButton("Home", "home")):
        qtbot.addWidget(button)
        button.show()
        with qtbot.waitSignal(button.clicked):
            qtbot.keyClick(button, key)


def test_clicking_a_button_leaves_the_keyboard_where_it_is(qtbot: QtBot):
    for button in (Button("One"), IconButton("close", "Close")):
        qtbot.addWidget(button)
        assert button.focusPolicy() == Qt.FocusPolicy.TabFocus


def test_an_ampersand_in_a_name_is_not_a_mnemonic(qtbot: QtBot):
    button = Button("Race & gender")
    qtbot.addWidget(button)
    assert button.text() == "Race && gender"


def test_icon_button_is_named(qtbot: QtBot):
    button = IconButton("pause", "Pause")
    qtbot.addWidget(button)
    assert (button.accessibleName(), button.toolTip()) == ("Pause", "Pause")
    assert not button.icon().isNull()


def test_choosing_a_card_does_not_move_what_is_in_it(qtbot: QtBot):
    card = Card("A")
    qtbot.addWidget(card)
    inside = Label("text")
    card.box.addWidget(inside)
    card.resize(300, 200)
    card.show()
    before = inside.mapTo(card, QPoint(0, 0))
    card.set_chosen(True)
    QApplication.processEvents()
    assert card.chosen
    assert inside.mapTo(card, QPoint(0, 0)) == before


def test_chosen_card_looks_chosen(qtbot: QtBot):
    card = Card()
    qtbot.addWidget(card)
    card.resize(100, 100)

    def edge_color() -> str:
        return card.grab().toImage().pixelColor(50, 0).name()

    assert edge_color() == theme.current().line.lower()
    card.set_chosen(True)
    assert edge_color() == theme.current().accent.lower()


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


def test_a_longer_caption_widens_a_button_and_a_shorter_one_moves_nothing(qtbot: QtBot):
    button, dressed = ChoiceButton("Choose A", key="1"), ChoiceButton("Choose A", key="1")
    for one in (button, dressed):
        qtbot.addWidget(one)
        one.show()
    dressed.set_key("1")
    usual = button.sizeHint().width()
    assert usual == dressed.sizeHint().width(), "as narrow as if it had been dressed before it was filled"
    button.set_text("✓ A chosen, after all")
    wide = button.sizeHint().width()
    button.set_text("Choose A")
    assert usual < wide == button.sizeHint().width()


def test_empty_state_leads_on(qtbot: QtBot):
    gone_on: list[bool] = []
    empty = EmptyState("No outputs yet", "Generate some.", "Generate", lambda: gone_on.append(True), icon="outputs")
    qtbot.addWidget(empty)
    empty.show()
    qtbot.mouseClick(empty.button, Qt.MouseButton.LeftButton)
    assert gone_on == [True]


@pytest.mark.parametrize(
    ("done", "total", "share"),
    [(0, 10, 0.0), (5, 10, 0.5), (10, 10, 1.0), (12, 10, 1.0), (0, 0, 1.0), (10**12, 4 * 10**12, 0.25)],
)
def test_progress_shows_the_share(qtbot: QtBot, done: int, total: int, share: float):
    bar = ProgressThin("Progress")
    qtbot.addWidget(bar)
    bar.set_progress(done, total)
    assert bar.value() / bar.maximum() == pytest.approx(share)


def test_progress_without_an_end_is_busy(qtbot: QtBot):
    bar = ProgressThin()
    qtbot.addWidget(bar)
    bar.set_progress(5, None)
    assert bar.maximum() == 0


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


def test_flow_goes_on_in_the_next_row(qtbot: QtBot):
    box = QWidget()
    qtbot.addWidget(box)
    flow = FlowLayout(box, spacing=10)
    chips = [Chip("x") for _ in range(4)]
    for chip in chips:
        chip.setFixedSize(100, 20)
        flow.addWidget(chip)
    box.resize(210, 100)
    box.show()
    assert [chip.pos().toTuple() for chip in chips] == [(0, 0), (110, 0), (0, 30), (110, 30)]
    assert flow.heightForWidth(430) == 20
    assert flow.heightForWidth(100) == 4 * 20 + 3 * 10


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


def test_closing_the_last_banner_gives_its_room_back(qtbot: QtBot):
    window = QWidget()
    qtbot.addWidget(window)
    banners = Banners()
    QVBoxLayout(window).addWidget(banners)
    window.show()
    notice = banners.show_notice(Notice("Done."))
    assert banners.isVisible()
    close = next(button for button in notice.findChildren(IconButton))
    qtbot.mouseClick(close, Qt.MouseButton.LeftButton)
    assert banners.texts() == []
    assert banners.isHidden()


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


def test_saved_and_not_saved_differ_in_shape_too(qtbot: QtBot, qapp: QApplication):
    status = StatusLine()
    qtbot.addWidget(status)
    status.show()

    def dot() -> int:
        """How many pixels are inked, whatever their colour."""
        image = status._dot.grab().toImage()
        ground = image.pixelColor(0, 0)
        return sum(image.pixelColor(x, y) != ground for x in range(image.width()) for y in range(image.height()))

    status.set_saved("saved")
    filled = dot()
    status.set_saved("saving")
    assert dot() < filled


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.4, "0 s"), (59.4, "59 s"), (90, "2 min"), (3600, "1 h 0 min"), (7800, "2 h 10 min")]
)
def test_durations_are_spelled_short(seconds: float, words: str):
    assert spelled_seconds(seconds) == words


def test_plural_takes_the_right_words():
    assert plural(1, "%n text", "%n texts") == "1 text"
    assert plural(2880, "%n text", "%n texts") == "2,880 texts"


def test_labels_in_the_window_cannot_be_flooded():
    assert len(safe_line("x" * 10**6)) <= 1000


def shown_card(qtbot: QtBot, *labels: Label, width: int = 420, height: int = 500) -> Card:
    card = Card("In this project")
    qtbot.addWidget(card)
    for label in labels:
        card.box.addWidget(label)
    card.resize(width, height)
    card.show()
    QApplication.processEvents()
    return card


def test_words_stand_at_the_top_of_a_card_that_is_too_high_for_them(qtbot: QtBot):
    words = Label("None yet: choose prompts and add them.", "soft", wrap=True)
    hidden = QListView()
    card = shown_card(qtbot, words)
    card.box.addWidget(hidden, 1)
    hidden.hide()
    QApplication.processEvents()
    heading = next(label for label in card.findChildren(Label) if label is not words)
    assert heading.height() <= heading.sizeHint().height()
    assert words.geometry().top() <= heading.geometry().bottom() + card.box.spacing() + 1
    assert words.height() <= words.heightForWidth(words.width())
    hidden.show()
    QApplication.processEvents()
    assert hidden.geometry().bottom() >= card.height() - card.box.contentsMargins().bottom() - 3


@pytest.mark.parametrize("width", [160, 420, 900])
def test_wrapped_words_have_the_height_that_their_width_needs(qtbot: QtBot, width: int):
    words = Label("A word after another, " * 20, wrap=True)
    card = shown_card(qtbot, words, width=width, height=900)
    assert card.width() == width
    assert words.height() == words.heightForWidth(words.width()) == words.minimumSizeHint().height()


def test_the_number_of_a_spin_box_keeps_off_its_edge(qtbot: QtBot):
    box = QSpinBox()
    qtbot.addWidget(box)
    box.resize(120, 36)
    box.show()
    image = box.grab().toImage()
    middle = image.height() // 2
    ground = image.pixelColor(60, middle).name()
    columns = range(3, 40)
    inked = [x for x in columns if any(image.pixelColor(x, y).name() != ground for y in range(middle - 6, middle + 6))]
    assert inked[0] >= 7
    qtbot.keyClicks(box, "1")
    box.selectAll()
    qtbot.keyClicks(box, "42")
    assert box.value() == 42


def test_the_chosen_line_of_a_combo_box_has_the_soft_tint(qtbot: QtBot):
    box = QComboBox()
    qtbot.addWidget(box)
    box.addItems(["All tasks", "Haiku"])
    box.show()
    box.showPopup()
    line = box.view().visualRect(box.model().index(0, 0))
    color = box.view().viewport().grab().toImage().pixelColor(line.right() - 8, line.center().y())
    assert color.name() == theme.current().accent_soft.lower()
    box.hidePopup()


def test_a_combo_box_ends_in_dots_what_does_not_fit(qtbot: QtBot) -> None:
    box = ComboBox()
    qtbot.addWidget(box)
    box.setPlaceholderText("none yet")
    box.setFixedWidth(200)
    assert box.shown_text() == "none yet"
    box.addItems(["Short", "A name of prompts that is far too long for it, version 3"])
    box.setCurrentIndex(0)
    assert box.shown_text() == "Short"
    box.setCurrentIndex(1)
    assert box.shown_text().endswith("…")
    assert box.currentText().startswith(box.shown_text()[:-1])
    box.setFixedWidth(900)
    assert box.shown_text() == box.currentText()
    assert not box.grab().isNull()


def test_no_choice_is_shown_in_a_box_that_cuts_its_text_off() -> None:
    root = Path(choice.__file__).parents[1]
    assert [path.name for path in root.rglob("*.py") if "QComboBox" in path.read_text("utf-8")] == ["choice.py"]
