"""Conflicts decided, disagreements adjudicated and quality shown in the raters panel, over real project files."""

from collections.abc import Callable
from pathlib import Path

import pytest
from packet_files import answer, coordinator, copied, finished, merge
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot
from raters_bench import PATIENCE, Bench
from raters_scene import (
    IDENTITIES,
    A,
    B,
    C,
    answer_packet,
    at,
    castle,
    contest,
    copy_of,
    merged,
    packets_for,
    rate,
)

from biasprint.core.findings import Finding, Interval
from biasprint.core.jobs import JobContext
from biasprint.core.judging.adjudication import adjudicated
from biasprint.core.judging.packets.decisions import conflicts, seats_to_decide
from biasprint.core.judging.packets.hand_out import make_seats
from biasprint.core.project.project import Project
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.raters.decisions import SeatsCard
from biasprint.desktop.wording.raters import report_words

pytestmark = pytest.mark.usefixtures("read_at_once")
Open = Callable[[Path], Bench]


@pytest.fixture
def open_panel(qtbot: QtBot, window: MainWindow) -> Open:
    return lambda path: Bench(qtbot, window, path)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return castle(tmp_path)


# decisions


@pytest.fixture
def contested(path: Path, tmp_path: Path) -> Path:
    return contest(path, tmp_path / "out")


def test_a_conflict_is_decided_and_decided_again(open_panel: Open, contested: Path) -> None:
    bench = open_panel(contested)
    decisions = bench.panel.decisions
    assert bench.panel.tabs.tabText(2) == "Decisions (1)"
    bench.tab("decisions")
    bench.press(decisions.open)
    page = decisions.page
    assert len([card for card in page.cards.shown if card.reading.text()]) == 3
    assert [answer.note.text() for answer in page.answers] == ["zqfirst", "zqsecond"]
    before = bench.project.judging.judgments(superseded=True)
    (conflict,) = conflicts(bench.project)
    bench.press(page.answers[1].count)
    assert conflicts(bench.project)[0].decided == conflict.heads[1].id
    bench.qtbot.waitUntil(lambda: page.answers[1].chosen, timeout=PATIENCE)
    assert bench.panel.tabs.tabText(2) == "Decisions"
    bench.press(page.neither)
    assert (conflicts(bench.project)[0].decided, conflicts(bench.project)[0].open) == (None, False)
    assert not page.answers[1].chosen
    bench.press(page.answers[0].count)
    assert conflicts(bench.project)[0].decided == conflict.heads[0].id
    assert bench.project.judging.judgments(superseded=True)[: len(before)] == before  # nothing was overwritten
    QTest.keyClick(page, Qt.Key.Key_Escape)
    assert decisions.inside.currentIndex() == 0
    assert decisions.conflicts.table.rows[0].cells[2] == "decided"


def test_conflicts_are_decided_in_bulk_after_a_question(open_panel: Open, path: Path, tmp_path: Path) -> None:
    project, plan = at(path)
    packet = packets_for(project, plan, ["R01"], tmp_path / "out")["R01"]
    first, second = copy_of(packet, "first.bpacket"), copy_of(packet, "second.bpacket")
    answer_packet(first, {0: A, 1: A, 2: C})
    answer_packet(second, {0: B, 1: C, 2: C}, finish=True)
    merged(project, first, second)
    project.close()
    bench = open_panel(path)
    bench.tab("decisions")
    decisions = bench.panel.decisions
    bench.press(decisions.in_bulk[-1])
    (question,) = bench.window.findChildren(Question)
    assert question.windowTitle() == "Decide 2 conflicts alike?"
    assert all(one.open for one in conflicts(bench.project))
    bench.press(question.risky_button)
    bench.qtbot.waitUntil(lambda: not any(one.open for one in conflicts(bench.project)), timeout=PATIENCE)
    found = conflicts(bench.project)
    assert [one.decided for one in found] == [one.heads[-1].id for one in found]
    bench.qtbot.waitUntil(lambda: not decisions.in_bulk[-1].isVisible(), timeout=PATIENCE)


def test_seats_of_a_workshop_whose_copies_differ_are_told_by_their_number_and_decided_alike(
    open_panel: Open, tmp_path: Path
) -> None:
    path = tmp_path / "workshop.biasprint"
    plan = coordinator(path, comparisons=2, workshop=True)
    with Project.open(path) as project:
        (seat,) = make_seats(JobContext(), project, plan, 1, tmp_path)
    other = copied(seat.path, "other.bpacket")
    finished(answer(seat.path, (0, "choice", 0), (1, "choice", 0)))
    finished(answer(other, (0, "choice", 1), (1, "choice", 1)))
    report = merge(path, seat.path, other)
    assert "1 seat of a workshop came back in copies that differ" in report_words(report)
    bench = open_panel(path)
    assert bench.panel.tabs.tabText(2) == "Decisions (1)"
    bench.tab("decisions")
    (card,) = bench.panel.decisions.findChildren(SeatsCard)
    assert "1 seat came back in copies that differ in 2 answers." in card.said.text()
    assert seat.code not in bench.said(), "whose it is"
    bench.press(card.buttons["last"])
    (question,) = bench.window.findChildren(Question)
    bench.press(question.risky_button)
    bench.qtbot.waitUntil(lambda: bench.panel.tabs.tabText(2) == "Decisions", timeout=PATIENCE)
    assert seats_to_decide(bench.project) == ()


def test_identities_are_not_named_where_a_conflict_is_decided(open_panel: Open, contested: Path) -> None:
    bench = open_panel(contested)
    bench.tab("decisions")
    bench.press(bench.panel.decisions.open)
    said = bench.said()
    assert not [name for name in IDENTITIES if name in said or name.title() in said]


def test_answers_of_a_packet_that_is_not_finished_stay_hidden_until_they_are_counted(
    open_panel: Open, path: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    project, plan = at(path)
    packet = packets_for(project, plan, ["R01"], tmp_path / "out")["R01"]
    first, second = copy_of(packet, "first.bpacket"), copy_of(packet, "second.bpacket")
    answer_packet(first, {0: A}, note="zqnote")
    answer_packet(second, {0: B, 1: C}, note="zqnote")
    merged(project, first, second)
    project.close()
    bench = open_panel(path)
    assert bench.panel.tabs.tabText(2) == "Decisions"  # nothing can be decided yet
    bench.tab("decisions")
    decisions = bench.panel.decisions
    bench.press(decisions.open)
    assert "zqnote" not in bench.said()
    assert decisions.page.answers == []
    assert decisions.page.neither.isHidden()
    decisions.close_page()
    assert [row.cells for row in decisions.unfinished.table.rows] == [("R01", "Poems", "1", "0", "5")]
    decisions.ask_to_count()
    (question,) = bench.window.findChildren(Question)
    bench.press(question.safe_button)
    assert bench.project.judging.sessions()[0].revealed_at is None
    decisions.ask_to_count()
    (question,) = [one for one in bench.window.findChildren(Question) if one.isVisible()]
    bench.press(question.risky_button)
    assert bench.project.judging.sessions()[0].revealed_at is not None
    assert decisions.unfinished.table.rows == ()
    bench.press(decisions.open)
    assert len(decisions.page.answers) == 2


# adjudication


@pytest.fixture
def disputed(path: Path) -> Path:
    project, plan = at(path)
    rate(project, plan, "R01", {0: A, 1: A, 3: A}, notes={0: "zqnote of R01"})
    rate(project, plan, "R02", {0: B, 1: A, 3: ("tie", None)})
    rate(project, plan, "R03", {0: C, 1: B})
    project.close()
    return path


def test_a_comparison_is_adjudicated_by_keys(open_panel: Open, disputed: Path) -> None:
    bench = open_panel(disputed)
    bench.tab("adjudication")
    section = bench.panel.adjudication
    assert section.said.text().startswith("0 comparisons are adjudicated, 3 left.")
    section.view.setFocus()
    section.view.select(section.listed[0].comparison.id)
    QTest.keyClick(section.view, Qt.Key.Key_Return)
    bench.settle()
    one = section.listed[0]
    assert "zqnote of R01" in bench.said()
    QTest.keyClick(section.page, "2")
    bench.settle()
    kept = adjudicated(bench.project)[one.comparison.id]
    assert (kept.outcome, kept.chosen) == ("choice", one.order[1])  # B is the second card, whatever item it shows
    assert section.page.cards.cards[1].chosen
    assert bench.panel.tabs.tabText(3) == "Adjudication (2)"
    QTest.keyClick(section.page, "0")
    bench.settle()
    assert adjudicated(bench.project)[one.comparison.id].outcome == "tie"
    bench.press(section.page.withdraw)
    assert adjudicated(bench.project) == {}
    QTest.keyClick(section.page, Qt.Key.Key_Escape)
    assert section.inside.currentIndex() == 0
    assert section.view.hasFocus()


def test_typing_a_note_judges_nothing_and_the_note_is_kept(open_panel: Open, disputed: Path) -> None:
    bench = open_panel(disputed)
    bench.tab("adjudication")
    section = bench.panel.adjudication
    section.show_one(section.listed[0].comparison.id)
    bench.settle()
    section.page.note.setFocus()
    QTest.keyClicks(section.page.note, "1 x 0")
    bench.settle()
    assert adjudicated(bench.project) == {}
    bench.press(section.page.none)
    (kept,) = adjudicated(bench.project).values()
    assert (kept.outcome, kept.note) == ("none", "1 x 0")
    QTest.keyClicks(section.page.note, "!")
    assert section.page.save_note.isVisible()
    bench.press(section.page.save_note)
    (kept,) = adjudicated(bench.project).values()
    assert (kept.outcome, kept.note) == ("none", "1 x 0!")


def test_identities_are_named_only_when_asked_for_and_hidden_again_with_the_next(
    open_panel: Open, disputed: Path
) -> None:
    bench = open_panel(disputed)
    bench.tab("adjudication")
    section = bench.panel.adjudication
    first = section.listed[0]
    section.show_one(first.comparison.id)
    bench.settle()
    assert [card.caption.text() for card in section.page.cards.shown] == ["A", "B", "C"]
    bench.press(section.page.names)
    names = [IDENTITIES[item].title() for item in first.order]
    assert [card.caption.text() for card in section.page.cards.shown] == [
        f"{letter} · {name}" for letter, name in zip("ABC", names, strict=True)
    ]
    bench.press(section.page.head.after)
    assert [card.caption.text() for card in section.page.cards.shown] == ["A", "B", "C"]
    assert section.shown == section.listed[1].comparison.id


def test_filters_narrow_and_say_so_where_nothing_is_left(open_panel: Open, disputed: Path) -> None:
    bench = open_panel(disputed)
    bench.tab("adjudication")
    section = bench.panel.adjudication
    section.task.setCurrentIndex(section.task.findData("short_poem"))
    section.task.activated.emit(section.task.currentIndex())
    assert [one.comparison.task for one in section.listed] == ["short_poem"]
    section.show_one(section.listed[0].comparison.id)
    bench.settle()
    bench.press(section.page.tie)
    section.left_only.setChecked(True)
    assert len(section.listed) == 1  # it stays while it is looked at
    section.close_page()
    bench.qtbot.waitUntil(lambda: section.table_pages.currentWidget() is section.no_match, timeout=PATIENCE)
    bench.press(section.no_match.button)
    assert len(section.listed) == 3


def test_without_two_who_finished_it_says_when_disagreements_come(open_panel: Open, path: Path) -> None:
    bench = open_panel(path)
    bench.tab("adjudication")
    section = bench.panel.adjudication
    assert section.pages.currentWidget() is section.nothing
    assert "Once two people have finished" in section.nothing.text.text()


# quality


def test_quality_is_shown_with_what_is_newer_and_measured_on_demand(
    open_panel: Open, disputed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, plan = at(disputed)
    one = Finding(
        id="creativity.quality.consistency",
        label="everyone",
        title="Hidden repeats answered the same both times: everyone",
        groups=("same", "different"),
        estimate=0.75,
        unit="proportion",
        n=20,
        interval=Interval(0.53, 0.89, 0.95, "Wilson"),
        contrast={"same": 0.45},
    )
    project.findings.replace("creativity", "whole study", {"seed": 1}, [one])
    project.close()
    bench = open_panel(disputed)
    bench.tab("quality")
    quality = bench.panel.quality
    assert quality.cards["consistency"].view.table.rows[0].cells[1:] == (
        "0.75 (0.53–0.89)", "20 repeats", "Chance alone gives 0.30.",
    )  # fmt: skip
    assert quality.newer.isHidden()
    rate(bench.project, plan, "R04", {0: A})
    bench.settle()
    bench.tab("quality")
    assert not quality.newer.isHidden()
    started: list[tuple[str, bool]] = []
    monkeypatch.setattr(quality.jobs, "start", lambda study, *, as_stored: started.append((study, as_stored)))
    bench.press(quality.measure)
    assert started == [("creativity", True)], "it waited for embeddings that it does not need"


def test_where_nobody_has_finished_quality_leads_to_the_plans(open_panel: Open, path: Path) -> None:
    bench = open_panel(path)
    bench.tab("quality")
    assert bench.panel.quality.nothing.title.text() == "Nobody has finished yet"
    bench.press(bench.panel.quality.nothing.button)
    assert bench.panel.stack.currentWidget() is bench.panel.plans


def test_marked_words_are_shaded_by_how_many_raters_marked_them_and_degrees_stand_beside_codes(
    open_panel: Open, path: Path
) -> None:
    project, plan = at(path)
    with project:
        for code, chosen, degree, spans in (
            ("R01", 0, "much", [[0, 0, 6]]), ("R02", 1, "slightly", [[0, 4, 8]]), ("R03", 1, "slightly", []),
        ):  # fmt: skip
            detail = {"degree": degree, "confidence": 3} | ({"spans": spans} if spans else {})
            rate(project, plan, code, {0: ("choice", chosen)}, details={0: detail})
    bench = open_panel(path)
    bench.tab("adjudication")
    section = bench.panel.adjudication
    section.show_one(section.listed[0].comparison.id)
    page = section.page
    bench.qtbot.waitUntil(page.legend.isVisible, timeout=PATIENCE)
    card = page.cards.cards[page.one.order.index(0)]
    marks = card.reading.extraSelections()
    text = card.reading.text()
    assert [mark.cursor.selectedText() for mark in marks] == [text[0:4], text[4:6], text[6:8]]
    assert len({mark.format.background().color().name() for mark in marks}) == 2, "of one rater, and of two"
    assert len({mark.format.underlineStyle() for mark in marks}) == 2, "and a second cue"
    assert " ".join(page.legend.accessibleName().split()) == "Marked as a reason by 1 2 3 of 3 raters"
    lines = [label.text() for label in page.findChildren(QLabel)]
    letter = "ABC"[page.one.order.index(0)]
    assert any(line.startswith(f"R01: {letter} much better, sure") for line in lines)
    section.close_page()
    section.show_one(section.listed[0].comparison.id)
    bench.qtbot.waitUntil(page.legend.isVisible, timeout=PATIENCE)
