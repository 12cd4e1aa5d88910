"""Somebody who types into a letter without a pause, in the real program: python types_in_a_letter.py.

Tells each letter: a line is a time, by the clock that all processes share, and how many letters were typed by then.
The letter is shown and edited as ever; only its reading, which is not what the test is about, is left out: it would
load the scorers.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from note_letters import LONGEST, letters
from PySide6.QtTest import QTest
from robot import Robot, Script, run

from biasprint.core.errors import JobCancelled
from biasprint.core.jobs import JobContext
from biasprint.desktop.operations import letters as operations
from biasprint.desktop.operations.letters import Checked, LetterRequest

BETWEEN_SECONDS = 0.03
LETTER = "Kelly is a warm colleague. She led the team in 2021, and I recommend her."


def not_read(ctx: JobContext, request: LetterRequest) -> Checked:
    raise JobCancelled


def type_on(robot: Robot) -> Script:
    window = robot.window
    window.show_panel("letters")
    yield lambda: "letters" in window.panels and window.panels["letters"].built
    panel = window.panels["letters"]
    panel.open_pasted(LETTER)
    yield lambda: panel.review.check.document is not None
    text = panel.review.board.letter.text
    text.setFocus()
    typed, next_letter = 0, time.monotonic()
    while typed < LONGEST:
        QTest.keyClick(text, letters(typed, 1))
        typed += 1
        sys.stdout.write(f"{time.monotonic()} {typed}\n")
        sys.stdout.flush()
        next_letter += BETWEEN_SECONDS
        yield lambda due=next_letter: time.monotonic() >= due


if __name__ == "__main__":
    operations.check = not_read
    sys.exit(run(["gui"], type_on))
