"""Held keys. An action that must run once, an answer above all, needs a fresh press: this decides what is one."""

import time
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QShortcut,
    QWindow,
)
from PySide6.QtWidgets import QApplication, QPlainTextEdit, QTextEdit, QWidget

from biasprint.desktop import theme

SIDEWAYS = {Qt.Key.Key_Left: Qt.Key.Key_Right, Qt.Key.Key_Right: Qt.Key.Key_Left}


def key_as_read(event: QKeyEvent) -> Qt.Key:
    """Return a pressed key; Right is the one that leads onwards, which is Left in a layout from right to left."""
    key = Qt.Key(event.key())
    turned = QGuiApplication.layoutDirection() is Qt.LayoutDirection.RightToLeft
    return SIDEWAYS.get(key, key) if turned else key


# ---- The focus ring

BY_KEYBOARD = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)
AS_BEFORE = (
    Qt.FocusReason.ActiveWindowFocusReason,
    Qt.FocusReason.PopupFocusReason,
    Qt.FocusReason.MenuBarFocusReason,
)


class FocusRing(QWidget):
    """A ring over a widget, `outset` pixels around it, while it has the keyboard and got it by the keyboard."""

    def __init__(self, ringed: QWidget, outset: int) -> None:
        super().__init__(ringed)
        self._ringed = ringed
        self._outset = outset
        self._by_keyboard = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def focus_changed(self, event: QFocusEvent) -> None:
        """Show or hide the ring: its widget got or lost the keyboard."""
        if event.gotFocus() and event.reason() not in AS_BEFORE:
            self._by_keyboard = event.reason() in BY_KEYBOARD
        shown = event.gotFocus() and self._by_keyboard
        if shown == self.isVisible():
            return
        if shown:
            self.setParent(self._ringed.parentWidget() or self._ringed)
            self._ringed.installEventFilter(self)
            self._place()
            self.raise_()
        else:
            self._ringed.removeEventFilter(self)
        self.setVisible(shown)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self._place()
        elif event.type() == QEvent.Type.Hide:
            self.hide()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(tokens.focus), 2))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), tokens.radius_small, tokens.radius_small)
        painter.end()

    def _place(self) -> None:
        out, parent = self._outset, self.parentWidget()
        if parent is self._ringed:
            self.setGeometry(parent.rect())
        else:
            around = self._ringed.geometry().adjusted(-out, -out, out, out)
            self.setGeometry(around.intersected(parent.rect()))


ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


def is_fresh(event: QKeyEvent) -> bool:
    """Return whether the key was pressed now, and is not still held since the last answer, page or dialog."""
    return not event.isAutoRepeat()


def shortcut(
    keys: QKeySequence | str, part: QWidget, run: Callable[[], object], *, repeats: bool = False, in_sight: bool = False
) -> QShortcut:
    """Make keys run something while the keyboard is inside `part`; if held, repeatedly only if it `repeats`.

    `in_sight`: wherever the keyboard is in the window, while `part` is shown.
    """
    made = QShortcut(QKeySequence(keys), part, autoRepeat=repeats)
    contexts = Qt.ShortcutContext
    made.setContext(contexts.WindowShortcut if in_sight else contexts.WidgetWithChildrenShortcut)
    made.activated.connect(run)
    return made


AT_ONCE_SECONDS = 0.02  # from a release to the press of a repeat; a finger needs longer


class HeldKeys(QObject):
    """The filter that marks every repeat of a held key as such, and stops a held Enter or Escape.

    For each repeat X11 sends a release and a press of the same moment. Qt marks them where it finds both at once; else
    it reports a fresh press, at least three times in a second. No person presses a key at the moment of its release.
    """

    def __init__(self, app: QGuiApplication) -> None:
        super().__init__(app)
        self._released = (0, 0)  # the key's code and the moment, of the last release
        self._released_at = 0.0  # by our own clock
        app.focusWindowChanged.connect(self._watch)

    def _watch(self, window: QWindow | None) -> None:
        """Watch the window that has the keyboard, which gets keys before any of its widgets."""
        if window is not None:
            window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):
            return False
        if event.type() == QEvent.Type.KeyRelease:
            self._released = event.nativeScanCode(), event.timestamp()
            self._released_at = time.monotonic()
            return False
        same = self._released == (event.nativeScanCode(), event.timestamp()) != (0, 0)
        if event.timestamp() == 0:  # while a screen reader listens Qt hands keys on without their moment
            same = same and time.monotonic() - self._released_at < AT_ONCE_SECONDS
        unmarked = is_fresh(event) and same
        if is_fresh(event) and not unmarked:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            if unmarked:
                event.accept()  # a shortcut would take it for a fresh press: as a key it comes again, and is marked
            return unmarked
        if _triggers(event):
            return True
        if unmarked:
            event.setAccepted(QCoreApplication.sendEvent(watched, _marked(event)))
        return unmarked


def _triggers(event: QKeyEvent) -> bool:
    """Return whether a key presses, opens or closes something, and does not write a new line."""
    field = QApplication.focusWidget()
    writes = isinstance(field, QTextEdit | QPlainTextEdit) and not field.isReadOnly()
    return event.key() == Qt.Key.Key_Escape or (event.key() in ENTER and not writes)


def _marked(event: QKeyEvent) -> QKeyEvent:
    marked = QKeyEvent(
        event.type(),
        event.key(),
        event.modifiers(),
        event.nativeScanCode(),
        event.nativeVirtualKey(),
        event.nativeModifiers(),
        event.text(),
        True,
        event.count(),
    )
    marked.setTimestamp(event.timestamp())
    return marked
