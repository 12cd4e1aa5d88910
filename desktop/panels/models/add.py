"""Adding a model of one's own: what it is for, and where it lies. What is refused is said here, in its sentence."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QFileDialog, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from core.errors import AppError
from desktop import theme
from desktop.jobs import JobHandle
from desktop.operations.models import add_model
from desktop.panels.base import Shell
from desktop.widgets import ElidedLabel, Label, Notice, PrimaryButton, ProgressThin, QuietButton, tr
from desktop.widgets.labels import show_if
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.machine.models.catalogue import CatalogueRole
    from core.machine.models.installed import InstalledModel

WIDTH = 560
WRITERS = "generator"


class AddDialog(QDialog):
    """`added` carries the role of the model that was added."""

    added = Signal(str)

    def __init__(self, parent: QWidget, shell: Shell, roles: "Sequence[CatalogueRole]", chosen: str) -> None:
        super().__init__(parent)
        self._shell = shell
        self._path: Path | None = None
        self._job: JobHandle | None = None
        self._left = False
        self.setWindowTitle(tr("Add a model of your own"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.role, self.name = QComboBox(), QLineEdit()
        for role in roles:
            self.role.addItem(safe_line(role.title), role.key)
        self.role.setCurrentIndex(max(0, self.role.findData(chosen)))
        self.name.setPlaceholderText(tr("as its file"))
        self.place = ElidedLabel(tr("none chosen yet"), "soft", mode=Qt.TextElideMode.ElideMiddle)
        self.file, self.folder = QuietButton(tr("Choose a file…")), QuietButton(tr("Choose a folder…"))
        self.hint = Label("", "note", wrap=True)
        self.trouble = Notice("", tone="danger", closable=False)
        self.trouble.hide()
        self.progress = ProgressThin(tr("Reading"))
        self.progress.hide()
        self.cancel, self.go = QuietButton(tr("Cancel")), PrimaryButton(tr("Add"))
        self.go.setDefault(True)
        self._lay_out()
        self.role.currentIndexChanged.connect(lambda _: self._show_hint())
        self.file.clicked.connect(self._ask_file)
        self.folder.clicked.connect(self._ask_folder)
        self.go.clicked.connect(self._start)
        self.cancel.clicked.connect(self._stop)
        self._show_hint()
        self._allow()

    def take(self, path: Path) -> None:
        """The file or folder to add."""
        self._path = path
        self.place.set_text(str(path))
        self.trouble.hide()
        self._allow()

    def _ask_file(self) -> None:
        kinds = f"{tr('Models')} (*.gguf *.ckpt);;{tr('All files')} (*)"
        chosen, _ = QFileDialog.getOpenFileName(self, tr("Choose a model's file"), "", kinds)
        if chosen:
            self.take(Path(chosen))

    def _ask_folder(self) -> None:
        chosen = QFileDialog.getExistingDirectory(self, tr("Choose a model's folder"))
        if chosen:
            self.take(Path(chosen))

    def _start(self) -> None:
        if self._path is None:
            return
        role = self.role.currentData()
        self.trouble.hide()
        adding = add_model(path=self._path, role=role, name=self.name.text().strip())

        def done(model: "InstalledModel") -> None:
            self.added.emit(role)
            self.accept()

        self._job = adding.start(
            self._shell.jobs, on_done=self._while_open(done), on_error=self._while_open(self._refused)
        )
        self._job.changed.connect(self._allow)
        self._allow()

    def _refused(self, error: AppError) -> None:
        self.trouble.text.setText(safe_line(error.message))
        more = " ".join(part for part in (error.kept, error.hint) if part)
        self.trouble.more.setText(safe_line(more))
        show_if(self.trouble.more, bool(more))
        self.trouble.setAccessibleName(safe_line(str(error)))
        self.trouble.show()
        self._allow()

    def _stop(self) -> None:
        if self._busy and self._job is not None:
            self._job.cancel()
        else:
            self.reject()

    @property
    def _busy(self) -> bool:
        return self._job is not None and self._job.active

    def _allow(self) -> None:
        for field in (self.role, self.name, self.file, self.folder):
            field.setEnabled(not self._busy)
        self.go.setEnabled(self._path is not None and not self._busy)
        self.progress.setVisible(self._busy)
        self.progress.set_progress(0, None)
        self.cancel.set_text(tr("Stop") if self._busy else tr("Cancel"))

    def _show_hint(self) -> None:
        writers = self.role.currentData() == WRITERS
        self.hint.setText(
            tr("A GGUF file, or a folder with safetensors weights, settings and tokenizer. It stays where it is.")
            if writers
            else tr("A folder with safetensors weights, settings and tokenizer. It stays where it is.")
        )

    def done(self, result: int) -> None:
        """Closed in whatever way: what still runs is cancelled, and nobody is left to hear of it."""
        self._left = True
        if self._job is not None:
            self._job.changed.disconnect(self._allow)
            self._job.cancel()
        super().done(result)

    def _while_open(self, hear: Callable[[Any], object]) -> Callable[[Any], object]:
        return lambda heard: None if self._left else hear(heard)

    def _lay_out(self) -> None:
        tokens = theme.current()
        grid = QGridLayout()
        grid.setHorizontalSpacing(tokens.gap)
        grid.setVerticalSpacing(12)
        grid.setColumnStretch(1, 1)
        ways = QHBoxLayout()
        ways.setSpacing(tokens.grid)
        ways.addWidget(self.file)
        ways.addWidget(self.folder)
        ways.addStretch(1)
        fields = ((tr("What it is for"), self.role), (tr("Where it lies"), self.place), (tr("Name"), self.name))
        for number, (words, field) in enumerate(fields):
            row = number + (number > 1)  # the buttons stand under the place
            label = Label(words)
            label.setBuddy(field)
            if field is not self.place:
                field.setAccessibleName(words)
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
        grid.addLayout(ways, 2, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(tokens.grid)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.go)
        box = QVBoxLayout(self)
        box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        box.setSpacing(tokens.gap)
        box.addWidget(Label(tr("Add a model of your own"), "title"))
        box.addLayout(grid)
        for widget in (self.hint, self.trouble, self.progress):
            box.addWidget(widget)
        box.addLayout(buttons)
        self.setMinimumWidth(min(tokens.px(WIDTH), 900))
