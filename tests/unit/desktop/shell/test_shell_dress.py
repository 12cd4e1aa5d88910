"""Every window is dressed: the main one by the theme, and whatever opens from it by its parent."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import (
    QApplication,
    QCompleter,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from biasprint import desktop
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.charts.dashboard import Wall
from biasprint.desktop.panels.workshop.participant import SaveDialog
from biasprint.desktop.theme import THEMES
from biasprint.desktop.widgets import Card, Chip
from biasprint.desktop.widgets.choice import ComboBox

LONE = re.compile(r"\bQ(Menu|MessageBox|FileDialog|InputDialog|ProgressDialog|ErrorMessage|Dialog|MainWindow)\(\)")


def ground_of(widget: QWidget) -> str:
    """The colour that most of a widget's picture has."""
    picture = widget.grab().toImage()
    places = [(x, y) for x in range(0, picture.width(), 9) for y in range(0, picture.height(), 9)]
    seen = [picture.pixelColor(x, y).name() for x, y in places]
    return max(set(seen), key=seen.count).upper()


@pytest.fixture
def opened(window: MainWindow, own_home: Path) -> Iterator[dict[QWidget, str]]:
    """One window of every kind, open from the main window, and what most of it is: `ground` or `surface`."""
    (own_home / "Documents").mkdir()  # something to list, and to suggest
    field, text, box = QLineEdit(window.ground), QPlainTextEdit(window.ground), ComboBox(window.ground)
    for part in (field, text, box):
        part.show()
    box.addItems(["one", "two", "three"])
    menu, beneath = QMenu(window), QMenu("More", window)
    beneath.addAction("Something beneath")
    menu.addMenu(beneath)
    menu.addAction("Something of the menu")
    question = Question(window, title="?", text="Words", safe="Keep", risky="Go", on_risky=lambda: None)
    message = QMessageBox(QMessageBox.Icon.Question, "Title", "Words", QMessageBox.StandardButton.Ok, window)
    saving, wall = SaveDialog(window, lambda _: None), Wall(window)
    QLabel("In a dialog of a dialog", nested := QDialog(question))
    made = (question, nested, message, saving, wall)
    menus = (menu, beneath, field.createStandardContextMenu(), text.createStandardContextMenu())
    for shown in made:
        shown.show()
    for shown in menus:
        shown.popup(QPoint(5, 5))
    box.showPopup()
    suggested = saving.findChild(QCompleter).popup()
    suggested.show()
    QToolTip.showText(window.mapToGlobal(QPoint(9, 9)), "What a tool tip says", window)
    (tip,) = (one for one in QApplication.topLevelWidgets() if one.metaObject().className() == "QTipLabel")
    grounds = dict.fromkeys((window, *made), "ground")
    surfaces = dict.fromkeys((*menus, saving, suggested, box.view(), tip), "surface")
    yield grounds | surfaces  # a dialog of files is mostly its list
    QToolTip.hideText()
    box.hidePopup()
    for shown in (*menus, suggested):
        shown.hide()
    for shown in made:
        shown.hide()
        shown.deleteLater()


def test_every_kind_of_window_is_dressed_and_follows_the_theme_while_it_is_open(
    opened: dict[QWidget, str], qapp: QApplication
):
    for name in (*THEMES, "light"):
        tokens = theme.apply(qapp, name)
        for shown, most in opened.items():
            assert ground_of(shown) == getattr(tokens, most).upper(), f"{shown} in {name}"
            assert shown.style().metaObject().className() == "QStyleSheetStyle", f"{shown} in {name}"


def test_a_part_is_plain_until_it_comes_into_the_window_and_leaves_it_plain(window: MainWindow):
    card, chip = Card(), Chip("a word")
    card.box.addWidget(chip)
    plain = chip.sizeHint()
    card.setParent(window.ground)
    assert chip.sizeHint().height() > plain.height()
    assert chip.fontInfo().pixelSize() == theme.current().note
    card.setParent(None)
    assert chip.sizeHint() == plain
    card.deleteLater()


def test_a_hidden_page_asks_for_no_more_room_than_its_letters_need(window: MainWindow, qapp: QApplication):
    """By a layout within its layout, which Qt would leave at the size of the larger letters."""
    stack, page, row = QStackedWidget(window.ground), QWidget(), QHBoxLayout()
    QVBoxLayout(page).addLayout(row)
    row.addWidget(QPushButton("Some words that take their room"))
    for one in (QWidget(), page):
        stack.addWidget(one)
    stack.show()
    QApplication.processEvents()
    usual = stack.minimumSizeHint()
    theme.apply(qapp, "light", 2.0)
    assert stack.minimumSizeHint().width() > 1.5 * usual.width()
    theme.apply(qapp, "light", 1.0)
    assert stack.minimumSizeHint() == usual
    stack.deleteLater()


def test_a_long_list_of_choices_has_a_bar_to_scroll_by(window: MainWindow):
    box = ComboBox()  # made before it is in the window, as everywhere
    box.addItems([str(number) for number in range(30)])
    box.setParent(window.ground)
    box.show()
    box.showPopup()
    assert box.view().verticalScrollBar().isVisible()
    box.hidePopup()
    box.deleteLater()


def test_no_window_is_made_without_a_parent():
    """It would stand there undressed."""
    root = Path(desktop.__file__).parent
    sources = {path.relative_to(root): path.read_text("utf-8") for path in root.rglob("*.py")}
    assert len(sources) > 100
    assert {str(name): LONE.findall(text) for name, text in sources.items() if LONE.search(text)} == {}
    assert [str(name) for name, text in sources.items() if "app.setStyleSheet" in text] == []
