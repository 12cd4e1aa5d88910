"""Of a file with thousands of things, or names of any length, a view measures what is seen, and no more."""

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from biasprint.desktop.operations.prompts import StoredSet
from biasprint.desktop.panels.findings.studies import MOST_LINES, StudyLines
from biasprint.desktop.panels.prompts import SetsCard, SetsModel
from biasprint.desktop.widgets.choice import LONGEST_CHOICE, ComboBox
from biasprint.desktop.wording.findings import Measurement


def test_of_many_prompt_sets_those_in_sight_are_read(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    read: set[int] = set()
    ordinary = SetsModel.data

    def data(model: SetsModel, index: Any, role: int = 0) -> object:
        read.add(index.row())
        return ordinary(model, index, role)

    monkeypatch.setattr(SetsModel, "data", data)
    card = SetsCard()
    qtbot.addWidget(card)
    card.resize(700, 300)
    card.show()
    card.show_sets([StoredSet(n, f"study {n}", f"set {n}", 1, 5, "") for n in range(2_000)])
    card.grab()
    assert 0 < len(read) < 50


def test_a_choice_of_any_length_is_offered_by_its_beginning(qtbot: QtBot) -> None:
    box = ComboBox()
    qtbot.addWidget(box)
    box.addItem("x" * 100_000, "key")
    box.addItem("y" * LONGEST_CHOICE, "other")
    assert (len(box.itemText(0)), box.itemText(0)[-1], box.itemData(0)) == (LONGEST_CHOICE, "…", "key")
    assert box.itemText(1) == "y" * LONGEST_CHOICE


def test_of_hundreds_of_studies_the_first_and_the_chosen_have_a_line(qtbot: QtBot) -> None:
    lines = StudyLines()
    qtbot.addWidget(lines)
    lines.show()
    found = [Measurement(f"kind {n}", f"Kind {n}") for n in range(500)]
    lines.show_measurements([*found, Measurement("letters", "Letters")], 0)
    assert next(iter(lines.lines)) == "letters"  # it can be measured here; the others cannot
    assert len(lines.lines) == MOST_LINES
    assert lines.more_note.isVisible()
    assert lines.more_note.text() == "489 other studies are not listed."
    lines.narrow_to("kind 499")
    assert [study for study, line in lines.lines.items() if line.isVisible()] == ["kind 499"]
    lines.narrow_to(None)
    assert sum(line.isVisible() for line in lines.lines.values()) == MOST_LINES


def test_a_study_of_any_name_is_told_to_screen_readers_in_one_short_safe_line(qtbot: QtBot) -> None:
    lines = StudyLines()
    qtbot.addWidget(lines)
    lines.show_measurements([Measurement("letters", "Letters\u202e " + "x" * 100_000)], 0)
    told = lines.lines["letters"].button.accessibleName()
    assert told.startswith("Measure: Letters")
    assert "\u202e" not in told
    assert len(told) < 1_100
