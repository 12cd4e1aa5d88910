"""The wheel scrolls the page: it changes a field only after the person has gone to it."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget


class _WheelGuard(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()  # … so that the page around it gets the event
            return True
        return super().eventFilter(watched, event)


def guard_wheel(field: QWidget) -> None:
    """Let the wheel pass over a combo box, slider or spin box that does not have the keyboard."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_WheelGuard(field))
