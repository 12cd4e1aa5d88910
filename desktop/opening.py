"""Opening the window, for `main` and for the commands; the window's own code is imported only then."""

import os
import sys
from pathlib import Path
from subprocess import TimeoutExpired
from typing import TYPE_CHECKING

from biasprint.core.errors import AppError
from biasprint.core.machine.storage import home, sample_file
from biasprint.core.machine.system_libraries import why_no_picture, why_no_window
from biasprint.desktop import read_no_sources

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

TRIED_ALREADY = ("xcb", "wayland")  # by why_no_window
ALWAYS_THERE = ("offscreen", "minimal")  # they draw nowhere, and come with Qt
TRIAL_SECONDS = 20.0
INSTEAD = "Biasprint's command line works without a window: see “biasprint --help”."


def open_window(path: Path | None, *, demo: bool = False) -> int:
    """Open the window on a project, on the sample project, or on nothing yet; return the exit code.

    Where Qt could not open a window, print why: Qt itself would end the process. Also where the program has no folder
    of its own to write to.
    """
    reason = why_no_window() or why_not_on_platform(os.environ.get("QT_QPA_PLATFORM", ""))
    if reason:
        return _refuse(reason)
    try:
        read_no_sources()
        from biasprint.desktop.app import run
    except ImportError:  # Qt itself does not load, off screen either
        reason = why_no_picture()
        if not reason:
            raise
        return _refuse(reason)
    try:
        home()
    except AppError as error:  # a command would need its folder, too
        return _refuse(str(error), instead="")
    if not demo:
        return run(path)
    from biasprint.desktop.operations.session import sample_project

    return run(sample_file(), first=sample_project())


def why_not_on_platform(asked: str) -> str:
    """Return why Qt cannot draw with this QT_QPA_PLATFORM, or "". Tried in a child process, as Qt aborts."""
    names = [platform.partition(":")[0] for platform in asked.split(";") if platform]
    if all(name in ALWAYS_THERE or name.startswith(TRIED_ALREADY) for name in names):
        return ""

    from biasprint.core.machine import child

    trial, _ = child.start(_try_platform)
    try:
        code = trial.wait(TRIAL_SECONDS)
    except TimeoutExpired:  # one that hangs has not failed: its window may come yet
        trial.kill()
        trial.wait()
        return ""
    if code == 0:
        return ""
    return f"Qt cannot draw on “{asked}”, which the variable QT_QPA_PLATFORM names: unset it, or name another."


def _try_platform(_: "Connection") -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)  # what Qt says before it aborts
    from PySide6.QtGui import QGuiApplication

    app = QGuiApplication([])
    sys.exit(0 if app.screens() else 1)


def _refuse(reason: str, instead: str = INSTEAD) -> int:
    sys.stderr.write("\n".join(filter(None, (reason, instead))) + "\n")
    return 1
