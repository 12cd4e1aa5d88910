"""A project that is open in another window: raise that window if it is the same person's, else open read-only here."""

import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject, QStandardPaths, Qt, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from biasprint.core.errors import AppError
from biasprint.core.project.lock import ProjectInUse
from biasprint.desktop.dialogs.backups import opening_notice
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets.safe_text import as_given
from biasprint.desktop.widgets.words import tr


class OpeningWindow(Shell, Protocol):
    """The parts of the window that a failed opening needs, besides what every panel may ask of the window."""

    started_with: Path | None  # the project that it was started for

    def close(self) -> bool:
        """Leave the program."""


def door_name(path: Path) -> str:
    """Return the name of the local socket on which the window that holds a project listens."""
    name = "biasprint-" + hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    # Without a folder Qt takes the common temporary one, which on Linux all users share.
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.RuntimeLocation)
    return f"{folder}/{name}" if sys.platform == "linux" and folder else name


class WindowDoor(QObject):
    """A socket that is open while this window holds a project: another window of the same user raises this one."""

    knocked = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._answer)

    def open(self, path: Path) -> None:
        self.close()
        # Whoever holds the project's lock owns the name: a socket left by a killed window is cleared away.
        QLocalServer.removeServer(door_name(path))
        self._server.listen(door_name(path))

    def close(self) -> None:
        self._server.close()

    def _answer(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.disconnected.connect(socket.deleteLater)
            socket.disconnectFromServer()
            self.knocked.emit()


def knock(path: Path, parent: QObject, on_answer: Callable[[bool], object]) -> None:
    """Ask the window that holds `path` to come to front; report whether one answered."""
    socket = QLocalSocket(parent)
    answers: list[bool] = []

    def answered(opened: bool) -> None:
        if not answers:  # a window that came to front hangs up, which is no second answer
            answers.append(opened)
            socket.deleteLater()
            on_answer(opened)

    socket.connected.connect(lambda: answered(True))
    socket.errorOccurred.connect(lambda _: answered(False), Qt.ConnectionType.QueuedConnection)
    socket.connectToServer(door_name(path))


def handle_failed_opening(window: OpeningWindow, error: AppError, path: Path) -> None:
    """Handle a project that could not be opened: show why, raise its other window, or open it read-only."""
    if not isinstance(error, ProjectInUse):
        if not path.exists():
            window.settings.forget_recent(path)
        window.show_notice(opening_notice(window, window, error, path), key=f"error:{error.message}")
        return
    if error.holder is not None and not error.holder.same_person:
        window.session.open(path, read_only=True)
        return

    in_front = tr("“{name}” is open in another window, which is in front now.").format(name=as_given(path.name))

    def answered(opened: bool) -> None:
        if not opened:
            window.show_error(error)
        elif window.project is None and window.started_with == path:
            if sys.stderr is not None:  # as in a packaged program without a terminal
                sys.stderr.write(f"{in_front}\n")
            window.close()  # this window was only started for a project that is in front now
        else:
            window.notify(in_front)

    knock(path, window, answered)
