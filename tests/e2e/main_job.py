"""The whole main job as a person does it, for docs/make_screenshots.py: python main_job.py FOLDER PICTURES."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from robot import Robot, Script, run, visible

from biasprint.desktop.panels.home.new_audit import NewAuditDialog
from biasprint.desktop.widgets import Button

TASKS = {"haiku", "short_poem"}
THEMES = {"stars", "rain", "castle", "memory", "camera", "drones"}
PER_AXIS = 10
KEYS = "1231121321"  # a third key where there are two cards does nothing, so those get 2


def main_job(robot: Robot) -> Script:
    """New project → prompts → generate → draw → judge → reveal."""
    yield lambda: robot.window.current == "home" and robot.idle()
    robot.click(visible(robot.window, Button, "New audit…"))
    yield lambda: bool(robot.window.findChildren(NewAuditDialog)[0].studies.offers)
    (dialog,) = robot.window.findChildren(NewAuditDialog)
    dialog.studies.button("creativity").click()
    robot.click(dialog.target.elsewhere)
    robot.click(dialog.own)
    yield lambda: robot.window.current == "prompts" and robot.window.project is not None
    robot.window.activateWindow()  # the dialog was active, and off screen nobody gives the keyboard back
    yield from _prompts(robot)
    yield from _generate(robot)
    yield from _judge(robot)


def _prompts(robot: Robot) -> Script:
    panel = robot.window.panels["prompts"]
    yield lambda: panel.add.isEnabled()
    robot.check(panel.card("creativity").tasks.boxes, TASKS)
    robot.check(panel.card("creativity").themes.boxes, THEMES)
    robot.check(panel.card("creativity").axes.boxes, {"race", "gender", "orientation"})
    yield lambda: panel.add.isEnabled() and robot.idle()
    robot.click(panel.add)
    yield lambda: bool(robot.window.project.prompts.sets()) and robot.idle()


def _generate(robot: Robot) -> Script:
    robot.window.show_panel("generate")
    panel = robot.window.panels["generate"]
    yield lambda: panel.write is not None and panel.write.form.start.isEnabled() and robot.idle()
    panel.write.form.model.setCurrentIndex(panel.write.form.model.findData("medium"))
    yield panel.write.form.start.isEnabled
    robot.click(panel.write.form.start)
    yield lambda: robot.idle() and bool(robot.window.project.runs.all())
    yield lambda: "to write" not in panel.write.form.state.text() and robot.idle()
    panel.tabs.setCurrentIndex(2)
    yield lambda: robot.idle() and bool(panel.draw.setup.axes)
    panel.draw.setup.per_axis.setValue(PER_AXIS)
    robot.click(panel.draw.setup.draw)
    yield lambda: robot.window.current == "judge"


def _judge(robot: Robot) -> Script:
    panel = robot.window.panels["judge"]
    yield lambda: panel.pages.currentWidget() is panel.start and panel.start.start.isEnabled() and robot.idle()
    robot.picture("judge-start")
    robot.click(panel.start.start)
    yield lambda: panel.pages.currentWidget() is panel.work and not panel.control.busy and robot.idle()
    pressed = 0
    while panel.pages.currentWidget() is panel.work:
        before = panel.control.view.comparison.ordinal
        key = KEYS[pressed % len(KEYS)]
        cards = len(panel.work.cards.shown)
        robot.press(key if int(key) <= cards else "2")
        pressed += 1

        def answered(before: int = before) -> bool:
            on_next = panel.pages.currentWidget() is not panel.work or panel.control.view.comparison.ordinal != before
            return on_next and not panel.control.busy

        yield answered
    yield lambda: panel.pages.currentWidget() is panel.end and robot.idle()
    robot.click(panel.end.reveal)
    yield lambda: panel.end.sure.isVisible()
    robot.click(panel.end.sure)
    yield lambda: panel.pages.currentWidget() is panel.reveal_page and not panel.control.busy
    robot.picture("judge-reveal")


if __name__ == "__main__":
    folder, pictures = Path(sys.argv[1]), Path(sys.argv[2])
    sys.exit(run([], main_job, pictures=pictures, saves_to=folder / "audit.biasprint"))
