"""What a rater had on the screen: seconds in view, the ends of texts, and the one word on an end that was not seen."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from rating_files import rating_project
from rating_window import Rating

from biasprint.core.judging.blind import BlindComparison, SessionProgress, SessionView
from biasprint.core.project.rows import TextView
from biasprint.desktop import theme
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.judge.question import CardViews
from biasprint.desktop.panels.judge.work import WorkPage
from biasprint.desktop.settings import DEFAULT_KEYS
from biasprint.desktop.widgets.cards import ComparisonCard


def numbered(lines: int) -> str:
    return "\n".join(f"line {number}" for number in range(lines))


def laid_out(card: ComparisonCard) -> bool:
    """True once Qt, which lays out a long text bit by bit, knows how far it scrolls."""
    reading = card.reading
    bar, height = reading.verticalScrollBar(), reading.viewport().height()
    beyond = max(0, round(reading.document().size().height()) - height)
    return reading.all_shown and abs(bar.maximum() - beyond) <= 1


class Hands:
    """A clock, and whatever a rater does at a comparison of these texts."""

    def __init__(self, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, texts: tuple[str, ...]) -> None:
        self.time = 100.0
        monkeypatch.setattr("time.monotonic", lambda: self.time)
        self.qtbot = qtbot
        self.page = page = WorkPage(DEFAULT_KEYS)
        page.views = CardViews(page.cards, lambda: self.time)
        page.looked_at.connect(page.views.look)
        qtbot.addWidget(page)
        page.resize(1000, 500)
        page.show()
        page.activateWindow()
        qtbot.waitUntil(page.isActiveWindow)
        self.show(*texts)

    def show(self, *texts: str, token: str = "t1", prompt: str = "") -> None:
        comparison = BlindComparison(token, 1, "Haiku", (), texts, "", prompt=prompt)
        self.page.show_view(SessionView(comparison, None, SessionProgress(0, 0, 1, 0, 1, 0.0)))
        self.qtbot.waitUntil(lambda: all(map(laid_out, self.page.cards.shown)), timeout=60_000)

    def pass_time(self, seconds: float) -> None:
        self.time += seconds

    @property
    def seconds(self) -> list[float]:
        return [view.seconds for view in self.page.views.so_far()]

    @property
    def ends(self) -> list[bool]:
        return [view.end for view in self.page.views.so_far()]


LONG, SHORT = numbered(300), numbered(3)
MakeHands = Callable[..., Hands]


@pytest.fixture
def hands(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> MakeHands:
    return lambda *texts: Hands(qtbot, monkeypatch, texts)


def test_the_end_of_a_text_that_fits_its_card_is_seen_at_once_and_of_a_long_one_not(hands: MakeHands):
    rater = hands(LONG, SHORT, "")
    assert rater.ends == [False, True, True]


def test_texts_that_scroll_together_are_all_read_to_the_end_at_the_end_of_one(hands: MakeHands):
    rater = hands(LONG, numbered(120))
    QTest.keyClick(rater.page, Qt.Key.Key_PageDown)
    assert rater.ends == [False, False]
    QTest.keyClick(rater.page, Qt.Key.Key_End)
    QTest.keyClick(rater.page, Qt.Key.Key_Home)
    assert rater.ends == [True, True], "it was on the screen once"


def test_apart_only_the_text_that_was_scrolled_is_read_to_the_end(hands: MakeHands):
    rater = hands(LONG, LONG)
    rater.page.together.setChecked(False)
    QTest.keyClick(rater.page.cards.cards[1].reading, Qt.Key.Key_End)
    assert rater.ends == [False, True]


def test_blank_lines_behind_a_text_need_not_be_seen(hands: MakeHands):
    rater = hands(SHORT + "\n" * 400, SHORT + " " * 400)
    assert rater.ends == [True, True]


@pytest.mark.parametrize(
    "text",
    ["word " * 200_000, "x" * 100_000, "سلام عليكم \n" * 2_000, "\U0001f98a\u202e\n" * 3_000],
    ids=["1 MB", "one run of 100,000", "right to left", "emoji and bidi marks"],
)
def test_a_text_of_any_kind_is_read_once_its_last_words_are_on_the_screen(hands: MakeHands, text: str):
    rater = hands(text, SHORT)
    assert rater.ends == [False, True]
    QTest.keyClick(rater.page, Qt.Key.Key_End)
    assert rater.ends == [True, True]


def test_seconds_count_while_the_window_is_active_and_a_long_pause_counts_two_minutes(hands: MakeHands, qtbot: QtBot):
    rater = hands(LONG, SHORT)
    rater.pass_time(7)
    assert rater.seconds == [7, 7]
    rater.pass_time(3_000)
    assert rater.seconds == [127, 127]
    other = QWidget()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(other.isActiveWindow)
    rater.pass_time(40)
    assert rater.seconds == [127, 127], "another window was in front"
    rater.page.activateWindow()
    qtbot.waitUntil(rater.page.isActiveWindow)
    rater.pass_time(5)
    assert rater.seconds == [132, 132]


def test_a_page_that_is_not_shown_is_not_in_view(hands: MakeHands):
    rater = hands(LONG, SHORT)
    rater.pass_time(2)
    rater.page.hide()
    rater.pass_time(50)
    assert rater.seconds == [2, 2]


def test_who_comes_back_to_a_comparison_goes_on_with_its_record(hands: MakeHands):
    rater = hands(LONG, SHORT)
    rater.pass_time(4)
    rater.show(SHORT, SHORT, token="t2")
    rater.pass_time(30)
    rater.show(LONG, SHORT)
    rater.pass_time(1)
    assert rater.seconds == [5, 5]
    assert rater.ends == [False, True]


def test_a_choice_is_kept_with_what_was_in_view_and_the_word_comes_once(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
):
    texts = [(LONG, SHORT, f"{LONG}\n{number}") for number in range(3)]
    rating = Rating(qtbot, window, rating_project(tmp_path / "rated.biasprint", texts=texts))
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    rating.start("R01")
    order = rating.panel.work.comparison.texts
    rating.press("1")
    notice = rating.panel.unread.notice
    assert notice is not None
    long = " and ".join("ABC"[card] for card, text in enumerate(order) if len(text) > 100)
    assert notice.accessibleName() == (
        f"The ends of texts {long} were not on the screen yet. Your choice is kept; B or Ctrl+Z goes back."
    )
    rating.press("1")
    assert rating.panel.unread.notice is None, "it goes with the next answer, and does not come again"
    with rating.reading() as project:
        first, _ = project.judging.judgments()
        assert first.viewed is not None
        ends = [first.viewed[item].end for item in first.shown]
        assert ends == [len(text) < 100 for text in order]
        assert all(isinstance(view, TextView) for view in first.viewed)
    rating.close()


# ---- The prompt above the texts

SENTENCES = "Explain how a list is sorted, and say why it matters. " * 30


def test_a_prompt_shows_three_lines_until_it_is_opened_and_none_takes_no_room(hands: MakeHands, qtbot: QtBot):
    rater = hands(SHORT, SHORT)
    box = rater.page.prompt
    assert box.isHidden()
    rater.show(SHORT, SHORT, token="t2", prompt=SENTENCES)
    qtbot.waitUntil(lambda: not box.more.isHidden())
    line = theme.current().reading * theme.current().line_height
    assert box.text.height() == pytest.approx(3 * line, abs=3)
    assert box.more.text() == "Show all"
    closed = box.text.height()
    QTest.keyClick(rater.page, Qt.Key.Key_P)
    assert (box.text.height() > closed, box.more.text()) == (True, "Show less")
    QTest.keyClick(rater.page, Qt.Key.Key_P)
    assert box.text.height() == closed
    rater.show(SHORT, SHORT, token="t3", prompt="Sort it.")
    assert box.more.isHidden()
    assert box.text.height() == closed, "the texts below do not jump"
    assert box.text.text() == "Sort it."


def test_a_prompt_of_any_kind_is_shown_plain(hands: MakeHands):
    rater = hands(SHORT, SHORT)
    strange = "<b>no</b> \u202e![x](file:///etc/passwd) " + "x" * 100_000 + " سلام"
    rater.show(SHORT, SHORT, token="t2", prompt=strange)
    assert rater.page.prompt.text.text() == strange
    assert "<b>no</b>" in rater.page.prompt.text.toPlainText()
