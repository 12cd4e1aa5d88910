"""Drives the real program: `main()` runs as ever, and a script presses keys and clicks buttons in its window.

A script is a generator over the window. It yields conditions to wait for; nothing sleeps.
"""

import os
import sys
import time
import traceback
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDialog, QFileDialog, QMainWindow, QMenu, QWidget

from biasprint.desktop import app
from biasprint.desktop.__main__ import main
from biasprint.desktop.main_window import MainWindow

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
PATIENCE_SECONDS = 90  # on a busy computer the first use of the store alone may take half a minute
Script = Generator[Callable[[], bool], None, None]


class Robot(QObject):
    """What a person does with a window; `pictures` is where screenshots go, if anywhere."""

    def __init__(self, window: MainWindow, pictures: Path | None) -> None:
        super().__init__(window)
        self.window = window
        self.pictures = pictures
        window.activateWindow()  # off screen no window manager does so

    def click(self, button: QAbstractButton) -> None:
        """A real click in the middle of a button that can be seen and pressed."""
        assert button.isVisible(), f"{button.accessibleName() or button.text()!r} cannot be seen"
        assert button.isEnabled(), f"{button.accessibleName() or button.text()!r} cannot be pressed"
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    def check(self, boxes: dict[str, QAbstractButton], wanted: set[str]) -> None:
        """Make exactly these boxes of a list checked."""
        for key, box in boxes.items():
            if box.isChecked() != (key in wanted):
                box.click()

    def press(self, key: str) -> None:
        """A key, where the keyboard is."""
        QTest.keyClick(QApplication.focusWidget() or self.window, key)

    def picture(self, name: str) -> None:
        if self.pictures is not None:
            QApplication.sendPostedEvents()  # what was just said has its room only when it was laid out
            self.window.grab().save(str(self.pictures / f"{name}.png"))

    def idle(self) -> bool:
        return not self.window.jobs.active()


class Strays(QObject):
    """Notes every window that appears besides the main one: a part shown before it has a parent takes the keyboard."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            ordinary = (
                isinstance(watched, (QMainWindow, QDialog, QMenu)) or watched.windowType() != Qt.WindowType.Window
            )
            if not ordinary:
                self.seen.append(f"{type(watched).__name__} {watched.accessibleName()!r}")
        return False


class Runner(QObject):
    """Goes on with a script whenever what it waits for is there."""

    def __init__(self, window: MainWindow, script: Script) -> None:
        super().__init__(window)
        self.failed = False
        self._window = window
        self._script = script
        self._wait: Callable[[], bool] = lambda: True
        self._deadline = time.monotonic() + PATIENCE_SECONDS
        self._timer = QTimer(self, interval=5)
        self._timer.timeout.connect(self._step)
        self._timer.start()

    def _step(self) -> None:
        try:
            if not self._wait():
                if time.monotonic() > self._deadline:
                    raise TimeoutError("what the script waits for does not come")
                return
            self._wait = next(self._script)
            self._deadline = time.monotonic() + PATIENCE_SECONDS
        except StopIteration:
            self._timer.stop()
            self._window.close()
        except BaseException:
            self.failed = True
            self._timer.stop()
            traceback.print_exc()
            QApplication.exit(3)


def borrow_compute() -> None:
    """Among tests side by side, compute processes are forked from one of theirs: see warm_children.py."""
    if "BIASPRINT_TESTS_FORKSERVER" in os.environ:
        sys.path.append(str(Path(__file__).parents[1]))
        import warm_children

        warm_children.borrow()


def run(
    arguments: list[str],
    script: Callable[[Robot], Script],
    *,
    pictures: Path | None = None,
    saves_to: Path | None = None,
) -> int:
    """Run `main(arguments)` with a script in its window; its exit code, 3 where the script failed.

    `saves_to` is what the system's file dialog answers: that dialog is the system's own and no robot reaches it.
    """
    borrow_compute()
    ordinary_start = app.start
    runners: list[Runner] = []
    strays = Strays()

    def start(window: MainWindow, *more: Any, **how: Any) -> None:
        QApplication.instance().installEventFilter(strays)
        ordinary_start(window, *more, **how)
        runners.append(Runner(window, script(Robot(window, pictures))))

    app.start = start  # type: ignore[assignment]
    if saves_to is not None:
        answer = (str(saves_to), "")
        QFileDialog.getSaveFileName = staticmethod(lambda *args, **more: answer)  # type: ignore[method-assign]
    sys.argv = ["biasprint", *arguments]
    try:
        code = main(arguments)
    finally:
        app.start = ordinary_start
    for stray in strays.seen:
        sys.stderr.write(f"a part of the window was a window of its own for a moment: {stray}\n")
    return 3 if strays.seen or not runners or any(runner.failed for runner in runners) else code


def visible(parent: QWidget, kind: type[QAbstractButton], name: str) -> QAbstractButton:
    """The button with this name that can be seen."""
    for button in parent.findChildren(kind):
        if button.isVisible() and name in (button.accessibleName(), button.text()):
            return button
    seen = sorted({b.accessibleName() or b.text() for b in parent.findChildren(kind) if b.isVisible()})
    raise AssertionError(f"no button {name!r}; there are {seen}")
