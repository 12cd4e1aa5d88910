"""Trying a template: placeholders to insert, the first mistake marked where it stands, and what it fills to."""

from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QTextEdit, QWidget

from core.prompts import Template, TemplateError, cogs_tasks, cogs_themes, load_axis
from core.prompts.cogs import PAPER_AXES
from core.prompts.resource_files import packaged, read_toml
from desktop import theme
from desktop.widgets import Card, FlowLayout, Label, PlainText, QuietButton, tr
from desktop.widgets.safe_text import safe_line


class TemplatePage(QWidget):
    """The identity template of the creativity suite, free to be changed here; the shipped sets keep theirs."""

    def __init__(self) -> None:
        super().__init__()
        self._values = _example()
        self.edit = QPlainTextEdit(read_toml(packaged("prompts", "cogs.toml"))["identity"])
        self.edit.setAccessibleName(tr("Template"))
        self.edit.setTabChangesFocus(True)
        self.verdict = Label("", "", wrap=True)
        self.filled = PlainText(name=tr("The template, filled"))
        self._lay_out()
        self.edit.textChanged.connect(self._check)
        theme.signals.changed.connect(self._check)
        self._check()

    def _check(self, _tokens: object = None) -> None:
        text = self.edit.toPlainText()
        try:
            filled = Template(text).require(self._values, self._values).render(self._values)
        except TemplateError as error:
            self._mark(text, error.offset)
            self.verdict.setText(safe_line(" ".join(part for part in (error.message, error.hint) if part)))
            self.filled.set_text("")
        else:
            self.edit.setExtraSelections([])
            self.verdict.setText(tr("Every placeholder is known and none is missing."))
            self.filled.set_text(filled)

    def _mark(self, text: str, offset: int) -> None:
        """Underline from the mistake to its brace or the end of the word; what is missing, at the last character."""
        end = next((at + (text[at] == "}") for at in range(offset + 1, len(text)) if text[at] in "} \n"), len(text))
        start = offset if offset < len(text) else max(0, len(text) - 1)
        mark = QTextEdit.ExtraSelection()
        mark.cursor = QTextCursor(self.edit.document())
        mark.cursor.setPosition(_units(text[:start]))
        mark.cursor.setPosition(_units(text[:end]), QTextCursor.MoveMode.KeepAnchor)
        mark.format = QTextCharFormat()
        mark.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        mark.format.setUnderlineColor(QColor(theme.current().danger))
        mark.format.setBackground(QColor(theme.current().danger_soft))
        self.edit.setExtraSelections([mark])

    def _lay_out(self) -> None:
        tokens = theme.current()
        left, right = Card(tr("Try a template")), Card(tr("What it becomes"))
        words = tr(
            "The creativity suite puts an identity before a task with this template. Change it and see what holds; "
            "the sets that ship with the program keep their own."
        )
        left.box.addWidget(Label(words, "soft", wrap=True))
        left.box.addWidget(self.edit, 1)
        chips = QWidget()
        row = FlowLayout(chips)
        row.addWidget(Label(tr("Insert"), "soft"))
        for name in self._values:
            button = QuietButton(f"{{{name}}}")
            button.clicked.connect(lambda _=False, name=name: self._insert(name))
            row.addWidget(button)
        left.box.addWidget(chips)
        left.box.addWidget(self.verdict)
        right.box.addWidget(self.filled, 1)
        example = tr("With the identity “{identity}” and the task “{task}”.").format(**self._values)
        right.box.addWidget(Label(example, "note", wrap=True))
        box = QHBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(tokens.gap)
        box.addWidget(left, 1)
        box.addWidget(right, 1)

    def _insert(self, name: str) -> None:
        self.edit.insertPlainText(f"{{{name}}}")
        self.edit.setFocus()


def _units(text: str) -> int:
    """How many UTF-16 units Qt counts for a text."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _example() -> dict[str, str]:
    task, subject = cogs_tasks()[0], cogs_themes()[0]
    asked = Template(task.template).fill(theme=subject.text)
    return {"identity": load_axis(PAPER_AXES[0]).identities[0].phrase, "task": asked[0].lower() + asked[1:]}
