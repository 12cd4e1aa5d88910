"""The dialog that has a generator write the letter again, for the candidate and for the twin."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QDialog, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from biasprint.core.errors import AppError
from biasprint.core.jobs import Progress
from biasprint.core.swap import Person
from biasprint.desktop import theme
from biasprint.desktop.operations.connections import why_offline
from biasprint.desktop.operations.letters import drop_result, rewrite
from biasprint.desktop.operations.writers import WriterChoices, read_writers, starting_values
from biasprint.desktop.panels.generate.writers import GeneratorPicker, show_models
from biasprint.desktop.panels.letters.twin_parts import person_said
from biasprint.desktop.widgets import (
    Label,
    PrimaryButton,
    ProgressThin,
    QuietButton,
    tr,
)
from biasprint.desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from biasprint.core.backends.protocol import Parameter
    from biasprint.desktop.jobs import JobHandle
    from biasprint.desktop.operations.letters import Checked
    from biasprint.desktop.shell import Shell

WIDTH = 460


class RewriteDialog(QDialog):
    """`written` brings both letters, read and compared. Closing it while they are written cancels that."""

    written = Signal(object)  # TwinDifference

    def __init__(self, shell: "Shell", checked: "Checked", other: Person, parent: QWidget) -> None:
        super().__init__(parent)
        self.shell, self.checked, self.other = shell, checked, other
        self._writing: JobHandle | None = None
        self.setWindowTitle(tr("Write the letter anew"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.picker = GeneratorPicker()
        self.occupation = QLineEdit(safe_line(checked.occupation))
        self.occupation.setMaxLength(80)
        self.why_not, self.state = Label(tr("Looking which generators are here…"), "soft", wrap=True), Label("", "note")
        self.bar = ProgressThin(tr("Progress of the letters"))
        self.write = PrimaryButton(tr("Write both letters"))
        self.cancel = QuietButton(tr("Cancel"))
        self._lay_out()
        self.picker.changed.connect(self._enable)
        self.picker.models_wanted.connect(self._go_to_models)
        self.occupation.textChanged.connect(lambda _: self._enable())
        self.write.clicked.connect(self._start)
        self.cancel.clicked.connect(self.close)
        self._known = False
        self._looking = shell.jobs.start(
            tr("Looking for generators"), read_writers, on_done=self._show_writers, on_error=self._fail, quiet=True
        )
        self._enable()

    def _show_writers(self, writers: WriterChoices) -> None:
        """Only what writes language: an author of planted texts knows nothing of a CV."""
        able = tuple(info for info in writers.backends if info.capabilities.is_language_model)
        self.picker.show_writers(WriterChoices(able, writers.models, writers.endpoints, writers.trouble))
        self._known = True
        self._enable()

    def _enable(self) -> None:
        why = self.reason()
        self.why_not.setText(safe_line(why))
        self.why_not.setVisible(bool(why))
        self.write.setEnabled(not why and self._writing is None)

    def reason(self) -> str:
        """Why nothing can be written now; "" where it can."""
        if not self._known:
            return tr("Looking which generators are here…")
        if self.picker.info is None:
            return tr("No generator is installed here: get one under Models, or add an endpoint there.")
        if why := self.picker.why_not(why_offline(self.shell.connections)):
            return why
        if not self.occupation.text().strip():
            return tr("Say for which occupation: the prompt needs it.")
        return ""

    def parameters(self) -> dict[str, "Parameter"]:
        """The letters study's settings, where the backend has them; an endpoint by its name."""
        info = self.picker.info
        assert info is not None
        found = starting_values(info, self.picker.local, "letters")
        if (endpoint := self.picker.chosen_endpoint) is not None:
            found["endpoint"] = endpoint.name
        return found

    def _start(self) -> None:
        info = self.picker.info
        if info is None or self.reason():
            return
        operation = rewrite(
            checked=self.checked,
            other=self.other,
            backend=info.name,
            model=self.picker.model_name,
            parameters=self.parameters(),
            occupation=self.occupation.text().strip(),
        )
        self._writing = operation.start(
            self.shell.jobs, on_done=self._done, on_error=self._fail, on_progress=self._show_progress
        )
        self.bar.set_progress(0, None)
        self.bar.show()
        self.state.setText(tr("Writing…"))
        self._enable()

    def _show_progress(self, progress: Progress) -> None:
        self.bar.set_progress(progress.done, progress.total)
        if progress.total:
            self.state.setText(tr("{done} of {total} letters").format(done=progress.done, total=progress.total))

    def _done(self, difference: object) -> None:
        drop_result(self._writing)
        self._writing = None
        self.written.emit(difference)
        self.close()

    def _fail(self, error: AppError) -> None:
        self._writing = None
        self.bar.hide()
        self.state.setText(safe_line(" ".join(part for part in (error.message, error.hint) if part)))
        self._enable()

    def closeEvent(self, event: QCloseEvent) -> None:
        self._looking.cancel()
        if self._writing is not None:
            self._writing.cancel()
        super().closeEvent(event)

    def reject(self) -> None:
        """Escape closes it like the button."""
        self.close()

    def _go_to_models(self, page: str) -> None:
        self.close()
        show_models(self.shell, page)

    def _lay_out(self) -> None:
        tokens = theme.current()
        who = tr(
            "From the CV, one generator writes a letter for {one} and one for {other}. They are compared like a twin."
        )
        said = Label(who.format(one=person_said(self.checked.reading.person), other=person_said(self.other)), wrap=True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(tokens.gap)
        grid.setVerticalSpacing(tokens.grid)
        grid.setColumnStretch(1, 1)
        row = self.picker.place(grid, 0)
        label = Label(tr("Occupation"))
        label.setBuddy(self.occupation)
        self.occupation.setAccessibleName(label.text())
        grid.addWidget(label, row, 0)
        grid.addWidget(self.occupation, row, 1, 1, 3)
        buttons = QHBoxLayout()
        buttons.setSpacing(tokens.grid)
        buttons.addWidget(self.state, 1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.write)
        self.state.setWordWrap(True)
        self.bar.hide()
        box = QVBoxLayout(self)
        box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        box.setSpacing(tokens.gap)
        for widget in (Label(tr("Write the letter anew"), "title", wrap=True), said):
            widget.setMinimumWidth(min(tokens.px(WIDTH), 800))
            box.addWidget(widget)
        box.addLayout(grid)
        box.addWidget(self.why_not)
        box.addWidget(self.bar)
        box.addLayout(buttons)
