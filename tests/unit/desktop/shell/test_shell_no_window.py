"""The program where Qt cannot open a window: a sentence and exit code 1, never Qt's abort. In processes of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from biasprint.desktop import read_no_sources
from biasprint.desktop.opening import why_not_on_platform

ROOT = Path(__file__).parents[4]
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems need nothing installed")
# The program, on a system that has every library but those named in its first argument.
PROGRAM = """
import platform, sys
platform.freedesktop_os_release = lambda: {"ID": "debian"}
from biasprint.core.machine import system_libraries
lacks = sys.argv.pop(1).split()
system_libraries.loads = lambda library: library not in lacks
from biasprint.desktop.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def start(home: Path, *words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """What `python *words` said with these variables, and with no display beside them."""
    environment = {key: value for key, value in os.environ.items() if "DISPLAY" not in key and key != "QT_QPA_PLATFORM"}
    environment |= {
        "PYTHONPATH": str(ROOT / "core" / "python"),
        "BIASPRINT_HOME": str(home),
        "XDG_SESSION_TYPE": "tty",
        **variables,
    }
    return subprocess.run([sys.executable, *words], env=environment, cwd=home, capture_output=True, text=True)


@LINUX
@pytest.mark.parametrize("words", [[], ["gui"], ["gui", "study.biasprint"]])
def test_a_dead_display_is_said(tmp_path: Path, words: list[str]) -> None:
    done = start(tmp_path, "-c", PROGRAM, "", *words, DISPLAY=":4711")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "The display “:4711” does not answer, or does not let this program in.",
        "Biasprint's command line works without a window: see “biasprint --help”.",
    ]
    assert done.stdout == ""


@pytest.mark.parametrize("words", [[], ["gui"], ["gui", "study.biasprint"], ["texts.csv"]])
def test_it_opens_the_window_without_loading_the_command_line(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "texts.csv").write_text("text,group\n")
    program = (
        "import sys; from biasprint.desktop import opening;"
        "opening.open_window = lambda path: print('opened', path) or 0;"
        "from biasprint.desktop.__main__ import main; main(sys.argv[1:]);"
        "print(sorted({'typer', 'click', 'biasprint.core.cli.app', 'urllib.request'} & set(sys.modules)))"
    )
    done = start(tmp_path, "-c", program, *words)
    assert done.stdout.splitlines() == [f"opened {words[-1] if words[-1:] not in ([], ['gui']) else None}", "[]"]


@pytest.mark.parametrize(
    ("platform", "reason"), [("nonsense", "cannot draw on “nonsense”"), ("nonsense;offscreen", "")]
)
def test_a_platform_that_qt_does_not_have_is_said(platform: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    said = why_not_on_platform(platform)
    assert said.endswith("name another.") if reason else not said
    assert reason in said


@LINUX
def test_all_missing_libraries_are_installed_by_the_one_command_that_is_said(tmp_path: Path) -> None:
    done = start(tmp_path, "-c", PROGRAM, "libxcb-icccm.so.4 libEGL.so.1 libxcb-keysyms.so.1", "gui", DISPLAY=":0")
    assert done.returncode == 1
    told, command, instead = done.stderr.splitlines()
    assert told.endswith("3 system libraries are missing. Install them, then start again:")
    assert command.endswith("apt install libegl1 libxcb-icccm4 libxcb-keysyms1")
    assert "command line works without" in instead


@LINUX
def test_a_library_that_the_systems_own_loader_cannot_open_is_named(tmp_path: Path) -> None:
    """An empty file stands in front of the real one: on the screen, and off it, where Qt itself does not load."""
    (tmp_path / "libEGL.so.1").touch()
    for platform in ("xcb", "offscreen"):
        done = start(
            tmp_path, "-m", "biasprint", "gui", DISPLAY=":4711", LD_LIBRARY_PATH=str(tmp_path), QT_QPA_PLATFORM=platform
        )
        assert done.returncode == 1
        assert "1 system library is missing" in done.stderr
        assert "Traceback" not in done.stderr


@LINUX
def test_no_display_at_all_is_said(tmp_path: Path) -> None:
    done = start(tmp_path, "-m", "biasprint")
    assert done.returncode == 1
    assert "command line works without" in done.stderr


def test_off_screen_the_window_opens(tmp_path: Path) -> None:
    program = "from biasprint.desktop import app\napp.run = lambda path: 7\n" + PROGRAM
    done = start(tmp_path, "-c", program, "libxcb-cursor.so.0", "gui", QT_QPA_PLATFORM="offscreen")
    assert done.returncode == 7, done.stderr


def test_qt_s_binding_reads_the_source_of_no_module_that_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setitem(vars(sys.modules["shibokensupport.feature"]), "_mod_uses_pyside", asked.append)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("earlier_module", "later_module"):
        (tmp_path / f"{name}.py").write_text("from PySide6 import QtCore\n")

    __import__("earlier_module")
    assert asked, "the binding asks by another name now"
    before = len(asked)
    read_no_sources()
    __import__("later_module")

    assert len(asked) == before
