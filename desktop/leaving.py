"""Quitting: ask if jobs run, cancel them within two seconds, save, let go of the project, and only then end."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from desktop.dialogs.question import Question
from desktop.widgets.words import tr

if TYPE_CHECKING:
    from desktop.main_window import MainWindow

WAIT_MILLISECONDS = 2_000


class Leaving(QObject):
    """The way out. Nothing on it blocks the window, and no thread is ever ended by force."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._begun = False
        self._jobs_over = False

    def ask(self) -> None:
        """Leave, after a question if jobs are running."""
        if not any(not handle.quiet for handle in self._window.jobs.active()):
            self.begin()
            return
        Question(
            self._window,
            title=tr("Stop the jobs and quit?"),
            text=tr("Jobs are still running. What they have finished is kept, and they can go on from there later."),
            safe=tr("Keep running"),
            risky=tr("Stop and quit"),
            on_risky=self.begin,
        ).open()

    def begin(self) -> None:
        """Cancel what runs, wait at most two seconds for it, and go on."""
        if self._begun:
            return
        self._begun = True
        self._window.hide()
        self._window.set_blind(False)  # nobody sees it any more, and all of it is to be saved and let go of
        self._window.jobs.idle.connect(self._save)
        QTimer.singleShot(WAIT_MILLISECONDS, self, self._save)
        self._window.jobs.cancel_all()
        if not self._window.jobs.active():
            self._save()

    def _save(self) -> None:
        if self._jobs_over:
            return
        self._jobs_over = True
        settings = self._window.settings
        if not settings.unsaved:
            self._close_project()
            return
        # A setting that cannot be written must not keep the program open: the next start has the old one.
        self._window.jobs.start(
            tr("Saving the settings"),
            lambda ctx: settings.save(),
            on_done=lambda _: self._close_project(),
            on_error=lambda _: self._close_project(),
            quiet=True,
        )

    def _close_project(self) -> None:
        self._window.session.close(then=QApplication.quit)
