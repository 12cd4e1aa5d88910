"""Finding where the keyboard goes."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def first_field(part: QWidget) -> QWidget | None:
    """The first control inside `part` that takes the keyboard by Tab; a checked one before others."""
    fields = [
        widget
        for widget in part.findChildren(QWidget)
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    checked = [field for field in fields if getattr(field, "isChecked", bool)()]
    return next(iter(checked or fields), None)
