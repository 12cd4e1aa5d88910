"""Planted recommendations in the window: declared, shown on a card, explained at the end, planted in the form."""

from pathlib import Path

import pytest
from fingerprint_project import plan_of, project_with_texts
from packet_files import make
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot
from rating_window import Rating

from biasprint.core.judging.sway import DECLARED, EXPLAINED
from biasprint.desktop import theme
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.judge.setup import SetupPage
from biasprint.desktop.panels.judge.teaching import Teaching
from biasprint.desktop.widgets.cards import ComparisonCards


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.biasprint"
    with project_with_texts(path, ["gender"], tasks=["haiku"]) as project:
        plan_of(project, "gender", per_axis=4, sway=0.5, sway_for=("woman",), sway_bias=1.0)
    return path


def said(rating: Rating) -> str:
    return " ".join(label.text() for label in rating.page.findChildren(QLabel) if label.isVisible())


def test_a_rater_is_told_sees_a_suggestion_on_its_card_and_is_told_all_at_the_reveal(
    qtbot: QtBot, window: MainWindow, study: Path
) -> None:
    rating = Rating(qtbot, window, study)
    rating.wait_for_start()
    assert rating.panel.start.consent.text.text() == DECLARED
    rating.start()
    shown = 0
    while rating.page is rating.panel.work:
        suggested = rating.panel.control.view.comparison.recommended
        cards = rating.panel.work.cards.shown
        assert [card.suggested.isVisible() for card in cards] == [at == suggested for at in range(len(cards))]
        assert ["Suggested" in card.accessibleName() for card in cards] == [at == suggested for at in range(len(cards))]
        shown += suggested is not None
        rating.panel.work.setFocus()
        rating.press("123"[suggested or 0])
    assert shown == 2
    rating.end()
    rating.at("reveal_page")
    told = said(rating)
    assert EXPLAINED in told
    assert told.count("of 2") == 4, "the counts of each identity are of the two other comparisons"
    assert "They favoured Woman in 100% of them." in told
    assert "You chose the suggested text in 2 of 2 answers beside one." in told


def test_the_end_of_a_packet_explains_the_recommendations(qtbot: QtBot, window: MainWindow, study: Path) -> None:
    from biasprint.core.project.project import Project

    with Project.open(study, read_only=True) as project:
        (plan,) = project.judging.plans()
    (packet,) = make(study, plan.id, "R05")
    rating = Rating(qtbot, window, packet.path)
    rating.start()
    rating.end()
    rating.at("finished_page")
    assert EXPLAINED in said(rating)


def test_a_recommendation_makes_no_card_wider_and_all_texts_begin_at_one_height(
    qtbot: QtBot, qapp: QApplication
) -> None:
    theme.apply(qapp, "light", 2.0)
    cards = ComparisonCards(("1", "2", "3"))
    qtbot.addWidget(cards)
    cards.resize(1148, 500)
    cards.set_texts(["one", "two", "three"], None)
    cards.show()
    narrowest = cards.minimumSizeHint().width()
    cards.set_texts(["one", "two", "three"], 1)
    qapp.processEvents()
    assert cards.minimumSizeHint().width() <= max(narrowest, 1148)
    assert len({card.reading.geometry().top() for card in cards.shown}) == 1
    chip = cards.shown[1].suggested
    assert chip.height() >= chip.heightForWidth(chip.width()), "every word of it can be read"
    assert chip.geometry().right() <= cards.shown[1].width()


def test_recommendations_are_planted_in_the_form(qtbot: QtBot) -> None:
    page = SetupPage()
    qtbot.addWidget(page)
    box = page.teaching
    assert not box.sway_for.isEnabled()
    box.show_identities([("man", "Man"), ("woman", "Woman")])
    box.sway.setValue(40)
    assert box.sway_for.isEnabled()
    assert not box.sway_bias.isEnabled(), "nobody is favoured"
    assert box.values() == Teaching(sway=0.4)
    box.sway_for.setCurrentIndex(2)
    box.sway_bias.setValue(75)
    assert box.values() == Teaching(sway=0.4, sway_for=("woman",), sway_bias=0.75)
    box.show_identities([("woman", "Woman"), ("nobody", "Other")])
    assert box.sway_for.currentData() == "woman", "what was chosen stays"
    box.show_identities([("man", "Man")])
    assert box.values() == Teaching(sway=0.4)
