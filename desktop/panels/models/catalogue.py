"""The page of models by role: reading what there is, and what is done with a model."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QVBoxLayout, QWidget

from core.errors import AppError
from desktop import theme
from desktop.dialogs.question import Question
from desktop.jobs import JobHandle
from desktop.operations import models as operations
from desktop.operations.connections import why_offline
from desktop.operations.models import GETTING, VERIFYING, RoleSeen
from desktop.panels.base import Shell
from desktop.panels.models.role import RoleView
from desktop.panels.models.roles import Roles
from desktop.panels.models.words import verified_words
from desktop.widgets import Label, Notice, tr
from desktop.widgets.labels import show_if
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.machine.models.overview import Row
    from core.machine.models.verify import Verified

BESIDE_FROM = 760  # text pixels: narrower, the roles are a box to choose from


class CataloguePage(QWidget):
    """A job works on one model at a time; it goes on while other pages are seen, and is found again."""

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self._seen: dict[str, RoleSeen] = {}
        self._jobs: dict[str, JobHandle] = {}  # by the model's name
        self._renewable: frozenset[str] = frozenset()
        self._reading: JobHandle | None = None
        self.roles, self.view = Roles(), RoleView()
        self.waiting = Label(tr("Looking at the models on this computer…"), "soft")
        self.trouble = Notice("", tone="danger", closable=False)
        self.trouble.hide()
        self._lay_out()
        self.roles.chosen.connect(lambda _: self._show_role())
        self.view.asked.connect(self._do)
        self.view.preferred.connect(lambda name: self._prefer(self.roles.key, name))
        self.view.generate_wanted.connect(lambda: shell.show_panel("generate"))
        self.view.add_wanted.connect(self.add)
        shell.connections.changed.connect(self._allow)
        theme.signals.changed.connect(self._fit)

    def read(self) -> None:
        """See anew what there is; what an earlier reading still brings is dropped."""
        if self._reading is not None:
            self._reading.cancel()
        handle = self._shell.jobs.start(
            tr("Models"), operations.read_models, on_done=self._show, on_error=self._cannot_read, quiet=True
        )
        self._reading = handle

    def choose(self, role: str) -> None:
        """Show a role, as soon as it is there to be shown."""
        self.roles.choose(role)
        self._show_role()

    @property
    def ready(self) -> bool:
        """Whether it is known what there is."""
        return bool(self._seen)

    # what is done

    def add(self) -> None:
        """Ask for a model of the person's own."""
        from desktop.panels.models.add import AddDialog

        roles = [seen.role for seen in self._seen.values() if seen.role.takes_models]
        dialog = AddDialog(self.window(), self._shell, roles, self.roles.key)
        dialog.added.connect(self._added)
        dialog.open()

    def verify_all(self) -> None:
        operations.verify_models().start(self._shell.jobs, on_done=self._verified)

    def _added(self, role: str) -> None:
        self.choose(role)
        self.read()

    def _do(self, what: str, row: "Row") -> None:
        steps = {
            "get": partial(self._get, row),
            "renew": partial(self._ask_renew, row),
            "verify": partial(self._verify, row),
            "remove": partial(self._ask_remove, row),
            "use": partial(self._prefer, row.role, row.name),
        }
        steps[what]()

    def _get(self, row: "Row", *, renew: bool = False) -> None:
        self._renewable -= {row.name}
        shell = self._shell  # not this page: it may be gone when the job ends, and its error is to be seen all the same
        getting = operations.get_model(name=row.name, title=row.title, renew=renew)
        handle = getting.start(shell.jobs, on_error=lambda error: shell.show_error(error))
        operations.mark(handle, GETTING, row.name)
        self._follow(row.name, handle)

    def _verify(self, row: "Row") -> None:
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

    def _ask_renew(self, row: "Row") -> None:
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

    def _ask_remove(self, row: "Row") -> None:
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

    def _remove(self, row: "Row") -> None:
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
        """Jobs that were started before this page was made anew, as after a blind rating."""
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
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        for widget in (self.trouble, self.waiting):
            box.addWidget(widget)
        box.addLayout(self._sides, 1)
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
