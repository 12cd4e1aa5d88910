"""Input: files that are dropped, menus below buttons, the wheel over fields, the first field of a page."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QMenu, QVBoxLayout, QWidget

from biasprint.desktop.widgets.labels import Label, Named, hidden
from biasprint.desktop.widgets.layout import mirrored
from biasprint.desktop.widgets.words import tr


class FileDrop(QObject):
    """Watches a window for dragged files of this computer; while they are over it, it says that they can be dropped."""

    dropped = Signal(list)  # of Path

    def __init__(self, window: QWidget, welcome: Callable[[], bool]) -> None:
        super().__init__(window)
        self._window = window
        self._welcome = welcome
        self.hint = hidden(QFrame(window))
        self.hint.setProperty("role", "drop")
        self.hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        words = Label(tr("Drop to open"), "title")
        words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        QVBoxLayout(self.hint).addWidget(words)
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent) and local_files(event.mimeData()) and self._welcome():
            event.acceptProposedAction()
            self.hint.setGeometry(self._window.rect().adjusted(16, 16, -16, -16))
            self.hint.raise_()
            self.hint.show()
            return True
        if event.type() == QEvent.Type.DragLeave:
            self.hint.hide()
        if event.type() == QEvent.Type.Drop and isinstance(event, QDropEvent):
            self.hint.hide()
            event.acceptProposedAction()
            self.dropped.emit(local_files(event.mimeData()))
            return True
        return super().eventFilter(watched, event)


class CardDrop(QObject):
    """Takes files and folders dropped on a widget; while they are over it, `mark` gets True.

    `take` gets those that exist, and the place in the widget.
    """

    def __init__(
        self, widget: QWidget, mark: Callable[[bool], object], take: Callable[[list[Path], QPoint], object]
    ) -> None:
        super().__init__(widget)
        self._mark, self._take = mark, take
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent):
            if there(event.mimeData()):
                event.acceptProposedAction()
                self._mark(True)
            return True
        if event.type() == QEvent.Type.DragLeave:
            self._mark(False)
        if event.type() == QEvent.Type.Drop and isinstance(event, QDropEvent):
            self._mark(False)
            event.acceptProposedAction()
            self._take(there(event.mimeData()), event.position().toPoint())
            return True
        return super().eventFilter(watched, event)


def there(data: QMimeData) -> list[Path]:
    """Return the dragged files and folders that exist."""
    return [path for path in local_paths(data) if path.exists()]


def local_paths(data: QMimeData) -> list[Path]:
    """Return dragged files and folders of this computer, also ones that are gone; nothing else is ever accepted."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


def local_files(data: QMimeData) -> list[Path]:
    """Return the dragged files of this computer."""
    return [path for path in local_paths(data) if path.is_file()]


def below(button: QWidget, menu: QMenu) -> QPoint:
    """Return where on the screen a menu opens below its button: both begin at the same place."""
    corner, width = button.rect().bottomLeft(), menu.sizeHint().width()
    return button.mapToGlobal(mirrored(button, QRect(corner, QSize(width, 1))).topLeft())


def open_below(menu: QMenu, button: QWidget) -> QMenu:
    """Open a menu below its button; it is deleted when it is closed."""
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.popup(below(button, menu))
    return menu


class _WheelGuard(QObject):
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel and isinstance(watched, QWidget) and not watched.hasFocus():
            event.ignore()  # … so that the page around it gets the event
            return True
        return super().eventFilter(watched, event)


def guard_wheel(field: Named) -> Named:
    """Let the wheel pass over a combo box, slider or spin box that does not have the keyboard, and return it."""
    field.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    field.installEventFilter(_WheelGuard(field))
    return field


def first_field(part: QWidget) -> QWidget | None:
    """Return the first control inside `part` that takes the keyboard by Tab; a checked one before others."""
    fields = [
        widget
        for widget in part.findChildren(QWidget)
        if widget.isVisible() and widget.isEnabled() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    checked = [field for field in fields if getattr(field, "isChecked", bool)()]
    return next(iter(checked or fields), None)
