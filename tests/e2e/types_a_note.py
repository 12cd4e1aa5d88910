"""A rater who types without a pause, in the real program: python types_a_note.py PACKET. Tells when each letter was in.

Each line is a time, by the clock that all processes share, and how many letters the note has by then. With `marking` as
a second word the rater marks words of a text first, and a job that never ends runs beside.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(1, str(Path(__file__).parents[1]))

import compute_targets
from note_letters import LONGEST, letters
from PySide6.QtTest import QTest
from robot import Robot, Script, run

from biasprint.core.compute import models
from biasprint.core.jobs import JobContext

BETWEEN_SECONDS = 0.03
MARKED = (2, 7)
MARKING = "marking" in sys.argv[2:]


def run_on(ctx: JobContext) -> None:
    models().call(compute_targets.count_until_cancelled, ctx=ctx)


def type_on(robot: Robot) -> Script:
    window = robot.window
    yield lambda: window.packet is not None and "judge" in window.panels and window.panels["judge"].built
    panel = window.panels["judge"]
    yield lambda: panel.pages.currentWidget() is panel.start and panel.start.start.isEnabled()
    robot.click(panel.start.start)
    yield lambda: panel.pages.currentWidget() is panel.work and not panel.control.busy
    if MARKING:
        window.jobs.start("A job", run_on, on_error=lambda _: None)
        yield lambda: models().pid is not None
        text = panel.work.cards.shown[0].reading
        text.setFocus()
        text.setTextCursor(text.cursor_for(*MARKED))
        robot.press("h")
        yield lambda: not panel.control.busy
    robot.press("n")
    note = panel.work.note
    typed = len(note.toPlainText())
    next_letter = time.monotonic()
    while typed < LONGEST:
        QTest.keyClick(note, letters(typed, 1))
        typed += 1
        sys.stdout.write(f"{time.monotonic()} {typed}\n")
        sys.stdout.flush()
        next_letter += BETWEEN_SECONDS
        yield lambda due=next_letter: time.monotonic() >= due


if __name__ == "__main__":
    sys.exit(run(["gui", sys.argv[1]], type_on))
