"""Expanding what is chosen, in threads; the newest choice wins. Biographies take a while: a job that is seen."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from core.errors import AppError
from desktop.jobs import JobHandle, JobState
from desktop.jobs.refresher import Refresher
from desktop.operations.prompts import BiographiesChoice, Choice, Mitigation, draft_from_biographies, expand
from desktop.panels.base import Shell
from desktop.widgets import tr

if TYPE_CHECKING:
    from core.prompts import PromptSetDraft

PAUSE_MILLISECONDS = 400  # without another change before biographies are rewritten


class Drafting(QObject):
    """`drafted` brings the set of the choice made last, `failed` why there is none, `waiting` that it takes a while."""

    drafted = Signal(object)  # PromptSetDraft
    failed = Signal(object)  # AppError
    waiting = Signal()

    def __init__(self, shell: Shell, parent: QObject) -> None:
        super().__init__(parent)
        self._shell = shell
        self._quick = Refresher(shell.jobs, tr("Prompts"), self.drafted.emit, self.failed.emit, self)
        self._rewriting: JobHandle | None = None
        self._start: Callable[[], object] = lambda: None
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MILLISECONDS)
        self._pause.timeout.connect(lambda: self._start())

    def draft(self, choice: Choice, mitigation: Mitigation | None) -> None:
        """Expand this choice; what an earlier one still brings is dropped."""
        self.stop()
        project = self._shell.project
        if isinstance(choice, BiographiesChoice) and choice.table is not None:
            self._start = lambda: self._rewrite(choice, mitigation)
            self._pause.start()
            self.waiting.emit()
        else:
            self._quick.read_with(lambda ctx: expand(ctx, project, choice, mitigation))
            self._quick.ask()

    def stop(self) -> None:
        self._pause.stop()
        self._quick.read_with(None)
        handle, self._rewriting = self._rewriting, None
        if handle is not None:
            handle.cancel()

    def _rewrite(self, choice: BiographiesChoice, mitigation: Mitigation | None) -> None:
        operation = draft_from_biographies(project=self._shell.project, choice=choice, mitigation=mitigation)
        self._rewriting = operation.start(self._shell.jobs, on_done=self._rewritten, on_error=self._cannot_rewrite)
        self._rewriting.changed.connect(self._rewriting_changed)

    def _rewritten(self, draft: "PromptSetDraft") -> None:
        if self._rewriting is not None and self._rewriting.result is draft:
            self._rewriting = None
            self.drafted.emit(draft)

    def _cannot_rewrite(self, error: AppError) -> None:
        if self._rewriting is not None and self._rewriting.error is error:
            self._rewriting = None
            self.failed.emit(error)

    def _rewriting_changed(self) -> None:
        """Somebody stopped the job."""
        if self._rewriting is not None and self._rewriting.state is JobState.CANCELLED:
            self._rewriting = None
            hint = tr("Choose the table again to go on.")
            self.failed.emit(AppError(tr("The biographies were not rewritten: it was cancelled."), hint=hint))
