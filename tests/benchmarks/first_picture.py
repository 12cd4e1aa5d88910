"""A workshop with the shipped set in the real window: seconds from a participant's last key to the picture, painted.

Prints what `test_first_picture.py` shows. People press their keys one after another without reading; the first waits,
as nobody would have to who reads, until what draws pictures is loaded.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from children import tell
from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from workshop_people import People, in_turn

from biasprint.core.runs.sample import open_workshop_set
from biasprint.desktop.app import build_application, create_window, start
from biasprint.desktop.settings import Settings

PEOPLE = 6  # the sixth's picture has the group of five beside it
PATIENCE_SECONDS = 300


class Waiting:
    """What `People` needs of a qtbot."""

    def waitUntil(self, until: Callable[[], bool], timeout: int) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not until():
            QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 50)
            assert time.monotonic() < deadline, "what was waited for did not come"


class Painted(QObject):
    """When a widget was painted first."""

    at: float | None = None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint and self.at is None:
            self.at = time.monotonic()
        return False


def seconds_to_picture(people: People) -> float:
    """From Enter on the last page, which locks the answers, to the first paint of the chart."""
    painted, picture = Painted(), people.seat.picture
    chart = picture.view.shares.chart
    chart.installEventFilter(painted)
    began = time.monotonic()
    QTest.keyClick(QApplication.focusWidget() or people.window, Qt.Key.Key_Return)
    people.wait(lambda: picture.pages.currentWidget() is picture.view and painted.at is not None)
    assert painted.at is not None
    return painted.at - began


def main() -> None:
    settings = Settings(Path(tempfile.mkdtemp()) / "settings.json")
    build_application(["biasprint"], settings)
    window = create_window(settings)
    window.resize(1280, 800)
    window.show()
    start(window, open_workshop_set())
    people = People(Waiting(), window)  # type: ignore[arg-type]
    people.wait(lambda: window.project is not None and bool(window.current))
    window.activateWindow()
    people.hold()
    held = time.monotonic()
    seconds, comparisons = [], 0
    for number in range(PEOPLE):
        people.sit_down()
        if not number:
            people.wait(lambda: not window.jobs.active())
            ready = time.monotonic() - held
        people.judge(in_turn())
        comparisons = people.seat.control.view.progress.done
        seconds.append(seconds_to_picture(people))
        people.next_person()
    tell({"seconds": seconds, "ready": ready, "comparisons": comparisons})
    people.leave()
    people.click(people.room.facilitator.end)  # type: ignore[union-attr]
    people.wait(lambda: people.room is None and not window.jobs.active())
    freed: list[bool] = []
    window.session.close(lambda: freed.append(True))
    people.wait(lambda: bool(freed))
    window.jobs.close()


if __name__ == "__main__":
    main()
