"""The dialog in which a language model reads the letter: with its passages beside the program's own."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QScrollArea, QWidget

from biasprint.core.letters import ModelReading, passages_by_category
from biasprint.desktop import theme
from biasprint.desktop.operations import Operation
from biasprint.desktop.operations.letters import read_with_model
from biasprint.desktop.panels.letters.generator_dialog import GeneratorDialog
from biasprint.desktop.widgets import Label, tr
from biasprint.desktop.widgets.layout import clear_column
from biasprint.desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from biasprint.desktop.operations.letters import Checked
    from biasprint.desktop.shell import Shell

HEIGHT = 260


class ModelReadingDialog(GeneratorDialog):
    """Have a language model read the letter, and show what it names, as often as somebody wants."""

    def __init__(self, shell: "Shell", checked: "Checked", parent: QWidget) -> None:
        explanation = tr(
            "A language model names the passages it would look at. What does not stand in the letter is left out. Its "
            "reading is shown here alone and counts in no figure. An endpoint on another computer is sent the letter."
        )
        super().__init__(shell, tr("A language model's reading"), explanation, tr("Read the letter"), parent)
        self.checked = checked
        self.summary = Label("", "strong", wrap=True)
        self.page, self.column = clear_column()
        self.passages = QScrollArea()
        self.passages.setWidgetResizable(True)
        self.passages.setWidget(self.page)
        self.passages.setAccessibleName(tr("Passages that the model names"))
        self.passages.setMinimumHeight(theme.current().px(HEIGHT))
        for widget in (self.summary, self.passages):
            widget.hide()
            self.box.insertWidget(self.box.count() - 1, widget)
        self.enable()

    def operation(self, backend: str, model: str) -> Operation[object]:
        return read_with_model(checked=self.checked, backend=backend, model=model, parameters=self.endpoint())

    def show_result(self, result: object) -> None:
        assert isinstance(result, ModelReading)
        self.summary.setText(safe_line(result.summary))
        while (row := self.column.takeAt(0)) is not None:
            if (widget := row.widget()) is not None:
                widget.deleteLater()
        for title, marks in passages_by_category(result):
            self.column.addWidget(Label(safe_line(f"{tr(title)} ({len(marks)})"), "strong"))
            for mark in marks:
                words = tr("“{words}”: {reason}") if mark.reason else tr("“{words}”")
                words = words.format(words=" ".join(mark.words.split()), reason=mark.reason)
                self.column.addWidget(Label(safe_line(words), "", wrap=True))
        self.column.addStretch(1)
        self.summary.show()
        self.passages.setVisible(bool(result.marks))
        self.cancel.setText(tr("Close"))
        self.adjustSize()
