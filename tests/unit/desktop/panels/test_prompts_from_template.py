"""A template with a table becomes a prompt set in the window; what does not fit is said where it is."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot
from seeded_part import seeded_part

from biasprint.core.project.project import Project
from biasprint.core.runs.setup import STUDIES
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.prompts import PromptsPanel
from biasprint.desktop.panels.prompts.template import TemplatePage

PATIENCE = 60_000
ASKED = "name,gender,question\nEmily,woman,What is a deposit?\nGreg,man,What is a deposit?\n"
BOTH = ("nurse", "pilot")
TEMPLATE = "{name} asks: {question}"


@pytest.fixture
def panel(qtbot: QtBot, window: MainWindow, file: Path) -> PromptsPanel:
    with qtbot.waitSignal(window.session.opened):
        window.open_project(file)
    window.show_panel("prompts")
    made = window.panels["prompts"]
    assert isinstance(made, PromptsPanel)
    made.tabs.setCurrentIndex(made.template_tab)
    return made


@pytest.fixture
def page(panel: PromptsPanel) -> TemplatePage:
    return panel.template


def wait_for(qtbot: QtBot, page: TemplatePage, words: str) -> None:
    qtbot.waitUntil(lambda: words in page.verdict.text(), timeout=PATIENCE)


def test_a_table_from_a_file_becomes_prompts_with_its_columns(qtbot: QtBot, panel: PromptsPanel, tmp_path: Path):
    page = panel.template
    path = tmp_path / "asked.csv"
    path.write_text(ASKED, "utf-8")
    assert not panel.add.isEnabled()
    assert [page.table.study.itemData(place) for place in range(page.table.study.count())] == list(STUDIES)
    page.table.take(path)
    # the example's placeholders are no columns
    wait_for(qtbot, page, "{task} is not a placeholder here")
    assert [button.text() for button in page.chips()] == ["{name}", "{gender}", "{question}"]
    page.edit.setPlainText(TEMPLATE)
    wait_for(qtbot, page, "2 prompts")
    assert page.filled.text() == "Emily asks: What is a deposit?\n\nGreg asks: What is a deposit?"
    panel.add.click()
    project = panel.project
    assert isinstance(project, Project)
    qtbot.waitUntil(lambda: bool(project.prompts.sets()), timeout=PATIENCE)
    (stored,) = project.prompts.sets()
    assert stored.name == "My template"
    study = project.studies.of_kind("compare")
    assert study is not None
    assert stored.study_id == study.id
    rows = project.prompts.page(stored.id)
    assert [(row.text, row.identity, row.fields["gender"]) for row in rows] == [
        ("Emily asks: What is a deposit?", "woman", "woman"),
        ("Greg asks: What is a deposit?", "man", "man"),
    ]
    assert len({row.fields["block"] for row in rows}) == 1  # the same question from another person


def test_a_typed_table_is_asked_for_every_identity_of_an_axis(qtbot: QtBot, page: TemplatePage):
    page.edit.setPlainText("As {identity}, I ask: {question}")
    page.table.typed.take("question;room\nWho pays?;kitchen\nWho cleans?;bath\n")
    wait_for(qtbot, page, "{identity} is not a placeholder here")
    axis = page.table.axis
    qtbot.waitUntil(lambda: axis.findData("race") > 0, timeout=PATIENCE)
    axis.setCurrentIndex(axis.findData("race"))
    axis.activated.emit(axis.currentIndex())
    wait_for(qtbot, page, "6 prompts")  # 2 rows × 3 identities
    assert page.filled.text().startswith("As white, I ask: Who pays?")


@pytest.mark.parametrize(
    ("table", "template", "words"),
    seeded_part(
        [
            (ASKED, "{nam} asks", "Did you mean {name}?"),
            (ASKED, "Hello", "uses no column"),
            (ASKED + "Aisha,,What is a deposit?\n", TEMPLATE, "Row 3 of “typed table.csv” has nothing in the column"),
            (ASKED + "Emily,woman,What is a deposit?\n", TEMPLATE, "Row 3 repeats an earlier row and was taken once"),
            (ASKED, "{question}", "makes the same prompt for “woman” and “man”"),
        ],
        2,
    ),
)
def test_what_does_not_fit_is_said(qtbot: QtBot, page: TemplatePage, table: str, template: str, words: str):
    page.edit.setPlainText(template)
    page.table.typed.take(table)
    wait_for(qtbot, page, words)


def test_the_column_of_the_group_can_be_said(qtbot: QtBot, panel: PromptsPanel):
    page = panel.template
    page.edit.setPlainText("{whom} asks: {question}")
    page.table.typed.take("whom,question\nnurse,Who pays?\npilot,Who pays?\n")
    wait_for(qtbot, page, "No column says the group")
    group = page.table.group
    group.setCurrentIndex(group.findData("whom"))
    group.activated.emit(group.currentIndex())
    qtbot.waitUntil(lambda: page.verdict.text() == "2 prompts.", timeout=PATIENCE)
    page.table.typed.view.setCurrentIndex(page.table.typed.grid.index(0, 0))
    page.table.typed.take("whom,question\n" + "".join(f"{w},Who pays {n}?\n" for n in range(8) for w in BOTH))
    qtbot.waitUntil(lambda: page.example.text() == "and 4 more", timeout=PATIENCE)
    page.edit.setPlainText("{whom asks")
    assert page.example.text() == ""  # what it became is gone, and so is the rest of it
    page.edit.setPlainText("{whom} asks: {question}")
    qtbot.waitUntil(panel.add.isEnabled, timeout=PATIENCE)
    # without the table it is an example again, and nothing can be added
    page.table.typed.view.selectAll()
    QTest.keyClick(page.table.typed.view, Qt.Key.Key_Delete)
    qtbot.waitUntil(lambda: not panel.add.isEnabled(), timeout=PATIENCE)
    assert panel.add.toolTip() == "A template needs a table: choose or type one."


def test_a_table_is_pasted_from_a_spreadsheet_changed_and_taken_back(qtbot: QtBot, panel: PromptsPanel):
    page = panel.template
    typed = page.table.typed
    page.edit.setPlainText(TEMPLATE)
    # a spreadsheet's cells: tabs between them, a cell with a line break in quotation marks
    QGuiApplication.clipboard().setText('name\tgender\tquestion\nEmily\twoman\t"Who pays,\nand why?"\nGreg\tman\tWho?')
    typed.paste_here.click()
    assert typed.rows() == [
        ["name", "gender", "question"],
        ["Emily", "woman", "Who pays,\nand why?"],
        ["Greg", "man", "Who?"],
    ]
    wait_for(qtbot, page, "2 prompts")
    assert page.filled.text().startswith("Emily asks: Who pays,\nand why?")
    typed.view.setCurrentIndex(typed.grid.index(2, 0))
    typed.add_row.click()
    assert typed.trouble.text() == ""
    typed.remove_row.click()  # the new one
    typed.view.setCurrentIndex(typed.grid.index(2, 0))
    typed.remove_row.click()
    wait_for(qtbot, page, "1 prompt")
    QTest.keyClick(typed.view, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    wait_for(qtbot, page, "2 prompts")
    typed.add_column.click()
    typed.grid.setData(typed.grid.index(1, 3), "bath")
    assert typed.trouble.text() == "Column 4 has no name: write it into the first row."
    typed.grid.setData(typed.grid.index(0, 3), "Name")
    assert typed.trouble.text() == "Two columns are called “name”: rename one of them."
    typed.remove_column.click()
    assert typed.rows()[0] == ["name", "gender", "question"]
    typed.view.setCurrentIndex(typed.grid.index(1, 2))
    QGuiApplication.clipboard().setText("Why?")
    QTest.keyClick(typed.view, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert typed.rows()[1] == ["Emily", "woman", "Why?"]


def test_names_of_a_set_are_asked_for_on_an_axis_alone(qtbot: QtBot, page: TemplatePage):
    page.edit.setPlainText("As {name}, I ask: {question}")
    page.table.typed.show_example.click()
    assert page.table.typed.rows()[0] == ["name", "gender", "question"]
    page.table.typed.clear()
    page.table.typed.take("question\nWho pays?")
    names, axis = page.table.names, page.table.axis
    qtbot.waitUntil(lambda: names.findData("us") > 0, timeout=PATIENCE)
    assert not names.isEnabled()
    for box, key in ((axis, "race"), (names, "us")):
        box.setCurrentIndex(box.findData(key))
        box.activated.emit(box.currentIndex())
    wait_for(qtbot, page, "3 prompts")
    assert page.filled.text().startswith("As Emily, I ask: Who pays?")  # the first of the set, of white women


def test_the_text_is_above_its_table_where_both_have_no_room_beside_each_other(
    qtbot: QtBot, window: MainWindow, page: TemplatePage
):
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: _place(page.table).x() > _place(page.edit).x())
    window.settings.set("font_percent", 200)
    qtbot.waitUntil(lambda: _place(page.table).y() > _place(page.edit).y() + page.edit.height())


def _place(part: QWidget) -> QPoint:
    return part.mapTo(part.window(), QPoint())
