"""A page that scrolls down when it is higher than its room."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from desktop import theme

SCROLL_BAR = 12  # pixels of the right margin that it may use


class _Page(QWidget):
    """Asks for the height that its width needs. Qt's own minimum adds up texts wrapped at their narrowest."""

    def minimumSizeHint(self) -> QSize:
        return QSize(self.layout().minimumSize().width(), 0)


class Sheet(QScrollArea):
    """`box` is the page's vertical layout. The scroll bar stands in the right margin, `SCROLL_BAR` pixels of it."""

    def __init__(self) -> None:
        super().__init__()
        page = _Page()
        page.setProperty("role", "clear")
        self.box = QVBoxLayout(page)
        self.box.setContentsMargins(0, 0, SCROLL_BAR, 0)
        self.box.setSpacing(theme.current().gap)
        self.setWidget(page)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
