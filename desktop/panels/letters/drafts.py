"""The draft of the letter in hand: on disk within two seconds of each change, until it is saved or let go of."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from biasprint.core.errors import AppError
from biasprint.core.jobs import JobContext
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import tr

if TYPE_CHECKING:
    from biasprint.core.letters.kept import Draft
    from biasprint.core.letters.values import KeptLetter

WRITE_AFTER_MILLISECONDS = 700  # of a change, while others follow too: with the writing, on a busy disk, less than 2 s
SETTING = "keep_drafts"


class LetterDraft(QObject):
    """`note` each change. `changed` tells whether the draft on disk is, or will be in a moment, the letter as it is.

    The letter is read and written off the window's thread; what a job brings when the panel is gone is not heard.
    """

    changed = Signal()

    def __init__(self, shell: Shell, letter: "Callable[[], KeptLetter | None]", parent: QObject) -> None:
        super().__init__(parent)
        self._shell, self._letter = shell, letter
        self._draft: Draft | None = None
        self._writes = 0
        self.failed = False
        self._timer = QTimer(self, singleShot=True, interval=WRITE_AFTER_MILLISECONDS)
        self._timer.timeout.connect(self._write)

    @property
    def keeps(self) -> bool:
        """Whether drafts are kept at all."""
        return bool(self._shell.settings.get(SETTING))

    @property
    def on_disk(self) -> bool:
        return self._draft is not None and not self.failed

    def note(self) -> None:
        """The letter was changed."""
        if self.keeps and not self._timer.isActive():
            self._timer.start()

    def take(self, draft: "Draft") -> None:
        """Go on with a draft that was left behind."""
        self._draft, self._writes, self.failed = draft, 0, False

    def discard(self) -> None:
        """The letter was saved, or is let go of."""
        self._timer.stop()
        draft, self._draft, self.failed = self._draft, None, False
        if draft is not None:
            self._shell.jobs.start(tr("Deleting the draft"), lambda ctx: draft.discard(), quiet=True)

    def leave(self) -> None:
        """The panel goes, and with it the letter: its draft is brought up to date, and stays."""
        letter = self._letter() if self._draft is not None or self._timer.isActive() else None
        self._timer.stop()
        if letter is None:
            return
        draft, number = self._next()
        self._draft = None

        def leave(ctx: JobContext) -> None:
            draft.write(letter, number)
            draft.leave()

        self._shell.jobs.start(tr("Keeping the draft"), leave, quiet=True)

    def _write(self) -> None:
        letter = self._letter() if self.keeps else None
        if letter is None:
            return
        draft, number = self._next()
        self._shell.jobs.start(
            tr("Keeping a draft"),
            lambda ctx: draft.write(letter, number),
            quiet=True,
            on_done=lambda _: self._tell(None),
            on_error=self._tell,
        )

    def _next(self) -> "tuple[Draft, int]":
        """Where the next write goes, and its number: a thread may be late."""
        from biasprint.core.letters.kept import Draft  # not needed before something is edited

        self._draft = self._draft or Draft()
        self._writes += 1
        return self._draft, self._writes

    def _tell(self, error: AppError | None) -> None:
        """A failure is said once; the next change tries again."""
        first = error is not None and not self.failed
        self.failed = error is not None
        if first and error is not None:
            self._shell.show_error(
                AppError(
                    tr("The draft of this letter could not be kept."),
                    kept=tr("The letter is still here, in the window."),
                    hint=tr("{why} {hint}").format(why=error.message, hint=error.hint),
                    details=error.details,
                )
            )
        self.changed.emit()
