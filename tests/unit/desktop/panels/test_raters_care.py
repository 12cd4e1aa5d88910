"""The tab about raters' care: what is told of whom, and leaving somebody out for a reason."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot
from raters_bench import Bench
from raters_scene import A, B, C, add_plan, at, castle, rate

from biasprint.core.findings import Finding
from biasprint.core.judging.carefulness import decisions_on, excluded_codes, unread_rule
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.raters.quality import tables_of
from biasprint.desktop.wording.generators import Titles

pytestmark = pytest.mark.usefixtures("read_at_once")
Open = Callable[[Path], Bench]


@pytest.fixture
def open_panel(qtbot: QtBot, window: MainWindow) -> Open:
    return lambda path: Bench(qtbot, window, path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return castle(tmp_path)


def cells(bench: Bench) -> dict[str, tuple[str, ...]]:
    return {row.cells[0]: row.cells[1:] for row in bench.panel.care.raters.table.rows}


def test_who_rated_how_carefully_is_told_and_of_an_open_session_its_count_alone(open_panel: Open, path: Path):
    project, plan = at(path)
    rate(project, plan, "R01", dict.fromkeys(range(6), A))
    rate(project, plan, "R02", dict.fromkeys(range(6), B))
    rate(project, plan, "R03", {0: A, 1: A}, reveal=False)
    add_plan(project, "Monday", workshop=True)
    project.close()
    bench = open_panel(path)
    bench.tab("care")
    told = cells(bench)
    assert told["R01"][0] == "6 of 6"
    assert told["R03"] == ("2 of 6", "—", "—", "—", "—", "—", "—")
    assert told["R01"][5].endswith("n = 6")
    care = bench.panel.care
    care.raters.select(next(one.rater_id for one in care.cards if one.code == "R03"))
    assert "1 session is open on this machine." in care.said.text()
    care.raters.select(next(one.rater_id for one in care.cards if one.code == "R01"))
    assert f"Agreement with the others: κ = {told['R01'][5]}." in care.said.text(), "also where its column has no room"


def test_unread_answers_are_told_and_left_out_by_a_rule_with_its_count(open_panel: Open, path: Path):
    project, plan = at(path)
    rate(project, plan, "R01", dict.fromkeys(range(6), A), read={0: False, 1: False, 2: True, 3: True})
    rate(project, plan, "R02", dict.fromkeys(range(6), B), read=dict.fromkeys(range(6), True))
    project.close()
    bench = open_panel(path)
    bench.tab("care")
    care = bench.panel.care
    assert (cells(bench)["R01"][4], cells(bench)["R02"][4]) == ("2/4", "0/6")
    care.raters.select(next(one.rater_id for one in care.cards if one.code == "R01"))
    assert "2 of 4 answers came before the end of every text was on the screen: 50 % (15 to 85 %)." in care.said.text()
    assert "2 answers have no record of what was on the screen." in care.said.text()
    assert care.unread_said.text().startswith("2 of 10 answers of all raters")
    care.on_unread.reason.setText("agreed beforehand")
    bench.press(care.on_unread.out)
    assert unread_rule(bench.project).reason == "agreed beforehand"
    assert "agreed beforehand" in care.unread_said.text()
    bench.press(care.on_unread.again)
    assert unread_rule(bench.project) is None


def test_a_rater_is_left_out_for_a_reason_and_counted_again(open_panel: Open, path: Path):
    project, plan = at(path)
    rate(project, plan, "R01", dict.fromkeys(range(6), A))
    rate(project, plan, "R02", dict.fromkeys(range(6), B))
    project.close()
    bench = open_panel(path)
    bench.tab("care")
    care = bench.panel.care
    care.raters.select(next(one.rater_id for one in care.cards if one.code == "R02"))
    assert not care.out.isEnabled(), "nobody is left out without a reason"
    care.reason.setText("did not <b>read</b>")
    bench.press(care.out)
    assert excluded_codes(bench.project) == {"R02": "did not <b>read</b>"}
    assert cells(bench)["R02"][-1].startswith("left out")
    assert "did not <b>read</b>" in care.said.text()
    assert (care.out.isHidden(), care.again.isHidden(), care.reason.text()) == (True, False, "")
    bench.press(care.again)
    assert excluded_codes(bench.project) == {}
    rater = next(one.rater_id for one in care.cards if one.code == "R02")
    assert [one.excluded for one in decisions_on(bench.project, rater)] == [True, False]
    assert not care.out.isHidden()


def test_where_nobody_rated_it_says_what_to_do_next(open_panel: Open, path: Path):
    bench = open_panel(path)
    bench.tab("care")
    assert bench.panel.care.pages.currentWidget() is bench.panel.care.nothing
    bench.press(bench.panel.care.nothing.button)
    assert bench.panel.stack.currentWidget() is bench.panel.plans


def test_the_findings_with_everybody_have_a_table_of_their_own_in_quality():
    found = Finding(
        id="creativity.quality.excluded.abs", label="gender", title="Affinity bias score: gender, with everybody",
        groups=("woman", "man"), estimate=0.2, unit="proportion", n=24, dims={"axis": "gender"}, reason="interval: few",
        note="Without them 0.100. Elsewhere left out: R02 (never read).",
    )  # fmt: skip
    (table,) = tables_of([found], Titles())
    assert (table.key, table.title, table.rows[0].cells[2]) == ("excluded", "With everybody", "24 choices")
    assert "R02 (never read)" in table.rows[0].cells[3]


def test_what_nobody_agrees_on_is_told_and_leads_to_the_texts(open_panel: Open, path: Path):
    project, plan = at(path)
    rate(project, plan, "R01", dict.fromkeys(range(6), A))
    rate(project, plan, "R02", dict.fromkeys(range(6), B))
    rate(project, plan, "R03", {**dict.fromkeys(range(4), C), 4: A, 5: B})
    project.close()
    bench = open_panel(path)
    bench.tab("care")
    care = bench.panel.care
    assert care.hard_said.text().startswith("Nobody agrees on 4 of 6 comparisons (67%, 30% to 90%)")
    care.raters.select(next(one.rater_id for one in care.cards if one.code == "R01"))
    assert "Ability by agreement with the others cannot be told: 6 comparisons" in care.said.text()
    bench.press(care.to_texts)
    assert bench.panel.tabs.tabText(bench.panel.tabs.currentIndex()).startswith("Adjudication")
