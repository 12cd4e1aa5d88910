"""Ratings by criterion in the window, by keyboard and mouse; and what a plan does not ask for is not offered."""

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest
from empty_home import only
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot
from rating_files import rating_project
from rating_window import Rating

from biasprint.core.project.connection import NotSaved
from biasprint.desktop import theme
from biasprint.desktop.settings import DEFAULT_KEYS, Settings

ENTRIES = only("home", "judge", "settings")
Sit = Callable[..., Rating]


@pytest.fixture
def sit(qtbot: QtBot, make_window: Callable, tmp_path: Path) -> Sit:
    def open_for(**settings: object) -> Rating:
        path = rating_project(tmp_path / "study.biasprint", **settings)
        return Rating(qtbot, make_window(ENTRIES), path)

    return open_for


@pytest.fixture
def rating(sit: Sit) -> Rating:
    one = sit(criterion_ratings=True)
    one.start("R01")
    return one


def shown(rating: Rating) -> list[list[int | None]]:
    """What the table says, by criterion and card."""
    return [[scale.rating for scale in row] for row in rating.panel.work.ratings.scales]


def on_disk(rating: Rating) -> list[tuple[int, str, int | None]]:
    with rating.reading() as project:
        rows = project.annotations.of_kind("criterion")
        return [(row.value["card"], row.value["criterion"], row.value["rating"]) for row in rows]


def test_ratings_are_given_by_keys_alone_and_each_is_on_disk(rating: Rating):
    rating.press("r")
    rating.press("4", "5", "3", "2")
    rating.wait(lambda: len(on_disk(rating)) == 4)
    assert shown(rating)[0] == [4, 5, 3]
    assert shown(rating)[1] == [2, None, None]
    assert sorted(one[2] for one in on_disk(rating)) == [2, 3, 4, 5]
    assert rating.panel.control.view.comparison.ordinal == 1, "digits rated, and chose nothing"
    rating.wait(lambda: rating.window.status.saved.text() == "Saved")


def test_escape_gives_the_digits_back_to_the_cards(rating: Rating):
    rating.press("r", "4", Qt.Key.Key_Escape, "2")
    assert rating.panel.control.view.comparison.ordinal == 1, "some ratings are given and others not: asked first"
    assert rating.panel.work.question.said.text().endswith("Rate on, or answer once more to leave them out.")
    rating.press("2")
    assert rating.panel.control.view.comparison.ordinal == 2
    with rating.reading() as project:
        assert [row.outcome for row in project.judging.judgments()] == ["choice"]


def test_after_an_answer_the_digits_choose_again(rating: Rating):
    rating.press("r", "4", "x", "x")  # asked once; none is good, with the keyboard still in the table
    assert rating.panel.control.view.comparison.ordinal == 2
    assert shown(rating)[0] == [None, None, None]
    rating.press("1")
    assert rating.panel.control.view.comparison.ordinal == 3


def test_arrows_change_and_move_and_zero_takes_back(rating: Rating):
    rating.press("r", Qt.Key.Key_Right, Qt.Key.Key_Right)
    assert shown(rating)[0][0] == 2
    rating.press(Qt.Key.Key_Left)
    assert shown(rating)[0][0] == 1
    rating.press(Qt.Key.Key_Down, "5")
    assert shown(rating)[1][0] == 5
    rating.press(Qt.Key.Key_Left)  # the keyboard went on to the next card
    assert shown(rating)[1][1] == 1
    rating.press("0")
    assert shown(rating)[1][1] is None
    rating.wait(lambda: sorted(str(one[2]) for one in on_disk(rating)) == ["1", "5", "None"])


def test_the_mouse_rates_and_takes_back_and_leaves_the_digits_to_the_cards(rating: Rating):
    scale = rating.panel.work.ratings.scales[0][0]
    place = scale._places()[3].center().toPoint()
    QTest.mouseClick(scale, Qt.MouseButton.LeftButton, pos=place)
    assert scale.rating == 4
    QTest.mouseClick(scale, Qt.MouseButton.LeftButton, pos=place)
    assert scale.rating is None
    rating.press("1")
    assert rating.panel.control.view.comparison.ordinal == 2


def test_ratings_are_shown_again_when_one_comes_back(rating: Rating):
    rating.press("r", "4", "5", Qt.Key.Key_Escape, "1", "1")
    rating.panel.work.question.ratings.setChecked(False)
    rating.press("b")
    assert rating.panel.work.ratings.columns[0].isVisible()
    assert shown(rating)[0][:2] == [4, 5]


def test_a_rating_that_is_not_saved_is_not_shown_as_given(rating: Rating, monkeypatch: pytest.MonkeyPatch):
    rating.press("r", "4")
    rating.wait(lambda: rating.window.status.saved.text() == "Saved")

    def full(*_: object) -> None:
        raise NotSaved("The disk is full.")

    monkeypatch.setattr("biasprint.core.project.stores.findings.Annotations.add_many", full)
    rating.press("2")
    rating.wait(lambda: rating.window.status.saved.text() == "Not saved")
    assert shown(rating)[0] == [4, None, None]
    assert "Your rating was not saved." in rating.window.banners.texts()[0]


def test_every_scale_says_what_it_is_and_how_it_stands(rating: Rating):
    rating.press("r", "4")
    names = [scale.accessibleName() for row in rating.panel.work.ratings.scales for scale in row]
    assert names[:2] == [
        "Adherence to Traditional Structure, text A: 4 of 5",
        "Adherence to Traditional Structure, text B: not rated",
    ]
    assert len(set(names)) == 15


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_nothing_is_cut_off_and_nothing_usual_below_the_fold(rating: Rating, qapp: QApplication, scale: float):
    """At 1280×720; with letters of twice the size the page with ratings or the rubric scrolls down, never sideways."""
    theme.apply(qapp, "light", scale)
    rating.window.resize(1280, 720)
    work, ratings = rating.panel.work, rating.panel.work.ratings
    toggles = (work.question.ratings, work.question.rubric_button, work.question.note)
    for shown in itertools.product((False, True), repeat=3):
        for toggle, on in zip(toggles, shown, strict=True):
            toggle.setChecked(on)
        for _ in range(3):
            qapp.processEvents()
        assert work.horizontalScrollBar().maximum() == 0
        assert work.verticalScrollBar().maximum() == 0 or (scale > 1 and any(shown)), shown
    for toggle in toggles:
        toggle.setChecked(False)
    rating.press("r")
    qapp.processEvents()
    for card, column in zip(work.cards.shown, ratings.columns, strict=True):
        assert column.horizontalScrollBar().maximum() == 0
        assert column.visibleRegion().boundingRect().height() >= 2 * ratings.scales[0][0].height()
        assert card.isAncestorOf(column), "ratings stand beneath their own text"
        assert card.reading.geometry().bottom() <= column.geometry().top()
    assert len({column.geometry().top() for column in ratings.columns}) == 1


def test_what_a_plan_does_not_ask_for_is_not_offered(sit: Sit):
    rating = sit(notes=False)
    rating.start("R01")
    work = rating.panel.work
    assert work.question.note.isHidden()
    assert work.question.ratings.isHidden()
    rating.press("n", "r")
    assert not work.note.isVisible()
    assert not work.ratings.shown
    rating.panel.leave_button.click()
    rating.wait_for_start()
    keys = {label.text() for label in rating.panel.start.findChildren(QLabel) if label.isVisibleTo(rating.panel.start)}
    assert not keys & {"Write a note", "Rate each text by the rubric"}


def test_a_key_that_somebody_gave_to_another_action_stays_theirs(tmp_path: Path):
    """Ratings came later than the other actions: their usual key may be taken in a key map that was kept."""
    settings = Settings(tmp_path / "settings.json")
    kept = {name: list(keys) for name, keys in DEFAULT_KEYS.items() if name != "ratings"}
    settings._data = {"keys": kept | {"skip": ["R"]}}
    assert settings.keys()["skip"] == ("R",)
    assert settings.keys()["ratings"] == ("Ctrl+Shift+R",)
    settings._data = {"keys": kept | {"skip": ["Y"]}}
    assert settings.keys()["ratings"] == ("R",)
