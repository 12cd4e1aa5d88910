"""The ring around what has the keyboard and shows it in no other way: texts to read, and pages that scroll."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from biasprint.desktop import theme

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

    def __init__(self, ringed: QAbstractScrollArea, outset: int) -> None:
        super().__init__(ringed)
        self._ringed = ringed
        self._outset = outset
        self._by_keyboard = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def focus_changed(self, event: QFocusEvent) -> None:
        """Show or hide it: its widget got or lost the keyboard."""
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
