"""The house list in a dialog: what is never or always marked, with a reason; edited, imported, exported."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import RLock

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from biasprint.core.errors import AppError, UsageError
from biasprint.core.jobs import JobContext
from biasprint.core.letters import mark_categories
from biasprint.core.letters.request import HouseEntry, HouseList, entry, house_list, keep, read_list, write_list
from biasprint.desktop import theme
from biasprint.desktop.operations import Operation, operation, saved_as
from biasprint.desktop.shell import Shell
from biasprint.desktop.widgets import Label, Notice, PrimaryButton, QuietButton, plural, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.labels import form_of, show_if
from biasprint.desktop.widgets.layout import STRETCH, Dialog, add_to, fitting, in_column, in_row
from biasprint.desktop.widgets.safe_text import as_given, safe_line
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTable

# ---- The jobs that change the list

_keeping = RLock()  # two steps at once would lose what one of them changed


@dataclass(frozen=True)
class House:
    """The current list. `titles`: category → its title; `told`: remarks on the last step."""

    found: "HouseList"
    titles: Mapping[str, str]
    told: tuple[str, ...] = ()


@operation("Reading the house list", quiet=True)
def see_house_list(ctx: JobContext) -> House:
    """Read the list of this computer, with each line of its file that could not be used."""
    read = house_list()
    return _house(read.found, read.left_out)


@operation("Keeping the house list", quiet=True)
def add_to_house_list(ctx: JobContext, *, words: str, what: str, category: str, reason: str) -> House:
    """Add an entry, replacing one with the same words and category."""
    try:
        made = entry(words, what, category, reason)
    except UsageError as error:
        raise UsageError(tr("That cannot be added: {why}.").format(why=error.message)) from error
    return _changed(lambda entries: [*(other for other in entries if not _same(other, made)), made])


@operation("Keeping the house list", quiet=True)
def take_from_house_list(ctx: JobContext, gone: "HouseEntry") -> House:
    """Remove an entry."""
    return _changed(lambda entries: [entry for entry in entries if not _same(entry, gone)])


@operation("Importing a house list", quiet=True)
def import_house_list(ctx: JobContext, path: Path) -> House:
    """Add the entries of a file; where both have one for the same words, the file's is used."""
    read = read_list(path)
    given = read.found.entries
    with _keeping:
        before = house_list().found.entries
        new = [entry for entry in given if entry not in before]
        return _changed(
            lambda entries: [*(entry for entry in entries if not any(_same(entry, other) for other in new)), *new],
            (*_imported(len(new), len(given) - len(new)), *read.left_out),
        )


def _imported(new: int, there: int) -> tuple[str, ...]:
    remarks = [plural(new, "1 entry was imported.", "%n entries were imported.")] if new else []
    if there:
        remarks.append(plural(there, "1 entry was on the list already.", "%n entries were on the list already."))
    return tuple(remarks) or (tr("The file has no entries."),)


@operation("Exporting the house list", saved_as)
def export_house_list(ctx: JobContext, path: Path) -> Path:
    """Write the list to a file that others can import."""
    write_list(path, house_list().found)
    return path


def _changed(change: "Callable[[tuple[HouseEntry, ...]], list[HouseEntry]]", told: tuple[str, ...] = ()) -> House:
    with _keeping:
        edited = HouseList(tuple(change(house_list().found.entries)))
        keep(edited)
    return _house(edited, told)


def _house(found: "HouseList", told: tuple[str, ...]) -> House:
    return House(found, {category.key: category.title for category in mark_categories()}, told)


def _same(one: "HouseEntry", other: "HouseEntry") -> bool:
    return (one.words, one.category) == (other.words, other.category)


WIDTH, HEIGHT = 680, 560
LONGEST_WORDS, LONGEST_REASON = 80, 300
MOST_TOLD = 4  # sentences about one step


class HouseDialog(Dialog):
    """The dialog of the list, which saves every step at once. `changed`: marks may differ now."""

    changed = Signal()

    def __init__(self, parent: QWidget, shell: Shell, words: str = "", category: str = "") -> None:
        super().__init__(parent, tr("House list"))
        self._shell, self._wanted, self._left = shell, category, False
        self._entries: tuple[HouseEntry, ...] = ()
        self._changed = False
        self.words, self.reason = QLineEdit(safe_line(words)[:LONGEST_WORDS], maxLength=LONGEST_WORDS), QLineEdit()
        self.reason.setMaxLength(LONGEST_REASON)
        self.words.setPlaceholderText(tr("a word or a phrase; * is any ending"))
        self.reason.setPlaceholderText(tr("why, for whoever reads the mark or the list"))
        self.what, self.category = ComboBox(), ComboBox()
        self.what.addItem(tr("Never mark"), "ignore")
        self.what.addItem(tr("Always mark"), "mark")
        self.add = PrimaryButton(tr("Add"), act=self._add)
        self.table = TextTable(
            tr("House list"),
            [
                TableColumn(tr("Words"), 150),
                TableColumn(tr("Marked"), 80),
                TableColumn(tr("Category"), 120),
                TableColumn(tr("Reason")),
            ],
            keep=(0, 1, 2, 3),
        )
        self.none = Label(tr("Nothing is on the list yet."), "soft", wrap=True)
        self.told, self.trouble = Notice("", closable=False), Notice("", tone="danger", closable=False)
        self.told.hide()
        self.trouble.hide()
        self.remove = QuietButton(tr("Remove"), act=self._remove)
        self.bring, self.send = (
            QuietButton(tr("Import…"), act=self._import),
            QuietButton(tr("Export…"), act=self._export),
        )
        self.close_button = QuietButton(tr("Close"), act=self.accept)
        self._lay_out()
        self.words.textChanged.connect(lambda _: self._allow())
        for box in (self.what, self.category):
            box.currentIndexChanged.connect(lambda _: self._allow())
        self.table.chosen.connect(lambda _: self._allow())
        self._allow()
        self._run(see_house_list(), told_only=True)

    def take_file(self, path: Path) -> None:
        """Import this file."""
        self._run(import_house_list(path))

    # steps

    def _add(self) -> None:
        given = {"words": self.words.text(), "reason": self.reason.text()}
        self._run(
            add_to_house_list(what=self.what.currentData(), category=self.category.currentData() or "", **given),
            added=True,
        )

    def _remove(self) -> None:
        entry = self._entry()
        if entry is not None:
            self._run(take_from_house_list(entry))

    def _import(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, tr("Import a house list"), "", tr("House list (*.csv)"))
        if name:
            self.take_file(Path(name))

    def _export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self, tr("Export the house list"), tr("house-list.csv"), tr("House list (*.csv)")
        )
        if name:
            path = Path(name) if Path(name).suffix else Path(f"{name}.csv")
            export_house_list(path).start(self._shell.jobs, on_error=self._refused)

    def _run(self, step: Operation[House], *, told_only: bool = False, added: bool = False) -> None:
        def done(seen: House) -> None:
            if not told_only:
                self.changed.emit()
            if self._left or (told_only and self._changed):  # the first look came late: more is shown already
                return
            self._changed = not told_only
            self._show(seen)
            if added:
                self.words.clear()
                self.reason.clear()
                self.words.setFocus()

        step.start(self._shell.jobs, on_done=done, on_error=self._refused)

    # what is seen

    def _show(self, seen: House) -> None:
        self._entries = seen.found.entries
        if not self.category.count():
            self.category.addItem(tr("all categories"), "")
            for key, title in seen.titles.items():
                self.category.addItem(title, key)
            self.category.setCurrentIndex(max(0, self.category.findData(self._wanted)))
        kinds = {"ignore": tr("never"), "mark": tr("always")}
        self.table.show_rows(
            [
                TableRow(
                    str(place),
                    (
                        as_given(entry.words),
                        kinds[entry.what],
                        seen.titles.get(entry.category or "", tr("all")),
                        as_given(entry.reason),
                    ),
                )
                for place, entry in enumerate(self._entries)
            ]
        )
        more = plural(len(seen.told) - MOST_TOLD, "1 more line was left out.", "%n more lines were left out.")
        self.told.tell((*seen.told[:MOST_TOLD], *([more] if len(seen.told) > MOST_TOLD else [])))
        show_if(self.trouble, False)
        self._allow()

    def _refused(self, error: AppError) -> None:
        if not self._left:
            show_if(self.told, False)
            self.trouble.tell([part for part in (error.message, error.kept, error.hint) if part])

    def _entry(self) -> "HouseEntry | None":
        key = self.table.current_key
        return self._entries[int(key)] if key else None

    def _allow(self) -> None:
        always = self.what.currentData() == "mark"
        named = bool(self.words.text().strip())
        self.add.setEnabled(named and not (always and not self.category.currentData()) and self.category.count() > 0)
        self.add.setToolTip(tr("Say for which category") if always and not self.category.currentData() else "")
        self.remove.setEnabled(self._entry() is not None)
        self.send.setEnabled(bool(self._entries))
        show_if(self.none, not self._entries)
        show_if(self.table, bool(self._entries))

    def done(self, result: int) -> None:
        self._left = True
        super().done(result)

    def _lay_out(self) -> None:
        tokens = theme.current()
        about = Label(
            tr("Words that are never marked, or always, in every letter and pile on this computer."), "soft", wrap=True
        )
        grid = form_of(
            (tr("Words"), self.words),
            (tr("What"), self.what),
            (tr("Category"), self.category),
            (tr("Reason"), self.reason),
        )
        grid.addWidget(self.add, grid.rowCount(), 1, Qt.AlignmentFlag.AlignRight)
        buttons = in_row(self.remove, self.bring, self.send, STRETCH, self.close_button, spacing=tokens.grid)
        box = in_column(
            about, grid, self.trouble, self.told, self.none, inside=self, spacing=tokens.gap, margins=tokens.margin
        )
        add_to(box, (self.table, 1), buttons)
        self.resize(fitting(self.parentWidget(), WIDTH, HEIGHT))
