"""Definitions as they are kept: saved and changed ones, and actions to save, remove, cross, read or write one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QWidget

from biasprint.core.errors import AppError
from biasprint.core.language import joined
from biasprint.core.prompts.definition_kinds import AXIS, KINDS, NAMES
from biasprint.core.prompts.definitions import Draft, completed, copied
from biasprint.core.prompts.library import Definition
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.operations import Operation
from biasprint.desktop.operations import prompts as operations
from biasprint.desktop.operations.prompts import OwnSeen
from biasprint.desktop.shell import Shell
from biasprint.desktop.tables.grid import GridEdit
from biasprint.desktop.widgets import Label, PrimaryButton, QuietButton, tr
from biasprint.desktop.widgets.choice import ComboBox, fill
from biasprint.desktop.widgets.layout import STRETCH, Dialog, fitting, in_column, in_row
from biasprint.desktop.widgets.safe_text import as_given, safe_line, safe_tip


@dataclass(frozen=True)
class OwnEntry:
    """One line of the list. `definition` is the saved one, None before the first save; `draft` is the present one."""

    kind: str
    id: str
    definition: Definition | None
    draft: Draft
    changed: bool

    @property
    def shipped(self) -> bool:
        return self.definition is not None and self.definition.shipped

    @property
    def title(self) -> str:
        return str(self.draft.get("title", "")).strip() or tr("without a title")

    def listed(self, entries: "Sequence[OwnEntry]") -> str:
        """Return its line in a list: the title and state; a shipped one that has another's title with its key."""
        if self.shipped:
            alike = sum(entry.shipped and entry.title == self.title for entry in entries)
            return f"{self.title} ({self.id})" if alike > 1 else self.title
        state = tr("own") if not self.changed else tr("not kept") if self.definition is None else tr("changed")
        return joined(" · ", as_given(self.title), state)

    def said(self) -> str:
        """Return what saving would do to it, in a sentence or two."""
        saved = self.definition
        if saved is None:
            return tr("Not kept yet: “Save” puts it into the lists that prompts are made from.")
        if saved.shipped:
            return tr("It comes with the program. Copy it to change it.")
        version = tr("Version {n}.").format(n=saved.version)
        if not saved.used:
            return f"{version} {tr('No prompts were made from it yet.')}"
        if not self.changed:
            return f"{version} {tr('Prompts were made from it.')}"
        words = tr("Prompts were made from version {n} and keep it; saving makes version {next}.")
        return words.format(n=saved.version, next=saved.version + 1)


class Entries:
    """The entries. Changes are held here until they are saved or undone, whichever entry is shown."""

    def __init__(self) -> None:
        self.seen = OwnSeen()
        self._drafts: dict[tuple[str, str], dict[str, Any]] = {}
        self._numbers = count(1)

    def of(self, kind: str) -> list[OwnEntry]:
        """Return the entries of a kind: new drafts, then the person's own, then shipped ones."""
        definitions = {definition.key: definition for definition in self.seen.of(kind)}
        new = [id for of, id in self._drafts if of == kind and id not in definitions]
        return [self.entry(kind, id) for id in (*new, *definitions)]

    def entry(self, kind: str, id: str) -> OwnEntry:
        saved = next((definition for definition in self.seen.of(kind) if definition.key == id), None)
        draft = self._drafts.get((kind, id))
        changed = draft is not None and (saved is None or completed(KINDS[kind], draft, ()) != dict(saved.data))
        return OwnEntry(kind, id, saved, draft if draft is not None else dict(saved.data) if saved else {}, changed)

    def begin(self, kind: str, draft: Draft) -> str:
        """Begin a draft and return its id: that of an own definition with its key, else a new one."""
        key = str(draft.get("key", ""))
        saved = next((definition for definition in self.seen.own.get(kind, ()) if definition.key == key), None)
        id = key if saved is not None else f"new-{next(self._numbers)}"
        self._drafts[kind, id] = dict(draft)
        return id

    def copy(self, entry: OwnEntry) -> str:
        """Copy an entry, and return the id of the copy."""
        return self.begin(entry.kind, copied(entry.draft, self.titles(entry.kind)))

    def change(self, entry: OwnEntry, values: Mapping[str, Any]) -> OwnEntry:
        """Change the entry's values; values without a field in the form stay."""
        self._drafts[entry.kind, entry.id] = {**entry.draft, **values}
        return self.entry(entry.kind, entry.id)

    def forget(self, entry: OwnEntry) -> None:
        """Drop the changes of an entry."""
        self._drafts.pop((entry.kind, entry.id), None)

    def keep(self, entry: OwnEntry, definition: Definition) -> None:
        """Take note that it was saved as this definition; later changes are changes of it."""
        draft = self._drafts.pop((entry.kind, entry.id), None)
        if draft is not None and draft != entry.draft:
            self._drafts[entry.kind, definition.key] = {**draft, "key": definition.key}
        self.seen = self.seen.with_kept(definition)

    def remove(self, definition: Definition) -> None:
        """Remove the entry."""
        self._drafts.pop((definition.kind, definition.key), None)
        self.seen = self.seen.without(definition)

    def titles(self, kind: str, but: str = "") -> list[str]:
        """Return the titles that are taken."""
        return [entry.title for entry in self.of(kind) if entry.id != but]

    @property
    def unsaved(self) -> list[OwnEntry]:
        """Return everything with changes that are not saved."""
        entries = [self.entry(kind, id) for kind, id in self._drafts]
        return [entry for entry in entries if entry.changed]


# ---- Actions

# ---- Questions before keeping

WIDTH, HEIGHT = 520, 380


class ChoiceDialog(Dialog):
    """Some choices, each of a list; `chosen` gets their keys in order. It never blocks."""

    def __init__(
        self,
        parent: QWidget,
        *,
        title: str,
        text: str,
        choices: Sequence[tuple[str, Mapping[str, str]]],
        go: str,
        chosen: Callable[..., object],
        why_not: Callable[..., str] = lambda *_: "",
    ) -> None:
        """`choices`: each one's title, and key → words; `why_not`: returns why these cannot be taken, or ""."""
        super().__init__(parent, tr(title))
        self._why_not = why_not
        self.boxes = [_box(name, words) for name, words in choices]
        self.trouble = Label("", "problem", wrap=True)
        self.go, self.cancel = PrimaryButton(go, act=self.accept), QuietButton(tr("Cancel"), act=self.reject)
        self.accepted.connect(lambda: chosen(*self._keys()))
        tokens = theme.current()
        box = in_column(Label(title, "title", wrap=True), inside=self, spacing=tokens.grid, margins=tokens.margin)
        box.addWidget(Label(text, "soft", wrap=True))
        for (name, _), choice in zip(choices, self.boxes, strict=True):
            label = Label(name, "strong")
            label.setBuddy(choice)
            box.addWidget(label)
            box.addWidget(choice)
            choice.currentIndexChanged.connect(lambda _: self._allow())
        box.addWidget(self.trouble)
        box.addStretch(1)
        box.addLayout(_answers(self.cancel, self.go))
        self.resize(fitting(parent, WIDTH, HEIGHT))
        self._allow()

    def _keys(self) -> list[str]:
        return [str(box.currentData()) for box in self.boxes]

    def _allow(self) -> None:
        why = self._why_not(*self._keys())
        self.trouble.setText(why)
        self.go.setEnabled(not why)
        self.go.setToolTip(safe_tip(tr(why)))


def _box(name: str, words: Mapping[str, str]) -> ComboBox:
    box = ComboBox()
    box.setAccessibleName(tr(name))
    fill(box, words, None)
    return box


def ask_crossing(
    parent: QWidget, axes: Sequence[Definition], names: Mapping[str, str], chosen: Callable[[str, str, str], object]
) -> ChoiceDialog:
    """Ask for two axes by key, and the key of a set of names or none."""
    words = {axis.key: _titled(axis) for axis in axes if not axis.data.get("crosses")}
    dialog = ChoiceDialog(
        parent,
        title=tr("Cross two axes"),
        text=tr("Every identity of the one comes with every one of the other, as in “Black woman”."),
        choices=(
            (tr("First axis"), words),
            (tr("Second axis, named first in prompts"), words),
            (tr("Names"), {"": tr("those that both identities have"), **names}),
        ),
        go=tr("Cross them"),
        chosen=chosen,
        why_not=lambda first, second, _: tr("Choose two different axes.") if first == second else "",
    )
    dialog.boxes[1].setCurrentIndex(min(1, len(words) - 1))
    dialog.open()
    return dialog


def ask_names(parent: QWidget, names: Mapping[str, str], chosen: Callable[[str], object]) -> ChoiceDialog:
    """Ask for the key of a set of names."""
    dialog = ChoiceDialog(
        parent,
        title=tr("Take the names of a set"),
        text=tr(
            "Each identity that the set knows gets its names in place of those it has; the others keep theirs. "
            "A name says nothing about its bearer: compare the lists with their sources before you publish."
        ),
        choices=((tr("Set of names"), names),),
        go=tr("Take them"),
        chosen=chosen,
    )
    dialog.open()
    return dialog


def ask_groups(parent: QWidget, axes: Sequence[Definition], chosen: Callable[[str, str], object]) -> ChoiceDialog:
    """Ask for the keys of an axis and of another, or none, whose groups a new set has names for."""
    words = {axis.key: _titled(axis) for axis in axes if not axis.data.get("crosses")}
    dialog = ChoiceDialog(
        parent,
        title=tr("A set of names"),
        text=tr("It begins with a line for each group, where its names are written or pasted."),
        choices=((tr("For the groups of"), words), (tr("each by"), {"": tr("no other axis"), **words})),
        go=tr("Begin"),
        chosen=chosen,
        why_not=lambda first, second: tr("Choose two different axes.") if first == second else "",
    )
    dialog.open()
    return dialog


PASTE_WIDTH, PASTE_HEIGHT = 620, 480
NAMES_EXAMPLE = (("name", "race", "gender", "source"), ("Aisha", "black", "woman", "Registry of births 2010"))


class PasteDialog(Dialog):
    """A table with a name in each row; `taken` gets its rows. It never blocks."""

    def __init__(self, parent: QWidget, taken: Callable[[list[list[str]]], object]) -> None:
        super().__init__(parent, tr("Names from a table"))
        self.table = GridEdit(tr("Names, one in each row"), NAMES_EXAMPLE)
        self.go, self.cancel = PrimaryButton(tr("Take them"), act=self.accept), QuietButton(tr("Cancel"))
        self.cancel.clicked.connect(self.reject)
        self.accepted.connect(lambda: taken(self.table.rows()))
        self.table.changed.connect(self._allow)
        words = tr(
            "Paste cells of a spreadsheet. The first row names the columns: “name”, an axis or two such as “race” and "
            "“gender”, and perhaps “source”. Every other row is a name."
        )
        tokens = theme.current()
        box = in_column(inside=self, spacing=tokens.grid, margins=tokens.margin)
        box.addWidget(Label(tr("Names from a table"), "title", wrap=True))
        box.addWidget(Label(words, "soft", wrap=True))
        box.addWidget(self.table, 1)
        box.addLayout(_answers(self.cancel, self.go))
        self.resize(fitting(parent, PASTE_WIDTH, PASTE_HEIGHT))
        self._allow()

    def _allow(self) -> None:
        why = self.table.trouble.text() if self.table.rows() else tr("There are no names yet.")
        self.go.setEnabled(not why)
        self.go.setToolTip(safe_tip(tr(why)))


def _answers(*buttons: QWidget) -> QHBoxLayout:
    return in_row(STRETCH, *buttons)


def _titled(one: Definition) -> str:
    identities = ", ".join(str(row.get("label", "")) for row in one.data["identities"])
    return f"{one.title}: {identities}"


class Keeping(QObject):
    """The actions. Each is a job, after a question if there is one; the page gets the result."""

    drafted = Signal(str, object)  # kind, and a draft of it to go on with
    named = Signal(object, object)  # OwnEntry, and its draft with the names of a set
    pasted = Signal(object, object)  # OwnEntry, and groups with their names
    kept = Signal(object, object)  # OwnEntry, and the Definition that it is now
    removed = Signal(object)  # Definition
    saving_changed = Signal()

    def __init__(self, shell: Shell, page: QWidget) -> None:
        super().__init__(page)
        self._shell, self._page = shell, page
        self.saving = False

    def save(self, entry: OwnEntry) -> None:
        def done(kept: Definition) -> None:
            self._show_saving(False)
            words = tr("“{title}” is kept, version {n}.").format(title=kept.title, n=kept.version)
            self._shell.notify(safe_line(words))
            self.kept.emit(entry, kept)

        def fail(error: AppError) -> None:
            self._show_saving(False)
            self._shell.show_error(error)

        self._show_saving(True)
        operations.save_own(entry.kind, entry.draft).start(self._shell.jobs, on_done=done, on_error=fail)

    def ask_remove(self, definition: Definition) -> None:
        """Remove a definition, if that is really wanted."""
        Question(
            self._page.window(),
            title=tr("Remove “{title}”?").format(title=safe_line(definition.title)),
            text=tr("It leaves the lists on this computer. Prompts and texts that were made from it keep their copy."),
            safe=tr("Keep it"),
            risky=tr("Remove it"),
            on_risky=lambda: self._start(operations.remove_own(definition), lambda _: self.removed.emit(definition)),
        ).open()

    def ask_leave(self, unsaved: Sequence[OwnEntry], then: Callable[[], object]) -> None:
        """Go on, after a question where something is not saved."""
        if not unsaved:
            then()
            return
        names = ", ".join(f"“{entry.title}”" for entry in unsaved)
        Question(
            self._page.window(),
            title=tr("Leave without saving?"),
            text=tr("What was changed is not kept: {names}.").format(names=safe_line(names)),
            safe=tr("Stay here"),
            risky=tr("Leave without saving"),
            on_risky=then,
        ).open()

    def ask_crossing(self, seen: OwnSeen) -> None:
        """Make a draft of two axes crossed."""
        axes = {axis.key: axis for axis in seen.of(AXIS.folder)}

        def crossed(first: str, second: str, names: str) -> None:
            self._draft(AXIS.folder, operations.cross_own(axes[first].data, axes[second].data, names))

        ask_crossing(self._page.window(), list(axes.values()), seen.names, crossed)

    def ask_names(self, entry: OwnEntry, seen: OwnSeen) -> None:
        """Take the names of a set for the identities of an axis."""

        def done(filled: tuple[Draft, tuple[str, ...]]) -> None:
            draft, without = filled
            self.named.emit(entry, draft)
            if without:
                names = ", ".join(without)
                words = tr("The set has no names for {names}; they keep theirs.").format(names=names)
                self._shell.notify(safe_line(words))

        def chosen(names: str) -> None:
            draft = {**completed(AXIS, entry.draft, ()), "key": entry.draft.get("key", "")}
            self._start(operations.names_for(draft, names), done)

        ask_names(self._page.window(), seen.names, chosen)

    def ask_groups(self, seen: OwnSeen) -> None:
        """Make a draft of a set of names for an axis, or for two."""
        axes = {axis.key: axis for axis in seen.of(AXIS.folder)}

        def chosen(first: str, second: str) -> None:
            other = axes[second].data if second else None
            self._draft(NAMES.folder, operations.names_to_write(axes[first].data, other))

        ask_groups(self._page.window(), list(axes.values()), chosen)

    def ask_paste(self, entry: OwnEntry) -> None:
        """Take names from a pasted table for a set."""

        def taken(rows: list[list[str]]) -> None:
            self._start(operations.cells_pasted(rows), lambda cells: self.pasted.emit(entry, cells))

        PasteDialog(self._page.window(), taken).open()

    def ask_example(self, kind: str) -> None:
        """Write an explained example of a kind to a file that the person chooses."""
        suffix = KINDS[kind].suffix
        start = f"{tr(KINDS[kind].title)}-{tr('example')}.{suffix}"
        name, _ = QFileDialog.getSaveFileName(self._page, tr("Save an example"), start, file_types([suffix]))
        if name:
            self._start(operations.save_example(kind, _ending(Path(name), suffix)))

    def ask_file(self, kind: str) -> None:
        """Read a draft from a file that the person chooses."""
        types = file_types(KINDS[kind].suffixes)
        name, _ = QFileDialog.getOpenFileName(self._page, tr("Import a definition"), "", types)
        if name:
            self.take_file(kind, Path(name))

    def take_file(self, kind: str, path: Path) -> None:
        """Read a draft from this file."""
        self._draft(kind, operations.import_own(kind, path))

    def ask_where(self, entry: OwnEntry) -> None:
        """Write a definition to a file that the person chooses."""
        suffix = KINDS[entry.kind].suffix
        start = f"{entry.draft.get('key') or entry.id}.{suffix}"
        types = file_types(dict.fromkeys([suffix, "toml"]))
        name, _ = QFileDialog.getSaveFileName(self._page, tr("Save to a file"), start, types)
        if name:
            self._start(operations.export_own(entry.kind, entry.draft, _ending(Path(name), suffix)))

    def _draft(self, kind: str, operation: Operation[Draft]) -> None:
        # Of this kind also where the page shows another by the time it is there.
        self._start(operation, lambda draft: self.drafted.emit(kind, draft))

    def _start(self, operation: Operation[Any], done: Callable[[Any], object] | None = None) -> None:
        operation.start(self._shell.jobs, on_done=done, on_error=self._shell.show_error)

    def _show_saving(self, saving: bool) -> None:
        self.saving = saving
        self.saving_changed.emit()


def file_types(suffixes: Iterable[str]) -> str:
    """Return the file types of a dialog."""
    return tr("Definitions ({endings})").format(endings=" ".join(f"*.{each}" for each in suffixes))


def _ending(path: Path, suffix: str) -> Path:
    return path if path.suffix in (f".{suffix}", ".toml") else path.with_name(f"{path.name}.{suffix}")
