"""A column of widgets beside the work that scrolls as a whole where the type is large or the window low."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from desktop import theme


class Column(QScrollArea):
    """`box` takes the widgets. Nothing in it is squeezed below its least height: then everything scrolls."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        inside = QWidget()
        inside.setProperty("role", "clear")
        self.box = QVBoxLayout(inside)
        self.box.setContentsMargins(0, 0, theme.current().grid, 0)
        self.box.setSpacing(theme.current().grid)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(inside)
