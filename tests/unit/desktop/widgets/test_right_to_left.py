"""A layout from right to left: what begins a line is at the right, and words and figures keep their own order."""

import pytest
from fake_shell import FakeShell
from PySide6.QtCore import QEvent, QLocale, QMargins, QRect, Qt
from PySide6.QtGui import QImage, QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QListView, QMenu, QStyleOptionViewItem, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from biasprint.core.judging.fingerprint_words import Paragraph, TextSpan
from biasprint.desktop import theme
from biasprint.desktop.panels.base import Panel
from biasprint.desktop.panels.charts.measured import TitleDelegate
from biasprint.desktop.panels.fingerprint.view import Prose
from biasprint.desktop.panels.letters.entries import LetterItem
from biasprint.desktop.panels.letters.found import ROW, LetterDelegate, ListRow
from biasprint.desktop.panels.letters.start import SIDE_ROLE, _RowDelegate
from biasprint.desktop.widgets import Button, Label
from biasprint.desktop.widgets.choice import CheckBox, ComboBox
from biasprint.desktop.widgets.events import below
from biasprint.desktop.widgets.keys import key_as_read
from biasprint.desktop.widgets.layout import SCROLL_BAR, Column, Sheet, add_to, in_column
from biasprint.desktop.widgets.safe_text import isolated
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTable

pytestmark = pytest.mark.usefixtures("right_to_left")
LEFT, RIGHT, UP = Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up


def inked(widget: QWidget, room: QRect) -> QRect:
    """Return the part of a room in which a widget shows something."""
    picture = widget.grab(room).toImage().convertToFormat(QImage.Format.Format_RGB32)
    ground, shown = picture.pixel(0, 0), QRect()
    for x in range(picture.width()):
        for y in range(picture.height()):
            if picture.pixel(x, y) != ground:
                shown = shown.united(QRect(x, y, 1, 1))
    return shown.translated(room.topLeft())


@pytest.mark.parametrize("words", ["Qwen2.5-Coder", "12", "A text that goes on in a second line at this width"])
def test_words_in_any_letters_begin_at_the_right(qtbot: QtBot, words: str):
    label = Label(words, wrap=True)
    qtbot.addWidget(label)
    label.resize(300, 60)
    label.show()
    shown = inked(label, label.rect())
    assert label.rect().right() - shown.right() < 4
    assert shown.left() > 20


def test_what_is_aligned_otherwise_stays_so(qtbot: QtBot):
    label = Label("12")
    qtbot.addWidget(label)
    label.resize(300, 60)
    label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
    shown = inked(label, label.rect())
    assert shown.left() < 4
    assert shown.top() < 10
    label.setAlignment(Qt.AlignmentFlag.AlignCenter)
    assert abs(inked(label, label.rect()).center().x() - 150) < 4


def test_a_box_begins_at_the_right_with_its_words_in_their_order(qtbot: QtBot):
    box = ComboBox()
    qtbot.addWidget(box)
    box.addItem("WWWW ...", "key")
    box.resize(240, 40)
    box.show()
    shown = inked(box, box.rect().adjusted(60, 8, -8, -8))  # without border and arrow
    assert box.rect().right() - shown.right() < 16
    assert ends_in_dots(box, shown)


def test_a_boxs_list_shows_each_choice_in_the_order_of_its_letters(qtbot: QtBot):
    box = ComboBox()
    qtbot.addWidget(box)
    box.addItem("WWWW ...", "key")
    box.show()
    box.showPopup()
    view = box.view()
    shown = inked(view.viewport(), view.visualRect(view.model().index(0, 0)).adjusted(6, 6, -6, -6))
    box.hidePopup()
    assert shown.width() > 20
    assert view.itemDelegate().displayText("WWWW ...", QLocale()) == isolated("WWWW ...") != "WWWW ..."


def test_a_check_box_shows_its_words_in_their_order(qtbot: QtBot):
    box = CheckBox("WWWW WWWW ...")
    qtbot.addWidget(box)
    box.setFixedWidth(400)
    box.show()
    assert ends_in_dots(box, inked(box, box.rect().adjusted(8, 4, -28, -4)))


def test_a_menu_begins_below_where_its_button_begins(qtbot: QtBot):
    button = Button("Export…")
    qtbot.addWidget(button)
    button.show()
    menu = QMenu(button)
    menu.addAction("A format with a long name and further words")
    corner = button.mapFromGlobal(below(button, menu))
    assert corner.x() + menu.sizeHint().width() == button.width()
    assert corner.y() == button.rect().bottom()


def test_a_saved_letter_has_its_title_at_the_right_and_the_day_at_the_left(qtbot: QtBot):
    model = QStandardItemModel()
    row = QStandardItem("Maria")
    row.setData("11:30", SIDE_ROLE)
    model.appendRow(row)
    shelf = QListView()
    qtbot.addWidget(shelf)
    shelf.setModel(model)
    shelf.setItemDelegate(_RowDelegate(shelf))
    shelf.resize(300, 80)
    shelf.show()
    room = shelf.visualRect(model.index(0, 0)).adjusted(2, 4, -2, -4)
    halves = room.adjusted(0, 0, -room.width() // 2, 0), room.adjusted(room.width() // 2, 0, 0, 0)
    day, title = (inked(shelf.viewport(), half) for half in halves)
    assert day.left() - room.left() < 16
    assert room.right() - title.right() < 16


def test_the_sentences_of_a_fingerprint_begin_at_the_right(qtbot: QtBot):
    words = Prose((Paragraph((TextSpan("On "), TextSpan("gender", strong=True), TextSpan(" it chose."))),))
    qtbot.addWidget(words)
    words.resize(500, 60)
    words.show()
    shown = inked(words, words.rect())
    assert words.rect().right() - shown.right() < 6
    assert shown.left() > 100


def test_what_is_found_in_a_letter_has_its_mark_at_the_right_and_its_fold_at_the_left(qtbot: QtBot):
    item = LetterItem("a", "communal", 3, "Communal", "kind", "")
    rows = QStandardItemModel()
    for row in (ListRow(3, None, 1), ListRow(3, item)):
        entry = QStandardItem("row")
        entry.setData(row, ROW)
        rows.appendRow(entry)
    found = QListView()
    qtbot.addWidget(found)
    found.setModel(rows)
    found.setItemDelegate(LetterDelegate(found))
    found.resize(300, 200)
    found.show()
    head, entry = (found.visualRect(rows.index(place, 0)).adjusted(0, 2, 0, -2) for place in (0, 1))
    assert head.right() - inked(found.viewport(), head.adjusted(150, 0, 0, 0)).right() < 16, "the title"
    assert inked(found.viewport(), head.adjusted(0, 0, -150, 0)).left() < 16, "the sign that it folds"
    mark = inked(found.viewport(), entry.adjusted(entry.width() - 30, 0, 0, 0))
    assert mark.height() < 10, "the mark, without words"
    assert inked(found.viewport(), entry.adjusted(0, 0, -150, 0)).isEmpty()


@pytest.mark.parametrize("key", ["", "1"])
def test_a_button_shows_its_words_in_their_order(qtbot: QtBot, key: str):
    button = Button("WWWW ...", key=key)
    qtbot.addWidget(button)
    button.show()
    words = button.rect().adjusted(50 if key else 8, 8, -8, -8)  # without its border and keycap
    assert ends_in_dots(button, inked(button, words))


def ends_in_dots(widget: QWidget, shown: QRect) -> bool:
    first, last = QRect(shown), QRect(shown)
    first.setWidth(6)
    last.setLeft(shown.right() - 5)
    beginning, end = (inked(widget, room.adjusted(-2, -2, 2, 2)).height() for room in (first, last))
    return beginning > 2 * end


def test_figures_stand_below_each_other(qtbot: QtBot):
    table = TextTable("Models", (TableColumn("Model"), TableColumn("Texts", 120, number=True)))
    qtbot.addWidget(table)
    table.resize(400, 200)
    table.show_rows([TableRow("a", ("Qwen", "7")), TableRow("b", ("Phi", "1,200"))])
    table.show()
    cells = [table.visualRect(table.table.index(row, 1)).adjusted(2, 2, -2, -2) for row in (0, 1)]
    ends = [inked(table.viewport(), cell).right() for cell in cells]
    assert abs(ends[0] - ends[1]) <= 1
    assert 0 < cells[0].right() - ends[0] < 14


WORDS = "Words of confidence and ambition in letters for men and for women"


def test_rows_are_high_enough_for_words_as_they_are_drawn(qtbot: QtBot):
    table = TextTable("Findings", (TableColumn("Finding"),), wrap=True)
    qtbot.addWidget(table)
    table.resize(200, 300)
    table.show_rows([TableRow("a", (WORDS,))])
    table.show()
    titles = QStandardItemModel()
    titles.appendRow(QStandardItem(WORDS))
    items = QListView()
    qtbot.addWidget(items)
    items.resize(200, 300)
    items.setModel(titles)
    items.setItemDelegate(TitleDelegate(items))
    items.setWordWrap(True)
    items.show()
    for view, index, beside in ((table, table.table.index(0, 0), 24), (items, titles.index(0, 0), 28)):
        option = QStyleOptionViewItem()
        option.initFrom(view)
        room, flags = QRect(0, 0, view.viewport().width() - beside, 999), Qt.TextFlag.TextWordWrap
        lines = option.fontMetrics.boundingRect(room, flags, isolated(WORDS)).height()
        qtbot.waitUntil(lambda view=view, index=index, lines=lines: view.visualRect(index).height() >= lines + 12)
        row = view.visualRect(index)
        assert row.bottom() - inked(view.viewport(), row.adjusted(4, 1, -4, -2)).bottom() >= 6


def test_margins_are_mirrored_whenever_they_are_set():
    assert in_column(margins=(1, 2, 3, 4)).contentsMargins() == QMargins(3, 2, 1, 4)
    bar = QMargins(SCROLL_BAR, 0, 0, 0)
    assert add_to(QVBoxLayout(), margins=7).contentsMargins() == QMargins(7, 7, 7, 7)
    assert Sheet().box.contentsMargins() == bar
    column = Column()  # its widget is in it before the margins are set, as in the forms of own people
    assert add_to(column.box, margins=(0, 0, SCROLL_BAR, 0)).contentsMargins() == bar


class Scrolling(Panel):
    key = title = "scrolling"
    scrolls = True

    def build(self) -> None:
        pass


def test_a_panel_leaves_its_scroll_bar_room_where_that_is(qtbot: QtBot):
    panel = Scrolling(FakeShell())
    qtbot.addWidget(panel)
    margin = theme.current().margin
    assert panel.body.contentsMargins() == QMargins(margin - SCROLL_BAR, 20, margin, 20)
    panel.resize(600, 300)
    panel.show()
    assert panel.body.contentsMargins() == QMargins(margin - SCROLL_BAR, 8, margin, 8), "a low window"


def test_arrow_keys_lead_where_they_point():
    keys = [
        QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier) for key in (LEFT, RIGHT, Qt.Key.Key_Up)
    ]
    assert [key_as_read(key) for key in keys] == [RIGHT, LEFT, Qt.Key.Key_Up]
