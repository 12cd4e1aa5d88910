"""The model of the outputs table: any place can be jumped to, and little is held."""

from array import array

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from pytestqt.qtbot import QtBot

from biasprint.core.project.rows import OutputRow
from biasprint.desktop.read.outputs import Line, line_of
from biasprint.desktop.tables.outputs import PAGE_ROWS, PAGES_ASKED, PAGES_KEPT, OutputsTable
from biasprint.desktop.wording.generators import Titles


@pytest.fixture
def table(qapp: object) -> OutputsTable:
    return OutputsTable()


def line(text: str) -> Line:
    return Line(text, "haiku", "stars", "race · white", "model", "done")


def put(table: OutputsTable, page: int, ids: "array[int]") -> None:
    table.put_page(page, ids, {one: line(f"text {one}") for one in ids})


def ids(first: int, count: int) -> "array[int]":
    return array("q", range(first, first + 2 * count, 2))


def test_obeys_the_rules_of_item_models(table: OutputsTable):
    tester = QAbstractItemModelTester(table, QAbstractItemModelTester.FailureReportingMode.Fatal)
    table.append_ids(ids(1, 100))
    for page, wanted in table.take_wanted():
        put(table, page, wanted)
    table.append_ids(ids(1_001, 50))
    table.clear()
    assert tester.model() is table


def test_row_that_is_not_here_is_asked_for_once_and_then_shown(qtbot: QtBot, table: OutputsTable):
    table.append_ids(ids(1, 1_000))
    with qtbot.waitSignal(table.pages_wanted):
        assert table.text_at(PAGE_ROWS + 3, 0) == "…"
        assert table.text_at(PAGE_ROWS + 4, 1) == ""
    ((page, wanted),) = table.take_wanted()
    assert page == 1
    assert wanted == ids(1 + 2 * PAGE_ROWS, PAGE_ROWS)
    with qtbot.waitSignal(table.dataChanged):
        put(table, page, wanted)
    assert table.text_at(PAGE_ROWS + 3, 0) == f"text {1 + 2 * (PAGE_ROWS + 3)}"
    assert table.take_wanted() == []


def test_places_scrolled_past_are_not_fetched(table: OutputsTable):
    table.append_ids(ids(1, 100_000))
    for page in range(40):
        table.text_at(page * PAGE_ROWS, 0)
    assert [page for page, _ in table.take_wanted()] == [39, 38, 37][:PAGES_ASKED]


def test_holds_only_the_pages_seen_last(table: OutputsTable):
    table.append_ids(ids(1, 100_000))
    for page in range(PAGES_KEPT + 10):
        put(table, page, ids(1 + 2 * page * PAGE_ROWS, PAGE_ROWS))
    assert table.text_at(0, 0) == "…"
    assert table.text_at((PAGES_KEPT + 9) * PAGE_ROWS, 0) != "…"


def test_page_of_an_earlier_list_is_dropped(table: OutputsTable):
    table.append_ids(ids(1, 10))
    table.text_at(0, 0)
    ((page, wanted),) = table.take_wanted()
    table.clear()
    table.append_ids(ids(5, 10))
    put(table, page, wanted)
    assert table.text_at(0, 0) == "…"


def test_last_page_is_read_again_when_it_grows(table: OutputsTable):
    table.append_ids(ids(1, 10))
    put(table, 0, ids(1, 10))
    assert table.text_at(9, 0) == "text 19"
    table.append_ids(ids(21, 5))
    assert table.text_at(12, 0) == "…"
    put(table, 0, ids(1, 10))  # what was on its way before
    assert table.text_at(12, 0) == "…"
    put(table, 0, ids(1, 15))
    assert table.text_at(12, 0) == "text 25"


def test_output_that_was_removed_is_an_empty_row(table: OutputsTable):
    table.append_ids(ids(1, 2))
    table.put_page(0, ids(1, 2), {1: line("here")})
    assert [table.text_at(row, 0) for row in range(2)] == ["here", ""]


def test_failure_shows_its_error_and_text_is_one_safe_line():
    row = OutputRow(
        id=1, run_id=1, prompt_id=1, sample=0, seed=1, status="done", text="one\ntwo\u202e" + "x" * 9_000,
        finish_reason="stop", error="", seconds=0.1, prompt_key="k", task="haiku", theme="stars", axis="race",
        identity="white", fields={}, backend="b", model="m",
    )  # fmt: skip
    shown = line_of(row, Titles(axes={"race": "Race"}, identities={("race", "white"): "White"}))
    assert shown.text.startswith("one two")
    assert "\u202e" not in shown.text
    assert len(shown.text) < 300
    assert (shown.task, shown.theme, shown.identity) == ("Haiku", "stars", "Race · White")
    failed = OutputRow(**{**vars(row), "status": "error", "error": "timed out"})
    assert line_of(failed, Titles()).text == "timed out"


def test_status_and_headings_are_words(table: OutputsTable):
    table.append_ids(ids(1, 1))
    table.put_page(0, ids(1, 1), {1: line("x")._replace(status="error")})
    headings = [table.headerData(section, Qt.Orientation.Horizontal) for section in range(table.columnCount())]
    assert headings == ["Text", "Task", "Theme", "Identity", "Generator", "Status"]
    assert table.data(table.index(0, 5)) == "failed"
