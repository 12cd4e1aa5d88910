"""The pile: rows as they come, sorting, filtering, setting right, tests of groups, export, and bad input."""

import csv
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel, QMimeData, QModelIndex, Qt, QUrl
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QComboBox, QFileDialog
from pytestqt.qtbot import QtBot

from biasprint.core.findings import Interval, Power
from biasprint.core.letters.categories import categories
from biasprint.core.letters.pile import LOOKED_AT, FilePlace, Pile, PileColumn, PileRow
from biasprint.core.letters.pile.compare import GroupTest
from biasprint.core.letters.pile.outcomes import selection_rates
from biasprint.core.letters.values import Document, KeptLetter
from biasprint.core.swap import Person
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.letters import export_table
from biasprint.desktop.panels.letters.board import FOUND, PERSON
from biasprint.desktop.panels.letters.pile import LEAST_HEIGHT, PilePage
from biasprint.desktop.panels.letters.pile.rows import (
    ANYTHING,
    COLUMNS,
    NO_GROUP,
    PileFilter,
    export_columns,
    export_row,
    note,
    summary,
)
from biasprint.desktop.panels.letters.pile.table import PileTable, column_title
from biasprint.desktop.panels.letters.pile.view import PileTests, PileView, difference_said, p_said
from biasprint.desktop.widgets.events import local_paths
from biasprint.desktop.widgets.layout import Room

PATIENCE = 120_000
GROUPS = {"male": "Male", "female": "Female"}
STAND_INS = frozenset({"formality"})
SHARES = (
    PileColumn("agentic", "Agentic", "share of sentences"),
    PileColumn("formality", "Formal", "share of sentences"),
)


def row(name: str, agentic: float | None = 0.2, *, group: str = "female", occupation: str = "artist") -> PileRow:
    first, last = name.split()
    figures = {"agentic": agentic, "formality": 0.5, "words": 300.0}
    person = Person(first, last, "", "she" if group == "female" else "he")
    return PileRow(f"{first}.txt", f"sub/{first}.txt", person, occupation, group, figures)


ROWS = (
    replace(row("Kelly Moreno", 0.4), marks={"doubt": 2, "family": 1, "ability": 4}, claims={"grounded": 3}),
    row("Ann Weber", None),
    replace(row("Joseph Costa", 0.1, group="male", occupation="nurse"), claims={"unsupported": 1}),
)
BAD = PileRow("photo.jpg", "photo.jpg", reason="“photo.jpg” is a picture.", hint="Have it read first.")
COPY = replace(row("Zoe Novak"), same_as="sub/Kelly.txt")


def index(table: PileTable, at: int, column: str) -> QModelIndex:
    return table.index(at, COLUMNS.index(column))


def names(table: PileTable) -> list[str]:
    return [one.name for one in table.shown]


@pytest.fixture
def table() -> PileTable:
    made = PileTable()
    made.tester = QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal)  # type: ignore[attr-defined]
    made.start(GROUPS, STAND_INS)
    made.add([*ROWS, BAD, COPY])
    return made


@pytest.fixture
def view(qtbot: QtBot) -> Iterator[PileView]:
    made = PileView()
    qtbot.addWidget(made)
    made.resize(1024, 560)
    made.show()
    made.start(GROUPS, STAND_INS)
    made.add_rows([*ROWS, BAD, COPY])
    yield made
    made.hide()


def test_a_row_shows_shares_and_marks_its_guesses(table: PileTable) -> None:
    shown = [index(table, 0, column).data() for column in ("file", "person", "occupation", "group", "agentic", "words")]
    assert shown == ["sub/Kelly.txt", "Kelly Moreno ?", "artist ?", "Female ?", "40 %", "300"]
    assert index(table, 1, "agentic").data() == "–"
    assert "guessed" in index(table, 0, "group").data(Qt.ItemDataRole.AccessibleTextRole)


def test_a_bad_file_is_a_row_with_its_reason(table: PileTable) -> None:
    assert index(table, 3, "note").data() == "is a picture. Have it read first."
    assert index(table, 3, "agentic").data() == ""
    assert not index(table, 3, "group").flags() & Qt.ItemFlag.ItemIsEditable
    assert "not read" in index(table, 3, "file").data(Qt.ItemDataRole.AccessibleTextRole)
    assert "Kelly.txt" in note(COPY)


def test_sorting_leaves_what_is_missing_last_in_both_directions(table: PileTable) -> None:
    agentic = COLUMNS.index("agentic")
    table.sort(agentic, Qt.SortOrder.DescendingOrder)
    assert names(table) == ["Kelly.txt", "Zoe.txt", "Joseph.txt", "Ann.txt", "photo.jpg"]
    table.sort(agentic, Qt.SortOrder.AscendingOrder)
    assert names(table) == ["Joseph.txt", "Zoe.txt", "Kelly.txt", "Ann.txt", "photo.jpg"]
    table.sort(-1)
    assert names(table) == ["Kelly.txt", "Ann.txt", "Joseph.txt", "photo.jpg", "Zoe.txt"]


@pytest.mark.parametrize(
    ("where", "left"),
    [
        (PileFilter(text="kelly more"), ["Kelly.txt"]),
        (PileFilter(text="picture"), ["photo.jpg"]),
        (PileFilter(occupation="nurse"), ["Joseph.txt"]),
        (PileFilter(group="female"), ["Kelly.txt", "Ann.txt", "Zoe.txt"]),
        (PileFilter(group=NO_GROUP), ["photo.jpg"]),
        (PileFilter(only_bad=True), ["photo.jpg"]),
        (PileFilter(look=ANYTHING), ["Kelly.txt", "Joseph.txt"]),
        (PileFilter(look="family"), ["Kelly.txt"]),
    ],
)
def test_filters_leave_what_is_looked_for(table: PileTable, where: PileFilter, left: list[str]) -> None:
    table.show(where)
    assert names(table) == left


def test_what_there_is_to_look_at_is_counted_sorted_and_told(table: PileTable) -> None:
    """Praise is not counted, and claims only where the CV does not carry them."""
    no_praise = {key for key, one in categories().items() if not one.praise}
    assert set(LOOKED_AT) == no_praise - {"masculine", "feminine"}
    assert [index(table, at, "look").data() for at in range(4)] == ["1 + maybe", "0", "1", ""]
    told = index(table, 0, "look").data(Qt.ItemDataRole.ToolTipRole)
    assert "To look at: family 1; may be worth a look: doubt" in told
    table.sort(COLUMNS.index("look"), Qt.SortOrder.DescendingOrder)
    assert names(table) == ["Kelly.txt", "Joseph.txt", "Ann.txt", "Zoe.txt", "photo.jpg"]


def test_a_balance_of_praise_that_leans_is_something_to_look_at(table: PileTable) -> None:
    leaning, even = replace(ROWS[1], balance="warmth"), replace(ROWS[1], balance="balanced")
    first = len(table.rows)
    table.add([leaning, even])
    assert [index(table, first + at, "look").data() for at in range(2)] == ["1", "0"]
    assert "To look at: balance of praise 1" in index(table, first, "look").data(Qt.ItemDataRole.ToolTipRole)
    assert PileFilter(look="balance").matches(leaning)
    assert not PileFilter(look="balance").matches(even)
    assert export_row(leaning, SHARES, STAND_INS, frozenset())["balance"] == 1


def test_an_outcome_and_a_cv_have_columns_where_there_are_any(view: PileView) -> None:
    outcome, cv = (COLUMNS.index(column) for column in ("outcome", "cv"))
    assert view.list.isColumnHidden(outcome)
    assert view.list.isColumnHidden(cv)
    view.take_outcomes([replace(ROWS[0], outcome=True, group="Nurses"), replace(BAD, outcome=False)], ("A remark.",))
    assert not view.list.isColumnHidden(outcome)
    assert [index(view.table, at, "outcome").data() for at in range(4)] == ["chosen", "", "", "not chosen"]
    assert index(view.table, 0, "group").data() == "Nurses", "what a table says is no guess"
    assert view.table.labels["Nurses"] == "Nurses", "a group that the axis does not have can be chosen for others too"
    assert index(view.table, 3, "outcome").flags() & Qt.ItemFlag.ItemIsEditable, "also of a file that was not read"
    assert view.rates.remarks.text() == "A remark."
    held = replace(view.rows[0], cv=FilePlace(Path("cvs"), "sub/Kelly CV.pdf"), claims={"grounded": 1})
    view.take_cvs(Pile("", (held,), remarks=("A CV fits no letter by its name: “x.pdf”.",)))
    assert not view.list.isColumnHidden(cv)
    assert index(view.table, 0, "cv").data() == "Kelly CV.pdf"
    assert index(view.table, 0, "outcome").data() == "chosen"
    assert "fits no letter" in view.said.text()


def test_an_outcome_is_set_by_hand(view: PileView, table: PileTable) -> None:
    place = index(table, 0, "outcome")
    assert table.setData(place, "yes")
    assert (table.rows[0].outcome, place.data(), place.data(Qt.ItemDataRole.EditRole)) == (True, "chosen", "yes")
    table.set_text(["photo.jpg"], "outcome", "no")
    table.set_text([ROWS[0].path_in_pile], "outcome", "")
    assert [row.outcome for row in table.rows] == [None, None, None, False, None]
    view.list.selectRow(3)
    view.list.open_menu(view.list.rect().center())
    menu = {action.text(): action for action in view.list.menu.actions()}
    menu["chosen"].trigger()
    assert view.rows[3].outcome is True
    assert not menu["Choose the CV…"].isEnabled(), "nothing was read of it"


def test_who_was_chosen_is_told_with_its_limits_and_without_outcomes_how_they_come(view: PileView) -> None:
    view.show_tests((), None)
    assert "Choose a table" in view.rates.said.text()
    assert view.rates.limits.isHidden()
    rows = [
        PileRow(f"{group}{n}", f"{group}{n}", group=group, outcome=n < chosen)
        for group, chosen, of in (("female", 12, 40), ("male", 20, 38))
        for n in range(of)
    ]
    view.show_tests((), selection_rates(rows))
    assert view.rates.said.text().startswith("Of “Female” 30 % were chosen, 12 of 40: 0.57 (95 % interval 0.32–0.98)")
    shown = view.rates.table.model()
    cells = [[shown.index(row, column).data() for column in range(4)] for row in range(2)]
    assert cells == [
        ["Male", "20 of 38", "53 % (37–68)", "–"],
        ["Female", "12 of 40", "30 % (18–45)", "0.57 (0.32–0.98)"],
    ]
    assert "four fifths" in view.rates.limits.text()


LONG = replace(
    ROWS[0], path_in_pile=f"2024/spring/applications/{'moreno ' * 12}.docx", cv=FilePlace(Path("cvs"), "K" * 40),
    marks=dict.fromkeys(("family", "health", "doubt", "origin"), 3),
)  # fmt: skip


@pytest.mark.parametrize("width", [560, 760, 844, 1155, 2000])
def test_no_column_of_a_pile_is_cut_whatever_the_width(view: PileView, qtbot: QtBot, width: int) -> None:
    view.resize(width, 500)
    view.add_rows([LONG])
    view._show_counts()
    table = view.list
    qtbot.waitUntil(lambda: not table.horizontalScrollBar().isVisible())
    shown = [name for place, name in enumerate(COLUMNS) if not table.isColumnHidden(place)]
    assert {"file", "look"} <= set(shown)
    assert sum(table.columnWidth(COLUMNS.index(name)) for name in shown) <= table.viewport().width()
    look = COLUMNS.index("look")
    needed = table.fontMetrics().horizontalAdvance(index(view.table, len(view.rows) - 1, "look").data())
    assert table.columnWidth(look) > needed, "the figure that says where to look is never cut"
    left_out = set(COLUMNS) - set(shown) - {"unsupported", "outcome"}
    assert all(column_title(name) in view.said.toolTip() for name in left_out)
    assert ("No room for" in view.said.text()) == bool(left_out)


def test_the_line_below_tells_of_the_highlighted_letter_and_of_no_other(view: PileView) -> None:
    view._show_counts()
    assert "Enter opens a letter" in view.note.text()
    view.list.selectRow(1)
    assert view.note.text().startswith(f"{ROWS[1].path_in_pile}: ")
    view.table.sort(COLUMNS.index("file"), Qt.SortOrder.DescendingOrder)
    (row,) = view.list.chosen()
    assert view.note.text().startswith(f"{row.path_in_pile}: ")
    assert row.path_in_pile == ROWS[1].path_in_pile
    view.table.replace_rows([replace(row, notes=("It looks like a CV.",))])
    assert "It looks like a CV." in view.note.text(), "what is said of it follows a change"
    view.list.selectAll()
    assert view.note.text().startswith("5 letters chosen")
    view.list.highlight(ROWS[1].path_in_pile)
    view.bar.text.setText("nobody of that name")
    view.bar.changed.emit()
    assert "Enter opens a letter" in view.note.text(), "a hidden letter is not spoken of"
    view.bar.clear()
    view.list.clearSelection()
    view.list.setCurrentIndex(view.table.index(0, 0))
    view.list.clearSelection()
    view.list.setFocus()
    assert len(view.list.chosen()) == 1, "where the keyboard is, a row is highlighted"


def test_rows_that_come_pass_the_filter_and_are_sorted_in_a_moment(table: PileTable, qtbot: QtBot) -> None:
    table.sort(COLUMNS.index("agentic"), Qt.SortOrder.DescendingOrder)
    table.show(PileFilter(group="female"))
    with qtbot.waitSignal(table.layoutChanged):
        table.add([row("Mia Silva", 0.9), row("Max Brandt", 0.95, group="male")])
    assert names(table) == ["Mia.txt", "Kelly.txt", "Zoe.txt", "Ann.txt"]
    assert len(table.rows) == 7


def test_what_is_set_by_hand_is_no_guess_any_more(table: PileTable, qtbot: QtBot) -> None:
    with qtbot.waitSignal(table.edited):
        assert table.setData(index(table, 0, "person"), "Kim van Dyke")
    assert table.rows[0].person == Person("Kim van", "Dyke", "", "she")
    table.setData(index(table, 0, "group"), "male")
    assert index(table, 0, "group").data() == "Male"
    assert index(table, 0, "occupation").data() == "artist ?"
    assert not table.setData(index(table, 0, "group"), "male")


def test_a_group_may_be_left_out(table: PileTable) -> None:
    table.setData(index(table, 0, "group"), "")
    assert table.rows[0].group == ""
    assert index(table, 0, "group").data() == ""


def test_the_header_says_which_figures_are_of_a_stand_in(table: PileTable) -> None:
    heads = {name: table.headerData(at, Qt.Orientation.Horizontal) for at, name in enumerate(COLUMNS)}
    assert heads["formality"] == "Formal\nstand-in"
    assert heads["agentic"] == "Agentic"


@pytest.mark.soak
def test_twenty_thousand_rows_are_sorted_and_filtered_by_what_is_there() -> None:
    table = PileTable()  # without the tester, which looks at every row at every change
    table.add([replace(row(f"P{n} Q"), path_in_pile=f"{n}.txt", figures={"agentic": n / 2e4}) for n in range(20_000)])
    table.sort(COLUMNS.index("agentic"), Qt.SortOrder.DescendingOrder)
    assert table.shown[0].path_in_pile == "19999.txt"
    table.show(PileFilter(text="p77"))
    assert len(table.shown) == 111


def test_the_files_are_counted() -> None:
    said = summary([*ROWS, BAD, COPY], 2)
    assert said.startswith("4 of 5 files read · 1 could not be · 1 say the same")
    assert "2 left aside" in said


def test_enter_and_double_click_open_a_letter(view: PileView, qtbot: QtBot) -> None:
    view.list.setCurrentIndex(index(view.table, 2, "file"))
    with qtbot.waitSignal(view.opened) as opened:
        qtbot.keyClick(view.list, Qt.Key.Key_Return)
    assert opened.args == [ROWS[2]]
    with qtbot.waitSignal(view.opened) as opened:
        view.list.doubleClicked.emit(index(view.table, 0, "group"))
    assert opened.args == [ROWS[0]]


def test_a_group_is_chosen_from_a_list_by_keyboard(view: PileView, qtbot: QtBot) -> None:
    view.list.setFocus()
    view.list.setCurrentIndex(index(view.table, 0, "group"))
    qtbot.keyClick(view.list, Qt.Key.Key_F2)
    (editor,) = [box for box in view.list.findChildren(QComboBox) if box.isVisible()]
    editor.setCurrentIndex(editor.findData("male"))
    view.list.commitData(editor)
    assert view.table.rows[0].group == "male"


def test_a_menu_sets_the_group_of_every_selected_row(view: PileView) -> None:
    selection = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
    for at in (0, 1, 3):
        view.list.selectionModel().select(index(view.table, at, "file"), selection)
    view.list.open_menu(view.list.rect().center())
    next(action for action in view.list.menu.actions() if action.text() == "Male").trigger()
    view.list.menu.close()
    assert [one.group for one in view.table.rows] == ["male", "male", "male", "", "female"]


def test_only_bad_files_leaves_the_reason_all_the_room(view: PileView) -> None:
    assert view.list.isColumnHidden(COLUMNS.index("unsupported"))
    view.bar.only_bad.setChecked(True)
    assert names(view.table) == ["photo.jpg"]
    assert view.list.isColumnHidden(COLUMNS.index("agentic"))
    view.list.selectRow(0)
    assert "picture" in view.note.text()
    assert view.bar.only_bad.isVisibleTo(view)
    view.bar.clear()
    assert not view.list.isColumnHidden(COLUMNS.index("agentic"))


def test_nothing_found_says_so_and_leads_back(view: PileView, qtbot: QtBot) -> None:
    view.bar.text.setText("nobody of that name")
    qtbot.waitUntil(lambda: view.nothing.isVisible())
    view.everything.click()
    assert not view.nothing.isVisible()
    assert len(view.table.shown) == 5


def test_groups_are_compared_at_the_end_and_after_a_correction(view: PileView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.tests_wanted):
        view.finish(Pile("letters", view.rows, SHARES))
    with qtbot.waitSignal(view.tests_wanted):
        view.table.setData(index(view.table, 0, "group"), "male")


def test_a_pile_that_was_cancelled_is_compared_by_what_it_has(view: PileView, qtbot: QtBot) -> None:
    with qtbot.waitSignal(view.tests_wanted):
        view.finish(None)
    assert [column.name for column in view.columns] == ["agentic", "formality", "words"]


def group_test(**other: Any) -> GroupTest:
    made = GroupTest(
        "formality", "Formal", "share of sentences", ("male", "female"), (0.5, 0.4), {"male": 30, "female": 31}, 0,
        0.1, "", Interval(0.02, 0.18, 0.95, "Welch"), 0.01, 0.03, None, 0.5, 0.45, 0.1, Power(0.08, 25), False, False,
        "There is a difference: more in letters about “male”.",
    )  # fmt: skip
    return replace(made, **other)


def test_a_difference_is_shown_with_interval_n_and_adjusted_p(qtbot: QtBot) -> None:
    card = PileTests()
    qtbot.addWidget(card)
    card.show_tests([group_test()], GROUPS, STAND_INS)
    (cells,) = [one.cells for one in card.table.table.rows]
    assert cells == (
        "Formal\nstand-in", "+10 points\n(+2 to +18)", "n = 30 + 31", "p = 0.030",
        "There is a difference: more in letters about “Male”.",
    )  # fmt: skip
    assert "Male minus Female" in card.pairs.text()
    assert card.badge.isVisibleTo(card)


def test_figures_with_too_few_letters_are_one_sentence(qtbot: QtBot) -> None:
    card = PileTests()
    qtbot.addWidget(card)
    few = [group_test(name=name, title=name, few=True, p=None, p_adjusted=None) for name in ("one", "two")]
    card.show_tests([group_test(), *few], GROUPS, STAND_INS)
    assert card.table.table.rowCount() == 1
    assert card.few.text() == "Too few letters to compare one, two: each group needs about 25 candidates."
    card.show_tests(few, GROUPS, STAND_INS)
    assert not any(widget.isVisibleTo(card) for widget in (card.table, card.pairs, card.few, card.limits, card.badge))
    assert card.said.text() == (
        "Too few letters to say whether the groups differ: there are 30 in “Male” and 31 in “Female”, and each group "
        "needs about 25 candidates."
    )


def test_a_difference_and_its_p_are_written() -> None:
    assert difference_said(group_test(estimate=None, interval=None)) == "–"
    assert p_said(group_test(p_adjusted=0.0004)) == "p < 0.001"


def test_the_differences_scroll_where_there_is_no_room_for_them(qtbot: QtBot) -> None:
    view = PileView()
    view.start(GROUPS, STAND_INS)
    room = Room(view, LEAST_HEIGHT)
    qtbot.addWidget(room)
    room.resize(660, 300)
    room.show()
    view.show_tests([group_test(name=name) for name in map(str, range(18))], None)
    view.tabs.setCurrentIndex(1)
    qtbot.waitUntil(view.tests.limits.isVisible)
    shown = [one for one in (view.tests.said, view.tests.pairs, view.tests.table, view.tests.limits) if one.isVisible()]
    for above, below in pairwise(shown):
        assert above.geometry().bottom() < below.y()
    page = view.pages.currentWidget()
    assert page.verticalScrollBar().maximum() > 0
    room.resize(1000, 640)
    qtbot.waitUntil(lambda: page.verticalScrollBar().maximum() == 0)


def test_without_two_groups_it_is_said_what_to_do(qtbot: QtBot) -> None:
    card = PileTests()
    qtbot.addWidget(card)
    card.show_tests((), GROUPS, STAND_INS)
    assert "set the group" in card.said.text()
    assert not card.table.isVisibleTo(card)


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_the_table_is_exported_without_formulas(
    view: PileView, window: MainWindow, qtbot: QtBot, tmp_path: Path, ending: str
) -> None:
    view.table.add([replace(row("Eve Brandt"), occupation='=HYPERLINK("http://x")')])
    view.finish(Pile("letters", view.rows, SHARES))
    view.table.setData(index(view.table, 0, "group"), "male")
    rows, columns = view.export()
    path = tmp_path / f"table.{ending}"
    done: list[object] = []
    export_table(path=path, rows=rows, columns=columns).start(window.jobs, on_done=done.append)
    qtbot.waitUntil(lambda: bool(done), timeout=PATIENCE)
    head, *found = _read(path)
    assert head[:8] == [
        "file", "name", "name_is", "pronoun", "occupation", "occupation_is", "group", "group_is"
    ]  # fmt: skip
    assert "formality (share of sentences, stand-in scorer)" in head
    assert found[0][6:8] == ["male", "set by hand"]
    assert found[1][7] == "guess"
    assert found[3][head.index("not_read_because")] == "“photo.jpg” is a picture."
    occupation = found[5][4]
    assert occupation == ("'" if ending == "csv" else "") + '=HYPERLINK("http://x")'


def _read(path: Path) -> list[list[Any]]:
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))
    sheet = openpyxl.load_workbook(path).active
    assert all(cell.data_type != "f" for line in sheet.iter_rows() for cell in line)
    return [[cell.value for cell in line] for line in sheet.iter_rows()]


def test_an_exported_row_says_what_a_person_set() -> None:
    cells = export_row(ROWS[0], SHARES, STAND_INS, frozenset({"person"}))
    assert set(cells) == set(export_columns(SHARES, STAND_INS))
    assert (cells["name_is"], cells["group_is"]) == ("set by hand", "guess")


# the page, with files


@pytest.fixture
def page(window: MainWindow, qtbot: QtBot) -> Iterator[PilePage]:
    made = PilePage(window)
    qtbot.addWidget(made)
    made.resize(1024, 600)
    made.show()
    yield made
    made.forget()
    made.hide()


def letters(folder: Path, count: int = 3) -> Path:
    folder.mkdir()
    said = "I have known {name} for four years. {name} led two projects and is a kind colleague to all of us here."
    for n, name in enumerate(("Kelly Moreno", "Joseph Costa", "Ann Weber")[:count]):
        text = said.format(name=name) + f" I recommend {'him' if n == 1 else 'her'} for post {n}."
        (folder / f"{n}.txt").write_text(f"{text}\n\n{'He' if n == 1 else 'She'} paints.", "utf-8")
    (folder / "empty.txt").write_bytes(b"")
    return folder


def test_a_folder_becomes_a_table_and_one_letter_is_opened(
    page: PilePage, window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = letters(tmp_path / "letters")
    page.read_pile([folder])
    assert page.pages.currentIndex() == 1
    qtbot.waitUntil(lambda: page.view.compared is not None, timeout=PATIENCE)
    assert [one.name for one in page.view.rows] == ["0.txt", "1.txt", "2.txt", "empty.txt"]
    assert [one.group for one in page.view.rows] == ["female", "male", "female", ""]
    assert "empty" in page.view.rows[3].reason
    assert "Too few" in page.view.tests.said.text()
    assert page.badge.isVisible()
    shown: list[Document] = []
    monkeypatch.setattr(window, "show_panel", lambda key, *, kept, **what: shown.append(kept.document))
    page.open_letter(page.view.rows[0])
    qtbot.waitUntil(lambda: bool(shown), timeout=PATIENCE)
    assert shown[0].text.startswith("I have known Kelly Moreno")
    assert len(page.view.rows) == 4, "the pile stays while one of its letters is looked at"
    page.forget()
    assert page.view.rows == ()
    assert page.pages.currentIndex() == 0


def test_the_next_letter_is_the_next_one_that_the_table_shows(page: PilePage, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []

    def open_letter(row: PileRow) -> None:
        page._move_to(page.paths, row.path_in_pile)
        opened.append(row.name)

    monkeypatch.setattr(page, "open_letter", open_letter)
    page.view.start(GROUPS, STAND_INS)
    page.view.add_rows([*ROWS, BAD, COPY])
    page.view.table.sort(COLUMNS.index("look"), Qt.SortOrder.DescendingOrder)
    page.step(1)
    assert opened == [], "no letter was opened yet"
    page.open_letter(page.view.table.shown[0])
    page.step(1)
    page.step(1)
    page.step(-1)
    assert opened == ["Kelly.txt", "Joseph.txt", "Ann.txt", "Joseph.txt"]
    assert page.view.list.currentIndex().row() == 1
    page.view.table.show(PileFilter(group="male"))
    page.step(1)
    assert opened[-1] == "Joseph.txt", "past the end of what is shown nothing is opened"
    assert page.place()[0] == 0


def test_a_letter_that_is_not_let_go_of_keeps_the_place_in_the_pile(window: MainWindow, qtbot: QtBot) -> None:
    window.show_panel("letters")
    panel = window.panels["letters"]
    panel.open_document(Document("own.txt", "txt", ("Ann Weber paints.",)))
    own = panel.review.check.document
    panel.review.edited = True
    panel.open_pile()
    pile = panel._pile
    pile.paths = (Path("letters"),)
    pile.view.start(GROUPS, STAND_INS)
    pile.view.add_rows(ROWS)
    kelly = KeptLetter(Document("Kelly.txt", "txt", ("Kelly paints.",)), "Kelly.txt", Document("cv", "txt", ("A CV.",)))
    pile._hand_over(pile.paths, ROWS[0], (kelly, ""))
    assert panel.keeping._asked.windowTitle() == "Let go of “own.txt”?"
    panel.keeping._asked.safe_button.click()
    assert (panel.review.check.document, pile.opened) == (own, "")
    pile._hand_over(pile.paths, ROWS[0], (kelly, ""))
    panel.keeping._asked.risky_button.click()
    assert (panel.review.check.document, panel.review.check.context) == (kelly.document, kelly.context)
    assert pile.opened == ROWS[0].path_in_pile
    assert pile.view.list.currentIndex().row() == 0
    panel.close_letter()  # nobody waits for its reading


def test_outcomes_come_from_a_table_and_cvs_from_a_folder(
    page: PilePage, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.paths = (tmp_path,)
    page.view.start(GROUPS, STAND_INS)
    page.view.add_rows(ROWS)
    table = tmp_path / "outcomes.csv"
    table.write_text("name,invited\nKelly Moreno,yes\n", encoding="utf-8")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(table), ""))
    page.choose_outcomes()
    assert not page.cvs.isEnabled(), "one at a time"
    qtbot.waitUntil(lambda: page.view.rows[0].outcome is True, timeout=PATIENCE)
    assert page.cvs.isEnabled()
    told: list[str] = []
    monkeypatch.setattr(page.shell, "show_error", lambda error: told.append(error.message))
    table.write_text("file,invited\na,perhaps\n", encoding="utf-8")
    page.choose_outcomes()
    qtbot.waitUntil(lambda: bool(told), timeout=PATIENCE)
    assert told == ["No outcome of “outcomes.csv” can be used."]
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(table))
    page.choose_cvs()
    qtbot.waitUntil(lambda: len(told) == 2, timeout=PATIENCE)
    assert "is no folder and no zip" in told[1]
    assert page.cvs.isEnabled()


def test_a_bad_zip_says_what_to_do(page: PilePage, qtbot: QtBot, tmp_path: Path) -> None:
    bad = tmp_path / "letters.zip"
    bad.write_bytes(b"PK\x03\x04 and no more")
    page.show_pile([bad])
    qtbot.waitUntil(lambda: bool(page.start.trouble.text()), timeout=PATIENCE)
    assert "damaged" in page.start.trouble.text()
    assert page.pages.currentIndex() == 0


def test_an_empty_zip_says_so(page: PilePage, qtbot: QtBot, tmp_path: Path) -> None:
    empty = tmp_path / "letters.zip"
    zipfile.ZipFile(empty, "w").close()
    page.show_pile([empty])
    qtbot.waitUntil(lambda: bool(page.start.trouble.text()), timeout=PATIENCE)
    assert "holds no files" in page.start.trouble.text()


def test_a_pile_can_be_cancelled_and_keeps_what_it_has(page: PilePage, qtbot: QtBot, tmp_path: Path) -> None:
    folder = letters(tmp_path / "letters")
    for n in range(200):
        (folder / f"more {n}.txt").write_text(f"{n} I recommend Kelly Moreno. She paints well and leads us.", "utf-8")
    page.show_pile([folder])
    qtbot.waitUntil(lambda: len(page.view.rows) >= 2, timeout=PATIENCE)
    assert "of 204 files" in page.progress.words.text()
    assert not page.export_button.isEnabled()
    page.progress.cancel.click()
    qtbot.waitUntil(lambda: page._reading is None, timeout=PATIENCE)
    assert 2 <= len(page.view.rows) < 204
    assert not page.progress.isVisible()
    assert page.export_button.isEnabled()


def test_folders_and_zips_are_taken_when_dropped(tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path)), QUrl("https://example.org/a.zip")])
    assert local_paths(data) == [tmp_path]


def test_every_control_has_a_name_for_a_screen_reader(page: PilePage) -> None:
    view = page.view
    named = (
        view.list,
        view.tabs,
        view.bar.text,
        view.bar.occupation,
        view.bar.group,
        view.tests.table,
        page.start.folder,
    )
    assert all(widget.accessibleName() for widget in named)
    assert isinstance(view.list.model(), QAbstractItemModel)


def test_buttons_and_keys_lead_from_letter_to_letter_and_back(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.show_panel("letters")
    panel = window.panels["letters"]
    assert not panel.steps.isVisible()
    panel.open_pile([letters(tmp_path / "letters", 2)])
    pile, steps = panel._pile, panel.steps
    qtbot.waitUntil(lambda: len(pile.view.rows) == 3 and pile._reading is None, timeout=PATIENCE)
    assert not steps.isVisible()
    pile.open_letter(pile.view.rows[0])
    board = panel.review.board
    text = board.letter.text
    qtbot.waitUntil(lambda: "Kelly" in text.text(), timeout=PATIENCE)
    assert steps.place.text() == "Letter 1 of 2: 0.txt"
    assert (steps.previous.isEnabled(), steps.next.isEnabled()) == (False, True)
    steps.next.click()
    qtbot.waitUntil(lambda: "Joseph" in text.text(), timeout=PATIENCE)
    assert (steps.previous.isEnabled(), steps.next.isEnabled()) == (True, False)
    keys = {"Kelly": Qt.Key.Key_PageUp, "Joseph": Qt.Key.Key_PageDown}
    for focus in (text, board.found.list, board.tabs, board.letter.note.next, board.person.first, window.ground):
        board.tabs.setCurrentIndex(PERSON if focus is board.person.first else FOUND)
        for name, key in keys.items():
            focus.setFocus()
            qtbot.keyClick(focus, key, Qt.KeyboardModifier.ControlModifier)
            qtbot.waitUntil(lambda name=name: name in text.text(), timeout=PATIENCE)
    text.setFocus()
    qtbot.keyClick(text, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert pile.isVisible()
    assert not steps.isVisible()
    (row,) = pile.view.list.chosen()
    assert row.name == "1.txt", "the letter that one comes from is highlighted"
    assert pile.view.list.hasFocus(), "and Enter opens it again"


def test_file_dialogs_start_where_the_letter_is(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, str]] = []

    def ask(_parent: object, title: str, start: str = "", *_: object) -> tuple[str, str]:
        asked.append((title, start))
        return "", ""

    for which in ("getSaveFileName", "getOpenFileName"):
        monkeypatch.setattr(QFileDialog, which, ask)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *at: ask(*at)[0])
    window.show_panel("letters")
    panel = window.panels["letters"]
    folder = letters(tmp_path / "letters", 2)
    panel.open_pile([folder])
    pile = panel._pile
    qtbot.waitUntil(lambda: pile.view.compared is not None, timeout=PATIENCE)
    for act in (pile.choose_cvs, pile.choose_outcomes, pile.export, pile.report):
        act()
    assert {Path(start).parent if Path(start).suffix else Path(start) for _, start in asked} == {tmp_path}
    asked.clear()
    pile.open_letter(pile.view.rows[0])
    qtbot.waitUntil(panel._can_report, timeout=PATIENCE)
    for act in (panel.export.note, panel.export.report, panel.export.save_word, panel.choose_file):
        act()
    panel._choose_context()
    assert [Path(start).name for _, start in asked][:3] == ["0 (note).pdf", "0 (report).pdf", "0 (checked).docx"]
    assert {Path(start).parent if Path(start).suffix else Path(start) for _, start in asked} == {folder}
