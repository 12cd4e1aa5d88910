"""A run while it is written: how far it is, the latest text, and Pause and Cancel."""

from PySide6.QtWidgets import QHBoxLayout

from desktop import theme
from desktop.jobs import JobHandle, JobState
from desktop.panels.generate.latest import LatestText
from desktop.widgets import Card, Label, ProgressThin, QuietButton, number, spelled_seconds, tr
from desktop.widgets.labels import show_if


class ProgressCard(Card):
    """Follows one job at a time; the last text stays when it has ended."""

    def __init__(self) -> None:
        super().__init__()
        self.set_padding(20)
        self.handle: JobHandle | None = None
        self.words = Label("", "note")
        self.pause = QuietButton(tr("Pause"), icon="pause")
        self.pause.setToolTip(tr("What is being written is finished; the runs that wait in the queue wait on."))
        self.cancel = QuietButton(tr("Cancel"), icon="stop")
        self.bar = ProgressThin(tr("Progress of the run"))
        self.text = LatestText(tr("The latest text"))
        self.nothing = Label(tr("Texts appear here while they are written."), "soft", wrap=True)
        head = QHBoxLayout()
        head.setSpacing(theme.current().grid)
        head.addWidget(Label(tr("Latest text"), "heading"))
        head.addWidget(self.words)
        head.addStretch(1)
        head.addWidget(self.pause)
        head.addWidget(self.cancel)
        self.box.addLayout(head)
        for widget, stretch in ((self.bar, 0), (self.nothing, 0), (self.text, 1)):
            self.box.addWidget(widget, stretch)
        self.box.addStretch(0)
        self.pause.clicked.connect(self._toggle)
        self.cancel.clicked.connect(lambda: self.handle.cancel() if self.handle is not None else None)
        self.forget()

    def follow(self, handle: JobHandle) -> None:
        """Show this job from now on."""
        if handle is self.handle:
            return
        self.forget()
        self.handle = handle
        handle.changed.connect(self._show)
        self._show()

    def forget(self) -> None:
        """Another project: nothing of the last one is left to see."""
        self.handle = None
        self.text.forget()
        self.text.hide()
        self.nothing.show()
        self._show()

    @property
    def running(self) -> bool:
        return self.handle is not None and self.handle.active

    def _toggle(self) -> None:
        if self.handle is None:
            return
        if self.handle.state is JobState.PAUSED:
            self.handle.resume()
        else:
            self.handle.pause()

    def _show(self) -> None:
        handle = self.handle
        for widget in (self.bar, self.pause, self.cancel):
            widget.setVisible(self.running)
        if handle is None:
            self.words.setText("")
            return
        paused = handle.state is JobState.PAUSED
        self.pause.set_text(tr("Resume") if paused else tr("Pause"))
        self.pause.set_icon("play" if paused else "pause")
        self.pause.setEnabled(not handle.cancelling)
        self.cancel.setEnabled(not handle.cancelling)
        progress = handle.progress
        if progress is not None and isinstance(progress.partial, str) and progress.partial:
            self.nothing.hide()
            show_if(self.text, True)
            self.text.take(progress.partial)
        if not handle.active:
            self.text.show_last()
        self.bar.set_progress(progress.done if progress else 0, progress.total if progress else None)
        self.words.setText(_words(handle))


def _words(handle: JobHandle) -> str:
    if handle.cancelling:
        return tr("Cancelling…")
    if handle.state is JobState.CANCELLED:
        return tr("Cancelled; what was written is kept.")
    if not handle.active:
        return handle.result_text
    if handle.progress is None or handle.progress.total is None:
        return handle.progress.note if handle.progress is not None and handle.progress.note else tr("Starting…")
    parts = [tr("{done} of {total}").format(done=f"{handle.progress.done:,}", total=f"{handle.progress.total or 0:,}")]
    if handle.state is JobState.PAUSED:
        parts.append(tr("paused"))
    elif handle.progress.seconds_left is not None:
        if handle.progress.rate:
            parts.append(_rate(handle.progress.rate))
        parts.append(tr("{time} left").format(time=spelled_seconds(handle.progress.seconds_left)))
    return " · ".join(parts)


def _rate(texts_a_second: float) -> str:
    """Texts a second, or a minute where they are slow."""
    if texts_a_second >= 1:
        return tr("{n} texts a second").format(n=number(texts_a_second, 0 if texts_a_second >= 10 else 1))
    return tr("{n} texts a minute").format(n=number(60 * texts_a_second, 1))
