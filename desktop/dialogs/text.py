"""A page of plain text over the window, to be read and copied. It does not hold the window up."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from biasprint.desktop import theme
from biasprint.desktop.widgets import PrimaryButton, tr
from biasprint.desktop.widgets.layout import fitting


class TextDialog(QDialog):
    """Escape or Enter closes it."""

    def __init__(self, parent: QWidget, title: str, text: str) -> None:
        super().__init__(parent)
        tokens = theme.current()
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = QPlainTextEdit(text)
        self.text.setReadOnly(True)
        self.text.setAccessibleName(title)
        self.close_button = PrimaryButton(tr("Close"))
        self.close_button.setDefault(True)
        self.close_button.clicked.connect(self.accept)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        box = QVBoxLayout(self)
        box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        box.setSpacing(tokens.gap)
        box.addWidget(self.text)
        box.addLayout(buttons)
        self.resize(fitting(parent, 640, 520))
