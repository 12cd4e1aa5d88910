"""A pile as a table with its filter, the differences between its groups, and who was chosen."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QCheckBox, QLineEdit, QStackedWidget, QTabBar, QWidget

from biasprint.core.draw import digits
from biasprint.core.letters.pile import LOOK_KINDS, Pile, PileColumn, PileRow
from biasprint.core.letters.pile.compare import GroupTest, enough, few_said, headline
from biasprint.core.letters.pile.outcomes import (
    LIMITS_OF_RATES,
    GroupRate,
    SelectionRates,
    rate_written,
    rates_said,
    ratio_written,
    without_said,
)
from biasprint.desktop import theme
from biasprint.desktop.panels.letters.pile.rows import (
    ANYTHING,
    COLUMNS,
    FIGURES,
    NO_GROUP,
    PileFilter,
    export_columns,
    export_row,
    kind_title,
    look_said,
    note,
    summary,
)
from biasprint.desktop.panels.letters.pile.table import PileList, PileTable, column_title
from biasprint.desktop.widgets import Card, FlowLayout, Label, LinkButton, QuietButton, StandInBadge, number, plural, tr
from biasprint.desktop.widgets.choice import ComboBox
from biasprint.desktop.widgets.events import guard_wheel
from biasprint.desktop.widgets.labels import named, show_words
from biasprint.desktop.widgets.layout import STRETCH, Sheet, add_to, column_of, in_column, in_row
from biasprint.desktop.widgets.safe_text import as_given, safe_line, safe_tip
from biasprint.desktop.widgets.small_table import TableColumn, TableRow, TextTable

# ---- Who was chosen


class PileRates(Card):
    """The selection rates: `show_rates` with None asks for outcomes. `table_wanted` asks for a table of them."""

    table_wanted = Signal()

    def __init__(self) -> None:
        super().__init__(padding=20)
        self.heading = Label(tr("Who was chosen?"), "heading", wrap=True)
        self.said, self.without = Label("", "strong", wrap=True), Label("", "soft", wrap=True)
        self.remarks = Label("", "soft", wrap=True)
        self.add = QuietButton(tr("Outcomes from a table…"), icon="folder", act=self.table_wanted)
        columns = (
            TableColumn(tr("Group"), 120),
            TableColumn(tr("Chosen"), 104, help=tr("Candidates: letters about one person count once")),
            TableColumn(tr("Rate (95 % interval)"), 152, help=tr("Chosen, of those whose outcome is known; Wilson")),
            TableColumn(
                tr("Ratio to the highest rate (95 % interval)"),
                help=tr("This rate over the highest one: the impact ratio; score interval of Miettinen and Nurminen"),
            ),
        )
        self.table = TextTable(
            tr("Who was chosen, by group"), columns, keep=(0, 3, 2, 1), fold=(1,), wrap=True, tall=True
        )
        self.limits = Label(LIMITS_OF_RATES, "note", wrap=True)
        for widget in (self.heading, self.said, self.table, self.without, self.remarks, self.limits):
            self.box.addWidget(widget)
        self.box.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)
        self.setAccessibleName(self.heading.text())
        self.show_rates(None, {})
        self.show_remarks(())

    def show_rates(self, found: SelectionRates | None, labels: Mapping[str, str]) -> None:
        """Show the rates of every group, or how to supply outcomes."""
        asked = tr(
            "Choose a table that says who was invited, hired, or whatever you decide on: a column “file” or “name”, "
            "and “outcome” with yes or no; “group” where you know it. Or set outcomes in the list, with the right "
            "button."
        )
        self.said.setText(safe_line(rates_said(found, labels)) if found is not None else asked)
        self.table.show_rows([] if found is None else [_chosen_row(rate, labels) for rate in found.rates])
        show_words(self.without, without_said(found) if found is not None else "")
        self.table.setVisible(found is not None and bool(found.rates))
        self.limits.setVisible(found is not None)

    def show_remarks(self, remarks: Sequence[str]) -> None:
        """Show which parts of the table could not be used."""
        self.remarks.setText("\n".join(safe_line(remark) for remark in remarks[:MOST_REMARKS]))
        more = len(remarks) - MOST_REMARKS
        if more > 0:
            self.remarks.setText(f"{self.remarks.text()}\n{tr('And {n} more.').format(n=number(more))}")
        self.remarks.setVisible(bool(remarks))


MOST_REMARKS = 4


def _chosen_row(one: GroupRate, labels: Mapping[str, str]) -> TableRow:
    rate, of_rate = rate_written(one)
    ratio, of_ratio = ratio_written(one)
    counts = tr("{chosen} of {n}").format(chosen=number(one.chosen), n=number(one.n))
    beside = f"{ratio} ({of_ratio})" if ratio else "–"
    return TableRow(one.group, (labels.get(one.group, one.group), counts, f"{rate} ({of_rate})", beside))


PAUSE_MILLISECONDS = 150  # without a key before the table is narrowed


class PileBar(QWidget):
    """The bar of filters: `changed` when the filter `where` was changed."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.text, self.occupation, self.group = QLineEdit(clearButtonEnabled=True), ComboBox(), ComboBox()
        self.only_bad = QCheckBox(tr("Only files that were not read"))
        self.text.setPlaceholderText(tr("Find a file, name or note"))
        self.text.setMaxLength(200)
        for field, name in (
            (self.text, tr("Find a file, name or note")),
            (self.occupation, tr("Occupation")),
            (self.group, tr("Group")),
        ):
            field.setAccessibleName(tr(name))
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MILLISECONDS)
        self._pause.timeout.connect(self.changed)
        self.text.textChanged.connect(lambda _: self._pause.start())
        flow = FlowLayout(inside=self, spacing=8, centred=True)
        self.look = named(ComboBox(), tr("What there is to look at"))
        for widget in (self.text, self.occupation, self.group, self.look, self.only_bad):
            flow.addWidget(widget)
        for box in (self.occupation, self.group, self.look):
            guard_wheel(box)
            box.setSizeAdjustPolicy(ComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            box.setMinimumContentsLength(11)
            box.currentIndexChanged.connect(lambda _: self.changed.emit())
        self.only_bad.toggled.connect(lambda _: self.changed.emit())
        self.offer((), {}, ())
        theme.follow(self._dress)

    def where(self) -> PileFilter:
        """Return the current filter."""
        return PileFilter(
            self.text.text().strip(),
            self.occupation.currentData() or "",
            self.group.currentData() or "",
            self.only_bad.isChecked(),
            self.look.currentData() or "",
        )

    def offer(self, occupations: Sequence[str], groups: Mapping[str, str], kinds: Collection[str]) -> None:
        """Offer these occupations, groups and kinds to look at, and keep the current choices."""
        every = [(tr("All occupations"), ""), *((as_given(occupation), occupation) for occupation in occupations)]
        _fill(self.occupation, every)
        named = [(safe_line(label), key) for key, label in groups.items()]
        _fill(self.group, [(tr("All groups"), ""), *named, (tr("Group not known"), NO_GROUP)])
        known = [(kind_title(kind).capitalize(), kind) for kind in LOOK_KINDS if kind in kinds]
        _fill(self.look, [(tr("All letters"), ""), (tr("Something to look at"), ANYTHING), *known])

    def clear(self) -> None:
        """Clear the filters."""
        with QSignalBlocker(self.text), QSignalBlocker(self.only_bad):
            self.text.clear()
            self.only_bad.setChecked(False)
        self._pause.stop()
        for box in (self.occupation, self.group, self.look):
            box.setCurrentIndex(0)
        self.changed.emit()

    def _dress(self, _tokens: object = None) -> None:
        self.text.setFixedWidth(theme.current().px(232))


def _fill(box: ComboBox, items: Sequence[tuple[str, str]]) -> None:
    if [(box.itemText(place), box.itemData(place)) for place in range(box.count())] == list(items):
        return
    before = box.currentData()
    with QSignalBlocker(box):
        box.clear()
        for words, key in items:
            box.addItem(words, key)
        box.setCurrentIndex(max(0, box.findData(before)))


# ---- Differences between the groups


LEAST_HEIGHT = 180


class _Differences(TextTable):
    """The table of differences. It is as tall as there is room and scrolls itself; its page only in a low window."""

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.minimumHeight())


class PileTests(Card):
    """The comparison of groups: `show_tests` shows it; before that, the page says what is missing."""

    def __init__(self) -> None:
        super().__init__(padding=20)
        self.heading = Label(tr("Do the groups differ?"), "heading", wrap=True)
        self.said = Label("", "strong", wrap=True)
        self.pairs, self.few = Label("", "soft", wrap=True), Label("", "soft", wrap=True)
        self.badge = StandInBadge("")
        columns = (
            TableColumn(tr("Figure"), 128),
            TableColumn(
                tr("Difference (95 % interval)"), 188, help=tr("Mean of the first group minus that of the second")
            ),
            TableColumn(tr("Candidates"), 116, help=tr("Letters about one person count once")),
            TableColumn(tr("Adjusted p"), 92, help=tr("After allowing for the other figures (Holm)")),
            TableColumn(tr("What it says")),
        )
        self.table = _Differences(
            tr("Differences between the groups"), columns, keep=(0, 4, 1, 2, 3), fold=(2, 3), wrap=True
        )
        limits = tr("A difference in a pile does not say where it is from: candidates, writers and posts differ too.")
        self.limits = Label(limits, "note", wrap=True)
        for widget in (self.heading, self.said, self.pairs, self.table, self.few, self.limits):
            self.box.addWidget(widget, int(widget is self.table))
        self.box.insertWidget(3, self.badge, 0, Qt.AlignmentFlag.AlignLeft)
        self.box.addStretch(0)
        self.setAccessibleName(self.heading.text())
        theme.follow(self._dress)
        self.show_waiting("")

    def show_waiting(self, why: str) -> None:
        """Show why nothing is compared yet."""
        show_words(self.said, why)
        for widget in (self.pairs, self.table, self.few, self.limits, self.badge):
            widget.hide()

    def show_tests(self, tests: Sequence[GroupTest], labels: Mapping[str, str], stand_ins: frozenset[str]) -> None:
        """Show each figure with enough letters, for every two groups; of the others one sentence."""
        if not tests:
            missing = tr("There are not two groups with letters: set the group of rows, with F2 or the right button.")
            self.show_waiting(missing)
            return
        self.show_waiting(safe_line(headline(tests, labels)))
        shown, several = enough(tests), len({test.groups for test in tests}) > 1
        show_words(self.few, safe_line(few_said(tests, labels)))
        if not shown:
            return
        self.pairs.setText(_pairs_said(shown, labels))
        self.table.show_rows(
            [_row(place, test, labels, several, test.name in stand_ins) for place, test in enumerate(shown)]
        )
        for widget in (self.pairs, self.table, self.limits):
            widget.show()
        stood_in = sorted({safe_line(test.title) for test in shown if test.name in stand_ins})
        self.badge.setText(tr("stand-in: {figures}").format(figures=", ".join(stood_in)))
        self.badge.setVisible(bool(stood_in))

    def _dress(self, _tokens: object = None) -> None:
        self.table.setMinimumHeight(theme.current().px(LEAST_HEIGHT))


def _pairs_said(tests: Sequence[GroupTest], labels: Mapping[str, str]) -> str:
    """Say which groups are compared, and in which direction."""
    pairs = dict.fromkeys(test.groups for test in tests)
    differences = [tr("{one} minus {other}").format(one=labels.get(a, a), other=labels.get(b, b)) for a, b in pairs]
    return safe_line(tr("Each difference is {pairs}.").format(pairs="; ".join(differences)))


def _row(place: int, test: GroupTest, labels: Mapping[str, str], several: bool, stands_in: bool) -> TableRow:
    first, second = (labels.get(group, group) for group in test.groups)
    title = tr(test.title)
    if several:
        title += "\n" + tr("{one} minus {other}").format(one=first, other=second)
    if stands_in:
        title += "\n" + tr("stand-in")
    counts = "n = " + " + ".join(number(test.n_by_group[group]) for group in test.groups)
    if test.missing:
        counts += "\n" + tr("{n} without").format(n=number(test.missing))
    sentence = test.said
    for group in test.groups:
        sentence = sentence.replace(f"“{group}”", f"“{labels.get(group, group)}”")
    return TableRow(f"{place}", (title, difference_said(test), counts, p_said(test), sentence))


def difference_said(test: GroupTest) -> str:
    """Format the difference with its interval, in points for a share; a dash if there is none."""
    if test.estimate is None:
        return "–"
    share = test.unit.startswith("share")
    by = 100 if share else 1
    decimals = 0 if share or test.unit == "words" else 1
    unit = tr(" points") if share else f" {tr(test.unit)}"
    estimate = _signed(by * test.estimate, decimals) + unit
    if test.interval is None:
        return estimate
    low, high = (_signed(by * bound, decimals) for bound in (test.interval.low, test.interval.high))
    return tr("{said}\n({low} to {high})").format(said=estimate, low=low, high=high)


def p_said(test: GroupTest) -> str:
    """Format the adjusted p; a dash if there is none."""
    return "–" if test.p_adjusted is None else digits.p_value(test.p_adjusted)


def _signed(value: float, decimals: int) -> str:
    rounded = round(value, decimals)
    return f"{'+' if rounded > 0 else '−' if rounded < 0 else ''}{number(abs(rounded), decimals)}"


LETTERS, GROUPS, CHOSEN = range(3)
WITHOUT_FIGURES = tuple(name for name in COLUMNS if name not in ("file", "note"))
SOMETIMES = ("unsupported", "cv", "outcome", "note")  # columns that most piles have nothing for
COMPARE_MILLISECONDS = 500  # after the last row was set right
COUNT_MILLISECONDS = 300  # between two counts while rows come


class PileView(QWidget):
    """The view of a pile: `add_rows` while it is read, `finish` at its end. `tests_wanted` asks to compare the rows."""

    opened = Signal(object)  # PileRow
    tests_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "clear")
        self.columns: tuple[PileColumn, ...] = ()
        self.table = PileTable(self)
        self.list, self.bar, self.tests, self.rates = PileList(self.table), PileBar(), PileTests(), PileRates()
        self.tabs, self.pages = QTabBar(), QStackedWidget()
        self.said, self.nothing = Label("", "note", wrap=True), Label("", "soft", wrap=True)
        self.note = Label("", "", wrap=True)
        self.everything = LinkButton(tr("Show all"))
        self._passed_over = 0
        self._remarks: tuple[str, ...] = ()
        self._finished = False
        self._compare = QTimer(self, singleShot=True, interval=COMPARE_MILLISECONDS)
        self._count = QTimer(self, singleShot=True, interval=COUNT_MILLISECONDS)
        self._lay_out()
        self._connect()
        self.forget()

    # the rows

    def start(self, groups: Mapping[str, str], stand_ins: frozenset[str]) -> None:
        """Begin a pile with the labels of its groups, and the figures that a stand-in scorer makes."""
        self.table.start(groups, stand_ins)
        self._offer()

    def add_rows(self, rows: Sequence[PileRow]) -> None:
        self.table.add(rows)
        self._show_columns(rows)
        if not self._count.isActive():
            self._count.start()

    def finish(self, pile: Pile | None) -> None:
        """End the reading; None if it was cancelled: the rows read so far are kept and compared."""
        self._finished, self._read = True, pile
        self._passed_over = pile.passed_over if pile is not None else 0
        self._remarks = pile.remarks if pile is not None else ()
        present = {name for row in self.table.rows for name in row.figures}
        self.columns = pile.columns if pile is not None and pile.columns else tuple(
            column for column in FIGURES if column.name in present
        )  # fmt: skip
        self._show_counts()
        self._ask_for_tests()

    def resume(self, pile: Pile, by_hand: Mapping[str, Collection[str]]) -> None:
        """Show a pile as it was left. `by_hand`: path of a row → its columns that a person set."""
        self.table.add(pile.rows)
        self.table.restore(by_hand)
        self._show_columns(pile.rows)
        self.finish(pile)

    def pile(self, name: str) -> Pile:
        """Return the pile with its current rows, including corrections by hand."""
        read = self._read or Pile("", ())
        return replace(read, name=name, rows=self.rows, columns=self.columns, remarks=self._remarks)

    def show_tests(self, tests: Sequence[GroupTest], rates: SelectionRates | None) -> None:
        self.compared = (tuple(tests), rates)
        self.tests.show_tests(tests, self.table.labels, self.table.stand_ins)
        self.rates.show_rates(rates, self.table.labels)

    def take_outcomes(self, rows: Sequence[PileRow], remarks: Sequence[str]) -> None:
        """Update the rows with the outcomes of a table, and show the remarks on the table."""
        self.rates.show_remarks(remarks)
        self.table.replace_rows(rows, by_hand=("outcome", "group"))

    def take_cvs(self, pile: Pile) -> None:
        """Update the rows that were read again, with a CV or without."""
        self._remarks = pile.remarks
        self.columns += tuple(column for column in pile.columns if column not in self.columns)
        self.table.replace_rows(pile.rows, by_hand=("cv",))

    def forget(self) -> None:
        """Drop every row."""
        for timer in (self._compare, self._count):
            timer.stop()
        self.columns, self._passed_over, self._finished, self._remarks = (), 0, False, ()
        self._there: set[str] = set()
        self._read: Pile | None = None  # None where the reading was cancelled
        self.compared: tuple[tuple[GroupTest, ...], SelectionRates | None] | None = None  # None while it is worked out
        self.rates.show_rates(None, {})
        self.rates.show_remarks(())
        self.table.clear()
        self.bar.clear()
        self._show_columns()
        self._show_note()
        self.tests.show_waiting(tr("The groups are compared when every letter has been read."))
        self.tabs.setCurrentIndex(LETTERS)
        self._show_counts()

    @property
    def rows(self) -> tuple[PileRow, ...]:
        """All current rows, independent of the filter."""
        return tuple(self.table.rows)

    def export(self) -> tuple[list[dict[str, Any]], list[str]]:
        """Return the rows that are shown, in their order, with every figure; and the names of the columns."""
        stand_ins = self.table.stand_ins
        rows = [export_row(row, self.columns, stand_ins, self.table.by_hand(row)) for row in self.table.shown]
        return rows, export_columns(self.columns, stand_ins)

    # inside

    def _edited(self) -> None:
        self._show_columns(self.table.rows)
        self._show_counts()
        if self._finished:
            self._ask_for_tests()

    def _ask_for_tests(self) -> None:
        self.compared = None
        if not any(row.read for row in self.table.rows):
            self.tests.show_waiting(tr("No letter was read, so that there is nothing to compare."))
            return
        self.tests.show_waiting(tr("Comparing the groups…"))
        self._compare.start()

    def _filter(self) -> None:
        self.table.show(self.bar.where())
        self._show_columns()
        self._show_counts()

    def _show_columns(self, more: Sequence[PileRow] = ()) -> None:
        """Show the columns that have values; for unread files only the reason, which then gets all the room.

        `more`: rows that were added.
        """
        if any("unsupported" in row.figures for row in more):
            self._there.add("unsupported")
        self._there |= {name for name in ("cv", "outcome") if any(getattr(row, name) is not None for row in more)}
        self._there |= {"note"} if any(map(note, more)) else set()
        without = tuple(name for name in SOMETIMES if name not in self._there)
        self.list.show_columns(WITHOUT_FIGURES if self.bar.where().only_bad else without)

    def _show_note(self) -> None:
        """Say in full what there is to look at in the highlighted letter, or what the rows are for."""
        chosen = self.list.chosen()
        if len(chosen) == 1:
            parts = [part for part in (look_said(chosen[0]), note(chosen[0])) if part] or [tr("Nothing to look at.")]
            text = tr("{file}: {what}").format(file=chosen[0].path_in_pile, what="  ".join(parts))
        elif chosen:
            text = plural(len(chosen), "", "%n letters chosen: the right button sets their group, outcome and CV.")
        else:
            text = tr("Enter opens a letter; the right button sets its group, outcome and CV.") if self.rows else ""
        self.note.setText(safe_line(text))

    def _offer(self) -> None:
        self.bar.offer(self.table.occupations(), self.table.labels, self.table.kinds)
        self.list.fit()

    def _show_counts(self) -> None:
        self._offer()
        self._show_note()
        rows, shown = self.table.rows, self.table.shown
        self.bar.only_bad.setVisible(self.bar.only_bad.isChecked() or any(not row.read for row in rows))
        self.tabs.setTabText(LETTERS, tr("Letters {n}").format(n=number(len(rows))) if rows else tr("Letters"))
        counts = summary(rows, self._passed_over) if rows else ""
        hidden = len(rows) - len(shown)
        if hidden:
            counts += " · " + tr("{n} not shown").format(n=number(hidden))
        guesses = tr("“?” marks a guess: F2 sets it right.") if any(row.read for row in rows) else ""
        remarks = safe_line(" ".join(self._remarks))
        left_out = self.list.left_out
        no_room = plural(
            len(left_out),
            "No room for 1 column, which the exported table has.",
            "No room for %n columns, which the exported table has.",
        )
        self.said.setToolTip(safe_tip(tr(", ".join(map(column_title, left_out)))))
        parts = (f"{counts}.", remarks, guesses, no_room if left_out else "")
        self.said.setText(" ".join(filter(None, parts)) if counts else "")
        self.nothing.setText(tr("No row is like that.") if rows and not shown else "")
        for widget in (self.nothing, self.everything):
            widget.setVisible(bool(rows) and not shown)

    def _lay_out(self) -> None:
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setAccessibleName(tr("Views of the pile"))
        for words in (tr("Letters"), tr("Group differences"), tr("Who was chosen")):
            self.tabs.addTab(words)
        card = Card("", (self.list, 1), padding=8)
        empty = in_row(self.nothing, self.everything, STRETCH)
        self.pages.addWidget(column_of(self.bar, empty, (card, 1), self.note, self.said, spacing=8))
        compared, chosen = Sheet(), Sheet()
        compared.box.addWidget(self.tests)
        self.pages.addWidget(compared)
        add_to(chosen.box, self.rates, STRETCH)
        self.pages.addWidget(chosen)
        in_column(self.tabs, (self.pages, 1), inside=self, spacing=8, margins=0)

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self.pages.setCurrentIndex)
        self.bar.changed.connect(self._filter)
        self.everything.clicked.connect(self.bar.clear)
        self.list.opened.connect(self.opened)
        self.list.selected.connect(self._show_note)
        self.list.left_out_changed.connect(self._show_counts)
        self.table.edited.connect(self._edited)
        self._compare.timeout.connect(self.tests_wanted)
        self._count.timeout.connect(self._show_counts)
