"""The strip that warns that nothing can open GGUF files here, and installs the engine."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from biasprint.desktop.operations import models as operations
from biasprint.desktop.operations.models import INSTALLING
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Notice, tr
from biasprint.desktop.widgets.labels import show_if

if TYPE_CHECKING:
    from biasprint.core.machine.installation import PartState
    from biasprint.desktop.jobs import JobHandle

ENGINE = "engine"
COMING = ("working", "paused", "offline")


class EngineNotice(Notice):
    """The strip, hidden where the engine is installed, or not `wanted`. Its job outlives it and is found again."""

    ended = Signal()  # an installation from here, well or not

    def __init__(self, shell: Shell, *, wanted: bool = True, narrow: bool = False) -> None:
        missing = tr("The local-model engine (llama.cpp) is not installed here.")
        super().__init__(missing, closable=False, narrow=narrow)
        self._shell, self._wanted = shell, wanted
        self._stage = shell.preparation.stage
        self._job: JobHandle | None = None
        self.install = self.add_action(tr("Install the local-model engine"), self._install)
        self.cancel = self.add_action(tr("Cancel"), self._cancel)
        self.parts = self.add_action(tr("Parts of the program"), shell.show_parts)
        self.hide()
        shell.preparation.changed.connect(self._preparation_changed)

    def want(self, wanted: bool) -> None:
        """Set whether the engine is needed here, for instance after somebody chose a GGUF file to write."""
        if wanted == self._wanted:
            return
        self._wanted = wanted
        if wanted:
            self.read()
        else:
            show_if(self, False)

    def read(self) -> None:
        """Look for the engine, off the window's thread."""
        self._shell.jobs.start(tr("Models"), operations.why_no_engine, on_done=self._show, quiet=True)

    def _show(self, reason: str | None) -> None:
        show_if(self, self._wanted and reason is not None)
        if reason is None:
            return
        running = operations.running(self._shell.jobs, INSTALLING, ENGINE)
        if running is not None and running is not self._job:
            self._follow(running)
        coming = running is None and self._stage in COMING and self._is_due()
        self.parts.setVisible(coming)
        self.install.setVisible(running is None and not coming and not reason)
        self.cancel.setVisible(running is not None)
        if coming:
            self._say(self._how_it_comes())
        elif running is None:
            self._say(tr("It cannot be installed here: {reason}.").format(reason=reason) if reason else self._why_not())

    def _how_it_comes(self) -> str:
        return {
            "working": tr("It is a part of the program that is still being prepared, behind your work."),
            "paused": tr("It is a part of the program that is still to come; preparing it is paused."),
            "offline": tr("It is a part of the program that comes when the offline switch is off."),
        }[self._stage]

    def _why_not(self) -> str:
        """Return the reason of a failed installation, else what installing needs."""
        tried = self._engine()
        if tried is not None and tried.state == "failed":
            return tried.sentence
        return tr("GGUF files need it. It is compiled, which takes some minutes and needs a C++ compiler.")

    def _is_due(self) -> bool:
        engine = self._engine()
        return engine is None or engine.is_due

    def _engine(self) -> "PartState | None":
        return next((each for each in self._shell.preparation.states if each.part.id == ENGINE), None)

    def _preparation_changed(self) -> None:
        if self._stage != self._shell.preparation.stage:
            self._stage = self._shell.preparation.stage
            if self._wanted:
                self.read()

    def _install(self) -> None:
        shell = self._shell  # not this strip, which may be gone when the job ends: its error is to be seen all the same
        handle = operations.install_engine().start(shell.jobs, on_error=lambda error: shell.show_error(error))
        operations.mark(handle, INSTALLING, ENGINE)
        self._follow(handle)
        self.install.hide()
        self.cancel.show()
        self._say(tr("It is being installed."))

    def _follow(self, handle: "JobHandle") -> None:
        self._job = handle
        handle.changed.connect(self._job_changed)

    def _job_changed(self) -> None:
        if self._job is None:
            return
        if not self._job.active:
            self._job = None
            self._shell.preparation.look()
            self.read()
            self.ended.emit()
        elif self._job.progress is not None and self._job.progress.note:
            self._say(tr("It is being installed: {note}.").format(note=self._job.progress.note))

    def _cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _say(self, words: str) -> None:
        self.more.setText(words)
        show_if(self.more, True)
        self.setAccessibleName(tr(f"{self.text.text()} {words}"))
