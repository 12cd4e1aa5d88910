"""A participant's own picture at the end of a workshop's session; saved only where they say, gone when they leave."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QVBoxLayout, QWidget

from desktop.panels.base import Shell
from desktop.panels.fingerprint.view import FingerprintView
from desktop.panels.workshop.saving import SaveDialog
from desktop.widgets import EmptyState, Label, Notice, PrimaryButton, QuietButton, plural, tr
from desktop.widgets.notice import error_notice
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.errors import AppError
    from core.judging.fingerprint import Fingerprint

# Somebody may walk away and leave the picture on the screen.
IDLE_MINUTES = 5
STIRRINGS = {QEvent.Type.KeyPress, QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.Wheel}


class PicturePage(QWidget):
    """`save` and `done` are made here, and stand where the host puts them."""

    left = Signal()

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        kept = tr("Nobody else sees this picture, and it is not kept. It is gone when the next person starts") + ", "
        kept += plural(IDLE_MINUTES, "or after %n minute without a key.", "or after %n minutes without a key.")
        self.view = FingerprintView(shell, kept=kept, with_head=False)
        self.save = QuietButton(tr("Save my picture…"), icon="export")
        self.done = PrimaryButton(tr("Done: next person"))
        self.waiting = Label(tr("Drawing your picture…"), "soft")
        self.waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.failed = EmptyState(
            tr("Your picture could not be drawn"), "", tr("Next person"), self.left.emit, icon="fingerprint"
        )
        self.pages = QStackedWidget()
        for page in (self.waiting, self.view, self.failed):
            self.pages.addWidget(page)
        self._box = QVBoxLayout(self)
        self._box.setContentsMargins(0, 0, 0, 0)
        self._box.addWidget(self.pages, 1)
        self._told: Notice | None = None
        self._idle = QTimer(self, interval=IDLE_MINUTES * 60_000, singleShot=True)
        self._idle.timeout.connect(self.left)
        self.save.clicked.connect(self.ask_where)
        self.done.clicked.connect(self.left)

    def show_waiting(self) -> None:
        self.save.setEnabled(False)
        self.pages.setCurrentWidget(self.waiting)
        self._watch()

    def show_fingerprint(self, found: "Fingerprint") -> None:
        self.view.show_fingerprint(found)
        self.save.setEnabled(True)
        self.pages.setCurrentWidget(self.view)

    def show_failure(self, error: "AppError") -> None:
        self.failed.text.setText(safe_line(str(error)))
        self.pages.setCurrentWidget(self.failed)

    def forget(self) -> None:
        self._idle.stop()
        QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]
        self.view.forget()

    # saving

    def ask_where(self) -> None:
        """Ask for a place, without holding the window."""
        if self.view.fingerprint is not None:
            SaveDialog(self.window(), self.save_to).open()

    def save_to(self, path: Path) -> None:
        """Write the picture in the format of the path's ending."""
        found = self.view.fingerprint
        if found is None:
            return
        from desktop.operations.fingerprint import save_fingerprint

        save_fingerprint(found=found, path=path).start(
            self._shell.jobs,
            on_done=lambda _: self._tell(Notice(tr("Your picture is saved."), tone="ok")),
            on_error=lambda error: self._tell(error_notice(error)),
        )

    def _tell(self, notice: Notice) -> None:
        if self._told is not None:
            self._told.close()
        self._told = notice
        notice.closed.connect(self._untold)
        self._box.insertWidget(0, notice)

    def _untold(self) -> None:
        self._told = None

    # somebody who walks away

    def _watch(self) -> None:
        self._idle.start()
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in STIRRINGS and self._idle.isActive():
            self._idle.start()
        return False
