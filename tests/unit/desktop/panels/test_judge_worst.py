"""Best and worst of three by real keys: the first key is the best, the second the worst, and both are one answer."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from core.judging.blind import BlindComparison, GivenAnswer, SessionProgress, SessionView
from desktop.panels.judge.work import WorkPage
from desktop.settings import DEFAULT_KEYS

PROGRESS = SessionProgress(0, 0, 2, 0, 2, 0.0)


def view(token: str, answer: GivenAnswer | None = None, *, worst: bool = True) -> SessionView:
    shown = BlindComparison(token, 1, "Haiku", (), ("One.", "Two.", "Three."), "", asks_worst=worst)
    return SessionView(shown, answer, PROGRESS)


@pytest.fixture
def page(qtbot: QtBot) -> WorkPage:
    made = WorkPage(DEFAULT_KEYS)
    qtbot.addWidget(made)
    made.resize(1000, 640)
    made.show()
    made.show_view(view("a"))
    made.setFocus()
    return made


def answers(page: WorkPage) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    page.answered.connect(lambda *said: found.append(said))
    return found


def test_two_keys_are_one_answer(qtbot: QtBot, page: WorkPage) -> None:
    said = answers(page)
    assert "Then: which is worst?" in page.question.asked.text()
    qtbot.keyClick(page, Qt.Key.Key_2)
    assert said == []
    assert page.question.asked.text() == "And which is worst?"
    qtbot.keyClick(page, Qt.Key.Key_3)
    assert said == [("choice", 1, 2)]


def test_the_same_key_takes_the_best_back_and_a_tie_needs_no_worst(qtbot: QtBot, page: WorkPage) -> None:
    said = answers(page)
    qtbot.keyClick(page, Qt.Key.Key_1)
    qtbot.keyClick(page, Qt.Key.Key_1)
    assert said == []
    assert "Then" in page.question.asked.text()
    qtbot.keyClick(page, Qt.Key.Key_1)
    qtbot.keyClick(page, Qt.Key.Key_0)
    assert said == [("tie", None, None)]


def test_another_comparison_begins_with_the_best(qtbot: QtBot, page: WorkPage) -> None:
    said = answers(page)
    qtbot.keyClick(page, Qt.Key.Key_1)
    page.show_view(view("b", GivenAnswer("choice", 0, 2)))
    assert page.question.earlier.text() == "You chose A, and C as the worst."
    assert page.cards.cards[2].button.accessibleName().startswith("✗ C worst")
    qtbot.keyClick(page, Qt.Key.Key_2)
    assert said == []
    page.show_view(view("c", worst=False))
    qtbot.keyClick(page, Qt.Key.Key_2)
    assert said == [("choice", 1, None)]
