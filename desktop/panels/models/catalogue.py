"""The page of models by role: the list of models, and the actions on a model."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QFileDialog, QLineEdit, QWidget
from shiboken6 import isValid

from biasprint.core.errors import AppError
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.jobs import JobHandle
from biasprint.desktop.operations import models as operations
from biasprint.desktop.operations.models import GETTING, VERIFYING, RoleSeen, add_model
from biasprint.desktop.operations.writers import why_offline
from biasprint.desktop.panels.models.roles import Roles, RoleView, size_words, unknown, verified_words
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import ElidedLabel, Label, Notice, PrimaryButton, ProgressThin, QuietButton, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.labels import hidden, show_if, show_words
from biasprint.desktop.widgets.layout import STRETCH, Dialog, add_to, grid_of, in_column, in_row
from biasprint.desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from biasprint.core.machine.models.catalogue import CatalogueRole
    from biasprint.core.machine.models.get import Announced
    from biasprint.core.machine.models.installed import InstalledModel, OverviewRow
    from biasprint.core.machine.models.upkeep import Verified

BESIDE_FROM = 760  # text pixels: narrower, the roles are a box to choose from


class CataloguePage(QWidget):
    """The page. A job works on one model at a time; it goes on while other pages are shown, and is found again."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self._seen: dict[str, RoleSeen] = {}
        self._jobs: dict[str, JobHandle] = {}  # by the model's name
        self._renewable: frozenset[str] = frozenset()
        self._reading: JobHandle | None = None
        self.roles, self.view = Roles(), RoleView()
        self.waiting = Label(tr("Looking at the models on this computer…"), "soft")
        self.trouble = hidden(Notice("", tone="danger", closable=False))
        self._lay_out()
        self.roles.chosen.connect(lambda _: self._show_role())
        self.view.asked.connect(self._do)
        self.view.preferred.connect(lambda name: self._prefer(self.roles.key, name))
        self.view.generate_wanted.connect(lambda: shell.show_panel("generate"))
        self.view.add_wanted.connect(self.add)
        shell.connections.changed.connect(self._allow)
        theme.signals.changed.connect(self._fit)

    def read(self) -> None:
        """Read the models again; drop the result of an earlier reading."""
        if self._reading is not None:
            self._reading.cancel()
        handle = self._shell.jobs.start(
            tr("Models"), operations.read_models, on_done=self._show, on_error=self._cannot_read, quiet=True
        )
        self._reading = handle

    def choose(self, role: str) -> None:
        """Show a role, as soon as it can be shown."""
        self.roles.choose(role)
        self._show_role()

    @property
    def ready(self) -> bool:
        """True once the models have been read."""
        return bool(self._seen)

    # what is done

    def add(self) -> None:
        """Ask for a model of the person's own."""
        roles = [seen.role for seen in self._seen.values() if seen.role.takes_models]
        dialog = AddDialog(self.window(), self._shell, roles, self.roles.key)
        dialog.added.connect(self._added)
        dialog.open()

    def verify_all(self) -> None:
        operations.verify_models().start(self._shell.jobs, on_done=self._verified)

    def _added(self, role: str) -> None:
        self.choose(role)
        self.read()

    def _do(self, what: str, row: "OverviewRow") -> None:
        steps = {
            "get": partial(self._ask_get, row),
            "bring": partial(self._ask_bring, row),
            "copy": partial(self._ask_copy, row),
            "renew": partial(self._ask_renew, row),
            "verify": partial(self._verify, row),
            "remove": partial(self._ask_remove, row),
            "use": partial(self._prefer, row.role, row.name),
        }
        steps[what]()

    def _ask_get(self, row: "OverviewRow") -> None:
        """Get a model; if its size or licence is unknown, ask the hub first: a person must know them."""
        begun = self._seen[row.role].begun.get(row.name, 0) if row.role in self._seen else 0
        if begun or not unknown(row):
            self._get(row)
            return
        shell = self._shell
        asking = operations.announced_model(name=row.name, title=row.title)
        handle = asking.start(
            shell.jobs, on_done=lambda said: self._question(row, said), on_error=lambda error: shell.show_error(error)
        )
        self._follow(row.name, handle)

    def _question(self, row: "OverviewRow", said: "Announced") -> None:
        if not isValid(self) or not self.isVisible():
            return  # gone elsewhere meanwhile: nothing is got that nobody sees
        licence = said.licence or tr("not stated: look at its page on the hub before you use it")
        Question(
            self.window(),
            title=tr("Get “{title}”?").format(title=safe_line(row.title)),
            text=tr("Size: {size}. Licence: {licence}.").format(size=size_words(said.size), licence=safe_line(licence)),
            safe=tr("Not now"),
            risky=tr("Get it"),
            on_risky=lambda: self._get(row),
        ).open()

    def _ask_bring(self, row: "OverviewRow") -> None:
        """Take a model from a folder or stick: a computer that has it copied it there, or its wheels lie there."""
        words = tr("Folder or stick that has “{title}”").format(title=row.title)
        if chosen := QFileDialog.getExistingDirectory(self, words):
            self._get(row, folder=Path(chosen))

    def _ask_copy(self, row: "OverviewRow") -> None:
        words = tr("Folder or stick to copy “{title}” to").format(title=row.title)
        chosen = QFileDialog.getExistingDirectory(self, words)
        if not chosen:
            return
        shell = self._shell
        copying = operations.copy_model(name=row.name, title=row.title, folder=Path(chosen))
        self._follow(row.name, copying.start(shell.jobs, on_error=lambda error: shell.show_error(error)))

    def _get(self, row: "OverviewRow", *, renew: bool = False, folder: Path | None = None) -> None:
        self._renewable -= {row.name}
        shell = self._shell  # not this page: it may be gone when the job ends, and its error is to be seen all the same
        getting = operations.get_model(name=row.name, title=row.title, renew=renew, folder=folder)
        handle = getting.start(shell.jobs, on_error=lambda error: shell.show_error(error))
        operations.mark(handle, GETTING, row.name)
        self._follow(row.name, handle)

    def _verify(self, row: "OverviewRow") -> None:
        verifying = operations.verify_models(name=row.name, title=row.title)
        handle = verifying.start(self._shell.jobs, on_done=self._verified)
        operations.mark(handle, VERIFYING, row.name)
        self._follow(row.name, handle)

    def _verified(self, results: "list[Verified]") -> None:
        for result in results:
            if result.name in self.view.rows:
                self.view.rows[result.name].say(*verified_words(result))

    def _prefer(self, role: str, name: str | None) -> None:
        operations.prefer(role=role, name=name).start(self._shell.jobs, on_done=lambda _: self.read())

    def _ask_renew(self, row: "OverviewRow") -> None:
        Question(
            self.window(),
            title=tr("Take another “{title}”?").format(title=safe_line(row.title)),
            text=tr(
                "The hub has other files than those recorded here. If you take them, their commit and hashes are "
                "required from then on, and numbers from the two cannot be told apart by the model's name."
            ),
            safe=tr("Leave it"),
            risky=tr("Take what the hub has now"),
            on_risky=lambda: self._get(row, renew=True),
        ).open()

    def _ask_remove(self, row: "OverviewRow") -> None:
        added = row.origin == "added"
        forgets = tr("The program forgets it; its files stay where they are.")
        deletes = tr("Its files are deleted. What was recorded stays: getting it again must bring the same files.")
        Question(
            self.window(),
            title=tr("Remove “{title}”?").format(title=safe_line(row.title)),
            text=forgets if added else deletes,
            safe=tr("Keep it"),
            risky=tr("Remove"),
            on_risky=lambda: self._remove(row),
        ).open()

    def _remove(self, row: "OverviewRow") -> None:
        removing = operations.remove_model(name=row.name, title=row.title)
        self._follow(row.name, removing.start(self._shell.jobs))

    # jobs

    def _follow(self, name: str, handle: JobHandle) -> None:
        self._jobs[name] = handle
        handle.changed.connect(self._job_changed)
        self._show_jobs()

    def _job_changed(self) -> None:
        ended = {name: handle for name, handle in self._jobs.items() if not handle.active}
        for name, handle in ended.items():
            del self._jobs[name]
            if handle.error is not None and "--renew" in handle.error.hint:
                self._renewable |= {name}
        if ended:
            self._show_jobs()
            self.read()

    def _pick_up(self) -> None:
        """Follow jobs that were started before this page was made again, as after a blind rating."""
        for name in self.view.rows.keys() - self._jobs.keys():
            for what in (GETTING, VERIFYING):
                handle = operations.running(self._shell.jobs, what, name)
                if handle is not None:
                    self._follow(name, handle)

    def _show_jobs(self) -> None:
        for name, row in self.view.rows.items():
            row.follow(self._jobs.get(name))
        self._allow()

    # showing

    def _show(self, roles: tuple[RoleSeen, ...]) -> None:
        self._reading = None
        self._seen = {seen.role.key: seen for seen in roles}
        self.trouble.hide()
        self.roles.show_roles(roles)
        self._show_role()

    def _show_role(self) -> None:
        seen = self._seen.get(self.roles.key)
        for part in (self.roles, self.view):
            part.setVisible(seen is not None)
        self.waiting.setVisible(seen is None and self.trouble.isHidden())
        if seen is not None:
            self.view.show_role(seen, renewable=self._renewable, has_project=self._shell.project is not None)
            self._pick_up()
            self._show_jobs()

    def _cannot_read(self, error: AppError) -> None:
        self._reading = None
        self.trouble.text.setText(safe_line(error.message))
        self.trouble.more.setText(safe_line(" ".join(part for part in (error.kept, error.hint) if part)))
        show_if(self.trouble.more, bool(error.kept or error.hint))
        self.trouble.show()
        self.waiting.hide()

    def _allow(self) -> None:
        why = why_offline(self._shell.connections)
        for row in self.view.rows.values():
            row.allow(why)

    def _lay_out(self) -> None:
        self._sides = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._sides.setSpacing(theme.current().gap)
        self._sides.addWidget(self.roles)
        self._sides.addWidget(self.view, 1)
        in_column(self.trouble, self.waiting, (self._sides, 1), inside=self, margins=0)
        self._show_role()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self, _tokens: object = None) -> None:
        beside = self.width() >= theme.current().px(BESIDE_FROM)
        self.roles.set_beside(beside)
        directions = QBoxLayout.Direction
        self._sides.setDirection(directions.LeftToRight if beside else directions.TopToBottom)


WIDTH = 560
WRITERS = "generator"


class AddDialog(Dialog):
    """The dialog to add a model. `added` carries the role of the added model."""

    added = Signal(str)

    def __init__(self, parent: QWidget, shell: Shell, roles: "Sequence[CatalogueRole]", chosen: str) -> None:
        super().__init__(parent, tr("Add a model of your own"))
        self._shell = shell
        self._path: Path | None = None
        self._job: JobHandle | None = None
        self._left = False
        self.role, self.name = ComboBox(), QLineEdit(placeholderText=tr("as its file"))
        for role in roles:
            self.role.addItem(safe_line(tr(role.title)), role.key)
        self.role.setCurrentIndex(max(0, self.role.findData(chosen)))
        self.place = ElidedLabel(tr("none chosen yet"), "soft", mode=Qt.TextElideMode.ElideMiddle)
        self.file, self.folder = QuietButton(tr("Choose a file…")), QuietButton(tr("Choose a folder…"))
        self.hint = Label("", "note", wrap=True)
        self.trouble = hidden(Notice("", tone="danger", closable=False))
        self.progress = hidden(ProgressThin(tr("Reading")))
        self.cancel, self.go = QuietButton(tr("Cancel"), act=self._stop), PrimaryButton(tr("Add"), act=self._start)
        self.go.setDefault(True)
        self._lay_out()
        self.role.currentIndexChanged.connect(lambda _: self._show_hint())
        self.file.clicked.connect(self._ask_file)
        self.folder.clicked.connect(self._ask_folder)
        self._show_hint()
        self._allow()

    def take(self, path: Path) -> None:
        """Take the file or folder to add."""
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
        show_words(self.trouble.more, safe_line(more))
        self.trouble.setAccessibleName(safe_line(tr(str(error))))
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
        """Cancel running jobs and stop listening to them: the dialog was closed in some way."""
        self._left = True
        if self._job is not None:
            self._job.changed.disconnect(self._allow)
            self._job.cancel()
        super().done(result)

    def _while_open(self, hear: Callable[[Any], object]) -> Callable[[Any], object]:
        return lambda heard: None if self._left else hear(heard)

    def _lay_out(self) -> None:
        tokens = theme.current()
        grid = grid_of(along=12)
        ways = in_row(self.file, self.folder, STRETCH, spacing=tokens.grid)
        fields = ((tr("What it is for"), self.role), (tr("Where it lies"), self.place), (tr("Name"), self.name))
        for number, (words, field) in enumerate(fields):
            row = number + (number > 1)  # the buttons stand under the place
            label = Label(words)
            label.setBuddy(field)
            if field is not self.place:
                field.setAccessibleName(tr(words))
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
        grid.addLayout(ways, 2, 1)
        buttons = in_row(STRETCH, self.cancel, self.go, spacing=tokens.grid)
        box = in_column(inside=self, spacing=tokens.gap, margins=tokens.margin)
        add_to(
            box, Label(tr("Add a model of your own"), "title"), grid, self.hint, self.trouble, self.progress, buttons
        )
        self.setMinimumWidth(min(tokens.px(WIDTH), 900))
