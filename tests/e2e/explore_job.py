"""Exploring as a person does it: python explore_job.py PROJECT CSV PICTURES. Prints what it found on the screen."""

import json
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QPolygonF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from robot import Robot, Script, run, visible

from biasprint.desktop.plots.plot import Plot
from biasprint.desktop.widgets import Button
from biasprint.desktop.widgets.frame import RailButton

READ_SECONDS = 0.02  # twice as long as pyqtgraph leaves out what the pointer does
CSV_ENTRY = 3  # of the menu under "Save…"
AROUND = ((0.3, 0.3), (0.7, 0.25), (0.75, 0.5), (0.7, 0.75), (0.3, 0.7))  # of the plot's width and height

found: dict[str, Any] = {}


def explore(robot: Robot) -> Script:
    """Rail → map → draw around points → texts and words by keys → CSV."""
    yield lambda: robot.window.project is not None and robot.idle()
    robot.click(visible(robot.window, RailButton, "Explore"))
    panel = robot.window.panels["explore"]
    yield lambda: panel.built and robot.idle() and panel.views[0]._mapped is not None
    view = panel.views[0]
    found["told"] = view.card.sentence.text()
    robot.picture("explore-map")
    robot.click(visible(view, Button, "Select"))
    places = _places(view.plot)
    corners = QPolygonF([view.plot.view.mapSceneToView(view.plot.mapToScene(place)) for place in places])
    yield from _drag(view.plot, places)
    x, y = view.cloud.points
    found["around"] = sum(corners.containsPoint(QPointF(*at), Qt.FillRule.OddEvenFill) for at in zip(x, y, strict=True))
    yield lambda: not panel.drawer.isHidden() and robot.idle() and bool(panel.drawer.panes[0][1].text())
    found["selected"] = panel.drawer.heading.text()
    panel.drawer.list.setFocus()
    robot.press(Qt.Key.Key_Down)
    yield lambda: not panel.drawer.panes[1][1].isVisible()
    found["text"] = panel.drawer.panes[0][1].text()
    panel.drawer.tabs.setFocus()
    robot.press(Qt.Key.Key_Right)
    yield lambda: robot.idle() and panel.drawer.compared.text() != ""
    found["words"] = panel.drawer.more.text()
    robot.picture("explore-words")
    robot.press(Qt.Key.Key_Escape)
    yield panel.drawer.isHidden
    view.card.save.setFocus()
    robot.press(Qt.Key.Key_Space)
    yield lambda: isinstance(QApplication.activePopupWidget(), QMenu)
    menu = QApplication.activePopupWidget()
    for _ in range(CSV_ENTRY + 1):
        QTest.keyClick(menu, Qt.Key.Key_Down)
    QTest.keyClick(menu, Qt.Key.Key_Return)
    yield lambda: Path(sys.argv[2]).exists() and robot.idle()
    found["drawn"] = [x.tolist(), y.tolist()]


def _places(plot: Plot) -> list[QPoint]:
    """Around the middle of the plot, in pixels."""
    area = plot.view.mapRectToScene(plot.view.boundingRect())
    return [
        QPoint(round(area.left() + across * area.width()), round(area.top() + down * area.height()))
        for across, down in AROUND
    ]


def _drag(plot: Plot, places: list[QPoint]) -> Script:
    """With the left button held, no faster than pyqtgraph reads the pointer: a hundred times a second."""
    viewport, none = plot.viewport(), Qt.KeyboardModifier.NoModifier
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, none, places[0])
    for first, second in pairwise(places):
        for part in (0.5, 1.0):
            to = first + (second - first) * part
            event = QMouseEvent(  # QTest.mouseMove holds no button
                QEvent.Type.MouseMove, QPointF(to), QPointF(viewport.mapToGlobal(to)), Qt.MouseButton.NoButton,
                Qt.MouseButton.LeftButton, none,
            )  # fmt: skip
            QApplication.sendEvent(viewport, event)
            read_at = time.monotonic() + READ_SECONDS
            yield lambda read_at=read_at: time.monotonic() > read_at
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, none, places[-1])


if __name__ == "__main__":
    project, csv, pictures = (Path(one) for one in sys.argv[1:4])
    code = run(["gui", str(project)], explore, pictures=pictures, saves_to=csv)
    sys.stdout.write(json.dumps(found) + "\n")
    sys.exit(code)
