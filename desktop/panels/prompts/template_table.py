"""The table that fills a template: a file or typed, with the meaning of its columns."""

from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QFormLayout, QLineEdit

from biasprint.core.errors import AppError
from biasprint.core.studies.registry import study
from biasprint.desktop import theme
from biasprint.desktop.jobs import Refresher
from biasprint.desktop.operations.prompts import OwnSeen, TemplateChoice, columns_of
from biasprint.desktop.panels.prompts.studies import TablePick
from biasprint.desktop.shell import Shell
from biasprint.desktop.tables.grid import GridEdit
from biasprint.desktop.widgets import Card, Label, tr
from biasprint.desktop.widgets.choice import ComboBox, fill
from biasprint.desktop.widgets.layout import add_to
from biasprint.desktop.widgets.safe_text import as_given, safe_line

STUDIES = ("compare", "letters")  # as the engine has them; what it needs besides would take long to import here
PAUSE_MILLISECONDS = 300
LONGEST_NAME = 60
EXAMPLE = (
    ("name", "gender", "question"),
    ("Emily", "woman", "What is a deposit?"),
    ("Greg", "man", "What is a deposit?"),
)


class TemplateTableCard(Card):
    """The table. `changed`: another table, or another meaning of columns. `columns`: placeholder → column, or empty."""

    changed = Signal()

    def __init__(self, shell: Shell) -> None:
        super().__init__(tr("Its table"))
        self.columns: dict[str, str] = {}
        self.trouble = Label("", "problem", wrap=True)
        self.trouble.hide()
        self.table = TablePick(tr("Each row makes a prompt; the columns are the placeholders."))
        self.typed = GridEdit(tr("A typed table, the names of its columns in the first row"), EXAMPLE)
        self.study, self.group, self.axis, self.names = ComboBox(), ComboBox(), ComboBox(), ComboBox()
        for kind in STUDIES:
            self.study.addItem(safe_line(tr(study(kind).title)), kind)
        self.name = QLineEdit(tr("My template"), maxLength=LONGEST_NAME)
        self._reading = Refresher(shell.jobs, tr("Columns"), self._show_columns, self._cannot_read, self)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self._read)
        self._lay_out()
        self.show_own(OwnSeen())
        self._show_groups()
        self.table.changed.connect(self._file_chosen)
        self.typed.changed.connect(self._typed_over)
        for box in (self.study, self.group, self.axis, self.names):
            box.activated.connect(lambda _: self._chosen())
        self.name.textChanged.connect(lambda _: self.changed.emit())

    def choice(self, text: str) -> TemplateChoice | None:
        """Return the choice with this template; None while there is no table that could be read."""
        if not self.columns:
            return None
        return TemplateChoice(
            self.study.currentData(), text, self.table.path, self.typed.text(), self.name.text(),
            self.group.currentData() or "", self.axis.currentData() or "", self.names.currentData() or "",
        )  # fmt: skip

    def _chosen(self) -> None:
        self._allow_names()
        self.changed.emit()

    def _allow_names(self) -> None:
        """Enable the set of names only for the identities of an axis."""
        has_axis = bool(self.axis.currentData())
        self.names.setEnabled(has_axis)
        self.names.setToolTip("" if has_axis else tr("Choose an axis first: its identities are given the names."))
        if not has_axis:
            self.names.setCurrentIndex(0)

    def show_own(self, seen: OwnSeen) -> None:
        """Offer the axes for the identities of groups, and the sets for their names."""
        chosen = self.names.currentData()
        fill(self.names, {"": tr("those of the axis"), **seen.names}, chosen)
        before = self.axis.currentData()
        axes = {"": tr("none: groups are what the column says")}
        for axis in seen.of("axes"):
            identities = ", ".join(str(row["label"]).lower() for row in axis.data["identities"])
            axes[axis.key] = f"{axis.title}: {identities}"
        fill(self.axis, axes, before)
        self._allow_names()
        if (before or "", chosen or "") != (self.axis.currentData(), self.names.currentData()):
            self.changed.emit()  # the axis or the set was removed

    def _file_chosen(self) -> None:
        self.typed.clear()
        self._read()

    def _typed_over(self) -> None:
        if self.table.path is not None:
            self.table.forget()
        self._pause.start()

    def _read(self) -> None:
        """Read the table; typed text is taken here, because no other thread may ask a field."""
        path, typed = self.table.path, self.typed.text()
        self._reading.read_with(lambda ctx: columns_of(ctx, path, typed))
        self._reading.ask()

    def _show_columns(self, columns: Mapping[str, str]) -> None:
        self.columns = dict(columns)
        self.trouble.hide()
        self._show_groups()
        self.changed.emit()

    def _cannot_read(self, error: AppError) -> None:
        self.columns = {}
        self.trouble.setText(safe_line(" ".join(part for part in (error.message, error.hint) if part)))
        typed_trouble = self.typed.trouble.text()
        self.trouble.setVisible(self.table.path is not None or (bool(self.typed.rows()) and not typed_trouble))
        self._show_groups()
        self.changed.emit()

    def _show_groups(self) -> None:
        before = self.group.currentData()
        self.group.clear()
        self.group.addItem(tr("found by its name: group, gender …"), "")
        for column in self.columns.values():
            self.group.addItem(as_given(column), column)
        self.group.setCurrentIndex(max(0, self.group.findData(before)))

    def begin_with(self, question: TemplateChoice) -> None:
        """Take the typed table of a question, its name and its study, and no other choice."""
        self.table.forget()
        self.typed.clear()
        self.typed.take(question.typed)
        self.name.setText(question.name)
        self.study.setCurrentIndex(self.study.findData(question.study))
        for box in (self.group, self.axis, self.names):
            box.setCurrentIndex(0)
        self._chosen()

    def take(self, path: Path) -> None:
        """Take this file."""
        self.table.take(path)

    def _lay_out(self) -> None:
        tokens = theme.current()
        for box in (self.study, self.group, self.axis, self.names):
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(12)
        form = QFormLayout(horizontalSpacing=tokens.gap, verticalSpacing=tokens.grid)
        for words, field in (
            (tr("For the study"), self.study),
            (tr("Whose text it is"), self.group),
            (tr("Axis"), self.axis),
            (tr("Names"), self.names),
            (tr("Called"), self.name),
        ):
            field.setAccessibleName(tr(words))
            form.addRow(words, field)
        add_to(self.box, self.table, self.typed, self.trouble, form)
