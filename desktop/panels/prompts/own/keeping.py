"""Actions on a definition beyond typing: it is saved, removed, crossed, read from a file or written to one."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QHBoxLayout, QVBoxLayout, QWidget

from biasprint.core.errors import AppError
from biasprint.core.prompts.definition_kinds import AXIS, KINDS, NAMES
from biasprint.core.prompts.definitions import Draft, completed
from biasprint.core.prompts.library import Definition
from biasprint.desktop import theme
from biasprint.desktop.dialogs.question import Question
from biasprint.desktop.operations import Operation
from biasprint.desktop.operations import prompts as operations
from biasprint.desktop.operations.prompts import OwnSeen
from biasprint.desktop.panels.prompts.own.entries import OwnEntry
from biasprint.desktop.shell import Shell
from biasprint.desktop.tables.grid import GridEdit
from biasprint.desktop.widgets import Label, PrimaryButton, QuietButton, tr
from biasprint.desktop.widgets.choice import ComboBox, fill
from biasprint.desktop.widgets.layout import fitting
from biasprint.desktop.widgets.safe_text import safe_line, safe_tip

# ---- Questions before keeping

WIDTH, HEIGHT = 520, 380


class ChoiceDialog(QDialog):
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
        super().__init__(parent)
        self.setWindowTitle(tr(title))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._why_not = why_not
        self.boxes = [_box(name, words) for name, words in choices]
        self.trouble = Label("", "problem", wrap=True)
        self.go, self.cancel = PrimaryButton(go), QuietButton(tr("Cancel"))
        self.go.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.reject)
        self.accepted.connect(lambda: chosen(*self._keys()))
        tokens = theme.current()
        box = QVBoxLayout(self)
        box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        box.setSpacing(tokens.grid)
        box.addWidget(Label(title, "title", wrap=True))
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


class PasteDialog(QDialog):
    """A table with a name in each row; `taken` gets its rows. It never blocks."""

    def __init__(self, parent: QWidget, taken: Callable[[list[list[str]]], object]) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Names from a table"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.table = GridEdit(tr("Names, one in each row"), NAMES_EXAMPLE)
        self.go, self.cancel = PrimaryButton(tr("Take them")), QuietButton(tr("Cancel"))
        self.go.clicked.connect(self.accept)
        self.cancel.clicked.connect(self.reject)
        self.accepted.connect(lambda: taken(self.table.rows()))
        self.table.changed.connect(self._allow)
        words = tr(
            "Paste cells of a spreadsheet. The first row names the columns: “name”, an axis or two such as “race” and "
            "“gender”, and perhaps “source”. Every other row is a name."
        )
        tokens = theme.current()
        box = QVBoxLayout(self)
        box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        box.setSpacing(tokens.grid)
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
    row = QHBoxLayout()
    row.addStretch(1)
    for button in buttons:
        row.addWidget(button)
    return row


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
        start = f"{KINDS[kind].folder}-{tr('example')}.{suffix}"
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
