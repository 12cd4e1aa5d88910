"""The findings' page in a low or narrow window: the table has the room, and nothing is cut."""

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from biasprint.desktop import theme
from biasprint.desktop.panels.findings.studies import StudyLines
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


def test_who_was_refused_is_seen_also_in_a_low_window(lines: StudyLines) -> None:
    lines.show_measurements(studies("letters", "news", "completion"), 0)
    lines.allow(True, frozenset())
    lines.set_low(True)
    lines.show_replies({"letters": ("All 12 texts asked for <b>Lakisha</b> were refused, none of 12 for Emily.",)})
    assert [study for study, line in lines.lines.items() if line.isVisible()] == ["letters"]
    assert "Lakisha" in lines.lines["letters"].replies.text()
    assert lines.lines["letters"].replies.isVisible()
    lines.show_replies({})
    assert not any(line.isVisible() for line in lines.lines.values())
