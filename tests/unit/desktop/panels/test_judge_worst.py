"""Best and worst of three by real keys: the first key is the best, the second the worst, and both are one answer."""

from pathlib import Path

import pytest
from fingerprint_project import project_with_texts
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot
from rating_window import Rating

from biasprint.core.judging.blind import BlindComparison, GivenAnswer, SessionProgress, SessionView
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.judge.work import WorkPage
from biasprint.desktop.settings import DEFAULT_KEYS

PROGRESS = SessionProgress(0, 0, 2, 0, 2, 0.0)


def view(token: str, answer: GivenAnswer | None = None, *, worst: bool = True, question: str = "") -> SessionView:
    shown = BlindComparison(token, 1, "Haiku", (), ("One.", "Two.", "Three."), "", asks_worst=worst, question=question)
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
    assert page.question.asked.text() == "Which is best, then worst?"
    qtbot.keyClick(page, Qt.Key.Key_2)
    assert said == []
    assert page.question.asked.text() == "And which is worst?"
    qtbot.keyClick(page, Qt.Key.Key_3)
    assert said == [("choice", 1, 2, None)]


def test_the_question_goes_above_the_buttons_where_it_would_be_cut(qtbot: QtBot, page: WorkPage) -> None:
    question = page.question
    page.show_view(view("c", question="Which poem would you read to a friend at night?"))
    assert (question.asked.isVisible(), question.asked_whole.isVisible()) == (True, False)
    page.resize(480, 640)
    qtbot.waitUntil(question.asked_whole.isVisible)
    assert not question.asked.isVisible()
    qtbot.keyClick(page, Qt.Key.Key_2)
    assert question.asked.isVisible(), "“And which is worst?” has room"
    page.show_view(view("b", question="Which poem would you read to a friend at night?"))
    assert question.asked_whole.text() == "Which poem would you read to a friend at night? Then: which is worst?"
    page.resize(1000, 640)
    qtbot.waitUntil(question.asked.isVisible)


def test_the_same_key_takes_the_best_back_and_a_tie_needs_no_worst(qtbot: QtBot, page: WorkPage) -> None:
    said = answers(page)
    qtbot.keyClick(page, Qt.Key.Key_1)
    qtbot.keyClick(page, Qt.Key.Key_1)
    assert said == []
    assert "then worst" in page.question.asked.text()
    qtbot.keyClick(page, Qt.Key.Key_1)
    qtbot.keyClick(page, Qt.Key.Key_0)
    assert said == [("tie", None, None, None)]


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
    assert said == [("choice", 1, None, None)]


def test_four_identities_are_ranked_from_the_form_to_the_chart(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    """The walk of a ranking in the real window: drawn, judged by keys, revealed, measured, charted."""
    path = tmp_path / "study.biasprint"
    project_with_texts(path, ["religion"], tasks=["haiku"], themes=["stars", "rain", "joy", "castle"]).close()
    rating = Rating(qtbot, window, path)
    rating.at("setup")
    setup = rating.panel.setup
    rating.wait(lambda: "religion" in setup.axes)
    setup.axes["religion"].setChecked(True)
    for name, box in setup.what.identities["religion"].items():
        box.setChecked(name in ("buddhist", "christian", "jewish", "muslim"))
    setup.what.shown.setCurrentIndex(3)  # three at a time, best and worst
    setup.per_axis.setValue(4)
    setup.draw.click()
    rating.wait_for_start()
    assert "three texts each: say which is best, then which is worst. What" in rating.panel.start.about.text()
    rating.start()
    asked = rating.panel.work.question.asked
    while rating.page is rating.panel.work:
        rating.panel.work.setFocus()
        assert asked.whole_text() == "Which is best, then worst?"
        rating.press("1")
        assert asked.whole_text() == "And which is worst?"
        rating.press("3")
    rating.end()
    rating.at("reveal_page")
    with rating.reading() as project:
        (session,) = project.judging.sessions()
        said = project.judging.judgments(session.id)
    assert len(said) == 4
    assert all((one.chosen, one.worst) == (one.shown[0], one.shown[2]) for one in said)
    window.show_panel("raters", tab="quality")
    rating.wait(lambda: "raters" in window.panels)
    quality = window.panels["raters"].quality
    rating.wait(lambda: quality.data is not None and quality.nothing.button.isVisible())
    quality.nothing.button.click()  # measures what raters said, and embeds no text for that
    window.show_panel("charts", section="measured", study="creativity")
    rating.wait(lambda: "charts" in window.panels)
    charts = window.panels["charts"]
    qtbot.waitUntil(lambda: any("Ranking" in one.title for one in charts.measured.figures), timeout=120_000)
    figure = next(one for one in charts.measured.figures if one.key == "creativity.rank")
    assert len(figure.rows) == 4
    assert all(mark.value is not None and mark.n == 4 for mark in figure.marks)
