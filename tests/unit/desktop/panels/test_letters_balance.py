"""The balance of a letter's praise in the window: an entry that leads to its sentences, and is renewed by an edit."""

from dataclasses import replace

import numpy as np
import pytest
from inline_compute import Inline
from letters_scene import PATIENCE, panel_of, read_after
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from biasprint.core.jobs import JobContext
from biasprint.core.letters import balance
from biasprint.core.letters.balance import TITLES, balance_of
from biasprint.core.letters.files import read_pasted
from biasprint.core.letters.reading import read_letter
from biasprint.core.letters.request import ReadingRequest
from biasprint.core.letters.values import Balance, Leaning
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations import Operation, letters
from biasprint.desktop.operations.letters import Checked, LetterRequest
from biasprint.desktop.panels.letters.board import _nothing
from biasprint.desktop.panels.letters.entries import BALANCE, items_of

BODY = (
    "Ms. Moreno sat with the patient. She made tea for the others. She kept the books. She held that hand. "
    "She wrote to the ward."
)
LETTER = f"Dear Committee,\n\n{BODY}\n\nSincerely,\nJonas Field"
DRIVEN = BODY.replace("sat with", "outbid").replace("made tea for", "overruled").replace("held that", "forced that")


class Head:
    """Agentic are sentences with certain words, books are neither, and all others communal."""

    version = "by words"

    def probabilities(self, sentences: list[str]) -> np.ndarray:
        def row(text: str) -> tuple[float, float, float]:
            if "books" in text:
                return 0.0, 0.0, 1.0
            driven = any(word in text for word in ("outbid", "overruled", "forced"))
            return (0.9, 0.0, 0.1) if driven else (0.0, 0.9, 0.1)

        return np.array([row(one) for one in sentences])


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readings without models, and the balance by `Head`."""
    by_words = letters.check_words

    def check(ctx: JobContext, request: LetterRequest) -> Checked:
        first = by_words(ctx, request)
        reading = first.reading
        body = [one for one in reading.sentences if one.part == "body"]
        return replace(first, reading=replace(reading, balance=balance_of(body, reading.marks)), first=False)

    monkeypatch.setattr(balance, "_head", Head)
    monkeypatch.setattr("biasprint.core.compute.quick", Inline)
    monkeypatch.setattr(letters, "check", check)
    for warm in ("warm_up", "warm_up_words"):
        monkeypatch.setattr(letters, warm, lambda: Operation("", lambda ctx: None, quiet=True))


@pytest.mark.usefixtures("own_computer", "told")
def test_the_entry_leads_to_its_sentences_is_put_aside_and_renewed_by_an_edit(qtbot: QtBot, window: MainWindow) -> None:
    panel = panel_of(window)
    read_after(qtbot, panel, lambda: panel.open_pasted(LETTER))
    found, text = panel.review.board.found, panel.review.board.letter.text
    (entry,) = (item for item in found.model.items if item.section == BALANCE)
    assert (entry.key, entry.listed, entry.title) == ("balance:warmth", True, "Praise mostly of warmth")
    assert found.heading.text() == "What to look at: 1 place"
    assert found.nothing.text() == ""
    found.list.setFocus()
    QTest.keyClick(found.list, Qt.Key.Key_Home)
    QTest.keyClick(found.list, Qt.Key.Key_Down)
    assert panel.review.selected == "balance:warmth"
    tinted = [one.cursor.selectedText() for one in text._emphasised]
    assert tinted == [
        "Ms. Moreno sat with the patient.", "She made tea for the others.", "She held that hand.",
        "She wrote to the ward.",
    ]  # fmt: skip
    assert "the lower its applicant was rated" in panel.review.board.letter.note.reason.text()
    assert panel.review.board.letter.note.source.text() == "Madera, Hebl and Martin 2009"
    QTest.keyClick(found.list, Qt.Key.Key_Return)
    assert text.textCursor().position() == LETTER.index("Ms. Moreno")

    panel.review.dismiss("balance:warmth")
    assert found.nothing.text() == "Nothing else is left to look at."
    panel.review.undo_dismissal()

    start = LETTER.index(BODY)
    read_after(qtbot, panel, lambda: text.replace_span(start, start + len(BODY), DRIVEN))
    qtbot.waitUntil(lambda: panel.review.check.is_current, timeout=PATIENCE)
    assert [item.key for item in found.model.items if item.section == BALANCE] == ["balance:drive"]


def checked_with(leaning: Leaning | None) -> Checked:
    request = LetterRequest(read_pasted(LETTER))
    reading = read_letter(request.document, ReadingRequest({}))
    found = None if leaning is None else Balance({}, 1.0, 1.0, 5, leaning, TITLES[leaning], "In words.")
    return Checked(request, replace(reading, balance=found), {})


@pytest.mark.parametrize("leaning", [*TITLES, None])
def test_nothing_stands_out_is_said_beside_a_balance_alone(leaning: Leaning | None) -> None:
    checked = checked_with(leaning)
    items = items_of(checked)
    leans = leaning in ("warmth", "drive")
    assert [item.listed for item in items if item.section == BALANCE] == ([leans] if leaning else [])
    said = _nothing(checked, items, 0)
    assert ("Nothing stands out" in said) == (leaning == "balanced")
    assert (said == "") == leans
    if leaning is not None and not leans:
        assert _nothing(checked, (), 0) == said
