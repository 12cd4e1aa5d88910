"""The explicit way from Home without a project to findings: prompts, settings and measures are chosen one by one."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from auditor import Auditor
from pytestqt.qtbot import QtBot

from biasprint.core.runs import measure as core_measure
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.panels.generate.panel import GeneratePanel
from biasprint.desktop.panels.home.new_audit import NewAuditDialog
from biasprint.desktop.panels.prompts.panel import PromptsPanel
from biasprint.desktop.wording.titles import words_of

PATIENCE = 60_000
LOOKS_AT_HOME = True
# New audit…, (the study,) Choose everything…, Add and generate…, Start, Measure. The short way is walked in tests/e2e.
MOST = {"creativity": 6, "letters": 5}


@pytest.mark.parametrize("study", MOST)
def test_clicks_from_home_to_the_first_finding(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, study: str
) -> None:
    auditor = Auditor(qtbot, window, PATIENCE)

    def as_if(*_: object) -> object:
        """Scoring and measuring take longer than all the clicks; what they find is tested elsewhere."""
        return SimpleNamespace(result=SimpleNamespace(findings=()), remarks=(), undone=())

    monkeypatch.setattr(core_measure, "measure_project", as_if)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)  # where a new project is offered to be kept
    window.show_panel("home")
    auditor.click(window.panels["home"].audit.button)  # type: ignore[attr-defined]
    (dialog,) = window.findChildren(NewAuditDialog)
    qtbot.waitUntil(lambda: bool(dialog.studies.offers), timeout=PATIENCE)
    auditor.choose(dialog.studies.button(study))
    auditor.click(dialog.own)
    prompts = auditor.there("prompts")
    assert isinstance(prompts, PromptsPanel)
    assert prompts.tabs.currentIndex() == prompts.tab_of(study)
    auditor.click(prompts.add_on)
    generate = auditor.there("generate")
    assert isinstance(generate, GeneratePanel)
    auditor.click(generate.write.form.start)
    auditor.click(generate.write.form.next)
    qtbot.waitUntil(lambda: window.current != "generate", timeout=PATIENCE)
    assert window.current == words_of(study).panel
    assert len(auditor.clicks) <= MOST[study], auditor.clicks
