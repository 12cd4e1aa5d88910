"""Measuring from a panel: one job for a study at a time, whichever panel started it."""

from PySide6.QtCore import QObject, Signal

from desktop.jobs import JobHandle, JobState
from desktop.operations.generating import measuring, start_measuring
from desktop.panels.base import Shell


class MeasureJobs(QObject):
    """`changed` when a job begins, goes on or ends. Jobs that another panel started are known after `pick_up`."""

    changed = Signal()

    def __init__(self, shell: Shell, parent: QObject) -> None:
        super().__init__(parent)
        self._shell = shell
        self._handles: dict[str, JobHandle] = {}

    def start(self, study: str) -> None:
        """Measure a study of the open project, if nobody is at it and the project can be written to."""
        project = self._shell.project
        self.pick_up()
        if project is not None and self.may(study):
            self._follow(study, start_measuring(self._shell.jobs, project, (study,)))

    def pick_up(self) -> None:
        """Follow what runs already, as when the panel is come back to."""
        for study, handle in measuring(self._shell.jobs, self._shell.project).items():
            if study not in self.busy():
                self._follow(study, handle)

    def busy(self) -> frozenset[str]:
        """The studies that are being measured."""
        return frozenset(study for study, handle in self._handles.items() if handle.active)

    def done(self, study: str) -> bool:
        """Whether it was measured a moment ago: the project's own word for it is on its way."""
        return study in self._handles and self._handles[study].state is JobState.DONE

    def may(self, study: str) -> bool:
        """Whether a study can be measured now."""
        project = self._shell.project
        return project is not None and not project.read_only and study not in self.busy()

    def forget(self) -> None:
        """Another project."""
        self._handles = {}

    def _follow(self, study: str, handle: JobHandle) -> None:
        self._handles[study] = handle
        handle.changed.connect(self.changed)
        self.changed.emit()
