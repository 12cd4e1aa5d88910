"""Room for a table that takes all there is, and scrolls as a whole where a window is too low for it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from desktop import theme

LEAST_HEIGHT = 320  # text pixels


class _Page(QWidget):
    """Has no layout: one would ask for the height that its table would like, and scroll before it must."""

    def __init__(self, inner: QWidget) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self._inner = inner
        inner.setParent(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._inner.setGeometry(self.rect())


class PileRoom(QScrollArea):
    """Shows one widget, at least so high that it can be worked with."""

    def __init__(self, inner: QWidget) -> None:
        super().__init__()
        self._page = _Page(inner)
        self.setWidget(self._page)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._dress()
        theme.signals.changed.connect(self._dress)

    def _dress(self, _tokens: object = None) -> None:
        self._page.setMinimumHeight(theme.current().px(LEAST_HEIGHT))
