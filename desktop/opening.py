"""Opening the window, for `main` and for the commands; the window's own code is imported only then."""

import sys
from pathlib import Path

from core.machine.system_libraries import why_no_picture, why_no_window

INSTEAD = "Biasprint's command line works without a window: see “biasprint --help”."


def open_window(path: Path | None, *, demo: bool = False) -> int:
    """Open the window on a project, on the sample project, or on nothing yet; the exit code.

    Where Qt could not open one, it says why: Qt itself would end the process.
    """
    reason = why_no_window()
    if reason:
        return _refuse(reason)
    try:
        from desktop.app import run
    except ImportError:  # Qt itself does not load, off screen either
        reason = why_no_picture()
        if not reason:
            raise
        return _refuse(reason)
    if not demo:
        return run(path)
    from desktop.operations.session import sample_project

    return run(first=sample_project())


def _refuse(reason: str) -> int:
    sys.stderr.write(f"{reason}\n{INSTEAD}\n")
    return 1
