"""The letter's text widget: marks over plain text, which move with it, and an undo that knows only what was typed."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip
from pytestqt.qtbot import QtBot

from biasprint.desktop.widgets.letter_text import LetterMark, LetterText
from biasprint.desktop.widgets.marks import LOOKS, MarkChip, look_of

TEXT = "Dear all,\n\n😀 Kelly is warm. She is kind.\n\nBest"


@pytest.fixture
def text(qtbot: QtBot) -> Iterator[LetterText]:
    made = LetterText(name="The letter")
    qtbot.addWidget(made)
    made.resize(400, 300)
    with qtbot.waitExposed(made):
        made.show()
    made.open_text(TEXT)
    made.show_marks([mark("warm"), mark("kind")])
    return made


def mark(words: str, kind: str = "communal") -> LetterMark:
    start = TEXT.index(words)
    return LetterMark(f"{kind}:{words}", kind, start, start + len(words), ("Communal", f"about <b>{words}</b>"))


def under(text: LetterText) -> list[str]:
    return [text.text()[one.start : one.end] for one in text.marks()]


def test_what_is_shown_is_the_text_itself_and_places_count_characters(text: LetterText) -> None:
    assert text.text() == text.toPlainText() == TEXT
    assert under(text) == ["warm", "kind"]  # behind a character that Qt counts twice


@pytest.mark.parametrize(
    ("place", "keys", "expected"),
    [
        ("Kelly", "Dr. ", ["warm", "kind"]),
        ("warm", "very ", ["warm", "kind"]),
        ("arm.", "h", ["wharm", "kind"]),
        (". She", "ly", ["warm", "kind"]),
        ("Best", "x", ["warm", "kind"]),
    ],
)
def test_marks_move_with_what_is_typed(text: LetterText, place: str, keys: str, expected: list[str]) -> None:
    text.go_to(TEXT.index(place))
    QTest.keyClicks(text, keys)
    assert under(text) == expected


def test_every_line_is_hit_where_it_is_seen(text: LetterText) -> None:
    for place in range(len(TEXT)):
        if TEXT[place].isalpha():
            box = text.cursorRect(text.cursor_for(place, place))
            for y in (box.top() + 2, box.center().y(), box.bottom() - 2):
                assert text.position_at(text.cursorForPosition(QPoint(box.left() + 1, y))) == place


def test_a_mark_goes_with_its_words(text: LetterText) -> None:
    start = TEXT.index("is warm")
    text.setTextCursor(text.cursor_for(start, start + len("is warm.")))
    QTest.keyClick(text, Qt.Key.Key_Delete)
    assert under(text) == ["kind"]


def test_undo_takes_back_letters_and_never_the_look(text: LetterText) -> None:
    assert not text.document().isUndoAvailable()  # opening and marking are no edits
    text.set_apart([(0, 9)])
    text.emphasise((0, 9))
    assert not text.document().isUndoAvailable()
    text.moveCursor(QTextCursor.MoveOperation.End)
    QTest.keyClicks(text, " wishes")
    while text.document().isUndoAvailable():
        QTest.keyClick(text, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert text.text() == TEXT


def test_a_line_typed_between_two_paragraphs_is_as_high_as_any(text: LetterText) -> None:
    text.go_to(TEXT.index("\n\n") + 1)
    gap = text.textCursor().block()
    before = gap.layout().boundingRect().height()
    QTest.keyClicks(text, "Hello")
    assert gap.layout().boundingRect().height() == gap.next().layout().boundingRect().height() > before * 1.5
    while text.document().isUndoAvailable():
        QTest.keyClick(text, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert text.text() == TEXT
    assert gap.layout().boundingRect().height() == before


def test_an_edit_is_told_in_characters_of_the_letter(qtbot: QtBot, text: LetterText) -> None:
    start = TEXT.index("Kelly")
    text.setTextCursor(text.cursor_for(start, start + len("Kelly")))
    with qtbot.waitSignal(text.edited) as told:
        text.textCursor().insertText("😀😀")
    assert told.args == [start, 5, 2]


def test_a_span_is_replaced_as_if_it_had_been_typed(text: LetterText) -> None:
    start = TEXT.index("warm")
    text.replace_span(start, start + 4, "reliable")
    assert text.text() == TEXT.replace("warm", "reliable")
    text.undo()
    assert text.text() == TEXT


def test_only_safe_text_is_pasted(text: LetterText) -> None:
    data = QMimeData()
    data.setHtml("<img src='file:///etc/passwd'><b>x</b>")
    assert not text.canInsertFromMimeData(data) or "img" not in text.text()
    data.setText("a\u202eb\x00c")
    text.moveCursor(QTextCursor.MoveOperation.End)
    text.insertFromMimeData(data)
    assert text.text() == f"{TEXT}a↔b\ufffdc"


def test_hovering_tells_why_and_shows_markup_as_text(qtbot: QtBot, text: LetterText) -> None:
    place = text.cursorRect(text.cursor_for(TEXT.index("warm") + 2, TEXT.index("warm") + 2)).center()
    event = QHelpEvent(QEvent.Type.ToolTip, place, text.viewport().mapToGlobal(place))
    QApplication.sendEvent(text.viewport(), event)
    assert "about &lt;b&gt;warm" in QToolTip.text()
    QApplication.sendEvent(text.viewport(), QHelpEvent(QEvent.Type.ToolTip, QPoint(399, 299), QPoint(399, 299)))
    qtbot.waitUntil(lambda: not QToolTip.isVisible(), timeout=5_000)


def test_marks_are_drawn_under_their_words_and_nowhere_else(qtbot: QtBot, text: LetterText) -> None:
    marked = text.grab().toImage()
    text.show_marks([])
    plain = text.grab().toImage()
    box = text.cursorRect(text.cursor_for(TEXT.index("warm"), TEXT.index("warm")))
    scale = marked.devicePixelRatio()
    changed = [
        (x / scale, y / scale)
        for x in range(marked.width())
        for y in range(marked.height())
        if marked.pixel(x, y) != plain.pixel(x, y)
    ]
    assert changed
    assert all(box.center().y() < y < box.bottom() + 12 for _, y in changed)
    assert min(x for x, _ in changed) >= box.left() - 2


def test_every_kind_of_mark_has_a_second_cue() -> None:
    cues = [(look.form, look.bracketed) for look in LOOKS.values()]
    assert len(set(cues)) == len(cues)  # told apart without any colour
    assert look_of("what a plug-in brings") not in LOOKS.values()


def test_a_chip_says_what_it_does(qtbot: QtBot) -> None:
    chip = MarkChip("doubt", "Doubt-raising")
    qtbot.addWidget(chip)
    chip.set_count(3)
    chip.show()
    QTest.keyClick(chip, Qt.Key.Key_Space)
    assert not chip.isChecked()
    assert chip.accessibleName() == "Doubt-raising: 3 marks, hidden"


def test_a_chip_of_marks_that_are_often_wrong_has_no_number(qtbot: QtBot) -> None:
    chip = MarkChip("doubt", "Doubt-raising", "28 of 38 were right.")
    qtbot.addWidget(chip)
    chip.set_count(3)
    assert chip.accessibleName() == "Doubt-raising: may be worth a look, shown"
    assert "28 of 38 were right." in chip.toolTip()
