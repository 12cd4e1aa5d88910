"""Starting and ending the real program: the window is up first, and nothing heavy ever comes into its process."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from biasprint.core.project.lock import is_held

ROOT = Path(__file__).parents[4]
LATER = ("numpy", "sqlmodel", "sqlalchemy", "pydantic", "PySide6.QtNetwork")
NEVER = ("torch", "transformers", "sentence_transformers", "spacy", "gensim", "statsmodels", "textblob")

STARTED = """
import sys
from pathlib import Path
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication
from biasprint.desktop import app as starting

class Paints(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and not hasattr(self, "seen"):
            self.seen = True
            print("loaded at first paint:", *[name for name in LATER + NEVER if name in sys.modules])
        return False

paints = Paints()
really_create = starting.create_window

def create(settings):
    window = really_create(settings)
    print("a busy thread gives way after", sys.getswitchinterval(), "s")
    window.ground.installEventFilter(paints)
    AFTER(window)
    return window

starting.create_window = create
path = Path(sys.argv[1]) if len(sys.argv) > 1 else None
code = starting.run(path)
print("loaded at the end:", *[name for name in NEVER if name in sys.modules])
sys.exit(code)
"""
CLOSE_WHEN_READY = """
def AFTER(window):
    def look():
        warm = "biasprint.desktop.panels.settings" in sys.modules and not window.jobs.active()
        if warm and PATH_WANTED == (window.project is not None):
            print("open:", window.project.path.name if window.project else "nothing")
            print("banners:", window.banners.texts())
            print("arguments:", [Path(one).name for one in QApplication.arguments()[1:]])
            timer.stop()
            window.close()
    timer = QTimer(window, interval=20)
    timer.timeout.connect(look)
    timer.start()
"""
SAY_WHEN_OPEN = """
def AFTER(window):
    window.session.opened.connect(lambda project: print("open", flush=True))
"""


def program(after: str, *, wants_path: bool) -> str:
    names = f"LATER = {LATER!r}\nNEVER = {NEVER!r}\nPATH_WANTED = {wants_path!r}\n"
    return names + after + STARTED


def started(after: str, path: Path | None, home: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", program(after, wants_path=path is not None), *([str(path)] if path else [])],
        cwd=ROOT,
        env={**os.environ, "BIASPRINT_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.soak
def test_window_is_up_first_and_nothing_heavy_follows(file: Path, tmp_path: Path):
    running = started(CLOSE_WHEN_READY, file, tmp_path / "home")
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    assert "loaded at first paint:\n" in out
    assert "open: castle.biasprint" in out
    assert "a busy thread gives way after 0.001 s" in out  # Python's own 5 ms come on top of each call from Qt
    assert "banners: []" in out
    assert "arguments: []" in out  # a rater's window must not lead to the project's name
    assert "loaded at the end:\n" in out
    assert not is_held(file)


@pytest.mark.soak
def test_starts_without_a_project_and_says_that_its_settings_were_damaged(tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir()
    (home / "settings.json").write_text("{")
    running = started(CLOSE_WHEN_READY, None, home)
    out, err = running.communicate(timeout=60)
    assert running.returncode == 0, err
    assert "open: nothing" in out
    assert "settings.json.bad" in out


@pytest.mark.skipif(os.name == "nt", reason="a console's Ctrl+C reaches a process in another way on Windows")
def test_ctrl_c_lets_go_of_the_project(file: Path, tmp_path: Path):
    running = started(SAY_WHEN_OPEN, file, tmp_path / "home")
    assert running.stdout is not None
    while running.stdout.readline() != "open\n":
        assert running.poll() is None
    assert is_held(file)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=10)
    assert running.returncode == 0
    assert not is_held(file)
