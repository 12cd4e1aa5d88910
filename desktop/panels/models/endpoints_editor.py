"""Adding or changing an endpoint. A key that is typed here is handed on once, and shown nowhere."""

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from core.errors import AppError
from desktop import theme
from desktop.operations.endpoints import EndpointSeen, save_endpoint
from desktop.panels.base import Shell
from desktop.panels.models.endpoints_form import EndpointForm
from desktop.widgets import Label, Notice, PrimaryButton, QuietButton, tr
from desktop.widgets.labels import show_if
from desktop.widgets.safe_text import safe_line

SIZE = (660, 640)
LARGEST_SHARE = 0.94  # of the window it stands over


class Editor(QDialog):
    """`kept` tells that the endpoint is stored. `seen` is the one to change, None for a new one."""

    kept = Signal()

    def __init__(
        self, parent: QWidget, shell: Shell, seen: EndpointSeen | None, where: str, taken: frozenset[str]
    ) -> None:
        super().__init__(parent)
        self._shell = shell
        self._left = False
        title = tr("Change an endpoint") if seen else tr("Add an endpoint")
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.form = EndpointForm(seen, where, taken)
        self.trouble = Notice("", tone="danger", closable=False)
        self.trouble.hide()
        self.cancel, self.go = QuietButton(tr("Cancel")), PrimaryButton(tr("Save"))
        self.go.setDefault(True)
        self.go.clicked.connect(self._save)
        self.cancel.clicked.connect(self.reject)
        self._lay_out(title)
        self.form.first().setFocus()
        self.resize(_fitting(parent.size()))

    def _save(self) -> None:
        self.trouble.hide()
        try:
            endpoint = self.form.endpoint()
        except AppError as error:
            self._refused(error)
            return
        operation = save_endpoint(endpoint=endpoint, key=self.form.key.text(), forget_key=self.form.forget.isChecked())
        self.go.setEnabled(False)
        operation.start(
            self._shell.jobs, on_done=self._while_open(self._stored), on_error=self._while_open(self._refused)
        )

    def _stored(self, _: object) -> None:
        self.kept.emit()
        self.accept()

    def _refused(self, error: AppError) -> None:
        self.go.setEnabled(True)
        self.trouble.text.setText(safe_line(error.message))
        more = " ".join(part for part in (error.kept, error.hint) if part)
        self.trouble.more.setText(safe_line(more))
        show_if(self.trouble.more, bool(more))
        self.trouble.setAccessibleName(safe_line(str(error)))
        self.trouble.show()

    def done(self, result: int) -> None:
        self._left = True
        self.form.key.clear()
        super().done(result)

    def _while_open(self, hear: Callable[[Any], object]) -> Callable[[Any], object]:
        return lambda heard: None if self._left else hear(heard)

    def _lay_out(self, title: str) -> None:
        tokens = theme.current()
        foot = QHBoxLayout()
        foot.setSpacing(tokens.grid)
        foot.addStretch(1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.go)
        box = QVBoxLayout(self)
        box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        box.setSpacing(tokens.gap)
        box.addWidget(Label(title, "title"))
        box.addWidget(self.form, 1)
        box.addWidget(self.trouble)
        box.addLayout(foot)


def _fitting(room: QSize) -> QSize:
    tokens = theme.current()
    return QSize(
        min(tokens.px(SIZE[0]), round(room.width() * LARGEST_SHARE)),
        min(tokens.px(SIZE[1]), round(room.height() * LARGEST_SHARE)),
    )
