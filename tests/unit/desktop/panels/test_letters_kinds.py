"""Kinds of document in the window: said, chosen, kept with the letter, and without what does not count for them."""

import pytest
from letters_scene import opened, panel_of, read_after, words
from pytestqt.qtbot import QtBot

from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.letters.entries import CODED

pytestmark = pytest.mark.usefixtures("own_computer")
ADVERT = (
    "Sales Lead (full-time)\n\nWe are looking for a confident salesman to dominate the market. Your responsibilities: "
    "lead our young team and compete. To apply, send your CV with a photo."
)


def test_an_advert_is_said_to_be_one_and_has_coded_words_and_no_twin(qtbot: QtBot, window: MainWindow):
    panel = opened(qtbot, window, ADVERT)
    review, board = panel.review, panel.review.board
    assert words(panel, "masculine") == ["Lead", "confident", "dominate", "lead", "compete"]
    assert words(panel, "age") == ["young"]
    coded = [item for item in board.found.model.items if item.section == CODED]
    assert len(coded) == 6
    assert all(item.listed for item in coded)
    assert board.found.cannot.text() == "This counts words: how this advert works on its readers was not measured."
    assert review.title == "Job advert: Pasted text"
    assert not panel.heading.twin.isEnabled()
    assert "about nobody" in panel.heading.twin.toolTip()
    assert not board.compared.isVisibleTo(board)
    assert not board.person.first.isVisibleTo(board.person)
    assert board.person.kind.currentText() == "Job advert (guessed)"


def test_a_kind_that_is_chosen_is_read_kept_and_can_be_left_to_the_guess_again(qtbot: QtBot, window: MainWindow):
    panel = opened(qtbot, window, ADVERT)
    review, page = panel.review, panel.review.board.person

    def choose(kind: str) -> None:
        page.kind.setCurrentIndex(page.kind.findData(kind))
        page.kind.activated.emit(page.kind.currentIndex())

    read_after(qtbot, panel, lambda: choose("peer"))
    assert review.check.checked.reading.read_as.kind == "peer"
    assert page.first.isVisibleTo(page)
    assert panel.heading.twin.isEnabled()
    assert not words(panel, "masculine")
    kept = review.kept()
    assert kept.kind == "peer"
    read_after(qtbot, panel, lambda: review.open_kept(kept))
    assert page.kind.currentData() == "peer"
    assert page.kind.itemText(0) == "As it is guessed"
    read_after(qtbot, panel, lambda: choose(""))
    assert review.check.checked.reading.read_as.kind == "advert"
    assert panel_of(window).review.kept().kind is None
