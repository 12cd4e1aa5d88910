"""The jobs drawer: what runs now, how far it is, and what has ended."""

from itertools import accumulate

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QApplication, QFrame, QSizePolicy, QWidget

from biasprint.core.errors import NotInstalledYet
from biasprint.core.jobs import LONG_SECONDS
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle, JobRunner, JobState, Keep
from biasprint.desktop.widgets import ElidedLabel, IconButton, ProgressThin, number, plural, spelled_seconds, tr
from biasprint.desktop.widgets.layout import STRETCH, Scroller, add_to, clear_column, in_column, in_row
from biasprint.desktop.widgets.safe_text import safe_line

MOST_ROWS = 20
ROWS_IN_VIEW = 3
SHARE_OF_WINDOW = 0.16  # of a window of 600: one row, so that a letter above keeps most of its lines
OPENS_FROM_HEIGHT = 560  # window height over font scale; a lower window needs its room for the work
CLOSES_AFTER_MILLISECONDS = 3_000  # time enough to read what came of it


class JobRow(QWidget):
    """One job: title and note, progress, rate, time left, Pause and Cancel; in the end its result."""

    dismissed = Signal()

    def __init__(self, handle: JobHandle, *, blind: bool) -> None:
        super().__init__()
        self.handle = handle
        self._blind = blind
        self._elsewhere = False
        self.title = ElidedLabel("", "strong")
        self.detail = ElidedLabel("", "note")
        for label in (self.title, self.detail):  # the same columns in every row, whatever the words
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.bar = ProgressThin(tr("Progress"))
        self.pause = IconButton("pause", tr("Pause"), act=self._toggle_pause)
        self.cancel = IconButton("close", tr("Cancel"), act=self._cancel_or_dismiss)
        keeps_room = self.pause.sizePolicy()
        keeps_room.setRetainSizeWhenHidden(True)
        self.pause.setSizePolicy(keeps_room)
        top = in_row((self.title, 2), (self.detail, 3), self.pause, self.cancel, spacing=theme.current().gap)
        in_column(top, self.bar, inside=self, spacing=2, margins=(0, 4, 0, 8))
        handle.changed.connect(self.show_state)
        self.show_state()

    def set_blind(self, blind: bool) -> None:
        self._blind = blind
        self.show_state()

    def belongs_elsewhere(self) -> None:
        """Show that the job's project is no longer the open one."""
        self._elsewhere = True
        self.show_state()

    def show_state(self) -> None:
        """Bring the row up to date with its job."""
        handle = self.handle
        title = tr("{job} (of the project before)").format(job=handle.title) if self._elsewhere else handle.title
        self.title.set_text(tr("A job") if self._blind else title)
        self.detail.set_text(self._words())
        self.bar.setVisible(handle.active)
        self.pause.setVisible(handle.active and not handle.cancelling)
        paused = handle.state is JobState.PAUSED
        self.pause.set_icon("play" if paused else "pause")
        self.pause.set_name(tr("Resume") if paused else tr("Pause"))
        self.cancel.set_name(tr("Cancel") if handle.active else tr("Remove from the list"))
        self.cancel.setEnabled(not handle.cancelling)
        self.setAccessibleName(tr(f"{self.title.whole_text()}: {self.detail.whole_text()}"))
        if handle.progress is not None:
            self.bar.set_progress(handle.progress.done, handle.progress.total)
        else:
            self.bar.set_progress(0, None)

    def _words(self) -> str:
        handle = self.handle
        if handle.cancelling:
            return tr("Cancelling…")
        if handle.state is JobState.CANCELLED:
            return tr("Cancelled; what was finished is kept.")
        if handle.state is JobState.FAILED:
            return tr("It stopped with an error.") if self._blind or handle.error is None else str(handle.error)
        if handle.state is JobState.DONE:
            took = tr("Done in {time}").format(time=spelled_seconds(handle.seconds))
            return took if self._blind or not handle.result_text else safe_line(handle.result_text)
        return self._progress_words()

    def _progress_words(self) -> str:
        progress, parts = self.handle.progress, []
        if self.handle.state is JobState.PAUSED:
            parts.append(tr("Paused"))
        if progress is not None:
            if progress.total is not None:
                parts.append(tr("{done} of {total}").format(done=number(progress.done), total=number(progress.total)))
            elif progress.done:
                parts.append(number(progress.done))
            if progress.rate is not None and self.handle.state is JobState.RUNNING:
                parts.append(_rate_words(progress.rate))
                if progress.seconds_left:
                    left = tr("{time} left, or cancel: what is finished is kept")
                    words = left if progress.seconds_left > LONG_SECONDS else tr("{time} left")
                    parts.append(words.format(time=spelled_seconds(progress.seconds_left)))
            if progress.note and not self._blind:
                parts.append(progress.note)
        return " · ".join(parts) or tr("Starting…")

    def _toggle_pause(self) -> None:
        if self.handle.state is JobState.PAUSED:
            self.handle.resume()
        else:
            self.handle.pause()

    def _cancel_or_dismiss(self) -> None:
        if self.handle.active:
            self.handle.cancel()
        else:
            self.dismissed.emit()


class JobsDrawer(QFrame):
    """The drawer. It opens when a job takes longer than a moment; if a person closes it, not before the next job.

    After opening automatically, it also closes automatically, soon after its jobs have ended well. While a rater is
    blind it neither opens nor names anything.

    `summary_changed` carries the words for the status line: "2 jobs", or "".
    """

    summary_changed = Signal(str)

    def __init__(self, runner: JobRunner, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "drawer")
        self.setAccessibleName(tr("Jobs"))
        self._rows: list[JobRow] = []
        self._blind = False
        self._opened_for: list[JobHandle] = []  # by itself; empty where a person opened it
        self._closing = QTimer(self, interval=CLOSES_AFTER_MILLISECONDS, singleShot=True)
        self._closing.timeout.connect(self._close_by_itself)
        tokens = theme.current()
        fold = IconButton("chevron-down", tr("Close the list of jobs"), act=lambda: self.set_open(False))
        inside, self._list = clear_column(STRETCH, spacing=0)
        self._area = Scroller()
        self._area.setWidget(inside)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        # No line of its own for a heading: the work above keeps that room.
        box = in_row(inside=self, spacing=tokens.gap, margins=(tokens.margin, 4, tokens.margin, 4))
        add_to(box, (self._area, 1), (fold, Qt.AlignmentFlag.AlignTop))
        self.hide()
        runner.started.connect(self._job_started)
        runner.ended.connect(self._job_ended)
        theme.signals.changed.connect(self._fit)

    def set_open(self, wanted: bool) -> None:
        """Open or close it as a person wants: what they opened stays open."""
        self._opened_for.clear()
        self._show(wanted)

    def toggle(self) -> None:
        self.set_open(not self.isVisible())

    def conceal(self, keep: Keep) -> None:
        """Close the drawer and show in no row what its job was about: a rater is blind from now on."""
        for row in self._rows:
            if not row.handle.active:  # the runner does so for the others
                row.handle.conceal(keep)
            row.handle.changed.connect(row.show_state)
        self.set_open(False)
        self.set_blind(True)
        keep(lambda: self.set_blind(False))

    def set_blind(self, blind: bool) -> None:
        """Set blindness: while blind, jobs have no names, since a title can hold a model's or a file's."""
        self._blind = blind
        for row in self._rows:
            row.set_blind(blind)

    def remove_waiting(self) -> None:
        """Remove jobs that failed because a part was not installed: it is installed now."""
        for row in self.rows():
            if isinstance(row.handle.error, NotInstalledYet):
                self._remove(row)

    def leave(self, project: object) -> None:
        """Remove ended jobs, as another project, or none, is opened; jobs still running for it show that they do."""
        for row in self.rows():
            if not row.handle.active:
                self._remove(row)
            elif row.handle.objectName().split()[-1:] == [f"{id(project)}"]:
                row.belongs_elsewhere()

    def rows(self) -> list[JobRow]:
        return list(self._rows)

    def _job_started(self, handle: JobHandle) -> None:
        if not handle.quiet:
            precise = Qt.TimerType.PreciseTimer  # the usual kind may fire a twentieth too early
            wait = QTimer(self, singleShot=True, interval=handle.shown_after, timerType=precise)
            wait.timeout.connect(lambda: self._show_job(handle))
            wait.timeout.connect(wait.deleteLater)
            wait.start()

    def _show_job(self, handle: JobHandle) -> None:
        if not handle.active:
            return
        row = JobRow(handle, blind=self._blind)
        row.dismissed.connect(lambda: self._remove(row))
        self._rows.insert(0, row)
        self._list.insertWidget(0, row)
        for old in [row for row in self._rows if not row.handle.active][MOST_ROWS:]:
            self._remove(old)
        self._open_by_itself(handle)
        self._tell()

    def _open_by_itself(self, handle: JobHandle) -> None:
        roomy = self.window().height() / theme.current().scale >= OPENS_FROM_HEIGHT
        if not self.isVisible() and roomy and not self._blind:
            self._opened_for = [handle]
        elif self._opened_for:
            self._opened_for.append(handle)
        self._show(self.isVisible() or bool(self._opened_for))

    def _job_ended(self, handle: JobHandle) -> None:
        self._tell()
        if handle in self._opened_for:
            self._closing.start()

    def _close_by_itself(self) -> None:
        if any(handle.active or handle.state is JobState.FAILED for handle in self._opened_for):
            return
        if self._in_use():
            self._closing.start()
        elif self._opened_for:
            self.set_open(False)

    def _in_use(self) -> bool:
        """Return whether somebody may be reading the drawer or be about to press something in it.

        Uses the pointer's position: where the drawer opened under it, Qt has not reported it yet.
        """
        focused = QApplication.focusWidget()
        pointed = self.rect().contains(self.mapFromGlobal(QCursor.pos()))
        return pointed or (focused is not None and self.isAncestorOf(focused))

    def _remove(self, row: JobRow) -> None:
        self._rows.remove(row)
        self._list.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._show(self.isVisible())
        self._tell()

    def _show(self, wanted: bool) -> None:
        self.setVisible(wanted and bool(self._rows))
        self._fit()

    def _fit(self) -> None:
        """Make it as high as the newest row, with up to two more if they fit the window; the rest scrolls."""
        if self._rows:
            heights = list(accumulate(row.sizeHint().height() for row in self._rows[:ROWS_IN_VIEW]))
            room = round(self.window().height() * SHARE_OF_WINDOW)
            self._area.setFixedHeight(max(height for height in heights if height <= max(room, heights[0])) + 2)

    def _tell(self) -> None:
        running = sum(row.handle.active for row in self._rows)
        if running:
            self.summary_changed.emit(plural(running, "%n job running", "%n jobs running"))
        else:
            self.summary_changed.emit(tr("Jobs") if self._rows else "")


def _rate_words(rate: float) -> str:
    if rate >= 1:
        return tr("{rate} a second").format(rate=number(rate, 0 if rate >= 10 else 1))
    return tr("{rate} a minute").format(rate=number(rate * 60))
