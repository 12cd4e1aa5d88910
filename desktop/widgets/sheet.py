"""A page that scrolls down when it is higher than its room."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

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

    def put_in_the_middle(self, card: QWidget) -> None:
        """The page is this card alone, a little above the middle; its own largest width holds."""
        middle = QWidget()
        middle.setProperty("role", "clear")
        row = QHBoxLayout(middle)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(card, 100)
        row.addStretch(1)
        self.box.addStretch(2)
        self.box.addWidget(middle)
        self.box.addStretch(3)
