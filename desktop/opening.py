"""Opening the window, for `main` and for the commands; the window's own code is imported only then."""

from pathlib import Path


def open_window(path: Path | None, *, demo: bool = False) -> int:
    """Open the window on a project, on the sample project, or on nothing yet."""
    from desktop.app import run

    if not demo:
        return run(path)
    from desktop.operations.session import sample_project

    return run(first=sample_project())
