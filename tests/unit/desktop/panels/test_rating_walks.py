"""How many clicks it takes: to the first comparison for a rater, to packets for three for a lead. By mouse and keys."""

from pathlib import Path

import pytest
from fingerprint_project import project_with_texts
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget
from pytestqt.qtbot import QtBot
from rating_files import rating_project
from rating_window import Rating

from biasprint.core.project.project import Project
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.main_window import MainWindow

PATIENCE = 60_000
LOOKS_AT_HOME = True


class Person:
    """Somebody with a mouse and a keyboard; every click is counted."""

    def __init__(self, qtbot: QtBot, window: MainWindow, path: Path) -> None:
        self.qtbot, self.window, self.clicks = qtbot, window, 0
        window.show_panel("home")
        with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
            window.open_project(path)

    def click(self, widget: QWidget) -> None:
        self.qtbot.waitUntil(lambda: widget.isVisible() and widget.isEnabled(), timeout=PATIENCE)
        self.clicks += 1
        self.qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)

    def at(self, panel: str, page: str) -> None:
        def there() -> bool:
            shown = self.window.panels.get(panel)
            return shown is not None and shown.built and shown.pages.currentWidget() is getattr(shown, page)  # type: ignore[attr-defined]

        self.qtbot.waitUntil(there, timeout=PATIENCE)


def test_a_lead_makes_three_packets_from_a_project_in_at_most_ten_clicks(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with project_with_texts(tmp_path / "study.biasprint", ["orientation"], tasks=["haiku"]) as project:
        path = project.path
    folder = tmp_path / "stick"
    folder.mkdir()
    lead = Person(qtbot, window, path)

    def choose(*_: object) -> str:
        lead.clicks += 2  # a folder, and that it is the one
        return str(folder)

    monkeypatch.setattr(QFileDialog, "getExistingDirectory", choose)
    home = window.panels["home"]
    qtbot.waitUntil(lambda: home.rate.button.accessibleName() == "Draw comparisons…", timeout=PATIENCE)  # type: ignore[attr-defined]
    lead.click(home.rate.button)  # type: ignore[attr-defined]
    lead.at("judge", "setup")
    setup = window.panels["judge"].setup  # type: ignore[attr-defined]
    lead.click(setup.raters)
    setup.raters.selectAll()
    qtbot.keyClicks(setup.raters, "3")
    lead.click(setup.draw)
    qtbot.waitUntil(lambda: window.current == "raters", timeout=PATIENCE)
    make = window.panels["raters"].packets.make  # type: ignore[attr-defined]
    qtbot.waitUntil(lambda: make.whom.text() == "3" and make.plan.count() == 1, timeout=PATIENCE)
    lead.click(make.choose)
    lead.click(make.make)
    qtbot.waitUntil(window.panels["raters"].packets.made.isVisible, timeout=PATIENCE)  # type: ignore[attr-defined]
    assert len(list(folder.glob("*.bpacket"))) == 3
    assert lead.clicks <= 10
    assert lead.clicks == 7
    with Project.open(path, read_only=True) as project:
        assert {row.code for row in project.judging.raters()} == {"R01", "R02", "R03"}


def test_keys_judge_on_after_keep_rating(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    """Whoever asked for a closed panel, by rail or palette, and thought better of it, presses the next key."""
    rating = Rating(qtbot, window, rating_project(tmp_path / "study.biasprint"))
    rating.start("R01")

    def by_palette() -> None:
        window.offer_commands()
        qtbot.keyClicks(window.palette_box.field, "Go to Charts")
        qtbot.keyClick(window.palette_box.field, Qt.Key.Key_Return)

    def by_rail() -> None:
        qtbot.mouseClick(window.rail.button("outputs"), Qt.MouseButton.LeftButton)

    ways = (
        (by_palette, lambda one: one.safe_button.click()),
        (by_rail, lambda one: qtbot.keyClick(one, Qt.Key.Key_Escape)),
    )
    for ordinal, (leave, stay) in enumerate(ways, 1):
        assert rating.panel.control.view.comparison.ordinal == ordinal
        leave()
        rating.wait(lambda: bool(window.findChildren(Question)))
        stay(window.findChildren(Question)[-1])
        rating.wait(lambda: not window.findChildren(Question))
        assert window.current == "judge"
        focused = window.focusWidget()  # the one that gets the keys, once the window is in front
        assert focused is not None
        assert rating.panel.work.isAncestorOf(focused) or focused is rating.panel.work
        qtbot.keyClick(focused, "1")
        rating.wait(lambda place=ordinal: rating.panel.control.view.comparison.ordinal == place + 1)
    window.set_blind(False)
