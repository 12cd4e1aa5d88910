"""The page about the program: its version and licence, and those of its parts."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from desktop import theme
from desktop.widgets import PrimaryButton
from desktop.widgets.words import tr


class AboutDialog(QDialog):
    """Plain text, to be read and copied. It does not hold the window up."""

    def __init__(self, parent: QWidget) -> None:
        from core.machine.licences import page

        super().__init__(parent)
        tokens = theme.current()
        self.setWindowTitle(tr("About and licences"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = QPlainTextEdit(page())
        self.text.setReadOnly(True)
        self.text.setAccessibleName(tr("About and licences"))
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
        self.resize(tokens.px(640), tokens.px(520))
