"""A result folder in the window: its rows page by page, its findings, and nothing that writes."""

from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from biasprint.core.jobs import JobContext
from biasprint.core.runs.result_folder.measuring import measure_folder
from biasprint.core.runs.result_folder.scoring import plan, score_partition
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.findings import FindingsPanel
from biasprint.desktop.panels.outputs import OutputsPanel
from biasprint.desktop.widgets import Label
from biasprint.desktop.window_commands import file_commands

PATIENCE = 60_000
ROWS = 150  # of each of two partitions: more than a page of the table


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "data"
    data.mkdir()
    for part in range(2):
        texts = [f"{'She' if row % 2 else 'He'} is kind, text {part * ROWS + row}." for row in range(ROWS)]
        groups = ["woman" if row % 2 else "man" for row in range(ROWS)]
        parquet.write_table(pyarrow.table({"group": groups, "text": texts}), data / f"{part}.parquet")
    order = plan(data, tmp_path / "scores", ["textblob"]).order
    for part in range(2):
        assert score_partition(order, f"{part}.parquet").refused == ""
    return tmp_path / "scores"


def opened(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.open_project(folder)


def outputs(qtbot: QtBot, window: MainWindow) -> OutputsPanel:
    window.show_panel("outputs")
    panel = window.panels["outputs"]
    assert isinstance(panel, OutputsPanel)
    settle(qtbot, window)
    return panel


def settle(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=PATIENCE)


def measured_when(panel: FindingsPanel) -> list[str]:
    return [label.text() for label in panel.findChildren(Label) if label.text().startswith("measured")]


def shown(qtbot: QtBot, panel: OutputsPanel, row: int) -> str:
    qtbot.waitUntil(lambda: panel.table.text_at(row, 0) != "…", timeout=PATIENCE)
    return panel.table.text_at(row, 0)


def test_rows_are_shown_page_by_page_with_text_group_and_scores(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    opened(qtbot, window, folder)
    panel = outputs(qtbot, window)
    assert panel.count.text() == "300 outputs"
    assert shown(qtbot, panel, 0) == "He is kind, text 0."
    assert shown(qtbot, panel, 299) == "She is kind, text 299."
    assert panel.table.text_at(299, 3) == "Woman"
    panel.view.setCurrentIndex(panel.table.index(299, 0))
    qtbot.waitUntil(lambda: panel.card.text.toPlainText() == "She is kind, text 299.", timeout=PATIENCE)
    assert panel.card.heading.text() == "Row 150 of 1.parquet"
    assert "textblob 0.6" in panel.card.recipe.text()
    assert not panel.card.prompt.isVisible()
    settle(qtbot, window)


def test_rows_are_narrowed_by_group_and_searched_but_not_sorted(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    opened(qtbot, window, folder)
    panel = outputs(qtbot, window)
    panel.identity.setCurrentIndex(panel.identity.findData("woman"))
    panel.search.setText("TEXT 15")  # 15, and 150 to 159; women have odd numbers
    QTest.keyClick(panel.search, Qt.Key.Key_Return)
    settle(qtbot, window)
    assert panel.table.rowCount() == 6
    assert [shown(qtbot, panel, row) for row in (0, 5)] == ["She is kind, text 15.", "She is kind, text 159."]
    assert not panel.view.isSortingEnabled()
    assert not any(command.enabled() for command in panel.commands())
    settle(qtbot, window)


def test_its_findings_are_those_measured(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    opened(qtbot, window, folder)
    assert window.project is not None
    expected = measure_folder(JobContext(), folder).result.findings
    window.show_panel("findings")
    panel = window.panels["findings"]
    assert isinstance(panel, FindingsPanel)
    settle(qtbot, window)
    assert [row.finding for row in window.project.findings.all()] == list(expected)
    qtbot.waitUntil(lambda: panel.board.table.rowCount() >= len(expected), timeout=PATIENCE)  # questions are rows too
    qtbot.waitUntil(lambda: len(measured_when(panel)) == 1, timeout=PATIENCE)
    assert "seed" not in measured_when(panel)[0]


def test_it_says_that_it_is_read_only_and_how_to_go_on(qtbot: QtBot, window: MainWindow, folder: Path) -> None:
    opened(qtbot, window, folder)
    (said,) = window.banners.texts()
    assert said == (
        "“scores” is a result folder and is open read-only: to go on with its texts, import the data that were scored "
        "into a project."
    )
    assert window.status.saved_state == ""
    enabled = {command.title: command.enabled() for command in file_commands(window)}
    assert not enabled["Save a copy…"]


def test_a_folder_that_is_none_is_told_and_what_was_open_stays(
    qtbot: QtBot, window: MainWindow, folder: Path, tmp_path: Path
) -> None:
    opened(qtbot, window, folder)
    with qtbot.waitSignal(window.session.failed, timeout=PATIENCE):
        window.open_project(tmp_path / "data")
    assert "“data” is no result folder. One has a file “manifest.json” in it." in window.banners.texts()
    assert window.project is not None
    assert window.project.path == folder


def test_it_is_opened_from_the_menu_and_by_dropping_it(
    qtbot: QtBot, window: MainWindow, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    (command,) = [one for one in file_commands(window) if one.title == "Open a result folder…"]
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        command.run()
    assert window.project is not None
    assert window.project.path == folder
    with qtbot.waitSignal(window.session.closed):
        window.session.close()
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.open_files([folder])
