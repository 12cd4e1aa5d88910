"""The demo where there is no display: the sample project, measured and shown as text, reports and pictures."""

import os
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from biasprint.core.cli.console import complain, job, note, say
from biasprint.core.cli.demo_answers import print_answers
from biasprint.core.compute import shared
from biasprint.core.errors import AppError
from biasprint.core.machine.system_libraries import why_no_picture
from biasprint.core.project.project import Project
from biasprint.core.report.audit import Audited, write_study_report
from biasprint.core.runs.measure import measure_project
from biasprint.core.runs.reporting import audited_now
from biasprint.core.runs.sample import unpack_sample
from biasprint.core.studies.kit.declared import MeasureOptions
from biasprint.desktop import read_no_sources

if TYPE_CHECKING:
    from biasprint.desktop.main_window import MainWindow

STUDIES = ("letters", "completion", "creativity")
SIZE = (1280, 800)
PATIENCE_SECONDS = 60
WORKED_SECONDS = 0.15
LOOK_SECONDS = 0.01  # between two looks; threads and child processes work meanwhile


def demo(out: Path) -> None:
    """Measure the sample project again, print the answers, and write reports and pictures into `out`."""
    out = out.absolute()
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AppError(
            f"The folder “{out}” could not be made ({error.strerror}).", hint="Choose another one with --out."
        ) from error
    file = out / "Sample.biasprint"
    unpack_sample(file)
    note("Measuring the sample project, which takes up to a minute.")
    measured = list(_measured(file, out))
    print_answers(measured)
    say("\nWHERE IT IS", bold=True)
    say("  Reports, with every number, its interval and its source:")
    for audited in measured:
        say(f"    {_report_of(out, audited.study)}")
    say(f"  The sample project:\n    {file}")
    say("  Every finding as a table, here in the terminal:")
    say(f"    biasprint measure letters {shlex.quote(str(file))} --all")
    note("Drawing the window's panels, which takes up to a minute.")
    pictures = list(panel_pictures(file, out))
    say(f"  Pictures of the window's {len(pictures)} panels, {pictures[0].name} to {pictures[-1].name}:\n    {out}")


def _measured(file: Path, out: Path) -> Iterator[Audited]:
    """Measure each study of the sample, and write its report."""
    with Project.open(file) as project:
        for study in STUDIES:
            with job(f"Measuring {study}") as ctx:
                measured = measure_project(ctx, project, study, MeasureOptions(), shared())
                audited = audited_now(measured, project)
                write_study_report(_report_of(out, study), audited, ctx)
            for sentence in measured.undone:
                complain(sentence)
            yield audited


def _report_of(out: Path, study: str) -> Path:
    return out / f"{study}.html"


def panel_pictures(file: Path, out: Path) -> Iterator[Path]:
    """Save one picture of each panel with the project open, as the window would show it."""
    with offscreen_window(file) as (window, settle):
        for number, key in enumerate(window.rail.shown(), start=1):
            window.show_panel(key)
            settle()
            picture = out / f"{number:02d}-{key}.png"
            window.grab().save(str(picture))
            yield picture


@contextmanager
def offscreen_window(file: Path) -> "Iterator[tuple[MainWindow, Callable[[], None]]]":
    """Return the real window on a project, drawn off screen, and a function that waits until it is idle."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    try:
        from PySide6.QtCore import QDeadlineTimer, QEventLoop
        from PySide6.QtWidgets import QApplication
    except ImportError:
        reason = why_no_picture()
        if not reason:
            raise
        raise AppError(reason, kept="Everything but the pictures is made.") from None

    read_no_sources()
    from biasprint.desktop.app import build_application, create_window, start
    from biasprint.desktop.settings import Settings

    settings = Settings()
    running = QApplication.instance()
    app = running if isinstance(running, QApplication) else build_application(sys.argv[:1], settings)
    window = create_window(settings)
    window.resize(*SIZE)
    window.show()
    start(window, file)

    def settle() -> None:
        """Process events and jobs until no job has run for a while."""
        deadline = QDeadlineTimer(PATIENCE_SECONDS * 1000)
        quiet = QDeadlineTimer(400)
        while not quiet.hasExpired():
            started = time.thread_time()
            app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
            # What took long, such as filling a panel on a slow machine, leaves events behind that lay it out.
            worked = time.thread_time() - started > WORKED_SECONDS
            if worked or window.jobs.active() or not (window.project or window.blindfold.on):
                quiet = QDeadlineTimer(400)
            time.sleep(LOOK_SECONDS)  # Qt itself does not wait for events where it is given a time
            if deadline.hasExpired():
                note("A panel did not finish loading in a minute; its picture shows it as it is.")
                return

    try:
        settle()
        yield window, settle
    finally:
        closed: list[bool] = []
        window.session.close(lambda: closed.append(True))
        deadline = QDeadlineTimer(PATIENCE_SECONDS * 1000)
        while not closed and not deadline.hasExpired():
            app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
            time.sleep(LOOK_SECONDS)
        window.jobs.close()
        window.deleteLater()
        app.processEvents()
