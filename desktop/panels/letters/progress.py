"""The progress of a job over many letters, with the time left, Pause and Cancel."""

from contextlib import suppress

from PySide6.QtWidgets import QSizePolicy, QWidget

from biasprint.desktop.jobs import JobHandle, JobState
from biasprint.desktop.widgets import Label, ProgressThin, QuietButton, number, spelled_seconds, tr
from biasprint.desktop.widgets.layout import in_row


class LettersProgress(QWidget):
    """A bar with the progress of a job over many letters, Pause and Cancel; hidden when the job has ended."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.handle: JobHandle | None = None
        self.words, self.bar = Label("", "note"), ProgressThin(title)
        self.pause, self.cancel = QuietButton(tr("Pause"), icon="pause"), QuietButton(tr("Cancel"), icon="stop")
        self.bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        row = in_row(inside=self, spacing=12, margins=0)
        row.addWidget(self.bar, 1)
        for widget in (self.words, self.pause, self.cancel):
            row.addWidget(widget)
        self.pause.clicked.connect(self._toggle)
        self.cancel.clicked.connect(lambda: self.handle.cancel() if self.handle is not None else None)
        self.follow(None)

    def follow(self, handle: JobHandle | None) -> None:
        """Show this job from now on; None for none."""
        if self.handle is not None:
            with suppress(RuntimeError):  # while a rater is blind, a job forgets who listens
                self.handle.changed.disconnect(self.show_state)
        self.handle = handle
        if handle is not None:
            handle.changed.connect(self.show_state)
        self.show_state()

    def show_state(self) -> None:
        """Show the state of the job."""
        handle = self.handle
        self.setVisible(handle is not None and handle.active)
        if handle is None or not handle.active:
            return
        paused = handle.state is JobState.PAUSED
        self.pause.set_text(tr("Resume") if paused else tr("Pause"))
        self.pause.set_icon("play" if paused else "pause")
        for button in (self.pause, self.cancel):
            button.setEnabled(not handle.cancelling)
        progress = handle.progress
        self.bar.set_progress(progress.done if progress else 0, progress.total if progress else None)
        self.words.setText(progress_said(handle))

    def _toggle(self) -> None:
        if self.handle is not None:
            paused = self.handle.state is JobState.PAUSED
            (self.handle.resume if paused else self.handle.pause)()


def progress_said(handle: JobHandle) -> str:
    """Return the progress of a pile in words."""
    if handle.cancelling:
        return tr("Cancelling…")
    progress = handle.progress
    if progress is None or progress.total is None:
        return tr("Looking what is in it…")
    parts = [tr("{done} of {total} files").format(done=number(progress.done), total=number(progress.total))]
    if handle.state is JobState.PAUSED:
        parts.append(tr("paused"))
    elif progress.seconds_left is not None and progress.done:
        if progress.rate:
            parts.append(_rate(progress.rate))
        parts.append(tr("{time} left").format(time=spelled_seconds(progress.seconds_left)))
    return " · ".join(parts)


def _rate(files_a_second: float) -> str:
    if files_a_second >= 1:
        return tr("{n} a second").format(n=number(files_a_second, 1))
    return tr("{n} a minute").format(n=number(60 * files_a_second, 1))
