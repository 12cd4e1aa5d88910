"""A card: a surface with a hairline border and 12-pixel corners."""

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from desktop.theme import current
from desktop.widgets.labels import Label


class Card(QFrame):
    """A surface that groups what belongs together. `box` is its vertical layout.

    `chosen` draws the accent border; with `set_padding` a dense card can do with less room.
    """

    def __init__(self, title: str = "", *, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "card")
        self.setProperty("chosen", "false")
        self.box = QVBoxLayout(self)
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
