"""An empty state says what will be here, and what to do next."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets.buttons import PrimaryButton
from desktop.widgets.labels import Label, show_if

ICON_SIDE = 40


class EmptyState(QWidget):
    """What stands where nothing is yet: a title, one sentence, and the button that goes on."""

    def __init__(
        self,
        title: str,
        text: str,
        action: str = "",
        on_action: Callable[[], object] | None = None,
        *,
        icon: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        tokens = theme.current()
        self._icon_name = icon
        self.picture = QLabel()
        self.title = Label(title, "title", wrap=True)
        self.text = Label(text, "soft", wrap=True)
        self.button = PrimaryButton(action)
        show_if(self.button, bool(action))
        if on_action is not None:
            self.button.clicked.connect(lambda: on_action())
        box = QVBoxLayout(self)
        box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        box.setSpacing(tokens.grid)
        box.addStretch(2)
        for widget in (self.picture, self.title, self.text):
            box.addLayout(_centred(widget))
        box.addSpacing(tokens.grid)
        box.addLayout(_centred(self.button))
        box.addStretch(3)
        for label in (self.title, self.text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._dress()
        theme.signals.changed.connect(self._dress)

    def _dress(self) -> None:
        tokens = theme.current()
        self.picture.setPixmap(QPixmap())
        if self._icon_name:
            side = tokens.px(ICON_SIDE)
            self.picture.setPixmap(theme.pixmap(self._icon_name, tokens.soft, side, self.devicePixelRatioF()))
        show_if(self.picture, bool(self._icon_name))
        self.text.setMinimumWidth(min(tokens.px(420), 560))


def _centred(widget: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.addStretch(1)
    row.addWidget(widget)
    row.addStretch(1)
    return row
