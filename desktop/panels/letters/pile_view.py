"""A pile as a table, and what its groups differ in. Of jobs and files it knows nothing."""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from core.documents.pile.values import Column, GroupTest, Pile, PileRow
from desktop.models.letter_pile_rows import COLUMNS, FIGURES, export_columns, export_row, note, summary
from desktop.models.letter_pile_table import PileTable
from desktop.panels.letters.pile_bar import PileBar
from desktop.panels.letters.pile_list import PileList
from desktop.panels.letters.pile_tests import PileTests
from desktop.widgets import Card, Label, LinkButton, number, tr
from desktop.widgets.safe_text import safe_line

LETTERS, GROUPS = range(2)
WITHOUT_FIGURES = tuple(name for name in COLUMNS if name not in ("file", "note"))
COMPARE_MILLISECONDS = 500  # after the last row was set right
COUNT_MILLISECONDS = 300  # between two counts while rows come


class PileView(QWidget):
    """`add_rows` while a pile is read, `finish` at its end. `tests_wanted` asks to compare the rows as they stand."""

    opened = Signal(object)  # PileRow
    tests_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.columns: tuple[Column, ...] = ()
        self.table = PileTable(self)
        self.list, self.bar, self.tests = PileList(self.table), PileBar(), PileTests()
        self.tabs, self.pages = QTabBar(), QStackedWidget()
        self.said, self.nothing = Label("", "note", wrap=True), Label("", "soft", wrap=True)
        self.note = Label("", "", wrap=True)
        self.note.setAccessibleName(tr("The chosen file's note"))
        self.everything = LinkButton(tr("Show all"))
        self._passed_over = 0
        self._finished = self._unsupported = False
        self._compare = QTimer(self, singleShot=True, interval=COMPARE_MILLISECONDS)
        self._count = QTimer(self, singleShot=True, interval=COUNT_MILLISECONDS)
        self._lay_out()
        self._connect()
        self.forget()

    # the rows

    def start(self, groups: Mapping[str, str], stand_ins: frozenset[str]) -> None:
        """A pile begins: what groups are called, and which figures a stand-in scorer makes."""
        self.table.start(groups, stand_ins)
        self._offer()

    def add_rows(self, rows: Sequence[PileRow]) -> None:
        self.table.add(rows)
        if not self._unsupported and any("unsupported" in row.figures for row in rows):
            self._unsupported = True
            self._show_columns()
        if not self._count.isActive():
            self._count.start()

    def finish(self, pile: Pile | None) -> None:
        """Every row is there; None where the reading was cancelled: what came by then is kept and compared."""
        self._finished = True
        self._passed_over = pile.passed_over if pile is not None else 0
        there = {name for row in self.table.rows for name in row.figures}
        self.columns = pile.columns if pile is not None and pile.columns else tuple(
            column for column in FIGURES if column.name in there
        )  # fmt: skip
        self._show_counts()
        self._ask_for_tests()

    def show_tests(self, tests: Sequence[GroupTest]) -> None:
        self.tests.show_tests(tests, self.table.labels, self.table.stand_ins)

    def forget(self) -> None:
        """Let go of every row."""
        for timer in (self._compare, self._count):
            timer.stop()
        self.columns, self._passed_over, self._finished, self._unsupported = (), 0, False, False
        self.table.clear()
        self.bar.clear()
        self._show_columns()
        self._show_note(None)
        self.tests.show_waiting(tr("The groups are compared when every letter has been read."))
        self.tabs.setCurrentIndex(LETTERS)
        self._show_counts()

    @property
    def rows(self) -> tuple[PileRow, ...]:
        """All rows as they stand, whatever is shown of them."""
        return tuple(self.table.rows)

    def export(self) -> tuple[list[dict[str, Any]], list[str]]:
        """The rows that are shown, in their order, with every figure; and the names of the columns."""
        stand_ins = self.table.stand_ins
        rows = [export_row(row, self.columns, stand_ins, self.table.by_hand(row)) for row in self.table.shown]
        return rows, export_columns(self.columns, stand_ins)

    # inside

    def _edited(self) -> None:
        self._show_counts()
        if self._finished:
            self._ask_for_tests()

    def _ask_for_tests(self) -> None:
        if not any(row.read for row in self.table.rows):
            self.tests.show_waiting(tr("No letter was read, so that there is nothing to compare."))
            return
        self.tests.show_waiting(tr("Comparing the groups…"))
        self._compare.start()

    def _filter(self) -> None:
        self.table.show(self.bar.where())
        self._show_columns()
        self._show_counts()

    def _show_columns(self) -> None:
        """Files that were not read have a reason and nothing else, which then has all the room."""
        without = () if self._unsupported else ("unsupported",)
        self.list.show_columns(WITHOUT_FIGURES if self.bar.where().only_bad else without)

    def _show_note(self, row: PileRow | None) -> None:
        """What stands in the last column of the chosen row, in full."""
        said = note(row) if row is not None else ""
        self.note.setText(safe_line(said))
        self.note.setVisible(bool(said))

    def _offer(self) -> None:
        self.bar.offer(self.table.occupations(), self.table.labels)

    def _show_counts(self) -> None:
        self._offer()
        rows, shown = self.table.rows, self.table.shown
        self.tabs.setTabText(LETTERS, tr("Letters {n}").format(n=number(len(rows))) if rows else tr("Letters"))
        said = summary(rows, self._passed_over) if rows else ""
        hidden = len(rows) - len(shown)
        if hidden:
            said += " · " + tr("{n} not shown").format(n=number(hidden))
        guesses = tr("“?” marks a guess: F2 sets it right.") if any(row.read for row in rows) else ""
        self.said.setText(f"{said}. {guesses}" if said else "")
        self.nothing.setText(tr("No row is like that.") if rows and not shown else "")
        for widget in (self.nothing, self.everything):
            widget.setVisible(bool(rows) and not shown)

    def _lay_out(self) -> None:
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(tr("Views of the pile"))
        for words in (tr("Letters"), tr("Group differences")):
            self.tabs.addTab(words)
        card = Card()
        card.set_padding(8)
        card.box.addWidget(self.list, 1)
        empty = QHBoxLayout()
        empty.addWidget(self.nothing)
        empty.addWidget(self.everything)
        empty.addStretch(1)
        letters = QWidget()
        letters.setProperty("role", "clear")
        box = QVBoxLayout(letters)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addWidget(self.bar)
        box.addLayout(empty)
        box.addWidget(card, 1)
        box.addWidget(self.note)
        box.addWidget(self.said)
        self.pages.addWidget(letters)
        self.pages.addWidget(self.tests)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.tabs)
        column.addWidget(self.pages, 1)

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self.pages.setCurrentIndex)
        self.bar.changed.connect(self._filter)
        self.everything.clicked.connect(self.bar.clear)
        self.list.opened.connect(self.opened)
        self.list.current_changed.connect(self._show_note)
        self.table.edited.connect(self._edited)
        self._compare.timeout.connect(self.tests_wanted)
        self._count.timeout.connect(self._show_counts)
