"""Nothing of an edited letter is lost: drafts, the question before it goes, one's own letters and the project's."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest
from letters_scene import LETTER, PATIENCE, panel_of, read_after, without_marking
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot
from rating_files import rating_project
from rating_window import Rating
from seeded_part import seeded_part

from biasprint.core.jobs import JobContext
from biasprint.core.letters.kept import DRAFTS, SAVED, Draft, listed, opened, save
from biasprint.core.letters.values import Document, KeptLetter, Naming, Reading
from biasprint.core.project.project import Project
from biasprint.core.swap import Person
from biasprint.desktop.app import tell_of_drafts
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations import letters
from biasprint.desktop.operations.letters import Checked, LetterRequest
from biasprint.desktop.panels.letters import LettersPanel
from biasprint.desktop.panels.letters.keeping import WRITE_AFTER_MILLISECONDS
from biasprint.desktop.panels.workshop.setup import WorkshopSetup

pytestmark = pytest.mark.usefixtures("own_computer", "read_as_nothing")
KELLY = Person("Kelly", "Moreno", "", "she")


@pytest.fixture
def read_as_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found in a letter is not what these tests are about: nothing is loaded, and nothing found."""

    def check(ctx: JobContext, request: LetterRequest) -> Checked:
        person = request.given.person or KELLY
        naming = Naming(0, 0, 0, 0)
        return Checked(
            request, Reading(request.document, (), person, (), (), (), (), (), naming, (), "", (), (), {}), {}
        )

    monkeypatch.setattr(letters, "check", check)
    without_marking(monkeypatch)


@pytest.fixture(autouse=True)
def let_go_of_at_the_end(window: MainWindow) -> Iterator[None]:
    """Else the way out would ask."""
    yield
    panel = window.panels.get("letters")
    if isinstance(panel, LettersPanel) and panel.built:
        panel._close()


@pytest.fixture
def project(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> Project:
    Project.create(tmp_path / "study.biasprint").close()
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.open_project(tmp_path / "study.biasprint")
    assert window.project is not None
    return window.project


def settled(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)


def edited(qtbot: QtBot, window: MainWindow) -> LettersPanel:
    """A letter with two words more, whose draft is on the disk."""
    panel = panel_of(window)
    read_after(qtbot, panel, lambda: panel.open_pasted(LETTER))
    panel.keeping.draft._timer.setInterval(0)  # how long it waits is another test's
    type_in(panel, "As you know, ")
    qtbot.waitUntil(lambda: panel.keeping.draft.on_disk, timeout=PATIENCE)
    settled(qtbot, window)
    return panel


def type_in(panel: LettersPanel, words: str) -> None:
    QTest.keyClicks(panel.review.board.letter.text, words)


def text_of(panel: LettersPanel) -> str:
    return panel.review.board.letter.text.text()


def drafts(home: Path) -> list[Path]:
    return sorted((home / "program" / "letters" / "drafts").glob("*"))


def question(window: MainWindow) -> Question | None:
    return next((one for one in window.findChildren(Question) if one.isVisible()), None)


def answered(qtbot: QtBot, window: MainWindow, button: str) -> None:
    asked = question(window)
    assert asked is not None
    getattr(asked, f"{button}_button").click()
    qtbot.waitUntil(lambda: question(window) is None, timeout=PATIENCE)


# drafts


def test_a_change_is_on_disk_within_two_seconds_while_more_is_typed(
    qtbot: QtBot, window: MainWindow, own_home: Path
) -> None:
    panel = panel_of(window)
    read_after(qtbot, panel, lambda: panel.open_pasted(LETTER))
    assert drafts(own_home) == []
    type_in(panel, "a")
    timer = panel.keeping.draft._timer
    assert timer.isActive()
    assert timer.interval() == WRITE_AFTER_MILLISECONDS <= 1_000
    first = timer.remainingTime()
    type_in(panel, "b")
    assert timer.remainingTime() <= first  # what follows does not put it off
    qtbot.waitUntil(lambda: panel.keeping.draft.on_disk, timeout=PATIENCE)
    settled(qtbot, window)
    (file,) = drafts(own_home)
    assert opened(DRAFTS, file.stem).document.text == "ab" + LETTER
    assert "a draft is kept" in window.status.panel.whole_text()


def test_a_letter_that_nobody_edited_is_nowhere_on_the_disk(qtbot: QtBot, window: MainWindow, own_home: Path) -> None:
    panel = panel_of(window)
    read_after(qtbot, panel, lambda: panel.open_pasted(LETTER))
    assert not panel.keeping.draft._timer.isActive()
    window.close()
    assert question(window) is None
    assert drafts(own_home) == []


def test_a_cv_and_dismissed_marks_are_kept_without_an_edit_and_asked_about(
    qtbot: QtBot, window: MainWindow, own_home: Path
) -> None:
    panel = panel_of(window)
    panel.keeping.draft._timer.setInterval(0)
    read_after(qtbot, panel, lambda: panel.open_pasted(LETTER))
    read_after(qtbot, panel, lambda: panel.review.set_context(Document("cv", "pasted", ("Kelly, artist",))))
    panel.review.check.dismiss("communal:warm:0")
    qtbot.waitUntil(lambda: panel.keeping.draft.on_disk and not panel.keeping.draft._timer.isActive(), timeout=PATIENCE)
    settled(qtbot, window)
    (file,) = drafts(own_home)
    letter = opened(DRAFTS, file.stem)
    assert (letter.context is not None, letter.dismissed) == (True, ("communal:warm:0",))
    panel.close_letter()
    answered(qtbot, window, "other")  # saved
    settled(qtbot, window)
    assert drafts(own_home) == []
    (entry,) = listed(SAVED).entries
    saved_letter = opened(SAVED, entry.key)
    assert (saved_letter.context, saved_letter.dismissed) == (letter.context, letter.dismissed)


def test_with_the_switch_off_no_draft_is_kept_and_one_that_was_goes(
    qtbot: QtBot, window: MainWindow, own_home: Path
) -> None:
    panel = edited(qtbot, window)
    assert len(drafts(own_home)) == 1
    window.settings.set("keep_drafts", False)
    qtbot.waitUntil(lambda: drafts(own_home) == [], timeout=PATIENCE)
    type_in(panel, "more")
    assert not panel.keeping.draft._timer.isActive()
    assert window.status.panel.whole_text() == "This letter: changes not saved"
    panel.close_letter()
    answered(qtbot, window, "risky")
    assert "nothing is kept unless" not in panel.start.said.text()
    panel.refresh()
    assert "nothing is kept unless" in panel.start.said.text()


def test_a_draft_that_cannot_be_written_is_said_once_and_tried_again(
    qtbot: QtBot, window: MainWindow, own_home: Path
) -> None:
    panel = panel_of(window)
    read_after(qtbot, panel, lambda: panel.open_pasted(LETTER))
    folder = own_home / "program" / "letters"
    settled(qtbot, window)
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.write_text("a file where the folder should be")
    type_in(panel, "a")
    qtbot.waitUntil(lambda: bool(window.banners.texts()), timeout=PATIENCE)
    assert "draft of this letter could not be kept" in window.banners.texts()[0]
    assert window.status.panel.whole_text() == "This letter: changes not saved"
    folder.unlink()
    type_in(panel, "b")
    qtbot.waitUntil(lambda: panel.keeping.draft.on_disk, timeout=PATIENCE)
    assert len(drafts(own_home)) == 1


# every way out


def close(window: MainWindow) -> None:
    window.close()


def open_another_project(window: MainWindow) -> None:
    window.session.create(window.settings.path.parent / "other.biasprint")


def close_project(window: MainWindow) -> None:
    window.session.close()


def open_a_packet(window: MainWindow) -> None:
    window.open_project(window.settings.path.parent / "one.bpacket")


def start_a_workshop(window: MainWindow) -> None:
    """The last step before the screen is the workshop's (biasprint.desktop.panels.workshop.setup)."""
    setup = cast(WorkshopSetup, _Entering(window))
    WorkshopSetup._enter(setup, None, None, None, False)  # type: ignore[arg-type]


def begin_to_rate(window: MainWindow) -> None:
    window.settle(lambda: window.set_blind(True))


class _Entering:
    def __init__(self, window: MainWindow) -> None:
        self._shell = window

    def _allow(self, there: bool) -> None:
        pass


WAYS: dict[str, Callable[[MainWindow], object]] = {
    "the window's close button": close,
    "another project": open_another_project,
    "no project any more": close_project,
    "a packet": open_a_packet,
    "a workshop": start_a_workshop,
    "a rater who goes blind": begin_to_rate,
    "another letter": lambda window: cast(LettersPanel, window.panels["letters"]).open_pasted("Another letter."),
    "a letter of a pile": lambda window: window.show_panel("letters", document=Document("b", "txt", ("Another.",))),
}


@pytest.mark.parametrize("way", seeded_part(WAYS, 3))
def test_an_edited_letter_is_asked_about_by_every_way_out(
    qtbot: QtBot, window: MainWindow, project: Project, own_home: Path, way: str
) -> None:
    panel = edited(qtbot, window)
    WAYS[way](window)
    answered(qtbot, window, "safe")
    settled(qtbot, window)
    assert window.panels["letters"] is panel
    assert window.project is project
    assert not window.blindfold.on
    assert text_of(panel) == "As you know, " + LETTER
    assert len(drafts(own_home)) == 1


def test_letting_go_on_the_way_out_deletes_the_draft(
    qtbot: QtBot, window: MainWindow, project: Project, own_home: Path
) -> None:
    panel = edited(qtbot, window)
    with qtbot.waitSignal(window.session.closed, timeout=PATIENCE):
        window.session.close()
        answered(qtbot, window, "risky")
    settled(qtbot, window)
    assert panel.review.check.document is None
    assert drafts(own_home) == []


def test_saving_on_the_way_out_keeps_the_letter_and_goes_on(
    qtbot: QtBot, window: MainWindow, project: Project, own_home: Path
) -> None:
    panel = edited(qtbot, window)
    with qtbot.waitSignal(window.session.closed, timeout=PATIENCE):
        window.session.close()
        answered(qtbot, window, "other")
    settled(qtbot, window)
    (mine,) = listed(SAVED).entries
    assert opened(SAVED, mine.key).document.text == "As you know, " + LETTER
    assert drafts(own_home) == []
    assert text_of(panel) == "As you know, " + LETTER  # it is no letter of the project, and stays
    assert not panel.review.edited


def test_what_goes_without_being_asked_is_offered_again_with_its_last_letter(
    qtbot: QtBot, window: MainWindow, own_home: Path
) -> None:
    """As when a signal ends the program, or a packet comes that does not call itself one."""
    panel = edited(qtbot, window)
    panel.keeping.draft._timer.setInterval(WRITE_AFTER_MILLISECONDS)
    type_in(panel, "and more, ")  # too short a time ago to be on the disk
    assert panel.keeping.draft._timer.isActive()
    window.set_blind(True)
    settled(qtbot, window)
    assert "letters" not in window.panels
    window.set_blind(False)
    panel = panel_of(window)
    qtbot.waitUntil(lambda: bool(panel.start.kept.drafts), timeout=PATIENCE)
    (offer,) = panel.start.kept.drafts
    assert "Letter for Kelly Moreno" in offer.text.text()
    (file,) = drafts(own_home)
    with qtbot.waitSignal(panel.review.check.seen, timeout=PATIENCE):
        panel.start.kept.draft_opened.emit(file.stem, "")
    assert text_of(panel) == "As you know, and more, " + LETTER
    assert panel.review.edited
    panel.close_letter()
    answered(qtbot, window, "risky")
    qtbot.waitUntil(lambda: drafts(own_home) == [], timeout=PATIENCE)


def test_a_draft_that_was_left_behind_can_be_deleted_and_another_windows_is_not_offered(
    qtbot: QtBot, window: MainWindow, own_home: Path
) -> None:
    left, held = Draft(), Draft()
    letter = KeptLetter(Document("a", "pasted", ("Text.",)), "A letter")
    for one in (left, held):
        one.write(letter, 1)
    left.leave()
    panel = panel_of(window)
    qtbot.waitUntil(lambda: len(panel.start.kept.drafts) == 1, timeout=PATIENCE)
    panel.start.kept.draft_removed.emit(left.key)
    answered(qtbot, window, "safe")
    assert len(drafts(own_home)) == 2
    panel.start.kept.draft_removed.emit(left.key)
    answered(qtbot, window, "risky")
    qtbot.waitUntil(lambda: len(drafts(own_home)) == 1 and not panel.start.kept.drafts, timeout=PATIENCE)
    panel.start.kept.draft_opened.emit(held.key, "")  # as if it had been taken meanwhile
    qtbot.waitUntil(lambda: bool(window.banners.texts()), timeout=PATIENCE)
    assert "another window" in window.banners.texts()[0]
    held.discard()


def test_a_start_says_that_a_letter_was_left_behind(qtbot: QtBot, window: MainWindow) -> None:
    tell_of_drafts(window)
    settled(qtbot, window)
    assert window.banners.texts() == []
    left = Draft()
    left.write(KeptLetter(Document("a", "pasted", ("Text.",)), "Letter for Kelly"), 1)
    tell_of_drafts(window)
    settled(qtbot, window)
    assert window.banners.texts() == []  # a window is at it
    left.leave()
    tell_of_drafts(window)
    qtbot.waitUntil(lambda: bool(window.banners.texts()), timeout=PATIENCE)
    assert "A letter was edited and not saved." in window.banners.texts()[0]
    assert "Kelly" not in window.banners.texts()[0]
    window.show_panel("home")
    assert window.banners.texts()
    next(one for one in window.banners.findChildren(QPushButton) if one.text() == "Open Letters").click()
    assert window.current == "letters"
    assert window.banners.texts() == []  # as by the rail
    window.show_panel("home")
    window.show_panel("letters")
    panel = cast(LettersPanel, window.panels["letters"])
    qtbot.waitUntil(lambda: bool(panel.start.kept.drafts), timeout=PATIENCE)
    assert panel.start.kept.offers.isVisible()


def test_beginning_and_going_on_to_rate_asks_about_an_edited_letter(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, own_home: Path
) -> None:
    file = tmp_path / "rating.biasprint"
    rating_project(file)
    rating = Rating(qtbot, window, file)
    edited(qtbot, window)
    window.show_panel("judge")
    assert question(window) is None  # nothing is lost by looking at where one would begin
    rating.wait_for_start()
    begin = rating.panel.start
    begin.code.setText("R01")
    begin.code_edited.emit("R01")
    rating.wait(lambda: begin._code_shown == "R01")
    begin.agree.setChecked(begin.consent.asks)
    rating.wait(begin.start.isEnabled)
    begin.start.click()
    answered(qtbot, window, "safe")
    assert not window.blindfold.on
    begin.start.click()
    answered(qtbot, window, "other")
    rating.at("work")
    assert window.blindfold.on
    assert "letters" not in window.panels
    (mine,) = listed(SAVED).entries
    assert opened(SAVED, mine.key).document.text == "As you know, " + LETTER
    edited(qtbot, window)  # the rating waits meanwhile
    assert not window.blindfold.on
    window.show_panel("judge")
    assert window.current == "letters"
    answered(qtbot, window, "safe")
    assert not window.blindfold.on
    window.show_panel("judge")
    answered(qtbot, window, "risky")
    qtbot.waitUntil(lambda: window.blindfold.on and drafts(own_home) == [], timeout=PATIENCE)
    assert window.current == "judge"


# one's own letters


def test_a_letter_is_saved_by_a_key_listed_opened_edited_and_saved_again(qtbot: QtBot, window: MainWindow) -> None:
    panel = edited(qtbot, window)
    panel.review.check.dismiss("communal:warm:0")
    panel.review.set_context(Document("cv", "pasted", ("Kelly, artist",)))
    panel.review.board.letter.text.setFocus()
    QTest.keyClick(panel.review.board.letter.text, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: not panel.review.edited, timeout=PATIENCE)
    assert window.status.panel.whole_text() == "This letter: saved among my letters"
    assert not panel.heading.save.isEnabled()
    panel.close_letter()
    assert question(window) is None
    card = panel.start.kept
    qtbot.waitUntil(lambda: len(card.rows()) == 1, timeout=PATIENCE)
    assert card.isVisible()
    card.list.setFocus()
    with qtbot.waitSignal(panel.review.check.seen, timeout=PATIENCE):
        QTest.keyClick(card.list, Qt.Key.Key_Return)
    assert text_of(panel) == "As you know, " + LETTER
    assert panel.review.check.dismissed == ["communal:warm:0"]
    assert panel.review.check.context is not None
    assert panel.review.board.context.text.text() == "Kelly, artist"
    assert panel.heading.report.isEnabled()
    panel.review.check.restore_all()  # of a letter that is saved, everything counts as a change
    assert panel.review.edited
    type_in(panel, "Dear all, ")
    panel.heading.save.click()
    qtbot.waitUntil(lambda: not panel.review.edited, timeout=PATIENCE)
    (mine,) = listed(SAVED).entries
    again = opened(SAVED, mine.key)
    assert again.document.text == "Dear all, As you know, " + LETTER
    assert again.dismissed == ()


def test_what_is_typed_while_a_letter_is_saved_still_counts_as_not_saved(qtbot: QtBot, window: MainWindow) -> None:
    panel = edited(qtbot, window)
    with qtbot.waitSignal(panel.keeping.saved, timeout=PATIENCE):
        panel.keeping.save()
        type_in(panel, "x")
    assert panel.review.edited
    with qtbot.waitSignal(panel.keeping.saved, timeout=PATIENCE):
        panel.keeping.save()
    assert not panel.review.edited
    (mine,) = listed(SAVED).entries
    assert opened(SAVED, mine.key).document.text == "As you know, x" + LETTER


def test_a_letter_is_removed_from_the_list_after_a_question(qtbot: QtBot, window: MainWindow) -> None:
    letter = KeptLetter(Document("a", "pasted", ("Text.",)), "A letter")
    save(letter)
    panel = panel_of(window)
    card = panel.start.kept
    qtbot.waitUntil(lambda: len(card.rows()) == 1, timeout=PATIENCE)
    QTest.keyClick(card.list, Qt.Key.Key_Delete)
    answered(qtbot, window, "safe")
    assert len(listed(SAVED).entries) == 1
    card.remove.click()
    answered(qtbot, window, "risky")
    qtbot.waitUntil(lambda: card.rows() == (), timeout=PATIENCE)
    assert listed(SAVED).entries == ()
    assert not card.isVisible()


def test_a_damaged_file_is_said_and_the_others_are_listed(qtbot: QtBot, window: MainWindow, own_home: Path) -> None:
    save(KeptLetter(Document("a", "pasted", ("Text.",)), "A letter"))
    bad = own_home / "program" / "letters" / "saved" / f"{'0' * 12}4{'0' * 3}8{'0' * 15}.json"
    bad.write_text("{")
    panel = panel_of(window)
    card = panel.start.kept
    qtbot.waitUntil(lambda: [row.title for row in card.rows()] == ["A letter"], timeout=PATIENCE)
    assert card.damaged.isVisible()
    assert card.damaged.text() == "1 file of the letters’ folder cannot be read."
    assert bad.exists()


# the project's letters


def test_a_letter_of_the_project_is_listed_opened_edited_and_saved_as_its_next_version(
    qtbot: QtBot, window: MainWindow, project: Project
) -> None:
    panel = edited(qtbot, window)
    panel.review.check.set_person(Person("Kelly", "Reyes", "", "she"))
    with qtbot.waitSignal(panel.keeping.saved, timeout=PATIENCE):
        panel.save()
        qtbot.waitUntil(lambda: panel.review.check.is_current, timeout=PATIENCE)
    assert window.status.panel.whole_text() == "This letter: saved in the project"
    panel.close_letter()
    card = panel.start.kept
    qtbot.waitUntil(lambda: [row.place for row in card.rows()] == ["project"], timeout=PATIENCE)
    with qtbot.waitSignal(panel.review.check.seen, timeout=PATIENCE):
        card.open.click()
    assert text_of(panel) == "As you know, " + LETTER
    assert panel.review.check.checked is not None
    assert panel.review.check.checked.request.given.person == Person("Kelly", "Reyes", "", "she")
    type_in(panel, "Dear all, ")
    with qtbot.waitSignal(panel.keeping.saved, timeout=PATIENCE):
        panel.keeping.save()  # where it is saved already
    assert listed(SAVED).entries == ()
    first, second = project.readings.all()
    assert second.result["follows"] == first.id
    assert [one.id for one in project.readings.latest()] == [second.id]
    assert second.source_id is not None
    assert project.sources.texts([second.source_id])[second.source_id] == "Dear all, As you know, " + LETTER
    with qtbot.waitSignal(window.session.closed, timeout=PATIENCE):
        window.session.close()
    assert panel.review.check.document is None  # it went with its project


def test_a_letter_is_taken_out_of_the_project_after_a_question(
    qtbot: QtBot, window: MainWindow, project: Project
) -> None:
    panel = edited(qtbot, window)
    with qtbot.waitSignal(panel.keeping.saved, timeout=PATIENCE):
        panel.save()
    panel.close_letter()
    card = panel.start.kept
    qtbot.waitUntil(lambda: len(card.rows()) == 1, timeout=PATIENCE)
    card.remove.click()
    asked = question(window)
    assert asked is not None
    assert len(project.readings.all()) == 1
    asked.risky_button.click()
    qtbot.waitUntil(lambda: card.rows() == (), timeout=PATIENCE)
    assert project.readings.all() == ()
    assert window.banners.texts() == []


def test_a_save_that_waited_for_its_letter_is_not_another_letters(
    qtbot: QtBot, window: MainWindow, project: Project
) -> None:
    panel = edited(qtbot, window)
    type_in(panel, "x")
    assert not panel.review.check.is_current
    panel.keeping.save_to_project()  # it waits for the reading of what was typed
    panel._close()
    read_after(qtbot, panel, lambda: panel.open_pasted("Another letter."))
    settled(qtbot, window)
    assert project.readings.all() == ()


def test_letters_of_the_project_wait_for_the_question_in_the_middle_of_a_rating(
    qtbot: QtBot, window: MainWindow, project: Project
) -> None:
    panel = edited(qtbot, window)
    with qtbot.waitSignal(panel.keeping.saved, timeout=PATIENCE):
        panel.save()
        qtbot.waitUntil(lambda: panel.review.check.is_current, timeout=PATIENCE)
    panel.close_letter()
    window.drop_panels()
    window.gate.know(("R01",))
    panel = panel_of(window)
    settled(qtbot, window)
    card = panel.start.kept
    assert card.rows() == ()
    assert card.look.isVisible()
    card.look.click()
    qtbot.waitUntil(lambda: question(window) is not None, timeout=PATIENCE)
    answered(qtbot, window, "safe")
    assert card.rows() == ()
    card.look.click()
    qtbot.waitUntil(lambda: question(window) is not None, timeout=PATIENCE)
    answered(qtbot, window, "risky")
    qtbot.waitUntil(lambda: len(card.rows()) == 1, timeout=PATIENCE)
