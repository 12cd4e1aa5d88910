"""Texts beside each other that scroll together or apart: judged by the lines that a person sees."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from biasprint.desktop.panels.judge.work import WorkPage
from biasprint.desktop.settings import DEFAULT_KEYS
from biasprint.desktop.widgets.cards import ComparisonCard


def numbered(lines: int) -> str:
    return "\n".join(f"line {number}" for number in range(lines))


def line_at(card: ComparisonCard, y: int) -> int:
    return int(card.reading.cursorForPosition(QPoint(2, y)).block().text().split()[1])


def first_line(card: ComparisonCard) -> int:
    """The number of the line that a person sees at the top of a card."""
    return line_at(card, 2)


def share_scrolled(card: ComparisonCard, lines: int) -> float:
    """How much of what can leave the card at its top has left it, by the lines that are seen."""
    seen = line_at(card, card.reading.viewport().height() - 2) - first_line(card)
    return first_line(card) / (lines - 1 - seen)


def turn_wheel(card: ComparisonCard, clicks: int) -> None:
    """Turn the wheel over the middle of a text; as from the mouse, what a text does not take goes to what is around."""
    viewport, page = card.reading.viewport(), card.window()
    QTest.wheelEvent(
        page.windowHandle(), QPointF(viewport.mapTo(page, viewport.rect().center())), QPoint(0, -120 * clicks)
    )


def drag_to_middle(card: ComparisonCard) -> None:
    """Take hold of the bar at its top, and let go of it halfway."""
    bar = card.reading.verticalScrollBar()
    QTest.mousePress(bar, Qt.MouseButton.LeftButton, pos=QPoint(bar.width() // 2, 6))
    QTest.mouseMove(bar, QPoint(bar.width() // 2, 6 + bar.height() // 2))
    QTest.mouseRelease(bar, Qt.MouseButton.LeftButton, pos=QPoint(bar.width() // 2, 6 + bar.height() // 2))


LONG, MIDDLING = 300, 120


@pytest.fixture
def beside(qtbot: QtBot) -> WorkPage:
    """A comparison of a long text, a shorter one, and one that fits its card."""
    page = WorkPage(DEFAULT_KEYS)
    qtbot.addWidget(page)
    page.resize(1000, 500)
    page.show()
    page.cards.set_texts([numbered(LONG), numbered(MIDDLING), numbered(3)])
    qtbot.waitUntil(lambda: [card.scrollable for card in page.cards.shown] == [True, True, False])
    return page


@pytest.mark.parametrize(
    ("move", "share"),
    [
        (lambda page: turn_wheel(page.cards.cards[0], 20), None),
        (lambda page: turn_wheel(page.cards.cards[1], 4), None),
        (lambda page: turn_wheel(page.cards.cards[2], 20), None),  # over the text that is seen whole already
        (lambda page: drag_to_middle(page.cards.cards[0]), None),
        (lambda page: QTest.keyClick(page, Qt.Key.Key_PageDown), None),
        (lambda page: QTest.keyClick(page.cards.cards[1].reading, Qt.Key.Key_PageDown), None),
        (lambda page: QTest.keyClick(page, Qt.Key.Key_Down), None),
        (lambda page: QTest.keyClick(page, Qt.Key.Key_End), 1.0),
        (lambda page: QTest.keyClick(page.cards.cards[1].reading, Qt.Key.Key_End), 1.0),
    ],
    ids=["wheel", "wheel over the shorter", "wheel over a text that fits", "drag", "page down", "page down in a text",
         "down", "end", "end in a text"],
)  # fmt: skip
def test_texts_that_scroll_together_show_the_same_share_of_each(
    beside: WorkPage, move: Callable[[WorkPage], object], share: float | None
):
    move(beside)
    long = share_scrolled(beside.cards.cards[0], LONG)
    assert long > 0
    assert share_scrolled(beside.cards.cards[1], MIDDLING) == pytest.approx(long, abs=0.02)
    if share is not None:
        assert long == pytest.approx(share, abs=0.02)
    assert first_line(beside.cards.cards[2]) == 0
    QTest.keyClick(beside, Qt.Key.Key_Home)
    assert [first_line(card) for card in beside.cards.shown] == [0, 0, 0]


def test_texts_that_scroll_apart_stay_where_they_are(beside: WorkPage):
    beside.together.click()
    turn_wheel(beside.cards.cards[0], 5)
    assert first_line(beside.cards.cards[0]) > 0
    assert first_line(beside.cards.cards[1]) == 0
    beside.together.click()
    assert first_line(beside.cards.cards[1]) > 0, "it catches up"


def test_the_next_comparison_begins_at_the_first_lines(beside: WorkPage):
    QTest.keyClick(beside, Qt.Key.Key_End)
    beside.cards.set_texts([numbered(MIDDLING), numbered(LONG)])
    assert [first_line(card) for card in beside.cards.shown] == [0, 0]


def test_a_text_that_comes_in_pieces_keeps_its_share(qtbot: QtBot, beside: WorkPage):
    beside.cards.set_texts([numbered(LONG), numbered(20_000)])
    assert not beside.cards.cards[1].reading.all_shown
    QTest.keyClick(beside.cards.cards[0].reading, Qt.Key.Key_End)
    qtbot.waitUntil(lambda: beside.cards.cards[1].reading.all_shown, timeout=20_000)
    assert first_line(beside.cards.cards[1]) > 19_900
