"""Axes and texts of one's own: a list of what there is, and the form of the chosen one."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from core.errors import AppError
from core.prompts.definition_kinds import AXIS, KINDS
from core.prompts.definitions import Draft, DraftProblem, completed, problems
from core.prompts.library import Definition
from desktop import theme
from desktop.dialogs.question import Question
from desktop.operations import own as operations
from desktop.operations.own import OwnSeen
from desktop.panels.prompts.own.asked import ask_crossing, ask_names
from desktop.panels.prompts.own.entries import Entries, OwnEntry
from desktop.panels.prompts.own.kind_form import Form
from desktop.panels.prompts.own.shelf import OwnShelf
from desktop.shell import Shell
from desktop.widgets import Card, FlowLayout, Label, Notice, PrimaryButton, QuietButton, tr
from desktop.widgets.labels import show_if
from desktop.widgets.safe_text import safe_line

LIST_WIDTH = 270  # text pixels
NARROW = 820


class OwnPage(QWidget):
    """`kept` brings the definitions that are there now. `prompts_wanted`: from this one, by kind and key."""

    kept = Signal(object)  # OwnSeen
    prompts_wanted = Signal(str, str)

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self._shell = shell
        self.entries = Entries()
        self._shown: OwnEntry | None = None
        self._found: tuple[DraftProblem, ...] = ()
        self._saving = False
        self.shelf = OwnShelf()
        self.said = Label("", "note", wrap=True)
        self.trouble = Notice("", tone="danger", closable=False)
        self.trouble.hide()
        self.forms: dict[str, Form] = {}
        self.save = PrimaryButton(tr("Save"))
        self.copy_this, self.copy = PrimaryButton(tr("Copy and change")), QuietButton(tr("Copy"))
        self.undo, self.names = QuietButton(tr("Undo changes")), QuietButton(tr("Names from a set…"))
        self.send, self.remove = QuietButton(tr("Save to file…")), QuietButton(tr("Remove…"))
        self.use = QuietButton(tr("Make prompts with it"))
        self._lay_out()
        self._connect()
        self._show_kind()

    # what there is

    def show_own(self, seen: OwnSeen) -> None:
        """Other definitions are there."""
        self.entries.seen = seen
        self.trouble.tell([safe_line(one) for one in seen.troubles[:2]])
        self._show_list(self._shown.id if self._shown else "")

    def show_kind(self, kind: str) -> None:
        """Go to the definitions of a kind."""
        self.shelf.show_kind(kind)

    @property
    def form(self) -> Form:
        """The form of the kind that is shown."""
        kind = self.shelf.kind
        if kind not in self.forms:
            self.forms[kind] = form = Form(kind)
            form.changed.connect(self._typed)
            self._forms.addWidget(form)
        return self.forms[kind]

    def _show_kind(self) -> None:
        self._shown = None
        self.form  # noqa: B018 - made when first seen
        for folder, form in self.forms.items():
            form.setVisible(folder == self.shelf.kind)
        self._show_list("")

    def _show_list(self, wanted: str) -> None:
        entries = self.entries.of(self.shelf.kind)
        self.shelf.show_entries(entries)
        ids = [one.id for one in entries]
        if ids:
            self.shelf.list.select(wanted if wanted in ids else ids[0])
        self._show(self.shelf.current)

    def _show(self, id: str) -> None:
        self._shown = self.entries.entry(self.shelf.kind, id) if id else None
        if self._shown is not None:
            self.form.show_draft(self._shown.draft, allowed=not self._shown.shipped)
        self._tell()

    # changing

    def _typed(self) -> None:
        assert self._shown is not None
        self._shown = self.entries.change(self._shown, self.form.values())
        self.shelf.show_entries(self.entries.of(self.shelf.kind))
        self._tell()

    def _begin(self, id: str) -> None:
        self._show_list(id)
        first = next(iter(self.form.inputs.values()))
        first.control.setFocus()
        if hasattr(first.control, "selectAll"):
            first.control.selectAll()

    def _new(self) -> None:
        kind = KINDS[self.shelf.kind]
        self._begin(self.entries.begin(kind.folder, kind.blank()))

    def _copy(self) -> None:
        if self._shown is not None:
            self._begin(self.entries.copy(self._shown))

    def _undo(self) -> None:
        if self._shown is not None:
            self.entries.forget(self._shown)
            self._show_list(self._shown.id)

    def _cross(self) -> None:
        axes = {one.key: one for one in self.entries.seen.of(AXIS.folder)}

        def crossed(first: str, second: str, names: str) -> None:
            operations.cross_own(axes[first].data, axes[second].data, names).start(
                self._shell.jobs, on_done=self._take_draft, on_error=self._failed
            )

        ask_crossing(self.window(), list(axes.values()), self.entries.seen.names, crossed)

    def _take_draft(self, draft: Draft) -> None:
        """Go on with a draft that was made or read; its title is made one that no other has."""
        kind = self.shelf.kind
        own = {one.key for one in self.entries.seen.own.get(kind, ())}
        taken = {title.casefold() for title in self.entries.titles(kind, but=str(draft.get("key", "")))}
        title = str(draft.get("title", ""))
        if draft.get("key") not in own and title.casefold() in taken:
            draft = {**draft, "title": tr("{title}, my own").format(title=title)}
        self._begin(self.entries.begin(kind, draft))

    def _names(self) -> None:
        entry = self._shown
        if entry is None:
            return

        def done(filled: tuple[Draft, tuple[str, ...]]) -> None:
            draft, without = filled
            self.entries.change(entry, draft)
            self._show_list(entry.id)
            if without:
                names = ", ".join(without)
                self._shell.notify(tr("The set has no names for {names}; they keep theirs.").format(names=names))

        def chosen(names: str) -> None:
            draft = {**completed(AXIS, entry.draft, ()), "key": entry.draft.get("key", "")}
            operations.names_for(draft, names).start(self._shell.jobs, on_done=done, on_error=self._failed)

        ask_names(self.window(), self.entries.seen.names, chosen)

    # keeping

    def _save(self) -> None:
        entry = self._shown
        if entry is None or self._why_not():
            return

        def done(kept: Definition) -> None:
            self._saving = False
            self.entries.forget(entry)
            told = tr("“{title}” is kept, version {n}.").format(title=kept.title, n=kept.version)
            self._shell.notify(safe_line(told))
            self._read(kept.key)

        self._saving = True
        self._allow()
        operations.save_own(entry.kind, entry.draft).start(self._shell.jobs, on_done=done, on_error=self._failed)

    def _read(self, wanted: str) -> None:
        def show(seen: OwnSeen) -> None:
            self._shown = None
            self.show_own(seen)
            self._show_list(wanted)
            self.kept.emit(seen)

        self._shell.jobs.start(tr("Own definitions"), operations.read_own, on_done=show, quiet=True)

    def _remove(self) -> None:
        entry = self._shown
        if entry is None or entry.definition is None:
            return
        definition = entry.definition

        def remove() -> None:
            self.entries.forget(entry)
            operations.remove_own(definition).start(
                self._shell.jobs, on_done=lambda _: self._read(""), on_error=self._failed
            )

        Question(
            self.window(),
            title=tr("Remove “{title}”?").format(title=safe_line(definition.title)),
            text=tr("It leaves the lists on this computer. Prompts and texts that were made from it keep their copy."),
            safe=tr("Keep it"),
            risky=tr("Remove it"),
            on_risky=remove,
        ).open()

    def _import(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Import a definition"), "", self._file_types())
        if name:
            self.take_file(Path(name))

    def _file_types(self) -> str:
        suffix = KINDS[self.shelf.kind].suffix
        return tr("Definition (*.toml)") if suffix == "toml" else tr("List, one to a line (*.txt *.toml)")

    def take_file(self, path: Path) -> None:
        """Go on with what a file holds; it is kept when it is saved."""
        operation = operations.import_own(self.shelf.kind, path)
        operation.start(self._shell.jobs, on_done=self._take_draft, on_error=self._failed)

    def _export(self) -> None:
        entry = self._shown
        if entry is None:
            return
        suffix = KINDS[entry.kind].suffix
        start = f"{entry.draft.get('key') or entry.id}.{suffix}"
        name, _ = QFileDialog.getSaveFileName(self, tr("Save to a file"), start, self._file_types())
        if name:
            path = Path(name) if Path(name).suffix else Path(f"{name}.{suffix}")
            operations.export_own(entry.kind, entry.draft, path).start(self._shell.jobs, on_error=self._failed)

    def _failed(self, error: AppError) -> None:
        self._saving = False
        self._allow()
        self._shell.show_error(error)

    def if_it_may_go(self, then: Callable[[], object]) -> None:
        """Go on, after a question where something was changed and not kept."""
        unsaved = self.entries.unsaved
        if not unsaved:
            then()
            return
        names = ", ".join(f"“{one.title}”" for one in unsaved)
        Question(
            self.window(),
            title=tr("Leave without saving?"),
            text=tr("What was changed is not kept: {names}.").format(names=safe_line(names)),
            safe=tr("Stay here"),
            risky=tr("Leave without saving"),
            on_risky=then,
        ).open()

    # what is seen

    def _tell(self) -> None:
        entry = self._shown
        self._found = ()
        if entry is not None and not entry.shipped:
            kind = KINDS[entry.kind]
            self._found = problems(kind, entry.draft, self.entries.titles(entry.kind, but=entry.id))
        self.form.tell(self._found)
        general = [problem.words for problem in self._found if not problem.place]
        self.said.setText(safe_line(" ".join([entry.said(), *general])) if entry else "")
        self._allow()

    def _why_not(self) -> str:
        """Why it cannot be saved; empty where it can."""
        entry = self._shown
        if self._saving:
            return tr("It is being saved.")
        if entry is None or not entry.changed:
            return tr("Nothing was changed.")
        wrong = [problem for problem in self._found if not problem.caution]
        return safe_line(wrong[0].words) if wrong else ""

    def _allow(self) -> None:
        entry = self._shown
        own = entry is not None and not entry.shipped
        kept = entry is not None and entry.definition is not None
        why = self._why_not()
        self.save.setEnabled(not why)
        self.save.setToolTip(why)
        self.save.setAccessibleDescription(why)
        for button, shown in (
            (self.save, own),
            (self.copy_this, entry is not None and entry.shipped),
            (self.copy, own),
            (self.undo, own and entry is not None and entry.changed),
            (self.names, own and entry is not None and entry.kind == AXIS.folder),
            (self.send, entry is not None),
            (self.remove, own and kept),
            (self.use, own and kept and entry is not None and not entry.changed),
        ):
            show_if(button, shown)
        self.send.setEnabled(not any(not problem.caution for problem in self._found))

    # the look

    def _connect(self) -> None:
        self.shelf.kind_changed.connect(self._show_kind)
        self.shelf.chosen.connect(self._show)
        for button, step in (
            (self.shelf.new, self._new),
            (self.copy, self._copy),
            (self.copy_this, self._copy),
            (self.shelf.bring, self._import),
            (self.shelf.cross, self._cross),
            (self.save, self._save),
            (self.undo, self._undo),
            (self.names, self._names),
            (self.send, self._export),
            (self.remove, self._remove),
            (self.use, self._use),
        ):
            button.clicked.connect(lambda _=False, step=step: step())

    def _use(self) -> None:
        if self._shown is not None:
            self.prompts_wanted.emit(self._shown.kind, self._shown.id)

    def _lay_out(self) -> None:
        tokens = theme.current()
        right = Card()
        right.set_padding(20)
        self._forms = QVBoxLayout()
        self._forms.setContentsMargins(0, 0, 0, 0)
        steps = FlowLayout()
        for button in (self.save, self.copy_this, self.use, self.undo, self.names, self.copy, self.send, self.remove):
            steps.addWidget(button)
        for part in (self.trouble, self.said):
            right.box.addWidget(part)
        right.box.addLayout(self._forms, 1)
        right.box.addLayout(steps)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(tokens.gap)
        row.addWidget(self.shelf)
        row.addWidget(right, 1)
        self._fit()
        theme.signals.changed.connect(self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self, _tokens: object = None) -> None:
        width = LIST_WIDTH if self.width() >= theme.current().px(NARROW) else LIST_WIDTH - 40
        self.shelf.setFixedWidth(theme.current().px(width))
