"""The offline switch as the window knows it: one state for the status line, the settings and the panels."""

from PySide6.QtCore import QObject, Signal

from core.jobs import JobContext
from desktop.jobs import JobRunner
from desktop.widgets.words import tr


class Connections(QObject):
    """`by` is what the switch is on by: "environment", "switch", or "" while it is off; None until it was read.

    Files are read and written in jobs. Another window or a command may switch too: `look` reads it again.
    """

    changed = Signal()

    def __init__(self, jobs: JobRunner, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.by: str | None = None
        self._jobs = jobs

    @property
    def offline(self) -> bool:
        return bool(self.by)

    @property
    def fixed(self) -> bool:
        """Whether it is on by the environment, where nobody can switch it off here."""
        return self.by == "environment"

    def look(self) -> None:
        """Read the switch again."""
        self._jobs.start(tr("The offline switch"), _read, on_done=self._show, quiet=True)

    def switch(self, on: bool) -> None:
        """Switch for all windows and commands of this user. Where that cannot be kept, the window says so."""

        def work(ctx: JobContext) -> str:
            from core.machine import offline

            offline.switch(on)
            return offline.set_by()

        self._jobs.start(tr("The offline switch"), work, on_done=self._show, on_error=self._failed, quiet=True)

    def _show(self, by: str) -> None:
        if by != self.by:
            self.by = by
            self.changed.emit()

    def _failed(self, error: object) -> None:
        self.changed.emit()  # whoever showed it as switched shows again how it is
        self._jobs.failed.emit(error)


def _read(ctx: JobContext) -> str:
    from core.machine import offline

    return offline.set_by()


def why_offline(connections: Connections) -> str:
    """Why nothing can be got or asked now, in a sentence; empty while it can."""
    if connections.fixed:
        return tr("The offline switch is on because BIASPRINT_OFFLINE is set; start the program without it.")
    return tr("The offline switch is on: no connection is attempted.") if connections.offline else ""
