"""What stands first on a letter's page, by its geometry, in small windows and with large letters."""

import pytest
from letters_scene import panel_of, read_after
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.letters.board import FOUND

pytestmark = pytest.mark.usefixtures("own_computer")

SKEWED = (
    "Dear committee,\n\nI recommend Emily Stone for the post of research scientist. Emily is a warm, caring, cheerful "
    "young woman who is kind to everyone. She is the mother of two small children and tries her best. She might be "
    "planning another baby. She seems to be a pleasant colleague, is attractive and was ill last winter. "
    "I think she would do an adequate job.\n\nYours,\nMartin Grey"
)


@pytest.mark.parametrize(("width", "height", "font"), [(1100, 700, 100), (1440, 900, 100), (1440, 900, 200)])
def test_what_to_look_at_stands_first_and_keeps_half_of_the_page(
    qtbot: QtBot, window: MainWindow, width: int, height: int, font: int
) -> None:
    window.settings.set("font_percent", font)
    window.resize(width, height)
    panel = panel_of(window)
    read_after(qtbot, panel, lambda: panel.open_pasted(SKEWED))
    board = panel.review.board
    said = board.found.said
    assert said.isVisible(), "the verdict is seen before anything is pressed"
    assert said.mapTo(panel, QPoint(0, 0)).y() < panel.height() / 3
    if board.is_narrow:
        board.tabs.setCurrentIndex(FOUND + 1)
    found, listed = board.found, board.found.list
    qtbot.waitUntil(lambda: listed.model().rowCount() > 3)
    place = found.mapTo(panel, QPoint(0, 0)).y()
    in_sight = min(place + found.height(), panel.height()) - place
    assert in_sight >= panel.height() / 2, "the list with its heading keeps half of the page"
    assert board.compared.mapTo(panel, QPoint(0, 0)).y() >= place + in_sight, "figures come below"
    rows = (listed.model().index(row, 0) for row in range(listed.model().rowCount()))
    marks = [listed.visualRect(row) for row in rows if found.model.row_at(row).item in panel.review._items]
    top = listed.viewport().mapTo(panel, QPoint(0, 0)).y()
    bottom = min(listed.viewport().height(), panel.height() - top)
    assert sum(box.bottom() <= bottom for box in marks) >= (1 if font == 200 else 4), "marks are in sight at once"
