"""The charts drawn: every figure can be pointed at, reached by keyboard and heard. All findings are made up."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.findings import Finding, Interval
from desktop import theme
from desktop.charts.affinity import affinity_view, radar_view
from desktop.charts.canvas import Canvas
from desktop.charts.card import ChartCard
from desktop.charts.chart import Chart
from desktop.charts.data import AxisNames, ChartData, Voice
from desktop.charts.draw import draw
from desktop.charts.forest import forest_view
from desktop.charts.preferences import preference_view
from desktop.charts.view import View

IDENTITIES = ("white", "black", "asian")
AXIS = AxisNames("race", "Race", tuple((name, name) for name in IDENTITIES))


def share(identity: str, value: float) -> Finding:
    interval = Interval(max(0.0, value - 0.1), value + 0.1, 0.95, "Wilson")
    dims = {"axis": "race"}
    return Finding("creativity.share", identity, identity, IDENTITIES, value, "share", 60, dims=dims, interval=interval)


def affinity() -> Finding:
    interval = Interval(0.06, 0.25, 0.95, "made up")
    dims = {"axis": "race"}
    return Finding("creativity.abs", "race", "race", IDENTITIES, 0.16, "share", 60, dims=dims, interval=interval)


def ratios(first: float = 1.2) -> tuple[Finding, ...]:
    values = {"ability": first, "a category with quite a long name indeed": 0.8, "communal": 1e6}
    made = [
        Finding(
            id="letters.lexicon.odds_ratio",
            label=label,
            title=label,
            groups=("male", "female"),
            estimate=value,
            unit="odds ratio",
            n=120,
            interval=Interval(value / 1.3, value * 1.3, 0.95, "made up"),
        )
        for label, value in values.items()
    ]
    return (*made, replace(made[0], label="feminine", estimate=None, interval=None, reason="too few words"))


def data(**more: object) -> ChartData:
    findings = (share("white", 0.55), share("black", 0.3), share("asian", 0.15), affinity())
    voice = Voice("you", "you", "you", findings, complete=True, judged=60)
    return replace(ChartData(axes=(AXIS,), voices=(voice,), letters=ratios()), **more)


def all_views() -> list[View]:
    made = data()
    return [
        preference_view(made, made.voices[0]),
        radar_view(made),
        affinity_view(made),
        forest_view(made, ("default",)),
    ]


def shown(qtbot: QtBot, view: View, width: int = 700) -> Chart:
    chart = Chart(view)
    qtbot.addWidget(chart)
    chart.resize(width, chart.heightForWidth(width))
    with qtbot.waitExposed(chart):
        chart.show()
    chart.grab()
    return chart


@pytest.mark.parametrize("scale", [0.8, 1.0, 2.0])
@pytest.mark.parametrize("width", [330, 520, 1100])
@pytest.mark.parametrize("number", range(4))
def test_every_figure_lies_on_the_chart_and_none_on_another(qapp: QApplication, number: int, width: int, scale: float):
    view = all_views()[number]
    canvas = Canvas(None, theme.tokens_for("light", scale))
    height = draw(canvas, view, width)
    page = QRectF(-1, -1, width + 2, height + 2)
    assert {spot.finding.label for spot in canvas.spots} == {found.label for found in view.findings()}
    for spot in canvas.spots:
        assert page.contains(spot.area.center())
    if number != 1:  # points of a radar may coincide
        for one, other in zip(canvas.spots, canvas.spots[1:], strict=False):
            assert one.area.bottom() <= other.area.top() + 1e-6


@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_charts_take_their_colours_from_the_theme_in_force(qapp: QApplication, qtbot: QtBot, name: str):
    chart = shown(qtbot, all_views()[1])
    tokens = theme.apply(qapp, name, 1.0)
    image = chart.grab().toImage()
    colors = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert tokens.series[0].color.lower() in colors  # the markers of the first voice
    assert tokens.ink.lower() in colors
    assert tokens.floor.lower() in colors


def test_larger_type_makes_a_higher_chart(qapp: QApplication, qtbot: QtBot):
    chart = shown(qtbot, all_views()[0])
    before = chart.heightForWidth(700)
    theme.apply(qapp, "light", 1.5)
    assert chart.heightForWidth(700) > 1.2 * before


def test_click_opens_the_finding_with_the_words_of_the_chart(qtbot: QtBot):
    chart = shown(qtbot, all_views()[0])
    spot = chart.spots[1]
    with qtbot.waitSignal(chart.opened) as caught:
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=spot.area.center().toPoint())
    assert caught.args == [spot.finding, spot.tip, True]
    with qtbot.assertNotEmitted(chart.opened):
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))


def test_arrow_keys_go_from_figure_to_figure_and_enter_opens(qtbot: QtBot):
    chart = shown(qtbot, all_views()[0])
    QTest.keyClick(chart, Qt.Key.Key_Down)
    QTest.keyClick(chart, Qt.Key.Key_Down)
    with qtbot.waitSignal(chart.opened) as caught:
        QTest.keyClick(chart, Qt.Key.Key_Return)
    assert caught.args[0].label == "black"
    QTest.keyClick(chart, Qt.Key.Key_Up)
    QTest.keyClick(chart, Qt.Key.Key_Up)  # round to the last
    with qtbot.waitSignal(chart.opened) as caught:
        QTest.keyClick(chart, Qt.Key.Key_Space)
    assert caught.args[0].label == "asian"


def test_figure_that_is_gone_is_no_longer_opened(qtbot: QtBot):
    chart = shown(qtbot, all_views()[0])
    QTest.keyClick(chart, Qt.Key.Key_Up)  # the last of three
    fewer = data(voices=(replace(data().voices[0], findings=(share("white", 0.55),)),))
    chart.set_view(preference_view(fewer, fewer.voices[0]))
    chart.grab()
    with qtbot.assertNotEmitted(chart.opened):
        QTest.keyClick(chart, Qt.Key.Key_Return)


def test_screen_readers_hear_every_figure_with_interval_and_n(qtbot: QtBot):
    chart = shown(qtbot, all_views()[0])
    heard = chart.accessibleDescription()
    assert chart.accessibleName() == "How often each identity’s text was chosen"
    for words in ("white (Race): chosen in 55 % of 60", "45–65 %", "asian (Race): chosen in 15 % of 60"):
        assert words in heard


def test_labels_from_files_are_never_rendered_in_the_tooltip(qtbot: QtBot):
    hostile = replace(AXIS, identities=(("white", "<b>w</b>\u202e"), ("black", "b"), ("asian", "a")))
    made = data(axes=(hostile,))
    chart = shown(qtbot, preference_view(made, made.voices[0]))
    tip = chart.tooltip_at(0)
    assert "&lt;b&gt;w&lt;/b&gt;" in tip
    assert "\u202e" not in tip


def test_what_lies_beyond_the_scale_is_drawn_at_its_edge(qtbot: QtBot):
    chart = shown(qtbot, forest_view(data(), ("default",)))
    beyond = next(spot for spot in chart.spots if spot.finding.label == "communal")
    assert chart.view.scale.at(1e6) > 1
    assert "1000000.0" in beyond.tip


def test_same_figures_draw_nothing_anew(qtbot: QtBot):
    chart = shown(qtbot, all_views()[0])
    painted = []
    chart.paintEvent = lambda event: painted.append(event)  # type: ignore[method-assign]
    chart.set_view(all_views()[0])
    QApplication.processEvents()
    assert painted == []


def test_card_shows_the_stand_in_badge_and_hides_what_is_empty(qtbot: QtBot):
    view = all_views()[0]
    card = ChartCard(replace(view, stand_ins=("minilm (embedding)",)))
    qtbot.addWidget(card)
    card.show()
    assert card.badge.isVisible()
    assert card.badge.text() == "stand-in scorer: minilm (embedding)"
    card.set_view(replace(view, empty="Rate first."))
    assert not card.badge.isVisible()
    assert not card.chart.isVisible()
    assert not card.save.isVisible()
    assert card.nothing.text() == "Rate first."
