"""Text that attacks the display is shown safely, quickly and comes back exactly."""

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from seeded_part import seeded_part
from trust.report import Figure

from biasprint.desktop import theme
from biasprint.desktop.widgets import PlainText, safe_text
from biasprint.desktop.widgets.safe_text import LONGEST_RUN, DisplayText, safe_line

MEGABYTE = 1_000_000
HOSTILE = {
    "rich text": "<b>bold</b> <img src='http://example.org/x.png'> <a href='x'>y</a>",
    "bidi override": "user\u202enimda\u202c \u2066x\u2069 \u200f",
    "nul and controls": "a\x00b\x1b[31mc\x7f\x9b",
    "lone surrogates": "a\ud800b\udfffc",
    "line ends": "a\r\nb\rc\nd\u2028e\u2029f\x0bg\x85h",
    "Qt's own characters": "a\ufdd0b\ufdd1c\ufffcd\uffffe",
    "emoji": "👩‍👩‍👧 🏳️‍🌈 e\u0301",
    "combining": "Z" + "\u0300" * 300,
    "empty": "",
}
MEGABYTE_LINES = {
    "one run": "a" * MEGABYTE,
    "words": "lorem ipsum " * (MEGABYTE // 12),
    "wide letters": "漢" * (MEGABYTE // 3),
    "emoji": "😀" * (MEGABYTE // 4),
    "bidi marks": "\u202e" * (MEGABYTE // 3),
    "nul": "\x00" * MEGABYTE,
    "line ends": "\n" * MEGABYTE,
}
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufdd0-\ufdef\ufffc]"
)
# Every kind of code point, lone surrogates too, and much of what matters here.
any_text = st.text(
    st.one_of(
        st.characters(codec=None),
        st.characters(categories=["Cs", "Cc", "Cf", "Zl", "Zp"]),
        st.sampled_from("\r\n\t 😀ab"),
    ),
    max_size=200,
)


def utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@pytest.fixture(autouse=True)
def every_sign_can_be_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """On every machine: what is named for want of a typeface is told in test_widgets_emoji."""
    monkeypatch.setattr(safe_text, "drawable", lambda one: True)


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> PlainText:
    theme.apply(qapp, "light", 1.0)
    made = PlainText(name="Text")
    qtbot.addWidget(made)
    made.resize(600, 700)
    made.show()
    return made


@given(any_text)
def test_nothing_unsafe_is_ever_shown(text: str):
    assert not UNSAFE.search(DisplayText(text).shown)


@given(any_text)
def test_harmless_text_is_shown_as_it_is(text: str):
    harmless = UNSAFE.sub("", text).replace("\ufffe", "").replace("\uffff", "")
    harmless = re.sub("[\ufff9-\ufffb]", "", harmless)
    assert DisplayText(harmless).shown == harmless


@given(any_text)
@example("\r\n")
@example("a\r\nb")
def test_every_position_goes_there_and_back(text: str):
    display = DisplayText(text)
    assert display.to_shown(len(text)) == utf16_length(display.shown)
    for position in range(len(text) + 1):
        if text[position - 1 : position + 1] != "\r\n":  # inside a line end there is no place to be
            assert display.to_source(display.to_shown(position)) == position


@given(any_text, any_text, any_text)
def test_an_excerpt_is_the_exact_text(before: str, middle: str, after: str):
    if (before + "x")[-2:-1] == "\r" or middle[-1:] == "\r":
        return  # a carriage return and a line feed may meet at the seam
    display = DisplayText(before + middle + after)
    start, end = display.to_shown(len(before)), display.to_shown(len(before + middle))
    assert display.excerpt(start, end) == middle


@pytest.mark.parametrize("length", [LONGEST_RUN, LONGEST_RUN + 1, 3 * LONGEST_RUN + 7])
def test_an_unbroken_run_is_split_above_5000_characters(length: int):
    lines = DisplayText("a" * length).shown.split("\n")
    assert "".join(lines) == "a" * length
    assert max(map(len, lines)) <= LONGEST_RUN
    assert (len(lines) > 1) == (length > LONGEST_RUN)


def test_an_ordinary_paragraph_is_not_split():
    paragraph = "She listens patiently to students. " * 400  # 14,000 characters, with blanks
    assert DisplayText(paragraph).shown == paragraph


def test_positions_behind_a_split_are_right():
    text = "a" * 12_000 + "END"
    display = DisplayText(text)
    at = display.to_shown(12_000)
    assert display.shown[at : at + 3] == "END"
    assert display.excerpt(at, at + 3) == "END"


def test_a_label_gets_one_short_line():
    line = safe_line("a\nb\u202e\x00 " + "x" * MEGABYTE)
    assert line.startswith("a b↔\ufffd x")
    assert len(line) <= 1_000


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_text_comes_back_exactly(view: PlainText, text: str):
    view.set_text(text)
    assert view.text() == text
    view.selectAll()
    assert view.createMimeDataFromSelection().text() == re.sub("[\ud800-\udfff]", "\ufffd", text)
    assert view.toPlainText() == DisplayText(text).shown


NAUGHTY = [json.loads(line) for line in (Path(__file__).parents[3] / "data" / "naughty_texts.jsonl").open("rb")]


@pytest.mark.parametrize("case", NAUGHTY, ids=[case["name"] for case in NAUGHTY])
def test_naughty_text_is_shown_safely_and_kept(view: PlainText, case: dict[str, Any]):
    text = case["text"] if "text" in case else case["repeat"][0] * case["repeat"][1]
    view.set_text(text)
    assert not UNSAFE.search(view.toPlainText())
    assert view.text() == text


def test_markup_is_shown_as_it_was_written(view: PlainText):
    view.set_text(HOSTILE["rich text"])
    assert view.toPlainText() == HOSTILE["rich text"]
    cursor = QTextCursor(view.document())
    cursor.movePosition(QTextCursor.MoveOperation.Right)
    assert not cursor.charFormat().isAnchor()
    assert not cursor.charFormat().isImageFormat()


def test_copying_a_part_copies_the_exact_part(view: PlainText):
    view.set_text("x😀\u202e\r\nname")
    view.setTextCursor(view.cursor_for(1, 8))
    assert view.createMimeDataFromSelection().text() == "😀\u202e\r\nnam"


def test_a_mark_lands_on_its_characters(view: PlainText):
    text = "😀😀 a\r\nwarm and caring"
    view.set_text(text)
    start = text.index("caring")
    assert view.cursor_for(start, start + 6).selectedText() == "caring"
    assert view.position_at(view.cursor_for(start, start)) == start


@pytest.mark.parametrize("text", seeded_part(MEGABYTE_LINES.values(), 2), ids=MEGABYTE_LINES.keys())
def test_a_megabyte_is_on_screen_within_200_ms(view: PlainText, qapp: QApplication, text: str, figure: Figure):
    taken = []
    for _ in range(3):  # the best of three, and not by the clock: other programs share this machine
        view.set_text("")
        begun = time.thread_time()
        view.set_text(text)
        view.grab()
        taken.append(time.thread_time() - begun)
    assert min(taken) < 0.2
    figure(f"a megabyte shown in {1_000 * min(taken):.0f} ms of the processor, of 200")
    assert view.text() == text


def test_the_rest_of_a_long_text_follows_without_holding_the_window(view: PlainText, qtbot: QtBot):
    text = "lorem ipsum dolor\n" * 20_000
    view.set_text(text)
    assert not view.all_shown
    qtbot.waitUntil(lambda: view.all_shown, timeout=30_000)
    assert view.toPlainText() == text
    assert view.verticalScrollBar().value() == 0


def test_a_mark_far_down_is_there_at_once(view: PlainText):
    text = "lorem ipsum dolor\n" * 20_000 + "END"
    view.set_text(text)
    assert view.cursor_for(len(text) - 3, len(text)).selectedText() == "END"


def test_copying_everything_does_not_wait_for_the_rest(view: PlainText):
    text = "lorem ipsum dolor\n" * 20_000
    view.set_text(text)
    view.selectAll()
    assert view.createMimeDataFromSelection().text() == text


def test_reading_text_has_its_line_height(view: PlainText, qapp: QApplication):
    view.set_text("one\ntwo")
    layout = view.document().documentLayout()
    first = layout.blockBoundingRect(view.document().firstBlock())
    second = layout.blockBoundingRect(view.document().lastBlock())
    assert second.top() - first.top() == pytest.approx(16 * 1.65, abs=1)
    theme.apply(qapp, "light", 2.0)
    second = layout.blockBoundingRect(view.document().lastBlock())
    assert second.top() - layout.blockBoundingRect(view.document().firstBlock()).top() == pytest.approx(
        32 * 1.65, abs=1
    )
    theme.apply(qapp, "light", 1.0)
