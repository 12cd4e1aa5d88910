"""A person at a window that has only the first part: python first_part.py SAMPLE FULL; the rest comes meanwhile.

FULL is where the packages of the tests' own environment lie. Prints what it found.
"""

import json
import sys
from pathlib import Path
from typing import Any

import robot as robots
from partial_environment import PartialEnvironment
from robot import Robot, Script, run

from biasprint.core.machine import installation

LETTER = "Dear all,\n\nI recommend Emily Stone. She is a warm and caring engineer.\n\nSincerely,\n\nJohn Field"
FULL = Path(sys.argv[-1])  # before `run` puts the program's own arguments there
robots.PATIENCE_SECONDS = 120  # what is imported for the first time
found: dict[str, Any] = {}


def ready() -> list[str]:
    return [each.part.id for each in installation.status() if each.state == "ready"]


def script(robot: Robot) -> Script:
    window = robot.window
    yield lambda: window.project is not None and robot.idle()
    window.preparation.begin()
    found["ready at first"] = ready()
    yield from _charts_and_prompts(robot)
    yield from _letter(robot)
    yield from _measure(robot)
    yield from _judge(robot)


def _charts_and_prompts(robot: Robot) -> Script:
    window = robot.window
    window.show_panel("charts", section="measured", study="letters")
    yield lambda: "charts" in window.panels and robot.idle() and bool(window.panels["charts"].measured.figures)
    found["figures"] = len(window.panels["charts"].measured.figures)
    window.show_panel("prompts")
    yield lambda: "prompts" in window.panels and window.panels["prompts"].add.isEnabled() and robot.idle()
    before = len(window.project.prompts.sets())
    robot.click(window.panels["prompts"].add)
    yield lambda: robot.idle() and len(window.project.prompts.sets()) > before


def _letter(robot: Robot) -> Script:
    robot.window.show_panel("letters")
    panel = robot.window.panels["letters"]
    panel.open_pasted(LETTER)
    yield lambda: panel.review.check.checked is not None
    marks = panel.review.check.checked.reading.marks
    found["marked"] = sorted({LETTER[mark.start : mark.end] for mark in marks})
    found["still to come"] = panel.review.board.compared.missing.text()


def _measure(robot: Robot) -> Script:
    """What lacks is said in a sentence; when it has come, the same button does it, without another start."""
    window = robot.window
    window.show_panel("generate")
    panel = window.panels["generate"]
    panel.tabs.setCurrentIndex(1)

    def offered() -> bool:
        """Made when the project was read, and seen a turn of the event loop later."""
        button = panel.score.measure.buttons.get("letters")
        return robot.idle() and button is not None and button.isVisible()

    yield offered
    robot.click(panel.score.measure.buttons["letters"])
    yield lambda: robot.idle() and bool(window.banners.texts())
    found["said"] = window.banners.texts()
    PartialEnvironment(Path(sys.prefix), FULL).add("statistics", "encoder")
    window.preparation.look()
    yield lambda: robot.idle() and not window.banners.texts()
    found["ready then"] = ready()
    before = window.project.findings.last("letters").created_at
    yield offered
    robot.click(panel.score.measure.buttons["letters"])
    yield (
        lambda: (
            robot.idle() and (window.project.findings.last("letters").created_at != before or window.banners.texts())
        )
    )
    found["said then"] = window.banners.texts()


def _judge(robot: Robot) -> Script:
    robot.window.show_panel("judge")
    panel = robot.window.panels["judge"]
    yield lambda: panel.pages.currentWidget() is panel.start and panel.start.start.isEnabled()
    robot.click(panel.start.start)
    for place in (1, 2, 3):

        def shown(place: int = place) -> bool:
            view = panel.control.view
            on = panel.pages.currentWidget() is panel.work and not panel.control.busy and view is not None
            return on and view.comparison is not None and view.comparison.ordinal == place

        yield shown
        if place < 3:
            robot.press("1")


if __name__ == "__main__":
    code = run(["gui", sys.argv[1]], script)
    sys.stdout.write(json.dumps(found) + "\n")
    sys.exit(code)
