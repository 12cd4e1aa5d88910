"""A card: a surface with a hairline border and 12-pixel corners."""

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.theme import current
from desktop.widgets.labels import Label


class TopBox(QVBoxLayout):
    """A column that stands at the top of a room that is too high for it; where a part of it can grow, that part does.

    Qt would give every label its share of the room, and centre each in it.
    """

    def setGeometry(self, rect: QRect) -> None:
        if not any(self._grows(index) for index in range(self.count())):
            wanted = self.heightForWidth(rect.width()) if self.hasHeightForWidth() else self.sizeHint().height()
            rect = QRect(rect.x(), rect.y(), rect.width(), min(rect.height(), wanted))
        super().setGeometry(rect)

    def _grows(self, index: int) -> bool:
        """Whether a part takes room that is left; one that is hidden does not, whatever its stretch."""
        item = self.itemAt(index)
        if item.isEmpty() and item.spacerItem() is None:
            return False
        return self.stretch(index) > 0 or bool(item.expandingDirections() & Qt.Orientation.Vertical)


class Card(QFrame):
    """A surface that groups what belongs together. `box` is its vertical layout.

    `chosen` draws the accent border; with `set_padding` a dense card can do with less room.
    """

    def __init__(self, title: str = "", *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setProperty("chosen", "false")
        self.box = TopBox(self)
        self.box.setSpacing(current().grid)
        self.set_padding(current().margin)
        if title:
            self.box.addWidget(Label(title, "heading", wrap=True))
            self.setAccessibleName(title)

    def set_padding(self, horizontal: int, vertical: int | None = None) -> None:
        across, along = horizontal, horizontal if vertical is None else vertical
        self.box.setContentsMargins(across, along, across, along)

    def set_chosen(self, chosen: bool) -> None:
        if (self.property("chosen") == "true") == chosen:
            return
        self.setProperty("chosen", "true" if chosen else "false")
        self.style().unpolish(self)
        self.style().polish(self)

    @property
    def chosen(self) -> bool:
        return bool(self.property("chosen") == "true")
