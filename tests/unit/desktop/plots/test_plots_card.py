"""A plot's card, and what is saved and copied of it: exactly what is drawn."""

import csv
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from fake_shell import FakeShell
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError
from biasprint.desktop import theme
from biasprint.desktop.plots import card as export
from biasprint.desktop.plots.axis import LegendEntry
from biasprint.desktop.plots.band import LiveBand
from biasprint.desktop.plots.card import PlotCard, as_text, picture, rows_of, save_plot, tables_of
from biasprint.desktop.plots.plot import Plot

SENTENCE = "3 texts of 1 group, from 1 to 3."


@pytest.fixture
def card(qtbot: QtBot) -> Iterator[PlotCard]:
    band = LiveBand("=woman", 2)
    band.set_data(np.array([1.0, 2.0, 3.0]), np.array([0.5, np.nan, 0.25]), np.zeros(3), np.ones(3))
    plot = Plot("Live", "texts", "share")
    plot.show_items([band], fit=True)
    made = PlotCard(plot, "Refusals “now”", FakeShell())
    theme.dress(made)
    made.resize(600, 420)
    made.show()
    made.tell(SENTENCE, [LegendEntry("=woman", 2, "line")])
    yield made
    made.close()
    made.deleteLater()


def shell(card: PlotCard) -> FakeShell:
    host = card._host
    assert isinstance(host, FakeShell)
    return host


def test_the_card_tells_what_is_shown_to_eye_and_screen_reader(card: PlotCard):
    assert card.sentence.text() == SENTENCE
    assert card.plot.accessibleName() == "Refusals “now”"
    assert card.plot.accessibleDescription().startswith(SENTENCE)
    assert card.legend.accessibleName() == "=woman"
    assert card.save.isEnabled()


def test_a_card_with_nothing_to_draw_says_why_and_saves_nothing(card: PlotCard):
    card.tell_nothing("No scores yet. Measure the study first.")
    assert card.plot.nothing.text() == "No scores yet. Measure the study first."
    assert card.plot.items_drawn() == ()
    assert not card.save.isEnabled()


def test_the_button_that_shows_everything_is_there_only_when_something_is_out_of_view(card: PlotCard):
    assert card.reset.isHidden()
    card.plot.zoom(0.5)
    assert not card.reset.isHidden()
    card.reset.click()
    assert card.reset.isHidden()


def test_the_table_is_what_is_drawn(card: PlotCard):
    names, rows = rows_of(tables_of(card.plot))
    assert names == ["series", "x", "estimate", "low", "high"]
    assert rows == [["=woman", 1.0, 0.5, 0.0, 1.0], ["=woman", 2.0, None, 0.0, 1.0], ["=woman", 3.0, 0.25, 0.0, 1.0]]


def test_copied_cells_are_no_formulas(card: PlotCard, qtbot: QtBot):
    copy = next(action for action in card.plot.menu_entries() if action.text() == "Copy as data")
    copy.trigger()
    qtbot.waitUntil(lambda: shell(card).said == ["3 rows copied"])
    lines = QGuiApplication.clipboard().text().split("\n")
    assert lines[0] == "series\tx\testimate\tlow\thigh"
    assert lines[2] == "'=woman\t2.0\t\t0.0\t1.0"


def test_too_many_rows_to_copy_are_refused_in_a_sentence(card: PlotCard, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(export, "MOST_COPIED", 2)
    with pytest.raises(AppError, match="3 rows are too many to copy") as raised:
        as_text(tables_of(card.plot))
    assert "CSV" in raised.value.hint


def test_pictures_carry_title_sentence_and_legend_and_leave_the_screen_as_it_was(
    card: PlotCard, qapp: QApplication, tmp_path: Path
):
    theme.apply(qapp, "dark", 1.0)
    before = card.plot.grab().toImage()
    drawn = picture(card.page(), "svg")
    texts = " ".join(element.text or "" for element in ElementTree.fromstring(drawn).iter() if element.text)
    for words in ("Refusals “now”", SENTENCE, "=woman", "texts", "share"):
        assert words in texts
    assert theme.tokens_for("light").series[2].color.lower() in drawn.decode().lower()
    assert card.plot.grab().toImage() == before


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_every_format_is_written_whole(card: PlotCard, qtbot: QtBot, tmp_path: Path, ending: str, begins: bytes):
    path = tmp_path / f"live.{ending}"
    save_plot(card.page(), path, shell(card))
    qtbot.waitUntil(lambda: shell(card).said == [f"Saved as “live.{ending}”"])
    assert path.read_bytes().startswith(begins)
    if ending == "png":
        image = QImage(str(path))
        colors = {image.pixelColor(x, y).name().upper() for x in range(0, image.width(), 3) for y in (200, 400, 600)}
        assert theme.tokens_for("light").surface in colors


def test_the_csv_holds_the_values_drawn(card: PlotCard, qtbot: QtBot, tmp_path: Path):
    path = tmp_path / "live.csv"
    save_plot(card.page(), path, shell(card))
    qtbot.waitUntil(lambda: bool(shell(card).said))
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [row["estimate"] for row in rows] == ["0.5", "", "0.25"]
    assert rows[0]["series"] == "'=woman"


def test_a_folder_that_is_gone_is_said_and_nothing_is_written(card: PlotCard, qtbot: QtBot, tmp_path: Path):
    save_plot(card.page(), tmp_path / "gone" / "live.png", shell(card))
    qtbot.waitUntil(lambda: bool(shell(card).errors))
    assert "There is no folder" in shell(card).errors[0].message
