"""The prompts panel marks biased wording as one types, says why, and offers a neutral wording."""

import time

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QTextEdit
from pytestqt.qtbot import QtBot

from biasprint.core.prompts.detector import detect
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.prompts import PromptsPanel
from biasprint.desktop.panels.prompts.template import MOST_SHOWN
from biasprint.desktop.widgets import Label, LinkButton

PATIENCE = 60_000
BIASED = "Suppose you are a 😀 journalist who believes in Androcentrism. As {identity}: {task} that mocks old women."
NEUTRAL = "Suppose you are a 😀 journalist. As {identity}: {task} that portrays old women fairly."


@pytest.fixture
def panel(qtbot: QtBot, make_window) -> PromptsPanel:
    window: MainWindow = make_window(panel="prompts")
    made = window.panels["prompts"]
    assert isinstance(made, PromptsPanel)
    qtbot.waitUntil(lambda: made.preview.model.rowCount() > 0, timeout=PATIENCE)
    return made


@pytest.fixture
def page(panel: PromptsPanel):
    panel.tabs.setCurrentIndex(panel.template_tab)
    return panel.template


def marked(edit: QTextEdit) -> list[str]:
    """The words that are underlined as biased; a mistake has another line."""
    dashed = QTextCharFormat.UnderlineStyle.DashUnderline
    return [mark.cursor.selectedText() for mark in edit.extraSelections() if mark.format.underlineStyle() == dashed]


def words_of(card) -> str:
    return " | ".join(label.text() for label in card.findChildren(Label) if label.isVisible())


def use_buttons(card) -> list[LinkButton]:
    return [button for button in card.findChildren(LinkButton) if button.isVisible() and button is not card.all]


def test_flagged_words_are_underlined_with_their_reason_and_a_neutral_wording(qtbot: QtBot, page):
    page.edit.setPlainText(BIASED)
    qtbot.waitUntil(page.wording.isVisible, timeout=PATIENCE)
    assert marked(page.edit) == ["who believes in Androcentrism", "mocks old women"]
    told = words_of(page.wording)
    assert "2 places ask for prejudice" in told
    assert "It asks for a text by someone who holds a prejudice against a group." in told
    assert "Instead: “portrays old women fairly”" in told
    assert page.verdict.text() == "Every placeholder is known and none is missing."


def test_one_wording_can_be_used_and_the_other_stays(qtbot: QtBot, page):
    page.edit.setPlainText(BIASED)
    qtbot.waitUntil(page.wording.isVisible, timeout=PATIENCE)
    leave_out, use = use_buttons(page.wording)
    assert (leave_out.text(), use.text()) == ("Leave out", "Use this")
    use.click()
    assert page.edit.toPlainText() == BIASED.replace("mocks old women", "portrays old women fairly")
    qtbot.waitUntil(lambda: marked(page.edit) == ["who believes in Androcentrism"], timeout=PATIENCE)


def test_every_neutral_wording_at_once_can_be_undone_in_one_step(qtbot: QtBot, page):
    page.edit.setPlainText("")
    page.edit.insertPlainText(BIASED)
    qtbot.waitUntil(page.wording.isVisible, timeout=PATIENCE)
    page.wording.all.click()
    assert page.edit.toPlainText() == NEUTRAL
    qtbot.waitUntil(lambda: not page.wording.isVisible(), timeout=PATIENCE)
    assert marked(page.edit) == []
    page.edit.undo()
    assert page.edit.toPlainText() == BIASED


def test_neutral_words_are_not_marked(qtbot: QtBot, page):
    page.edit.setPlainText("As {identity}, write about studies on misogyny: {task}")
    with qtbot.waitSignal(page._watch.seen, timeout=PATIENCE) as seen:
        pass
    assert seen.args[0].count == 0
    assert not page.wording.isVisible()
    assert marked(page.edit) == []


def test_marks_of_an_older_text_are_gone_at_once(qtbot: QtBot, page):
    page.edit.setPlainText(BIASED)
    qtbot.waitUntil(page.wording.isVisible, timeout=PATIENCE)
    page.edit.setPlainText("Something else {identity} {task}")
    assert marked(page.edit) == []


def test_an_offer_for_words_that_are_gone_changes_nothing(qtbot: QtBot, page):
    page.edit.setPlainText(BIASED)
    qtbot.waitUntil(page.wording.isVisible, timeout=PATIENCE)
    page.edit.setPlainText("Typed over {identity} {task}")
    page.wording.all.click()
    assert page.edit.toPlainText() == "Typed over {identity} {task}"


def test_a_mistake_and_biased_words_are_marked_side_by_side(qtbot: QtBot, page):
    page.edit.setPlainText("Write as a racist about {theme}")
    qtbot.waitUntil(lambda: marked(page.edit) == ["as a racist"], timeout=PATIENCE)
    assert [mark.cursor.selectedText() for mark in page.edit.extraSelections()] == ["as a racist", "{theme}"]


def test_only_the_first_flags_are_listed_and_the_others_counted(qtbot: QtBot, page):
    page.edit.setPlainText("{identity} {task} " + "Write about a shrill woman. " * 5)
    qtbot.waitUntil(page.wording.isVisible, timeout=PATIENCE)
    assert len(use_buttons(page.wording)) == MOST_SHOWN
    assert page.wording.more.text() == f"and {5 - MOST_SHOWN} more"
    assert len(marked(page.edit)) == 5


@pytest.mark.soak
def test_typing_is_looked_at_once_it_pauses_and_nothing_freezes(qtbot: QtBot, page):
    text = "Write about women who sail.\n" * 30_000
    detect("")  # the rules are read once, whoever asks first
    began = time.perf_counter()
    detect(text)
    alone = time.perf_counter() - began
    page.edit.setPlainText(text + "{identity} {task}")
    gaps: list[float] = []
    last = 0.0

    def tick() -> None:
        nonlocal last
        now = time.perf_counter()
        gaps.append(now - last)
        last = now

    timer = QTimer(interval=5)
    timer.timeout.connect(tick)
    seen: list[object] = []
    page._watch.seen.connect(seen.append)
    qtbot.wait(50)  # the editor lays the text out
    last = time.perf_counter()
    timer.start()
    qtbot.waitUntil(lambda: bool(seen), timeout=PATIENCE)
    timer.stop()
    assert len(seen) == 1
    assert max(gaps) < alone / 2  # on the window's thread, the reading alone would be one gap


def test_letters_that_ask_for_prejudice_are_counted_and_shown(qtbot: QtBot, panel: PromptsPanel):
    panel.tabs.setCurrentIndex(panel.tab_of("letters"))
    panel.card("letters").by_name.occupations.edit.setPlainText("nurse\nnurse who must be warm because she is a woman")
    # 2 names × 5 ages of the second occupation
    qtbot.waitUntil(lambda: panel.preview.biased.text.text() == "10 prompts ask for prejudice", timeout=PATIENCE)
    assert panel.preview.biased.isVisible()
    assert "because she is a woman" in panel.preview.biased.more.text()
    panel.preview.show_first.click()
    assert "because she is a woman" in panel.preview.whole.text()
    qtbot.waitUntil(lambda: bool(marked(panel.preview.whole)), timeout=PATIENCE)
    panel.card("letters").by_name.occupations.edit.setPlainText("nurse")
    qtbot.waitUntil(lambda: panel.preview.count.text() == "10 prompts", timeout=PATIENCE)
    assert not panel.preview.biased.isVisible()


def test_the_shipped_sets_show_no_warning(qtbot: QtBot, panel: PromptsPanel):
    qtbot.waitUntil(lambda: not panel.shell.jobs.active(), timeout=PATIENCE)
    assert not panel.preview.biased.isVisible()
