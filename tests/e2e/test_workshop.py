"""A workshop in the real window, by key presses: people one after another, and nobody reaches the last one's answers.

Every hidden part of the project, and what a participant typed, carries a word that occurs nowhere else; the search of
blind_search.py follows all that the window leads to.
"""

import gc
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest
from blind_search import search
from PySide6.QtCore import QEvent, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from workshop_people import CONSENT, PATIENCE, People, always_one, in_turn, make_project

from biasprint.core.judging.workshop import attendance
from biasprint.core.project.project import Project
from biasprint.desktop import app, theme
from biasprint.desktop.app import create_window, start
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.panels.workshop.participant import SaveDialog
from biasprint.desktop.panels.workshop.room import LeaveDialog
from biasprint.desktop.settings import Settings

pytestmark = [pytest.mark.usefixtures("own_statements"), pytest.mark.timeout(380)]
# Words used nowhere else: what another test of this process left behind would count as a leak of these.
HIDDEN = {
    "file": "zqhallfile", "folder": "zqhallfolder", "recent": "zqhallrecent", "axis": "zqhallaxis",
    "axis title": "Zqhallaxistitle", "identity": "zqhallidentone", "identity label": "Zqhalllabeltwo",
    "model": "zqhallmodel", "prompt": "zqhallprompt", "prompt set": "zqhallset",
}  # fmt: skip
PROJECT_KINDS = {
    "Project",
    "ProjectStore",
    "WorkshopStore",
    "JudgingWork",
    "RaterSession",
    "ComparisonRow",
    "PlanRow",
    "Offers",
}
LOOKS = 3
PERSONAL_KINDS = {"Fingerprint", "AxisChoice", "ShareOfChoices", "Finding", "Revelation", "SessionView", "Answer"}
KINDS = PROJECT_KINDS | PERSONAL_KINDS


@pytest.fixture
def consent() -> str:
    return ""


@pytest.fixture
def file(tmp_path: Path, consent: str) -> Path:
    path = tmp_path / "zqhallfolder" / "zqhallfile.biasprint"
    path.parent.mkdir()
    make_project(path, comparisons=6, consent=consent)
    return path


@pytest.fixture
def people(
    qtbot: QtBot, qapp: QApplication, tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[People]:
    # The search waits until every job has ended. Nobody opens a letter here, and a process that gets ready to mark
    # words is a job for minutes where the computer is busy.
    monkeypatch.setattr(app, "_start_marking", lambda _: None)
    monkeypatch.setattr(app, "_get_ready_for_letters", lambda _: None)
    theme.apply(qapp, "light", 1.0)
    settings = Settings(tmp_path / "settings.json")
    settings.add_recent(tmp_path / "zqhallrecent.biasprint")
    window = create_window(settings)
    window.resize(1280, 800)
    window.show()
    start(window, file)
    qtbot.waitUntil(lambda: window.project is not None and bool(window.current), timeout=PATIENCE)
    yield People(qtbot, window)
    freed: list[bool] = []
    window.session.close(lambda: freed.append(True))
    qtbot.waitUntil(lambda: bool(freed) and not window.jobs.active(), timeout=PATIENCE)
    assert window.jobs.close()
    window.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.unfreeze()


def found(people: People, words: Mapping[str, str], kinds: Collection[str]) -> tuple[set[str], set[str]]:
    """Which of these words, and of these kinds of objects, can be reached."""
    people.settle()
    return search(people.window, words, kinds)


def nothing_of(people: People, words: Mapping[str, str], kinds: Collection[str]) -> bool:
    """Whether none of them can be reached: at once, or as soon as what has just ended lets go of its own."""
    for _ in range(LOOKS):
        found_last = found(people, words, kinds)
        if found_last == (set(), set()):
            return True
    raise AssertionError(f"still within reach: {found_last}")


def codes_in(people: People) -> list[str]:
    """The participants' codes in the file; through a reader of its own, because the window has no project."""
    keeper = people.room._keeper  # type: ignore[union-attr]
    raters: list[str] = keeper._vault.use(lambda kept: [row.code for row in kept[0].judging.raters()])
    return raters


# one after another


def test_two_people_one_after_another_and_the_second_reaches_nothing_of_the_first(people: People):
    people.hold()
    assert nothing_of(people, HIDDEN, KINDS), "the welcome names nothing"
    people.sit_down()
    people.press("n")
    QTest.keyClicks(people.seat.work.note, "zqnote of mine")
    people.press(Qt.Key.Key_Escape)
    first_text = people.seat.work.comparison.texts[0]
    assert nothing_of(people, HIDDEN, PROJECT_KINDS), "blind while judging"
    people.judge(always_one)
    people.see()
    words, kinds = found(people, HIDDEN, KINDS)
    assert {"identity label", "axis title"} <= words, "their own picture names what was compared"
    assert {"Fingerprint", "AxisChoice", "Finding"} <= kinds
    assert not {"file", "folder", "recent", "model"} & words
    (code,) = codes_in(people)
    people.next_person()

    theirs = {**HIDDEN, "note": "zqnote", "code": code, "text": first_text}
    assert nothing_of(people, theirs, KINDS), "nothing is left of the first person"
    people.sit_down()
    people.press("b")
    assert people.seat.control.view.progress.done == 0
    assert people.seat.control.view.answer is None
    assert people.seat.work.typed_note() == ""
    assert nothing_of(people, {"note": "zqnote", "code": code}, PERSONAL_KINDS - {"SessionView"})
    people.judge(in_turn())
    people.see()
    own = people.seat.picture.view.fingerprint
    assert [one.chosen for one in own.axes[0].identities] == [2, 2, 2], "their own six choices, not the first one's"
    assert not own.evidence


def test_the_window_stays_blind_from_the_welcome_to_the_last_picture(people: People):
    blind = [people.window.blindfold.on]
    people.hold()
    blind.append(people.window.blindfold.on)
    people.rate_all(always_one)
    blind.append(people.window.blindfold.on)
    title = people.window.windowTitle()
    people.next_person()
    blind.append(people.window.blindfold.on)
    assert blind == [False, True, True, True]
    assert title == "Biasprint"


def test_the_welcome_says_how_likely_a_preference_is_seen_and_what_is_kept(people: People):
    people.hold()
    welcome = people.room.welcome
    assert "6 times" in welcome.about.text()
    # Six choices are too uneven for chance only where all are the same: .55⁶ + .30⁶ + .15⁶ = .028.
    assert "in a session like this in 19 of 20 people who have one" in welcome.power.text.text()
    assert "not under a name" in welcome.yours.text.text()
    assert welcome.time.title.text() == "About 2 minutes"


@pytest.mark.parametrize("consent", [CONSENT])
def test_nobody_starts_without_agreeing_and_the_next_person_is_asked_again(people: People, consent: str):
    people.hold()
    welcome = people.room.welcome
    assert welcome.consent.text() == consent
    people.press(Qt.Key.Key_Return)
    assert people.room.seat is None
    people.click(welcome.agree)
    people.rate_all(always_one)
    people.next_person()
    assert not welcome.agree.isChecked()
    assert not welcome.start.isEnabled()


# the group, and who leads it


@pytest.mark.soak
def test_the_group_is_told_from_five_people_on_and_shown_step_by_step(people: People):
    """Six people, each by keys and one click; whoever leads them looks after the fourth, the fifth and the sixth."""
    people.hold("tulip7")
    for number in range(1, 7):
        before = people.clicks
        people.rate_all(always_one if number % 2 else in_turn())  # Enter, six keys, Enter
        own = people.seat.picture.view.fingerprint
        if number < 5:
            assert own.group is None
            assert "shown from 5 people on" in people.seat.picture.view.beside.text()
        elif number == 5:
            assert own.group.people == 5
        people.next_person()
        assert people.clicks - before == 1, "of three that a participant may need"
        if number == 4:
            people.leave("tulip7")
            assert people.counts() == "4 sessions were begun. 4 were finished."
            assert nothing_of(people, HIDDEN, KINDS), "of four people the leader sees no choice"
            people.click(people.room.facilitator.next_person)
        if number == 5:
            people.leave("tulip7")
            the_leader_sees_the_group_alone(people)
            people.click(people.room.facilitator.next_person)
    people.leave("tulip7")
    assert people.counts() == "6 sessions were begun. 6 were finished."
    page = people.room.facilitator
    people.wait(page.show_all.isVisible)
    people.click(page.show_all)
    projector = people.room.projector
    assert people.page is projector
    said = []
    for _ in range(2):
        said.append(projector.words.text())
        people.press(Qt.Key.Key_Right)
    assert "What do you expect?" in said[0]
    assert "5 people" in said[1], "the sixth would be the difference"
    assert "dot" not in said[1]
    people.press(Qt.Key.Key_Escape)
    people.wait(lambda: people.page is page)


def the_leader_sees_the_group_alone(people: People) -> None:
    assert people.counts() == "5 sessions were begun. 5 were finished."
    texts = [label.text() for label in people.room.facilitator.group.findChildren(type(people.room.facilitator.counts))]
    # Three chose the first identity six times, two chose each identity twice: 22 of 30, 4 and 4.
    assert "Zqhallaxistitle: what all chose together, 30 choices" in texts
    assert [text.split(" %")[0] for text in texts if " %" in text and "(" in text] == ["73", "13", "13"]
    words, kinds = found(people, dict(enumerate(codes_in(people))), PERSONAL_KINDS)  # type: ignore[arg-type]
    assert words == set(), "no code of anybody"
    assert "Fingerprint" not in kinds


def test_who_leaves_half_way_is_asked_about_and_stays_uncounted(people: People, file: Path):
    people.hold()
    people.rate_all(always_one)
    people.next_person()
    people.sit_down()
    people.judge(always_one, most=3)
    people.click(people.seat.start_over)
    question = people.window.findChild(Question)
    people.click(question.safe_button)
    people.judge(always_one, most=1)
    people.click(people.seat.start_over)
    people.click(people.window.findChildren(Question)[-1].risky_button)
    people.wait(lambda: people.page is people.room.welcome)
    people.leave()
    assert people.counts() == "2 sessions were begun. 1 was finished."
    people.click(people.room.facilitator.end)
    people.wait(lambda: people.window.kiosk is None and people.window.project is not None)
    with_window: Project = people.window.project
    (session,) = (row for row in with_window.judging.sessions() if row.revealed_at is None)
    assert len(with_window.judging.judgments(session.id)) == 4, "kept in the file, and counted nowhere"
    (plan,) = with_window.judging.plans()
    assert attendance(with_window, plan.id).finished == 1


# leaving


def test_no_key_leads_out_and_leaving_takes_the_pin(people: People):
    people.hold("tulip7")
    people.sit_down()
    control = Qt.KeyboardModifier.ControlModifier
    for key in ("1", "2", "3", "9", "k", "o", "n", "w", ",", "j"):
        people.press(key, control)
    people.press(Qt.Key.Key_F6)
    assert people.page is people.seat
    assert not people.window.palette_box.isVisible()
    assert not QApplication.activeModalWidget()
    people.press("q", control)
    dialog = people.room.findChild(LeaveDialog)
    assert dialog is not None
    QTest.keyClicks(dialog.pin, "wrong")
    QTest.keyClick(dialog.pin, Qt.Key.Key_Return)
    assert people.page is people.seat
    assert dialog.said.text() == "That is not the PIN."
    people.click(dialog.stay)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    people.press("1")
    assert people.seat.control.view.progress.done == 1, "judging goes on"
    people.leave("tulip7")
    assert people.counts() == "1 session was begun. 0 were finished."


def test_a_project_that_closes_during_a_workshop_ends_it(people: People):
    people.hold()
    people.sit_down()
    people.judge(always_one, most=2)
    freed: list[bool] = []
    people.window.session.close(lambda: freed.append(True))
    people.wait(lambda: freed)
    assert people.window.kiosk is None
    assert not people.window.blindfold.on


# what one takes along, and what one leaves


@pytest.mark.soak
def test_a_picture_is_saved_where_its_owner_says_and_nowhere_else(people: People, tmp_path: Path, own_home: Path):
    settings = QSettings(QSettings.Scope.UserScope, "QtProject")
    settings.setValue("FileDialog/lastVisited", "file:///before")
    settings.sync()
    stick = tmp_path / "zqstick"
    stick.mkdir()
    people.hold()
    people.rate_all(always_one)
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    for ending in ("png", "svg", "pdf"):
        people.click(people.seat.picture.save)
        dialog = people.window.findChild(SaveDialog)
        places = [*dialog.history(), dialog.directory().absolutePath()]
        assert {Path(place) for place in places} == {own_home}, "not where the last one saved"
        dialog.selectFile(str(stick / f"mine.{ending}"))
        dialog.accept()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        people.wait((stick / f"mine.{ending}").exists)
        people.wait(lambda: not people.window.jobs.active())
    written = {path for path in tmp_path.rglob("*") if path.is_file()} - before
    assert {path.name for path in written} - {"settings.json"} == {"mine.png", "mine.svg", "mine.pdf"}
    assert b"Zqhalllabelone" in (stick / "mine.svg").read_bytes()
    settings.sync()
    assert settings.value("FileDialog/lastVisited") == "file:///before"
    people.next_person()
    assert nothing_of(people, {"folder of the last one": "zqstick"}, set())


def test_what_was_copied_is_gone_for_the_next_person(people: People):
    people.hold()
    people.sit_down()
    QApplication.clipboard().setText("zqcopied")
    people.judge(always_one)
    people.see()
    people.next_person()
    assert QApplication.clipboard().text() == ""


def test_a_picture_that_nobody_looks_at_any_more_goes_away_by_itself(people: People):
    people.hold()
    people.rate_all(always_one)
    picture = people.seat.picture
    picture._idle.start(2_000)
    people.wait(lambda: picture._idle.remainingTime() < 1_700)
    QTest.keyClick(picture, Qt.Key.Key_Shift)
    assert picture._idle.remainingTime() > 1_700, "somebody is still there"
    picture._idle.start(50)
    people.wait(lambda: people.page is people.room.welcome)
    assert people.room.seat is None
