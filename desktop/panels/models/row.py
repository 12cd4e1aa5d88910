"""One model in the list of a role: what it is, where it is, and what can be done with it."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop import theme
from desktop.jobs import JobHandle, JobState
from desktop.jobs.drawer import JobRow
from desktop.operations.models import RoleSeen
from desktop.panels.findings.card import Fact
from desktop.panels.models import words
from desktop.widgets import Chip, FlowLayout, Label, LinkButton, Notice, QuietButton, number, spelled_seconds, tr
from desktop.widgets.labels import show_if
from desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from core.machine.models.overview import Row


class ModelJob(JobRow):
    """The job that works on a model, under its name: no title, and megabytes called so."""

    def __init__(self, handle: JobHandle) -> None:
        super().__init__(handle, blind=False)
        self.title.hide()

    def _progress_words(self) -> str:
        progress = self.handle.progress
        if progress is None or progress.total is None:
            return super()._progress_words()
        parts = [tr("Paused")] if self.handle.state is JobState.PAUSED else []
        parts.append(tr("{done} of {total} MB").format(done=number(progress.done), total=number(progress.total)))
        if progress.seconds_left is not None and not parts[1:]:
            parts.append(tr("{time} left").format(time=spelled_seconds(progress.seconds_left)))
        return " · ".join([*parts, *([progress.note] if progress.note else [])])


class ModelRow(QWidget):
    """`asked` carries what the person wants and the model: "get", "renew", "verify", "remove" or "use"."""

    asked = Signal(str, object)  # what, Row

    def __init__(self, row: "Row") -> None:
        super().__init__()
        self.row = row
        self.handle: JobHandle | None = None
        self.title = Label("", "strong", wrap=False)
        self.papers, self.state, self.used = Chip("", "accent"), Chip(""), Chip(tr("in use"), "ok")
        self.about, self.facts, self.notes = (Label("", role, wrap=True) for role in ("soft", "note", "note"))
        self.trouble = Notice("", tone="danger", closable=False)
        self.result = Notice("", closable=False)
        self.get = QuietButton("")
        self.renew = LinkButton(tr("Take what the hub has now…"))
        self.use, self.verify, self.remove = (LinkButton("") for _ in range(3))
        self.more = LinkButton(tr("Details"))
        self.more.setCheckable(True)
        self.offline = Label("", "note")
        self._job: JobRow | None = None
        self._lay_out()
        buttons = {"get": self.get, "renew": self.renew, "use": self.use, "verify": self.verify, "remove": self.remove}
        for what, button in buttons.items():
            button.clicked.connect(lambda _=False, what=what: self.asked.emit(what, self.row))
        self.more.toggled.connect(self.details.setVisible)

    def show_row(self, row: "Row", seen: RoleSeen, *, renewable: bool = False) -> None:
        """Bring it up to date."""
        self.row = row
        begun = seen.begun.get(row.name, 0)
        in_use = seen.choice is not None and seen.choice.model == row.name
        self.setAccessibleName(safe_line(row.title))
        self.title.setText(safe_line(row.title))
        for label, text in (
            (self.papers, words.used_by(row.papers)),
            (self.state, words.state_words(row)),
            (self.about, row.description),
            (self.facts, words.facts(row, begun)),
            (self.notes, " ".join(row.notes)),
            (self.trouble.text, row.trouble),
        ):
            label.setText(safe_line(text))
            show_if(label, bool(text))
        show_if(self.trouble, bool(row.trouble))
        self.state.set_tone("danger" if row.trouble else "plain")
        show_if(self.used, in_use)
        self._name_buttons(row, seen, begun, in_use or seen.choice is None)
        show_if(self.renew, renewable)
        for name, said in words.details(row).items():
            self.facts_behind[name].say(said)
        self._show_job()

    def _name_buttons(self, row: "Row", seen: RoleSeen, begun: int, in_use: bool) -> None:
        """What can be done with it, each button named with its model for who cannot see where it stands."""
        to_get = not row.here and bool(row.repository)
        own = row.origin in ("catalogue", "added")
        chosen = seen.preferred == row.name
        shown = {
            self.get: (tr("Go on getting") if begun else tr("Get"), to_get),
            self.use: (tr("Use this"), own and not row.trouble and not chosen and not in_use),
            self.verify: (tr("Verify"), row.here),
            self.remove: (tr("Forget what came") if begun else tr("Remove…"), own or bool(begun)),
            self.more: (tr("Details"), True),
        }
        for button, (text, wanted) in shown.items():
            button.set_text(text)
            button.setAccessibleName(f"{text}: {safe_line(row.title)}")
            show_if(button, wanted)

    def allow(self, why_offline: str) -> None:
        """Whether it can be got now; `why_offline` says why not, and is empty where it can."""
        busy = self.handle is not None
        self.get.setEnabled(not why_offline and not busy)
        self.renew.setEnabled(not why_offline and not busy)
        self.get.setToolTip(why_offline)
        self.get.setAccessibleDescription(why_offline)
        self.offline.setText(tr("not while the offline switch is on") if why_offline else "")
        show_if(self.offline, bool(why_offline) and not self.get.isHidden())
        for button in (self.use, self.verify, self.remove):
            button.setEnabled(not busy)

    def say(self, tone: str, sentence: str) -> None:
        """What came of the last thing that was done with it."""
        old, self.result = self.result, Notice(safe_line(sentence), tone=tone, closable=True)
        self._column.replaceWidget(old, self.result)
        old.hide()
        old.deleteLater()

    def follow(self, handle: JobHandle | None) -> None:
        """Show the job that works on it."""
        if handle is self.handle:
            return
        self.handle = handle
        if self._job is not None:
            self._column.removeWidget(self._job)
            self._job.hide()
            self._job.deleteLater()
            self._job = None
        if handle is not None:
            self._job = ModelJob(handle)
            self._column.insertWidget(self._column.indexOf(self.result), self._job)
        self._show_job()

    def _show_job(self) -> None:
        busy = self.handle is not None
        if busy:
            self.get.hide()

    def _lay_out(self) -> None:
        tokens = theme.current()
        head, actions = FlowLayout(spacing=tokens.grid, centred=True), FlowLayout(spacing=tokens.gap, centred=True)
        for widget in (self.title, self.papers, self.state, self.used):
            head.addWidget(widget)
        for control in (self.get, self.offline, self.use, self.verify, self.remove, self.renew, self.more):
            actions.addWidget(control)
        self.details = QWidget()
        inside = QVBoxLayout(self.details)
        inside.setContentsMargins(0, 4, 0, 4)
        inside.setSpacing(2)
        self.facts_behind = {name: Fact(name) for name in words.details(self.row)}
        for fact in self.facts_behind.values():
            fact.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            inside.addWidget(fact)
        self.details.hide()
        self.result.hide()
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, tokens.grid, 0, tokens.grid)
        self._column.setSpacing(4)
        self._column.addLayout(head)
        for part in (self.about, self.facts, self.notes, self.trouble):
            self._column.addWidget(part)
        self._column.addLayout(actions)
        self._column.addWidget(self.result)
        self._column.addWidget(self.details)
