"""What Qt needs from a Linux system: missing libraries and dead displays are said in words before Qt is asked."""

import ast
import sys
from pathlib import Path

import pytest

from biasprint.core.machine import system_libraries
from biasprint.core.machine.system_libraries import QT_NEEDS, WAYLAND_NEEDS, X11_NEEDS, why_no_picture, why_no_window

SPOKEN_OF = ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET", "XDG_SESSION_TYPE", "QT_QPA_PLATFORM")


@pytest.fixture(autouse=True)
def complete_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux with every library, servers that answer, and an environment that speaks of no display."""
    for variable in SPOKEN_OF:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(system_libraries, "loads", lambda library: True)
    monkeypatch.setattr(system_libraries, "x_server_answers", lambda: True)
    monkeypatch.setattr(system_libraries, "wayland_answers", lambda: True)


def lack(monkeypatch: pytest.MonkeyPatch, *libraries: str) -> None:
    monkeypatch.setattr(system_libraries, "loads", lambda library: library not in libraries)


def test_it_stands_on_the_standard_library_alone() -> None:
    """run.py loads it before anything is installed."""
    tree = ast.parse(Path(system_libraries.__file__).read_text(encoding="utf-8"))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name for node in imported for alias in node.names}
    assert names <= sys.stdlib_module_names
    assert not any(isinstance(node, ast.ImportFrom) for node in imported)


@pytest.mark.parametrize("variable", ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"])
def test_a_display_with_its_libraries_is_a_window(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "0")
    assert why_no_window() == ""


def test_no_display_is_said() -> None:
    assert "DISPLAY and WAYLAND_DISPLAY are not set" in why_no_window()


def test_what_qt_itself_needs_is_named_with_its_packages_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    lack(monkeypatch, "libglib-2.0.so.0", "libgthread-2.0.so.0", "libEGL.so.1")
    told = why_no_window()
    assert told == why_no_picture()
    assert "Missing: libEGL.so.1, libglib-2.0.so.0, libgthread-2.0.so.0" in told
    assert "sudo apt install libegl1 libglib2.0-0\n" in told
    assert told.endswith("sudo dnf install libglvnd-egl glib2")


def test_a_display_whose_libraries_are_missing_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    lack(monkeypatch, "libxcb-cursor.so.0")
    assert "sudo apt install libxcb-cursor0" in why_no_window()
    assert why_no_picture() == ""
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert why_no_window() == "", "Qt takes the other one"
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    assert "libxcb-cursor0" in why_no_window(), "Qt is told to take this one"


def test_a_display_that_does_not_answer_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system_libraries, "x_server_answers", lambda: False)
    monkeypatch.setattr(system_libraries, "wayland_answers", lambda: False)
    monkeypatch.setenv("XDG_SESSION_TYPE", "wayland")
    assert why_no_window() == "The display “wayland-0” does not answer."
    monkeypatch.setenv("DISPLAY", ":77")
    assert why_no_window() == "The display “:77” does not answer."
    monkeypatch.setenv("QT_QPA_PLATFORM", "wayland-egl;wayland")
    assert why_no_window() == "The display “wayland-0” does not answer."


@pytest.mark.parametrize("platform", ["offscreen", "minimal", "minimal:enable_fonts", "vnc:size=8x6", "xcb;offscreen"])
def test_a_platform_without_a_display_is_never_refused(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setattr(system_libraries, "loads", lambda library: False)
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    assert why_no_window() == ""


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_other_systems_are_never_asked(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(system_libraries, "loads", lambda library: pytest.fail("asked for " + library))
    assert why_no_window() == why_no_picture() == ""


def test_every_library_has_its_packages() -> None:
    needs = [*QT_NEEDS, *X11_NEEDS, *WAYLAND_NEEDS]
    assert len({need[0] for need in needs}) == len(needs)
    assert all(".so." in library and debian and fedora for library, debian, fedora in needs)
