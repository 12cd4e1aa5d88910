"""Instructions, practice and a plan's own question and rubric, in the window and by key presses."""

from pathlib import Path
from typing import Any

import pytest
from fingerprint_project import plan_of, project_with_texts
from packet_files import make, merge
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot
from rating_window import Rating

from biasprint.core.jobs import JobContext
from biasprint.core.judging.known import KnownAnswer, practice_result
from biasprint.core.judging.plan import CHECK, PlanSettings
from biasprint.core.project.project import Project
from biasprint.core.runs.compare import compare
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.judge.setup import DrawRequest, SetupPage, asked_by
from biasprint.desktop.panels.judge.teaching import Teaching

KNOWN = (
    KnownAnswer(("The good one.", "the bad bad one"), 0, "haiku", "stars", "It says something."),
    KnownAnswer(("no", "Yes, this."), 1, "haiku", "stars"),
)


@pytest.fixture
def rating(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> Rating:
    path = tmp_path / "study.biasprint"
    with project_with_texts(path, ["gender"], tasks=["haiku"]) as project:
        plan_of(
            project, "gender", per_axis=3, instructions="Read <b>both</b>.\n\nThen choose.", question="Which is truer?",
            rubric=(("Truth", "It is so."),), practice=tuple(one.stored() for one in KNOWN),
        )  # fmt: skip
    return Rating(qtbot, window, path)


def read(rating: Rating) -> Any:
    """To the instructions, as a rater gets there."""
    rating.wait_for_start()
    rating.panel.start.start.click()
    rating.at("instructions")
    return rating.panel.instructions


def texts(rating: Rating) -> list[str]:
    return [card.reading.text() for card in rating.panel.work.cards.shown]


def test_the_start_page_asks_the_plans_own_question_and_counts_its_texts(rating: Rating) -> None:
    rating.wait_for_start()
    said = rating.panel.start.about.text()
    assert said.startswith("3 comparisons, three texts each: “Which is truer?” What is being compared stays hidden")


def test_a_rater_reads_practises_and_begins_by_keys_alone(rating: Rating) -> None:
    page = read(rating)
    panel = rating.panel
    assert page.text.text() == "Read <b>both</b>.\n\nThen choose."
    assert "2 comparisons to practise with" in page.then.text()
    assert panel.control.view is None, "nothing is opened before it was read"
    QTest.keyClick(page.go_on, Qt.Key.Key_Space)
    rating.at("work")
    question = panel.work.question
    assert question.asked.text() == "Which is truer?"
    assert question.practice_words.text() == "Practice 1 of 2 · it counts nowhere"
    assert question.practised.isHidden()
    rating.press("12"[texts(rating).index("The good one.")])
    assert question.practice_words.text() == "Practice 1 of 2 · Right. It says something."
    assert question.practised.hasFocus(), "Space goes on"
    rating.press(Qt.Key.Key_Space)
    wrong = texts(rating).index("no")
    rating.press("12"[wrong])
    assert question.practice_words.text() == f"Practice 2 of 2 · The better one is {'AB'[1 - wrong]}."
    rating.press(Qt.Key.Key_Space)
    assert question.practice.isHidden()
    assert (panel.control.view.comparison.ordinal, panel.control.view.progress.done) == (1, 0)
    rating.press("g")
    shown = {label.text() for label in question.rubric.findChildren(type(question.said))}
    assert {"Truth", "It is so.", page.text.text()} <= shown
    rating.press("1")
    with rating.reading() as project:
        (session,) = project.judging.sessions()
        assert len(project.judging.judgments(session.id)) == 1
        found = practice_result(project, session.id)
    assert found is not None
    assert (found.right, found.of) == (1, 2)


def test_a_packet_is_practised_in_first_and_brings_that_back(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "study.biasprint"
    with project_with_texts(path, ["gender"], tasks=["haiku"]) as project:
        plan = plan_of(
            project, "gender", per_axis=2, instructions="Read all.", practice=tuple(one.stored() for one in KNOWN)
        )
    (packet,) = make(path, plan, "R05")
    rating = Rating(qtbot, window, packet.path)
    page = read(rating)
    assert (page.text.text(), "2 comparisons to practise with" in page.then.text()) == ("Read all.", True)
    QTest.keyClick(page.go_on, Qt.Key.Key_Space)
    rating.at("work")
    question = rating.panel.work.question
    for good in ("The good one.", "Yes, this."):
        rating.press("12"[texts(rating).index(good)])
        assert "Right." in question.practice_words.text()
        rating.press(Qt.Key.Key_Space)
    assert question.practice.isHidden()
    assert len(texts(rating)) == 3, "the first of the plan's own comparisons"
    rating.end()
    rating.at("finished_page")
    rating.close()
    merge(path, packet.path)
    with Project.open(path, read_only=True) as project:
        (session,) = project.judging.sessions()
        found = practice_result(project, session.id)
        assert len(project.judging.judgments(session.id)) == 2, "nothing of the practice is a judgment"
    assert found is not None
    assert (found.right, found.of) == (2, 2)


def test_going_back_from_the_instructions_opens_nothing_and_who_has_begun_is_not_asked_again(rating: Rating) -> None:
    read(rating).back.click()
    panel = rating.panel
    assert panel.control.view is None
    read(rating).go_on.click()
    rating.at("work")
    for _ in KNOWN:
        panel.work.setFocus()
        rating.press("1")
        panel.work.question.practised.click()
        rating.wait(lambda: not panel.control.busy)
    panel.work.setFocus()
    rating.press("1")
    panel.leave_button.click()
    rating.wait_for_start()
    rating.wait(lambda: panel.start.offer is not None and panel.start.offer.done == 1)
    panel.start.start.click()
    rating.at("work")
    assert panel.work.question.practice.isHidden()


def test_what_is_typed_in_the_form_is_the_plan_that_is_drawn(qtbot: QtBot, tmp_path: Path) -> None:
    page = SetupPage()
    qtbot.addWidget(page)
    box = page.teaching
    assert box.values() == Teaching()
    box.show_rubrics([("Haiku", "Imagery: it shows."), ("Song", "Rhyme: it rhymes.")])
    menu = box.start_from.menu()
    menu.actions()[1].trigger()
    assert box.rubric.toPlainText() == "Rhyme: it rhymes."
    box.rubric.setPlainText("Truth: it is so.")
    table = tmp_path / "known.csv"
    table.write_text("text_a,text_b,text_c,answer\nGood,Bad,None,a\n", encoding="utf-8")
    box.practice.set_path(table)
    box.checks.set_path(table)
    box.instructions.setPlainText("Read both.")
    box.question.setText("Which is truer?")
    box.split.setValue(2)
    box.overlap.setValue(50)
    request = DrawRequest(1, "identity", ("gender",), (), 3, 1, 1, 0.0, "", False, False, True, box.values())
    with project_with_texts(tmp_path / "study.biasprint", ["gender"], tasks=["haiku"]) as project:
        # What it can show is worked out in the compute process, and is not what is tried here.
        compare(JobContext(), project, **{**asked_by(request), "raters": None})
        (plan,) = project.judging.plans()
        settings = PlanSettings.of(plan.settings)
        axes = [row.axis for row in project.judging.comparisons(plan.id)]
    assert sorted(axes) == [CHECK, "gender", "gender", "gender"]
    assert (settings.instructions, settings.question) == ("Read both.", "Which is truer?")
    assert settings.rubric == (("Truth", "it is so."),)
    assert (settings.own_order, settings.split, settings.overlap) == (True, 2, 0.5)
    assert KnownAnswer.of(settings.practice[0]).texts == ("Good", "Bad", "None")
    box.checks.clear.click()
    assert box.values().checks is None
