"""The page on which comparisons are drawn: what can be chosen, what it says, and what it asks for."""

from pathlib import Path

import pytest
from compare_projects import Writing, articles, haikus, letters, originals
from fake_shell import FakeShell
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel
from pytestqt.qtbot import QtBot

from biasprint.core.jobs import JobContext
from biasprint.core.judging.plan import PlanSettings
from biasprint.core.runs.compare.planning import Outlook
from biasprint.core.runs.compare.pool import AxisOffer, StudyOffer, offers
from biasprint.desktop import theme
from biasprint.desktop.panels.judge.setup import Drawing, DrawRequest, Planned, SetupPage, needs_words
from biasprint.desktop.panels.judge.teaching import Teaching

GENDER = AxisOffer("gender", "Gender", {"man": "Man", "woman": "Woman", "nb": "Non-binary"})
ORIENTATION = AxisOffer("orientation", "Orientation", {"straight": "Straight", "queer": "Queer"})
NATION = AxisOffer("nation", "Nation", {name: name.upper() for name in ("aa", "bb", "cc", "dd", "ee")})
CREATIVITY = StudyOffer(
    1, "creativity", "Creative writing", ("identity", "model"), (GENDER, ORIENTATION, NATION), ("l", "m", "n", "o")
)
LETTERS = StudyOffer(2, "letters", "Letters", ("identity", "twin"), (ORIENTATION,), ("l",))


@pytest.fixture
def page(qtbot: QtBot) -> SetupPage:
    made = SetupPage()
    qtbot.addWidget(made)
    made.resize(900, 640)
    made.show_offers([CREATIVITY, LETTERS], can_cancel=True)
    return made


def asked(qtbot: QtBot, page: SetupPage) -> DrawRequest:
    with qtbot.waitSignal(page.wanted) as signal:
        page.draw.click()
    request: DrawRequest = signal.args[0]
    return request


def test_axes_with_two_or_three_identities_are_asked_for_whole(qtbot: QtBot, page: SetupPage) -> None:
    page.show()
    assert [box.isChecked() for box in page.axes.values()] == [True, True, False]
    request = asked(qtbot, page)
    assert (request.study_id, request.kind, request.axes, request.models) == (
        1,
        "identity",
        ("gender", "orientation"),
        (),
    )
    assert page.what.sizes() == (3, 2)


def test_more_models_than_cards_are_compared_some_at_a_time(qtbot: QtBot, page: SetupPage) -> None:
    page.show()
    page.what.kind.setCurrentIndex(1)
    for box in page.what.models.values():
        box.setChecked(True)
    assert not page.draw.isEnabled()
    assert "two or three of them at a time" in page.wanting.text()
    page.what.shown.setCurrentIndex(1)
    assert "what is found is a ranking" in page.what.words.text()
    request = asked(qtbot, page)
    assert (request.models, request.cards, request.worst) == (("l", "m", "n", "o"), 2, False)
    page.what.shown.setCurrentIndex(3)
    request = asked(qtbot, page)
    assert (request.cards, request.worst) == (3, True)
    for label in ("n", "o"):
        page.what.models[label].setChecked(False)
    assert "need three texts" in page.wanting.text()


def test_of_an_axis_with_more_identities_two_or_three_are_chosen(qtbot: QtBot, page: SetupPage) -> None:
    page.show()
    boxes = page.what.identities["nation"]
    assert not boxes["aa"].isEnabled()
    page.axes["nation"].setChecked(True)
    assert boxes["aa"].isEnabled()
    for axis in ("gender", "orientation"):
        page.axes[axis].setChecked(False)
    assert asked(qtbot, page).axes == ("nation:aa,bb",)
    boxes["dd"].setChecked(True)
    assert asked(qtbot, page).axes == ("nation:aa,bb,dd",)
    boxes["ee"].setChecked(True)
    assert not page.draw.isEnabled()
    assert "two or three identities" in page.wanting.text()
    for name in ("bb", "dd", "ee"):
        boxes[name].setChecked(False)
    assert not page.draw.isEnabled()
    page.axes["nation"].setChecked(False)
    assert page.wanting.text() == "Choose an axis."


def test_two_or_three_models_are_chosen(qtbot: QtBot, page: SetupPage) -> None:
    page.show()
    page.what.kind.setCurrentIndex(page.what.kind.findData("model"))
    assert page.axes == {}
    assert asked(qtbot, page)[1:4] == ("model", (), ("l", "m", "n"))
    page.what.models["o"].setChecked(True)
    assert page.wanting.text().startswith("Choose two or three generators, or let")
    for label in "lmn":
        page.what.models[label].setChecked(False)
    assert not page.draw.isEnabled()


def test_kinds_and_fields_are_those_of_the_study(qtbot: QtBot, page: SetupPage) -> None:
    page.show()
    assert page.ratings.isVisible()
    page.what.study.setCurrentIndex(1)
    assert [page.what.kind.itemData(row) for row in range(page.what.kind.count())] == ["identity", "twin"]
    assert list(page.axes) == ["orientation"]
    assert not page.ratings.isVisible()
    page.ratings.setChecked(True)
    page.what.kind.setCurrentIndex(1)
    assert page.per_axis_label.text() == "Comparisons"
    assert "swapped safely are left out" in page.what.words.text()
    request = asked(qtbot, page)
    assert (request.study_id, request.kind, request.axes, request.criterion_ratings) == (2, "twin", (), False)


def test_everything_that_raters_are_asked_is_in_the_request(qtbot: QtBot, page: SetupPage) -> None:
    page.show()
    for box, value in ((page.notes, False), (page.ratings, True), (page.background, True)):
        box.setChecked(value)
    page.consent.setPlainText("Do you agree?")
    assert page.graded.isHidden(), "asked for by few"
    page.also.click()
    for box in (page.graded, page.spans):
        assert not box.isHidden()
        box.setChecked(True)
    for field, value in ((page.per_axis, 30), (page.raters, 4), (page.repeats, 10), (page.seed, 7)):
        field.setValue(value)
    request = asked(qtbot, page)
    asked_of_all = (30, 4, 7, 0.1, "Do you agree?", True, True, False, Teaching())
    assert request[4:] == (*asked_of_all, 0, False, True, False, True, True, 0)
    page.prompts.setChecked(False)
    assert not asked(qtbot, page).show_prompt


def test_one_study_alone_needs_no_choice_of_one(qtbot: QtBot, page: SetupPage) -> None:
    page.show_offers([LETTERS], can_cancel=False)
    page.show()
    assert not page.what.study.isVisible()
    assert not page.cancel.isVisible()


def test_a_page_that_forgets_names_nothing(qtbot: QtBot, page: SetupPage) -> None:
    page.show()
    page.forget()
    QApplication.processEvents()
    said = [widget.text() for kind in (QLabel, QCheckBox) for widget in page.findChildren(kind) if widget.isVisible()]
    assert not [text for text in said if "Gender" in text or "Nation" in text]
    assert (page.what.study.count(), page.what.kind.count(), page.axes) == (0, 0, {})
    assert not page.draw.isEnabled()


def test_every_field_has_a_name_for_screen_readers(page: SetupPage) -> None:
    fields = (page.per_axis, page.raters, page.repeats, page.seed, page.consent, page.what.study, page.what.kind)
    names = [field.accessibleName() for field in fields]
    assert all(names)
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_nothing_is_wider_than_the_page(qtbot: QtBot, qapp: QApplication, page: SetupPage, scale: float) -> None:
    theme.apply(qapp, "light", scale)
    page.resize(1180 if scale > 1 else 640, 640)
    page.show()
    qtbot.waitExposed(page)
    QApplication.processEvents()
    sheet = page.widget()
    assert sheet is not None
    assert sheet.width() <= page.viewport().width()


@pytest.fixture
def shell(qtbot: QtBot, tmp_path: Path):
    writing = Writing(tmp_path / "p.biasprint")
    made = FakeShell(writing.project)
    made.writing = writing
    yield made
    qtbot.waitUntil(lambda: not made.jobs.active(), timeout=20_000)
    assert made.jobs.close()
    writing.project.close()


def test_the_planners_sentence_stands_beside_the_numbers_and_follows_them(qtbot: QtBot, shell: FakeShell) -> None:
    page = SetupPage()
    qtbot.addWidget(page)
    page.power.use(shell)  # type: ignore[arg-type]
    page.show_offers([LETTERS], can_cancel=False)
    page.show()
    qtbot.waitUntil(lambda: "With 12 comparisons on one axis" in page.power.sees.text(), timeout=30_000)
    assert "it takes" in page.power.needs.text()
    page.per_axis.setValue(200)
    qtbot.waitUntil(lambda: "With 200 comparisons" in page.power.sees.text(), timeout=30_000)
    assert "one identity has to be chosen" in page.power.needs.text()
    page.raters.setValue(3)
    qtbot.waitUntil(lambda: "each judged by 3 raters" in page.power.sees.text(), timeout=30_000)
    page.teaching.split.setValue(3)
    qtbot.waitUntil(lambda: "split in 3 parts among 3 raters" in page.power.sees.text(), timeout=30_000)
    assert page.raters_label.text() == "Raters in all"
    page.axes["orientation"].setChecked(False)
    assert not page.power.sees.isVisible()


def test_a_late_answer_about_other_numbers_is_not_shown(qtbot: QtBot, shell: FakeShell) -> None:
    page = SetupPage()
    qtbot.addWidget(page)
    page.power.plan(Planned((2,), 12, 1))
    late = Outlook(2, 5, 1, 1, (0.5, 0.5), 0.1, 70, None, None, "about 5", "needs", "detects")
    page.power._show(Planned((2,), 5, 1), [late])
    assert page.power.sees.text() == ""
    page.power._show(Planned((2,), 12, 1), [late])
    assert page.power.sees.text() == "about 5"


def test_what_it_takes_is_said_until_the_number_is_enough() -> None:
    def outlook(needed: int | None) -> Outlook:
        return Outlook(2, 50, 1, 1, (0.5, 0.5), 0.1, needed, None, None, "sees", "needs", "detects")

    assert [needs_words(outlook(needed)) for needed in (70, 50, None)] == ["needs", "detects", "needs"]
    assert needs_words(outlook(50), alone=False) == "needs"


def test_the_page_offers_what_the_project_has_and_draws_it(qtbot: QtBot, shell: FakeShell) -> None:
    writing = shell.writing
    for model in ("small", "large"):
        haikus(writing, model)
    letters(writing)
    originals(writing, ["One", "Two"])
    articles(writing, ["One", "Two"])
    found = offers(JobContext(), writing.project)
    assert [(one.kind, one.kinds) for one in found] == [
        ("creativity", ("identity", "model")), ("letters", ("identity", "twin")), ("news", ("origin",)),
    ]  # fmt: skip
    assert [axis.key for axis in found[0].axes] == ["gender"]
    assert dict(found[1].axes[0].identities) == {"male": "Male", "female": "Female"}
    page, drawn = SetupPage(), []
    qtbot.addWidget(page)
    drawing = Drawing(
        shell, page, on_choices=page.show, on_drawn=lambda: drawn.append(1), on_nothing=lambda: drawn.append(0)
    )  # type: ignore[arg-type]
    drawing.offer(can_cancel=False)
    qtbot.waitUntil(page.isVisible, timeout=20_000)
    page.what.kind.setCurrentIndex(1)
    page.per_axis.setValue(5)
    page.background.setChecked(True)
    page.raters.setValue(3)
    page.draw.click()
    qtbot.waitUntil(lambda: drawn == [1], timeout=30_000)
    (plan,) = writing.project.judging.plans()
    assert (shell.panels, shell.about) == (["raters"], {"packets_for": plan.id, "raters": 3})
    stored = PlanSettings.of(plan.settings)
    assert (stored.kind, stored.ask_background, writing.project.judging.count(plan.id)) == ("model", True, 5)
    assert stored.planned["outlooks"][0]["comparisons"] == 5


def test_without_texts_the_page_is_not_shown(qtbot: QtBot, shell: FakeShell) -> None:
    page, said = SetupPage(), []
    qtbot.addWidget(page)
    drawing = Drawing(
        shell,
        page,
        on_choices=lambda: said.append("choices"),
        on_drawn=lambda: None,
        on_nothing=lambda: said.append("nothing"),
    )  # type: ignore[arg-type]
    drawing.offer(can_cancel=False)
    qtbot.waitUntil(lambda: said == ["nothing"], timeout=20_000)
