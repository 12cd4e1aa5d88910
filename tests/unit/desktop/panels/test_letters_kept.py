"""What is kept of a letter: nothing but by "Save to project", and then its text, its reading and its dismissals."""

import itertools
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from letters_scene import CANARY, LETTER, PATIENCE, opened, panel_of, with_cv
from pytestqt.qtbot import QtBot

from biasprint.core.errors import AppError
from biasprint.core.letters.values import Document, Part
from biasprint.core.project.project import Project
from biasprint.core.text import sha256_text
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations.letters import document_as_typed
from biasprint.desktop.panels.letters.review import moved

pytestmark = pytest.mark.usefixtures("own_computer")


def test_a_letter_is_saved_only_where_a_project_is_open(qtbot: QtBot, window: MainWindow, file: Path) -> None:
    panel = opened(qtbot, window)
    assert not panel._can_save()
    panel.save()
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.open_project(file)
    panel_of(window)
    with_cv(qtbot, panel)
    key = panel.review._items[-1].key
    panel.review.dismiss(key)
    assert panel._can_save()
    with qtbot.waitSignal(window.session.changed, timeout=PATIENCE):
        panel.save()
    project = window.project
    assert project is not None
    qtbot.waitUntil(lambda: len(project.readings.all()) == 1, timeout=PATIENCE)
    (row,) = project.readings.all()
    assert row.source_id is not None
    assert project.sources.texts([row.source_id])[row.source_id] == LETTER
    assert row.document_sha256 == sha256_text(LETTER)
    assert row.title == f"Letter for Kelly {CANARY}"
    assert row.result["dismissed"] == [key]
    assert [mark["category"] for mark in row.result["marks"]].count("family") >= 1
    assert row.result["kept"]["source"] is None  # nor its file
    assert "national prize" not in json.dumps(row.result["sentences"])  # the text is kept once, as a source


def test_saving_again_adds_a_reading_and_no_second_text(qtbot: QtBot, window: MainWindow, file: Path) -> None:
    with qtbot.waitSignal(window.session.opened, timeout=PATIENCE):
        window.open_project(file)
    panel = opened(qtbot, window)
    project = window.project
    assert project is not None
    readings = project.readings
    for count in (1, 2):
        panel.save()
        qtbot.waitUntil(lambda count=count: len(readings.all()) == count, timeout=PATIENCE)
    one, other = readings.all()
    assert one.source_id == other.source_id


def test_a_read_only_project_says_that_nothing_was_saved(tmp_path: Path) -> None:
    Project.create(tmp_path / "a.biasprint").close()
    with Project.open(tmp_path / "a.biasprint", read_only=True) as project, pytest.raises(AppError, match="read-only"):
        project.readings.add("x", "0" * 64, {}, None)


def test_a_reading_comes_back_as_it_was_kept(tmp_path: Path) -> None:
    result = {"marks": [{"words": "warm – naïve 😀"}], "figures": [1, 0.5, None]}
    with Project.create(tmp_path / "a.biasprint") as project:
        changes = project.readings.add("A letter", "ab" * 32, result, None)
        (row,) = project.readings.all()
    assert changes.uuid("reading") == row.id
    assert (row.title, row.source_id, row.result) == ("A letter", None, result)


def test_the_text_of_a_typed_document_is_what_was_typed() -> None:
    document = Document("x.docx", "docx", ("a",), 1, ("note",))
    for text in ("", "a\n\nb", "\n\n\n a \n\n\n\n", "one\ntwo\n\n"):
        typed = document_as_typed(document, text)
        assert typed.text == text
        assert (typed.name, typed.kind, typed.pages, typed.notes) == ("x.docx", "docx", 1, ("note",))


def test_parts_set_by_hand_cover_the_letter_after_every_edit() -> None:
    parts = (Part("salutation", 0, 9), Part("body", 11, 40), Part("closing", 42, 50))
    for place, removed, added in ((0, 0, 3), (10, 0, 5), (9, 4, 0), (45, 5, 0), (50, 0, 9), (0, 50, 2), (20, 30, 0)):
        length = 50 - removed + added
        after = moved(parts, place, removed, added, length)
        assert after[0].start == 0
        assert after[-1].end == length
        assert all(one.end == other.start for one, other in itertools.pairwise(after))
    assert [part.kind for part in moved(parts, 20, 0, 5, 55)] == ["salutation", "body", "closing"]
    assert moved(parts, 20, 0, 5, 55)[1] == Part("body", 11, 47)


SCRIPT = """
import sys
from pathlib import Path
from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication
from biasprint.desktop import theme
from biasprint.desktop.main_window import MainWindow
from biasprint.desktop.operations import letters
from biasprint.desktop.settings import Settings

def main():
    every = letters._scorers
    letters._scorers = lambda: {"positivity": every()["positivity"]}  # the others take the compute process long to load
    app = QApplication([])
    theme.apply(app, "light", 1.0)
    window = MainWindow(Settings(Path(sys.argv[1])))
    window.show()
    window.show_panel("letters")
    panel, loop = window.panels["letters"], QEventLoop()
    panel.review.check.seen.connect(lambda _: loop.quit())
    panel.review.check.failed.connect(lambda error: sys.exit(str(error)))
    QTimer.singleShot(100_000, loop.quit)
    panel.open_pasted("Kelly is a warm colleague. She led the team in 2021, and I recommend her.")
    loop.exec()
    print("read", panel.review.check.checked is not None)
    print("heavy", sorted(set(sys.modules) & {"spacy", "torch", "scipy", "transformers", "pandas", "sklearn", "docx"}))
    window.jobs.close()

if __name__ == "__main__":
    main()
"""


@pytest.mark.soak
def test_the_windows_process_reads_a_letter_without_loading_anything_heavy(tmp_path: Path) -> None:
    script = tmp_path / "one_letter.py"
    script.write_text(SCRIPT, "utf-8")
    environment = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONPATH": str(Path(__file__).parents[4] / "core" / "python"),
    }
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "settings.json")],
        capture_output=True, text=True, timeout=150, env=environment, check=False,
    )  # fmt: skip
    assert done.stdout.splitlines() == ["read True", "heavy []"], done.stderr
