"""What Qt needs from a Linux system: missing libraries and dead displays are said in words before Qt is asked."""

import ast
import os
import platform
import sys
import threading
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
    on_a_system(monkeypatch, ID="debian")


def on_a_system(monkeypatch: pytest.MonkeyPatch, user: int = 1000, **about: str) -> None:
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: about)
    monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)


def lack(monkeypatch: pytest.MonkeyPatch, *libraries: str) -> None:
    monkeypatch.setattr(system_libraries, "loads", lambda library: library not in libraries)


def test_it_stands_on_the_standard_library_alone() -> None:
    """run.py loads it before anything is installed."""
    tree = ast.parse(Path(system_libraries.__file__).read_text(encoding="utf-8"))
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {alias.name.partition(".")[0] for node in imported for alias in node.names}
    assert names <= sys.stdlib_module_names
    assert not any(isinstance(node, ast.ImportFrom) for node in imported)


@pytest.mark.parametrize("variable", ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"])
def test_a_display_with_its_libraries_is_a_window(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "0")
    assert why_no_window() == ""


def test_no_display_is_said() -> None:
    assert "DISPLAY and WAYLAND_DISPLAY are not set" in why_no_window()


def test_all_that_is_missing_is_named_at_once_and_each_package_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    lack(monkeypatch, "libglib-2.0.so.0", "libgthread-2.0.so.0", "libEGL.so.1", "libxcb-icccm.so.4")
    told = why_no_window()
    assert told == why_no_picture(), "also before the display is asked for, where run.py stops"
    assert told.splitlines() == [
        "The window's toolkit (Qt) cannot work here: 4 system libraries are missing. Install them, then start again:",
        "  sudo apt update && sudo apt install libegl1 libglib2.0-0 libxcb-icccm4",
    ]


@pytest.mark.parametrize(
    ("about", "user", "command"),
    [
        ({"ID": "debian"}, 0, "  apt update && apt install libxcb-icccm4 libxcb-keysyms1"),
        (
            {"ID": "linuxmint", "ID_LIKE": "ubuntu debian"},
            1,
            "  sudo apt update && sudo apt install libxcb-icccm4 libxcb-keysyms1",
        ),
        ({"ID": "fedora"}, 1000, "  sudo dnf install xcb-util-wm xcb-util-keysyms"),
        ({"ID": "rocky", "ID_LIKE": "rhel centos fedora"}, 0, "  dnf install xcb-util-wm xcb-util-keysyms"),
        ({"ID": "arch"}, 1000, "  libxcb-icccm.so.4, libxcb-keysyms.so.1"),
        ({}, 1000, "  libxcb-icccm.so.4, libxcb-keysyms.so.1"),
    ],
)
def test_the_command_is_that_of_the_system_and_elsewhere_the_libraries_are_named(
    monkeypatch: pytest.MonkeyPatch, about: dict[str, str], user: int, command: str
) -> None:
    monkeypatch.setenv("DISPLAY", ":0")
    on_a_system(monkeypatch, user, **about)
    lack(monkeypatch, "libxcb-icccm.so.4", "libxcb-keysyms.so.1")
    assert why_no_window().splitlines()[1:] == [command]


def test_a_display_that_takes_the_connection_and_never_answers_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    released = threading.Event()
    monkeypatch.setattr(system_libraries, "x_server_answers", released.wait)
    monkeypatch.setattr(system_libraries, "ANSWER_SECONDS", 0.05)
    monkeypatch.setenv("DISPLAY", ":0")
    assert "does not answer" in why_no_window()
    released.set()


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
    assert why_no_window() == "The display “wayland-0” does not answer, or does not let this program in."
    monkeypatch.setenv("DISPLAY", ":77")
    assert why_no_window() == "The display “:77” does not answer, or does not let this program in."
    monkeypatch.setenv("QT_QPA_PLATFORM", "wayland-egl;wayland")
    assert why_no_window() == "The display “wayland-0” does not answer, or does not let this program in."


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
