"""The strip that says that nothing opens GGUF files here, and installs what does."""

from typing import TYPE_CHECKING

from desktop.operations import models as operations
from desktop.operations.models import INSTALLING
from desktop.shell import Shell
from desktop.widgets import Notice, tr
from desktop.widgets.labels import show_if

if TYPE_CHECKING:
    from desktop.jobs import JobHandle

ENGINE = "engine"


class EngineNotice(Notice):
    """Hidden where the engine is. The job goes on when the panel is left, and is found again."""

    def __init__(self, shell: Shell) -> None:
        super().__init__(tr("The local-model engine (llama.cpp) is not installed here."), closable=False)
        self._shell = shell
        self._job: JobHandle | None = None
        self.install = self.add_action(tr("Install the local-model engine"), self._install)
        self.cancel = self.add_action(tr("Cancel"), self._cancel)
        self.parts = self.add_action(tr("Parts of the program"), shell.show_parts)
        self.hide()

    def read(self) -> None:
        """Look whether it is here, off the window's thread."""
        self._shell.jobs.start(tr("Models"), operations.why_no_engine, on_done=self._show, quiet=True)

    def _show(self, reason: str | None) -> None:
        show_if(self, reason is not None)
        if reason is None:
            return
        running = operations.running(self._shell.jobs, INSTALLING, ENGINE)
        if running is not None and running is not self._job:
            self._follow(running)
        coming = running is None and self._shell.preparation.stage in ("working", "paused", "offline")
        self.parts.setVisible(coming)
        self.install.setVisible(running is None and not coming and not reason)
        self.cancel.setVisible(running is not None)
        if coming:
            self._say(tr("It is a part of the program that is still being prepared, behind your work."))
        elif running is None:
            self._say(
                tr("It cannot be installed here: {reason}.").format(reason=reason)
                if reason
                else tr("GGUF files need it. It is compiled, which takes some minutes and needs a C++ compiler.")
            )

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
            self.read()
        elif self._job.progress is not None and self._job.progress.note:
            self._say(tr("It is being installed: {note}.").format(note=self._job.progress.note))

    def _cancel(self) -> None:
        if self._job is not None:
            self._job.cancel()

    def _say(self, words: str) -> None:
        self.more.setText(words)
        show_if(self.more, True)
        self.setAccessibleName(f"{self.text.text()} {words}")
