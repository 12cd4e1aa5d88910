"""Live charts hold the window's thread for a moment only: nothing is measured twice, and cards come one in a turn."""

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from biasprint.core.findings import Finding, Interval
from biasprint.desktop.charts import chart as chart_module
from biasprint.desktop.charts.chart import MOST_WIDTHS, Chart
from biasprint.desktop.charts.live import AxisWords, ChartData, ChartVoice, affinity_figure
from biasprint.desktop.panels.charts.sections import Affinity

IDENTITIES = ("white", "black", "asian")
AXIS = AxisWords("race", "Race", tuple((name, name) for name in IDENTITIES))


def data(score: float) -> ChartData:
    """One made-up voice on one axis."""
    floor = Interval(0.06, 0.25, 0.95, "made up")
    whole = Finding(
        "creativity.abs", "race", "race", IDENTITIES, score, "share", 60, dims={"axis": "race"}, interval=floor
    )
    shares = [
        Finding("creativity.share", one, one, IDENTITIES, 2 * score, "share", 60, dims={"axis": "race"}, interval=floor)
        for one in IDENTITIES
    ]
    voice = ChartVoice("you", "you", "you", (*shares, whole), complete=True, judged=60)
    return ChartData(axes=(AXIS,), voices=(voice,))


def test_a_chart_is_measured_once_for_each_width_until_its_figures_change(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured: list[int] = []
    lay_out = chart_module.lay_out
    monkeypatch.setattr(
        chart_module,
        "lay_out",
        lambda painter, figure, width: measured.append(width) or lay_out(painter, figure, width),
    )
    chart = Chart(affinity_figure(data(0.16)))
    qtbot.addWidget(chart)
    first = [chart.heightForWidth(width) for width in (400, 700, 400, 700)]
    assert measured == [400, 700]
    assert first[:2] == first[2:]
    chart.set_figure(affinity_figure(data(0.2)))
    chart.heightForWidth(700)
    assert measured == [400, 700, 700]
    for width in range(300, 300 + 10 * MOST_WIDTHS):
        chart.heightForWidth(width)
    assert len(chart._heights) <= MOST_WIDTHS, "resizing must not fill the memory"


def test_live_figures_come_one_card_in_a_turn_and_the_first_at_once(qtbot: QtBot) -> None:
    section = Affinity()
    qtbot.addWidget(section)
    section.resize(900, 600)
    with qtbot.waitExposed(section):
        section.show()
    section.set_data(data(0.16))
    before = [card.figure for card in section.cards]
    assert len(before) == 2
    assert all(figure.marks for figure in before)
    changed = data(0.2)
    wanted = list(section.figures(changed))
    assert all(old != new for old, new in zip(before, wanted, strict=True))
    section.set_data(changed)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.None_)
    assert [card.figure for card in section.cards] == before
    turns: list[int] = []
    section._turn.timeout.connect(
        lambda: turns.append(sum(card.figure == new for card, new in zip(section.cards, wanted, strict=True)))
    )
    qtbot.waitUntil(lambda: [card.figure for card in section.cards] == wanted, timeout=5_000)
    assert turns == [1, 2]
    assert not section._turn.isActive()


def test_when_the_figures_go_nothing_of_them_stays_for_another_turn(qtbot: QtBot) -> None:
    section = Affinity()
    qtbot.addWidget(section)
    with qtbot.waitExposed(section):
        section.show()
    section.set_data(data(0.16))
    section.set_data(ChartData())
    assert not any(card.figure.marks for card in section.cards)
    assert all(card.isHidden() for card in section.cards)
