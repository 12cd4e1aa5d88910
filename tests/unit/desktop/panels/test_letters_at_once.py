"""A letter is marked before any scorer is ready; what the scorers say follows and disturbs nobody."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest
from inline_compute import Inline
from letters_scene import LETTER, PATIENCE, kinds, panel_of, words
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from biasprint.core.jobs import JobContext
from biasprint.core.letters.occupations import guess_occupation_read
from biasprint.core.letters.reading import read_words
from biasprint.core.letters.suggestions import suggestions_of
from biasprint.core.letters.values import Mark, Support
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations import Operation, letters
from biasprint.desktop.operations.letters import Checked, LetterRequest
from biasprint.desktop.panels.letters import LettersPanel
from biasprint.desktop.panels.letters.entries import CLAIMS, DOUBT, PRIVATE, LetterItem
from biasprint.desktop.panels.letters.found import FoundCard
from biasprint.desktop.widgets.layout import Sheet

pytestmark = pytest.mark.usefixtures("own_computer")


@dataclass
class Scorers:
    """They answer once they are `ready`; `marked` counts the readings without them."""

    ready: threading.Event = field(default_factory=threading.Event)
    marked: int = 0


@pytest.fixture
def scorers(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scorers]:
    """Scorers that take their time, and then find a claim that the CV denies and a passage that no list holds."""
    found, by_words = Scorers(), letters.check_words

    def check_words(ctx: JobContext, request: LetterRequest) -> Checked:
        found.marked += 1
        return by_words(ctx, request)

    def check(ctx: JobContext, request: LetterRequest) -> Checked:
        assert found.ready.wait(PATIENCE / 1000)
        first = by_words(ctx, request)
        reading = first.reading
        claim, passage = (one for one in reading.sentences if one.text.startswith(("In 2021", "I recommend")))
        support = Support(claim.index, "contradicted", "in 2019", 0, 7, 0.1, "The context says otherwise.")
        mark = Mark("doubt", passage.start, passage.end, passage.index, passage.text, "It says little.", "")
        both = replace(reading, support=(support,), marks=(*reading.marks, mark))
        return replace(first, reading=both, first=False)

    monkeypatch.setattr("biasprint.core.compute.quick", Inline)
    monkeypatch.setattr(letters, "check_words", check_words)
    monkeypatch.setattr(letters, "check", check)
    for warm in ("warm_up", "warm_up_words"):
        monkeypatch.setattr(letters, warm, lambda: Operation("", lambda ctx: None, quiet=True))
    yield found
    found.ready.set()


def marked(qtbot: QtBot, window: MainWindow) -> LettersPanel:
    """The panel with a letter whose words are marked, while the scorers are still loading."""
    panel = panel_of(window)
    with qtbot.waitSignal(panel.review.check.marked, timeout=PATIENCE):
        panel.open_pasted(LETTER)
    return panel


def scored(qtbot: QtBot, panel: LettersPanel, scorers: Scorers) -> None:
    with qtbot.waitSignal(panel.review.check.seen, timeout=PATIENCE):
        scorers.ready.set()


def test_words_are_marked_before_a_scorer_is_ready_and_what_follows_is_said_to(
    qtbot: QtBot, window: MainWindow, scorers: Scorers
) -> None:
    panel = marked(qtbot, window)
    board, heading = panel.review.board, panel.heading
    assert words(panel, "communal") == ["warm", "caring"]
    assert "contradicted" not in kinds(panel)
    assert board.found.heading.text().endswith("so far")
    assert board.compared.rows["formality"].value.text() == "…"
    assert board.compared.rows["communal"].value.text() != "…"
    qtbot.waitUntil(heading.busy.isVisible, timeout=PATIENCE)
    assert heading.busy.text() == "checking marks, scores follow…"
    assert not heading.report.isEnabled()
    assert not heading.twin.isEnabled()
    assert "Kelly" in panel.header.title.whole_text()
    scored(qtbot, panel, scorers)
    assert "contradicted" in kinds(panel)
    assert words(panel, "doubt")[-1].startswith("I recommend")
    assert not board.found.heading.text().endswith("so far")
    assert board.compared.rows["formality"].value.text() == "–"  # no scorer was here
    assert not heading.busy.isVisible()
    assert heading.report.isEnabled()
    assert heading.twin.isEnabled()


def test_what_a_person_does_before_the_scores_come_is_kept(qtbot: QtBot, window: MainWindow, scorers: Scorers) -> None:
    window.resize(700, 480)
    panel = marked(qtbot, window)
    board = panel.review.board
    aside, chosen = (
        next(item.key for item in panel.review._items if item.kind == kind) for kind in ("communal", "doubt")
    )
    panel.review.dismiss(aside)
    panel.review.select(chosen)
    bar = board.letter.text.verticalScrollBar()
    assert bar.value()  # the text followed to the chosen words
    bar.setValue(0)
    board.letter.text.setFocus()
    pressed = board.letter.note.offers.findChildren(QWidget)
    assert pressed
    scored(qtbot, panel, scorers)
    assert panel.review.check.dismissed == [aside]
    assert words(panel, "communal") == ["caring"]
    assert panel.review.selected == chosen
    assert board.letter.text._emphasised
    row = board.found.model.row_at(board.found.list.currentIndex())
    assert row is not None
    assert row.item is not None
    assert row.item.key == chosen
    assert bar.value() == 0
    assert board.letter.text.hasFocus()
    assert board.letter.note.offers.findChildren(QWidget) == pressed  # a button that is down stays there to be let go


def test_an_edit_before_the_scores_come_is_marked_and_scored_as_it_is_then(
    qtbot: QtBot, window: MainWindow, scorers: Scorers
) -> None:
    panel = marked(qtbot, window)
    check, text = panel.review.check, panel.review.board.letter.text
    text.go_to(LETTER.index("I recommend"))
    with qtbot.waitSignal(check.marked, timeout=PATIENCE):
        QTest.keyClicks(text, "She is a kind friend. ")
    assert words(panel, "communal") == ["warm", "caring", "kind"]
    assert check.checked is None
    assert panel.review.edited
    scored(qtbot, panel, scorers)
    assert check.is_current
    assert words(panel, "communal") == ["warm", "caring", "kind"]
    times = scorers.marked
    with qtbot.waitSignal(check.seen, timeout=PATIENCE):
        QTest.keyClicks(text, "Really. ")
    assert scorers.marked == times  # the scorers are as quick by now


def item(key: str, section: int) -> LetterItem:
    return LetterItem(key, "doubt", section, key, f"“{key}”", "why", sentence=0, start=0, end=1)


def test_the_entry_that_the_keyboard_goes_to_is_in_view_in_a_page_that_scrolls(qtbot: QtBot) -> None:
    card, page = FoundCard(), Sheet()
    page.box.addWidget(card)
    card.list.setFixedHeight(400)
    qtbot.addWidget(page)
    page.resize(300, 160)
    page.show()
    card.show_items([item(f"mark {number}", DOUBT) for number in range(12)], 0)
    card.list.setFocus()
    qtbot.waitUntil(card.list.hasFocus)
    for _ in range(8):
        QTest.keyClick(card.list, Qt.Key.Key_Down)
        row = card.list.visualRect(card.list.currentIndex())
        row.moveTo(card.list.viewport().mapTo(page.viewport(), row.topLeft()))
        assert page.viewport().rect().contains(row)


def test_entries_that_come_leave_the_list_where_it_is_and_choose_nothing(qtbot: QtBot) -> None:
    card = FoundCard()
    qtbot.addWidget(card)
    card.resize(300, 320)
    card.show()
    first = [item(f"mark {number}", DOUBT) for number in range(30)]
    card.show_items(first, 0)
    chosen: list[str] = []
    card.list.chosen_item.connect(chosen.append)
    card.choose("mark 20")
    top = card.list.indexAt(card.list.viewport().rect().topLeft())
    kept, before = QPersistentModelIndex(top), card.list.visualRect(top).top()
    more = [item("family", PRIVATE), item("claim", CLAIMS), *first[:25], item("between", DOUBT), *first[26:]]
    card.show_items(more, 0)
    assert [row.item for row in card.model.rows if row.item is not None] == more
    assert [row.count for row in card.model.rows if row.item is None] == [1, 1, 30]
    assert card.list.visualRect(QModelIndex(kept)).top() == before
    assert chosen == []
    current = card.model.row_at(card.list.currentIndex())
    assert current is not None
    assert current.item == first[20]
    card.list.setFocus()
    QTest.keyClick(card.list, Qt.Key.Key_Down)
    assert chosen == ["mark 21"]


def test_a_section_of_marks_that_are_often_wrong_has_no_number(qtbot: QtBot) -> None:
    card = FoundCard()
    qtbot.addWidget(card)
    unsure = [replace(item(f"mark {number}", DOUBT), uncounted="28 of 38 were right.") for number in range(3)]
    card.show_items(unsure, 0)
    assert card.heading.text() == "What may be worth a look"
    assert card.model.rows[0].spoken == "Doubt: may be worth a look, unfolded"
    card.show_items([*unsure, item("family", PRIVATE)], 0)
    assert card.heading.text() == "What to look at: 1 place, maybe more"


def test_what_reads_files_and_what_marks_words_start_before_there_is_a_letter(monkeypatch: pytest.MonkeyPatch) -> None:
    quick, read = Inline(), list[str]()
    monkeypatch.setattr("biasprint.core.compute.quick", lambda: quick)
    monkeypatch.setattr("biasprint.core.letters.files.read_bytes", lambda data, name, ctx: read.append(name))
    letters.warm_up_words().work(JobContext())
    assert quick.calls == [guess_occupation_read, read_words, suggestions_of]
    assert read == ["letter.txt"]
