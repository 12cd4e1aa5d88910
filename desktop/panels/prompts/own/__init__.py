"""Axes and texts of a person's own: a list of them, and the form of the chosen one."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from biasprint.core.prompts.definition_kinds import AXIS, KINDS, NAMES
from biasprint.core.prompts.definitions import Draft, DraftProblem, problems
from biasprint.core.prompts.library import Definition
from biasprint.core.prompts.name_sets import with_cells
from biasprint.desktop import theme
from biasprint.desktop.operations.prompts import OwnSeen
from biasprint.desktop.panels.prompts.own.keeping import Entries, Keeping, OwnEntry
from biasprint.desktop.panels.prompts.own.rows import Form
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Card, FlowLayout, Label, Notice, PrimaryButton, QuietButton, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.labels import hidden, named, show_if
from biasprint.desktop.widgets.layout import UNLIMITED, Room, RowOrColumn, clear_widget, in_column
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTable

# ---- The shelf

HIGH_FROM = 420  # text pixels, from which there is room for a word on the kind


class OwnShelf(Card):
    """The list. `kind_changed` asks for definitions of another kind; `chosen` carries the id of an entry."""

    kind_changed = Signal()
    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__(padding=20)
        self.box_of_kinds = named(ComboBox(), tr("Kind of definition"))
        for kind in KINDS.values():
            self.box_of_kinds.addItem(tr(kind.title), kind.folder)
        self.about = Label("", "note", wrap=True)
        self.list = TextTable(tr("Definitions"), [TableColumn(tr("Title"))], wrap=True)
        self.list.horizontalHeader().hide()
        self.new, self.bring = QuietButton(tr("New"), icon="plus"), QuietButton(tr("Import…"))
        self.cross, self.for_groups = QuietButton(tr("Cross two…")), QuietButton(tr("New for an axis…"))
        self.example = QuietButton(tr("Example…"))
        self.example.setToolTip(tr("Save an example with explanations to a file, to be changed and imported"))
        ways = FlowLayout(self.new, self.bring, self.for_groups, self.cross, self.example)
        for widget in (self.box_of_kinds, self.about, self.list):
            self.box.addWidget(widget, int(widget is self.list))
        self.box.addLayout(ways)
        self.box_of_kinds.currentIndexChanged.connect(lambda _: self._show_kind())
        self.list.chosen.connect(self.chosen)
        self._show_kind()

    @property
    def kind(self) -> str:
        """The folder of the kind that is listed."""
        return str(self.box_of_kinds.currentData())

    def show_kind(self, kind: str) -> None:
        self.box_of_kinds.setCurrentIndex(max(0, self.box_of_kinds.findData(kind)))

    def show_entries(self, entries: Sequence[OwnEntry]) -> None:
        """Show other entries; the chosen one stays chosen where it still exists."""
        self.list.show_rows([TableRow(entry.id, (safe_line(entry.listed(entries)),)) for entry in entries])

    @property
    def current(self) -> str:
        """The id of the chosen entry; empty without one."""
        return self.list.current_key

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.about.setVisible(self.height() >= theme.current().px(HIGH_FROM))

    def _show_kind(self) -> None:
        self.about.setText(tr(KINDS[self.kind].about))
        show_if(self.cross, self.kind == AXIS.folder)
        show_if(self.for_groups, self.kind == NAMES.folder)
        self.kind_changed.emit()


LIST_WIDTH = 270  # text pixels
NARROW = 820
BESIDE_FROM = 560
LEAST_BESIDE, LEAST_BELOW = 400, 900  # text pixels in height


class OwnPage(QWidget):
    """The page. `kept` brings the definitions after a save. `prompts_wanted`: from this one, by kind and key."""

    kept = Signal(object)  # OwnSeen
    prompts_wanted = Signal(str, str)

    def __init__(self, shell: Shell) -> None:
        super().__init__()
        self.entries = Entries()
        self._shown: OwnEntry | None = None
        self._found: tuple[DraftProblem, ...] = ()
        self._keeping = Keeping(shell, self)
        self.shelf = OwnShelf()
        self.said = Label("", "note", wrap=True)
        self.trouble = hidden(Notice("", tone="danger", closable=False))
        self.forms: dict[str, Form] = {}
        self.save = PrimaryButton(tr("Save"))
        self.copy_this, self.copy = PrimaryButton(tr("Copy and change")), QuietButton(tr("Copy"))
        self.undo, self.names = QuietButton(tr("Undo changes")), QuietButton(tr("Names from a set…"))
        self.send, self.remove = QuietButton(tr("Save to file…")), QuietButton(tr("Remove…"))
        self.paste = QuietButton(tr("Names from a table…"))
        self.use = QuietButton(tr("Make prompts with it"))
        self._lay_out()
        self._connect()
        self._show_kind()

    # what there is

    def show_own(self, seen: OwnSeen) -> None:
        """Show other definitions."""
        self.entries.seen = seen
        self.trouble.tell([safe_line(trouble) for trouble in seen.troubles[:2]])
        self._show_list(self._shown.id if self._shown else "")

    def show_kind(self, kind: str) -> None:
        """Show the definitions of a kind."""
        self.shelf.show_kind(kind)

    @property
    def form(self) -> Form:
        """Return the form of the kind that is shown."""
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
        ids = [entry.id for entry in entries]
        if ids:
            self.shelf.list.select(wanted if wanted in ids else ids[0])
        self._show(self.shelf.current)

    def _show(self, id: str) -> None:
        before, now = self._shown, self.entries.entry(self.shelf.kind, id) if id else None
        self._shown = now
        if now is None:
            self.form.show_draft({}, allowed=False)
        elif before is None or not _alike(before, now):  # else a field in which somebody types stays as it is
            self.form.show_draft(now.draft, allowed=not now.shipped)
        self._tell()

    def _is_shown(self, entry: OwnEntry) -> bool:
        return self._shown is not None and (self._shown.kind, self._shown.id) == (entry.kind, entry.id)

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

    def _go_on_with(self, kind: str, draft: Draft) -> None:
        """Show a draft that was made or read; its title is made unique."""
        own = {definition.key for definition in self.entries.seen.own.get(kind, ())}
        taken = {title.casefold() for title in self.entries.titles(kind, but=str(draft.get("key", "")))}
        title = str(draft.get("title", ""))
        if draft.get("key") not in own and title.casefold() in taken:
            draft = {**draft, "title": tr("{title}, my own").format(title=title)}
        self.shelf.show_kind(kind)
        self._begin(self.entries.begin(kind, draft))

    def _take_names(self, entry: OwnEntry, draft: Draft) -> None:
        now = self.entries.entry(entry.kind, entry.id)
        self.entries.change(now, {"identities": draft["identities"]})
        if self._is_shown(entry):
            self._show_list(entry.id)

    def _take_pasted(self, entry: OwnEntry, cells: Sequence[Draft]) -> None:
        now = self.entries.entry(entry.kind, entry.id)
        self.entries.change(now, {"cells": with_cells(now.draft.get("cells", ()), cells)})
        if self._is_shown(entry):
            self._show_list(entry.id)

    def take_file(self, path: Path) -> None:
        """Show a draft read from a file; it is stored only when it is saved."""
        self._keeping.take_file(self.shelf.kind, path)

    # keeping

    def _save(self) -> None:
        if self._shown is not None and not self._why_not():
            self._keeping.save(self._shown)

    def _take_kept(self, entry: OwnEntry, definition: Definition) -> None:
        self.entries.keep(entry, definition)
        self._offer(definition.key if self._is_shown(entry) else "")

    def _remove(self) -> None:
        if self._shown is not None and self._shown.definition is not None:
            self._keeping.ask_remove(self._shown.definition)

    def _take_removed(self, definition: Definition) -> None:
        self.entries.remove(definition)
        self._offer()

    def _offer(self, wanted: str = "") -> None:
        """Offer changed definitions here, with `wanted` shown if any, and wherever prompts are chosen."""
        self._show_list(wanted or (self._shown.id if self._shown else ""))
        self.kept.emit(self.entries.seen)

    def if_it_may_go(self, then: Callable[[], object]) -> None:
        """Go on, after a question where changes are not saved."""
        self._keeping.ask_leave(self.entries.unsaved, then)

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
        """Return why it cannot be saved; empty where it can."""
        entry = self._shown
        if self._keeping.saving:
            return tr("It is being saved.")
        if entry is None or not entry.changed:
            return tr("Nothing was changed.")
        wrong = [problem for problem in self._found if not problem.caution]
        return safe_line(wrong[0].words) if wrong else ""

    def _allow(self) -> None:
        entry = self._shown
        own = entry is not None and not entry.shipped
        saved = entry is not None and entry.definition is not None
        why = self._why_not()
        self.save.setEnabled(not why)
        self.save.setToolTip(safe_tip(tr(why)))
        self.save.setAccessibleDescription(tr(why))
        for button, shown in (
            (self.save, own),
            (self.copy_this, entry is not None and entry.shipped),
            (self.copy, own),
            (self.undo, own and entry is not None and entry.changed),
            (self.names, own and entry is not None and entry.kind == AXIS.folder),
            (self.paste, own and entry is not None and entry.kind == NAMES.folder),
            (self.send, entry is not None),
            (self.remove, own and saved),
            (self.use, own and saved and entry is not None and not entry.changed),
        ):
            show_if(button, shown)
        self.send.setEnabled(not any(not problem.caution for problem in self._found))

    # the look

    def _connect(self) -> None:
        self.shelf.kind_changed.connect(self._show_kind)
        self.shelf.chosen.connect(self._show)
        self._keeping.drafted.connect(self._go_on_with)
        self._keeping.named.connect(self._take_names)
        self._keeping.pasted.connect(self._take_pasted)
        self._keeping.kept.connect(self._take_kept)
        self._keeping.removed.connect(self._take_removed)
        self._keeping.saving_changed.connect(self._allow)
        for button, step in (
            (self.shelf.new, self._new),
            (self.copy, self._copy),
            (self.copy_this, self._copy),
            (self.shelf.bring, lambda: self._keeping.ask_file(self.shelf.kind)),
            (self.shelf.cross, lambda: self._keeping.ask_crossing(self.entries.seen)),
            (self.shelf.for_groups, lambda: self._keeping.ask_groups(self.entries.seen)),
            (self.shelf.example, lambda: self._keeping.ask_example(self.shelf.kind)),
            (self.save, self._save),
            (self.undo, self._undo),
            (self.names, lambda: self._with_shown(lambda one: self._keeping.ask_names(one, self.entries.seen))),
            (self.paste, lambda: self._with_shown(self._keeping.ask_paste)),
            (self.send, lambda: self._with_shown(self._keeping.ask_where)),
            (self.remove, self._remove),
            (self.use, self._use),
        ):
            button.clicked.connect(lambda _=False, step=step: step())

    def _with_shown(self, step: Callable[[OwnEntry], object]) -> None:
        if self._shown is not None:
            step(self._shown)

    def _use(self) -> None:
        if self._shown is not None:
            self.prompts_wanted.emit(self._shown.kind, self._shown.id)

    def _lay_out(self) -> None:
        self._forms = in_column(margins=0)
        steps = FlowLayout()
        for button in (
            self.save, self.copy_this, self.use, self.undo, self.names, self.paste, self.copy, self.send, self.remove
        ):  # fmt: skip
            steps.addWidget(button)
        right = Card("", self.trouble, self.said, (self._forms, 1), steps, padding=20)
        both = clear_widget()
        self._both = RowOrColumn(self.shelf, (right, 1), inside=both, least=BESIDE_FROM)
        self._both.turned.connect(self._fit)
        self._room = Room(both, LEAST_BESIDE)
        in_column((self._room, 1), inside=self, margins=0)
        theme.follow(self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self, _tokens: object = None) -> None:
        tokens = theme.current()
        beside = self._both.direction() == RowOrColumn.Direction.LeftToRight
        narrow = self.width() < tokens.px(NARROW)
        width = tokens.px(LIST_WIDTH - 40 if narrow else LIST_WIDTH)
        self.shelf.setMinimumWidth(width)
        self.shelf.setMaximumWidth(width if beside else UNLIMITED)
        self._room.need(LEAST_BESIDE if beside else LEAST_BELOW)


def _alike(one: OwnEntry, other: OwnEntry) -> bool:
    """Return whether a form of the one entry shows the other as well."""

    def fields(entry: OwnEntry) -> dict[str, object]:
        return {name: value for name, value in entry.draft.items() if name != "key"}

    return (one.kind, one.shipped, fields(one)) == (other.kind, other.shipped, fields(other))
