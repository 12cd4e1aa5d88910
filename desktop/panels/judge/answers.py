"""From futures to the window's thread."""

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from shiboken6 import isValid

from core.errors import AppError

Then = Callable[[Any], object]


class Answers(QObject):
    """Hands the answer of a future, or its error, to a callable on the window's thread."""

    _arrived = Signal(object, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def ask(self, future: "Future[Any]", then: Then, otherwise: Callable[[AppError], object]) -> None:
        """Call `then` with the answer or `otherwise` with the error, later, on this thread."""

        def hand_over(done: "Future[Any]") -> None:
            if isValid(self):  # the window may have closed meanwhile
                self._arrived.emit(done, then, otherwise)

        future.add_done_callback(hand_over)

    def _deliver(self, done: "Future[Any]", then: Then, otherwise: Callable[[AppError], object]) -> None:
        error = done.exception()
        if error is None:
            then(done.result())
        elif isinstance(error, AppError):
            otherwise(error)
        else:
            raise error
