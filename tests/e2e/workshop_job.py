"""A process that a test kills: a window in which a workshop is on, and somebody judges. `workshop_job.py FILE HOME`."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from robot import borrow_compute
from workshop_people import People, always_one

from biasprint.desktop.app import build_application, create_window, start
from biasprint.desktop.settings import Settings


class Waiting:
    """What `People` needs of a qtbot."""

    def waitUntil(self, until: Callable[[], bool], timeout: int) -> None:
        deadline = time.monotonic() + timeout / 1_000
        while not until():
            QTest.qWait(10)
            assert time.monotonic() < deadline, "what was waited for did not come"


def main(file: Path, settings: Path) -> None:
    borrow_compute()
    chosen = Settings(settings)
    build_application(["biasprint"], chosen)
    window = create_window(chosen)
    window.show()
    start(window, file)
    people = People(Waiting(), window)  # type: ignore[arg-type]
    people.wait(lambda: window.project is not None and bool(window.current))
    window.activateWindow()
    people.hold("tulip7")
    people.rate_all(always_one)
    people.next_person()
    people.sit_down()
    people.judge(always_one, most=3)
    people.press("n")
    QTest.keyClicks(people.seat.work.note, "zqnote half-way")
    people.press(Qt.Key.Key_Escape)
    people.seat.work.flush_note()
    sys.stdout.write("judging\n")
    sys.stdout.flush()
    while True:
        QTest.qWait(50)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
