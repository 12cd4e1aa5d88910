"""The letters panel through the window: a letter is opened, read, gone through by keys, edited and let go of."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import letter_files
import pytest
from docx import Document as WordDocument
from letters_scene import (
    CANARY,
    CV,
    LETTER,
    PATIENCE,
    kinds,
    opened,
    panel_of,
    read_after,
    with_cv,
    without_marking,
    words,
)
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot
from seeded_part import seeded_part

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.letters.files import read_bytes
from biasprint.core.letters.values import Document, KeptLetter
from biasprint.core.swap import Person
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations import letters
from biasprint.desktop.operations.letters import Checked, LetterRequest
from biasprint.desktop.panels.letters import LettersPanel, export
from biasprint.desktop.panels.letters.entries import MARKED, RANGE, STRENGTH, items_of
from biasprint.desktop.panels.letters.twin_parts import AskedLine
from biasprint.desktop.widgets.letter_text import MOST_EDITED

pytestmark = pytest.mark.usefixtures("own_computer", "read_once")
read = letters.check
_readings: dict[str, Checked] = {}  # by what was asked


@pytest.fixture
def read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Most tests read one letter: it is read in earnest once in this run, with whatever belongs beside it."""

    def check(ctx: JobContext, request: LetterRequest) -> Checked:
        if (asked := repr(request)) not in _readings:
            _readings[asked] = read(ctx, request)
        return replace(_readings[asked], request=request)

    monkeypatch.setattr(letters, "check", check)
    without_marking(monkeypatch)


def press(widget: QWidget, key: Qt.Key, *, alt: bool = False, ctrl: bool = False) -> None:
    modifier = Qt.KeyboardModifier.NoModifier
    if alt:
        modifier = Qt.KeyboardModifier.AltModifier
    if ctrl:
        modifier = Qt.KeyboardModifier.ControlModifier
    QTest.keyClick(widget, key, modifier)


def drop(panel: LettersPanel, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    where, copy = QPointF(panel.width() / 2, panel.height() / 2), Qt.DropAction.CopyAction
    button, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(panel, QDragEnterEvent(where.toPoint(), copy, data, button, keys))
    assert panel.start.card.chosen
    QApplication.sendEvent(panel, QDropEvent(where, copy, data, button, keys))


# opening


def test_a_letter_is_pasted_and_checked_by_keys_alone(qtbot: QtBot, window: MainWindow) -> None:
    panel = panel_of(window)
    assert not panel.start.check.isEnabled()
    panel.start.paste.setFocus()
    QTest.keyClicks(panel.start.paste, "Kelly is a warm colleague. She led the team.")
    panel.start.check.setFocus()
    read_after(qtbot, panel, lambda: press(panel.start.check, Qt.Key.Key_Space))
    assert panel.pages.currentWidget() is panel.review.board
    assert words(panel, "communal") == ["warm"]
    assert words(panel, "agentic") == ["led"]
    assert panel.start.paste.toPlainText() == ""  # the pasted text is not left in the box


@pytest.mark.parametrize("name", seeded_part(letter_files.MAKERS, 2))
def test_a_dropped_file_of_every_kind_is_read_and_marked(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(letter_files.MAKERS[name]())
    panel = panel_of(window)
    read_after(qtbot, panel, lambda: drop(panel, path))
    assert words(panel, "communal")[:2] == ["warm", "caring"]
    assert "Kelly Moreno" in panel.header.title.whole_text()
    assert window.settings.recent() == []


BAD: dict[str, bytes] = {
    "empty.docx": b"",
    "photo.jpg": b"\xff\xd8\xff\xe0" + bytes(range(256)) * 20,
    "broken.docx": b"PK\x03\x04" + b"no zip at all" * 50,
    "broken.pdf": b"%PDF-1.7\n" + b"<< nothing >>" * 30,
    "old.doc": b"\xd0\xcf\x11\xe0" + bytes(2_000),
    "blank.txt": b" \n \n\t ",
    "program.txt": b"\x7fELF" + bytes(500),
    "sheet.zip": b"PK\x05\x06" + bytes(18),
}


@pytest.mark.parametrize("name", seeded_part(BAD, 3))
def test_a_bad_file_is_told_of_and_leaves_the_window_as_it_was(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    path.write_bytes(BAD[name])
    panel = panel_of(window)
    panel.open_file(path)
    qtbot.waitUntil(lambda: bool(window.banners.texts()), timeout=PATIENCE)
    assert name in window.banners.texts()[0]
    assert "Traceback" not in window.banners.texts()[0]
    assert panel.pages.currentWidget() is panel.start
    assert panel.start.choose.isEnabled()


def test_a_missing_file_and_a_bad_cv_leave_the_letter_open(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    panel = opened(qtbot, window)
    bad = tmp_path / "cv.docx"
    bad.write_bytes(b"PK\x03\x04 broken")
    panel.take_files([bad], for_context=True)
    qtbot.waitUntil(lambda: bool(window.banners.texts()), timeout=PATIENCE)
    panel.open_file(tmp_path / "nowhere.docx")
    qtbot.waitUntil(lambda: "nowhere.docx" in window.banners.texts()[0], timeout=PATIENCE)
    assert panel.review.board.letter.text.text() == LETTER
    assert panel.review.check.context is None
    assert panel.review.board.context.isEnabled()


def test_another_language_is_said_and_nothing_is_marked(qtbot: QtBot, window: MainWindow) -> None:
    german = (
        "Sehr geehrte Damen und Herren,\n\nich habe mit Frau Moreno vier Jahre lang gearbeitet, und sie ist eine sehr "
        "gute Kollegin, die immer hilft und ihre Arbeit sorgfältig macht. Ich kann sie ohne jeden Zweifel empfehlen."
    )
    panel = opened(qtbot, window, german)
    assert kinds(panel) == []
    assert "German" in panel.review.board.found.nothing.text()
    assert not panel.heading.badge.isVisible()


def test_a_cv_in_place_of_the_letter_can_become_the_cv(qtbot: QtBot, window: MainWindow) -> None:
    cv = (
        "Kelly Moreno\n\nEducation\n\nRoyal College of Art, 2004\n\nExperience\n\nNorth Street, printmaker\n\n"
        "Skills\n\nLithography, etching\n\nAwards\n\nNational prize for graphic art, in 2015, and in 2019 for prints"
    )
    panel = opened(qtbot, window, cv)
    way_on = next(
        one for one in panel.review.board.letter.findChildren(QPushButton) if one.text() == "Use it as the CV"
    )
    way_on.click()
    assert panel.pages.currentWidget() is panel.start
    assert panel.start.context.isVisible()
    read_after(qtbot, panel, lambda: panel.open_pasted(LETTER))
    assert panel.review.check.checked is not None
    assert panel.review.check.checked.reading.context_name
    assert "unsupported" in kinds(panel)


def test_a_letter_about_two_is_read_for_the_one_that_is_chosen(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(
        qtbot,
        window,
        "I am glad to recommend Peter Novak and Laura Stein. Peter is a brilliant analyst, and he is ambitious.\n\n"
        "Laura is a caring and helpful colleague, and she runs our tutorials. Laura explains all of it twice.",
    )
    assert {"brilliant", "ambitious"} <= {word for kind in kinds(panel) for word in words(panel, kind)}
    buttons = panel.review.board.letter.findChildren(QPushButton)
    laura = next(button for button in buttons if button.text() == "Read it for Laura Stein")
    read_after(qtbot, panel, laura.click)
    marked = {word for kind in kinds(panel) for word in words(panel, kind)}
    assert {"caring", "helpful"} <= marked
    assert not {"brilliant", "ambitious"} & marked
    assert panel.review.board.person.first.text() == "Laura"


def test_a_line_of_a_megabyte_is_shown_read_only_and_holds_nothing_up(qtbot: QtBot, window: MainWindow) -> None:
    panel = panel_of(window)
    box, data = panel.start.paste, QMimeData()
    data.setText("warm\u202e\x07" * 150_000)
    with qtbot.waitSignal(panel.review.check.reading_changed, timeout=PATIENCE):
        box.insertFromMimeData(data)
    qtbot.waitUntil(lambda: panel.pages.currentWidget() is panel.review.board, timeout=PATIENCE)
    text = panel.review.board.letter.text
    assert box.toPlainText() == ""
    assert text.isReadOnly()
    assert "\u202e" not in text.toPlainText()
    assert "\x07" not in text.toPlainText()
    panel.close_letter()
    assert text.text() == ""
    assert panel.review.check.document is None


def test_what_looks_like_markup_stays_text(qtbot: QtBot, window: MainWindow) -> None:
    markup = "<b>Kelly</b> is kind to all. <img src='file:///etc/passwd'> <script>alert(1)</script> She led the team."
    panel = opened(qtbot, window, markup)
    assert panel.review.board.letter.text.toPlainText() == markup
    mark = next(one for one in panel.review.board.letter.text._marks if one.kind == "communal")
    panel.review.select(mark.key)
    assert "<b>" not in panel.review.board.letter.note.title.text()


# going through what was found


def test_keys_go_from_mark_to_mark_dismiss_and_bring_back(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    text, note = panel.review.board.letter.text, panel.review.board.letter.note
    text.setFocus()
    press(text, Qt.Key.Key_Down, alt=True)
    assert "warm" in note.title.text()
    assert "rated" in note.reason.text()
    assert "Madera" in note.source.text()
    press(text, Qt.Key.Key_Down, alt=True)
    assert "caring" in note.title.text()
    press(text, Qt.Key.Key_Up, alt=True)
    press(text, Qt.Key.Key_D, alt=True)
    assert "warm" not in words(panel, "communal")
    assert "caring" in words(panel, "communal")
    assert panel.review.board.found.dismissed.text() == "1 dismissed"
    assert panel.review.board.found.dismissed.isVisible()
    press(text, Qt.Key.Key_Z, alt=True)
    assert words(panel, "communal")[0] == "warm"
    assert not panel.review.board.found.dismissed.isVisible()
    assert text.text() == LETTER  # no key of these typed anything


def test_the_list_is_worked_by_keys(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    found, text = panel.review.board.found, panel.review.board.letter.text
    found.list.setFocus()
    press(found.list, Qt.Key.Key_Home)
    while not text._emphasised:  # past what is said of the letter as a whole
        press(found.list, Qt.Key.Key_Down)
    chosen = panel.review.selected
    assert panel.review._item(chosen) is not None
    assert text._emphasised
    press(found.list, Qt.Key.Key_Delete)
    assert chosen in panel.review.check.dismissed
    assert panel.review.selected != chosen
    press(found.list, Qt.Key.Key_Z, ctrl=True)
    assert panel.review.check.dismissed == []
    assert panel.review.selected == chosen
    press(found.list, Qt.Key.Key_Return)
    item = panel.review._item(chosen)
    assert item is not None
    assert text.hasFocus()
    assert text.textCursor().position() == item.start


def test_what_weighs_most_stands_first_and_strengths_are_folded(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    with_cv(qtbot, panel)
    rows = panel.review.board.found.model.rows
    sections = [row.section for row in rows if row.item is None]
    assert sections == sorted(sections)
    assert next(row.folded for row in rows if row.section == STRENGTH)
    spoken = panel.review.board.found.model.index(0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert isinstance(spoken, str)
    assert spoken


def test_clicking_a_mark_unfolds_its_entry(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    text = panel.review.board.letter.text
    cursor = text.cursor_for(LETTER.index("led the") + 1, LETTER.index("led the") + 1)
    qtbot.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=text.cursorRect(cursor).center())
    row = panel.review.board.found.model.row_at(panel.review.board.found.list.currentIndex())
    assert row is not None
    assert row.item is not None
    assert row.item.kind == "agentic"


def test_a_category_is_hidden_and_shown_by_its_chip(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    chip = panel.review.board.letter.chips["communal"]
    assert "shown" in chip.accessibleName()
    assert str(chip.count) in chip.accessibleName()
    chip.setFocus()
    press(chip, Qt.Key.Key_Space)
    assert "communal" not in kinds(panel)
    assert "agentic" in kinds(panel)
    assert "hidden" in chip.accessibleName()
    every = panel.review.board.letter.every
    every.click()
    assert kinds(panel) == []
    assert every.text() == "Show all"
    every.click()
    assert "communal" in kinds(panel)
    assert "family" in kinds(panel)


# the CV and whom it is about


def test_claims_are_looked_up_in_the_cv_and_their_passage_is_shown(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    assert "unsupported" not in kinds(panel)
    with_cv(qtbot, panel)
    claim = next(sentence for sentence in words(panel, "unsupported") if "national prize" in sentence)
    item = next(item for item in panel.review._items if item.kind == "unsupported" and claim[:20] in item.words)
    panel.review.select(item.key)
    assert item.passage
    assert item.passage in CV
    assert item.passage in panel.review.board.letter.note.passage.text()
    panel.review.board.letter.note.see.click()
    tinted = panel.review.board.context.text.extraSelections()
    assert [one.cursor.selectedText() for one in tinted] == [item.passage]  # type: ignore[attr-defined]
    read_after(qtbot, panel, panel.review.board.context.remove.click)
    assert "unsupported" not in kinds(panel)
    assert panel.review.board.context.text.text() == ""


def test_the_supported_sentence_shows_its_passage(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    with_cv(qtbot, panel)
    checked = panel.review.check.checked
    assert checked is not None
    grounded = {one.sentence: one for one in checked.reading.support if one.verdict == "grounded"}
    item = next(item for item in panel.review._items if item.sentence in grounded)
    panel.review.select(item.key)
    shown = panel.review.board.context.text.extraSelections()
    assert [one.cursor.selectedText() for one in shown] == [grounded[item.sentence].passage]  # type: ignore


def test_name_pronoun_and_occupation_are_guessed_and_can_be_set(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    page = panel.review.board.person
    assert (page.first.text(), page.last.text(), page.pronoun.currentData()) == ("Kelly", CANARY, "she")
    panel.review.board.tabs.setCurrentIndex(2)
    page.last.setFocus()
    page.last.selectAll()
    QTest.keyClicks(page.last, "Moreno")
    read_after(qtbot, panel, lambda: press(page.last, Qt.Key.Key_Return))
    assert panel.review.check.checked is not None
    assert panel.review.check.checked.reading.person.last_name == "Moreno"
    assert page.guess.text() == "As you set it."
    page.occupation.setEditText("lighthouse keeper")
    read_after(qtbot, panel, lambda: press(page.occupation.lineEdit(), Qt.Key.Key_Return))  # type: ignore[arg-type]
    assert "lighthouse keeper" in panel.review.board.compared.legend.text()
    assert panel.review.check.checked.reading.compared == ()


def test_that_no_name_was_found_is_said_where_it_can_be_set(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    page, checked = panel.review.board.person, panel.review.check.checked
    assert checked is not None
    assert page.guess.text() == "Guessed from the letter. Set right what is wrong."
    page.show_reading(replace(checked, reading=replace(checked.reading, person=Person("", "", "", "she"))))
    assert page.guess.text().startswith("No name was found in the letter.")


def test_a_paragraph_can_be_made_another_part(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    text = panel.review.board.letter.text
    place = LETTER.index("She received")
    text.menu_wanted.emit(place, QPoint(0, 0))
    titles = [action.text() for action in panel.review.board.letter.parts_menu.actions()]
    assert len(titles) == 6
    assert sum(one.isChecked() for one in panel.review.board.letter.parts_menu.actions()) == 1
    quoted = panel.review.board.letter.parts_menu.actions()[-1]
    read_after(qtbot, panel, quoted.trigger)
    panel.review.board.letter.menu.close()
    assert words(panel, "family") == []  # what is quoted is not read
    text.go_to(LETTER.index("Sincerely"))
    read_after(qtbot, panel, lambda: QTest.keyClicks(text, "She is kind. "))
    assert words(panel, "family") == []  # what was set by hand holds while the text is edited


# editing


def test_marks_move_with_the_words_and_the_letter_is_read_again_after_a_pause(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    text = panel.review.board.letter.text
    text.go_to(LETTER.index("Kelly is a warm"))
    seen: list[object] = []
    panel.review.check.seen.connect(seen.append)
    QTest.keyClicks(text, "Indeed, ")
    assert words(panel, "communal")[0] == "warm"
    assert not seen
    qtbot.waitUntil(lambda: bool(seen), timeout=PATIENCE)
    assert words(panel, "communal")[0] == "warm"
    assert panel.review.check.is_current
    cursor = text.cursor_for(text.text().index("warm and "), text.text().index("warm and ") + len("warm and "))
    text.setTextCursor(cursor)
    read_after(qtbot, panel, lambda: press(text, Qt.Key.Key_Delete))
    assert words(panel, "communal") == ["caring"]
    press(text, Qt.Key.Key_Z, ctrl=True)
    assert "warm and caring" in text.text()


def test_typing_goes_on_while_the_letter_is_read(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    text = panel.review.board.letter.text
    text.moveCursor(QTextCursor.MoveOperation.End)
    for _ in range(5):
        panel.review.check.read_now()
        QTest.keyClicks(text, " She is kind.")
    qtbot.waitUntil(lambda: panel.review.check.is_current, timeout=PATIENCE)
    assert text.text().endswith(" She is kind." * 5)
    assert all(text.text()[mark.start : mark.end] for mark in text.marks())


def test_a_suggestion_is_taken_by_hand_and_undone_with_ctrl_z(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    text, checked = panel.review.board.letter.text, panel.review.check.checked
    assert checked is not None
    assert text.text() == LETTER
    offer = next(one for offers in checked.offers.values() for one in offers if one.new is not None)
    panel.review.select(offer.mark_key)
    use = next(
        one for one in panel.review.board.letter.note.offers.findChildren(QPushButton) if one.text() == "Use this"
    )
    read_after(qtbot, panel, use.click)
    assert text.text() == LETTER[: offer.start] + offer.new + LETTER[offer.end :]
    read_after(qtbot, panel, lambda: press(text, Qt.Key.Key_Z, ctrl=True))
    assert text.text() == LETTER


def test_an_edited_letter_is_not_let_go_of_without_a_question(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    QTest.keyClicks(panel.review.board.letter.text, "x")
    panel.close_letter()
    question = window.findChild(Question)
    assert isinstance(question, Question)
    assert panel.review.check.document is not None
    question.safe_button.click()
    assert panel.review.board.letter.text.text() == "x" + LETTER
    panel.close_letter()
    window.findChildren(Question)[-1].risky_button.click()
    assert panel.review.check.document is None
    assert panel.pages.currentWidget() is panel.start


# letting go


def test_closing_leaves_no_word_of_the_letter_in_the_window(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    with_cv(qtbot, panel)
    panel.review.step(1)
    panel.close_letter()
    window.findChildren(Question)[-1].risky_button.click()  # the CV is asked about, too
    assert CANARY not in said_by(panel)
    assert panel.review.check.checked is None
    assert panel.review._items == ()
    assert not panel.review.board.letter.text.document().isUndoAvailable()


def test_nothing_of_a_letter_that_was_closed_is_on_disk(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, own_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(letters, "check", read)  # in earnest
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.setenv(name, str(temporary))
    QGuiApplication.clipboard().clear()
    panel = opened(qtbot, window)
    with_cv(qtbot, panel)
    QTest.keyClicks(panel.review.board.letter.text, "Also ")
    qtbot.waitUntil(lambda: panel.review.check.is_current, timeout=PATIENCE)
    panel.review.dismiss(panel.review._items[0].key)
    panel._close()
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)  # the draft is deleted
    window.settings.save()
    for root in (tmp_path, own_home, temporary):
        for file in root.rglob("*"):
            assert not file.is_file() or CANARY.encode() not in file.read_bytes(), file
    assert CANARY not in QGuiApplication.clipboard().text()
    panel_text = said_by(panel)
    assert CANARY not in panel_text


def said_by(panel: LettersPanel) -> str:
    """Every word that any part of the panel shows or holds for a screen reader."""
    said = []
    for widget in panel.findChildren(QWidget):
        said += [widget.accessibleName(), widget.accessibleDescription(), widget.toolTip()]
        for name in ("text", "toPlainText", "currentText", "whole_text", "title"):
            words_of: Callable[[], Any] | None = getattr(widget, name, None)
            if callable(words_of):
                said.append(str(words_of()))
    return "\n".join(said)


# the look


@pytest.mark.parametrize(
    ("look", "scale"), seeded_part([("light", 1.0), ("dark", 1.5), ("contrast", 2.0), ("light", 0.8)], 2)
)
def test_nothing_overlaps_at_any_size(
    qtbot: QtBot, qapp: QApplication, window: MainWindow, look: str, scale: float
) -> None:
    theme.apply(qapp, look, scale)
    window.resize(1280, 720)
    panel = opened(qtbot, window)
    with_cv(qtbot, panel)
    panel.review.step(1)
    letter = panel.review.board.letter
    qtbot.waitUntil(lambda: letter.note.geometry().top() >= letter.text.geometry().bottom(), timeout=5_000)
    assert letter.text.geometry().top() >= letter.legend.geometry().bottom()
    assert letter.text.height() >= theme.current().px(100)
    for chip in letter.chips.values():
        assert chip.geometry().right() <= letter.legend.width()
    assert not panel.grab().isNull()


def test_every_control_can_be_reached_and_has_a_name(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    with_cv(qtbot, panel)
    panel.review.step(1)
    for widget in panel.findChildren(QWidget):
        if isinstance(widget, QAbstractButton | QLineEdit | QComboBox) and widget.objectName() == "":
            if isinstance(widget.parent(), QComboBox):
                continue
            name = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
            inside = type(widget.parent()).__name__ == "QTabBar"  # the arrows of a bar that is too narrow
            assert inside or name, widget
            assert inside or widget.focusPolicy() & Qt.FocusPolicy.TabFocus, widget


def test_a_very_long_letter_is_not_edited_and_a_long_paste_is_refused(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    text, data = panel.review.board.letter.text, QMimeData()
    data.setText("x " * MOST_EDITED)
    text.insertFromMimeData(data)
    assert text.text() == LETTER
    html = QMimeData()
    html.setHtml("<b>bold</b><img src='http://example.org/x.png'>")
    html.setText("bold")
    text.moveCursor(QTextCursor.MoveOperation.End)
    text.insertFromMimeData(html)
    assert text.text() == LETTER + "bold"


@pytest.mark.parametrize(("name", "head"), seeded_part([("report.pdf", b"%PDF"), ("report.docx", b"PK")], 1))
def test_a_report_is_written_where_a_person_says(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, head: bytes
) -> None:
    panel = opened(qtbot, window)
    path = tmp_path / name
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    assert panel.heading.report.isEnabled()
    panel.heading.report.setFocus()
    press(panel.heading.report, Qt.Key.Key_Space)
    assert panel.menu.activeAction().text() == "Note to the writer, one page…"
    press(panel.menu, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)
    note = path.read_bytes()
    panel.heading.report.click()
    panel.menu.actions()[2].trigger()
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)
    assert window.banners.texts() == []
    assert note.startswith(head)
    assert path.read_bytes().startswith(head)
    assert len(note) < len(path.read_bytes()), "the full report has more to say"


def test_a_note_is_of_the_edited_letter_without_what_was_put_aside(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    letter, path = tmp_path / "letter.docx", tmp_path / "note.docx"
    text = LETTER.replace("warm", "bossy")
    letter.write_bytes(letter_files.docx(text.split("\n\n")))
    panel = panel_of(window)
    read_after(qtbot, panel, lambda: panel.open_file(letter))
    place = text.index("bossy")
    read_after(qtbot, panel, lambda: panel.review.board.letter.text.replace_span(place, place + 5, "able"))
    doubts = {mark.key for mark in panel.review.board.letter.text.marks() if mark.kind == "doubt"}
    for key in doubts:
        panel.review.dismiss(key)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    panel.export.note(appendix=True)
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)
    written = WordDocument(str(path))
    told = [paragraph.text for paragraph in written.paragraphs]
    assert any(one.startswith("letter.docx, edited since it was opened") for one in told)
    assert "Versions and hashes" in told
    assert f"Marks put aside by a person: {len(doubts)}" in told
    cells = [cell.text for table in written.tables for row in table.rows for cell in row.cells]
    assert any("bossy" in cell for cell in cells)
    assert any("mother" in cell for cell in cells)
    assert not any("might become" in cell for cell in cells)


def test_what_is_asked_for_right_after_typing_is_written_once_it_was_read(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel, path = opened(qtbot, window), tmp_path / "checked.docx"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    place = panel.review.board.letter.text.text().index("warm")
    panel.review.board.letter.text.replace_span(place, place + 4, "able")
    assert not panel.review.check.is_current
    (command,) = (one for one in panel.commands() if one.title.startswith("Save as Word, with changes"))
    assert command.enabled(), "the palette does not hide what a person has just seen there"
    with qtbot.waitSignal(panel.export.written, timeout=PATIENCE):
        command.run()
    assert any("able" in one._p.xml for one in WordDocument(str(path)).paragraphs)
    path.unlink()
    panel.review.board.letter.text.replace_span(place, place + 4, "good")
    panel.export.save_word()
    panel.review.edited = False
    panel.close_letter()
    opened(qtbot, window)
    assert not path.exists(), "a letter that was closed meanwhile is not written as another one"


def test_a_saved_letter_is_opened_read_and_reported_again_as_it_was_left(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = opened(qtbot, window)
    with_cv(qtbot, panel)
    dismissed = panel.review._items[0].key
    panel.review.dismiss(dismissed)
    with qtbot.waitSignal(panel.keeping.saved, timeout=PATIENCE):
        panel.heading.save.click()
    marks = kinds(panel)
    panel.close_letter()
    assert CANARY not in panel.review.board.letter.text.text()
    card = panel.start.kept
    qtbot.waitUntil(lambda: [row.title for row in card.rows()] == [f"Letter for Kelly {CANARY}"], timeout=PATIENCE)
    read_after(qtbot, panel, card.open.click)
    assert kinds(panel) == marks
    assert panel.review.check.dismissed == [dismissed]
    assert "unsupported" in kinds(panel)  # the CV came with it
    path = tmp_path / "again.docx"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    panel.export.report()
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)
    assert window.banners.texts() == []
    assert path.read_bytes().startswith(b"PK")


def test_machine_made_letters_raise_no_alarm_and_a_persons_own_do(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    checked = panel.review.check.checked
    outside = [one for one in checked.reading.compared if one.outside]
    assert outside
    assert [item.title for item in items_of(checked) if item.section == RANGE] == []
    assert "No person wrote them" in panel.review.board.compared.legend.text()
    own = tuple(replace(one, machine_made=False) for one in checked.reading.compared)
    told = items_of(replace(checked, reading=replace(checked.reading, compared=own)))
    assert len([item for item in told if item.section == RANGE]) == len(outside)


def test_an_edited_letter_goes_back_into_its_own_word_file(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    letter, target = tmp_path / "letter.docx", tmp_path / "checked.docx"
    letter.write_bytes(letter_files.docx(LETTER.split("\n\n")))
    before = letter.read_bytes()
    panel = panel_of(window)
    read_after(qtbot, panel, lambda: panel.open_file(letter))
    place = LETTER.index("warm")
    read_after(qtbot, panel, lambda: panel.review.board.letter.text.replace_span(place, place + 4, "able"))
    aside = next(mark for mark in panel.review.board.letter.text.marks() if mark.kind == "communal")
    panel.review.dismiss(aside.key)
    left = [
        mark for mark in panel.review.check.checked.reading.marks if (mark.start, mark.end) != (aside.start, aside.end)
    ]

    def save(path: Path, *, tracked: bool) -> None:
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
        panel.export.save_word(tracked=tracked)
        qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)

    save(target, tracked=True)
    assert window.banners.texts() == []
    document = WordDocument(str(target))
    assert [comment.author for comment in document.comments] == ["Biasprint check"] * len(left)
    changed = next(one for one in document.paragraphs if "caring" in one._p.xml)._p.xml
    assert "w:delText" in changed
    assert "able" in changed
    save(tmp_path / "clean", tracked=False)
    clean = WordDocument(str(tmp_path / "clean.docx"))
    assert "\n\n".join(one.text for one in clean.paragraphs) == LETTER.replace("warm", "able")
    assert not list(clean.comments)
    with qtbot.waitSignal(panel.keeping.saved, timeout=PATIENCE):
        panel.heading.save.click()
    panel.close_letter()
    qtbot.waitUntil(lambda: len(panel.start.kept.rows()) == 1, timeout=PATIENCE)
    read_after(qtbot, panel, panel.start.kept.open.click)
    save(tmp_path / "again.docx", tracked=True)
    again = WordDocument(str(tmp_path / "again.docx"))
    assert next(one for one in again.paragraphs if "caring" in one._p.xml)._p.xml == changed, "its own file was kept"
    save(letter, tracked=True)
    assert any("is not written over" in text for text in window.banners.texts())
    assert letter.read_bytes() == before


def test_an_odt_goes_back_into_its_own_file_or_becomes_a_plain_docx(tmp_path: Path) -> None:
    letter = tmp_path / "letter.odt"
    letter.write_bytes(letter_files.odt())
    source = export.read_letter(path=letter).work(JobContext())
    text = source.document.text.replace("warm", "able")
    checked: Any = SimpleNamespace(reading=SimpleNamespace(document=letters.document_as_typed(source.document, text)))
    written = {
        name: export.save_word(
            source=source, checked=checked, dismissed=(), path=tmp_path / name, tracked=False
        ).work(JobContext()).path.read_bytes()
        for name in ("checked.odt", "checked.docx")
    }  # fmt: skip
    assert read_bytes(written["checked.odt"], "checked.odt").text == text
    assert b"content.xml" in written["checked.odt"]
    assert read_bytes(written["checked.docx"], "checked.docx").text == text
    with pytest.raises(AppError, match="is not written over"):
        export.save_word(source=source, checked=checked, dismissed=(), path=letter, tracked=False).work(JobContext())
    plain = replace(source, document=replace(source.document, kind="txt"), data=None)
    with pytest.raises(AppError, match="Only a letter that came as odt"):
        export.save_word(source=plain, checked=checked, dismissed=(), path=letter, tracked=False).work(JobContext())
    assert letter.read_bytes() == letter_files.odt()


def test_several_files_become_a_pile_and_the_way_back_leads_to_the_letter(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    panel = opened(qtbot, window)
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(letter_files.txt())
    panel.take_files([tmp_path / "a.txt", tmp_path / "b.txt"])
    pile = panel.pages.currentWidget()
    assert pile is not panel.review.board
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)
    pile.closed.emit()  # type: ignore[attr-defined]
    assert panel.pages.currentWidget() is panel.review.board
    panel.close_letter()
    assert panel.pages.currentWidget() is pile  # it was still open


def test_a_dropped_folder_is_a_pile(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    folder = tmp_path / "letters"
    folder.mkdir()
    (folder / "a.txt").write_bytes(letter_files.txt())
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 broken")
    panel = panel_of(window)
    drop(panel, folder)
    assert panel.pages.currentWidget() not in (panel.start, panel.review.board)
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)
    assert window.banners.texts() == []


def test_from_a_sentence_of_the_twin_one_goes_on_in_the_letter(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    mark = next(item for item in panel.review._items if item.section in MARKED)
    sentence = panel.review.check.checked.reading.sentence(mark.sentence)  # type: ignore[union-attr, arg-type]
    panel.open_twin()
    line = AskedLine("asked 0", sentence.text, "", mark.key, (sentence.start, sentence.end), (0, 0))
    panel._twin.letter_wanted.emit(line)  # type: ignore[union-attr]
    assert panel.pages.currentWidget() is panel.review.board
    assert panel.review.selected == mark.key
    text = panel.review.board.letter.text
    assert text.textCursor().position() == text.cursor_for(sentence.start, sentence.start).position()


def test_the_twin_stands_beside_the_letter_and_goes_with_it(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    panel.heading.twin.click()
    twin = panel.pages.currentWidget()
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)
    assert CANARY in said_by(panel)
    twin.closed.emit()  # type: ignore[union-attr]
    assert panel.pages.currentWidget() is panel.review.board
    panel.close_letter()
    assert CANARY not in said_by(panel)


def test_a_letter_is_handed_over_as_somebody_left_it(qtbot: QtBot, window: MainWindow) -> None:
    panel = panel_of(window)
    letter = KeptLetter(Document("one.docx", "docx", ("She is warm.",)), "one")
    read_after(qtbot, panel, lambda: window.show_panel("letters", kept=letter))
    assert words(panel, "communal") == ["warm"]


# small things


def test_alt_down_after_a_click_on_a_mark_goes_to_the_next_one(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    text, note = panel.review.board.letter.text, panel.review.board.letter.note
    place = LETTER.index("warm and") + 2
    spot = text.cursorRect(text.cursor_for(place, place)).center()
    qtbot.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    assert "warm" in note.title.text()
    press(text, Qt.Key.Key_Down, alt=True)
    assert "caring" in note.title.text()
    text.setFocus()
    press(text, Qt.Key.Key_Right)  # the cursor itself still chooses what it comes to
    assert "warm" in note.title.text()


def test_the_badge_of_stand_ins_is_there_again_after_the_pile(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    assert panel.heading.badge.isVisible()
    words_of_badge = panel.heading.badge.text()
    assert words_of_badge
    panel.open_pile()
    assert not panel.heading.badge.isVisible()
    panel.pages.currentWidget().closed.emit()  # type: ignore[union-attr]
    assert panel.heading.badge.isVisible()
    assert panel.heading.badge.text() == words_of_badge


def test_using_a_suggestion_goes_on_to_the_next_mark(qtbot: QtBot, window: MainWindow) -> None:
    panel = opened(qtbot, window)
    checked = panel.review.check.checked
    assert checked is not None
    offer = next(one for offers in checked.offers.values() for one in offers if one.new is not None)
    panel.review.select(offer.mark_key)
    panel.review.step(1)
    following = panel.review._item(panel.review.selected)
    assert following is not None
    assert following.start > offer.start
    panel.review.select(offer.mark_key)
    read_after(qtbot, panel, lambda: panel.review._use_offer(offer))
    chosen = panel.review._item(panel.review.selected)  # its key may be another: its sentence is
    assert chosen is not None
    assert (chosen.kind, chosen.words) == (following.kind, following.words)
    assert panel.review.board.letter.note.item is chosen


def test_the_status_line_says_whose_the_saved_is(qtbot: QtBot, window: MainWindow, file: Path) -> None:
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.open_project(file)
    window.set_saved("saved")  # a choice in Judge
    panel = opened(qtbot, window)
    assert window.status.panel.whole_text() == "This letter: not saved"
    assert window.status.saved.text() == "Project saved"
    panel.close_letter()


def test_a_table_of_texts_dropped_on_letters_goes_to_the_import(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel = opened(qtbot, window)
    brought: list[Path] = []
    monkeypatch.setattr(window, "_bring", brought.append)
    panel.take_files([tmp_path / "texts.csv"])
    assert brought == [tmp_path / "texts.csv"]
    panel.close_letter()


def test_the_setting_says_whether_the_larger_reader_reads_letters_and_piles(window: MainWindow) -> None:
    panel_of(window)
    for on in (False, True):
        window.settings.set("larger_reader", on)
        assert letters._request_of_pile().larger is on
