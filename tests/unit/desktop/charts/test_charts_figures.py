"""The papers' figures drawn: every kind, at every width, with what is undefined and what the paper prints. Made up."""

import csv
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from biasprint.core.draw.figure import Figure, FigureKind, FigureMark, Printed, contrast_marks, mark
from biasprint.core.draw.frame import draw_figure, svg
from biasprint.core.draw.plots import scale_of
from biasprint.core.draw.words import describe, told, written
from biasprint.core.findings import Adjustment, Finding, Floor, Interval, ScorerUse
from biasprint.desktop import theme
from biasprint.desktop.charts.chart import Chart, ChartSpot, PaintCanvas, lay_out
from biasprint.desktop.charts.export import export_chart
from biasprint.desktop.read.charts import compared, models_of

KINDS: tuple[FigureKind, ...] = ("intervals", "grouped", "bars", "matrix", "line", "table")
LIGHT = theme.tokens_for("light")


def finding(label: str, estimate: float | None = 0.3, **more: object) -> Finding:
    given: dict[str, object] = {
        "id": "made.up",
        "title": f"The title of {label}",
        "groups": ("male", "female"),
        "unit": "d",
        "n": 120,
        "interval": None if estimate is None else Interval(estimate - 0.15, estimate + 0.15, 0.95, "made up"),
        "reason": "no word was counted" if estimate is None else None,
        "n_by_group": {"male": 70, "female": 50},
        "p": None if estimate is None else 0.01,
        "p_adjusted": None if estimate is None else 0.03,
        "adjust": None if estimate is None else Adjustment("Holm", "made up"),
    }
    return Finding(label=label, estimate=estimate, **{**given, **more})  # type: ignore[arg-type]


def figure(kind: FigureKind, marks: tuple[FigureMark, ...] | None = None, **more: object) -> Figure:
    given: dict[str, object] = {
        "key": "made.up",
        "study": "letters",
        "title": "What was made up",
        "subtitle": "A sentence about what one sees.",
        "unit": "d",
        "axis": "effect size d",
        "null": 0.0,
        "rows_title": "row",
        "series_title": "series",
        "x_axis": "temperature",
        "source": "Nobody 2024, Figure 1",
    }
    return Figure(kind=kind, marks=some_marks(kind) if marks is None else marks, **{**given, **more})  # type: ignore[arg-type]


def some_marks(kind: FigureKind, rows: int = 3) -> tuple[FigureMark, ...]:
    """Rows of two sections; two series but for intervals; the last one undefined."""
    series = ("",) if kind in ("intervals", "bars") else ("first", "second")
    marks = []
    for row in range(rows):
        for place, name in enumerate(series):
            value = None if row == rows - 1 and place == len(series) - 1 else 0.1 * row - 0.15 * place
            one = finding(f"row {row} {name}", value)
            section = "" if kind == "line" else f"section {row % 2}"
            marks.append(mark(one, f"row {row}", series=name, section=section, x=0.25 * row))
    return tuple(marks)


def laid_out(figure: Figure, width: float = 700, scale: float = 1.0) -> tuple[list[ChartSpot], float]:
    height, found = lay_out(None, figure, width)
    return found, height


def tips(figure: Figure) -> list[str]:
    return ["\n".join(told(figure, one)) for one in figure.marks]


def texts(figure: Figure) -> list[str]:
    """Every text that is drawn."""
    return [element.text or "" for element in ET.fromstring(svg(figure)).iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(("scale", "width"), [(0.8, 330), (1.0, 520), (2.0, 330), (2.0, 1100)])
@pytest.mark.parametrize("kind", KINDS)
def test_every_mark_lies_on_the_chart_and_can_be_pointed_at(
    qapp: QApplication, kind: FigureKind, width: int, scale: float
):
    theme.apply(qapp, "light", scale)
    made = figure(kind)
    spots, height = laid_out(made, width)
    page = QRectF(-1, -1, width + 2, height + 2)
    assert [spot.finding.label for spot in spots if not page.contains(spot.area.center())] == []
    drawn = {spot.finding.label for spot in spots}
    assert drawn == {one.finding.label for one in made.marks}
    if kind != "line":  # points of two lines may lie beside each other
        assert [spot.finding.label for spot in spots if not page.contains(spot.area)] == []
        for one in spots:
            for other in spots:
                shared = one.area.intersected(other.area)
                assert one is other or shared.width() < 1e-6 or shared.height() < 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_says_its_interval_n_p_and_unit_when_pointed_at(qapp: QApplication, kind: FigureKind):
    made = figure(kind)
    spots, _ = laid_out(made)
    tip = next(spot.tip for spot in spots if spot.finding is made.marks[0].finding)
    for words in ("row 0", ": 0.00 d, n = 120", "95 % interval −0.15 to 0.15 (made up)", "male: 70", "adjusted 0.030"):
        assert words in tip
    assert any("no word was counted" in tip for tip in tips(made))


@pytest.mark.parametrize("kind", KINDS)
def test_figures_without_anything_say_so_and_those_without_a_number_why(qapp: QApplication, kind: FigureKind):
    empty = figure(kind, ())
    assert texts(empty)[-1] == "There is nothing to show yet."
    nothing = figure(kind, tuple(mark(finding(name, None), name, series="s", x=1.0) for name in ("a", "b")))
    assert laid_out(nothing)[1] > 0
    assert "no word was counted" in " ".join(describe(nothing))


@pytest.mark.parametrize("kind", KINDS)
def test_one_row_is_drawn_like_many(qapp: QApplication, kind: FigureKind):
    one = (mark(finding("only", 0.4), "only", x=0.5),)
    spots, height = laid_out(figure(kind, one))
    assert [spot.finding.label for spot in spots] == ["only"]
    assert height > spots[0].area.height() > 10


@pytest.mark.parametrize("kind", ["intervals", "grouped", "matrix", "table"])
def test_two_hundred_rows_make_a_chart_that_scrolls(qapp: QApplication, kind: FigureKind):
    spots, height = laid_out(figure(kind, some_marks(kind, 200)))
    assert len(spots) >= 200
    assert height > 200 * 18
    assert spots[-1].area.bottom() < height


def test_undefined_rows_stand_in_their_place_with_the_reason():
    found = texts(figure("intervals"))
    assert found.index("row 0") < found.index("row 2") < found.index("not defined: no word was counted")


def test_the_legend_explains_everything_that_is_drawn():
    floored = replace(
        mark(finding("a"), "a"), floor=Floor(0.05, 0.12, 0.2), references=(Printed(0.5, "GPT-4", "Table 1"),)
    )
    made = figure("intervals", (floored,))
    legend = {
        "95 % interval",
        "noise floor (95 of 100 cases without any bias) and its mean",
        "0: no difference",
        "printed in the paper: GPT-4",
    }
    assert legend <= set(texts(made))
    (tip,) = tips(made)
    assert "Published: GPT-4 0.5 (Table 1)" in tip
    assert "Without any bias: 0.050 on average, below 0.12 in 95 of 100 cases" in tip
    assert not (legend - {"95 % interval"}) & set(texts(figure("intervals", (mark(finding("a"), "a"),), null=None)))


def test_the_scale_holds_floors_and_what_the_paper_prints():
    far = replace(mark(finding("a"), "a"), floor=Floor(0.5, 0.9, 0.2), references=(Printed(2.2, "GPT-4"),))
    scale = scale_of(figure("intervals", (far,)), [far])
    assert 0 <= scale.at(0.0) < scale.at(0.9) < scale.at(2.2) <= 1


def test_odds_ratios_stand_on_a_log_scale_around_one():
    ratios = tuple(
        mark(
            finding(str(value), value, unit="odds ratio", interval=Interval(value / 2, value * 2, 0.95, "x")),
            str(value),
        )
        for value in (0.5, 2.0)
    )
    made = figure("intervals", ratios, unit="odds ratio", scale="log", null=1.0)
    scale = scale_of(made, made.marks)
    assert scale.logarithmic
    assert scale.at(0.5) == pytest.approx(1 - scale.at(2.0))
    assert [written(made, one)[0] for one in made.marks] == ["0.50", "2.00"]


def test_proportions_are_written_as_percentages():
    share = finding("a", 0.3, unit="proportion", interval=Interval(0.21, 0.42, 0.95, "Wilson"))
    made = figure("intervals", (mark(share, "a"),), unit="proportion", null=1 / 3)
    assert written(made, made.marks[0]) == ("30 %", "21–42")
    assert "a: 30 %, n = 120\n95 % interval 21–42 % (Wilson)" in tips(made)[0]
    assert {"33 %: no difference", "0 %", "30 %", "(21–42)"} <= set(texts(made))


def test_cells_are_coloured_around_the_value_without_bias_and_carry_interval_and_n():
    drawn = svg(figure("matrix"))
    cells = [one for one in ET.fromstring(drawn).iter("{http://www.w3.org/2000/svg}rect") if one.get("fill-opacity")]
    tints = {(one.get("fill"), one.get("fill-opacity")) for one in cells[2:]}  # the first two are the legend's
    above, below = "#0072B2", "#D55E00"
    assert tints == {(above, "0.02"), (below, "0.375"), (above, "0.5"), (above, "0.25"), (below, "0.125")}
    found = texts(figure("matrix"))
    assert {"(−0.15 to 0.15)", "n = 120", "—"} <= set(found)
    assert "— not defined, 1 number: no word was counted" in found
    assert "Bold: p at most 0.05 after adjustment for the other tests." in found


def test_where_cells_differ_in_n_each_says_its_own():
    few = mark(finding("b", 0.2, n=7), "row", series="second")
    found = texts(figure("matrix", (mark(finding("a"), "row", series="first"), few)))
    assert [text for text in found if text.startswith("n = ")] == ["n = 120", "n = 7"]


def test_groups_of_a_contrast_are_told_as_parts_of_their_finding():
    whole = finding(
        "topic 3", 9.1, contrast={"man": 2.5, "woman": -2.5}, interval=None, reason="interval: a test statistic"
    )
    marks = tuple(replace(one, row="topic 3", series=one.row) for one in contrast_marks(whole))
    made = figure("matrix", marks)
    assert {"2.5", "−2.5"} <= set(texts(made))
    assert not any(text.startswith("Bold") for text in texts(made))
    assert "Part of: The title of topic 3, 9.1" in tips(made)[0]
    assert "The whole finding: p = 0.010" in tips(made)[0]
    assert made.findings == (whole,)


def test_words_in_a_table_take_the_lines_that_they_need(qapp: QApplication):
    words = ", ".join(f"word{number}" for number in range(60))
    made = figure("table", (replace(mark(finding("a"), "topic"), series="words", text=words),))
    wide, narrow = laid_out(made, 1100)[1], laid_out(made, 400)[1]
    assert narrow > wide + 3 * LIGHT.control


def test_columns_that_do_not_fit_stand_below(qapp: QApplication):
    marks = tuple(mark(finding(str(n), n / 10), "row", series=f"a column called {n}") for n in range(12))
    spots, _ = laid_out(figure("matrix", marks), 400)
    assert {spot.finding.label for spot in spots} == {str(n) for n in range(12)}
    tops = {round(spot.area.top()) for spot in spots}
    assert len(tops) > 1
    assert all(spot.area.right() <= 400 for spot in spots)


def test_points_of_a_line_go_from_left_to_right_whatever_their_order(qapp: QApplication):
    made = figure("line", some_marks("line")[::-1])
    spots, _ = laid_out(made)
    first = [spot.area.center().x() for spot in spots if spot.finding.label.endswith("first")]
    assert first == sorted(first)
    assert len(first) == 3
    found = texts(made)
    assert "temperature · n = 120 at every point" in found
    assert "effect size d" in found
    assert any("row 2 · second: no word was counted" in text for text in found)


def test_a_higher_value_is_drawn_higher(qapp: QApplication):
    marks = tuple(mark(finding(str(n), n / 10), str(n), x=float(n)) for n in range(3))
    low, middle, high = (spot.area.center() for spot in laid_out(figure("line", marks))[0])
    assert low.y() > middle.y() > high.y()
    assert low.x() < middle.x() < high.x()
    assert middle.x() - low.x() == pytest.approx(high.x() - middle.x())


def test_published_values_are_drawn(qapp: QApplication, tmp_path: Path):
    printed = replace(mark(finding("a", 0.1), "a"), references=(Printed(0.9, "GPT-4"),))
    with_it, without = (figure("intervals", (one,)) for one in (printed, replace(printed, references=())))
    drawn, bare = (
        export_chart(one, LIGHT, tmp_path / f"{place}.png").read_bytes() for place, one in enumerate((with_it, without))
    )
    assert drawn != bare


class Listening(PaintCanvas):
    """Keeps the texts that are drawn."""

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self.drawn: list[str] = []

    def text(self, x: float, y: float, text: str, *look: Any, **more: Any) -> None:
        self.drawn.append(text)


def test_the_window_and_the_report_show_the_same_picture(qapp: QApplication):
    """The same texts, in the same order, whichever canvas they are drawn on."""
    for kind in KINDS:
        made = figure(kind)
        canvas = Listening(None, LIGHT, 832)
        draw_figure(canvas, made)
        assert sorted(" ".join(canvas.drawn).split()) == sorted(" ".join(texts(made)).split())


@pytest.mark.parametrize("kind", KINDS)
def test_click_and_keys_open_the_finding_behind_a_mark(qtbot: QtBot, kind: FigureKind):
    chart = Chart(figure(kind))
    qtbot.addWidget(chart)
    chart.resize(700, chart.heightForWidth(700))
    with qtbot.waitExposed(chart):
        chart.show()
    chart.grab()
    spot = chart.spots[-1]  # of several in one place, what was drawn last lies on top
    with qtbot.waitSignal(chart.opened) as caught:
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=spot.area.center().toPoint())
    assert caught.args == [spot.finding, spot.tip, True]
    QTest.keyClick(chart, Qt.Key.Key_Down)
    with qtbot.waitSignal(chart.opened) as caught:
        QTest.keyClick(chart, Qt.Key.Key_Return)
    assert caught.args[0] in [one.finding for one in chart.spots]


@pytest.mark.parametrize("kind", KINDS)
def test_screen_readers_hear_every_mark_and_the_stand_in(kind: FigureKind):
    scorer = ScorerUse("word_vectors", "minilm", "1", stand_in=True)
    marks = tuple(replace(one, finding=replace(one.finding, scorers=(scorer,))) for one in some_marks(kind))
    made = figure(kind, marks)
    heard = "\n".join(describe(made))
    assert made.stand_ins == ("stand-in for word vectors: MiniLM embeddings",)
    for words in ("What was made up.", "A sentence about what one sees.", "row 1", "no word was counted", "MiniLM"):
        assert words in heard
    assert "word vectors by a stand-in: MiniLM embeddings" in heard


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_figure_says_what_it_shows(qapp: QApplication, tmp_path: Path, kind: FigureKind):
    made = figure(kind)
    drawn = ET.parse(export_chart(made, LIGHT, tmp_path / "a.svg")).getroot()
    said = " ".join("".join(element.itertext()) for element in drawn.iter())
    for words in ("What was made up", "A sentence about what one sees.", "Nobody 2024, Figure 1"):
        assert words in said
    assert export_chart(made, LIGHT, tmp_path / "a.png").stat().st_size > 1000
    with export_chart(made, LIGHT, tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["label"] for row in rows] == [found.label for found in made.findings]


def test_a_finding_drawn_for_each_of_its_groups_is_saved_once(tmp_path: Path):
    marks = tuple(
        replace(one, series=one.row, row="a") for one in contrast_marks(finding("a", contrast={"x": 1, "y": 2}))
    )
    with export_chart(figure("matrix", marks), LIGHT, tmp_path / "a.csv").open(encoding="utf-8-sig") as file:
        assert len(list(csv.DictReader(file))) == 1


# two models


def of_model(model: str, label: str, estimate: float = 0.3) -> Finding:
    return finding(label, estimate, dims={"model": model, "axis": "gender"})


def test_two_models_become_the_series_whether_rows_series_or_parts_they_were():
    rows = figure(
        "intervals", tuple(mark(of_model(m, "woman"), m.capitalize(), section="Woman") for m in ("one", "two", "three"))
    )
    series = figure("grouped", tuple(mark(of_model(m, "b"), "Black", series=m) for m in ("one", "two")), key="series")
    parts = [
        figure("grouped", tuple(mark(of_model(m, k), "Ageism", series=k) for k in ("PL", "NL")), key="parts", part=m)
        for m in ("one", "two")
    ]
    made = compared([rows, series, *parts], "two", "one")
    assert models_of([rows, series, *parts]) == ("one", "two", "three")
    assert [(one.key, one.kind, one.part) for one in made] == [
        ("made.up", "grouped", ""),
        ("series", "grouped", ""),
        ("parts", "grouped", ""),
    ]
    assert all(one.series == ("two", "one") for one in made)
    assert [one.rows for one in made] == [
        (("", "Overall"),),
        (("", "Black"),),
        (("", "Ageism · PL"), ("", "Ageism · NL")),
    ]


def test_what_only_one_of_two_models_has_is_not_compared():
    alone = figure("intervals", (mark(of_model("one", "a"), "One"),))
    against = replace(of_model("two", "a"), dims={"model": "two", "against": "one"})
    both = figure("intervals", (mark(of_model("one", "a"), "One"), mark(against, "two − one")), key="difference")
    words = figure("table", tuple(mark(of_model(m, "a"), "words", series=m) for m in ("one", "two")), key="words")
    assert compared([alone, both, words], "one", "two") == []


def test_lines_of_two_models_lie_in_one_picture():
    parts = [
        figure(
            "line",
            tuple(mark(of_model(m, a), str(x), series=a, x=x) for a in ("gender", "race") for x in (0.1, 0.9)),
            part=m,
        )
        for m in ("one", "two")
    ]
    (made,) = compared(parts, "one", "two")
    assert made.kind == "line"
    assert made.series == ("one · gender", "one · race", "two · gender", "two · race")
    assert len(texts(made)) > 4
