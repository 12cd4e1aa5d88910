"""The findings' page in a low or narrow window: the table has the room, and nothing is cut."""

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from biasprint.desktop import theme
from biasprint.desktop.panels.findings.studies import StudyLines
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.search_row import SearchRow
from biasprint.desktop.wording.findings import Measurement

WHEN = "2026-11-20T12:00:00+00:00"


@pytest.fixture
def lines(qtbot: QtBot, qapp: QApplication) -> StudyLines:
    theme.apply(qapp, "light", 1.0)
    made = StudyLines()
    qtbot.addWidget(made)
    made.show()
    return made


def studies(*measured: str) -> list[Measurement]:
    titles = ("letters", "news", "completion")
    return [Measurement(study=one, title=one, measured_at=WHEN if one in measured else "") for one in titles]


def test_in_a_low_window_measured_studies_are_one_line_that_opens(lines: StudyLines) -> None:
    lines.show_measurements(studies("letters", "news"), 0)
    lines.allow(True, frozenset())
    assert all(line.isVisible() for line in lines.lines.values())
    assert not lines.fold.isVisible()

    lines.set_low(True)
    assert [study for study, line in lines.lines.items() if line.isVisible()] == ["completion"]  # it can be measured
    assert lines.settled.whole_text().startswith("2 studies measured, last on 20 Nov 2026 at ")
    lines.unfold.click()
    assert all(line.isVisible() for line in lines.lines.values())
    lines.unfold.click()
    assert not lines.lines["letters"].isVisible()

    lines.allow(True, frozenset({"letters"}))  # what is being measured is seen
    assert lines.lines["letters"].isVisible()
    lines.set_low(False)
    assert not lines.fold.isVisible()


def test_a_box_as_wide_as_its_texts_cuts_none_of_them(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, "light", 1.0)
    box = ComboBox()
    qtbot.addWidget(box)
    box.addItems(["Both variants", "Default"])
    box.resize(box.sizeHint())
    box.show()
    assert box.shown_text() == "Both variants"


def test_the_search_has_a_row_of_its_own_where_the_boxes_leave_too_little(qtbot: QtBot, qapp: QApplication) -> None:
    theme.apply(qapp, "light", 1.0)
    boxes = [ComboBox(), ComboBox()]
    for box in boxes:
        box.addItem("All the generators of this project")
    row = SearchRow(QLineEdit())
    qtbot.addWidget(row)
    row.lay_out(boxes)
    row.show()
    wide = sum(box.sizeHint().width() + theme.current().grid for box in boxes)
    row.resize(wide + 300, 80)
    assert row.search.width() == 300
    row.resize(wide + 100, 120)
    assert row.search.width() == wide + 100
    row.layout().activate()
    assert row.search.y() < boxes[0].y() == boxes[1].y()
