"""A question over the window: it never blocks, the answer comes to a callable."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets import Label, PrimaryButton, QuietButton


class Question(QDialog):
    """Two ways on. Escape is the safe one, which is also the one that is offered first."""

    def __init__(
        self,
        parent: QWidget,
        *,
        title: str,
        text: str,
        safe: str,
        risky: str,
        on_risky: Callable[[], object],
    ) -> None:
        super().__init__(parent)
        tokens = theme.current()
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.safe_button = PrimaryButton(safe)
        self.risky_button = QuietButton(risky)
        self.safe_button.setDefault(True)
        self.safe_button.clicked.connect(self.reject)
        self.risky_button.clicked.connect(self.accept)
        self.accepted.connect(lambda: on_risky())
        buttons = QHBoxLayout()
        buttons.setSpacing(tokens.grid)
        buttons.addStretch(1)
        buttons.addWidget(self.risky_button)
        buttons.addWidget(self.safe_button)
        heading, words = Label(title, "title", wrap=True), Label(text, wrap=True)
        for label in (heading, words):
            label.setMinimumWidth(tokens.px(400))
        box = QVBoxLayout(self)
        box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        box.setSpacing(tokens.gap)
        box.addWidget(heading)
        box.addWidget(words)
        box.addLayout(buttons)
