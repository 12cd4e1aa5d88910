"""Locking an analysis plan in the findings panel, and what is shown of it beside the findings."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fake_shell import FakeShell
from pytestqt.qtbot import QtBot

from biasprint.core.findings import Adjustment, Finding, Interval
from biasprint.core.project.project import Project
from biasprint.core.project.specs import SourceSpec
from biasprint.core.runs.analysis_plan import analysis_plan
from biasprint.desktop.panels.findings import FindingsPanel
from biasprint.desktop.panels.findings.planning import AnalysisPlanDialog

ODDS = "letters.lexicon.odds_ratio"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "made-up.biasprint") as made:
        study = made.studies.add("letters", "Made up").number("study")
        texts = [
            SourceSpec(kind="letter", origin="l.csv abc", row=row, text=f"Letter {row}.", fields={"group": group})
            for row, group in enumerate(("male", "female"))
        ]
        made.sources.add_many(study, texts)
        yield made


@pytest.fixture
def shell(project: Project) -> Iterator[FakeShell]:
    made = FakeShell(project)
    yield made
    assert made.jobs.close(20)


@pytest.fixture
def panel(qtbot: QtBot, shell: FakeShell, project: Project) -> FindingsPanel:
    made = shell.panel = FindingsPanel(shell)  # type: ignore[arg-type]
    qtbot.addWidget(made)
    made.resize(1072, 660)
    with qtbot.waitExposed(made):
        made.show()
    qtbot.waitUntil(lambda: "letters" in made.board.studies.lines)
    return made


def store(project: Project) -> None:
    found = [
        Finding(
            ODDS, label=label, title=f"{label} words", groups=("male", "female"), estimate=1.5, unit="odds ratio", n=9,
            interval=Interval(1.1, 2.0, 0.95, "made up"), p=0.01, p_adjusted=0.02, adjust=Adjustment("Holm", "2"),
        )
        for label in ("agentic", "communal")
    ]  # fmt: skip
    project.findings.replace("letters", "whole study", {"seed": 7, "rows": 2}, found)


@pytest.fixture
def opened(qtbot: QtBot, panel: FindingsPanel) -> Callable[[], AnalysisPlanDialog]:
    def ask() -> AnalysisPlanDialog:
        panel.__dict__.pop("planning", None)  # a closed dialog is gone
        panel.board.studies.lines["letters"].plan.click()
        qtbot.waitUntil(lambda: hasattr(panel, "planning") and panel.planning.isVisible())
        return panel.planning

    return ask


def test_what_is_filled_in_is_locked_and_marked(
    qtbot: QtBot, opened: Callable[[], AnalysisPlanDialog], panel: FindingsPanel, project: Project
) -> None:
    dialog = opened()
    assert not dialog.go.isEnabled()
    row = dialog.rows[0]
    assert row.name.text() == ODDS
    row.check.setChecked(True)
    row.name.setText(f"{ODDS}[agentic]")
    row.margin.setValue(1.25)
    dialog.exclusions["refusals"].setChecked(True)
    with qtbot.waitSignal(dialog.accepted):
        dialog.go.click()
    plan = analysis_plan(project, "letters")
    assert plan is not None
    assert [(each.meant.text, each.margin, each.before_scoring) for each in plan.entries] == [
        (f"{ODDS}[agentic]", 1.25, True)
    ]
    assert plan.last.plan.exclusions == ("refusals",)
    assert plan.last.plan.texts == 2
    line = panel.board.studies.lines["letters"]
    qtbot.waitUntil(lambda: line.planned.text().startswith("Analysis plan locked on "))
    store(project)
    panel.refresh()
    qtbot.waitUntil(lambda: len(panel.board.table.lines) == 2)
    marks = {each.finding.label: (each.about, each.planned) for each in panel.board.table.lines}
    assert marks["agentic"][0].startswith("Planned 1")
    assert marks["agentic"][1] == "1 of the plan, before scoring; shown; whether it matters (margin 1.25) stays open"
    assert marks["communal"] == ("", "not planned: exploratory")


def test_what_is_wrong_is_said_in_the_dialog_and_nothing_is_locked(
    qtbot: QtBot, opened: Callable[[], AnalysisPlanDialog], project: Project
) -> None:
    dialog = opened()
    dialog.rows[0].check.setChecked(True)
    dialog.rows[0].name.setText("letters.lexicon.odd_ratio")
    dialog.go.click()
    qtbot.waitUntil(dialog.notice.isVisible)
    assert f"there are {ODDS}" in dialog.notice.text.text()
    assert dialog.go.isEnabled(), "it can be mended and locked"
    assert analysis_plan(project, "letters") is None
    dialog.reject()


def test_a_file_is_locked_as_it_is_and_a_second_lock_says_what_was_known(
    qtbot: QtBot, opened: Callable[[], AnalysisPlanDialog], project: Project, tmp_path: Path
) -> None:
    store(project)
    dialog = opened()
    assert "when results could be known already" in dialog.findChildren(type(dialog.notice))[0].text.text()
    file = tmp_path / "plan.toml"
    file.write_text(f'study = "letters"\n[[findings]]\nfinding = "{ODDS}"\nmargin = 1.5\n')
    dialog.open_file(file)
    qtbot.waitUntil(dialog.from_file.isVisible)
    assert (dialog.rows[0].check.isChecked(), dialog.rows[0].margin.value()) == (True, 1.5)
    with qtbot.waitSignal(dialog.accepted):
        dialog.go.click()
    plan = analysis_plan(project, "letters")
    assert plan is not None
    assert plan.last.text == file.read_text()
    assert [each.before_scoring for each in plan.entries] == [False]
    again = opened()
    assert again.rows[0].check.isChecked(), "what is planned is there to be amended"
    assert again.rows[0].margin.value() == 1.5
    again.reject()
