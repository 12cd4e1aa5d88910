"""The house list in a dialog: what is never marked, and always, with a reason; added to, imported, exported."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QFileDialog, QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from biasprint.core.errors import AppError
from biasprint.desktop import theme
from biasprint.desktop.operations import Operation, house
from biasprint.desktop.operations.house import House
from biasprint.desktop.shell import Shell
from biasprint.desktop.tables.rows import TableColumn, TableRow, TextTable
from biasprint.desktop.widgets import Label, Notice, PrimaryButton, QuietButton, plural, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.labels import show_if
from biasprint.desktop.widgets.layout import fitting
from biasprint.desktop.widgets.safe_text import safe_line

if TYPE_CHECKING:
    from biasprint.core.letters.house import HouseEntry

WIDTH, HEIGHT = 680, 560
LONGEST_WORDS, LONGEST_REASON = 80, 300
MOST_TOLD = 4  # sentences about one step


class HouseDialog(QDialog):
    """Every step is kept at once. `changed`: marks may be others now."""

    changed = Signal()

    def __init__(self, parent: QWidget, shell: Shell, words: str = "", category: str = "") -> None:
        super().__init__(parent)
        self._shell, self._wanted, self._left = shell, category, False
        self._entries: tuple[HouseEntry, ...] = ()
        self._changed = False
        self.setWindowTitle(tr("House list"))
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.words, self.reason = QLineEdit(safe_line(words)[:LONGEST_WORDS]), QLineEdit()
        self.words.setMaxLength(LONGEST_WORDS)
        self.reason.setMaxLength(LONGEST_REASON)
        self.words.setPlaceholderText(tr("a word or a phrase; * is any ending"))
        self.reason.setPlaceholderText(tr("why, for whoever reads the mark or the list"))
        self.what, self.category = ComboBox(), ComboBox()
        self.what.addItem(tr("Never mark"), "ignore")
        self.what.addItem(tr("Always mark"), "mark")
        self.add = PrimaryButton(tr("Add"))
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
        self.remove, self.bring = QuietButton(tr("Remove")), QuietButton(tr("Import…"))
        self.send, self.close_button = QuietButton(tr("Export…")), QuietButton(tr("Close"))
        self._lay_out()
        self._connect()
        self._allow()
        self._run(house.see_house_list(), told_only=True)

    def take_file(self, path: Path) -> None:
        """Import this file."""
        self._run(house.import_house_list(path))

    # steps

    def _add(self) -> None:
        given = {"words": self.words.text(), "reason": self.reason.text()}
        self._run(
            house.add_to_house_list(what=self.what.currentData(), category=self.category.currentData() or "", **given),
            added=True,
        )

    def _remove(self) -> None:
        entry = self._entry()
        if entry is not None:
            self._run(house.take_from_house_list(entry))

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
            house.export_house_list(path).start(self._shell.jobs, on_error=self._refused)

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
        said = {"ignore": tr("never"), "mark": tr("always")}
        self.table.show_rows(
            [
                TableRow(
                    str(place),
                    (
                        safe_line(one.words),
                        said[one.what],
                        seen.titles.get(one.category or "", tr("all")),
                        safe_line(one.reason),
                    ),
                )
                for place, one in enumerate(self._entries)
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

    def _connect(self) -> None:
        self.words.textChanged.connect(lambda _: self._allow())
        for box in (self.what, self.category):
            box.currentIndexChanged.connect(lambda _: self._allow())
        self.table.chosen.connect(lambda _: self._allow())
        for button, step in (
            (self.add, self._add),
            (self.remove, self._remove),
            (self.bring, self._import),
            (self.send, self._export),
            (self.close_button, self.accept),
        ):
            button.clicked.connect(lambda _=False, step=step: step())

    def _lay_out(self) -> None:
        tokens = theme.current()
        about = Label(
            tr("Words that are never marked, or always, in every letter and pile on this computer."), "soft", wrap=True
        )
        grid = QGridLayout()
        grid.setHorizontalSpacing(tokens.gap)
        grid.setVerticalSpacing(tokens.grid)
        grid.setColumnStretch(1, 1)
        fields = (
            (tr("Words"), self.words),
            (tr("What"), self.what),
            (tr("Category"), self.category),
            (tr("Reason"), self.reason),
        )
        for row, (title, field) in enumerate(fields):
            label = Label(title)
            label.setBuddy(field)
            field.setAccessibleName(title)
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
        grid.addWidget(self.add, len(fields), 1, Qt.AlignmentFlag.AlignRight)
        buttons = QHBoxLayout()
        buttons.setSpacing(tokens.grid)
        for button in (self.remove, self.bring, self.send):
            buttons.addWidget(button)
        buttons.addStretch(1)
        buttons.addWidget(self.close_button)
        box = QVBoxLayout(self)
        box.setContentsMargins(tokens.margin, tokens.margin, tokens.margin, tokens.margin)
        box.setSpacing(tokens.gap)
        box.addWidget(about)
        box.addLayout(grid)
        box.addWidget(self.trouble)
        box.addWidget(self.told)
        box.addWidget(self.none)
        box.addWidget(self.table, 1)
        box.addLayout(buttons)
        self.resize(fitting(self.parentWidget(), WIDTH, HEIGHT))
