"""The explicit way from Home without a project to findings: prompts, settings and measures are chosen one by one."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from core.runs import measure as core_measure
from desktop.main_window import MainWindow
from desktop.panels.generate.panel import GeneratePanel
from desktop.panels.home.new_audit import NewAuditDialog
from desktop.panels.prompts.panel import PromptsPanel
from desktop.wording.titles import words_of

PATIENCE = 60_000
LOOKS_AT_HOME = True
# New audit…, (the study,) Choose everything…, Add and generate…, Start, Measure. The short way is walked in tests/e2e.
MOST = {"creativity": 6, "letters": 5}


class Auditor:
    """Somebody with a mouse; every click is counted, and what it was."""

    def __init__(self, qtbot: QtBot, window: MainWindow) -> None:
        self.qtbot, self.window = qtbot, window
        self.clicks: list[str] = []

    def click(self, widget: QWidget, place: QPoint | None = None, name: str = "") -> None:
        self.qtbot.waitUntil(lambda: widget.isVisible() and widget.isEnabled(), timeout=PATIENCE)
        self.clicks.append(name or widget.text())  # type: ignore[attr-defined]
        self.qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=place or QPoint())

    def there(self, panel: str) -> QWidget:
        window = self.window
        self.qtbot.waitUntil(lambda: window.current == panel and window.panels[panel].built, timeout=PATIENCE)
        return window.panels[panel]


@pytest.mark.parametrize("study", MOST)
def test_clicks_from_home_to_the_first_finding(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, study: str
) -> None:
    auditor = Auditor(qtbot, window)

    def as_if(*_: object) -> object:
        """Scoring and measuring take longer than all the clicks; what they find is tested elsewhere."""
        return SimpleNamespace(result=SimpleNamespace(findings=()), remarks=(), undone=())

    monkeypatch.setattr(core_measure, "measure_project", as_if)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)  # where a new project is offered to be kept
    window.show_panel("home")
    auditor.click(window.panels["home"].audit.button)  # type: ignore[attr-defined]
    (dialog,) = window.findChildren(NewAuditDialog)
    qtbot.waitUntil(lambda: bool(dialog.studies.offers), timeout=PATIENCE)
    button = dialog.studies.button(study)
    if not button.isChecked():
        auditor.click(button, QPoint(8, button.height() // 2))
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
