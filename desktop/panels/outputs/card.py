"""The card beside the outputs table: one text whole, the prompt it answers, and how it was made."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from desktop import theme
from desktop.models.output_rows import Detail
from desktop.models.outputs_table import status_word
from desktop.widgets import Card, Chip, Label, PlainText, tr
from desktop.widgets.column import Column
from desktop.widgets.safe_text import safe_line

TEXT_HEIGHT = 136  # at least
PROMPT_HEIGHT = 108


class OutputCard(Card):
    """Empty until a row is chosen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self.heading = Label("", "heading", wrap=True)
        self.status = Chip("")
        self.text = PlainText(name=tr("Text of the output"))
        self.prompt = PlainText(name=tr("Prompt"))
        self.recipe = Label("", "note", wrap=True)
        self.recipe.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.hint = Label(tr("Choose a row to read its text and how it was made."), "soft", wrap=True)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.column = Column()
        prompt, recipe = Label(tr("Prompt"), "strong"), Label(tr("Recipe"), "strong")
        for widget in (self.heading, self.status, self.text, prompt, self.prompt, recipe, self.recipe):
            self.column.box.addWidget(widget, 1 if widget is self.text else 0)
        # The text takes what is left, down to its least height: what it would like to have does not count.
        self.text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.box.addWidget(self.column, 1)
        self.box.addWidget(self.hint, 1)
        self._dress()
        theme.signals.changed.connect(self._dress)
        self.show_detail(None)

    def show_detail(self, detail: Detail | None) -> None:
        """Show one output, or the hint."""
        self.column.setVisible(detail is not None)
        self.hint.setVisible(detail is None)
        if detail is None:
            self.text.set_text("")
            self.prompt.set_text("")
            return
        row = detail.row
        failed = row.status == "error"
        self.heading.setText(safe_line(detail.title or row.prompt_key))
        self.status.setText(safe_line(f"{status_word(row.status)}: {row.error}" if failed else status_word(row.status)))
        self.status.set_tone("danger" if failed else "plain")
        self.text.set_text(row.text)
        self.prompt.set_text(detail.prompt)
        self.recipe.setText(" · ".join(safe_line(f"{name} {value}") for name, value in detail.recipe))

    def _dress(self, _tokens: object = None) -> None:
        self.text.setMinimumHeight(theme.current().px(TEXT_HEIGHT))
        self.prompt.setFixedHeight(theme.current().px(PROMPT_HEIGHT))
