"""Texts that are hard to show: very long ones, unbroken runs, and scripts that run from right to left."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from empty_home import only
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextBlock
from pytestqt.qtbot import QtBot
from rating_files import rating_project
from rating_window import Rating
from seeded_part import seeded_part

from biasprint.core.text import code_blocks
from biasprint.desktop.widgets.cards import ComparisonCard, ComparisonCards, direction_of

ENTRIES = only("home", "judge", "settings")
MEGABYTE = 1_000_000
SHOWN_WITHIN = 0.2  # seconds, TRUST's figure for one such text

HEBREW = "בראשית ברא אלוהים את השמים ואת הארץ."
ARABIC = "كان يا ما كان، في قديم الزمان، قلعة فوق النهر."
ENGLISH = "Once upon a time there was a castle above the river."
LEFT, RIGHT = Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft

PROSE = ("The castle stood above the river, and the bells told the hour.\n" * (MEGABYTE // 63))[:MEGABYTE]
UNBROKEN = "x" * MEGABYTE
ONE_LINE = "castle " * (MEGABYTE // 7)


def lines(card: ComparisonCard) -> list[QTextBlock]:
    document = card.reading.document()
    return [document.findBlockByNumber(number) for number in range(document.blockCount())]


def left_edge(block: QTextBlock) -> float:
    """Where the ink of a block's first line begins."""
    return block.layout().lineAt(0).naturalTextRect().left()


@pytest.fixture
def card(qtbot: QtBot) -> ComparisonCard:
    made = ComparisonCard(0, "1")
    qtbot.addWidget(made)
    made.resize(400, 400)
    made.show()
    return made


# code


FENCED = "A loop 😀 of *two*:\n```python\nfor i in 1, 2:\n    print(i)\n```\nand `no` more."


def in_fixed_face(card: ComparisonCard) -> list[bool]:
    """Of each line, whether it is in a fixed face."""
    fragments = [line.begin().fragment() for line in lines(card)]
    return [fragment.charFormat().fontFixedPitch() for fragment in fragments if fragment.isValid()]


def test_fenced_code_is_in_a_fixed_face_and_the_text_is_as_it_was(card: ComparisonCard):
    card.set_text(FENCED)
    assert in_fixed_face(card) == [False, True, True, True, True, False]
    assert card.reading.text() == FENCED
    assert card.reading.toPlainText() == FENCED, "nothing else is rendered"
    card.set_text(FENCED.replace("```\nand", "and"))
    assert not any(in_fixed_face(card)), "a fence that is not closed is a sign like others"
    card.mark([(0, 6), (20, 30)])
    card.set_text(ENGLISH)
    assert in_fixed_face(card) == [False]


@pytest.mark.parametrize(
    ("example", "text", "is_code"),
    [
        (119, "```\n<\n >\n```\n", True),
        (121, "``\nfoo\n``\n", False),
        (122, "```\naaa\n~~~\n```\n", True),
        (124, "````\naaa\n```\n``````\n", True),
        (134, "    ```\n    aaa\n    ```\n", False),
        (145, "``` aa ```\nfoo\n```\n", False),
        (146, "~~~ aa ``` ~~~\nfoo\n~~~\n", True),
    ],
)
def test_fences_are_those_of_commonmark(example: int, text: str, is_code: bool):
    """The numbers are those of the examples of CommonMark 0.31.2; of 145 the last line is ours, closed."""
    assert code_blocks(text) == ([(0, len(text))] if is_code else []), example


def test_long_code_stays_in_a_fixed_face_where_the_text_comes_in_pieces(qtbot: QtBot, card: ComparisonCard):
    card.set_text("before\n```\n" + "x = 1\n" * 6_000 + "```\nafter")
    qtbot.waitUntil(lambda: card.reading.all_shown)
    assert in_fixed_face(card) == [False, *[True] * 6_002, False]


# scripts


@pytest.mark.parametrize(("text", "direction"), [(HEBREW, RIGHT), (ARABIC, RIGHT), (ENGLISH, LEFT)])
def test_a_text_runs_and_stands_on_the_side_of_its_script(card: ComparisonCard, text: str, direction):
    card.set_text(text[:20])
    (line,) = lines(card)
    assert line.textDirection() == direction
    middle = card.reading.viewport().width() / 2
    assert (left_edge(line) > 20) == (direction == RIGHT)
    assert (line.layout().lineAt(0).naturalTextRect().right() < middle * 1.9) == (direction == LEFT)


def test_in_a_mixed_text_each_paragraph_runs_its_own_way(card: ComparisonCard):
    card.set_text("\n".join((ENGLISH, HEBREW, "English with שלום in it", "עברית with English in it")))
    assert [line.textDirection() for line in lines(card)] == [LEFT, RIGHT, LEFT, RIGHT]


def test_a_paragraph_without_letters_runs_as_its_text_does(card: ComparisonCard):
    card.set_text(f"{ARABIC}\n1.\n\n2024 — 12.5%\n{ARABIC}")
    assert {line.textDirection() for line in lines(card)} == {RIGHT}
    card.set_text(f"{ENGLISH}\n1.\n2024 — 12.5%")
    assert {line.textDirection() for line in lines(card)} == {LEFT}
    assert card.reading.text() == f"{ENGLISH}\n1.\n2024 — 12.5%"


def test_cards_of_one_comparison_have_each_their_own_direction(qtbot: QtBot):
    cards = ComparisonCards(["1", "2", "3"])
    qtbot.addWidget(cards)
    cards.set_texts([HEBREW, ENGLISH, ARABIC])
    assert [lines(card)[0].textDirection() for card in cards.cards] == [RIGHT, LEFT, RIGHT]
    cards.set_texts([ENGLISH, ARABIC, ENGLISH])  # nothing of the comparison before stays
    assert [lines(card)[0].textDirection() for card in cards.cards] == [LEFT, RIGHT, LEFT]


def test_differences_mark_the_right_words_in_a_right_to_left_text(card: ComparisonCard):
    card.set_text(HEBREW)
    start = HEBREW.index("אלוהים")
    card.mark([(start, start + len("אלוהים"))])
    (mark,) = card.reading.extraSelections()
    assert mark.cursor.selectedText() == "אלוהים"


def test_the_first_letter_with_a_direction_decides():
    assert direction_of("12 (— שלום hello") is RIGHT
    assert direction_of("… «hello» שלום") is LEFT
    assert direction_of("2024 – 12.5 %") is None
    assert direction_of("") is None


# length


@pytest.mark.parametrize("text", seeded_part([PROSE, UNBROKEN, ONE_LINE], 1), ids=["prose", "unbroken", "one line"])
def test_a_megabyte_is_shown_at_once_and_is_all_there(qtbot: QtBot, card: ComparisonCard, text: str):
    card.set_text("warm up")
    began = time.thread_time()  # not by the clock: other programs share this machine
    card.set_text(text)
    took = time.thread_time() - began
    assert card.reading.text() == text
    qtbot.waitUntil(lambda: card.reading.all_shown, timeout=60_000)
    assert took < SHOWN_WITHIN


def test_three_very_long_texts_are_judged_like_any_others(qtbot: QtBot, make_window: Callable, tmp_path: Path):
    path = rating_project(tmp_path / "long.biasprint", texts=[(PROSE, UNBROKEN, ONE_LINE), (ENGLISH, HEBREW, ARABIC)])
    rating = Rating(qtbot, make_window(ENTRIES), path)
    rating.start("R01")
    assert sorted(card.reading.text() for card in rating.panel.work.cards.shown) == sorted((PROSE, UNBROKEN, ONE_LINE))
    rating.press("d")
    assert rating.panel.work.question.said.text() == "These texts are too long to compare word by word."
    rating.press("3")
    assert rating.panel.control.view.comparison.ordinal == 2
    with rating.reading() as project:
        (row,) = project.judging.judgments()
        assert row.outcome == "choice"
