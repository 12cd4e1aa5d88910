"""The raters panel in the window, over real project files and real packets."""

import shutil
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from inline_compute import Inline
from outside_results import label_studio_answers, potato_answers
from page_files import row_of, signed
from past_the_program import sql
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QTableView
from pytestqt.qtbot import QtBot
from raters_bench import PATIENCE, Bench
from raters_scene import (
    A,
    B,
    C,
    add_plan,
    answer_packet,
    at,
    castle,
    contest,
    packets_for,
    rate,
)

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.core.project.project import Project
from biasprint.core.runs.measure import MeasureOptions, measure_project
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.main_window import MainWindow

pytestmark = pytest.mark.usefixtures("read_at_once")
Open = Callable[[Path], Bench]


@pytest.fixture
def open_panel(qtbot: QtBot, window: MainWindow) -> Open:
    return lambda path: Bench(qtbot, window, path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return castle(tmp_path)


@pytest.fixture
def contested(path: Path, tmp_path: Path) -> Path:
    return contest(path, tmp_path / "out")


@pytest.fixture
def disputed(path: Path) -> Path:
    project, plan = at(path)
    rate(project, plan, "R01", {0: A, 1: A, 3: A}, notes={0: "zqnote of R01"})
    rate(project, plan, "R02", {0: B, 1: A, 3: ("tie", None)})
    rate(project, plan, "R03", {0: C, 1: B})
    project.close()
    return path


# plans


def test_without_comparisons_it_says_what_to_do_next(open_panel: Open, file: Path) -> None:
    bench = open_panel(file)
    assert bench.panel.plans.pages.currentWidget() is bench.panel.plans.nothing
    bench.press(bench.panel.plans.nothing.button)
    assert bench.window.current == "judge"


def test_a_plan_is_shown_with_its_raters_and_of_an_open_session_its_count_alone(open_panel: Open, path: Path) -> None:
    project, plan = at(path)
    rate(project, plan, "R01", {0: A, 1: ("skip", None)}, notes={0: "zqnote"})
    rate(project, plan, "R02", {0: B, 1: ("skip", None)}, reveal=False, notes={0: "zqnote"})
    project.close()
    bench = open_panel(path)
    rows = bench.panel.plans.raters.table.rows
    assert [row.cells for row in rows] == [
        ("R01", "this machine", "finished", "1", "1", "4", "40 s"),
        ("R02", "this machine", "open: its count alone", "2", "—", "4", "—"),
    ]
    assert bench.panel.plans.plans.table.rows[0].cells[-2:] == ("2", "1 of 2")
    assert "zqnote" not in bench.said()


def test_a_plan_nobody_rated_says_how_to_go_on(open_panel: Open, path: Path) -> None:
    bench = open_panel(path)
    assert "Nobody has rated yet" in bench.panel.plans.said.text()
    bench.press(bench.panel.plans.make)
    assert bench.panel.stack.currentWidget() is bench.panel.packets
    assert bench.panel.packets.make.plan.currentText() == "Poems"


def test_a_plan_is_renamed_and_deleted_while_nobody_has_begun(open_panel: Open, path: Path) -> None:
    bench = open_panel(path)
    plans = bench.panel.plans
    assert plans.name.text() == "Poems"
    plans.name.setText("  Poems of spring ")
    plans.name.textEdited.emit(plans.name.text())
    bench.press(plans.rename)
    bench.qtbot.waitUntil(lambda: plans.heading.whole_text() == "Poems of spring", timeout=PATIENCE)
    plan = bench.project.judging.plans()[0]
    assert plan.title == "Poems", "a plan itself never changes"
    bench.press(plans.delete)
    (question,) = bench.window.findChildren(Question)
    bench.press(question.risky_button)
    bench.qtbot.waitUntil(lambda: not bench.project.judging.plans(), timeout=PATIENCE)
    assert bench.project.judging.comparisons(plan.id) == ()


def test_a_plan_that_somebody_began_cannot_be_deleted(open_panel: Open, path: Path) -> None:
    project, plan = at(path)
    rate(project, plan, "R01", {0: A}, reveal=False)
    with pytest.raises(AppError, match="Somebody has begun"):
        project.judging.remove_plan(plan)
    assert len(project.judging.comparisons(plan)) == 6
    project.close()
    bench = open_panel(path)
    assert bench.panel.plans.delete.isHidden()


def test_of_a_workshop_no_code_is_anywhere_in_the_panel(open_panel: Open, path: Path) -> None:
    project, _ = at(path)
    plan = add_plan(project, "Monday", workshop=True)
    rate(project, plan, "ZQONE", {0: A}, notes={0: "zqnote"})
    rate(project, plan, "ZQTWO", {0: B}, notes={0: "zqnote"})
    project.close()
    bench = open_panel(path)
    for tab in bench.panel.sections:
        bench.tab(tab)
        assert "ZQ" not in bench.said().replace("zq", "ZQ")
    assert bench.panel.plans.said.text().startswith("2 people took part, 2 have finished.")
    assert [bench.panel.packets.make.plan.itemText(n) for n in range(bench.panel.packets.make.plan.count())] == [
        "Poems"
    ]


# packets out


def test_packets_are_made_for_new_codes_into_the_chosen_folder(open_panel: Open, path: Path, tmp_path: Path) -> None:
    bench = open_panel(path)
    bench.tab("packets")
    make, folder = bench.panel.packets.make, tmp_path / "out"
    folder.mkdir()
    assert make.preview.text() == "3 packets: R01, R02, R03.", "it can be made at once"
    assert make.folder.accessibleName() == str(path.parent / "packets")
    assert make.make.isEnabled()
    make.whom.clear()
    assert not make.make.isEnabled()
    QTest.keyClicks(make.whom, "2")
    assert make.preview.text() == "2 packets: R01, R02."
    make.set_folder(folder)
    QTest.keyClick(make.whom, Qt.Key.Key_Return)
    bench.settle()
    assert sorted(one.name for one in folder.iterdir()) == ["packet-R01.bpacket", "packet-R02.bpacket"]
    assert [row.cells for row in bench.panel.packets.made.view.table.rows] == [
        ("R01", "6", "packet-R01.bpacket"),
        ("R02", "6", "packet-R02.bpacket"),
    ]
    QTest.keyClicks(make.whom, "1")
    assert make.preview.text() == "1 packet: R03."
    bench.tab("plans")
    away = [("R01", "packet away", "open"), ("R02", "packet away", "open")]
    bench.qtbot.waitUntil(lambda: [row.cells[:3] for row in bench.panel.plans.raters.table.rows] == away)


@pytest.mark.parametrize("tool", ["potato", "label-studio"])
def test_a_plan_goes_to_another_tool_and_comes_back(open_panel: Open, path: Path, tmp_path: Path, tool: str) -> None:
    bench = open_panel(path)
    bench.tab("packets")
    make = bench.panel.packets.make
    assert "presses Finish" in make.said.text()
    make.tool.setCurrentIndex(make.tool.findData(tool))
    assert "README" in make.said.text()
    make.set_folder(tmp_path)
    make.whom.setText("2")
    bench.press(make.make)
    names = {"potato": ["config.yaml"] * 2, "label-studio": ["R01.json", "R02.json"]}[tool]
    assert [row.cells for row in bench.panel.packets.made.view.table.rows] == [
        ("R01", "6", names[0]), ("R02", "6", names[1])
    ]  # fmt: skip
    assert "README" in bench.panel.packets.made.said.text()
    folder = tmp_path / tool
    if tool == "potato":
        came = [potato_answers(folder, code, lambda task: "B") for code in ("R01", "R02")][:1]
    else:
        came = [label_studio_answers(folder / f"{code}.json", tmp_path / f"{code}.json", lambda task: "B")
                for code in ("R01", "R02")]  # fmt: skip
    bench.window.open_files([folder] if tool == "potato" else came)  # dropped
    bench.settle()
    rows = bench.panel.packets.report.view.table.rows
    assert sorted(row.cells[1:4] for row in rows) == [("R01", "6", "0"), ("R02", "6", "0")]
    assert bench.panel.packets.report.said.text() == "2 packets were merged, 12 new answers."


def test_a_plan_goes_out_as_pages_for_browsers_and_comes_back(open_panel: Open, path: Path, tmp_path: Path) -> None:
    bench = open_panel(path)
    bench.tab("packets")
    make = bench.panel.packets.make
    make.tool.setCurrentIndex(make.tool.findData("html"))
    assert "opens it in any browser, on a phone too" in make.said.text()
    make.set_folder(tmp_path)
    make.whom.setText("1")
    bench.press(make.make)
    made = bench.panel.packets.made
    assert [row.cells for row in made.view.table.rows] == [("R01", "6", "packet-R01.html")]
    assert made.said.text() == "Send each rater the file with their code, and no other."
    page = tmp_path / "packet-R01.html"
    rated = signed(page, "packet-R01-finished.html", row_of(page, 0), row_of(page, 1, "tie"), finish=True)
    bench.window.open_files([rated])  # dropped
    bench.settle()
    report = bench.panel.packets.report
    assert [row.cells[1:4] for row in report.view.table.rows] == [("R01", "2", "0")]
    assert report.said.text() == "1 packet was merged, 2 new answers."


def test_without_a_plan_to_send_it_says_where_plans_come_from(open_panel: Open, file: Path) -> None:
    bench = open_panel(file)
    bench.tab("packets")
    assert "draw comparisons under Judge first" in bench.panel.packets.make.preview.text()
    assert not bench.panel.packets.make.make.isEnabled()


def test_a_packet_that_cannot_be_made_is_explained_and_nothing_is_told_as_made(
    open_panel: Open, path: Path, tmp_path: Path
) -> None:
    project, plan = at(path)
    rate(project, plan, "R01", {0: A}, reveal=False)
    project.close()
    bench = open_panel(path)
    bench.tab("packets")
    bench.panel.packets.make.set_folder(tmp_path)
    bench.panel.packets.make.whom.setText("R01")
    bench.press(bench.panel.packets.make.make)
    assert any("R01" in said for said in bench.window.banners.texts())
    assert bench.panel.packets.made.isHidden()
    assert bench.panel.packets.make.make.isEnabled()


# packets in


def test_packets_dropped_on_the_window_are_merged_and_told_file_by_file(
    open_panel: Open, path: Path, tmp_path: Path
) -> None:
    project, plan = at(path)
    paths = packets_for(project, plan, ["R01", "R02"], tmp_path / "out")
    project.close()
    answer_packet(paths["R01"], dict.fromkeys(range(6), A), finish=True)
    answer_packet(paths["R02"], {0: B})
    bad = tmp_path / "bad.bpacket"
    bad.write_text("no packet")
    before = {one: one.read_bytes() for one in (*paths.values(), bad)}
    bench = open_panel(path)
    bench.window.show_panel("outputs")
    bench.window._drop.dropped.emit([paths["R01"], paths["R02"], bad])
    bench.settle()
    assert bench.panel.stack.currentWidget() is bench.panel.packets
    rows = bench.panel.packets.report.view.table.rows
    assert [row.cells[:6] for row in rows] == [
        ("packet-R01.bpacket", "R01", "6", "0", "0", "0"),
        ("packet-R02.bpacket", "R02", "1", "0", "0", "0"),
        ("bad.bpacket", "—", "—", "—", "—", "—"),
    ]
    assert rows[0].cells[6] == "6 answers are new. Finished."
    assert rows[2].cells[6].startswith("Not merged. ")
    assert {one: one.read_bytes() for one in before} == before
    bench.panel.opened_with(packets=[str(paths["R01"])])
    bench.settle()
    assert bench.panel.packets.report.view.table.rows[0].cells[2:4] == ("0", "6")


def test_while_packets_are_merged_others_wait_for_their_turn(open_panel: Open, path: Path, tmp_path: Path) -> None:
    project, plan = at(path)
    paths = packets_for(project, plan, ["R01", "R02"], tmp_path / "out")
    project.close()
    for one in paths.values():
        answer_packet(one, {0: A}, finish=True)
    bench = open_panel(path)
    for one in (paths["R01"], paths["R02"], paths["R02"]):
        bench.panel.opened_with(packets=[one])
    bench.settle()
    assert len(bench.project.judging.judgments()) == 2


def test_an_unknown_rater_is_listed_and_taken_in_when_asked(open_panel: Open, path: Path, tmp_path: Path) -> None:
    other = Path(shutil.copyfile(path, tmp_path / "other.biasprint"))
    project, plan = at(other)
    stranger = packets_for(project, plan, ["R09"], tmp_path / "out")["R09"]
    project.close()
    answer_packet(stranger, {0: A}, finish=True)
    project, plan = at(path)
    known = packets_for(project, plan, ["R01"], tmp_path / "in")["R01"]
    project.close()
    answer_packet(known, {0: B}, finish=True)
    bench = open_panel(path)
    bench.panel.opened_with(packets=[known, stranger])
    bench.settle()
    report = bench.panel.packets.report
    assert "R09" in report.unknown.text.text()
    assert "R09" not in [row.code for row in bench.project.judging.raters()]
    bench.press(report.accept)
    assert "R09" in [row.code for row in bench.project.judging.raters()]
    assert report.unknown.isHidden()
    # What was told of the other file still stands there.
    assert [(row.cells[1], row.cells[2]) for row in report.view.table.rows] == [("R01", "1"), ("R09", "1")]


def test_an_altered_packet_waits_for_a_decision_and_is_merged_when_asked(
    open_panel: Open, path: Path, tmp_path: Path
) -> None:
    project, plan = at(path)
    paths = packets_for(project, plan, ["R01", "R02"], tmp_path / "in")
    project.close()
    for one in paths.values():
        answer_packet(one, {0: B}, finish=True)
    with closing(sql(paths["R02"])) as connection:  # as by somebody who seals it anew without the keys
        connection.execute("UPDATE packet SET manifest = json_set(manifest, '$.chain.tag', ?)", ("0" * 64,))
        connection.commit()
    bench = open_panel(path)
    bench.panel.opened_with(packets=list(paths.values()))
    bench.settle()
    report = bench.panel.packets.report
    assert [row.cells[2] for row in report.view.table.rows] == ["1", "—"]
    assert report.view.table.rows[1].cells[6].startswith("Not merged: its answers were altered outside the program")
    assert "R02" in report.held.text.text()
    assert report.unknown.isHidden()
    bench.press(report.merge_held)
    assert len(bench.project.judging.judgments()) == 2
    assert report.held.isHidden()
    assert "Merged by your decision" in report.view.table.rows[1].cells[6]


def test_a_second_finished_copy_waits_as_a_copy_not_as_altered(open_panel: Open, path: Path, tmp_path: Path) -> None:
    project, plan = at(path)
    paths = packets_for(project, plan, ["R01", "R02"], tmp_path / "in")
    project.close()
    first = answer_packet(paths["R01"], {0: A})
    second = Path(shutil.copyfile(first, tmp_path / "in" / "second.bpacket"))
    answer_packet(first, {}, finish=True)
    answer_packet(second, {0: B}, finish=True)  # goes on from the same answer
    bench = open_panel(path)
    bench.panel.opened_with(packets=[first, second])
    bench.settle()
    report = bench.panel.packets.report
    assert report.held.text.text() == (
        "1 packet waits for your decision, because another finished copy was merged before: R01."
    )
    answer_packet(paths["R02"], {0: B}, finish=True)
    with closing(sql(paths["R02"])) as connection:
        connection.execute("UPDATE packet SET manifest = json_set(manifest, '$.chain.tag', ?)", ("0" * 64,))
        connection.commit()
    bench.panel.opened_with(packets=[second, paths["R02"]])
    bench.settle()
    assert report.held.text.text() == (
        "1 packet waits for your decision, because answers are not as they were signed: R02. "
        "1 packet waits for your decision, because another finished copy was merged before: R01."
    )


# everywhere


def test_a_project_that_is_read_only_can_be_looked_at_and_not_changed(
    qtbot: QtBot, window: MainWindow, contested: Path, tmp_path: Path
) -> None:
    window.session.open(contested, read_only=True)
    qtbot.waitUntil(lambda: window.project is not None, timeout=PATIENCE)
    bench = Bench(qtbot, window, contested)
    panel = bench.panel
    assert panel.read_only.isVisible()
    assert not panel.plans.make.isEnabled()
    bench.tab("decisions")
    bench.press(panel.decisions.open)
    assert not any(answer.count.isEnabled() for answer in panel.decisions.page.answers)
    bench.tab("quality")
    assert not panel.quality.measure.isEnabled()
    panel.opened_with(packets=[tmp_path / "out" / "first.bpacket"])
    bench.settle()
    assert any("read-only" in said for said in window.banners.texts())


def test_when_a_rater_sits_down_the_panel_is_gone(open_panel: Open, disputed: Path) -> None:
    bench = open_panel(disputed)
    bench.window.set_blind(True)
    assert "raters" not in bench.window.panels
    bench.window.set_blind(False)


def test_another_project_leaves_nothing_of_the_last_one(
    open_panel: Open, contested: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    bench = open_panel(contested)
    for tab in bench.panel.sections:
        bench.tab(tab)
    bench.tab("decisions")
    bench.press(bench.panel.decisions.open)
    other = tmp_path / "other.biasprint"
    Project.create(other).close()
    bench.window.session.open(other)
    qtbot.waitUntil(lambda: bench.window.project is not None and bench.project.path == other, timeout=PATIENCE)
    bench.settle()
    for tab in bench.panel.sections:
        bench.tab(tab)
        assert not [word for word in ("Poems", "zqfirst", "R01") if word in bench.said()], tab
    assert bench.panel.tabs.tabText(2) == "Decisions"


def test_the_project_is_never_read_on_the_windows_thread(
    open_panel: Open, contested: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from biasprint.core.project.reader import Reader

    readers: set[str] = set()
    run = Reader.run

    def told(self: Reader, *given: Any) -> Any:
        readers.add(threading.current_thread().name)
        return run(self, *given)

    bench = open_panel(contested)
    monkeypatch.setattr(Reader, "run", told)
    for tab in bench.panel.sections:
        bench.tab(tab)
    bench.tab("decisions")
    bench.press(bench.panel.decisions.open)
    bench.press(bench.panel.decisions.page.neither)
    assert readers
    assert "MainThread" not in readers


def test_every_control_is_named_for_who_cannot_see_it(open_panel: Open, disputed: Path) -> None:
    bench = open_panel(disputed)
    for tab in bench.panel.sections:
        bench.tab(tab)
    kinds = (QAbstractButton, QLineEdit, QComboBox, QTableView)
    nameless = [
        widget
        for kind in kinds
        for widget in bench.panel.findChildren(kind)
        if not widget.accessibleName()
        and not getattr(widget, "text", str)()
        # Qt's own parts of a table, and buttons of a notice that has nothing to say
        and type(widget).__module__.startswith("biasprint.desktop")
    ]
    assert nameless == []


# reasons


def test_reasons_are_told_by_what_was_chosen_with_the_notes_themselves(open_panel: Open, path: Path) -> None:
    project, plan = at(path)
    rate(project, plan, "R01", dict.fromkeys(range(3), A), notes=dict.fromkeys(range(3), "vivid, vivid"))
    rate(project, plan, "R02", {0: B}, notes={0: "<b>warm"})
    project.close()
    bench = open_panel(path)
    bench.tab("reasons")
    reasons = bench.panel.reasons
    bench.qtbot.waitUntil(lambda: len(reasons.view.table.rows) == 2)
    by_words = {row.cells[2]: (row.cells[1], row.key) for row in reasons.view.table.rows}
    assert by_words["vivid (6 times, 0 for the others)"][0] == "3"
    assert by_words["none is more frequent here"][0] == "1"
    reasons.view.select(by_words["none is more frequent here"][1])
    assert reasons.given.text() == "R02: “<b>warm”"
    assert reasons.given.textFormat() == Qt.TextFormat.PlainText
    assert reasons.slices.isHidden(), "nothing is measured yet"


def test_without_notes_the_tab_of_reasons_says_what_to_do(open_panel: Open, path: Path) -> None:
    bench = open_panel(path)
    bench.tab("reasons")
    reasons = bench.panel.reasons
    bench.qtbot.waitUntil(lambda: reasons.pages.currentWidget() is reasons.nothing)


def test_a_share_of_a_part_opens_the_texts_behind_it(open_panel: Open, path: Path) -> None:
    project, plan = at(path)
    rate(project, plan, "R01", {0: A, 1: A, 2: B})
    rate(project, plan, "R02", {0: A, 1: A, 2: B})
    compute: Any = Inline()
    measure_project(JobContext(), project, "creativity", MeasureOptions(as_stored=True), compute)
    project.close()
    bench = open_panel(path)
    bench.tab("reasons")
    reasons = bench.panel.reasons
    bench.qtbot.waitUntil(lambda: bool(reasons.shares))
    finding = reasons.shares[0]
    assert len(finding.dims) == 2
    reasons.slices.view.opened.emit(reasons.slices.view.table.rows[0].key)
    bench.qtbot.waitUntil(lambda: bool(reasons.figure.names.stringList()))
    assert reasons.figure.finding is finding
    bench.qtbot.waitUntil(lambda: not reasons.figure.visibleRegion().isEmpty())
