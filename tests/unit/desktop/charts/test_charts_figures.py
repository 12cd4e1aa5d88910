"""The papers' figures drawn: every kind, at every width, with what is undefined and what the paper prints. Made up."""

import csv
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.draw.figure import Figure, FigureKind, FigureMark, Printed, contrast_marks, mark
from core.findings import Adjustment, Finding, Floor, Interval, ScorerUse
from desktop import theme
from desktop.charts.canvas import Canvas
from desktop.charts.chart import Chart
from desktop.charts.compare import compared, models_of
from desktop.charts.draw import draw
from desktop.charts.export import export_chart, png_bytes
from desktop.charts.figures import figure_view
from desktop.charts.scales import linear_scale, scale_over
from desktop.charts.view import GridView, LineView, RowsView
from desktop.charts.words import describe

KINDS: tuple[FigureKind, ...] = ("intervals", "grouped", "matrix", "line", "table")
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
    series = ("",) if kind == "intervals" else ("first", "second")
    marks = []
    for row in range(rows):
        for place, name in enumerate(series):
            value = None if row == rows - 1 and place == len(series) - 1 else 0.1 * row - 0.15 * place
            one = finding(f"row {row} {name}", value)
            section = "" if kind == "line" else f"section {row % 2}"
            marks.append(mark(one, f"row {row}", series=name, section=section, x=0.25 * row))
    return tuple(marks)


def spots(view: object, width: float = 700, scale: float = 1.0) -> tuple[Canvas, float]:
    canvas = Canvas(None, theme.tokens_for("light", scale))
    return canvas, draw(canvas, view, width)  # type: ignore[arg-type]


@pytest.mark.parametrize("scale", [0.8, 1.0, 2.0])
@pytest.mark.parametrize("width", [330, 520, 1100])
@pytest.mark.parametrize("kind", KINDS)
def test_every_mark_lies_on_the_chart_and_can_be_pointed_at(
    qapp: QApplication, kind: FigureKind, width: int, scale: float
):
    made = figure(kind)
    canvas, height = spots(figure_view(made), width, scale)
    page = QRectF(-1, -1, width + 2, height + 2)
    assert [spot.finding.label for spot in canvas.spots if not page.contains(spot.area)] == []
    assert {spot.finding.label for spot in canvas.spots} == {one.finding.label for one in made.marks}
    if kind != "line":  # points of two lines may lie beside each other
        for one in canvas.spots:
            for other in canvas.spots:
                shared = one.area.intersected(other.area)
                assert one is other or shared.width() < 1e-6 or shared.height() < 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_every_number_says_its_interval_n_p_and_unit_when_pointed_at(qapp: QApplication, kind: FigureKind):
    canvas, _ = spots(figure_view(figure(kind)))
    tip = canvas.spots[0].tip
    for words in ("row 0", ": 0.00 d, n = 120", "95 % interval −0.15 to 0.15 (made up)", "male: 70", "adjusted 0.030"):
        assert words in tip
    undefined = next(spot.tip for spot in canvas.spots if spot.finding.estimate is None)
    assert "no word was counted" in undefined


@pytest.mark.parametrize("kind", KINDS)
def test_figures_without_anything_defined_say_so(qapp: QApplication, kind: FigureKind):
    nothing = tuple(mark(finding(name, None), name, series="s", x=1.0) for name in ("a", "b"))
    for marks in ((), nothing):
        view = figure_view(figure(kind, marks))
        assert view.empty == "Nothing in this figure is defined yet."
        assert spots(view)[1] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_one_row_is_drawn_like_many(qapp: QApplication, kind: FigureKind):
    one = (mark(finding("only", 0.4), "only", x=0.5),)
    canvas, height = spots(figure_view(figure(kind, one)))
    assert [spot.finding.label for spot in canvas.spots] == ["only"]
    assert height > canvas.spots[0].area.height() > 10


@pytest.mark.parametrize("kind", ["intervals", "grouped", "matrix", "table"])
def test_two_hundred_rows_make_a_chart_that_scrolls(qapp: QApplication, kind: FigureKind):
    canvas, height = spots(figure_view(figure(kind, some_marks(kind, 200))))
    assert len(canvas.spots) >= 200
    assert height > 200 * 18
    assert canvas.spots[-1].area.bottom() < height


def test_undefined_rows_stand_in_their_place_with_the_reason(qtbot: QtBot):
    view = figure_view(figure("intervals"))
    assert isinstance(view, RowsView)
    rows = [row for block in view.blocks for row in block.rows]
    assert [(row.label, row.estimate is None, row.reason) for row in rows] == [
        ("row 0", False, ""),
        ("row 2", True, "no word was counted"),
        ("row 1", False, ""),
    ]
    assert (rows[1].figure, rows[1].interval) == ("", "")


def test_series_of_a_row_stand_under_one_label_in_their_own_colour_and_sign():
    view = figure_view(figure("grouped"))
    assert isinstance(view, RowsView)
    first, second = view.blocks[0].rows[:2]
    assert (first.label, first.series, second.label, second.series) == ("row 0", 0, "", 1)
    points = [key for key in view.legend if key.kind == "point"]
    assert [(key.text, key.series) for key in points] == [("first", 0), ("second", 1)]
    signs = {(look.color, look.marker) for look in LIGHT.series[:2]}
    assert len({color for color, _ in signs}) == len({sign for _, sign in signs}) == 2


def test_the_legend_explains_everything_that_is_drawn():
    floored = replace(
        mark(finding("a"), "a"), floor=Floor(0.05, 0.12, 0.2), references=(Printed(0.5, "GPT-4", "Table 1"),)
    )
    view = figure_view(figure("intervals", (floored,)))
    assert isinstance(view, RowsView)
    assert {key.kind: key.text for key in view.legend} == {
        "point": "estimate",
        "line": "95 % interval",
        "floor": "noise floor: up to here in 95 of 100 cases without any bias",
        "chance": "0: no bias",
        "reference": "as printed in the paper (GPT-4)",
    }
    (row,) = view.blocks[0].rows
    assert (row.floor, row.references, view.blocks[0].reference) == (0.12, (0.5,), 0.0)
    assert "Published: GPT-4 0.50 (Table 1)" in row.tip
    assert "Without any bias: 0.050 on average, below 0.12 in 95 of 100 cases" in row.tip
    assert [key.kind for key in figure_view(figure("intervals", (mark(finding("a"), "a"),), null=None)).legend] == [
        "point",
        "line",
    ]


def test_the_scale_holds_floors_and_what_the_paper_prints():
    far = replace(mark(finding("a"), "a"), floor=Floor(0.5, 0.9, 0.2), references=(Printed(2.2, "GPT-4"),))
    view = figure_view(figure("intervals", (far,)))
    assert isinstance(view, RowsView)
    assert 0 <= view.scale.at(0.0) < view.scale.at(0.9) < view.scale.at(2.2) <= 1


def test_odds_ratios_stand_on_a_log_scale_around_one():
    ratios = tuple(
        mark(
            finding(str(value), value, unit="odds ratio", interval=Interval(value / 2, value * 2, 0.95, "x")),
            str(value),
        )
        for value in (0.5, 2.0)
    )
    view = figure_view(figure("intervals", ratios, unit="odds ratio", scale="log", null=1.0))
    assert isinstance(view, RowsView)
    assert view.scale.logarithmic
    assert view.scale.at(0.5) == pytest.approx(1 - view.scale.at(2.0))
    assert [row.figure for row in view.blocks[0].rows] == ["0.50", "2.00"]


def test_proportions_are_written_as_percentages():
    share = finding("a", 0.3, unit="proportion", interval=Interval(0.21, 0.42, 0.95, "Wilson"))
    view = figure_view(figure("intervals", (mark(share, "a"),), unit="proportion", null=1 / 3))
    assert isinstance(view, RowsView)
    (row,) = view.blocks[0].rows
    assert (row.figure, row.interval) == ("30 %", "21–42")
    assert "a: 30 %, n = 120\n95 % interval 21–42 % (Wilson)" in row.tip
    assert "33 %: no bias" in [key.text for key in view.legend]
    assert view.scale.ticks[0][1] == "0 %"


def test_cells_are_coloured_around_the_value_without_bias_and_carry_interval_and_n():
    view = figure_view(figure("matrix"))
    assert isinstance(view, GridView)
    rows = [row for block in view.blocks for row in block.rows]
    tints = {cell.figure: cell.tint and round(cell.tint, 9) for row in rows for cell in row.cells if cell}
    assert tints == {"0.00": 0.0, "−0.15": -0.75, "0.20": 1.0, "0.10": 0.5, "−0.05": -0.25, "—": None}
    cell = rows[0].cells[0]
    assert cell is not None
    assert (cell.interval, cell.n, rows[0].n) == ("(−0.15 to 0.15)", "", "n = 120")
    assert "— not defined, 1 number: no word was counted" in view.notes
    assert "Bold: p at most 0.05 after adjustment for the other tests." in view.notes


def test_where_cells_differ_in_n_each_says_its_own():
    few = mark(finding("b", 0.2, n=7), "row", series="second")
    view = figure_view(figure("matrix", (mark(finding("a"), "row", series="first"), few)))
    assert isinstance(view, GridView)
    (row,) = view.blocks[0].rows
    assert row.n == ""
    assert [cell.n for cell in row.cells if cell] == ["n = 120", "n = 7"]


def test_groups_of_a_contrast_are_told_as_parts_of_their_finding():
    whole = finding(
        "topic 3", 9.1, contrast={"man": 2.5, "woman": -2.5}, interval=None, reason="interval: a test statistic"
    )
    marks = tuple(replace(one, row="topic 3", series=one.row) for one in contrast_marks(whole))
    view = figure_view(figure("matrix", marks))
    assert isinstance(view, GridView)
    first, second = (cell for cell in view.blocks[0].rows[0].cells if cell)
    assert (first.figure, second.figure) == ("2.5", "−2.5")
    assert not first.strong
    assert "Part of: The title of topic 3, 9.1" in first.tip
    assert "The whole finding: p = 0.010" in first.tip
    assert view.findings() == (whole, whole)


def test_words_in_a_table_take_the_lines_that_they_need(qapp: QApplication):
    words = ", ".join(f"word{number}" for number in range(60))
    view = figure_view(figure("table", (replace(mark(finding("a"), "topic"), series="words", text=words),)))
    wide, narrow = spots(view, 1100)[1], spots(view, 400)[1]
    assert narrow > wide + 3 * LIGHT.control


def test_columns_that_do_not_fit_stand_below(qapp: QApplication):
    marks = tuple(mark(finding(str(n), n / 10), "row", series=f"a column called {n}") for n in range(12))
    canvas, _ = spots(figure_view(figure("matrix", marks)), 400)
    assert {spot.finding.label for spot in canvas.spots} == {str(n) for n in range(12)}
    tops = {round(spot.area.top()) for spot in canvas.spots}
    assert len(tops) > 1
    assert all(spot.area.right() <= 400 for spot in canvas.spots)


def test_points_of_a_line_go_from_left_to_right_whatever_their_order():
    marks = some_marks("line")
    view = figure_view(figure("line", marks[::-1]))
    assert isinstance(view, LineView)
    assert {line.title: [point.x for point in line.points] for line in view.lines} == {
        "second": [0.0, 0.25],
        "first": [0.0, 0.25, 0.5],
    }
    assert [missing.label for missing in view.undefined] == ["row 2 · second"]
    assert "n = 120 at every point." in view.notes
    assert view.captions == ("temperature", "effect size d")


def test_a_higher_value_is_drawn_higher(qapp: QApplication):
    marks = tuple(mark(finding(str(n), n / 10), str(n), x=float(n)) for n in range(3))
    canvas, _ = spots(figure_view(figure("line", marks)))
    low, middle, high = (spot.area.center() for spot in canvas.spots)
    assert low.y() > middle.y() > high.y()
    assert low.x() < middle.x() < high.x()
    assert middle.x() - low.x() == pytest.approx(high.x() - middle.x())


def test_published_values_are_open_diamonds_in_ink(qapp: QApplication):
    printed = replace(mark(finding("a", 0.1), "a"), references=(Printed(0.9, "GPT-4"),))
    with_it, without = (figure_view(figure("intervals", (one,))) for one in (printed, replace(printed, references=())))
    assert isinstance(with_it, RowsView)
    assert isinstance(without, RowsView)
    without = replace(without, scale=with_it.scale, legend=with_it.legend)
    assert png_bytes(with_it, LIGHT) != png_bytes(without, LIGHT)


@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
@pytest.mark.parametrize("kind", KINDS)
def test_figures_take_their_colours_from_the_theme(qapp: QApplication, qtbot: QtBot, name: str, kind: FigureKind):
    tokens = theme.apply(qapp, name, 1.0)
    chart = Chart(figure_view(figure(kind)))
    qtbot.addWidget(chart)
    chart.resize(700, chart.heightForWidth(700))
    image = chart.grab().toImage()
    colors = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert QColor(tokens.ink).name() in colors
    if kind in ("intervals", "grouped", "line"):
        assert QColor(tokens.series[0].color).name() in colors
    if kind == "matrix":
        deep = QColor(tokens.series[0].color)
        assert any(
            abs(QColor(one).hslHue() - deep.hslHue()) <= 8 and QColor(one).hslSaturation() > 60 for one in colors
        )


@pytest.mark.parametrize("kind", KINDS)
def test_click_and_keys_open_the_finding_behind_a_mark(qtbot: QtBot, kind: FigureKind):
    chart = Chart(figure_view(figure(kind)))
    qtbot.addWidget(chart)
    chart.resize(700, chart.heightForWidth(700))
    with qtbot.waitExposed(chart):
        chart.show()
    chart.grab()
    spot = chart.spots[1]
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
    view = figure_view(figure(kind, marks))
    heard = describe(view)
    assert view.stand_ins == ("minilm (word_vectors)",)
    for words in ("What was made up.", "A sentence about what one sees.", "row 1", "no word was counted", "minilm"):
        assert words in heard
    assert "word vectors by a stand-in: minilm" in heard


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_figure_says_what_it_shows(qapp: QApplication, tmp_path: Path, kind: FigureKind):
    view = figure_view(figure(kind))
    drawn = ET.parse(export_chart(view, LIGHT, tmp_path / "a.svg")).getroot()
    said = " ".join("".join(element.itertext()) for element in drawn.iter())
    for words in ("What was made up", "A sentence about what one sees.", "Nobody 2024, Figure 1"):
        assert words in said
    assert export_chart(view, LIGHT, tmp_path / "a.png").stat().st_size > 1000
    with export_chart(view, LIGHT, tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["label"] for row in rows] == list(dict.fromkeys(found.label for found in view.findings()))


def test_a_finding_drawn_for_each_of_its_groups_is_saved_once(tmp_path: Path):
    marks = tuple(
        replace(one, series=one.row, row="a") for one in contrast_marks(finding("a", contrast={"x": 1, "y": 2}))
    )
    with export_chart(figure_view(figure("matrix", marks)), LIGHT, tmp_path / "a.csv").open(
        encoding="utf-8-sig"
    ) as file:
        assert len(list(csv.DictReader(file))) == 1


# scales


def test_a_linear_scale_goes_below_zero_with_zero_among_its_ticks():
    scale = linear_scale(0.31, low=-0.12)
    assert [text for _, text in scale.ticks] == ["−0.2", "0.0", "0.2", "0.4"]
    assert scale.at(0.0) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("values", "low", "high"),
    [((0.2, 0.5), 0.0, 0.6), ((0.96, 0.99), 0.96, 0.99), ((5.0,), 0.0, 6.0), ((), 0.0, 1.0), ((-3.0, -1.0), -3.0, 0.0)],
)
def test_a_scale_begins_at_zero_unless_that_would_squeeze_the_values(
    values: tuple[float, ...], low: float, high: float
):
    scale = scale_over(values)
    assert (scale.low, scale.high) == pytest.approx((low, high))


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
    assert isinstance(figure_view(made), LineView)
