"""How many clicks it takes from the opened program to the first finding of each study, really written and measured."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from auditor import Auditor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from seeded_part import seeded_part

from biasprint.core.compute import models, shared
from biasprint.core.project.project import Project
from biasprint.core.prompts import PromptSetDraft
from biasprint.core.runs import setup
from biasprint.desktop import theme
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.home.new_audit import NewAuditDialog
from biasprint.desktop.panels.home.panel import HomePanel
from biasprint.desktop.settings import Settings
from biasprint.desktop.wording.titles import words_of

PATIENCE = 120_000
MOST = 4
# Enough prompts of each study for a finding: blocks of all groups stand first.
FEW = {"completion": 90, "news": 10, "creativity": 18, "letters": 12, "compare": 12}


@pytest.fixture(scope="module")
def computer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The tests share the processes that write and compute, and so one program folder."""
    yield tmp_path_factory.mktemp("computer") / "program"
    models().close()
    shared().close()


@pytest.fixture
def window(
    qtbot: QtBot, qapp: QApplication, computer: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[MainWindow]:
    monkeypatch.setenv("BIASPRINT_HOME", str(computer))
    monkeypatch.setattr(Path, "home", lambda: tmp_path)  # where a new project is offered to be kept
    whole = setup.first_look

    def few(ctx: object, project: Project | None, study: str) -> PromptSetDraft:
        draft = whole(ctx, project, study)  # type: ignore[arg-type]
        return replace(draft, prompts=draft.prompts[: FEW[study]])

    monkeypatch.setattr(setup, "first_look", few)
    theme.apply(qapp, "light", 1.0)
    settings = Settings(tmp_path / "settings.json")
    settings.set("score_at_once", False)  # measuring scores what is not
    made = MainWindow(settings)
    made.resize(1280, 720)
    made.show()
    made.show_panel("home")
    yield made
    made.session.close()
    qtbot.waitUntil(lambda: not made.jobs.active(), timeout=PATIENCE)
    assert made.jobs.close()
    made.deleteLater()


@pytest.mark.soak
@pytest.mark.parametrize("study", seeded_part(FEW, 2, seed=3))
def test_a_first_finding_of_each_study_takes_few_clicks(qtbot: QtBot, window: MainWindow, study: str) -> None:
    auditor, home = Auditor(qtbot, window, PATIENCE), window.panels["home"]
    assert isinstance(home, HomePanel)
    auditor.click(home.audit.button)
    dialog = auditor.dialog(NewAuditDialog)
    assert isinstance(dialog, NewAuditDialog)
    qtbot.waitUntil(lambda: bool(dialog.studies.offers), timeout=PATIENCE)
    auditor.choose(dialog.studies.button(study))
    auditor.click(dialog.go)
    see_the_findings(qtbot, window, study)
    assert len(auditor.clicks) <= MOST, auditor.clicks


def see_the_findings(qtbot: QtBot, window: MainWindow, study: str) -> None:
    """They are stored, with an estimate, and the window has gone to where they are seen."""
    qtbot.waitUntil(lambda: window.current == words_of(study).panel, timeout=PATIENCE)
    assert window.project is not None
    assert any(found.body["estimate"] is not None for found in window.project.findings.all(study))
