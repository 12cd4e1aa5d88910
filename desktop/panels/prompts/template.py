"""Trying a template: placeholders to insert, what it fills to, and marks for mistakes and for biased wording."""

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QTextEdit, QVBoxLayout, QWidget

from core.prompts import Template, TemplateError, cogs_tasks, cogs_themes, load_axis
from core.prompts.cogs import PAPER_AXES
from core.prompts.resource_files import packaged, read_toml
from desktop import theme
from desktop.operations.wording import Wording
from desktop.panels.base import Shell
from desktop.panels.prompts.wording import WordingCard, WordingWatch, flag_format
from desktop.widgets import Card, FlowLayout, Label, PlainText, QuietButton, tr
from desktop.widgets.safe_text import safe_line
from desktop.widgets.sheet import Sheet

EDIT_HEIGHT, FILLED_HEIGHT = 140, 120  # text pixels, at least


class _Edit(QPlainTextEdit):
    """Takes what is left, down to a few lines, which the page scrolls for; what it would like does not count."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())


class _Filled(PlainText):
    """The same for the text that a template becomes."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())


class TemplatePage(Sheet):
    """The identity template of the creativity suite, free to be changed here; the shipped sets keep theirs."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._values = _example()
        self._mistake: list[QTextEdit.ExtraSelection] = []
        self._watch = WordingWatch(shell, self)
        self.edit = _Edit(read_toml(packaged("prompts", "cogs.toml"))["identity"])
        self.edit.setAccessibleName(tr("Template"))
        self.edit.setTabChangesFocus(True)
        self.verdict = Label("", "", wrap=True)
        self.wording = WordingCard()
        self.filled = _Filled(name=tr("The template, filled"))
        self._lay_out()
        self._dress()
        theme.signals.changed.connect(self._dress)
        self._watch.seen.connect(self._show_wording)
        self.wording.replaced.connect(self._replace)
        self.edit.textChanged.connect(self._check)
        theme.signals.changed.connect(self._check)
        self._check()

    def _check(self, _tokens: object = None) -> None:
        text = self.edit.toPlainText()
        self._mistake = []
        try:
            filled = Template(text).require(self._values, self._values).render(self._values)
        except TemplateError as error:
            self._mark(text, error.offset)
            self.verdict.setText(safe_line(" ".join(part for part in (error.message, error.hint) if part)))
            self.filled.set_text("")
        else:
            self.verdict.setText(tr("Every placeholder is known and none is missing."))
            self.filled.set_text(filled)
        self._watch.look_at(text)
        self._show_marks(text)

    def _show_wording(self, wording: Wording) -> None:
        self.wording.show_wording(wording)
        self._show_marks(wording.text)

    def _show_marks(self, text: str) -> None:
        """The mistake and the flags; those of an older text are dropped, as their places may have moved."""
        seen = self.wording.wording
        flags = seen.flags if seen.text == text else ()
        marks = []
        for flag in flags:
            start = _units(text[: flag.start])
            marks.append(self._selection(start, start + _units(flag.text), flag_format()))
        self.edit.setExtraSelections([*marks, *self._mistake])

    def _replace(self, text: str) -> None:
        """Put the text in the place of the old one, in one step that can be undone."""
        if self.edit.toPlainText() != self.wording.wording.text:
            return  # typed over since: the offer is out of date
        cursor = QTextCursor(self.edit.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.edit.setFocus()

    def _selection(self, start: int, end: int, look: QTextCharFormat) -> QTextEdit.ExtraSelection:
        """A mark over a part of the text, in UTF-16 units."""
        made = QTextEdit.ExtraSelection()
        made.cursor = QTextCursor(self.edit.document())
        made.cursor.setPosition(start)
        made.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        made.format = look
        return made

    def _mark(self, text: str, offset: int) -> None:
        """Underline from the mistake to its brace or the end of the word; what is missing, at the last character."""
        end = next((at + (text[at] == "}") for at in range(offset + 1, len(text)) if text[at] in "} \n"), len(text))
        start = offset if offset < len(text) else max(0, len(text) - 1)
        look = QTextCharFormat()
        look.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        look.setUnderlineColor(QColor(theme.current().danger))
        look.setBackground(QColor(theme.current().danger_soft))
        self._mistake = [self._selection(_units(text[:start]), _units(text[:end]), look)]

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
        row_of_cards = QHBoxLayout()
        row_of_cards.setSpacing(tokens.gap)
        row_of_cards.addWidget(left, 1)
        column = QVBoxLayout()
        column.setSpacing(tokens.gap)
        column.addWidget(right, 1)
        column.addWidget(self.wording)
        row_of_cards.addLayout(column, 1)
        self.box.addLayout(row_of_cards)

    def _dress(self, _tokens: object = None) -> None:
        """Room for some lines at every size of text; a low window scrolls."""
        for widget, least in ((self.edit, EDIT_HEIGHT), (self.filled, FILLED_HEIGHT)):
            widget.setMinimumHeight(theme.current().px(least))

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
