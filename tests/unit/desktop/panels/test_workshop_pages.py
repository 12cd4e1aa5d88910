"""The pages of a workshop, each by itself: what they say, what they ask, and what they forget."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QRadioButton
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError
from biasprint.core.findings import Finding
from biasprint.core.judging.fingerprint import AxisChoice, ChoiceInterval, OtherVoice, ShareOfChoices
from biasprint.core.judging.planner import Chance, JudgingDesign
from biasprint.core.judging.workshop import Attendance, Pin, WorkshopPlan
from biasprint.core.runs.fingerprint import GroupPicture
from biasprint.desktop.operations.fingerprint import FacilitatorView, WorkshopAxis
from biasprint.desktop.panels.workshop.participant import Copied, WelcomePage, power_words
from biasprint.desktop.panels.workshop.room import FacilitatorPage, LeaveDialog
from biasprint.desktop.panels.workshop.seat import (
    CHANCE,
    GROUP,
    MODELS,
    ProjectorPage,
    figure_at,
    steps_of,
    words_at,
)
from biasprint.desktop.panels.workshop.setup import DrawForm, PlanList
from biasprint.desktop.widgets import Label

PLAN = WorkshopPlan("plan", "race, seed 1", 20, 12, JudgingDesign(20), "")
AXES = (WorkshopAxis("race", "Race", ("Black", "White", "Asian")), WorkshopAxis("gender", "Gender", ("man", "woman")))


def words_of(page) -> list[str]:
    return [label.text() for label in page.findChildren(Label) if label.text()]


# the welcome


def test_the_chance_is_said_as_sessions_that_show_nothing():
    said = power_words(Chance(JudgingDesign(20), (0.55, 0.30, 0.15), 0.474))  # 20 × 0.526 = 10.5
    assert said.startswith(
        "A clear preference can stay unseen: in a session like this in 11 of 20 people who have one (one kind of text "
        "55 times in 100, the others 30 and 15 times)."
    )
    assert "does not mean that there is none" in said


def test_the_chance_of_two_identities_names_two_shares():
    said = power_words(Chance(JudgingDesign(20, 2), (0.675, 0.325), 0.3))
    assert " in 14 of 20 people who have one" in said
    assert "68 times in 100, the other 32 times" in said


@pytest.mark.parametrize(("power", "words"), [(0.9999, " in 1 of 20 "), (0.0001, " in 19 of 20 ")])
def test_nothing_is_promised_as_certain(power: float, words: str):
    assert words in power_words(Chance(JudgingDesign(20), (0.55, 0.30, 0.15), power))


def test_the_welcome_names_neither_the_plan_nor_its_axis(qtbot: QtBot):
    page = WelcomePage()
    qtbot.addWidget(page)
    page.show_plan(PLAN, Chance(JudgingDesign(20), (0.55, 0.30, 0.15), 0.474))
    assert not any("race" in words or "axis" in words or "Black" in words for words in words_of(page))
    assert "20 times" in page.about.text()
    assert page.time.title.text() == "About 12 minutes"


def test_enter_starts(qtbot: QtBot):
    page = WelcomePage()
    qtbot.addWidget(page)
    page.show_plan(PLAN, None)
    with qtbot.waitSignal(page.started) as started:
        QTest.keyClick(page, Qt.Key.Key_Return)
    assert started.args == [False]


def test_enter_does_nothing_while_the_place_is_being_opened(qtbot: QtBot):
    page = WelcomePage()
    qtbot.addWidget(page)
    page.show_plan(PLAN, None)
    page.set_opening()
    with qtbot.assertNotEmitted(page.started):
        QTest.keyClick(page, Qt.Key.Key_Return)


# what it is held with


def test_one_axis_at_a_time_unless_several_are_mixed(qtbot: QtBot):
    form = DrawForm()
    qtbot.addWidget(form)
    form.show_axes(AXES)
    assert all(isinstance(button, QRadioButton) for button in form.axes.values())
    assert form.wanted().axes == ("race",)
    assert form.design() == JudgingDesign(20, 3, 1)
    form.axes["gender"].click()
    assert form.wanted().axes == ("gender",)
    assert form.design() == JudgingDesign(20, 2, 1)
    form.hour.setChecked(True)
    assert all(isinstance(button, QCheckBox) for button in form.axes.values())
    assert form.wanted().axes == ("race", "gender")
    assert form.design() == JudgingDesign(7, 3, 2)
    form.comparisons.setValue(9)
    form.hour.setChecked(False)
    assert len(form.wanted().axes) == 1
    assert form.comparisons.value() == 9, "a number that somebody set stays"


def test_of_three_axes_one_is_asked_twenty_times_unless_somebody_mixes_them(qtbot: QtBot):
    form = DrawForm()
    qtbot.addWidget(form)
    three = [replace(one, key=key) for one, key in zip((*AXES, AXES[0]), "abc", strict=True)]
    form.show_axes(three)
    assert (form.wanted().axes, form.wanted().comparisons) == (("a",), 20)
    form.hour.click()
    assert (form.wanted().axes, form.wanted().comparisons) == (("a", "b", "c"), 7)
    form.show_axes(())
    form.show_axes(three)
    assert (form.wanted().axes, form.wanted().comparisons) == (("a",), 20), "another project begins afresh"


def test_it_says_what_is_drawn_not_what_is_asked_for(qtbot: QtBot):
    form = DrawForm()
    qtbot.addWidget(form)
    form.show_axes([replace(one, comparisons=5) for one in AXES])
    form.hour.click()
    assert form.design() == JudgingDesign(5, 3, 2)
    assert form.drawn.text() == "10 comparisons for each person. There are no more texts for an axis."


def test_a_workshop_that_people_have_begun_is_not_gone_on_with_by_chance(qtbot: QtBot):
    plans = PlanList()
    qtbot.addWidget(plans)
    plans.show_plans([replace(PLAN, title="Class 10b", begun=6)])
    assert plans.chosen is None, "the next class is a new workshop"
    assert plans.button(0).text() == "Class 10b (20 comparisons, about 12 minutes):\ngo on; 6 people have begun"


def test_without_an_axis_there_is_nothing_to_draw(qtbot: QtBot):
    form = DrawForm()
    qtbot.addWidget(form)
    form.show_axes(AXES)
    form.hour.setChecked(True)
    for button in form.axes.values():
        if button.isChecked():
            button.click()
    assert form.design() is None


def test_the_latest_plan_is_picked_and_a_new_one_can_be_drawn(qtbot: QtBot):
    plans = PlanList()
    qtbot.addWidget(plans)
    plans.show_plans([PLAN])
    assert plans.chosen == PLAN
    assert plans.button(0).text() == "race, seed 1 (20 comparisons, about 12 minutes)"
    plans.button(1).click()
    assert plans.chosen is None


# leaving


@pytest.mark.parametrize("pin", ["", "tulip7"])
def test_enter_never_leaves_the_workshop_by_itself(qtbot: QtBot, pin: str):
    left: list[bool] = []
    dialog = LeaveDialog(None, Pin(pin), unfinished=False, on_leave=lambda: left.append(True))  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    with qtbot.waitExposed(dialog):
        dialog.open()
    assert dialog.focusWidget() is (dialog.pin if pin else dialog.stay)
    QTest.keyClick(dialog.focusWidget(), Qt.Key.Key_Return)
    assert left == []


def test_tab_never_reaches_the_way_out_from_the_welcome(qtbot: QtBot):
    page = WelcomePage()
    qtbot.addWidget(page)
    page.show_plan(PLAN, None)
    with qtbot.waitExposed(page):
        page.show()
    page.setFocus()
    page.start.setFocus()
    page.set_opening()  # Qt looks for another place for the keyboard
    for _ in range(6):
        assert not page.leave.hasFocus()
        QTest.keyClick(QApplication.focusWidget() or page, Qt.Key.Key_Tab)


def test_without_a_pin_a_question_is_enough(qtbot: QtBot):
    left: list[bool] = []
    dialog = LeaveDialog(None, Pin(""), unfinished=False, on_leave=lambda: left.append(True))  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.pin.isVisible()
    dialog.leave.click()
    assert left == [True]


def test_a_wrong_pin_is_cleared_and_leaves_nobody_out(qtbot: QtBot):
    left: list[bool] = []
    dialog = LeaveDialog(None, Pin("tulip7"), unfinished=True, on_leave=lambda: left.append(True))  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    dialog.show()
    assert any("has not finished" in words for words in words_of(dialog))
    dialog.pin.setText("rose77")
    dialog.leave.click()
    assert (left, dialog.pin.text(), dialog.said.text()) == ([], "", "That is not the PIN.")
    dialog.pin.setText("tulip7")
    dialog.leave.click()
    assert left == [True]


# who leads it


def group() -> OtherVoice:
    shares = [("a", "Black", 12, 0.4, ChoiceInterval(0.5, 1.2)), ("b", "White", 18, 0.6, ChoiceInterval(0.8, 1.5))]
    identities = tuple(
        ShareOfChoices(key, label, chosen, share, 2 * share, span) for key, label, chosen, share, span in shares
    )
    return OtherVoice("group", "group of 5", "group", (AxisChoice("race", "Race", identities, 30, 30),), (), 5)


def test_before_five_the_leader_sees_counts_and_why_there_is_no_more(qtbot: QtBot):
    page = FacilitatorPage()
    qtbot.addWidget(page)
    page.show_view(
        FacilitatorView(Attendance(4, 3), GroupPicture(None, "The group’s choices are shown from 5 people on."))
    )
    said = words_of(page)
    assert "4 sessions were begun. 3 were finished." in said
    assert "The group’s choices are shown from 5 people on." in said
    assert not any("%" in words for words in said)


def test_from_five_on_the_leader_sees_shares_with_their_intervals(qtbot: QtBot):
    page = FacilitatorPage()
    qtbot.addWidget(page)
    page.show_view(FacilitatorView(Attendance(6, 5), GroupPicture(group(), "")))
    said = words_of(page)
    assert "Race: what all chose together, 30 choices" in said
    assert [words for words in said if " % (" in words] == ["40 % (25–60)", "60 % (40–75)"]
    assert any("5 people are few: this holds for them" in words for words in said)


def test_of_many_people_nothing_is_said_of_their_number(qtbot: QtBot):
    page = FacilitatorPage()
    qtbot.addWidget(page)
    page.show_view(FacilitatorView(Attendance(12, 10), GroupPicture(replace(group(), people=10), "")))
    assert any("each person as one unit" in words for words in words_of(page))
    assert not any("are few" in words for words in words_of(page))


def test_the_leaders_page_forgets_what_it_showed(qtbot: QtBot):
    page = FacilitatorPage()
    qtbot.addWidget(page)
    page.show_view(FacilitatorView(Attendance(6, 5), GroupPicture(group(), "")))
    page.show_failure(AppError("The project could not be read.", hint="Try again."))
    page.forget()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not any("Race" in words or "40 %" in words or "6 sessions" in words for words in words_of(page))


# what one leaves


def test_what_was_copied_before_somebody_sat_down_stays(qtbot: QtBot):
    clipboard = QApplication.clipboard()
    clipboard.setText("before")
    Copied().clear()
    assert clipboard.text() == "before"
    copied = Copied()
    clipboard.setText("mine")
    copied.clear()
    assert clipboard.text() == ""
    clipboard.setText("later")
    assert clipboard.text() == "later", "nobody listens any more"
    clipboard.clear()


# the projector


def shown_to_all(*, models: bool) -> GroupPicture:
    def voice(title: str, people: int) -> OtherVoice:
        findings = tuple(
            Finding(id="creativity.share", label=key, title="", groups=("a", "b"), dims={"axis": "race"}, n=30,
                    estimate=one, unit="proportion")
            for key, one in (("a", 0.4), ("b", 0.6), ("c", 0.0))
        )  # fmt: skip
        (axis,) = group().axes
        more = ShareOfChoices("c", "Asian", 0, 0.0, 0.0, ChoiceInterval(0, 0.4))
        axis = replace(axis, identities=(*axis.identities, more))
        return replace(group(), title=title, axes=(axis,), findings=findings, people=people)

    return GroupPicture(voice("group of 5", 5), "", (voice("a model", 1),) if models else ())


def test_the_wall_shows_chance_the_group_and_models_and_never_one_person():
    picture = shown_to_all(models=True)
    shown = [figure_at(picture, step) for step in (CHANCE, GROUP, MODELS)]
    assert steps_of(picture) == (CHANCE, GROUP, MODELS)
    assert [figure.series for figure in shown] == [("chance",), ("group of 5",), ("group of 5", "a model")]
    assert {figure.kind for figure in shown[1:]} == {"bars"}, (
        "no line joins axes that have nothing to do with each other"
    )
    assert [len(figure.marks) for figure in shown] == [3, 3, 6], "a value for each identity, and none for a person"
    assert [mark.value for mark in shown[CHANCE].marks] == [1.0] * 3, "no figure of the group before it is asked for"


def test_chance_is_as_uneven_as_it_is():
    """Of 30 choices among three 5 to 15 are one's, 95 times in 100: scipy.stats.binom.ppf([.025, .975], 30, 1/3)."""
    picture = shown_to_all(models=False)
    ends = [(mark.low, mark.high, mark.band) for mark in figure_at(picture, CHANCE).marks]
    assert ends == [(pytest.approx(3 * 5 / 30), pytest.approx(3 * 15 / 30), True)] * 3
    assert words_at(picture, CHANCE).startswith("Suppose nobody cared whom a text was written for.")


def test_keys_go_through_the_steps_and_out_and_nothing_stays(qtbot: QtBot):
    page = ProjectorPage()
    qtbot.addWidget(page)
    page.resize(1280, 720)
    page.show()
    page.show_picture(shown_to_all(models=False))
    QTest.keyClick(page, Qt.Key.Key_Left)
    assert page.step == CHANCE
    for _ in range(5):
        QTest.keyClick(page, Qt.Key.Key_Right)
    assert page.step == GROUP, "there is no model to show"
    with qtbot.waitSignal(page.left):
        QTest.keyClick(page, Qt.Key.Key_Escape)
    page.forget()
    assert page.poster.figure is None
    assert page.words.text() == ""
