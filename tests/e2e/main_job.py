"""The whole main job as a person does it: python main_job.py FOLDER PICTURES first|second. Prints what it found."""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from robot import Robot, Script, run, visible

from biasprint.desktop.panels.home.new_audit import NewAuditDialog
from biasprint.desktop.widgets import Button

TASKS = {"haiku", "short_poem"}
THEMES = {"stars", "rain", "castle", "memory", "camera", "drones"}
PER_AXIS = 10
KEYS = "1231121321"  # a third key where there are two cards does nothing, so those get 2

found: dict[str, Any] = {}


def first_start(robot: Robot) -> Script:
    """New project → prompts → generate → draw → judge → reveal → charts."""
    yield lambda: robot.window.current == "home" and robot.idle()
    robot.picture("home-first-start")
    robot.click(visible(robot.window, Button, "New audit…"))
    yield lambda: bool(robot.window.findChildren(NewAuditDialog)[0].studies.offers)
    (dialog,) = robot.window.findChildren(NewAuditDialog)
    robot.picture("new-audit")
    dialog.studies.button("creativity").click()
    robot.click(dialog.target.elsewhere)
    robot.click(dialog.own)
    yield lambda: robot.window.current == "prompts" and robot.window.project is not None
    robot.window.activateWindow()  # the dialog was active, and off screen nobody gives the keyboard back
    yield from _prompts(robot)
    yield from _generate(robot)
    yield from _judge(robot)
    yield from _charts(robot, "first")


def second_start(robot: Robot) -> Script:
    """Everything is there again."""
    yield lambda: robot.window.project is not None and robot.idle()
    robot.picture("home")
    yield from _charts(robot, "second")
    robot.window.show_panel("outputs")
    yield lambda: robot.idle() and robot.window.panels["outputs"].count.text().startswith("108")
    robot.picture("outputs")


def _prompts(robot: Robot) -> Script:
    panel = robot.window.panels["prompts"]
    yield lambda: panel.add.isEnabled()
    robot.check(panel.card("creativity").tasks.boxes, TASKS)
    robot.check(panel.card("creativity").themes.boxes, THEMES)
    robot.check(panel.card("creativity").axes.boxes, {"race", "gender", "orientation"})
    yield lambda: panel.add.isEnabled() and robot.idle()
    robot.picture("prompts")
    robot.click(panel.add)
    yield lambda: bool(robot.window.project.prompts.sets()) and robot.idle()
    (stored,) = robot.window.project.prompts.sets()
    found["prompts"] = robot.window.project.prompts.count(stored.id)


def _generate(robot: Robot) -> Script:
    robot.window.show_panel("generate")
    panel = robot.window.panels["generate"]
    yield lambda: panel.write is not None and panel.write.form.start.isEnabled() and robot.idle()
    panel.write.form.model.setCurrentIndex(panel.write.form.model.findData("medium"))
    yield panel.write.form.start.isEnabled
    robot.click(panel.write.form.start)
    yield lambda: robot.idle() and bool(robot.window.project.runs.all())
    (run_row,) = robot.window.project.runs.all()
    counts = robot.window.project.runs.counts(run_row.id)
    found["outputs"] = [counts.wanted, counts.done, counts.failed]
    yield lambda: "to write" not in panel.write.form.state.text() and robot.idle()
    robot.picture("generate")
    panel.tabs.setCurrentIndex(2)
    yield lambda: robot.idle() and bool(panel.draw.setup.axes)
    panel.draw.setup.per_axis.setValue(PER_AXIS)
    robot.picture("draw")
    robot.click(panel.draw.setup.draw)
    yield lambda: robot.window.current == "judge"


def _judge(robot: Robot) -> Script:
    panel = robot.window.panels["judge"]
    yield lambda: panel.pages.currentWidget() is panel.start and panel.start.start.isEnabled() and robot.idle()
    robot.picture("judge-start")
    robot.click(panel.start.start)
    yield lambda: panel.pages.currentWidget() is panel.work and not panel.control.busy and robot.idle()
    found["title while judging"] = robot.window.windowTitle()
    pressed = 0
    while panel.pages.currentWidget() is panel.work:
        before = panel.control.view.comparison.ordinal
        key = KEYS[pressed % len(KEYS)]
        cards = len(panel.work.cards.shown)
        if cards == 3 and "judge" not in found:
            found["judge"] = True
            robot.picture("judge")
        robot.press(key if int(key) <= cards else "2")
        pressed += 1

        def answered(before: int = before) -> bool:
            on_next = panel.pages.currentWidget() is not panel.work or panel.control.view.comparison.ordinal != before
            return on_next and not panel.control.busy

        yield answered
    found["pressed"] = pressed
    yield lambda: panel.pages.currentWidget() is panel.end and robot.idle()
    robot.picture("judge-end")
    robot.click(panel.end.reveal)
    yield lambda: panel.end.sure.isVisible()
    robot.click(panel.end.sure)
    yield lambda: panel.pages.currentWidget() is panel.reveal_page and not panel.control.busy
    robot.picture("judge-reveal")
    found["title after the reveal"] = robot.window.windowTitle()
    robot.click(visible(panel.reveal_page, Button, "See the charts"))
    yield lambda: robot.window.current == "charts"


def _charts(robot: Robot, name: str) -> Script:
    robot.window.show_panel("charts")
    panel = robot.window.panels["charts"]
    yield lambda: robot.idle() and bool(panel.data.voices)
    (voice,) = panel.data.voices
    shares = [f for f in voice.findings if f.id == "creativity.share" and f.variant == "default"]
    found[name] = {
        "judged": voice.judged,
        "shares": {f"{share.dims['axis']} {share.label}": [share.estimate, share.n] for share in shares},
        "abs": {f.label: f.estimate for f in voice.findings if f.id == "creativity.abs" and f.variant == "default"},
    }
    for section in ("preferences", "affinity"):
        robot.window.show_panel("charts", section=section)
        yield robot.idle
        robot.picture(f"charts-{section}")


if __name__ == "__main__":
    folder, pictures, which = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
    project = folder / "audit.biasprint"
    if which == "first":
        code = run([], first_start, pictures=pictures, saves_to=project)
    else:
        code = run(["gui", str(project)], second_start, pictures=pictures)
    sys.stdout.write(json.dumps(found) + "\n")
    sys.exit(code)
