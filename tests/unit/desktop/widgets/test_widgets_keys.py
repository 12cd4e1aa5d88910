"""Keys that are held: what a display sends of them, and what the window's parts take of it."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from biasprint.desktop.panels.judge.work import WorkPage
from biasprint.desktop.settings import DEFAULT_KEYS
from biasprint.desktop.widgets import Button
from biasprint.desktop.widgets.keys import AT_ONCE_SECONDS, HeldKeys, shortcut

CODE, REPEATS, MILLISECONDS = 10, 20, 40  # of a key, as often as X11 sends it again in less than a second, and how soon


class Keyboard:
    """Presses keys of a window as X11 and Qt tell of them: to the window, with their moments."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._now = 1_000
        self.tells_moments = True

    def hold(self, key: Qt.Key, text: str = "", *, marked: bool, then_up: bool = True) -> None:
        """Keep a key down for `REPEATS` repeats; not `marked`: Qt takes them for presses of their own."""
        self._send(QEvent.Type.KeyPress, key, text, repeat=False)
        for _ in range(REPEATS):
            self._now += MILLISECONDS
            self._send(QEvent.Type.KeyRelease, key, text, repeat=marked)
            self._send(QEvent.Type.KeyPress, key, text, repeat=marked)
        if then_up:
            self._now += MILLISECONDS
            self._send(QEvent.Type.KeyRelease, key, text, repeat=False)

    def press(self, key: Qt.Key, text: str = "") -> None:
        """Press a key, and let it go."""
        for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            self._now += MILLISECONDS
            self._send(kind, key, text, repeat=False)

    def _send(self, kind: QEvent.Type, key: Qt.Key, text: str, *, repeat: bool) -> None:
        window = self._window.windowHandle()
        none = Qt.KeyboardModifier.NoModifier
        if kind == QEvent.Type.KeyPress:
            asked = QKeyEvent(QEvent.Type.ShortcutOverride, key, none, CODE, key, 0, text, repeat)
            asked.setTimestamp(self._now if self.tells_moments else 0)
            QCoreApplication.sendEvent(window, asked)
        event = QKeyEvent(kind, key, none, CODE, key, 0, text, repeat)
        event.setTimestamp(self._now if self.tells_moments else 0)
        QCoreApplication.sendEvent(window, event)


@pytest.fixture
def held_keys(qapp: QApplication) -> Iterator[HeldKeys]:
    made = HeldKeys(qapp)
    yield made
    made.deleteLater()


def shown(qtbot: QtBot, *parts: QWidget) -> Keyboard:
    window = QWidget()
    row = QHBoxLayout(window)
    for part in parts:
        row.addWidget(part)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    parts[0].setFocus()
    return Keyboard(window)


MARKED = pytest.mark.parametrize("marked", [True, False], ids=["repeats that say so", "repeats that do not"])


@MARKED
def test_a_held_key_answers_once_and_a_fresh_press_answers_again(qtbot: QtBot, held_keys: HeldKeys, marked: bool):
    page, answers = WorkPage(DEFAULT_KEYS), []
    page.answered.connect(lambda outcome, *_: answers.append(outcome))
    keyboard = shown(qtbot, page)
    keyboard.hold(Qt.Key.Key_0, "0", marked=marked)
    assert answers == ["tie"]
    keyboard.press(Qt.Key.Key_0, "0")
    keyboard.press(Qt.Key.Key_X, "x")
    assert answers == ["tie", "tie", "none"]


def test_a_key_that_is_pressed_twice_answers_twice_beside_a_screen_reader(qtbot: QtBot, held_keys: HeldKeys):
    """While one listens, Qt hands keys on without their moments."""
    page, answers = WorkPage(DEFAULT_KEYS), []
    page.answered.connect(lambda outcome, *_: answers.append(outcome))
    keyboard = shown(qtbot, page)
    keyboard.tells_moments = False
    keyboard.press(Qt.Key.Key_0, "0")
    keyboard.press(Qt.Key.Key_0, "0")
    assert answers == ["tie"], "at the moment of its release nobody presses a key: it is held"
    qtbot.wait(round(1000 * AT_ONCE_SECONDS) + 20)
    keyboard.press(Qt.Key.Key_0, "0")
    assert answers == ["tie", "tie"]


@MARKED
@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_a_held_key_presses_one_button_of_those_that_get_the_keyboard(
    qtbot: QtBot, held_keys: HeldKeys, marked: bool, key: Qt.Key
):
    first, second, pressed = Button("Start"), Button("Go on"), []
    first.clicked.connect(lambda: (pressed.append("first"), second.setFocus()))
    second.clicked.connect(lambda: (pressed.append("second"), first.setFocus()))
    keyboard = shown(qtbot, first, second)
    keyboard.hold(key, marked=marked)
    assert pressed == ["first"]
    keyboard.press(key)
    assert pressed == ["first", "second"]


@MARKED
def test_a_held_enter_submits_a_field_once_but_writes_line_after_line(qtbot: QtBot, held_keys: HeldKeys, marked: bool):
    field, note, submitted = QLineEdit(), QPlainTextEdit(), []
    field.returnPressed.connect(lambda: submitted.append(True))
    keyboard = shown(qtbot, field, note)
    keyboard.hold(Qt.Key.Key_Return, "\r", marked=marked)
    assert submitted == [True]
    note.setFocus()
    keyboard.hold(Qt.Key.Key_Return, "\r", marked=marked)
    assert note.blockCount() == 2 + REPEATS


@MARKED
def test_held_letters_are_typed_as_often_as_they_come(qtbot: QtBot, held_keys: HeldKeys, marked: bool):
    field = QLineEdit()
    keyboard = shown(qtbot, field)
    keyboard.hold(Qt.Key.Key_A, "a", marked=marked)
    assert field.text() == "a" * (1 + REPEATS)


def test_shortcuts_repeat_only_where_they_are_meant_to(qtbot: QtBot):
    part = QWidget()
    qtbot.addWidget(part)
    assert not shortcut("Ctrl+D", part, lambda: None).autoRepeat()
    assert shortcut("Ctrl+Z", part, lambda: None, repeats=True).autoRepeat()
