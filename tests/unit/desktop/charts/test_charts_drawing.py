"""The charts drawn: every figure can be pointed at, reached by keyboard and heard. All findings are made up."""

from dataclasses import replace
from itertools import pairwise

import pytest
from board_scene import colours
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from biasprint.core.draw.figure import Figure
from biasprint.core.findings import Finding, Floor, Interval, ScorerUse
from biasprint.desktop import theme
from biasprint.desktop.charts.chart import Chart, ChartCard, lay_out
from biasprint.desktop.charts.live import (
    AxisWords,
    ChartData,
    ChartVoice,
    affinity_figure,
    letters_figures,
    preference_figure,
    preferences_figure,
)

IDENTITIES = ("white", "black", "asian")
AXIS = AxisWords("race", "Race", tuple((name, name) for name in IDENTITIES))


def share(identity: str, value: float) -> Finding:
    interval = Interval(max(0.0, value - 0.1), value + 0.1, 0.95, "Wilson")
    dims = {"axis": "race"}
    return Finding("creativity.share", identity, identity, IDENTITIES, value, "share", 60, dims=dims, interval=interval)


def affinity() -> Finding:
    interval = Interval(0.06, 0.25, 0.95, "made up")
    made = Finding("creativity.abs", "race", "race", IDENTITIES, 0.16, "share", 60, dims={"axis": "race"})
    return replace(made, interval=interval, floor=Floor(0.06, 0.11, 0.03))


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
    voice = ChartVoice("you", "you", "you", findings, complete=True, judged=60)
    return replace(ChartData(axes=(AXIS,), voices=(voice,), live={"letters": ratios()}), **more)


def all_figures() -> list[Figure]:
    made = data()
    return [
        preference_figure(made, made.voices[0]),
        preferences_figure(made),
        affinity_figure(made),
        *letters_figures(made, ("default",)),
    ]


def shown(qtbot: QtBot, figure: Figure, width: int = 700) -> Chart:
    chart = Chart(figure)
    qtbot.addWidget(chart)
    chart.resize(width, chart.heightForWidth(width))
    with qtbot.waitExposed(chart):
        chart.show()
    chart.grab()
    return chart


@pytest.mark.parametrize(("scale", "width"), [(0.8, 330), (1.0, 520), (2.0, 330), (2.0, 1100)])
@pytest.mark.parametrize("number", range(4))
def test_every_figure_lies_on_the_chart_and_none_on_another(qapp: QApplication, number: int, width: int, scale: float):
    theme.apply(qapp, "light", scale)
    figure = all_figures()[number]
    height, spots = lay_out(None, figure, width)
    page = QRectF(-1, -1, width + 2, height + 2)
    assert {spot.finding.label for spot in spots} == {found.label for found in figure.findings}
    for spot in spots:
        assert page.contains(spot.area.center())
    for one, other in pairwise(spots):
        assert one.area.bottom() <= other.area.top() + 1e-6


@pytest.mark.parametrize("name", ["light", "dark", "contrast"])
def test_charts_take_their_colours_from_the_theme_in_force(qapp: QApplication, qtbot: QtBot, name: str):
    chart = shown(qtbot, all_figures()[2])
    tokens = theme.apply(qapp, name, 1.0)
    colors = colours(chart)
    assert tokens.series[0].color.lower() in colors  # the markers of the first voice
    assert tokens.ink.lower() in colors
    assert tokens.floor.lower() in colors


def test_click_opens_the_finding_with_the_words_of_the_chart(qtbot: QtBot):
    chart = shown(qtbot, all_figures()[0])
    spot = chart.spots[1]
    with qtbot.waitSignal(chart.opened) as caught:
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=spot.area.center().toPoint())
    assert caught.args == [spot.finding, spot.tip, True]
    with qtbot.assertNotEmitted(chart.opened):
        QTest.mouseClick(chart, Qt.MouseButton.LeftButton, pos=QPoint(2, 2))


def test_arrow_keys_go_from_figure_to_figure_and_enter_opens(qtbot: QtBot):
    chart = shown(qtbot, all_figures()[0])
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
    chart = shown(qtbot, all_figures()[0])
    QTest.keyClick(chart, Qt.Key.Key_Up)  # the last of three
    fewer = data(voices=(replace(data().voices[0], findings=(share("white", 0.55),)),))
    chart.set_figure(preference_figure(fewer, fewer.voices[0]))
    chart.grab()
    with qtbot.assertNotEmitted(chart.opened):
        QTest.keyClick(chart, Qt.Key.Key_Return)


def test_screen_readers_hear_every_figure_with_interval_and_n(qtbot: QtBot):
    chart = shown(qtbot, all_figures()[0])
    heard = chart.accessibleDescription()
    assert chart.accessibleName() == "Whose outputs are chosen"
    for words in ("white (Race): chosen in 55 % of 60", "45–65 %", "asian (Race): chosen in 15 % of 60"):
        assert words in heard


def test_labels_from_files_are_never_rendered_in_the_tooltip(qtbot: QtBot):
    hostile = replace(AXIS, identities=(("white", "<b>w</b>\u202e"), ("black", "b"), ("asian", "a")))
    made = data(axes=(hostile,))
    chart = shown(qtbot, preference_figure(made, made.voices[0]))
    tip = chart.tooltip_at(0)
    assert "&lt;b&gt;w&lt;/b&gt;" in tip
    assert "\u202e" not in tip


def test_what_lies_beyond_the_scale_can_be_pointed_at_too(qtbot: QtBot):
    (figure,) = letters_figures(data(), ("default",))
    chart = shown(qtbot, figure)
    beyond = next(spot for spot in chart.spots if spot.finding.label == "communal")
    assert "1,000,000" in beyond.tip


def test_card_hides_what_is_empty(qtbot: QtBot):
    figure = all_figures()[0]
    card = ChartCard(figure)
    qtbot.addWidget(card)
    card.show()
    assert card.chart.isVisible()
    card.set_figure(replace(figure, marks=(), empty="Rate first."))
    assert not card.chart.isVisible()
    assert not card.save.isVisible()
    assert card.nothing.text() == "Rate first."


def test_a_stand_in_scorer_wears_its_badge_in_the_chart(qtbot: QtBot):
    figure = all_figures()[0]
    use = ScorerUse("embedding", "minilm", "1", stand_in=True)
    marks = tuple(replace(mark, finding=replace(mark.finding, scorers=(use,))) for mark in figure.marks)
    with_badge = shown(qtbot, replace(figure, marks=marks))
    assert with_badge.heightForWidth(700) > shown(qtbot, figure).heightForWidth(700)
    assert "stand-in for embedding: MiniLM embeddings" in with_badge.accessibleDescription()
