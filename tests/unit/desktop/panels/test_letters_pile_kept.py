"""Nothing that is done to a letter of a pile is lost: going on to the next one, on another day, in two windows."""

from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest
from letters_scene import PATIENCE, panel_of, without_marking
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.letters.kept import DRAFTS, listed
from biasprint.core.letters.pile import PileRow
from biasprint.core.letters.pile.kept import PileFolder, listed_piles, opened_pile
from biasprint.core.letters.values import Document, KeptLetter, Naming, Reading
from biasprint.core.swap import Person
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations import Operation, letters
from biasprint.desktop.operations.letters import Checked, LetterRequest
from biasprint.desktop.panels.letters import LettersPanel
from biasprint.desktop.panels.letters.pile import PilePage, keeper

pytestmark = pytest.mark.usefixtures("own_computer", "read_as_nothing")
CV = Document("cv", "pasted", ("Kelly, artist",))
DISMISSED = "communal:warm:0"


@pytest.fixture
def read_as_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found in a letter is not what these tests are about: nothing is loaded, and nothing found."""

    def check(ctx: JobContext, request: LetterRequest) -> Checked:
        person, naming = request.given.person or Person("Kelly", "Moreno", "", "she"), Naming(0, 0, 0, 0)
        return Checked(
            request, Reading(request.document, (), person, (), (), (), (), (), naming, (), "", (), (), {}), {}
        )

    def read_row(*, row: PileRow, letter: KeptLetter) -> Operation[PileRow]:
        return Operation("", lambda ctx: row, quiet=True)

    monkeypatch.setattr(letters, "check", check)
    monkeypatch.setattr(letters, "read_row", read_row)
    without_marking(monkeypatch)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pile = tmp_path / "applications"
    pile.mkdir()
    for number, name in enumerate(("Kelly Moreno", "Joseph Costa", "Ann Weber")):
        (pile / f"{number}.txt").write_text(f"I recommend {name} for post {number}. She paints well.", "utf-8")
    return pile


@pytest.fixture
def panel(qtbot: QtBot, window: MainWindow, folder: Path) -> Iterator[LettersPanel]:
    """The panel with a pile that has been read."""
    made = panel_of(window)
    made.open_pile([folder])
    qtbot.waitUntil(lambda: len(pile_of(made).view.rows) == 3, timeout=PATIENCE)
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)
    yield made
    if made.built:
        made._close()
        pile_of(made).forget()


def pile_of(panel: LettersPanel) -> PilePage:
    return cast(PilePage, panel._pile)


def go_to(qtbot: QtBot, panel: LettersPanel, number: int) -> None:
    """Open a letter of the pile from its table."""
    pile_of(panel).open_letter(pile_of(panel).view.rows[number])
    shown(qtbot, panel, number)


def shown(qtbot: QtBot, panel: LettersPanel, number: int) -> None:
    check = panel.review.check
    qtbot.waitUntil(lambda: check.document is not None and f"post {number}" in check.text, timeout=PATIENCE)
    qtbot.waitUntil(lambda: check.is_current, timeout=PATIENCE)


def settled(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)


def work_on(panel: LettersPanel) -> None:
    """Add a CV, dismiss a mark, and write some words."""
    panel.review.set_context(CV)
    panel.review.check.dismiss(DISMISSED)
    QTest.keyClicks(panel.review.board.letter.text, "As you know, ")


def test_going_to_the_next_letter_and_back_keeps_cv_dismissal_and_words(
    qtbot: QtBot, window: MainWindow, panel: LettersPanel
) -> None:
    go_to(qtbot, panel, 0)
    assert window.status.panel.whole_text() == "This letter: as it is in the pile"
    work_on(panel)
    panel._step_in_pile(1)
    shown(qtbot, panel, 1)
    panel._step_in_pile(-1)
    shown(qtbot, panel, 0)
    check = panel.review.check
    assert check.text.startswith("As you know, I recommend Kelly")
    assert (check.context, check.dismissed) == (CV, [DISMISSED])
    assert window.status.panel.whole_text() == "This letter: kept with the pile"
    settled(qtbot, window)
    (entry,) = listed_piles()
    assert opened_pile(entry.key).letters["0.txt"].context == CV, "on disk, and not only in the window"
    assert listed(DRAFTS).entries == ()


@pytest.mark.parametrize("what", ["cv", "dismissal"])
def test_each_thing_alone_is_on_disk_within_two_seconds(
    qtbot: QtBot, window: MainWindow, panel: LettersPanel, what: str
) -> None:
    go_to(qtbot, panel, 0)
    assert listed_piles() == (), "of a pile that nobody worked on nothing is kept"
    if what == "cv":
        panel.review.set_context(CV)
    else:
        panel.review.check.dismiss(DISMISSED)
    qtbot.waitUntil(lambda: bool(listed_piles()) and listed_piles()[0].letters == 1, timeout=2_000)


def test_the_pile_is_gone_on_with_on_another_day(qtbot: QtBot, window: MainWindow, panel: LettersPanel) -> None:
    go_to(qtbot, panel, 0)
    work_on(panel)
    panel.open_pile()
    pile = pile_of(panel)
    pile.view.table.set_text(["1.txt"], "occupation", "engineer")
    panel.let_go()  # as the window does at its end
    settled(qtbot, window)
    panel._go_to(panel.start)
    qtbot.waitUntil(lambda: bool(panel.start.kept.rows()), timeout=PATIENCE)
    (row,) = panel.start.kept.rows()
    assert row.title == "applications: 3 letters, 1 of them worked on"
    panel.start.kept.opened.emit(row)
    qtbot.waitUntil(lambda: len(pile.view.rows) == 3, timeout=PATIENCE)
    assert pile.view.rows[1].occupation == "engineer"
    assert pile.view.table.by_hand(pile.view.rows[1]) == {"occupation"}
    go_to(qtbot, panel, 0)
    assert (panel.review.check.context, panel.review.check.dismissed) == (CV, [DISMISSED])
    go_to(qtbot, panel, 1)
    assert panel.review.kept().occupation == "engineer", "what was set right in the table holds for the letter"


def test_the_same_folder_asks_whether_to_go_on(
    qtbot: QtBot, window: MainWindow, panel: LettersPanel, folder: Path
) -> None:
    go_to(qtbot, panel, 0)
    work_on(panel)
    panel.open_pile()
    pile = pile_of(panel)
    pile.forget()
    settled(qtbot, window)
    panel.open_pile([folder])
    qtbot.waitUntil(lambda: getattr(pile, "question", None) is not None, timeout=PATIENCE)
    assert pile.question.windowTitle() == "Go on with “applications”?"
    pile.question.safe_button.click()
    qtbot.waitUntil(lambda: bool(pile.keeper.letters), timeout=PATIENCE)
    assert pile.keeper.letters["0.txt"].dismissed == (DISMISSED,)


def test_a_pile_that_another_window_has_open_is_left_alone(
    qtbot: QtBot, window: MainWindow, panel: LettersPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_to(qtbot, panel, 0)
    work_on(panel)
    panel.open_pile()
    pile_of(panel).forget()
    settled(qtbot, window)
    other = PileFolder(listed_piles()[0].key)
    other.hold()
    said: list[AppError] = []
    monkeypatch.setattr(window, "show_error", said.append)
    panel.open_kept_pile(other.key)
    qtbot.waitUntil(lambda: bool(said), timeout=PATIENCE)
    assert said[0].message == "This pile is open in another window."
    other.let_go()
    panel.open_kept_pile(other.key)
    qtbot.waitUntil(lambda: len(pile_of(panel).view.rows) == 3, timeout=PATIENCE)


def test_a_letter_that_was_changed_elsewhere_is_said_and_yours_is_shown(
    qtbot: QtBot, window: MainWindow, panel: LettersPanel, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_to(qtbot, panel, 0)
    work_on(panel)
    panel.open_pile()
    (folder / "0.txt").write_text("Somebody else's words for post 0.", "utf-8")
    said: list[str] = []
    monkeypatch.setattr(window, "notify", said.append)
    go_to(qtbot, panel, 0)
    assert "As you know, I recommend Kelly" in panel.review.check.text
    assert any("was changed elsewhere" in words for words in said)


def test_without_drafts_nothing_is_on_disk_until_the_pile_is_saved(
    qtbot: QtBot, window: MainWindow, panel: LettersPanel
) -> None:
    window.settings.set("keep_drafts", False)
    go_to(qtbot, panel, 0)
    work_on(panel)
    panel._step_in_pile(1)
    shown(qtbot, panel, 1)
    settled(qtbot, window)
    assert listed_piles() == ()
    pile, gone = pile_of(panel), list[bool]()
    panel.before_it_goes(lambda: gone.append(True))
    assert pile.question.windowTitle() == "Let go of “applications”?"
    pile.question.safe_button.click()
    assert gone == []
    pile.save()
    settled(qtbot, window)
    (entry,) = listed_piles()
    assert opened_pile(entry.key).letters["0.txt"].dismissed == (DISMISSED,)
    panel.before_it_goes(lambda: gone.append(True))
    assert gone == [True]


def test_a_full_disk_is_said_once_and_loses_nothing(
    qtbot: QtBot, window: MainWindow, panel: LettersPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise AppError("The disk is full.", hint="Make room.")

    said: list[AppError] = []
    monkeypatch.setattr(window, "show_error", said.append)
    with monkeypatch.context() as patch:
        patch.setattr(keeper.PileFolder, "write", full)
        patch.setattr(keeper.PileFolder, "write_letter", full)
        go_to(qtbot, panel, 0)
        work_on(panel)
        panel._step_in_pile(1)
        shown(qtbot, panel, 1)
        settled(qtbot, window)
    assert [one.message for one in said] == ["What you did to the pile could not be kept."]
    assert pile_of(panel).keeper.at_risk
    panel.review.check.dismiss("age:young:1")
    panel.open_pile()
    settled(qtbot, window)
    assert not pile_of(panel).keeper.at_risk
    assert set(opened_pile(listed_piles()[0].key).letters) == {"0.txt", "1.txt"}


def test_after_word_out_the_bar_says_one_thing(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    made = panel_of(window)
    made.open_pasted("I recommend Kelly for post 0.")
    shown(qtbot, made, 0)
    QTest.keyClicks(made.review.board.letter.text, "Well, ")
    qtbot.waitUntil(lambda: made.review.check.is_current, timeout=PATIENCE)
    made.keeping.note_written(tmp_path / "kelly (checked).docx", made.review.check.text)
    assert window.status.panel.whole_text() == "This letter: written to “kelly (checked).docx”"
    QTest.keyClicks(made.review.board.letter.text, "and ")
    made._say_where()
    assert window.status.panel.whole_text().startswith("This letter: changes not saved")
    made.review.edited = False
    made._close()
