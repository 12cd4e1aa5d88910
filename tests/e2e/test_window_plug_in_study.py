"""A fifth study, a plug-in from outside the tree, in the window: prompts, import dialog, findings and charts."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import songs_plug_in
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from biasprint.desktop import theme
from biasprint.desktop.dialogs.import_table import ImportDialog
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.settings import Settings
from biasprint.desktop.wording.findings import items_word
from biasprint.desktop.wording.generators import words_of

PATIENCE = 60_000


@pytest.fixture
def songs(tmp_path: Path) -> Iterator[None]:
    with songs_plug_in.installed(tmp_path / "site"):
        yield


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, songs: None, tmp_path: Path) -> Iterator[MainWindow]:
    theme.apply(qapp, "light", 1.0)
    made = MainWindow(Settings(tmp_path / "settings.json"))
    made.resize(1280, 720)
    made.show()
    yield made
    made.session.close()
    qtbot.waitUntil(lambda: not made.jobs.active(), timeout=PATIENCE)
    assert made.jobs.close()
    made.deleteLater()


def test_the_window_s_panels_take_a_plug_in_as_one_of_their_own(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    from biasprint.core.project.project import Project

    table, path = tmp_path / "songs.csv", tmp_path / "songs.biasprint"
    table.write_text(songs_plug_in.TABLE)
    Project.create(path).close()
    with qtbot.waitSignal(window.session.opened):
        window.open_project(path)
    project = window.project
    assert project is not None

    # Its prompts have a tab of their own, and are added.
    window.show_panel("prompts", study="songs")
    prompts = window.panels["prompts"]
    qtbot.waitUntil(prompts.add.isEnabled, timeout=PATIENCE)
    assert prompts.tabs.tabText(prompts.tabs.currentIndex()) == "Songs"
    assert prompts.preview.count.text().startswith("6")
    prompts.add.click()
    qtbot.waitUntil(lambda: prompts.sets.model.rowCount() == 1, timeout=PATIENCE)

    # The import dialog takes a table that has its fields for one of songs, and imports it.
    dialog = ImportDialog(window, window, table)
    dialog.open()
    qtbot.waitUntil(dialog.go.isEnabled, timeout=PATIENCE)
    assert dialog.form.kind.currentText() == "Songs that models wrote"
    with qtbot.waitSignal(dialog.imported, timeout=PATIENCE) as done:
        dialog.go.click()
    assert done.args[0].added == 5
    dialog.close()

    # Charts measure it and draw its figure; the findings panel lists what was found.
    window.show_panel("charts", section="measured", study="songs")
    charts = window.panels["charts"]
    qtbot.waitUntil(lambda: bool(charts.studies), timeout=PATIENCE)
    charts.measure("songs")
    qtbot.waitUntil(lambda: charts.measured.has_data(), timeout=PATIENCE)
    (figure,) = charts.measured.figures
    assert (figure.title, figure.marks[0].value) == ("Longer songs", pytest.approx(songs_plug_in.WORDS))
    window.show_panel("findings")
    findings = window.panels["findings"]
    qtbot.waitUntil(lambda: len(findings.board.table.shown) == 1, timeout=PATIENCE)
    assert items_word(figure.findings[0]) == "songs"
    assert words_of("songs").counted(5) == "5 songs"
