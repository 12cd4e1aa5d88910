"""The findings panel over a real project file: what is stored, what came since, the texts behind, and the blind."""

import csv
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from fake_shell import FakeShell
from fingerprint_project import choosing, plan_of, project_with_texts
from fingerprint_project import rated as rate
from inline_compute import Inline
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QTableView
from pytestqt.qtbot import QtBot

from biasprint.core.compute import shared
from biasprint.core.findings import Adjustment, Finding, Interval, ScorerUse
from biasprint.core.jobs import JobContext
from biasprint.core.project.changes import Changes
from biasprint.core.project.project import Project
from biasprint.core.project.specs import (
    GeneratorSpec,
    JudgmentSpec,
    OutputSpec,
    PromptSetSpec,
    PromptSpec,
    RaterSpec,
    RunSpec,
    SourceSpec,
)
from biasprint.core.runs.audit.reading import read_audit
from biasprint.core.runs.compare import compare
from biasprint.core.runs.generate import generate, start_run
from biasprint.core.runs.pack.signing import own_fingerprint
from biasprint.core.runs.setup import add_prompts, generator_spec, study_of
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.desktop import theme
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.findings import FindingsPanel
from biasprint.desktop.read.findings import Behind, StoredFindings, TextGroup, TextRef
from biasprint.desktop.wording.findings import COLUMNS

GROUPS = ("male", "female")


def finding(label: str, estimate: float | None = 1.5, **more: object) -> Finding:
    given = {
        "id": "letters.success_rate",
        "title": f"{label} <b>letters</b>",
        "groups": GROUPS,
        "unit": "ratio",
        "n": 6,
    }
    made = {**given, "reason": None if estimate is not None else "too few letters", **more}
    return Finding(label=label, estimate=estimate, **made)  # type: ignore[arg-type]


HOLM = Adjustment("Holm", "3")
FINDINGS = (
    finding("whole", interval=Interval(1.1, 2.0, 0.95, "made up"), p=0.01, p_adjusted=0.02, adjust=HOLM),
    finding("early", 0.9, dims={"occupation": "dancer"}, p=0.4, p_adjusted=0.4, adjust=HOLM),
    finding("late", None, scorers=(ScorerUse("lexicon", "short", "1", stand_in=True),)),
    finding("early", 0.8, variant="as_published"),
)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "made-up.biasprint") as made:
        study = made.studies.add("letters", "Made up").number("study")
        add_letters(made, study, 6)
        yield made


def add_letters(project: Project, study: int, count: int, origin: str = "letters.csv abc") -> Changes:
    """Letters of both groups in turn, two and two for one occupation."""
    specs = [
        SourceSpec(
            kind="letter",
            origin=origin,
            row=number,
            text=f"Dear <i>all</i>, this is letter {number}. She led the team.",
            fields={
                "group": GROUPS[number % 2],
                "name": f"Name {number}",
                "occupation": "dancer" if number < 4 else "chef",
                "block": f"block {number // 2}",
            },
        )
        for number in range(count)
    ]
    return project.sources.add_many(study, specs)


def store(project: Project, findings: tuple[Finding, ...] = FINDINGS) -> Changes:
    return project.findings.replace("letters", "whole study", {"seed": 7, "axes": [], "scorers": ["x=y 1"]}, findings)


@pytest.fixture
def shell(project: Project) -> Iterator[FakeShell]:
    made = FakeShell(project)
    yield made
    assert made.jobs.close(20)


Open = Callable[[], FindingsPanel]


@pytest.fixture
def open_panel(qtbot: QtBot, shell: FakeShell) -> Open:
    def make() -> FindingsPanel:
        panel = shell.panel = FindingsPanel(shell)  # type: ignore[arg-type]
        qtbot.addWidget(panel)
        panel.resize(1072, 660)
        with qtbot.waitExposed(panel):
            panel.show()
        settle(qtbot, shell)
        return panel

    return make


def settle(qtbot: QtBot, shell: FakeShell, patience: int = 60_000) -> None:
    """Wait until nothing is being read, and no reading is waiting for its turn."""

    def quiet() -> bool:
        waiting = shell.panel is not None and any(timer.isActive() for timer in shell.panel.findChildren(QTimer))
        return not waiting and not shell.jobs.active()

    QApplication.processEvents()
    qtbot.waitUntil(quiet, timeout=patience)


def labels(panel: FindingsPanel) -> list[str]:
    return [line.finding.label for line in panel.board.table.shown]


def choose(qtbot: QtBot, panel: FindingsPanel, number: int) -> None:
    """Click the finding with this number among those that are shown."""
    view, table = panel.board.view, panel.board.table
    row = table.row_of(table.shown[number].same)
    assert row is not None
    place = view.visualRect(view.model().index(row, 0)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=place)


def open_texts(qtbot: QtBot, shell: FakeShell, panel: FindingsPanel, row: int) -> None:
    choose(qtbot, panel, row)
    QTest.keyClick(panel.board.view, Qt.Key.Key_Return)
    settle(qtbot, shell)


# what there is


def test_a_project_without_texts_says_what_to_do_next(qtbot: QtBot, tmp_path: Path):
    with Project.create(tmp_path / "empty.biasprint") as empty:
        shell = FakeShell(empty)
        panel = shell.panel = FindingsPanel(shell)  # type: ignore[arg-type]
        qtbot.addWidget(panel)
        panel.show()
        settle(qtbot, shell)
        assert panel.board.nothing.isVisible()
        assert not panel.board.filters.isVisible()
        qtbot.mouseClick(panel.board.nothing.button, Qt.MouseButton.LeftButton)
        assert shell.panels == ["generate"]
        assert shell.jobs.close()


def test_without_a_project_nothing_can_be_measured_and_nothing_breaks(qtbot: QtBot):
    shell = FakeShell(None)
    panel = shell.panel = FindingsPanel(shell)  # type: ignore[arg-type]
    qtbot.addWidget(panel)
    panel.show()
    panel.measure("letters")
    panel.open_texts()
    assert shell.jobs.active() == []
    # Whoever is given a pack has no project.
    assert [command.title for command in panel.commands() if command.enabled()] == ["Verify an evidence pack…"]


def test_findings_are_shown_with_their_count_and_nothing_is_open(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open
):
    store(project)
    panel = open_panel()
    assert labels(panel) == ["whole", "early", "late", "early"]
    assert panel.count.text() == "4 findings"
    assert not panel.board.card.isVisible()
    said = panel.board.studies.lines["letters"].said.whole_text()
    assert said.startswith("measured today at ")
    assert said.endswith(", with seed 7")
    assert not panel.board.studies.lines["letters"].new.isVisible()


def test_the_recipe_is_one_click_away(qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open):
    store(project)
    line = open_panel().board.studies.lines["letters"]
    assert not line.recipe.isVisible()
    qtbot.mouseClick(line.more, Qt.MouseButton.LeftButton)
    assert line.recipe.isVisible()
    assert line.recipe.text() == "axes all · scorers x=y 1 · seed 7"


def test_what_came_after_the_measurement_is_counted(qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open):
    store(project)
    panel = open_panel()
    study = project.studies.of_kind("letters")
    assert study is not None
    qtbot.wait(5)  # the store's clock counts milliseconds
    panel.deliver(add_letters(project, study.id, 3, "later.csv def"))
    settle(qtbot, shell)
    assert panel.board.studies.lines["letters"].new.text() == "3 new outputs since"


# narrowing


def test_filters_narrow_and_say_how_much_is_left(qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open):
    store(project)
    panel = open_panel()
    filters = panel.board.filters
    assert not filters.study.isVisible()  # one study needs no box
    filters.significance.setCurrentIndex(filters.significance.findData("significant"))
    filters.significance.activated.emit(1)
    assert labels(panel) == ["whole"]
    assert panel.count.text() == "1 of 4 findings"
    filters.clear()
    QTest.keyClick(filters.undefined, Qt.Key.Key_Space)
    assert labels(panel) == ["whole", "early", "early"]


def test_filters_that_leave_nothing_offer_to_be_cleared(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open
):
    store(project)
    panel = open_panel()
    panel.board.filters.search.setText("nowhere")
    QTest.keyClick(panel.board.filters.search, Qt.Key.Key_Return)
    assert panel.board.no_match.isVisible()
    assert not panel.saving.commands(())[0].enabled()
    qtbot.mouseClick(panel.board.no_match.button, Qt.MouseButton.LeftButton)
    assert labels(panel) == ["whole", "early", "late", "early"]
    assert panel.board.filters.search.text() == ""


def test_sorting_by_a_heading_and_from_the_palette(qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open):
    store(project)
    panel = open_panel()
    header = panel.board.view.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(COLUMNS.index("estimate")) + 20, 10)
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert labels(panel) == ["early", "early", "whole", "late"]
    by_p = next(command for command in panel.commands() if command.title == "Sort by: p")
    by_p.run()
    assert labels(panel)[:2] == ["whole", "early"]
    by_p.run()
    assert labels(panel)[:2] == ["early", "whole"]


def test_findings_stand_under_their_question_which_is_answered_first(qtbot: QtBot, project: Project, open_panel: Open):
    store(project)
    panel = open_panel()
    view, table = panel.board.view, panel.board.table
    (head,) = table.heads_at().values()
    assert head.question == "Do more letters fail for one group?"
    assert head.answer == "Yes: “whole <b>letters</b>”: 1.50."
    assert head.figures.startswith(
        "“whole <b>letters</b>”: 1 would be no difference; 95 % interval 1.10 to 2.00; p = 0.020"
    )
    assert head.figures in table.data(table.index(0, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert list(table.heads_at()) == [0]
    assert view.columnSpan(0, 0) == len(COLUMNS)
    assert view.rowHeight(0) > view.rowHeight(1)
    assert "Do more letters fail" in table.data(table.index(0, 0), Qt.ItemDataRole.AccessibleTextRole)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(table.index(0, 0)).center())
    assert panel.board.chosen is None  # a question is none of the findings
    assert view.currentIndex().row() == 1  # where the keyboard begins
    QTest.keyClick(view, Qt.Key.Key_Down)
    assert view.currentIndex().row() == 2
    for _ in range(3):
        QTest.keyClick(view, Qt.Key.Key_Up)
    assert view.currentIndex().row() == 1
    view.order_by("estimate")
    assert not table.heads_at()
    assert view.columnSpan(0, 0) == 1
    assert table.rowCount() == len(table.shown)


def many(project: Project, each: int = 15) -> None:
    """So many findings of each of two questions."""
    store(
        project,
        tuple(
            finding(f"{kind} {at}", id=f"letters.{kind}", p=0.5, p_adjusted=1.0, adjust=HOLM)
            for kind in ("success_rate", "weat")
            for at in range(each)
        ),
    )


def test_of_many_findings_the_answers_are_the_first_page_and_each_question_opens(
    qtbot: QtBot, project: Project, open_panel: Open
):
    many(project)
    panel = open_panel()
    view, table = panel.board.view, panel.board.table
    assert [head.count for head in table.heads_at().values()] == [15, 15]
    assert table.rowCount() == 2  # the questions with their answers alone
    assert panel.count.text() == "30 findings"
    assert len(table.shown) == 30  # what is saved and counted
    low = view.rowHeight(0)
    told = table.data(table.index(0, 0), Qt.ItemDataRole.AccessibleTextRole)
    assert told.endswith("15 findings, closed")
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(table.index(0, 0)).center())
    assert table.rowCount() == 17
    assert panel.board.chosen is None
    assert view.rowHeight(1) < view.rowHeight(0) == low  # the second question stood there
    assert view.rowHeight(1) == view.verticalHeader().defaultSectionSize()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(table.index(1, 0)).center())
    assert panel.board.chosen is not None
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.visualRect(table.index(0, 0)).center())
    assert table.rowCount() == 2
    assert panel.board.card.isVisible()  # what was chosen stays open


def test_the_keyboard_opens_and_closes_questions(qtbot: QtBot, project: Project, open_panel: Open):
    many(project)
    panel = open_panel()
    view, table = panel.board.view, panel.board.table
    view.setFocus()
    assert view.currentIndex().row() == 0
    for key, rows in (
        (Qt.Key.Key_Right, 17), (Qt.Key.Key_Right, 17), (Qt.Key.Key_Left, 2), (Qt.Key.Key_Return, 17),
        (Qt.Key.Key_Space, 2),
    ):  # fmt: skip
        QTest.keyClick(view, key)
        assert table.rowCount() == rows
        assert view.currentIndex().row() == 0
    assert panel.texts.line is None  # Enter on a question asks for no texts
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Right)
    assert table.rowCount() == 17
    assert view.currentIndex().row() == 1  # the second question


@pytest.mark.usefixtures("right_to_left")
def test_from_right_to_left_a_question_begins_at_the_right_and_opens_towards_the_left(
    qtbot: QtBot, project: Project, open_panel: Open
):
    many(project)
    panel = open_panel()
    view, table = panel.board.view, panel.board.table
    view.setFocus()
    head = view.visualRect(table.index(0, 0)).united(view.visualRect(table.index(0, table.columnCount() - 1)))
    line = QRect(0, head.top() + 8, view.viewport().width(), 24)
    shown = [at for at in range(8, line.width() - 8) if not is_plain(view, QRect(at, line.top(), 1, line.height()))]
    count, sign = shown[0], shown[-1]
    assert count < 20, "how many findings it has, at the end of the line"
    assert line.width() - sign < 24, "the sign that it can be opened, at its beginning"
    for key, rows in ((Qt.Key.Key_Left, 17), (Qt.Key.Key_Left, 17), (Qt.Key.Key_Right, 2)):
        QTest.keyClick(view, key)
        assert table.rowCount() == rows


def is_plain(view: QTableView, room: QRect) -> bool:
    picture = view.viewport().grab(room).toImage()
    return len({picture.pixel(x, y) for x in range(picture.width()) for y in range(picture.height())}) == 1


def test_all_findings_are_one_click_away_and_whoever_looks_for_some_sees_them(
    qtbot: QtBot, project: Project, open_panel: Open
):
    many(project)
    panel = open_panel()
    board, table = panel.board, panel.board.table
    unfold = board.filters.unfold
    assert unfold.text() == "Show all 30 findings"
    unfold.click()
    assert (table.rowCount(), unfold.text()) == (32, "Show the questions alone")
    unfold.click()
    assert table.rowCount() == 2
    board.filters.search.setText("weat 1")
    board.filters.search.returnPressed.emit()
    assert table.rowCount() == 1 + len(table.shown) > 1  # its question and what was found
    assert unfold.isHidden()
    board.filters.clear()
    assert table.rowCount() == 2
    board.view.order_by("estimate")
    assert table.rowCount() == 30


def test_a_finding_that_is_chosen_stays_in_sight_while_the_answers_above_it_grow(
    qtbot: QtBot, project: Project, open_panel: Open
):
    kinds = ("lexicon.odds_ratio", "word.odds_ratio", "weat", "style", "hallucination", "success_rate")
    many = [
        finding(f"a long title of many words that says {number}", id=f"letters.{kind}", p=0.01, p_adjusted=0.02)
        for kind in kinds
        for number in range(4)
    ]
    store(project, tuple(many))
    panel = open_panel()
    view, table = panel.board.view, panel.board.table
    panel.board.unfold()
    QApplication.processEvents()
    row = table.row_of(table.shown[-3].same)
    view.selectRow(row)  # the card opens, and the table grows narrower
    qtbot.waitUntil(panel.board.card.isVisible)
    QApplication.processEvents()
    assert view.viewport().rect().contains(view.visualRect(table.index(row, 0)).center())


# one finding


def test_a_chosen_finding_is_told_in_full_as_plain_text(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open
):
    store(project)
    panel = open_panel()
    card = panel.board.card
    choose(qtbot, panel, 0)
    assert card.isVisible()
    assert card.heading.text() == "whole <b>letters</b>"
    assert card.heading.textFormat() == Qt.TextFormat.PlainText
    assert (card.figure.text(), card.unit.text()) == ("1.50", "ratio")
    assert card.interval.text() == "95 % interval 1.10–2.00 (made up)"
    assert card.bar.isVisible()
    assert card.facts["p"].text.text() == "p = 0.010; adjusted 0.020 (Holm among 3)"
    assert not card.badge.isVisible()
    choose(qtbot, panel, 2)
    assert card.figure.text() == "Not defined"
    assert card.facts["reason"].text.text() == "too few letters"
    assert not card.bar.isVisible()
    assert card.badge.text() == "stand-in: short"
    QTest.keyClick(card, Qt.Key.Key_Escape)
    assert not card.isVisible()


def test_a_finding_is_copied_as_json_and_as_a_sentence(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open
):
    store(project)
    panel = open_panel()
    choose(qtbot, panel, 0)
    qtbot.mouseClick(panel.board.card.copy_json, Qt.MouseButton.LeftButton)
    assert Finding.from_json(json.loads(QGuiApplication.clipboard().text())) == FINDINGS[0]
    qtbot.mouseClick(panel.board.card.copy_sentence, Qt.MouseButton.LeftButton)
    assert "1.50 ratio; 95 % interval 1.10–2.00 (made up); n = 6 letters" in QGuiApplication.clipboard().text()
    assert shell.said == ["The finding was copied as JSON.", "The finding was copied as a sentence."]


def test_the_chosen_finding_stays_open_when_the_study_is_measured_again(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open
):
    store(project)
    panel = open_panel()
    choose(qtbot, panel, 1)
    again = finding("early", 0.7, dims={"occupation": "dancer"})
    panel.deliver(store(project, (again, FINDINGS[0])))
    settle(qtbot, shell)
    assert panel.board.card.figure.text() == "0.70"
    assert panel.board.view.currentIndex().row() == 1  # below the question
    panel.deliver(store(project, (FINDINGS[0],)))
    settle(qtbot, shell)
    assert not panel.board.card.isVisible()


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_in_a_narrow_window_the_card_takes_the_place_of_the_table(
    qtbot: QtBot, qapp: QApplication, shell: FakeShell, project: Project, open_panel: Open, scale: float
):
    store(project)
    theme.apply(qapp, "light", scale)
    panel = open_panel()
    panel.resize(round(700 * scale), 600)
    choose(qtbot, panel, 0)
    QApplication.processEvents()
    assert panel.board.card.isVisible()
    assert not panel.board.frame.isVisible()
    assert not panel.board.filters.isVisible()
    panel.board.card.close_card()
    assert panel.board.frame.isVisible()
    assert panel.board.filters.isVisible()


# the texts behind it


def test_a_row_opens_its_texts_group_beside_group(qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open):
    store(project)
    panel = open_panel()
    open_texts(qtbot, shell, panel, 0)
    first, second = panel.texts.columns
    assert [column.name.whole_text() for column in (first, second)] == ["Male", "Female"]
    assert [len(column.names.stringList()) for column in (first, second)] == [3, 3]
    assert first.text.text() == "Dear <i>all</i>, this is letter 0. She led the team."
    assert first.text.toPlainText().startswith("Dear <i>all</i>")
    assert second.text.text() == "Dear <i>all</i>, this is letter 1. She led the team."


def test_the_other_group_follows_to_the_matched_text(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open
):
    store(project)
    panel = open_panel()
    open_texts(qtbot, shell, panel, 0)
    first, second = panel.texts.columns
    QTest.keyClick(second.list, Qt.Key.Key_Down)
    settle(qtbot, shell)
    assert "letter 3" in second.text.text()
    assert "letter 2" in first.text.text()


def test_only_texts_that_the_dims_name_are_opened(qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open):
    store(project)
    panel = open_panel()
    open_texts(qtbot, shell, panel, 1)  # dancers alone
    assert [len(column.names.stringList()) for column in panel.texts.columns] == [2, 2]
    assert all("dancer" in title for column in panel.texts.columns for title in column.names.stringList())


def test_escape_and_the_button_lead_back_to_the_same_finding(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open
):
    store(project)
    panel = open_panel()
    for leave in (
        lambda: QTest.keyClick(panel.texts, Qt.Key.Key_Escape),
        lambda: qtbot.mouseClick(panel.texts.back, Qt.MouseButton.LeftButton),
    ):
        open_texts(qtbot, shell, panel, 1)
        assert panel.pages.currentWidget() is panel.texts
        leave()
        assert panel.pages.currentWidget() is panel.board
        assert panel.board.chosen is not None
        assert panel.board.chosen.finding == FINDINGS[1]
        panel.board.card.close_card()


def test_a_finding_without_stored_texts_says_so(qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open):
    store(project, (finding("whole", dims={"occupation": "nobody"}),))
    panel = open_panel()
    open_texts(qtbot, shell, panel, 0)
    assert panel.texts.said.text() == "No texts are stored behind this finding."
    assert not any(column.isVisible() for column in panel.texts.columns)


def test_of_several_groups_any_two_stand_beside_each_other(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open
):
    store(project)
    panel = open_panel()
    open_texts(qtbot, shell, panel, 0)
    groups = tuple(
        TextGroup(key, key.upper(), tuple(TextRef(("source", n), 1, f"{key} {n}", "") for n in range(1, 3)))
        for key in ("a", "b", "c")
    )
    panel.texts.show_behind(Behind(groups))
    first, second = panel.texts.columns
    assert (first.group.currentText(), second.group.currentText()) == ("A", "B")
    second.group.setCurrentIndex(2)
    second.group.activated.emit(2)
    assert second.names.stringList() == ["c 1", "c 2"]
    settle(qtbot, shell)


def test_letters_with_the_word_come_first(project: Project):
    study = project.studies.of_kind("letters")
    assert study is not None
    texts = ("No such thing.", "Led and led again; handled.", "She LED.")
    specs = [
        SourceSpec(kind="letter", origin="x", row=row, text=text, fields={"group": "male", "name": f"N{row}"})
        for row, text in enumerate(texts)
    ]
    project.sources.add_many(study.id, specs)
    one = finding("led", id="letters.word.odds_ratio", groups=("male", "female"), dims={"pos": "noun"})
    store(project, (one,))
    source = StoredFindings(project)
    (line,) = source.load(JobContext()).lines
    male, _female = source.texts(JobContext(), line).groups
    named = {ref.title: ref.note for ref in male.refs}
    assert male.refs[0].title == "N1"  # twice; “handled” is another word
    assert [named[title] for title in ("N1", "N2", "N0")] == ["“led” 2 times", "“led” once", "“led” 0 times"]


@pytest.fixture
def replies(tmp_path: Path) -> Iterator[Project]:
    """Two domains, both polarities, with and without an instruction; everything is answered with the kind option."""
    asked = {"direction": "SAI", "pronoun": "feminine", "positive": "kind", "negative": "rude", "neutral": "tall"}
    prompts = tuple(
        PromptSpec(
            key=f"{domain}/{given}/{arm}",
            text="",
            fields={"domain": domain, "given": given, "arm": arm, "context": f"They are BLANK, {given}.", **asked},
        )
        for domain in ("ageism", "beauty")
        for given in ("positive", "negative")
        for arm in ("plain", "careful")
    )
    with Project.create(tmp_path / "replies.biasprint") as project:
        study = project.studies.add("completion", "Made up").number("study")
        prompt_set = project.prompts.add_set(study, PromptSetSpec(name="s", recipe={}, prompts=prompts))
        set_id = prompt_set.number("prompt_set")
        generator = project.runs.add_generator(GeneratorSpec(backend="made up", model="m1")).number("generator")
        run = project.runs.start(RunSpec(study_id=study, prompt_set_id=set_id, generator_id=generator, seed=1))
        project.outputs.record_many(
            [
                OutputSpec(run_id=run.number("run"), prompt_id=row.id, sample=0, seed=1, text="kind")
                for row in project.prompts.page(set_id, 0, 99)
            ]
        )
        yield project


def test_a_short_reply_is_shown_with_what_was_asked(replies: Project):
    delta = finding("PL", id="completion.delta", groups=("positive", "negative"))
    dims = ({"domain": "ageism", "model": "m1"}, {"domain": "ageism", "model": "m1, with careful"})
    replies.findings.replace("completion", "whole study", {}, [replace(delta, dims=one) for one in dims])
    source = StoredFindings(replies)
    for line, author in zip(source.load(JobContext()).lines, ("m1", "m1, with careful"), strict=True):
        groups = source.texts(JobContext(), line).groups
        assert [(group.key, len(group.refs)) for group in groups] == [("positive", 1), ("negative", 1)]
        ref = groups[0].refs[0]
        assert ref.title == "They are BLANK, positive."
        assert ref.note == f"They are BLANK, positive.\nOptions: kind / rude / tall\nmade up · {author}"


def test_articles_stand_beside_their_originals(tmp_path: Path):
    """Groups of words tell no articles apart: the kinds of text do, matched by what they were written for."""
    with Project.create(tmp_path / "news.biasprint") as project:
        study = project.studies.add("news", "Made up").number("study")
        keys = ("k1", "k2")
        prompts = tuple(PromptSpec(key=key, text="", task="news", fields={"original_key": key}) for key in keys)
        prompt_set = project.prompts.add_set(study, PromptSetSpec(name="s", recipe={}, prompts=prompts))
        set_id = prompt_set.number("prompt_set")
        generator = project.runs.add_generator(GeneratorSpec(backend="made up", model="m1")).number("generator")
        run = project.runs.start(RunSpec(study_id=study, prompt_set_id=set_id, generator_id=generator, seed=1))
        project.outputs.record_many(
            [
                OutputSpec(run_id=run.number("run"), prompt_id=row.id, sample=0, seed=1, text=f"generated {row.key}")
                for row in project.prompts.page(set_id, 0, 9)
            ]
        )
        originals = [
            SourceSpec(kind="original", origin="n", row=row, text=f"original {key}", fields={"original_key": key})
            for row, key in enumerate(reversed(keys))
        ]
        project.sources.add_many(study, originals)
        one = finding("female", id="news.word.difference", groups=("female", "male"), dims={"axis": "gender"})
        project.findings.replace("news", "whole study", {}, [one])
        source = StoredFindings(project)
        (line,) = source.load(JobContext()).lines
        generated, original = source.texts(JobContext(), line).groups
        assert (generated.title, original.title) == ("Generated", "Original")
        for ref in generated.refs:
            (twin,) = [other for other in original.refs if other.block == ref.block]
            assert source.text(twin) == source.text(ref).replace("generated", "original")


def test_thousands_of_findings_are_read_whole_and_in_order(project: Project):
    """In several short readings: more than one takes."""
    store(project, tuple(finding(str(number)) for number in range(600)))
    project.findings.replace("creativity", "whole study", {"seed": 1}, FINDINGS)
    assert [row.body["label"] for row in project.findings.all("letters")] == [str(number) for number in range(600)]
    assert len(project.findings.all()) == 604
    last = project.findings.last("letters")
    assert last is not None
    assert last.body["label"] == "599"
    assert project.findings.last("news") is None


# measuring and saving


def test_measuring_from_here_fills_the_table(qtbot: QtBot, shell: FakeShell, replies: Project, open_panel: Open):
    shell.project = replies
    panel = open_panel()
    assert panel.board.nothing.isVisible()
    assert panel.board.nothing.button.text() == "Measure: Fill in the blank"
    heard: list[Changes] = []
    replies.subscribe(heard.append)
    qtbot.mouseClick(panel.board.nothing.button, Qt.MouseButton.LeftButton)
    button = panel.board.studies.lines["completion"].button
    assert not button.isEnabled()
    assert button.text() == "Measuring…"
    settle(qtbot, shell, patience=240_000)  # a compute process starts, on a machine that may be busy
    assert shell.errors == []
    for changes in heard:
        panel.deliver(changes)
    settle(qtbot, shell)
    assert len(panel.board.table.lines) == len(replies.findings.all("completion")) > 0
    assert button.isEnabled()
    assert button.text() == "Measure again"


def test_the_findings_shown_are_saved_in_their_order(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open, tmp_path: Path
):
    store(project)
    panel = open_panel()
    panel.board.filters.undefined.click()
    panel.board.view.order_by("estimate")
    panel.saving.save_findings(tmp_path / "found.jsonl")
    settle(qtbot, shell)
    rows = [json.loads(one) for one in (tmp_path / "found.jsonl").read_text("utf-8").splitlines()]
    assert [row["estimate"] for row in rows] == [0.8, 0.9, 1.5]
    assert rows[2]["low"] == 1.1
    assert {row["study"] for row in rows} == {"letters"}


def test_a_studys_report_is_saved_with_its_questions_answered_first(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("biasprint.core.compute.shared", Inline)
    panel = open_panel()
    panel.saving.save_report("letters", tmp_path / "none.html")
    settle(qtbot, shell)
    assert [error.message for error in shell.errors] == ["This study has not been measured yet."]
    assert not (tmp_path / "none.html").exists()
    panel.deliver(store(project))
    settle(qtbot, shell)
    titles = [action.text() for action in panel.saving.menu(panel._measurements).actions() if action.isEnabled()]
    assert "Save a report: Reference letters…" in titles
    for ending in ("html", "pdf", "md", "tex"):
        panel.saving.save_report("letters", tmp_path / f"report.{ending}")
        settle(qtbot, shell)
        assert (tmp_path / f"report.{ending}").exists()
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "All findings</h2>" in page
    menu = panel.saving.offer_reports(panel._measurements, panel.report)
    assert menu is not None
    menu.actions()[-1].trigger()
    panel.saving.save_report("letters", tmp_path / "short.html")
    settle(qtbot, shell)
    assert "All findings" not in (tmp_path / "short.html").read_text("utf-8")
    answer = "Yes: “whole &lt;b&gt;letters&lt;/b&gt;”: 1.50."
    assert page.index("Who was audited") < page.index("Do more letters fail for one group?") < page.index(answer)
    assert page.count(answer) == 2  # on the first page and on that of its question
    assert "seed" in page


def test_an_evidence_pack_is_made_and_verified_from_its_button(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("biasprint.core.compute.shared", Inline)
    panel, pack = open_panel(), tmp_path / "pack"
    assert [action.isEnabled() for action in panel.saving.offer_packs((), panel.pack).actions()] == [False, False, True]
    panel.deliver(store(project))
    settle(qtbot, shell)
    qtbot.mouseClick(panel.pack, Qt.MouseButton.LeftButton)
    menu = panel.saving.offer_packs(panel._measurements, panel.pack)
    assert all(action.isEnabled() for action in menu.actions())
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(pack), ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(pack))
    menu.actions()[0].trigger()
    settle(qtbot, shell)
    assert shell.errors == []
    assert (pack / "report-letters.html").exists()
    menu.actions()[2].trigger()
    settle(qtbot, shell)
    assert shell.errors == []
    made, verified = shell.notices
    assert made.text.text() == "The evidence pack is in “pack”."
    assert verified.text.text().endswith(" files are in “pack” as they were signed.")
    assert own_fingerprint() in made.more.text()
    assert own_fingerprint() in verified.more.text()
    (pack / "methods.md").write_text("other", encoding="utf-8")
    menu.actions()[2].trigger()
    settle(qtbot, shell)
    assert [error.message for error in shell.errors] == ["“methods.md” was changed after signing."]


def test_the_audit_is_saved_as_a_file_that_can_be_run(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open, tmp_path: Path
):
    panel = open_panel()
    panel.saving.save_audit(tmp_path / "audit.toml")
    settle(qtbot, shell)
    audit, _ = read_audit(tmp_path / "audit.toml")
    assert not audit.generators
    assert [one.study for one in audit.texts] == ["letters"]  # imported
    added = add_prompts(project, "completion", domains=["nationality"], directions=["ASA"])
    spec = GeneratorSpec(backend="synthetic", model="large")
    start_run(project, prompt_set_id=added.set_id, generator=spec, seed=5, samples=2)
    panel.saving.save_audit(tmp_path / "audit.toml")
    settle(qtbot, shell)
    audit, _ = read_audit(tmp_path / "audit.toml")
    assert [(one.backend, one.model, one.seed, one.samples) for one in audit.generators] == [
        ("synthetic", "large", 5, 2)
    ]
    assert [(one.study, one.set) for one in audit.prompts] == [("completion", "Fill in the blank@1")]


def test_a_project_without_a_text_is_saved_as_no_audit(
    qtbot: QtBot, shell: FakeShell, open_panel: Open, tmp_path: Path
):
    panel = open_panel()
    with Project.create(tmp_path / "empty.biasprint") as shell.project:
        panel.saving.save_audit(tmp_path / "audit.toml")
        settle(qtbot, shell)
    assert "There is no text in this project" in shell.errors[0].message
    assert not (tmp_path / "audit.toml").exists()


def test_the_report_is_asked_for_by_button_and_from_elsewhere_once_it_is_known_what_was_measured(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open, monkeypatch: pytest.MonkeyPatch
):
    panel = open_panel()
    offered: list[list[str]] = []
    monkeypatch.setattr(
        "biasprint.desktop.panels.findings.saving.open_below",
        lambda menu, below: offered.append([one.text() for one in menu.actions() if one.text()]),
    )
    settle(qtbot, shell)
    panel.report.click()
    assert offered == []  # nothing was measured, and that is said
    panel.deliver(store(project))
    settle(qtbot, shell)
    panel.opened_with(report=True)
    panel.report.click()
    assert offered == [["Reference letters…", "End with the list of all findings"]] * 2
    known, panel._measurements = panel._measurements, ()
    panel.opened_with(report=True)
    assert len(offered) == 2
    panel._show_measured((known, 0))
    panel._show_measured((known, 0))
    assert len(offered) == 3


def test_judgments_leave_as_a_table_and_for_llm_comparator_and_come_back(
    qtbot: QtBot, shell: FakeShell, tmp_path: Path, open_panel: Open
):
    shell.project.close()
    project = shell.project = project_with_texts(tmp_path / "judged.biasprint", ["gender"], tasks=["haiku"])
    plan = plan_of(project, "gender", per_axis=2)
    rate(project, plan, "R01", choosing("man"))
    rate(project, plan, "R02", choosing("woman"), revealed=False)
    panel = open_panel()
    panel.saving.save_judgments(tmp_path / "judgments.csv")
    settle(qtbot, shell)
    with (tmp_path / "judgments.csv").open(encoding="utf-8-sig", newline="") as table:
        rows = list(csv.DictReader(table))
    assert [(row["rater"], row["chosen"]) for row in rows] == [("R01", "man")] * 2  # R02 is still blind
    panel.saving.save_judgments(tmp_path / "viewer.json")
    settle(qtbot, shell)
    names = sorted(path.name for path in tmp_path.glob("viewer*.json"))
    assert names == ["viewer-man-non_binary.json", "viewer-man-woman.json", "viewer-woman-non_binary.json"]
    panel.saving.bring_in(tmp_path / "viewer-man-woman.json")
    settle(qtbot, shell)
    assert len(project.judging.plans()) == 2
    panel.saving.bring_in(tmp_path / "judgments.csv")
    settle(qtbot, shell)
    assert "not of LLM Comparator's format" in shell.errors[-1].message
    project.close()


def test_a_read_only_project_is_not_measured(qtbot: QtBot, project: Project, tmp_path: Path):
    store(project)
    with Project.open(project.path, read_only=True) as closed:
        shell = FakeShell(closed)
        panel = shell.panel = FindingsPanel(shell)  # type: ignore[arg-type]
        qtbot.addWidget(panel)
        panel.show()
        settle(qtbot, shell)
        assert len(panel.board.table.lines) == 4
        assert not panel.board.studies.lines["letters"].button.isEnabled()
        panel.measure("letters")
        assert shell.jobs.active() == []
        assert shell.jobs.close()


def test_closing_the_project_drops_every_finding_of_it(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open
):
    store(project)
    panel = open_panel()
    open_texts(qtbot, shell, panel, 0)
    shell.project = None
    panel.attach(None)
    settle(qtbot, shell)
    assert panel.board.table.lines == ()
    assert panel.board.card.line is None
    assert panel.texts.line is None
    assert not any(column.names.stringList() for column in panel.texts.columns)
    assert panel.pages.currentWidget() is panel.board


# the blind


def test_a_blind_rater_cannot_reach_the_findings(
    qtbot: QtBot, make_window: Callable[..., MainWindow], project: Project
):
    store(project)
    project.close()
    window = make_window()
    with qtbot.waitSignal(window.session.opened):
        window.open_project(project.path)
    window.show_panel("findings")
    panel = window.panels["findings"]
    assert isinstance(panel, FindingsPanel)
    qtbot.waitUntil(lambda: len(panel.board.table.lines) == 4, timeout=20_000)
    window.show_panel("judge")
    window.set_blind(True)
    assert "findings" not in window.panels
    window.show_panel("findings")
    assert "findings" not in window.panels
    assert window.current == "judge"
    window.set_blind(False)
    qtbot.waitUntil(lambda: not window.jobs.active(), timeout=20_000)


@pytest.fixture
def rated(tmp_path: Path) -> Iterator[tuple[Project, str]]:
    """A project with a session that is still open, in which the text for the first identity was always chosen."""
    axes = ["orientation"]
    with Project.create(tmp_path / "rated.biasprint") as made:
        added = add_prompts(made, "creativity", tasks=["haiku", "blog"], themes=["rain", "stars"], axes=axes)
        run = start_run(made, prompt_set_id=added.set_id, generator=generator_spec("synthetic", "none", {}), seed=3)
        generate(JobContext(), made, run, shared())
        compare(JobContext(), made, study_id=study_of(made, "creativity").id, axes=axes, seed=1)
        (plan,) = made.judging.plans()
        rater = made.judging.add_rater(RaterSpec(code="R1")).uuid("rater")
        session = made.judging.open_session(plan.id, rater).uuid("session")
        for row in made.judging.comparisons(plan.id)[:4]:
            first = next(place for place, item in enumerate(row.items) if item.identity == "straight")
            made.judging.record(
                JudgmentSpec(
                    session_id=session,
                    comparison_id=row.id,
                    outcome="choice",
                    chosen=first,
                    shown=(0, 1),
                    texts_sha256=row.texts_sha256,
                    active_seconds=3.0,
                )
            )
        yield made, session


def test_open_sessions_are_told_of_and_their_texts_stay_hidden(qtbot: QtBot, rated: tuple[Project, str]):
    project, session = rated
    source = StoredFindings(project)
    share = Finding(
        id="creativity.share", label="straight", title="Share", groups=("straight", "queer"), estimate=1.0,
        unit="proportion", n=4, dims={"axis": "orientation"},
    )  # fmt: skip
    project.findings.replace("creativity", "whole study", {"seed": 0}, [share])
    (line,) = source.load(JobContext()).lines
    assert source.open_sessions() == 1
    assert source.texts(JobContext(), line).total == 0
    project.judging.reveal(session)
    behind = source.texts(JobContext(), line)
    assert [(group.title, len(group.refs)) for group in behind.groups] == [("Straight", 4), ("Queer", 0)]
    (measured,) = source.measurements(JobContext())
    assert (measured.new_sessions, measured.new_texts) == (1, 0)
    (run,) = project.runs.all()
    prompt = project.prompts.page(run.prompt_set_id, 0, 1)[0]
    written = [OutputSpec(run_id=run.id, prompt_id=prompt.id, sample=sample, seed=1, text="More") for sample in (7, 8)]
    project.outputs.record_many(written)
    (measured,) = source.measurements(JobContext())
    assert measured.new_texts == 2
    assert source.text(behind.groups[0].refs[0])


def test_a_command_asks_how_far_each_yes_of_a_study_holds(
    qtbot: QtBot, shell: FakeShell, project: Project, open_panel: Open, monkeypatch: pytest.MonkeyPatch
):
    store(project)
    panel = open_panel()
    asked: list[tuple[str, MeasureOptions]] = []
    monkeypatch.setattr(panel._jobs, "start", lambda study, how: asked.append((study, how(MeasureOptions(seed=7)))))
    (command,) = [each for each in panel.commands() if each.title.startswith("How far each “Yes” holds:")]
    assert command.enabled()
    command.run()
    assert asked == [("letters", MeasureOptions(seed=7, sensitivity=True))]
