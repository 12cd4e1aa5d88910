"""A dialog that has a language model do something with the letter: which one, and what it is doing."""

from PySide6.QtWidgets import QScrollArea, QWidget

from biasprint.core.backends.protocol import Parameter
from biasprint.core.errors import AppError
from biasprint.core.jobs import Progress
from biasprint.core.letters import ModelReading, passages_by_category
from biasprint.desktop import theme
from biasprint.desktop.jobs import JobHandle
from biasprint.desktop.operations import Operation
from biasprint.desktop.operations.letters import Checked, drop_result, read_with_model
from biasprint.desktop.operations.writers import WriterChoices, read_writers, why_offline
from biasprint.desktop.panels.generate.writers import GeneratorPicker, show_models
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Label, PrimaryButton, ProgressThin, QuietButton, tr
from biasprint.desktop.widgets.labels import named, show_words
from biasprint.desktop.widgets.layout import Dialog, add_to, clear_column, empty, grid_of, in_column, in_row
from biasprint.desktop.widgets.safe_text import safe_line

WIDTH = 460


class GeneratorDialog(Dialog):
    """Choose a generator and start it. Closing the dialog cancels its work.

    A subclass gives the work (`operation`), may say what is still missing (`missing`), and takes what came of it
    (`show_result`). `grid`, `box`: for what it adds.
    """

    def __init__(self, shell: Shell, title: str, explanation: str, action: str, parent: QWidget) -> None:
        super().__init__(parent, tr(title))
        self.shell = shell
        self._working: JobHandle | None = None
        self._known = False
        self.picker = GeneratorPicker()
        self.why_not, self.state = Label(tr("Looking which generators are here…"), "soft", wrap=True), Label("", "note")
        self.bar = ProgressThin(tr("Progress of the letters"))
        self.write = PrimaryButton(action, act=self._start)
        self.cancel = QuietButton(tr("Cancel"), act=self.close)
        self._lay_out(title, explanation)
        self.picker.changed.connect(self.enable)
        self.picker.models_wanted.connect(self._go_to_models)
        self._looking = shell.jobs.start(
            tr("Looking for generators"), read_writers, on_done=self._show_writers, on_error=self._fail, quiet=True
        )

    # of a subclass

    def operation(self, backend: str, model: str) -> Operation[object]:
        """Return the work of the chosen generator."""
        raise NotImplementedError

    def missing(self) -> str:
        """Return what has to be given before the work can start; "" if nothing is missing."""
        return ""

    def show_result(self, result: object) -> None:
        """Take what the generator made."""
        raise NotImplementedError

    # what can be done

    def _show_writers(self, writers: WriterChoices) -> None:
        """Show only language models: a backend of planted texts cannot read."""
        able = tuple(info for info in writers.backends if info.capabilities.is_language_model)
        self.picker.show_writers(WriterChoices(able, writers.models, writers.endpoints, writers.trouble))
        self._known = True
        self.enable()

    def enable(self) -> None:
        """Let the work be started, or say why it cannot be."""
        why = self.reason()
        show_words(self.why_not, safe_line(why))
        self.write.setEnabled(not why and self._working is None)

    def reason(self) -> str:
        """Return why nothing can be written now; "" if it can."""
        if not self._known:
            return tr("Looking which generators are here…")
        if self.picker.info is None:
            return tr("No generator is installed here: get one under Models, or add an endpoint there.")
        return self.picker.why_not(why_offline(self.shell.connections)) or self.missing()

    def endpoint(self) -> dict[str, Parameter]:
        """Return the name of the chosen endpoint as a setting, if it is one."""
        endpoint = self.picker.chosen_endpoint
        return {"endpoint": endpoint.name} if endpoint is not None else {}

    # the work

    def _start(self) -> None:
        info = self.picker.info
        if info is None or self.reason():
            return
        self._working = self.operation(info.name, self.picker.model_name).start(
            self.shell.jobs, on_done=self._done, on_error=self._fail, on_progress=self._show_progress
        )
        self.bar.set_progress(0, None)
        self.bar.show()
        self.state.setText(tr("Working…"))
        self.enable()

    def _show_progress(self, progress: Progress) -> None:
        self.bar.set_progress(progress.done, progress.total)
        if progress.total:
            self.state.setText(tr("{done} of {total} letters").format(done=progress.done, total=progress.total))

    def _done(self, result: object) -> None:
        drop_result(self._working)
        self._working = None
        self.bar.hide()
        self.state.clear()
        self.enable()
        self.show_result(result)

    def _fail(self, error: AppError) -> None:
        self._working = None
        self.bar.hide()
        self.state.setText(safe_line(" ".join(part for part in (error.message, error.hint) if part)))
        self.enable()

    def done(self, result: int) -> None:
        self._looking.cancel()
        if self._working is not None:
            self._working.cancel()
        super().done(result)

    def _go_to_models(self, page: str) -> None:
        self.close()
        show_models(self.shell, page)

    def _lay_out(self, title: str, explanation: str) -> None:
        tokens = theme.current()
        self.grid = grid_of()
        self.row = self.picker.place(self.grid, 0)
        buttons = in_row((self.state, 1), self.cancel, self.write, spacing=tokens.grid)
        self.state.setWordWrap(True)
        self.bar.hide()
        self.box = in_column(inside=self, spacing=tokens.gap, margins=tokens.margin)
        for widget in (Label(title, "title", wrap=True), Label(explanation, wrap=True)):
            widget.setMinimumWidth(min(tokens.px(WIDTH), 800))
            self.box.addWidget(widget)
        add_to(self.box, self.grid, self.why_not, self.bar, buttons)


# ---- A language model reads the letter: its passages beside the program's own

HEIGHT = 260


class ModelReadingDialog(GeneratorDialog):
    """Have a language model read the letter, and show what it names, as often as somebody wants."""

    def __init__(self, shell: Shell, checked: Checked, parent: QWidget) -> None:
        explanation = tr(
            "A language model names the passages it would look at. What does not stand in the letter is left out. Its "
            "reading is shown here alone and counts in no figure. An endpoint on another computer is sent the letter."
        )
        super().__init__(shell, tr("A language model's reading"), explanation, tr("Read the letter"), parent)
        self.checked = checked
        self.summary = Label("", "strong", wrap=True)
        self.page, self.column = clear_column()
        self.passages = named(QScrollArea(widgetResizable=True), tr("Passages that the model names"))
        self.passages.setWidget(self.page)
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
        empty(self.column)
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
