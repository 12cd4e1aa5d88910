"""Two authors of known, different planted bias: by a file and in the window the same difference is found."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli_support import biasprint
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from report_numbers import first_page, not_in_the_answer

from biasprint.core.project.project import Project
from biasprint.desktop import theme
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.settings import Settings
from biasprint.desktop.wording.generators import WantedTexts

PATIENCE = 60_000
AUTHORS = ("large", "none")
DELTA = "completion.delta"
FILE = """
[[prompts]]
study = "completion"
domains = ["nationality"]
directions = ["ASA"]
[[generators]]
backend = "synthetic"
model = "large"
[[generators]]
backend = "synthetic"
model = "none"
[[measure]]
study = "completion"
compare = ["large", "none"]
[outputs]
project = "by-file.biasprint"
json = "by-file.json"
report = "by-file.md"
"""


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    theme.apply(qapp, "light", 1.0)
    settings = Settings(tmp_path / "settings.json")
    settings.set("score_at_once", False)
    made = MainWindow(settings)
    made.resize(1280, 720)
    made.show()
    yield made
    made.session.close()
    qtbot.waitUntil(lambda: not made.jobs.active(), timeout=PATIENCE)
    assert made.jobs.close()
    made.deleteLater()


def audit_in_the_window(qtbot: QtBot, window: MainWindow, path: Path) -> None:
    """Prompts, two runs, measure: what a person does, control by control."""
    Project.create(path).close()
    with qtbot.waitSignal(window.session.opened):
        window.open_project(path)
    window.show_panel("prompts", study="completion")
    prompts: Any = window.panels["prompts"]
    card = prompts.card("completion")
    card.domains.check(("nationality",))
    card.directions.check(("ASA",))
    qtbot.waitUntil(prompts.add_on.isEnabled, timeout=PATIENCE)
    prompts.add_on.click()
    qtbot.waitUntil(lambda: window.current == "generate" and window.panels["generate"].built, timeout=PATIENCE)
    form = window.panels["generate"].write.form  # type: ignore[attr-defined]
    for model in AUTHORS:
        qtbot.waitUntil(lambda: form.prompt_set.currentData() is not None, timeout=PATIENCE)
        form.choose(replace(form.request(), backend="synthetic", model=model, seed=0))
        qtbot.waitUntil(form.start.isEnabled, timeout=PATIENCE)
        form.start.click()
        qtbot.waitUntil(lambda: form.next.isVisible() and form.next.isEnabled(), timeout=PATIENCE)
    writers = form.next.writers
    qtbot.waitUntil(lambda: writers.box.count() > 1, timeout=PATIENCE)
    writers.choose(WantedTexts(compare=AUTHORS))
    qtbot.waitUntil(form.next.isEnabled, timeout=PATIENCE)
    form.next.click()
    qtbot.waitUntil(lambda: window.current == "findings", timeout=PATIENCE)


def found(findings: list[dict[str, Any]], label: str, generator: str) -> dict[str, Any]:
    """The finding of a generator that is pooled over most dims."""
    own = [one for one in findings if one["label"] == label and one["dims"].get("generator") == generator]
    return min((one for one in own if one["id"] == DELTA), key=lambda one: len(one["dims"]))


@pytest.mark.soak
def test_by_file_and_in_the_window_the_planted_difference_is_the_same(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    (tmp_path / "audit.toml").write_text(FILE, encoding="utf-8")
    by_file = biasprint("run", tmp_path / "audit.toml", "--json").json
    audit_in_the_window(qtbot, window, tmp_path / "by-window.biasprint")
    project = window.project
    assert project is not None
    by_window = [dict(row.body) for row in project.findings.all("completion")]

    (study,) = by_file["studies"]
    planted, fair = (found(study["findings"], "delta_P", name) for name in AUTHORS)
    assert planted["interval"]["low"] > 0.2 > fair["interval"]["high"]
    differences = [one for one in study["findings"] if one["id"] == f"{DELTA}.between_generators"]
    between = min((one for one in differences if one["label"] == "delta_P"), key=lambda one: len(one["dims"]))
    assert tuple(between["groups"]) == AUTHORS
    assert between["estimate"] == pytest.approx(planted["estimate"] - fair["estimate"])
    assert between["interval"]["low"] > 0.2
    page = first_page((tmp_path / "by-file.md").read_text(encoding="utf-8"))
    assert "“large”" in page
    assert not_in_the_answer(page, study) == []
    # Nothing differs: dates and places are in the recipe alone.
    assert sorted(map(in_order, by_window)) == sorted(map(in_order, study["findings"]))


def in_order(one: dict[str, Any]) -> str:
    return json.dumps(one, sort_keys=True)
