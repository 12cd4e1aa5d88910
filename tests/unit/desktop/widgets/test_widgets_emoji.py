"""Emoji that no typeface can draw are named, in a box; positions, marks and copies stay those of the text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from biasprint.desktop.widgets import PlainText, safe_text
from biasprint.desktop.widgets.cards import ComparisonCards
from biasprint.desktop.widgets.plain_text import BOX
from biasprint.desktop.widgets.safe_text import LONGEST_LABEL, MOST_NAMED, UNKNOWN_SIGN, DisplayText, safe_line

WAVE, FAMILY, CHILE, KEYCAP, SHRUG = "👋🏽", "👩‍👩‍👧", "🇨🇱", "1️⃣", "🤷‍♀️"


@pytest.fixture(autouse=True)
def no_emoji_font(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(safe_text, "drawable", lambda one: False)


def boxed(view: PlainText) -> list[str]:
    """The words of a view that stand in boxes."""
    found, block = [], view.document().begin()
    while block.isValid():
        parts = block.begin()
        while not parts.atEnd():
            if parts.fragment().charFormat().background().color() == BOX:
                found.append(parts.fragment().text())
            parts += 1
        block = block.next()
    return found


@pytest.mark.parametrize(
    ("one", "name"),
    [
        ("🥰", "[smiling face with smiling eyes and three hearts]"),
        (WAVE, "[waving hand sign, medium skin tone]"),
        (FAMILY, "[woman, woman, girl]"),
        (SHRUG, "[shrug, female]"),
        (CHILE, "[flag: Chile]"),
        ("🇿🇿", "[flag: ZZ]"),
        ("🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "[waving black flag: gbeng]"),
        (KEYCAP, "[digit one, keycap]"),
        ("☀️", "[black sun with rays]"),
        ("\U0001faff", "[U+1FAFF]"),
    ],
)
def test_an_emoji_without_a_picture_is_one_name(one: str, name: str) -> None:
    assert DisplayText(f"a {one}b").shown == f"a {name}b"


def test_letters_digits_and_signs_are_no_emoji() -> None:
    text = "naïve 漢字 ع 12 # * “quoted” — 5 € ½ + − × ≤"
    assert DisplayText(text).shown == text


@given(st.text(st.sampled_from(["a", " ", "\n", "\r", "\u202e", *WAVE, *FAMILY, *CHILE, *KEYCAP]), max_size=60))
def test_every_place_goes_there_and_back(text: str) -> None:
    display = DisplayText(text)
    inside = {at for start, end, _ in display.named for at in range(start + 1, end)}
    assert display.to_shown(len(text)) == len(display.shown.encode("utf-16-le")) // 2
    for at in range(len(text) + 1):
        if at not in inside and text[at - 1 : at + 1] != "\r\n":
            assert display.to_source(display.to_shown(at)) == at


def test_the_name_stands_in_a_box_and_the_text_is_copied_as_it_is(qtbot: QtBot) -> None:
    text = f"She waves {WAVE} and says bye{CHILE}\nto {FAMILY}."
    view = PlainText(text)
    qtbot.addWidget(view)
    assert boxed(view) == ["[waving hand sign, medium skin tone]", "[flag: Chile]", "[woman, woman, girl]"]
    assert view.text() == text
    view.selectAll()
    assert view.createMimeDataFromSelection().text() == text
    bye = text.index("bye")
    view.setTextCursor(view.cursor_for(bye, bye + 5))
    assert view.textCursor().selectedText() == "bye[flag: Chile]"
    assert view.createMimeDataFromSelection().text() == f"bye{CHILE}"


def test_the_cards_that_are_judged_name_it_and_mark_the_right_words(qtbot: QtBot) -> None:
    cards = ComparisonCards(("1", "2", "3"))
    qtbot.addWidget(cards)
    cards.set_texts([f"{FAMILY} sings", "nobody sings"])
    cards.set_marks([[(len(FAMILY) + 1, len(FAMILY) + 6)], []])
    reading = cards.cards[0].reading
    assert boxed(reading) == ["[woman, woman, girl]"]
    assert [one.cursor.selectedText() for one in reading.extraSelections()] == ["sings"]


def test_lines_of_tables_name_it_and_fields_do_not() -> None:
    assert safe_line(f"Ana {WAVE}") == "Ana [waving hand sign, medium skin tone]"
    assert safe_line(f"Ana {WAVE}", to_edit=True) == f"Ana {WAVE}"
    assert len(safe_line("🥰" * LONGEST_LABEL)) <= LONGEST_LABEL


def test_of_thousands_the_first_are_named_and_none_is_dropped() -> None:
    text = "🥰" * (MOST_NAMED + 2_000) + "END"
    display = DisplayText(text)
    assert display.shown.count("[") == MOST_NAMED
    assert display.shown.count(UNKNOWN_SIGN) == 2 * 2_000
    assert display.excerpt(display.to_shown(len(text) - 3), display.to_shown(len(text))) == "END"


def test_the_reading_typeface_is_asked_with_its_stand_ins(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert safe_text.drawable("a")
    assert safe_text.drawable("a\u200d\ufe0f"), "joiners have no picture of their own"
    assert not safe_text.drawable("\U0001faff"), "no code point of Unicode yet"
