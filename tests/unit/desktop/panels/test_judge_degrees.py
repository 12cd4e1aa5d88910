"""Degrees, confidence and marked words by real keys: what a press says, what is on disk, and what is shown again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from empty_home import only
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot
from rating_files import rating_project
from rating_window import Rating

from biasprint.core.judging.blind import BlindComparison, GivenAnswer, SessionProgress, SessionView
from biasprint.core.project.connection import NotSaved
from biasprint.core.project.rows import JudgmentRow
from biasprint.desktop.panels.judge.work import WorkPage
from biasprint.desktop.settings import DEFAULT_KEYS
from biasprint.desktop.widgets.cards import ComparisonCard

SHIFT = Qt.KeyboardModifier.ShiftModifier
PROGRESS = SessionProgress(0, 0, 2, 0, 2, 0.0)
LONG = "A lantern in the rain. " * 30


def view(cards: int = 2, *, graded: bool = True, asks: bool = False, answer: GivenAnswer | None = None) -> SessionView:
    shown = BlindComparison(f"t{cards}{graded}", 1, "Haiku", (), (LONG,) * cards, "", graded=graded)
    return SessionView(shown, answer, PROGRESS, asks_confidence=asks)


@pytest.fixture
def page(qtbot: QtBot) -> WorkPage:
    made = WorkPage(DEFAULT_KEYS)
    qtbot.addWidget(made)
    made.resize(1000, 640)
    made.show_view(view())
    made.show()
    made.setFocus()
    return made


def answers(page: WorkPage) -> list[tuple[object, ...]]:
    said: list[tuple[object, ...]] = []
    page.answered.connect(lambda *given: said.append(given))
    page.confident.connect(lambda level: said.append(("sure", level)))
    return said


def places(page: WorkPage) -> list[str]:
    """The answers that are shown, by lines from left to right."""

    def place(button: QWidget) -> tuple[int, int]:
        at = button.mapTo(page, button.rect().topLeft())
        return at.y() // 20, at.x()

    buttons = [page.tie, *(button for card in page.cards.shown for button in (card.button, card.much))]
    shown = sorted((button for button in buttons if button.isVisible()), key=place)
    return [button.accessibleName() for button in shown]


@pytest.mark.parametrize(
    ("key", "modifier", "said"),
    [
        (Qt.Key.Key_1, Qt.KeyboardModifier.NoModifier, ("choice", 0, None, "slightly")),
        (Qt.Key.Key_Exclam, SHIFT, ("choice", 0, None, "much")),
        (Qt.Key.Key_At, SHIFT, ("choice", 1, None, "much")),
        (Qt.Key.Key_QuoteDbl, SHIFT, ("choice", 1, None, "much")),
        (Qt.Key.Key_Q, Qt.KeyboardModifier.NoModifier, ("choice", 0, None, "much")),
        (Qt.Key.Key_W, Qt.KeyboardModifier.NoModifier, ("choice", 1, None, "much")),
        (Qt.Key.Key_2, SHIFT, ("choice", 1, None, "slightly")),  # on keyboards whose digits need Shift
        (Qt.Key.Key_0, Qt.KeyboardModifier.NoModifier, ("tie", None, None, None)),
    ],
)
def test_a_key_says_which_and_how_much(qtbot: QtBot, page: WorkPage, key: Qt.Key, modifier, said: tuple[object, ...]):
    given = answers(page)
    qtbot.keyClick(page, key, modifier)
    assert given == [said]


def test_there_is_no_third_text_and_without_degrees_a_key_says_which_alone(qtbot: QtBot, page: WorkPage):
    given = answers(page)
    qtbot.keyClick(page, Qt.Key.Key_3)
    qtbot.keyClick(page, Qt.Key.Key_NumberSign, SHIFT)
    page.show_view(view(3, graded=False))
    qtbot.keyClick(page, Qt.Key.Key_Exclam, SHIFT)
    qtbot.keyClick(page, Qt.Key.Key_E)
    assert given == []
    qtbot.keyClick(page, Qt.Key.Key_3)
    assert given == [("choice", 2, None, None)]


FIVE = ["A much better", "A slightly better", "Equal", "B slightly better", "B much better"]


def test_the_answers_to_two_texts_are_a_row_of_five_points_and_to_three_under_each(qtbot: QtBot, page: WorkPage):
    qtbot.waitUntil(lambda: places(page) == FIVE)
    page.show_view(view(3))
    qtbot.waitUntil(lambda: len(places(page)) == 7 and places(page)[-1] == "Equal")
    assert [card.button.parent() is card for card in page.cards.shown] == [True] * 3
    page.show_view(view(3, graded=False))
    qtbot.waitUntil(lambda: places(page) == ["Choose A", "Choose B", "Choose C", "Tie"])
    page.show_view(view())
    qtbot.waitUntil(lambda: places(page) == FIVE)


def test_a_narrow_page_puts_the_answers_under_the_texts(qtbot: QtBot, page: WorkPage):
    page.resize(560, 640)
    qtbot.waitUntil(lambda: len(places(page)) == 5 and places(page)[-1] == "Equal")
    assert page.cards.cards[0].button.parent() is page.cards.cards[0]
    page.resize(1000, 640)
    qtbot.waitUntil(lambda: places(page) == FIVE)


def test_the_answer_given_is_ticked_with_its_degree(page: WorkPage):
    page.show_view(view(answer=GivenAnswer("choice", 1, None, "much")))
    first, second, _ = page.cards.cards
    assert (second.much.isChecked(), second.button.isChecked(), first.much.isChecked()) == (True, False, False)
    assert second.much.accessibleName() == "✓ B much better"
    assert page.question.earlier.text() == "You found B much better."


def test_after_the_choice_digits_say_how_sure_and_other_keys_answer_nothing(qtbot: QtBot, page: WorkPage):
    given = answers(page)
    page.show_view(view(asks=True, answer=GivenAnswer("choice", 1, None, "much")))
    assert page.question.asked.whole_text() == "How sure are you?"
    assert page.sure[0].isVisible()
    assert not page.skip.isVisible()
    for key in (Qt.Key.Key_0, Qt.Key.Key_X, Qt.Key.Key_S, Qt.Key.Key_Q):
        qtbot.keyClick(page, key)
    assert given == []
    qtbot.keyClick(page, Qt.Key.Key_3)
    assert given == [("sure", 3)]


def test_back_leads_from_the_confidence_to_the_choice(qtbot: QtBot, page: WorkPage):
    given = answers(page)
    page.show_view(view(asks=True, answer=GivenAnswer("choice", 1, None, "much")))
    qtbot.keyClick(page, Qt.Key.Key_B)
    assert page.question.asked.whole_text() == "Which is best?"
    assert not page.sure[0].isVisible()
    assert page.question.earlier.isVisible()
    qtbot.keyClick(page, Qt.Key.Key_1)
    assert given == [("choice", 0, None, "slightly")]


# in the window, over a project


ENTRIES = only("home", "judge", "settings")
TEXTS = [("An apple 🦊 fell at noon.", "A pear fe\u0301ll at noon.")] * 3
Sit = Callable[..., Rating]


@pytest.fixture
def sit(qtbot: QtBot, make_window: Callable, tmp_path: Path) -> Sit:
    def open_for(**settings: object) -> Rating:
        path = rating_project(tmp_path / "study.biasprint", texts=TEXTS, **settings)
        rating = Rating(qtbot, make_window(ENTRIES), path)
        rating.start("R01")
        return rating

    return open_for


def on_disk(rating: Rating) -> list[JudgmentRow]:
    with rating.reading() as project:
        return list(project.judging.judgments())


def drafts(rating: Rating) -> list[tuple[tuple[int, int, int], ...]]:
    with rating.reading() as project:
        (session,) = project.judging.sessions()
        return [remark.spans for remark in project.judging.drafts(session.id).values()]


def card_with(rating: Rating, words: str) -> ComparisonCard:
    return next(card for card in rating.panel.work.cards.shown if words in card.reading.text())


def select(rating: Rating, words: str) -> ComparisonCard:
    """Select words as with the mouse."""
    card = card_with(rating, words)
    card.reading.setFocus(Qt.FocusReason.MouseFocusReason)
    start = card.reading.text().index(words)
    card.reading.setTextCursor(card.reading.cursor_for(start, start + len(words)))
    return card


def marked(rating: Rating, card: ComparisonCard) -> list[str]:
    """The words that are highlighted on the screen."""
    return [selection.cursor.selectedText() for selection in card.reading.extraSelections()]


def test_two_presses_are_one_answer_with_degree_and_confidence(sit: Sit):
    rating = sit(graded=True, confidence=True)
    rating.press("w")
    assert rating.panel.control.view.asks_confidence
    assert [(row.degree, row.confidence) for row in on_disk(rating)] == [("much", None)]
    rating.press("3")
    assert [(row.degree, row.confidence) for row in on_disk(rating)] == [("much", 3)]
    assert rating.panel.control.view.comparison.ordinal == 2
    rating.press("b")
    assert rating.panel.work.sure[2].isChecked()


def test_selected_words_are_marked_by_a_key_on_disk_at_once_and_shown_again(sit: Sit):
    rating = sit(spans=True)
    card = select(rating, "apple 🦊")
    rating.press("h")
    rating.wait(lambda: rating.window.status.saved.text() == "Saved")
    ((span,),) = drafts(rating)
    assert TEXTS[0][span[0]][span[1] : span[2]] == "apple 🦊"
    assert len(marked(rating, card)) == 1
    rating.panel.work.setFocus()
    rating.press("1")
    assert marked(rating, card) == [], "another comparison"
    rating.press("b")
    assert len(marked(rating, card_with(rating, "apple"))) == 1
    (row,) = on_disk(rating)
    assert row.spans == (span,)


def test_the_same_key_again_and_delete_take_the_mark_off(sit: Sit):
    rating = sit(spans=True)
    card = select(rating, "apple")
    rating.press("h")
    rating.wait(lambda: drafts(rating) != [])
    rating.press("h")
    rating.wait(lambda: drafts(rating) == [()])
    assert marked(rating, card) == []
    select(rating, "apple")
    rating.press("h")
    select(rating, "An apple 🦊 fell")
    rating.press(Qt.Key.Key_Delete)
    rating.wait(lambda: drafts(rating) == [()])


def test_words_are_selected_by_keys_alone(sit: Sit):
    rating = sit(spans=True)
    card = card_with(rating, "apple")
    card.reading.setFocus(Qt.FocusReason.TabFocusReason)
    reading = card.reading
    for _ in range(len("An ")):
        QTest.keyClick(reading, Qt.Key.Key_Right)
    for _ in range(len("apple 🦊")):
        QTest.keyClick(reading, Qt.Key.Key_Right, SHIFT)
    QTest.keyClick(reading, Qt.Key.Key_H)
    rating.wait(lambda: drafts(rating) != [])
    ((span,),) = drafts(rating)
    assert TEXTS[0][span[0]][span[1] : span[2]] == "apple 🦊"


def test_a_letter_is_marked_with_the_accent_that_combines_with_it(sit: Sit):
    rating = sit(spans=True)
    card = card_with(rating, "pear")
    at = TEXTS[0][1].index("fe") + 1
    cursor = QTextCursor(card.reading.document())
    cursor.setPosition(at)
    cursor.setPosition(at + 1, QTextCursor.MoveMode.KeepAnchor)
    card.reading.setTextCursor(cursor)
    rating.press("h")
    rating.wait(lambda: drafts(rating) != [])
    ((span,),) = drafts(rating)
    assert TEXTS[0][1][span[1] : span[2]] == "e\u0301"


def test_without_a_selection_the_page_says_how_to_select(sit: Sit):
    rating = sit(spans=True)
    rating.panel.work.setFocus()
    rating.press("h")
    assert rating.panel.work.question.said.text().startswith("Select words in a text first")
    assert drafts(rating) == []


def test_marks_that_cannot_be_saved_are_not_shown_as_saved(sit: Sit, monkeypatch: pytest.MonkeyPatch):
    def full(*_: object) -> None:
        raise NotSaved("full")

    rating = sit(spans=True)
    card = select(rating, "apple")
    monkeypatch.setattr("biasprint.core.project.stores.judging.Judging.save_draft", full)
    rating.press("h")
    rating.wait(lambda: rating.window.status.saved.text() != "Saved" and marked(rating, card) == [])
    assert drafts(rating) == []


def test_a_plan_that_does_not_ask_has_no_button_and_no_caret(sit: Sit):
    rating = sit()
    assert not rating.panel.work.question.mark.isVisible()
    select(rating, "apple")
    rating.press("h")
    assert drafts(rating) == []
    flags = card_with(rating, "apple").reading.textInteractionFlags()
    assert not flags & Qt.TextInteractionFlag.TextSelectableByKeyboard
    assert QApplication.focusWidget() is not None


def test_the_first_page_tells_what_is_asked_and_the_keys_for_it(sit: Sit):
    rating = sit(graded=True, confidence=True, spans=True)
    rating.panel.leave_button.click()
    rating.wait_for_start()
    start = rating.panel.start
    asked = "say which you find best, slightly or much better than the rest; then how sure you are."
    assert asked in start.about.text()
    words = {label.text() for label in start.findChildren(QLabel)}
    assert {"A is slightly better", "B is much better", "Mark the selected words as a reason"} <= words
    assert not {"Choose A", "C is slightly better", "C is much better"} & words
