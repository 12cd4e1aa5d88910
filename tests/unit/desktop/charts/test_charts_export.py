"""Charts as files: pictures that say what they show, tables that hold every number. All findings are made up."""

import csv
import os
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QImage

from biasprint.core.errors import AppError
from biasprint.core.findings import Adjustment, Finding, Floor, Interval, ScorerUse
from biasprint.desktop.charts.export import WIDTH, export_chart
from biasprint.desktop.charts.live import AxisWords, ChartData, ChartVoice, affinity_figure, distance_figures
from biasprint.desktop.theme import tokens_for

AXIS = AxisWords("race", "Race", (("white", "White"), ("black", "Black")))
LIGHT = tokens_for("light")


def affinity(complete: bool = True):
    found = Finding(
        id="creativity.abs",
        label="race",
        title="=HYPERLINK(1)",
        groups=("white", "black"),
        estimate=0.1604,
        unit="proportion",
        n=60,
        dims={"axis": "race"},
        interval=Interval(0.06, 0.25, 0.95, "noncentral chi-square"),
        dropped={"tie": 3},
        p=0.002,
        p_adjusted=0.006,
        adjust=Adjustment("Holm", "fingerprint"),
        floor=Floor(0.05, 0.11, 0.002),
        note="chi-square: 9.10, p = 0.002.",
    )
    return affinity_figure(ChartData((AXIS,), (ChartVoice("you", "you", "you", (found,), complete, 23, 60),)))


def distance():
    scorer = ScorerUse("embedding", "minilm", "1", "53aa", True)
    found = Finding("creativity.distance", "white", "white", ("white", "black"), 0.15, "cosine distance", 120)
    found = replace(found, dims={"axis": "race"}, scorers=(scorer,), reason="interval: one block")
    return distance_figures(ChartData((AXIS,), live={"creativity": (found,)}))[0]


def texts(path: Path) -> str:
    return " ".join("".join(element.itertext()) for element in ET.parse(path).getroot().iter())


def test_svg_says_title_figure_interval_n_and_floor(tmp_path: Path):
    path = export_chart(affinity(), LIGHT, tmp_path / "chart.svg")
    root = ET.parse(path).getroot()
    assert root.tag.endswith("svg")
    assert root.attrib["viewBox"].split()[2] == str(WIDTH)
    for words in ("Affinity bias score", "0.16", "(0.06–0.25)", "60", "noise floor"):
        assert words in texts(path)


def test_svg_names_the_stand_in_scorer_and_the_missing_interval(tmp_path: Path):
    said = texts(export_chart(distance(), LIGHT, tmp_path / "chart.svg"))
    assert "stand-in for embedding: MiniLM embeddings" in said
    assert "(no interval)" in said
    assert "No interval: one block." in said


def test_png_is_sharp_and_on_the_surface_of_the_theme(tmp_path: Path):
    image = QImage(str(export_chart(affinity(), LIGHT, tmp_path / "chart.png")))
    assert image.width() == 2 * WIDTH
    assert image.height() > 200
    assert image.pixelColor(2, 2) == QColor(LIGHT.surface)
    inked = sum(
        image.pixelColor(x, y) == QColor(LIGHT.series[0].color)
        for x in range(0, image.width(), 2)
        for y in range(0, image.height(), 2)
    )
    assert inked > 50  # the interval and its marker


def test_pdf_is_one_page_with_the_drawing(tmp_path: Path):
    sizes = []
    for name, figure in (("full", affinity()), ("empty", replace(affinity(), marks=()))):
        written = export_chart(figure, LIGHT, tmp_path / f"{name}.pdf").read_bytes()
        assert written.startswith(b"%PDF")
        assert b"/Count 1" in written
        sizes.append(len(written))
    assert sizes[0] > sizes[1] + 500  # the interval, its marker and the numbers are drawn


def test_csv_holds_the_whole_finding_unrounded_and_no_formula(tmp_path: Path):
    with export_chart(affinity(), LIGHT, tmp_path / "chart.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["id"] == "creativity.abs"
    assert float(row["estimate"]) == 0.1604
    assert (row["interval.low"], row["interval.high"], row["n"]) == ("0.06", "0.25", "60")
    assert (row["p"], row["p_adjusted"], row["adjust.method"]) == ("0.002", "0.006", "Holm")
    assert (row["floor.p95"], row["dims.axis"], row["dropped.tie"]) == ("0.11", "race", "3")
    assert row["title"] == "'=HYPERLINK(1)"


def test_csv_before_the_planned_n_has_no_test_in_it(tmp_path: Path):
    path = export_chart(affinity(complete=False), LIGHT, tmp_path / "chart.csv")
    with path.open(encoding="utf-8-sig", newline="") as file:
        (row,) = csv.DictReader(file)
    assert row["floor.p95"] == "0.11"
    assert not {"p", "p_adjusted", "adjust.method", "floor.p", "note"} & row.keys()
    assert "0.002" not in path.read_text("utf-8-sig")


def test_another_ending_is_refused_in_words(tmp_path: Path):
    with pytest.raises(AppError) as refused:
        export_chart(affinity(), LIGHT, tmp_path / "chart.gif")
    assert ".png, .svg, .pdf or .csv" in refused.value.hint


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="whoever runs this may write anywhere")
def test_folder_that_cannot_be_written_keeps_what_was_there(tmp_path: Path):
    path = tmp_path / "chart.svg"
    path.write_text("before")
    tmp_path.chmod(0o500)
    with pytest.raises(AppError):
        export_chart(affinity(), LIGHT, path)
    tmp_path.chmod(0o700)
    assert path.read_text() == "before"


@pytest.mark.parametrize("ending", ["svg", "png", "csv"])
def test_missing_folder_is_an_error_in_words(tmp_path: Path, ending: str):
    with pytest.raises(AppError) as failed:
        export_chart(affinity(), LIGHT, tmp_path / "no" / f"chart.{ending}")
    assert failed.value.hint
